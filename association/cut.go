package association

import (
	"context"
	"math"

	"mtt"
	"mtt/gating"
)

// This file holds the first move of the refinement: cut.

// cuts is the workspace of cut.
type cuts struct {
	rows, cols []hit
	row, col   [][]int32 // of detection i of the k-th scan from the first that takes part: its row and column; -1
	now        []int32   // of a row: its column now; -1
	maybe      [][]int32 // of a row: other columns that it may be joined to
	sought     []bool    // of a column: some row may be joined to it
	number     []int32   // of a column: what becomes of it, see keep
	ends       []int     // of the rows of each scan before the cut, after them
	to         []int32   // workspace of joins
	scan       mtt.Scan
}

// cut re-matches the prefixes that end by scan t with the suffixes that begin
// after it, as far as there is news, and reports whether that made things cheaper.
// Prefixes that ended up to reach scans ago and suffixes that begin up to reach
// scans later take part, which closes gaps of reach−1 missed detections.
func (r *mover) cut(ctx context.Context, t int32) (better bool, err error) {
	now := &r.looks[t]
	better, err = r.weighCut(ctx, t, now.cut)
	now.cut = r.clock
	if !better || err != nil {
		return false, err
	}
	c := &r.cuts
	for i, col := range r.sol.ColOf {
		if col != c.now[i] {
			r.unlink(c.rows[i])
		}
	}
	for i, col := range r.sol.ColOf {
		if col != c.now[i] && col >= 0 {
			r.link(c.rows[i], c.cols[col])
		}
	}
	return true, nil
}

// cutChanged appends the detections at which the matching that was found differs
// from what is there now.
func (r *mover) cutChanged(list []hit) []hit {
	c := &r.cuts
	for i, col := range r.sol.ColOf {
		if now := c.now[i]; col != now {
			list = append(list, c.rows[i])
			for _, k := range [2]int32{now, col} {
				if k >= 0 {
					list = append(list, c.cols[k])
				}
			}
		}
	}
	return list
}

// weighCut finds the best matching of the cut after scan t, of what has news since
// then, and reports whether it is cheaper.
func (r *mover) weighCut(ctx context.Context, t int32, since int64) (better bool, err error) {
	c, p := &r.cuts, &r.problem
	r.listCut(t)
	r.keepCut(since)
	p.Rows, p.Cols = len(c.rows), len(c.cols)
	p.Ptr = append(p.Ptr[:0], 0)
	p.Col, p.Cost = p.Col[:0], p.Cost[:0]
	p.RowMiss, p.ColMiss = p.RowMiss[:0], p.ColMiss[:0]
	var old float64 // price of what is there now
	for _, b := range c.cols {
		miss := r.begun(b)
		p.ColMiss = append(p.ColMiss, miss)
		if r.prev[b.t][b.det] == none {
			old += miss
		}
	}
	for i, a := range c.rows {
		now := c.now[i]
		r.entries = r.entries[:0]
		miss := r.ended(a)
		p.RowMiss = append(p.RowMiss, miss)
		if now < 0 {
			old += miss
		} else {
			cost := r.join(a, c.cols[now])
			old += cost
			r.entries = append(r.entries, entry{now, cost})
		}
		for _, col := range c.maybe[i] {
			if cost := r.join(a, c.cols[col]); cost < miss+p.ColMiss[col] {
				r.entries = append(r.entries, entry{col, cost})
			}
		}
		r.addRow()
	}
	if len(p.Col) == 0 {
		return false, nil
	}
	err = r.solver.Solve(ctx, &r.sol, p, nil)
	return err == nil && r.cheaper(old), err
}

// addRow ends a row of the problem with the entries collected for it.
func (r *mover) addRow() {
	p := &r.problem
	list := r.entries
	for k := 1; k < len(list); k++ { // few, and nearly in order
		for n := k; n > 0 && list[n].col < list[n-1].col; n-- {
			list[n], list[n-1] = list[n-1], list[n]
		}
	}
	for k, e := range list {
		if k == 0 || e.col != list[k-1].col {
			p.Col, p.Cost = append(p.Col, e.col), append(p.Cost, e.cost)
		}
	}
	p.Ptr = append(p.Ptr, len(p.Col))
}

// listCut collects the prefixes (rows) and suffixes (cols) of the cut after scan
// t, and the joins over gaps that are worth a look: those from a prefix that
// ends in scan t, and those to a suffix that begins in scan t+1.
func (r *mover) listCut(t int32) {
	c := &r.cuts
	c.rows, c.cols = c.rows[:0], c.cols[:0]
	// Links longer than reach, should there be any, take no part.
	first, last := max(0, t+1-r.reach), min(t+r.reach, int32(len(r.scans)-1))
	c.row, c.col = r.numbers(c.row, first, t+1), r.numbers(c.col, t+1, last+1)
	addRow := func(a hit) {
		c.row[a.t-first][a.det] = int32(len(c.rows))
		c.rows = append(c.rows, a)
	}
	addCol := func(b hit) {
		c.col[b.t-t-1][b.det] = int32(len(c.cols))
		c.cols = append(c.cols, b)
	}
	for i, n := range r.next[t] {
		if n == none || n.t <= last {
			addRow(hit{t, int32(i)})
		}
	}
	for j, p := range r.prev[t+1] {
		if p == none || p.t >= first {
			addCol(hit{t + 1, int32(j)})
		}
	}
	here, near := len(c.rows), len(c.cols)
	c.ends = c.ends[:0]
	for u := first; u < t; u++ {
		for i, n := range r.next[u] {
			if n == none || n.t > t && n.t <= last {
				addRow(hit{u, int32(i)})
			}
		}
		c.ends = append(c.ends, len(c.rows))
	}
	for u := t + 2; u <= last; u++ {
		for j, p := range r.prev[u] {
			if p == none || p.t <= t && p.t >= first {
				addCol(hit{u, int32(j)})
			}
		}
	}
	for len(c.maybe) < len(c.rows) {
		c.maybe = append(c.maybe, nil)
	}
	c.now = c.now[:0]
	for i, a := range c.rows {
		c.maybe[i] = c.maybe[i][:0]
		now := int32(-1)
		if n := r.next[a.t][a.det]; n != none {
			now = c.col[n.t-t-1][n.det]
		}
		c.now = append(c.now, now)
		if a.t == t {
			for _, j := range r.gates[t].Row(int(a.det)) {
				if col := c.col[0][j]; col >= 0 && col != now {
					c.maybe[i] = append(c.maybe[i], col)
				}
			}
		}
	}
	end := here
	for u := first; u <= t; u++ {
		from := c.rows[:here]
		if u < t {
			from = c.rows[end:c.ends[u-first]]
			end += len(from)
		}
		// Loose ends in the next scan may have been kept apart by the gate.
		wide := likely
		if u == t {
			wide = 4 * likely
		}
		r.joins(from, c.row[u-first], t+1, c.cols[:near], c.col[0], wide, r.loose && u < t)
		far := c.cols[near:]
		for v := t + 2; v <= min(last, u+r.reach); v++ {
			n := 0
			for n < len(far) && far[n].t == v {
				n++
			}
			r.joins(from, c.row[u-first], v, far[:n], c.col[v-t-1], likely, r.loose)
			far = far[n:]
		}
	}
}

// numbers returns a list for each scan from ≤ t < to, of −1 for each of its
// detections, in the memory of lists.
func (r *mover) numbers(lists [][]int32, from, to int32) [][]int32 {
	lists = grow(lists, int(to-from))
	for k := range lists {
		lists[k] = grow(lists[k], r.scans[int(from)+k].Len())
		for i := range lists[k] {
			lists[k][i] = -1
		}
	}
	return lists
}

// keepCut leaves out the groups without news since then, and when quick says so the
// links to which there is no alternative but to break them.
func (r *mover) keepCut(since int64) {
	c, g, n := &r.cuts, &r.groups, int32(len(r.cuts.rows))
	switch {
	case since >= 0:
		g.reset(len(c.rows) + len(c.cols))
		for i, a := range c.rows {
			if c.now[i] >= 0 {
				g.join(int32(i), n+c.now[i])
			}
			for _, col := range c.maybe[i] {
				g.join(int32(i), n+col)
			}
			g.mark(int32(i), r.stamp[a.t][a.det] > since)
		}
		for k, b := range c.cols {
			g.mark(n+int32(k), r.stamp[b.t][b.det] > since)
		}
	case r.quick:
		g.reset(len(c.rows) + len(c.cols))
		for i := range g.hot {
			g.hot[i] = true
		}
	default:
		return
	}
	if r.quick {
		c.sought = grow(c.sought, len(c.cols))
		clear(c.sought)
		for i := range c.rows {
			for _, col := range c.maybe[i] {
				c.sought[col] = true
			}
		}
		for i, now := range c.now {
			if now >= 0 && len(c.maybe[i]) == 0 && !c.sought[now] {
				g.drop(int32(i))
				g.drop(n + now)
			}
		}
	}
	c.number = grow(c.number, len(c.cols))
	cols := c.cols[:0]
	for k, b := range c.cols {
		if g.marked(n + int32(k)) {
			c.number[k] = int32(len(cols))
			cols = append(cols, b)
		}
	}
	kept := 0
	for i, a := range c.rows {
		if !g.marked(int32(i)) {
			continue
		}
		now := c.now[i]
		if now >= 0 {
			now = c.number[now]
		}
		c.rows[kept], c.now[kept] = a, now
		c.maybe[kept], c.maybe[i] = c.maybe[i], c.maybe[kept]
		for k, col := range c.maybe[kept] {
			c.maybe[kept][k] = c.number[col]
		}
		kept++
	}
	c.rows, c.now, c.cols = c.rows[:kept], c.now[:kept], cols
}

// joins notes the joins beyond the gate from those prefixes, which end in one
// scan, to those suffixes, which begin in scan u, as far as they lie within
// the squared Mahalanobis distance g. Unless any will do, both must be loose ends.
func (r *mover) joins(from []hit, row []int32, u int32, cols []hit, col []int32, g float64, any bool) {
	c := &r.cuts
	free := func(link hit) bool { return any || link == none }
	src := &r.scans[u]
	c.scan = mtt.Scan{Frame: src.Frame, Time: src.Time, Dim: src.Dim, Pos: c.scan.Pos[:0]}
	c.to = c.to[:0]
	if len(from) > 0 {
		for _, b := range cols {
			if free(r.prev[b.t][b.det]) {
				c.scan.Pos = append(c.scan.Pos, src.At(int(b.det))...)
				c.to = append(c.to, col[b.det])
			}
		}
	}
	if len(c.to) == 0 {
		return
	}
	r.rows = r.rows[:0]
	for _, a := range from {
		if free(r.next[a.t][a.det]) && (a.t+1 == u || r.hopeful(a, u)) {
			r.rows = append(r.rows, a)
		}
	}
	if len(r.rows) == 0 {
		return
	}
	found := r.reachable(r.rows, &c.scan, g)
	for i, a := range r.rows {
		k := row[a.det]
		for _, j := range found.Row(i) {
			if col := c.to[j]; col != c.now[k] {
				c.maybe[k] = append(c.maybe[k], col)
			}
		}
	}
}

// hopeful says whether the best of all suffixes that could begin in scan u would
// be cheaper as the continuation of prefix a than on its own. A suffix that
// tells its position x and velocity v exactly is the best on each axis where it
// maximises N(x, v; state)/N(v; 0, prior), which is
//
//	√(prior/(2π·det P)) exp(½ m²/(prior−P₁₁))
//
// for a state with mean velocity m and covariance P at the time of u. Where the
// prior tells as much about the velocity as the state does, the position is what
// counts.
func (r *mover) hopeful(a hit, u int32) bool {
	m := &r.motion
	most := r.ended(a) + r.birth(u) - r.gap(a.t, u)
	s := r.states[a.t][a.det]
	m.predict(&s, r.scans[u].Time-r.scans[a.t].Time, smooth) // no manoeuvre has a higher peak
	det, prior := s.p[0]*s.p[2]-s.p[1]*s.p[1], m.pv
	if s.p[2] > 0.9*prior {
		return float64(m.dim)/2*m.logs.of(2*math.Pi*det/s.p[2]) < most
	}
	bound := float64(m.dim) / 2 * m.logs.of(2*math.Pi*det/prior)
	for n := range m.dim {
		bound -= s.v[n] * s.v[n] / (2 * (prior - s.p[2]))
	}
	return bound < most
}

// likely is the squared Mahalanobis distance within which successors are sought.
const likely = 25.0

// reachable lists, for each prefix, the detections of a later scan that lie
// near enough to where it is expected by then: within the squared Mahalanobis
// distance g, and the greatest speed.
func (r *mover) reachable(prefixes []hit, to *mtt.Scan, g float64) *gating.CSR {
	if len(prefixes) == 0 || to.Len() == 0 {
		r.found = gating.CSR{Rows: len(prefixes), Cols: to.Len(), Ptr: make([]int, len(prefixes)+1)}
		return &r.found
	}
	m := &r.motion
	dim := m.dim
	// The radius of each prefix's gate goes where a Disc looks for a speed.
	r.from = mtt.Scan{Dim: dim, Pos: r.from.Pos[:0], Vel: r.from.Vel[:0]}
	for _, a := range prefixes {
		s := r.states[a.t][a.det]
		dt := to.Time - r.scans[a.t].Time
		for n := range dim {
			r.from.Pos = append(r.from.Pos, s.x[n]+dt*s.v[n])
			r.from.Vel = append(r.from.Vel, 0)
		}
		m.predict(&s, dt, smooth)
		if m.odds > math.Inf(-1) {
			s.p[0] += (9*m.q[turn] - m.q[smooth]) * dt * dt * dt / 3
		}
		radius := min(math.Sqrt(g*(s.p[0]+m.r)), r.speed*dt+4*math.Sqrt(2*m.r))
		r.from.Vel[len(r.from.Vel)-dim] = radius
	}
	target := mtt.Scan{Time: 1, Dim: dim, Pos: to.Pos}
	if _, err := r.finder.Neighbors(&r.found, &r.from, &target, gating.Disc{Epsilon: 1}); err != nil {
		r.found = gating.CSR{Rows: len(prefixes), Cols: to.Len(), Ptr: make([]int, len(prefixes)+1)}
	}
	return &r.found
}
