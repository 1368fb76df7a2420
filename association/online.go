package association

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"mtt"
	"mtt/costgen"
	"mtt/gating"
)

// This file defines Tracker, which tracks scans as they come.

// A Tracker tracks scans one at a time and settles each link a few scans later:
// with Lag L, the detections of a scan are linked to what came before for good
// when the L-th scan after it has been seen. What is not settled yet is improved
// with every scan, by the moves of the refinement: prefixes of tracks are matched
// anew with suffixes, and the detections of a scan are seated anew.
//
// Rules. A track is confirmed, gets its number and is reported when a second
// detection is settled on it; a detection on its own stays a false alarm. A track
// is deleted when it has been missed for longer than any gap that is worth
// while (Options.MaxMisses).
//
// Levels and rates that are not given are learnt from the first WarmUp scans, as
// [Track] learns them; until then nothing is reported.
//
// A step takes time in proportion to Lag and to the gated pairs of a scan, and
// memory for the scans in its window, as many as Lag and the longest gap together.
type Tracker struct {
	opts   TrackerOptions
	misses int        // missed detections in a row that a track survives, or auto
	warm   []mtt.Scan // seen, but not tracked yet: levels are being learnt
	res    *Result    // what the model is; nil while warming up
	r      *refiner
	finder gating.Finder
	last   *mtt.Scan

	ids    [][]int32   // of a detection in the window: the index of its track, -1
	tracks []mtt.Track // confirmed
}

// TrackerOptions steer a Tracker. The zero value is the default.
type TrackerOptions struct {
	Options     // Engine, Cost, Model, Dual and Progress are not used
	Lag     int // scans that a link may wait for what comes after it; 0: 3; negative: none
	WarmUp  int // scans to learn levels from; 0: 20, none when Levels are given
}

// NewTracker makes a Tracker. A nil opts is TrackerOptions{}. The error wraps
// ErrOptions.
func NewTracker(opts *TrackerOptions) (*Tracker, error) {
	k := &Tracker{}
	if opts != nil {
		k.opts = *opts
	}
	o := &k.opts
	o.Engine, o.Cost, o.Model, o.Progress = Dual, NLL, nil, nil
	checked := o.Options
	if err := checked.defaults(); err != nil {
		return nil, err
	}
	k.misses = checked.MaxMisses
	if o.Lag == 0 {
		o.Lag = 3
	}
	o.Lag = max(o.Lag, 0)
	if o.WarmUp < 0 {
		return nil, fmt.Errorf("association: %w: %d scans to warm up with", ErrOptions, o.WarmUp)
	}
	if o.WarmUp == 0 && o.Levels == nil {
		o.WarmUp = 20
	}
	return k, nil
}

// Step takes the next scan, later than all before; it keeps a copy. An error
// names what is wrong with the scan, which is then left out; when ctx ends, the
// scan has been taken but the links around it may not be the best.
func (k *Tracker) Step(ctx context.Context, s *mtt.Scan) error {
	scan := mtt.Scan{Frame: s.Frame, Time: s.Time, Dim: s.Dim, Pos: slices.Clone(s.Pos), Size: slices.Clone(s.Size)}
	if !k.opts.IgnoreVelocity {
		scan.Vel = slices.Clone(s.Vel)
	}
	pair := []mtt.Scan{scan}
	if k.last != nil {
		pair = []mtt.Scan{*k.last, scan}
	}
	if err := check(pair); err != nil {
		return err
	}
	if scan.Len() > 0 || k.last == nil {
		k.last = &scan // empty scans tell nothing about what a scan has
	} else {
		last := *k.last
		last.Frame, last.Time = scan.Frame, scan.Time
		k.last = &last
	}
	if k.res == nil {
		k.warm = append(k.warm, scan)
		if len(k.warm) <= k.opts.WarmUp {
			return nil
		}
		return k.begin(ctx)
	}
	return k.step(ctx, &scan)
}

// Flush settles everything: no scan follows. A scan after it begins anew, with
// the same levels and numbers that go on.
func (k *Tracker) Flush(ctx context.Context) error {
	if k.res == nil {
		if len(k.warm) == 0 {
			return nil
		}
		if err := k.begin(ctx); err != nil {
			return err
		}
	}
	for t := max(0, len(k.ids)-k.opts.Lag); t < len(k.ids); t++ {
		k.settle(t)
	}
	k.r, k.ids = nil, nil
	return nil
}

// Tracks yields the confirmed tracks in the order of their numbers, as far as they
// are settled. They share memory with the Tracker: clone what is to be kept
// over the next Step.
func (k *Tracker) Tracks() iter.Seq[mtt.Track] {
	return func(yield func(mtt.Track) bool) {
		for i := range k.tracks {
			if !yield(k.tracks[i]) {
				return
			}
		}
	}
}

// Result says what the tracker knows of its model: levels, gate, speed. It is nil
// while the tracker warms up.
func (k *Tracker) Result() *Result { return k.res }

// A Target is where a track is believed to be at the time of the last scan.
type Target struct {
	ID       int        // of the confirmed track; 0 before
	Missed   int        // scans since its last detection
	Pos, Vel [3]float64 // m, m/s: the first Dim elements
	Std      float64    // m: standard deviation of the position, per axis
}

// Targets appends the targets that are believed to be there to dst: all tracks
// of two detections or more that are not deleted. The order is that of their
// last detections.
func (k *Tracker) Targets(dst []Target) []Target {
	r := k.r
	if r == nil {
		return dst
	}
	last := len(r.scans) - 1
	for t := max(0, last+1-int(r.reach)); t <= last; t++ {
		for i, next := range r.next[t] {
			if next != none || r.prev[t][i] == none {
				continue
			}
			s := r.states[t][i]
			if dt := r.scans[last].Time - r.scans[t].Time; dt > 0 {
				r.motion.predict(&s, dt, smooth)
			}
			target := Target{Missed: last - t, Pos: s.x, Vel: s.v, Std: math.Sqrt(s.p[0])}
			for at := (hit{int32(t), int32(i)}); at != none && at != past; at = r.prev[at.t][at.det] {
				if id := k.ids[at.t][at.det]; id >= 0 {
					target.ID = int(id) + 1
					break
				}
			}
			dst = append(dst, target)
		}
	}
	return dst
}

// begin learns the levels from the scans seen so far, and tracks those.
func (k *Tracker) begin(ctx context.Context) error {
	scans, tk, err := begin(k.warm, &k.opts.Options)
	if err != nil {
		return err
	}
	res, err := tk.prepare(ctx, scans)
	if err != nil {
		return err
	}
	k.res, k.warm = res, nil
	for t := range scans {
		if err := k.step(ctx, &scans[t]); err != nil {
			return err
		}
	}
	return nil
}

// start makes the refiner of an empty window.
func (k *Tracker) start() {
	levels := *k.res.Levels
	misses := k.misses
	if misses == auto {
		misses = worthwhile(&levels, longest/5)
	}
	k.r = newRefiner(newChains(nil), nil, nil, &costgen.Gaussian{Levels: levels}, misses, k.res.MaxSpeed)
	k.r.loose, k.r.quick = true, true
	k.r.price(k.opts.Lag + misses + 3)
}

// step tracks one scan.
func (k *Tracker) step(ctx context.Context, s *mtt.Scan) error {
	if k.r == nil {
		k.start()
	}
	r := k.r
	if len(r.scans) > k.opts.Lag+int(r.reach)+1 {
		k.drop()
	}
	if err := k.add(s); err != nil {
		return err
	}
	t := len(r.scans) - 1
	r.open = max(0, t-1) // the first links of the new detections
	r.forward(t)
	r.backward()
	var err error
	r.clock++ // what the cut changes is news to both filters
	if t > 0 {
		_, err = r.movers[0].cut(ctx, int32(t-1))
	}
	r.forward(t)
	r.open = max(0, t-k.opts.Lag)
	r.forget() // what it costs to end changes with time
	for n, sweeps := 1, 0; n > 0 && err == nil && sweeps < 2; sweeps++ {
		n, err = r.sweep(ctx)
	}
	if f := t - k.opts.Lag; f >= 0 {
		k.settle(f)
	}
	return wrap(err)
}

// add puts a scan at the end of the window.
func (k *Tracker) add(s *mtt.Scan) error {
	r := k.r
	n := s.Len()
	if last := len(r.scans) - 1; last >= 0 {
		var g gating.CSR
		if last < cap(r.gates) {
			g = r.gates[:last+1][last] // the memory of one that left
		}
		if _, err := k.finder.Neighbors(&g, &r.scans[last], s, k.res.Gate); err != nil {
			return wrap(err)
		}
		r.gates = append(r.gates, g)
	}
	r.scans = append(r.scans, *s)
	r.next, r.prev = extend(r.next, n, none), extend(r.prev, n, none)
	r.states, r.turned = extend(r.states, n, state{}), extend(r.turned, n, 0)
	r.proofs, r.looks = extend(r.proofs, n, evidence{}), append(r.looks, unseen)
	r.stamp = extend(r.stamp, n, 0)
	k.ids = extend(k.ids, n, -1)
	return nil
}

// extend appends n times v, in the memory of what was cut off the end before.
func extend[T any](list [][]T, n int, v T) [][]T {
	var s []T
	if len(list) < cap(list) {
		s = list[:len(list)+1][len(list)][:0]
	}
	for range n {
		s = append(s, v)
	}
	return append(list, s)
}

// drop takes the first scan out of the window. Its links are settled.
func (k *Tracker) drop() {
	r := k.r
	r.origin--
	r.scans = shift(r.scans)
	r.gates = shift(r.gates)
	r.next, r.prev = shift(r.next), shift(r.prev)
	r.states, r.turned, r.proofs = shift(r.states), shift(r.turned), shift(r.proofs)
	r.looks, r.stamp = shift(r.looks), shift(r.stamp)
	k.ids = shift(k.ids)
	for t := range r.next {
		for i := range r.next[t] {
			if r.next[t][i] != none {
				r.next[t][i].t--
			}
			switch p := &r.prev[t][i]; {
			case *p == none || *p == past:
			case p.t == 0:
				*p = past
			default:
				p.t--
			}
		}
	}
}

// shift moves the first element behind the last, where extend finds its memory.
func shift[T any](s []T) []T {
	if len(s) == 0 {
		return s
	}
	first := s[0]
	copy(s, s[1:])
	s[len(s)-1] = first
	return s[:len(s)-1]
}

// settle puts the detections of scan t, whose links backward are final, on their
// tracks.
func (k *Tracker) settle(t int) {
	r := k.r
	for i, p := range r.prev[t] {
		if p == none {
			continue
		}
		id := k.ids[p.t][p.det]
		if id < 0 {
			id = int32(len(k.tracks))
			k.tracks = append(k.tracks, mtt.Track{ID: len(k.tracks) + 1, Dim: r.scans[p.t].Dim})
			k.put(id, p)
		}
		k.put(id, hit{int32(t), int32(i)})
	}
}

// put appends a detection to a track.
func (k *Tracker) put(id int32, at hit) {
	k.ids[at.t][at.det] = id
	k.tracks[id].Append(&k.r.scans[at.t], int(at.det))
}

// Follow tracks all scans with a Tracker, as [Track] would without looking further
// ahead than the lag. Tracks are numbered as those of Track; Result.Latency says
// how long each step took.
//
// When ctx ends the tracks so far come back with an error that wraps ctx.Err(),
// once there are any.
func Follow(ctx context.Context, scans []mtt.Scan, opts *TrackerOptions) (*Result, error) {
	k, err := NewTracker(opts)
	if err != nil {
		return nil, err
	}
	var latency []float64
	for t := range scans {
		began, learnt := time.Now(), k.res != nil
		if err = k.Step(ctx, &scans[t]); err != nil {
			break
		}
		if learnt {
			latency = append(latency, time.Since(began).Seconds())
		}
	}
	err = cmp.Or(err, k.Flush(context.WithoutCancel(ctx)))
	res := k.res
	if res == nil {
		return nil, err
	}
	slices.SortStableFunc(k.tracks, func(a, b mtt.Track) int {
		return cmp.Or(cmp.Compare(a.Hits[0].Frame, b.Hits[0].Frame), cmp.Compare(a.Hits[0].Det, b.Hits[0].Det))
	})
	for i := range k.tracks {
		k.tracks[i].ID = i + 1
	}
	res.Tracks, res.Plain, res.Cost, res.Latency = k.tracks, k.tracks, math.NaN(), latency
	for _, s := range latency {
		res.Seconds.Solve += s
	}
	if err == nil {
		(&tracker{Options: k.opts.Options}).explain(scans, res)
	}
	return res, err
}
