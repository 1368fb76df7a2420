package windows

import (
	"context"
	"fmt"
	"math"

	"mtt"
	"mtt/association"
	"mtt/costgen"
	"mtt/gating"
	"mtt/internal/slab"
)

// This file finds how long a window may be: as many scans as memory holds. Each scan is weighed by
// its own arcs and triplets before it is part of a window, as the first scans of a scene say
// nothing of those that follow.

// What a scan takes in the hands of the engine, in bytes for each of what it has: detections; arcs;
// triplets, with births and deaths; pairs with scans after the next, which links over misses are
// looked for among and which weigh most. Fitted to the heaps of two arenas with 5 % missed and a
// tenth false, one with 2.5 of these pairs for each detection, 420 bytes in all, one with 3.4, 450
// bytes, with a quarter on top: of 100,000 targets the process took 465.
const perNode, perArc, perTriplet, perPair = 215, 140, 18, 60

// perScan is what a scan takes beside that, bytes: a dozen slices for each of its problem, its
// prices and its answer.
const perScan = 2000

// longest is the number of scans that a window has at most where their number is not told: of scans
// with few detections memory holds ever more, which settle nothing better, and are small slices
// that the collector of memory looks at again and again. 1.5 million scans of one detection: 13 s
// of the processor in windows of this length, 112 s in windows of 210,000.
const longest = 1 << 14

// sampled is the number of detections of a scan whose pairs with scans after the next are counted, at most.
const sampled = 64

// plan settles what all windows share.
func (k *Tracker) plan() {
	if k.opts.Memory > 0 && k.opts.Scans == 0 {
		k.two = 2*k.aim() <= k.opts.Memory && k.goroutines() > 1
		return
	}
	if k.opts.Scans == 0 {
		k.opts.Scans = 10
	}
	if k.opts.Ahead == 0 {
		k.opts.Ahead = k.gen.Passes() + 3 // a link over all misses, and two scans that say whether it was right
	}
	k.two = k.opts.Memory <= 0 && k.goroutines() > 1
}

// A length is that of a window.
type length struct {
	settled, ahead int     // scans whose links it settles; number of the last scan that it is solved with
	bytes          float64 // that it takes, about; 0: nobody wants to know
}

// measure reads and gates the scans of the next window, and says how long it is.
func (k *Tracker) measure(ctx context.Context) (length, error) {
	if k.opts.Scans > 0 {
		if err := k.fill(k.opts.Scans+k.opts.Ahead+2, math.MaxInt64); err != nil { // the last tells whether the window is the last
			return length{}, err
		}
		return length{settled: k.opts.Scans, ahead: k.opts.Scans + k.opts.Ahead}, k.gate(ctx)
	}
	if err := k.unread; err != nil {
		return length{}, err
	}
	if err := k.gate(ctx); err != nil {
		return length{}, err
	}
	passes := k.gen.Passes()
	fewest := passes + 4 // settled, ahead, and two more
	n, bytes, most := 0, 0.0, float64(k.aim())
	short, alone := many*(passes+3), k.alone()
	for ; ; n++ {
		for !k.ended && n+passes+1 >= len(k.scans) {
			if err := k.fetch(ctx); err != nil {
				return length{}, err
			}
		}
		if n >= len(k.scans) {
			break
		}
		if err := k.weighed(n); err != nil {
			return length{}, err
		}
		if more := bytes + k.weights[n]; n >= fewest && more > most && (n >= short || more > alone) || n == longest {
			break
		}
		bytes += k.weights[n]
		if bytes > float64(k.opts.Memory) {
			return length{}, wrap(fmt.Errorf("%w: a limit of %.3g MB is too little: frames %d to %d alone, of which a window has %d at least, take %.3g MB",
				association.ErrOptions, float64(k.opts.Memory)/1e6, k.scans[0].Frame, k.scans[n].Frame, fewest, bytes/1e6))
		}
	}
	if n == len(k.scans) {
		return length{n, n, bytes}, nil // all there is
	}
	ahead := k.opts.Ahead
	if ahead == 0 {
		ahead = max(passes+1, min(passes+3, n/4)) // so that most of a window is settled
	}
	settled := max(1, n-ahead-2)
	return length{settled, settled + ahead, bytes}, nil
}

// many is how many times as many scans as it looks ahead to a window has where memory for two lets
// it, though no other is worked on then. What lies ahead of a short one is solved twice, and its
// borders are where answers are bad and bounds weak: of crowds that spread, 4,000 targets in 120
// scans, windows of 5, 38 and 76 scans left a gap of .145 %, of 19 and 100 .108 %, in 57 % of the
// time.
const many = 8

// alone is what a window takes at most that is worked on by itself, bytes: as much as two.
func (k *Tracker) alone() float64 { return min(float64(k.opts.Memory), 2*float64(k.aim())) }

// sideBySide is what such a window takes while its answer and its bound are found side by side,
// each with multipliers of its own; the next window may begin when one of both is there, and takes
// no more than that with what is left of the first.
func (k *Tracker) sideBySide() float64 { return min(float64(k.opts.Memory), 1.5*k.alone()) }

// aim is what a window takes where it can, bytes.
func (k *Tracker) aim() int64 {
	if k.opts.Aim > 0 {
		return min(k.opts.Aim, k.opts.Memory)
	}
	return k.opts.Memory
}

// limit bounds the problem of a window of so many scans, weighed at so many bytes: links over
// misses can make it larger.
func (k *Tracker) limit(settled int, bytes float64) gating.Budget {
	b := k.budget()
	if k.opts.Scans > 0 {
		b.Bytes = 0
	} else if settled > 1 {
		b.Bytes = min(b.Bytes, max(k.aim(), int64(bytes))*3/2)
	}
	return b
}

// prepare reads, gates and weighs scans for the window that follows one of that length, while its
// multipliers are raised: as many as it may have, if they are light.
func (k *Tracker) prepare(ctx context.Context, long length) error {
	if k.opts.Scans > 0 || k.goroutines() == 1 {
		return nil
	}
	passes, bytes := k.gen.Passes(), 0.0
	for n := long.settled; n < long.settled+longest && bytes < float64(k.aim())/4; n++ {
		for !k.ended && n+passes+1 >= len(k.scans) {
			if err := k.fetch(ctx); err != nil {
				return err
			}
		}
		if n >= len(k.scans) {
			break
		}
		if err := k.weighed(n); err != nil {
			return err
		}
		bytes += k.weights[n]
	}
	return nil
}

// weighed weighs scan n, the next one to be weighed, unless it is already.
func (k *Tracker) weighed(n int) error {
	if n < len(k.weights) {
		return nil
	}
	w, err := k.weigh(n)
	if err == nil {
		k.weights = append(k.weights, w)
	}
	return err
}

// budget is the memory, with what arcs and triplets take of it.
func (k *Tracker) budget() gating.Budget {
	b := gating.Budget{Bytes: max(0, k.opts.Memory), PerArc: perArc, PerTriplet: perTriplet}
	if _, ok := k.model.Model.(costgen.LinkValuer); ok { // values, no costs of triplets
		b.PerArc, b.PerTriplet = perArc+100, -1
	}
	return b
}

// fetch reads and gates some more scans: a quarter of those that are there, or fewer where they are large.
func (k *Tracker) fetch(ctx context.Context) error {
	const each = 1000 // bytes of a detection until it is weighed
	if err := k.fill(len(k.scans)+8+len(k.scans)/4, k.aim()/4/each); err != nil {
		return err
	}
	return k.gate(ctx)
}

// A weighing is the workspace of weigh.
type weighing struct {
	in     []int32       // arcs into each detection
	finder gating.Finder // without a cap, which would see the sample only
	found  gating.CSR
}

// weigh is about the memory in bytes that scan t of those that are there takes.
func (k *Tracker) weigh(t int) (float64, error) {
	s := &k.scans[t]
	bytes := perScan + perNode*float64(s.Len())
	if t+1 >= len(k.scans) || s.Len() == 0 {
		return bytes, nil
	}
	out := &k.gates[t]
	k.weighing.in = slab.Grow(k.weighing.in, s.Len())
	in := k.weighing.in
	clear(in)
	if t > 0 {
		for _, j := range k.gates[t-1].Col {
			in[j]++
		}
	}
	triplets := 0
	for i, n := range in {
		triplets += int(n+1) * (out.Ptr[i+1] - out.Ptr[i] + 1)
	}
	pairs, err := k.pairs(t)
	return bytes + float64(k.budget().Need(out.NNZ(), triplets)) + perPair*pairs, err
}

// pairs is about the number of pairs of scan t with scans after the next that links over misses are
// looked for among.
func (k *Tracker) pairs(t int) (pairs float64, err error) {
	const few = 4 // pairs that may as well all be inside the gate
	if k.gen.Passes() == 0 {
		return 0, nil
	}
	s := &k.scans[t]
	some, n := s, s.Len()
	if n > sampled {
		n = sampled
		dets := make([]int32, n) // from all over the scene
		for i := range dets {
			dets[i] = int32(i * s.Len() / n)
		}
		picked := s.Pick(dets)
		some = &picked
	}
	f, g := &k.weighing.finder, &k.weighing.found
	for u := t + 2; u < min(t+2+k.gen.Passes(), len(k.scans)); u++ {
		if all := s.Len() * k.scans[u].Len(); all <= few {
			pairs += float64(all)
			continue
		}
		if _, err := f.Neighbors(g, some, &k.scans[u], k.gen.Gate); err != nil {
			return 0, err
		}
		found := 0
		for i := range n {
			found += k.capped(g.Ptr[i+1] - g.Ptr[i])
		}
		pairs += float64(found) * float64(s.Len()) / float64(n)
	}
	return pairs, nil
}

// capped is how many of so many pairs of a detection the cap leaves, on average, at most.
func (k *Tracker) capped(pairs int) int {
	if k.gen.K > 0 {
		return min(pairs, 2*k.gen.K)
	}
	return pairs
}

// forget drops what is known of the scans before scan n of those that are there, but for what the
// border there says.
func (k *Tracker) forget(n int) {
	var before []mtt.Scan
	if k.left != nil {
		before = k.left.Before
	}
	k.all = append(append(make([]mtt.Scan, 0, cap(k.all)), before...), k.scans[n:]...)
	k.scans = k.all[len(before):]
	k.orders = rest(k.orders, n)
	k.gates = rest(k.gates, min(n, len(k.gates)))
	k.weights = rest(k.weights, min(n, len(k.weights)))
}

// rest is the list from element n on, in memory of its own, so that nothing of those before stays,
// with as much room.
func rest[E any](list []E, n int) []E { return append(make([]E, 0, cap(list)), list[n:]...) }
