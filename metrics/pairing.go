package metrics

import (
	"context"
	"fmt"
	"slices"

	"mtt/internal/workers"
	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
)

// This file finds the best pairing for trajectory GOSPA, and proves it.
//
// # The problem
//
// Choose w[k], a matching of targets and tracks for every frame k, to maximise
//
//	Σ over frames and pairs g[k]·w[k] − h · Σ over boundaries and pairs |w[k+1] − w[k]|
//
// where g = c^p − d^p where both are there and nearer than c, else 0, and h = γ^p/2. That
// is c^p/2 for every hit, less E. The relaxed form lets w lie between 0 and 1.
//
// # What is decided at once
//
// Let S be pairs of a frame's matching. To force them on any w, set their weights to 1
// and those of all other pairs that touch their targets and tracks to 0. A pair of
// weight w in S changes the weights in this frame by 1 − w, its row by as much
// again and its column likewise, so at both boundaries together it costs at most
// 6h·(1−w). Hence if S is an optimal matching of the problem of all pairs that touch it,
// with 6h less for each pair of S, then no w loses by being forced, whatever it is
// in the other frames. All but crowded frames are decided this way where γ is small
// against c, and what touches them is decided too.
//
// # What remains
//
// Weights that nothing forces are options. Those of one pair are coupled
// from frame to frame, those of one target or track in a frame exclude each other.
// Where a pair is far apart, between frames in which it is near, its weight is an option
// only if nothing decided stands between; next to something decided it may as
// well be 0. Where such an option excludes no other it is passed over. Options fall into
// parts; file pairparts.go solves these.

// An option is an undecided weight of one pair in one frame.
type option struct {
	frame, row, col int32 // row: target; col: track
	entry           int32 // of the pairs of the frames; none where both are apart
	prev, next      int32 // options of the same pair on both sides, or one of the below
}

// maxOptions is how many options there may be: they take about half a gigabyte.
const maxOptions = 5_000_000

// What may stand beside an option instead of another option.
const (
	free  = -1 - iota // no frame: any weight, at no cost
	apart             // weight 0
	joint             // weight 1
)

// A pairing is the state of the search.
type pairing struct {
	s     *scene
	near  *pairs
	over  *overlaps
	cut   float64 // c^p
	order float64
	cost  float64 // h

	taken  [2][]bool    // of truth, tracks: of each slot, whether a pair is forced upon it
	forced [2][][]int32 // likewise: of each trajectory, the frames in which one is
	rowOf  []int32      // entry of the frames' pairs → slot of the truth
	chosen []bool       // of these entries: its weight is 1

	options []option
	spots   []spot // of each option: where its weight is in the part built last that has it
	sum     energies
}

// trajectoryGOSPA computes E of both forms.
func trajectoryGOSPA(ctx context.Context, s *scene, near *pairs, over *overlaps, o *Options) (energies, error) {
	if t, n := s.densest(near, o.Cutoff); n > maxOptions {
		return energies{}, &crowdedError{fmt.Sprintf("%d pairs of a true and a track hit of frame %d are nearer than the Cutoff %v, more than %d: "+
			"a smaller one leaves fewer", n, s.frames[t], o.Cutoff, maxOptions)}
	}
	p := newPairing(s, near, over, o)
	if err := p.decide(ctx); err != nil {
		return energies{}, err
	}
	p.collect()
	if err := ctx.Err(); err != nil {
		return energies{}, err
	}
	if len(p.options) > maxOptions {
		return energies{}, &crowdedError{fmt.Sprintf("more than %d weights are open with Cutoff %v and Switch %v: "+
			"a smaller Switch, or Cutoff, decides more of them at once", maxOptions, o.Cutoff, o.Switch)}
	}
	p.prune()
	if err := ctx.Err(); err != nil {
		return energies{}, err
	}
	less, err := p.solve(ctx) // of the options alone
	if err != nil {
		return energies{}, err
	}
	e := &p.sum
	found := 0
	for k, c := range p.chosen {
		if c {
			e.localisation += power(near.d[k], o.Order)
			found++
		}
	}
	e.missed = p.cut / 2 * float64(s.truth.hits()-found)
	e.extra = p.cut / 2 * float64(s.tracks.hits()-found)
	e.sw = 2 * p.cost * e.switches
	e.exact = e.localisation + e.missed + e.extra + e.sw
	e.relaxed, e.below, e.exactBelow = e.exact-less.more, e.exact-less.most, e.exact-less.exact
	return *e, nil
}

// A crowdedError says why a scene has too many neighbours for trajectory GOSPA.
type crowdedError struct{ why string }

func (e *crowdedError) Error() string { return e.why }

// densest is the frame with most pairs nearer than the cut-off, and their number.
func (s *scene) densest(near *pairs, cutoff float64) (frame, n int) {
	for t := range s.frames {
		k := 0
		for _, d := range near.d[near.ptr[s.truth.ptr[t]]:near.ptr[s.truth.ptr[t+1]]] {
			if d < cutoff {
				k++
			}
		}
		if k > n {
			frame, n = t, k
		}
	}
	return frame, n
}

func newPairing(s *scene, near *pairs, over *overlaps, o *Options) *pairing {
	p := &pairing{
		s: s, near: near, over: over, order: o.Order,
		cut: power(o.Cutoff, o.Order), cost: power(o.Switch, o.Order) / 2, chosen: make([]bool, len(near.col)),
	}
	p.rowOf = make([]int32, len(near.col))
	for r := range len(near.ptr) - 1 {
		for e := near.ptr[r]; e < near.ptr[r+1]; e++ {
			p.rowOf[e] = int32(r)
		}
	}
	return p
}

// gain is what an entry of the frames' pairs gains.
func (p *pairing) gain(e int) float64 { return p.cut - power(p.near.d[e], p.order) }

// worth is what an option gains.
func (p *pairing) worth(x *option) float64 {
	if x.entry == none {
		return 0
	}
	return p.gain(int(x.entry))
}

// decide finds the pairs that are forced.
func (p *pairing) decide(ctx context.Context) error {
	s := p.s
	for k, of := range [2]*side{&s.truth, &s.tracks} {
		p.taken[k] = make([]bool, of.hits())
		p.forced[k] = make([][]int32, len(of.of))
	}
	const run = 16 // frames that a worker takes at once
	n := workers.Count(0)
	matchers, forced, errs := make([]frameMatcher, n), make([][]int32, len(s.frames)), make([]error, len(s.frames))
	if err := workers.Until(ctx, n, (len(s.frames)+run-1)/run, func(w, k int) {
		f := &matchers[w]
		for t := k * run; t < min((k+1)*run, len(s.frames)) && ctx.Err() == nil; t++ {
			errs[t] = f.match(ctx, p, t)
			forced[t] = f.forced()
		}
	}); err != nil {
		return err
	}
	for t := range s.frames {
		if errs[t] != nil {
			return errs[t]
		}
		for i, j := range forced[t] {
			if j == none {
				continue
			}
			r, c := s.truth.ptr[t]+i, s.tracks.ptr[t]+int(j)
			p.taken[0][r], p.taken[1][c] = true, true
			p.chosen[p.near.entry(r, j)] = true
			g, k := s.truth.track[s.truth.byFrame[r]], s.tracks.track[s.tracks.byFrame[c]]
			p.forced[0][g] = append(p.forced[0][g], int32(t))
			p.forced[1][k] = append(p.forced[1][k], int32(t))
		}
	}
	return nil
}

// A frameMatcher matches one frame and says which pairs can be forced.
type frameMatcher struct {
	solver  ssp.Solver
	problem mapsolver.Problem
	answer  mapsolver.Solution
	best    []int32 // slot of the truth in the frame → of the tracks
	keep    []bool  // the pair is forced
	held    []bool  // slot of the tracks: its pair is kept
}

// forced are the columns of the pairs that can be forced, by rows; none where there is none.
func (f *frameMatcher) forced() []int32 {
	list := slices.Clone(f.best)
	for i, keep := range f.keep {
		if !keep {
			list[i] = none
		}
	}
	return list
}

// match fills best and keep for frame t.
func (f *frameMatcher) match(ctx context.Context, p *pairing, t int) error {
	first := p.s.truth.ptr[t]
	rows, cols := p.s.truth.ptr[t+1]-first, p.s.tracks.ptr[t+1]-p.s.tracks.ptr[t]
	f.best, f.keep = slices.Repeat([]int32{none}, rows), make([]bool, rows)
	f.held = make([]bool, cols)
	if rows == 0 || cols == 0 {
		return nil
	}
	for i := range f.keep {
		f.keep[i] = true
	}
	for c := range f.held {
		f.held[c] = true
	}
	if err := f.solve(ctx, p, first, 0); err != nil {
		return err
	}
	copy(f.best, f.answer.ColOf)
	clear(f.held)
	for i, j := range f.best {
		f.keep[i] = j != none && p.gain(p.near.entry(first+i, j)) > 6*p.cost
		if f.keep[i] {
			f.held[j] = true
		}
	}
	for { // each time with fewer
		if err := f.solve(ctx, p, first, 6*p.cost); err != nil {
			return err
		}
		same := true
		for i, j := range f.best {
			if f.keep[i] && f.answer.ColOf[i] != j {
				f.keep[i], f.held[j], same = false, false, false
			}
		}
		if same {
			return nil
		}
	}
}

// solve matches the rows and columns that are kept; what is not may serve many. Pairs of
// best gain less by the penalty.
func (f *frameMatcher) solve(ctx context.Context, p *pairing, first int, penalty float64) error {
	q := &f.problem
	q.Rows, q.Cols = len(f.keep), len(f.held)
	q.Ptr, q.Col, q.Cost = append(q.Ptr[:0], 0), q.Col[:0], q.Cost[:0]
	q.RowMiss, q.ColMiss = append(q.RowMiss[:0], make([]float64, q.Rows)...), append(q.ColMiss[:0], make([]float64, q.Cols)...)
	for i := range q.Rows {
		for e := p.near.ptr[first+i]; e < p.near.ptr[first+i+1]; e++ {
			gain := p.gain(e)
			if gain <= 0 {
				continue
			}
			switch j := p.near.col[e]; {
			case f.keep[i] && f.held[j]:
				if f.best[i] == j {
					gain -= penalty
				}
				q.Col, q.Cost = append(q.Col, j), append(q.Cost, -gain)
			case f.keep[i]:
				q.RowMiss[i] = min(q.RowMiss[i], -gain)
			case f.held[j]:
				q.ColMiss[j] = min(q.ColMiss[j], -gain)
			}
		}
		q.Ptr = append(q.Ptr, len(q.Col))
	}
	return f.solver.Solve(ctx, &f.answer, q, nil)
}

// collect lists the options, pair by pair, and adds up the switches that are decided.
func (p *pairing) collect() {
	entries, ptr := p.byPair()
	n := p.open()
	p.options = make([]option, 0, min(n+n/4, maxOptions+1)) // those that are not near come on top: some percent in crowds
	for g := range p.s.truth.of {
		for v := p.over.ptr[g]; v < p.over.ptr[g+1] && len(p.options) <= maxOptions; v++ {
			p.collectPair(int32(g), p.over.track[v], entries[ptr[v]:ptr[v+1]])
		}
	}
}

// open is how many entries of the frames' pairs are options: nothing is forced on either side.
func (p *pairing) open() (n int) {
	s := p.s
	for t := range s.frames {
		taken := p.taken[1][s.tracks.ptr[t]:]
		for r := s.truth.ptr[t]; r < s.truth.ptr[t+1]; r++ {
			if p.taken[0][r] {
				continue
			}
			for _, c := range p.near.col[p.near.ptr[r]:p.near.ptr[r+1]] {
				if !taken[c] {
					n++
				}
			}
		}
	}
	return n
}

// byPair lists the entries of the frames' pairs by overlap; within one the frames ascend.
func (p *pairing) byPair() (entries []int32, ptr []int) {
	ptr = make([]int, len(p.over.track)+1)
	for _, v := range p.over.of {
		ptr[v+1]++
	}
	for v := range p.over.track {
		ptr[v+1] += ptr[v]
	}
	next := slices.Clone(ptr)
	entries = make([]int32, len(p.over.of))
	for e, v := range p.over.of {
		entries[next[v]] = int32(e)
		next[v]++
	}
	return entries, ptr
}

// stands says whether frame t says anything decided of target g or track k: they are
// forced upon someone there. It looks at frames from < t < to.
func (p *pairing) stands(g, k int32, from, to int) bool {
	for side, of := range [2]int32{g, k} {
		list := p.forced[side][of]
		i, _ := slices.BinarySearch(list, int32(from+1))
		if i < len(list) && int(list[i]) < to {
			return true
		}
	}
	return false
}

// collectPair lists the options of target g and track k, whose entries are given.
func (p *pairing) collectPair(g, k int32, entries []int32) {
	s := p.s
	last := -1                  // frame of the last item, an option or a forced pair
	beside := free              // what is before the next item
	begun := false              // there was an item
	far := func(from, to int) { // options of frames from ≤ t < to, in which the pair is not near
		for t := from; t < to; t++ {
			p.options = append(p.options, option{frame: int32(t), row: g, col: k, entry: none})
			beside = p.chain(beside)
		}
	}
	approach := func(t int) {
		switch {
		case p.stands(g, k, last, t):
			p.close(beside, begun)
			beside = apart
		default:
			far(last+1, t)
		}
		begun, last = true, t
	}
	t := 0
	for _, e := range entries {
		if p.gain(int(e)) <= 0 {
			continue
		}
		r := int(p.rowOf[e])
		for s.truth.ptr[t+1] <= r {
			t++
		}
		c := s.tracks.ptr[t] + int(p.near.col[e])
		switch {
		case p.chosen[e]:
			approach(t)
			p.join(beside)
			beside = joint
		case p.taken[0][r] || p.taken[1][c]:
		default:
			approach(t)
			p.options = append(p.options, option{frame: int32(t), row: g, col: k, entry: e})
			beside = p.chain(beside)
		}
	}
	if !begun {
		return
	}
	if p.stands(g, k, last, len(s.frames)) {
		p.close(beside, true)
		return
	}
	far(last+1, len(s.frames))
	if beside >= 0 {
		p.options[beside].next = free
	}
}

// chain ties the option that was listed last to what is before it, and returns it.
func (p *pairing) chain(beside int) int {
	n := len(p.options) - 1
	p.options[n].prev = int32(beside)
	if beside >= 0 {
		p.options[beside].next = int32(n)
	}
	return n
}

// close notes that the weight is 0 after what stands before.
func (p *pairing) close(beside int, begun bool) {
	switch {
	case !begun:
	case beside >= 0:
		p.options[beside].next = apart
	case beside == joint:
		p.sum.switches += 0.5
	}
}

// join notes that the weight is 1 after what stands before.
func (p *pairing) join(beside int) {
	switch {
	case beside >= 0:
		p.options[beside].next = joint
	case beside == apart:
		p.sum.switches += 0.5
	}
}

// byFrame sorts the numbers of the options by frame; those of one frame keep their
// order.
func (p *pairing) byFrame() []int32 {
	next := make([]int, len(p.s.frames)+1) // of each frame: where its next option goes
	for k := range p.options {
		next[p.options[k].frame+1]++
	}
	for t := range p.s.frames {
		next[t+1] += next[t]
	}
	list := make([]int32, len(p.options))
	for k := range p.options {
		at := &next[p.options[k].frame]
		list[*at] = int32(k)
		*at++
	}
	return list
}

// prune drops options without a gain that exclude no other: the weights on both sides
// of one may as well meet.
func (p *pairing) prune() {
	list := p.byFrame()
	rows, cols := make([]int32, len(p.s.truth.of)), make([]int32, len(p.s.tracks.of))
	dropped := make([]bool, len(p.options))
	for from := 0; from < len(list); {
		to := from
		for to < len(list) && p.options[list[to]].frame == p.options[list[from]].frame {
			rows[p.options[list[to]].row]++
			cols[p.options[list[to]].col]++
			to++
		}
		for _, k := range list[from:to] {
			x := &p.options[k]
			dropped[k] = x.entry == none && rows[x.row] == 1 && cols[x.col] == 1
		}
		for _, k := range list[from:to] {
			rows[p.options[k].row], cols[p.options[k].col] = 0, 0
		}
		from = to
	}
	for k := range p.options {
		if !dropped[k] {
			continue
		}
		x := p.options[k]
		switch {
		case x.prev >= 0:
			p.options[x.prev].next = x.next
		case x.next < 0 && (x.prev == apart && x.next == joint || x.prev == joint && x.next == apart):
			p.sum.switches += 0.5
		}
		if x.next >= 0 {
			p.options[x.next].prev = x.prev
		}
	}
	// Close the ranks.
	number := make([]int32, len(p.options))
	n := int32(0)
	for k := range p.options {
		number[k] = n
		if !dropped[k] {
			n++
		}
	}
	kept := p.options[:0]
	for k, x := range p.options {
		if dropped[k] {
			continue
		}
		if x.prev >= 0 {
			x.prev = number[x.prev]
		}
		if x.next >= 0 {
			x.next = number[x.next]
		}
		kept = append(kept, x)
	}
	p.options = kept
}
