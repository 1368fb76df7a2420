package association

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mtt"
	"mtt/costgen"
	"mtt/gating"
	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
)

// This file refines tracks by their whole-track likelihood.

// A refiner re-matches, cut by cut, what lies before a cut with what lies after
// it. A prefix is known by its filtered state, a suffix by its evidence (a
// backward information filter), so the price of joining them is the exact
// likelihood of all detections of both under the motion model, not of the two
// or three next to the cut only. Prefixes that ended up to reach scans ago and
// suffixes that begin up to reach scans later take part, which closes gaps of
// reach−1 missed detections.
type refiner struct {
	*chains
	scans  []mtt.Scan
	gates  []gating.CSR
	model  *costgen.Gaussian
	motion motion
	reach  int32
	speed  float64 // m/s: fastest jump over a gap
	loose  bool    // joins over gaps may take linked detections, not loose ends only

	states [][]state    // of detection i of scan t, with all before it in its track
	turned [][]uint8    // whether the step to detection i of scan t was a manoeuvre
	proofs [][]evidence // of detection i of scan t, with all after it

	// Prices: negative logarithms of probabilities and densities.
	linked, missed, dies, born, first, alarm float64

	solver     ssp.Solver
	problem    mapsolver.Problem
	sol        mapsolver.Solution
	rows, cols []hit
	row, col   [][]int32 // of detection i of scan t: its row and column in problem; -1
	gaps       [][]int32 // further columns of a row
	finder     gating.Finder
	found      gating.CSR
	from, to   mtt.Scan
	entries    []entry
}

// An entry is a candidate join.
type entry struct {
	col  int32
	cost float64
}

// refine improves the links by the likelihood of whole tracks, sweep by sweep
// until nothing changes. gates[t] holds the pairs of scans t and t+1 that may be linked;
// gaps of up to misses missed detections may be closed at up to speed. It
// reports how many cuts changed.
func (c *chains) refine(ctx context.Context, scans []mtt.Scan, gates []gating.CSR, model *costgen.Gaussian, misses int, speed float64, sweeps int) (changed int, err error) {
	if len(scans) < 2 {
		return 0, nil
	}
	rates := model.Rates
	r := &refiner{
		chains: c, scans: scans, gates: gates, model: model,
		motion: newMotion(&model.Levels, scans[0].Dim), reach: int32(misses + 1), speed: speed,
		linked: -math.Log(rates.Survive * rates.Detect),
		missed: -math.Log(rates.Survive) - math.Log1p(-rates.Detect),
		dies:   -math.Log1p(-rates.Survive),
		born:   math.Log(rates.Volume) - math.Log(rates.Births*rates.Detect),
		first:  math.Log(rates.Volume) - math.Log(rates.Targets*rates.Detect),
		alarm:  math.Log(rates.Volume) - math.Log(rates.Alarms),
	}
	for _, s := range scans {
		r.states = append(r.states, make([]state, s.Len()))
		r.turned = append(r.turned, make([]uint8, s.Len()))
		r.proofs = append(r.proofs, make([]evidence, s.Len()))
		r.row = append(r.row, filled(s.Len()))
		r.col = append(r.col, filled(s.Len()))
	}
	for t := range scans {
		r.forward(t)
	}
	for range sweeps {
		r.backward()
		n := 0
		for t := range scans {
			r.forward(t)
			if t+1 == len(scans) {
				break
			}
			better, err := r.cut(ctx, int32(t))
			if err != nil {
				return changed, err
			}
			if better {
				n++
			}
		}
		changed += n
		if n == 0 && r.loose {
			break
		}
		// Loose ends are joined first: taking a linked detection over a gap
		// can leave behind, alone, one that the next cut would have joined.
		r.loose = true
	}
	return changed, nil
}

func filled(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = -1
	}
	return s
}

// backward computes the evidence of every suffix.
func (r *refiner) backward() {
	for t := len(r.scans) - 1; t >= 0; t-- {
		for i := range r.proofs[t] {
			var e evidence
			if n := r.next[t][i]; n != none {
				e = r.proofs[n.t][n.det]
				r.motion.retreat(&e, r.scans[n.t].Time-r.scans[t].Time, int(r.turned[n.t][n.det]))
			}
			r.motion.observe(&e, &r.scans[t], i)
			r.proofs[t][i] = e
		}
	}
}

// forward computes the states of the prefixes that end in scan t.
func (r *refiner) forward(t int) {
	for i := range r.states[t] {
		p := r.prev[t][i]
		if p == none {
			r.states[t][i] = r.motion.start(&r.scans[t], i)
			continue
		}
		s := r.states[p.t][p.det]
		kind := r.motion.advance(&s, r.scans[t].Time-r.scans[p.t].Time, &r.scans[t], i)
		r.turned[t][i] = uint8(kind)
		r.motion.update(&s, &r.scans[t], i)
		r.states[t][i] = s
	}
}

// join is the price of joining the prefix that ends at a with the suffix that
// begins at b.
func (r *refiner) join(a, b hit) float64 {
	calm := r.states[a.t][a.det]
	wild := calm
	from, to := &r.scans[a.t], &r.scans[b.t]
	dt, proof := to.Time-from.Time, &r.proofs[b.t][b.det]
	r.motion.predict(&calm, dt, smooth)
	f := r.motion.join(&calm, proof)
	c := (f.d2 + f.base) / 2
	if f.d2/2+r.motion.odds > -10 { // otherwise a manoeuvre cannot matter
		r.motion.predict(&wild, dt, turn)
		c = r.motion.price(f, r.motion.join(&wild, proof))
	}
	c += r.linked + float64(b.t-a.t-1)*r.missed
	if r.model.SizeStd > 0 && from.Size != nil && to.Size != nil {
		var size [1]float64
		r.model.Pairs(size[:], from, int(a.det), to, []int32{b.det})
		c += size[0]
	}
	return c
}

// birth is the price of the suffix at b beginning a track.
func (r *refiner) birth(b hit) float64 {
	c := r.motion.open(&r.proofs[b.t][b.det]) / 2
	if b.t == 0 {
		return c + r.first
	}
	return c + r.born
}

// death is the price of a track ending at a.
func (r *refiner) death(a hit) float64 {
	if int(a.t) == len(r.scans)-1 {
		return 0
	}
	return r.dies
}

// single is the price of b being a false alarm, in the measure of the
// evidence, which leaves out the constants of its detections' densities.
func (r *refiner) single(b hit) float64 {
	m := &r.motion
	c := r.alarm - float64(m.dim)/2*math.Log(2*math.Pi*m.r)
	if m.vel {
		for _, w := range r.scans[b.t].VelAt(int(b.det)) {
			s := m.pv + m.rv
			c += (w*w/s+math.Log(2*math.Pi*s))/2 - (w*w/m.rv+math.Log(2*math.Pi*m.rv))/2
		}
	}
	return c
}

// ended is the price of prefix a having no successor.
func (r *refiner) ended(a hit) float64 {
	c := r.death(a)
	if r.prev[a.t][a.det] != none {
		return c
	}
	// Alone it may be a false alarm, which saves its birth.
	var e evidence
	r.motion.observe(&e, &r.scans[a.t], int(a.det))
	begin := r.motion.open(&e)/2 + r.born
	if a.t == 0 {
		begin += r.first - r.born
	}
	return min(c, r.single(a)-begin)
}

// begun is the price of suffix b having no predecessor.
func (r *refiner) begun(b hit) float64 {
	c := r.birth(b)
	if r.next[b.t][b.det] != none {
		return c
	}
	return min(c, r.single(b)-r.death(b))
}

// cut re-matches the prefixes that end by scan t with the suffixes that begin
// after it, and reports whether that made things cheaper.
func (r *refiner) cut(ctx context.Context, t int32) (better bool, err error) {
	r.list(t)
	p := &r.problem
	p.Rows, p.Cols = len(r.rows), len(r.cols)
	p.Ptr = append(p.Ptr[:0], 0)
	p.Col, p.Cost = p.Col[:0], p.Cost[:0]
	p.RowMiss, p.ColMiss = p.RowMiss[:0], p.ColMiss[:0]
	for _, b := range r.cols {
		p.ColMiss = append(p.ColMiss, r.begun(b))
	}
	for i, a := range r.rows {
		miss := r.ended(a)
		p.RowMiss = append(p.RowMiss, miss)
		r.entries = r.entries[:0]
		add := func(c int32, must bool) {
			if cost := r.join(a, r.cols[c]); must || cost < miss+p.ColMiss[c] {
				r.entries = append(r.entries, entry{c, cost})
			}
		}
		now := int32(-1)
		if n := r.next[a.t][a.det]; n != none {
			now = r.col[n.t][n.det]
			add(now, true)
		}
		if a.t == t {
			for _, j := range r.gates[t].Row(int(a.det)) {
				if c := r.col[t+1][j]; c != now {
					add(c, false)
				}
			}
		}
		for _, c := range r.gaps[i] {
			if c != now {
				add(c, false)
			}
		}
		slices.SortFunc(r.entries, func(x, y entry) int { return cmp.Compare(x.col, y.col) })
		r.entries = slices.CompactFunc(r.entries, func(x, y entry) bool { return x.col == y.col })
		for _, e := range r.entries {
			p.Col, p.Cost = append(p.Col, e.col), append(p.Cost, e.cost)
		}
		p.Ptr = append(p.Ptr, len(p.Col))
	}
	if err := r.solver.Solve(ctx, &r.sol, p, nil); err != nil {
		return false, err
	}
	var old float64
	for i, a := range r.rows {
		n := r.next[a.t][a.det]
		if n == none {
			old += p.RowMiss[i]
			continue
		}
		for e := p.Ptr[i]; e < p.Ptr[i+1]; e++ {
			if p.Col[e] == r.col[n.t][n.det] {
				old += p.Cost[e]
			}
		}
	}
	for c, b := range r.cols {
		if r.prev[b.t][b.det] == none {
			old += p.ColMiss[c]
		}
	}
	if better = r.sol.Cost < old-1e-9*(1+math.Abs(old)); better {
		for _, a := range r.rows {
			r.chains.cut(a)
		}
		for i, c := range r.sol.ColOf {
			if c >= 0 {
				r.link(r.rows[i], r.cols[c])
			}
		}
	}
	for _, a := range r.rows {
		r.row[a.t][a.det] = -1
	}
	for _, b := range r.cols {
		r.col[b.t][b.det] = -1
	}
	return better, nil
}

// list collects the prefixes (rows) and suffixes (cols) of the cut after scan
// t, and the joins over gaps that are worth a look: those from a prefix that
// ends in scan t, and those to a suffix that begins in scan t+1.
func (r *refiner) list(t int32) {
	r.rows, r.cols = r.rows[:0], r.cols[:0]
	addRow := func(a hit) {
		r.row[a.t][a.det] = int32(len(r.rows))
		r.rows = append(r.rows, a)
	}
	addCol := func(b hit) {
		r.col[b.t][b.det] = int32(len(r.cols))
		r.cols = append(r.cols, b)
	}
	for i := range r.next[t] {
		addRow(hit{t, int32(i)})
	}
	for j := range r.prev[t+1] {
		addCol(hit{t + 1, int32(j)})
	}
	for u := max(0, t+1-r.reach); u < t; u++ {
		for i, n := range r.next[u] {
			if n == none || n.t > t {
				addRow(hit{u, int32(i)})
			}
		}
	}
	last := min(t+r.reach, int32(len(r.scans)-1))
	for u := t + 2; u <= last; u++ {
		for j, p := range r.prev[u] {
			if p == none || p.t <= t {
				addCol(hit{u, int32(j)})
			}
		}
	}
	// A link may span more than reach: both its ends take part all the same.
	for k := 0; k < len(r.cols); k++ {
		b := r.cols[k]
		if p := r.prev[b.t][b.det]; p != none && p.t <= t && r.row[p.t][p.det] < 0 {
			addRow(p)
		}
	}
	for k := 0; k < len(r.rows); k++ {
		a := r.rows[k]
		if n := r.next[a.t][a.det]; n != none && r.col[n.t][n.det] < 0 {
			addCol(n)
		}
	}
	for len(r.gaps) < len(r.rows) {
		r.gaps = append(r.gaps, nil)
	}
	for i := range r.rows {
		r.gaps[i] = r.gaps[i][:0]
	}
	here := len(r.next[t])
	near := len(r.prev[t+1])
	// Loose ends next to each other may have been kept apart by the gate.
	loose := r.loose
	r.loose = false
	r.search(t, r.rows[:here], t+1, r.cols[:near])
	r.loose = loose
	for u := t + 2; u <= last; u++ {
		r.search(t, r.rows[:here], u, r.cols[near:])
	}
	for u := max(0, t+1-r.reach); u < t; u++ {
		r.search(u, r.rows[here:], t+1, r.cols[:near])
	}
}

// search adds the joins from those rows that are of scan t to those columns
// that are of scan u, as far as speed allows.
func (r *refiner) search(t int32, rows []hit, u int32, cols []hit) {
	collect := func(s *mtt.Scan, of []hit, t int32, links [][]hit) (which []hit) {
		src := &r.scans[t]
		*s = mtt.Scan{Frame: src.Frame, Time: src.Time, Dim: src.Dim, Pos: s.Pos[:0]}
		for _, h := range of {
			if h.t == t && (r.loose || links[h.t][h.det] == none) {
				s.Pos = append(s.Pos, src.At(int(h.det))...)
				which = append(which, h)
			}
		}
		return which
	}
	a, b := collect(&r.from, rows, t, r.next), collect(&r.to, cols, u, r.prev)
	if len(a) == 0 || len(b) == 0 {
		return
	}
	gate := gating.Disc{Epsilon: 1, MaxSpeed: r.speed, Margin: 4 * math.Sqrt(2*r.motion.r)}
	found, err := r.finder.Neighbors(&r.found, &r.from, &r.to, gate)
	if err != nil {
		return // no gap is closed here
	}
	for i, h := range a {
		k := r.row[h.t][h.det]
		for _, j := range found.Row(i) {
			r.gaps[k] = append(r.gaps[k], r.col[b[j].t][b[j].det])
		}
	}
}
