package refine

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mtt"
	"mtt/association/chain"
	"mtt/costgen"
	"mtt/gating"
	"mtt/internal/workers"
	"mtt/motion"
)

// This file refines the links of the last scans of a sensor that runs on.

// A Window holds the last scans and the links between their detections, and
// improves these with every scan that comes. It is made by [NewWindow].
type Window interface {
	// Len is the number of scans in the window.
	Len() int

	// Scan is scan t of the window; the first has the number 0.
	Scan(t int) *mtt.Scan

	// Links are the links between the detections; where a track goes on to before
	// the window, chain.Past. They are for reading.
	Links() *chain.Links

	// Share has up to so many goroutines share the work, where it had fewer; 0: one for each
	// processor. It does not change the result.
	Share(among int)

	// Add puts a scan at the end of the window. It keeps the slices. The error is of
	// the gate.
	Add(s *mtt.Scan) error

	// Extend links the detections of the last scan.
	Extend(ctx context.Context) error

	// Offer takes other links for detections of the scans from the given one on, where they make
	// all tracks together likelier. next[t][i] is where detection i of the t-th of these scans is
	// to go on, chain.None, or chain.Past for those that the offer says nothing of; tracks must
	// belong to the offer as a whole, or from one of their detections on, or not at all. Of those
	// that come from scans before that, what lies there stays. It reports how many links it took.
	Offer(from int, next [][]chain.Node) (taken int)

	// Doubts appends to dst the first detections, from scan from on, of the tracks whose links to
	// scan t fit badly, and of those that may have what is theirs, where there are such: in order,
	// each once. It takes a filter's step for each detection of the scan.
	Doubts(dst []chain.Node, t, from int) []chain.Node

	// Improve begins tracks among the detections of the last [Begun] scans, and improves the
	// links of the last scan and of the lag scans before it. When ctx ends they may not be
	// the best.
	Improve(ctx context.Context, lag int) error

	// Reprice has births and false alarms cost what the rates of the model's levels say now, which
	// may have changed since the window was made.
	Reprice()

	// Outlast has runs of misses cost what the model's levels say now, links from ended tracks to
	// those that begin pass over so many, and makes room for so many scans.
	Outlast(misses, most int)

	// Thin takes out of scan t, and of scans before it that were thinned, all detections but those
	// of tracks that ended there, or go on to scan open, a later one, or one after that. What is
	// taken out counts as before the window. It tells which detections a scan keeps.
	Thin(t, open int, thinned func(t int, kept []int32))

	// Drop takes the first scan out of the window.
	Drop()

	// Retract takes the last scan out of the window, which must have no detections, where no
	// sensors are described.
	Retract()

	// Restore takes the links of another window, whose scans from the given one on are those of
	// this one.
	Restore(of Window, from int)

	// Evidence is the log odds that the track that ends with detection at is of a target, and
	// not a chain of false alarms; +Inf where it is too long for that to be a question.
	Evidence(at chain.Node) float64

	// Fate lists the probabilities that the target of a track that ended with detection at has left since,
	// and that it is there but was not detected. A scan that does not see it says nothing.
	Fate(at chain.Node) (gone, hidden float64)

	// Predict sets dst to where the target with detection at is by a time, s, given its
	// detections up to that one, and returns the variance of the position in the direction
	// where that is largest.
	Predict(dst *motion.Estimate, at chain.Node, time float64) (variance float64)
}

// NewWindow makes a window without scans, for scans that report what like does. At
// most opts.Misses scans without a detection are passed over at up to opts.Speed; gate
// says what may be linked from scan to scan, and most is the most scans that the
// window will hold.
func NewWindow(model costgen.Leveled, like *mtt.Scan, gate gating.Gate, most int, opts *Options) Window {
	levels := model.Noise().OfTracks()
	params := levels.TrackParams(max(levels.Dim, 2))
	if levels.Triple([]mtt.Scan{*like}) {
		return newWindow(motion.NewTriple(params), params, model, gate, most, opts)
	}
	if levels.Wheel([]mtt.Scan{*like}) {
		return newWindow(motion.NewWheel(params), params, model, gate, most, opts)
	}
	if levels.General(like) {
		return newWindow(motion.NewFull(params), params, model, gate, most, opts)
	}
	if params.Dim == 2 && like.Dim == 2 {
		return newWindow(motion.NewPlane(params), params, model, gate, most, opts)
	}
	return newWindow(motion.NewAxes(params), params, model, gate, most, opts)
}

// A window implements Window.
type window[S comparable, E any] struct {
	*refiner[S, E]
	gate    gating.Gate
	finder  gating.Finder
	begins  int // scans, the last ones, in which tracks begin
	sprouts sprouts[S]
	offers  offers
}

func newWindow[S comparable, E any](filter motion.Filter[S, E], params *motion.Params, model costgen.Leveled, gate gating.Gate, most int, opts *Options) *window[S, E] {
	w := &window[S, E]{refiner: newRefiner(context.Background(), filter, params, chain.New(nil), nil, nil, model, opts), gate: gate}
	w.hopes, w.passing = nil, nil
	w.loose, w.quick, w.tight = true, true, true
	w.changed, w.records, w.memory = [][]int64{}, [][]record{}, new(memory)
	w.begins, w.lone = Begun(opts.Between), min(w.reach, int32(strides+1+2*opts.Between))
	w.price(most)
	w.Share(opts.Workers)
	return w
}

// Share implements Window.
func (w *window[S, E]) Share(among int) {
	for len(w.movers) < workers.Count(among) {
		w.movers = append(w.movers, w.newMover())
	}
}

func (w *window[S, E]) Len() int             { return len(w.scans) }
func (w *window[S, E]) Scan(t int) *mtt.Scan { return &w.scans[t] }
func (w *window[S, E]) Links() *chain.Links  { return w.refiner.Links }

// Add implements Window.
func (w *window[S, E]) Add(s *mtt.Scan) error {
	n := s.Len()
	if last := len(w.scans) - 1; last >= 0 {
		var g gating.CSR
		if last < cap(w.gates) {
			g = w.gates[:last+1][last] // the memory of one that left
		}
		w.finder.K, w.finder.Few, w.finder.Workers = gating.InSight, gating.InCrowd, len(w.movers)
		if _, err := w.finder.Neighbors(&g, &w.scans[last], s, w.gate); err != nil {
			return err
		}
		w.gates = append(w.gates, g)
	}
	w.scans = append(w.scans, *s)
	w.Next, w.Prev = Extend(w.Next, n, chain.None), Extend(w.Prev, n, chain.None)
	w.states, w.kinds = Extend(w.states, n, *new(S)), Extend(w.kinds, n, 0)
	w.tails, w.looks = Extend(w.tails, n, *new(E)), append(w.looks, unseen)
	if w.wide != nil {
		w.wide = Extend(w.wide, n, *new(E))
	}
	if w.fades = Extend(w.fades, n, fading{}); w.local != nil {
		w.lookOn()
	}
	w.changed, w.records = Extend(w.changed, n, 0), Extend(w.records, n, record{made: -1})
	w.memory.add()
	w.stamp, w.noise, w.offsets = Extend(w.stamp, n, 0), append(w.noise, noisiest(&w.filter, s)), append(w.offsets, w.ends(s, w.model.Ends()))
	return nil
}

// lookOn follows what became of the targets of all scans up to the last one, which is new.
func (w *window[S, E]) lookOn() {
	last := len(w.scans) - 1
	for t := max(0, last-faded); t <= last; t++ {
		for i := range w.fades[t] {
			if at := chain.At(t, i); t == last {
				w.movers[0].fade(&w.fades[t][i], at, w.origin)
			} else {
				w.movers[0].follow(&w.fades[t][i], at)
			}
		}
	}
}

// Extend implements Window.
func (w *window[S, E]) Extend(ctx context.Context) (err error) {
	w.until(ctx)
	t := len(w.scans) - 1
	w.open = max(0, t-1) // the first links of the new detections
	w.forward(t)
	w.backward()
	w.clock++ // what rematch changes is news to both filters
	if t > 0 {
		_, err = w.movers[0].rematch(ctx, int32(t-1))
	}
	w.forward(t)
	return err
}

// Improve implements Window.
func (w *window[S, E]) Improve(ctx context.Context, lag int) error {
	w.until(ctx)
	t := len(w.scans) - 1
	w.open = max(0, t-lag)
	w.memory.dropBefore(w.open)
	w.clock++
	w.uproot()
	w.refilter() // an offer may go back far
	w.clock++
	w.begin()
	w.refilter()
	extended := t > 0 && w.tied <= w.looks[t-1].rematch
	w.retry()     // what it costs to end changes with time
	if extended { // and nothing has changed since
		w.looks[t-1].rematch = w.clock
	}
	for range 2 {
		if n, err := w.sweep(ctx); n == 0 || err != nil {
			return err
		}
	}
	return nil
}

// refilter filters all tracks in which something has changed.
func (w *window[S, E]) refilter() {
	last := int64(-1) // change of scans so far
	for u := range w.scans {
		now := &w.looks[u]
		if last = max(last, now.news); last <= now.forward {
			now.forward = w.clock
			continue
		}
		w.forward(u)
		last = max(last, now.news)
	}
}

// Reprice implements Window.
func (w *window[S, E]) Reprice() { w.rate() }

// Outlast implements Window.
func (w *window[S, E]) Outlast(misses, most int) {
	w.long = max(w.reach, int32(misses+1))
	w.span = max(w.span, int(w.long))
	w.price(most)
}

// Thin implements Window.
func (w *window[S, E]) Thin(t, open int, thinned func(t int, kept []int32)) {
	for i := range w.Prev[t] {
		if p := w.Prev[t][i]; p.T >= 0 { // it passed over scans, and need not be kept any more
			w.Thin(int(p.T), open, thinned)
		}
	}
	var kept []int32
	for i, next := range w.Next[t] {
		switch {
		case int(next.T) >= open, next == chain.None && w.Prev[t][i] != chain.None:
			if next != chain.None {
				w.Prev[next.T][next.Det].Det = int32(len(kept))
			}
			kept = append(kept, int32(i))
		case next != chain.None:
			w.Prev[next.T][next.Det] = chain.Past
		}
	}
	w.scans[t] = w.scans[t].Pick(kept)
	w.Next, w.Prev = Keep(w.Next, t, kept), Keep(w.Prev, t, kept)
	w.states, w.kinds, w.tails = Keep(w.states, t, kept), Keep(w.kinds, t, kept), Keep(w.tails, t, kept)
	if w.wide != nil {
		w.wide = Keep(w.wide, t, kept)
	}
	w.fades, w.changed, w.records = Keep(w.fades, t, kept), Keep(w.changed, t, kept), Keep(w.records, t, kept)
	w.stamp = Keep(w.stamp, t, kept)
	if w.offsets[t] != nil {
		w.offsets = Keep(w.offsets, t, kept)
	}
	if n := len(w.gates); t > 0 && w.gates[t-1].NNZ() > 0 { // of which nobody asks any more
		if n < cap(w.gates) {
			w.gates[:n+1][n] = w.gates[t-1]
		}
		rows := len(w.Next[t-1])
		w.gates[t-1] = gating.CSR{Rows: rows, Cols: len(kept), Ptr: make([]int, rows+1)}
	}
	w.memory.drop(t)
	for v := range w.memory.nears {
		if k := v - t - 2; k >= 0 && k < len(w.memory.nears[v]) && w.memory.nears[v][k] != nil {
			w.memory.nears[v][k].made = 0
		}
	}
	thinned(t, kept)
}

// Drop implements Window.
func (w *window[S, E]) Drop() {
	w.origin--
	w.scans, w.gates = Shift(w.scans), Shift(w.gates)
	w.Next, w.Prev = Shift(w.Next), Shift(w.Prev)
	w.states, w.kinds, w.tails, w.wide = Shift(w.states), Shift(w.kinds), Shift(w.tails), Shift(w.wide)
	w.fades, w.changed, w.records = Shift(w.fades), Shift(w.changed), Shift(w.records)
	w.memory.shift()
	w.looks, w.stamp, w.noise, w.offsets = Shift(w.looks), Shift(w.stamp), Shift(w.noise), Shift(w.offsets)
	for t := range w.Next {
		for i := range w.Next[t] {
			if w.Next[t][i] != chain.None {
				w.Next[t][i].T--
			}
			switch p := &w.Prev[t][i]; {
			case *p == chain.None || *p == chain.Past:
			case p.T == 0:
				*p = chain.Past
			default:
				p.T--
			}
		}
	}
}

// Retract implements Window.
func (w *window[S, E]) Retract() {
	n := len(w.scans) - 1
	if w.scans[n].Len() > 0 || w.local != nil {
		panic("refine: a scan with detections is retracted, or one that says where they were missed")
	}
	w.scans, w.gates = w.scans[:n], w.gates[:max(0, n-1)]
	w.Next, w.Prev = w.Next[:n], w.Prev[:n]
	w.states, w.kinds, w.tails, w.fades = w.states[:n], w.kinds[:n], w.tails[:n], w.fades[:n]
	w.wide = w.wide[:min(n, len(w.wide))]
	w.changed, w.records = w.changed[:n], w.records[:n]
	w.memory.retract()
	w.looks, w.stamp, w.noise, w.offsets = w.looks[:n], w.stamp[:n], w.noise[:n], w.offsets[:n]
	if n > 0 {
		w.looks[n-1].rematch = -1 // what comes next is another scan
	}
}

// Restore implements Window. What is known of a track from before the window stays what it was; it
// is lost, but for there being something, where targets are said to move in another way.
func (w *window[S, E]) Restore(of Window, from int) {
	links := of.Links()
	old, same := of.(*window[S, E])
	if from > 0 || !same || old.origin < 0 {
		w.origin = -1
	}
	w.clock++
	for t := range w.scans {
		for i := range w.Next[t] {
			next, prev := links.Next[from+t][i], links.Prev[from+t][i]
			if next != chain.None {
				next.T -= int32(from)
				w.span = max(w.span, int(next.T)-t)
			}
			if prev.T >= 0 {
				prev.T -= int32(from)
			}
			if prev != chain.None && prev.T < 0 {
				prev = chain.Past
				if same && old.levels.Motion == w.levels.Motion {
					w.states[t][i] = old.states[from+t][i]
				} else {
					w.filter.Start(&w.states[t][i], &w.scans[t], i)
				}
			}
			w.Next[t][i], w.Prev[t][i] = next, prev
			w.touch(chain.At(t, i))
			w.records[t][i].joined = w.clock
		}
		w.forward(t)
	}
}

// Evidence implements Window.
func (w *window[S, E]) Evidence(at chain.Node) (odds float64) {
	path := w.sprouts.path[:0]
	for h := at; h != chain.None; h = w.Prev[h.T][h.Det] {
		if h == chain.Past || len(path) == young {
			return math.Inf(1)
		}
		path = append(path, h)
		w.sprouts.path = path
		odds += w.falsely(h) + w.filter.First(&w.scans[h.T], int(h.Det))
	}
	slices.Reverse(path)
	return odds - (w.movers[0].whole(path) - w.death(at))
}

// Fate implements Window.
func (w *window[S, E]) Fate(at chain.Node) (gone, hidden float64) { return w.fate(at) }

// Predict implements Window.
func (w *window[S, E]) Predict(dst *motion.Estimate, at chain.Node, time float64) (variance float64) {
	w.state = w.states[at.T][at.Det]
	if dt := time - w.scans[at.T].Time; dt > 0 {
		w.filter.Predict(&w.state, dt, motion.Smooth)
	}
	w.filter.Estimate(dst, &w.state, nil)
	_, _, variance = w.filter.Position(&w.state)
	return variance
}

// Extend appends n times v to a list, in the memory of what was cut off its end by
// Shift before.
func Extend[T any](list [][]T, n int, v T) [][]T {
	var s []T
	if len(list) < cap(list) {
		s = list[:len(list)+1][len(list)][:0]
	}
	s = slices.Grow(s, n)
	for range n {
		s = append(s, v)
	}
	return append(list, s)
}

// Shift moves the first element behind the last, where Extend finds its memory.
func Shift[T any](s []T) []T {
	if len(s) == 0 {
		return s
	}
	first := s[0]
	copy(s, s[1:])
	s[len(s)-1] = first
	return s[:len(s)-1]
}

// Keep keeps of list t the elements with the given numbers, ascending. What memory it leaves Extend finds.
func Keep[T any](list [][]T, t int, kept []int32) [][]T {
	was, n := list[t], len(list)
	var few []T
	switch {
	case cap(was) < 4*len(kept)+16: // nothing to be gained
		few = was[:0]
	case n < cap(list):
		few, list[:n+1][n] = list[:n+1][n][:0], was
	}
	for _, i := range kept {
		few = append(few, was[i])
	}
	list[t] = few
	return list
}

// Along links the detections of scans as they come: each new scan, and the lag scans before it, are
// improved in a window of all so far. The options are those of [Links].
func Along(ctx context.Context, scans []mtt.Scan, model costgen.Leveled, gate gating.Gate, lag int, opts *Options) (*chain.Links, error) {
	if len(scans) == 0 {
		return chain.New(scans), nil
	}
	like := &scans[max(0, slices.IndexFunc(scans, func(s mtt.Scan) bool { return s.Len() > 0 }))]
	w := NewWindow(model, like, gate, len(scans), opts)
	for t := range scans {
		if err := cmp.Or(w.Add(&scans[t]), w.Extend(ctx), w.Improve(ctx, lag)); err != nil {
			return nil, err
		}
	}
	return w.Links(), nil
}
