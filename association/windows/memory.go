package windows

import (
	"fmt"

	"mtt/association"
	"mtt/gating"
)

// This file finds how long a window may be.

// What a scan takes in the hands of the engine, in bytes for each of what it has: detections; arcs;
// triplets, with births and deaths; pairs with scans after the next, which links over misses are looked for among and
// which weigh most. Fitted to the heaps of two arenas with 5 % missed and a tenth false, one with 2.5 of these pairs for
// each detection, 420 bytes in all, one with 3.4, 450 bytes, with a quarter on top: of 100,000 targets the process took 465.
const perNode, perArc, perTriplet, perPair = 215, 140, 18, 60

// perScan is what a scan takes beside that, bytes: a dozen slices for each of its problem, its prices and its answer.
const perScan = 2000

// sampled is the number of detections of the first scan whose pairs are counted, at most.
const sampled = 20_000

// plan settles how many scans a window has, and how many come after it.
func (k *Tracker) plan() error {
	ahead := k.gen.Passes() + 3 // a link over all misses, and two scans that say whether it was right
	if k.opts.Memory <= 0 || k.opts.Scans > 0 {
		if k.opts.Scans == 0 {
			k.opts.Scans = 10
		}
		if k.opts.Ahead == 0 {
			k.opts.Ahead = ahead
		}
		k.two = k.opts.Memory <= 0 && k.goroutines() > 1
		return nil
	}
	if err := k.fill(k.gen.Passes() + 3); err != nil {
		return err
	}
	each, err := k.scanBytes()
	if err != nil {
		return wrap(err)
	}
	fewest := k.gen.Passes() + 4                                                  // settled, ahead, and two more
	fits := func(bytes int64) int { return int(min(float64(bytes)/each, 1<<30)) } // scans
	n := fits(k.opts.Memory)
	if k.opts.Aim > 0 {
		all := n
		n = min(n, max(fewest, fits(k.opts.Aim)))
		k.two = 2*n <= all && k.goroutines() > 1
	}
	if k.opts.Ahead == 0 {
		k.opts.Ahead = max(k.gen.Passes()+1, min(ahead, n/4)) // so that most of a window is settled
	}
	if k.opts.Scans = n - k.opts.Ahead - 2; k.opts.Scans < 1 {
		return wrap(fmt.Errorf("%w: a limit of %.3g MB is too little: a window takes %.3g MB for each scan, and %d scans at least", association.ErrOptions, float64(k.opts.Memory)/1e6, each/1e6, k.opts.Ahead+3))
	}
	return nil
}

// scanBytes is about the memory that a scan of a window takes, by the largest of the first scans and a
// sample of the pairs of the first with detections.
func (k *Tracker) scanBytes() (float64, error) {
	first, most := -1, 0
	for t := range k.scans {
		most = max(most, k.scans[t].Len())
		if first < 0 && k.scans[t].Len() > 0 {
			first = t
		}
	}
	if first < 0 {
		return perScan, nil
	}
	s := &k.scans[first]
	n := min(s.Len(), sampled)
	dets := make([]int32, n) // from all over the scene
	for i := range dets {
		dets[i] = int32(i * s.Len() / n)
	}
	some := s.Pick(dets)
	f := gating.Finder{K: k.gen.K}
	var g gating.CSR
	arcs, pairs := 0.0, 0.0 // of a detection
	for t := first + 1; t < min(first+2+k.gen.Passes(), len(k.scans)); t++ {
		if _, err := f.Neighbors(&g, &some, &k.scans[t], k.gen.Gate); err != nil {
			return 0, err
		}
		if each := float64(g.NNZ()) / float64(n); t == first+1 {
			arcs = each
		} else {
			pairs += each
		}
	}
	return perScan + float64(most)*(perNode+perArc*arcs+perTriplet*(arcs+1)*(arcs+1)+perPair*pairs), nil
}
