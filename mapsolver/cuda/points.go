package cuda

import (
	"context"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"mtt/internal/cuda"
	"mtt/internal/slab"
	"mtt/mapsolver"
	"mtt/mapsolver/dense"
)

// This file pairs two sets of points whose costs nobody stores: one problem, shared among cards.
//
// The method is that of Algorithm 1015 for graphics cards [1, section 4]: shortest paths from one
// row after the other, at falling ε. The columns are shared among the cards, in runs of equal length;
// each keeps distances and prices of its own. To scan a row all cards compute its costs where they
// read them and relax their columns, and each block tells the host which of its columns is nearest.
// The host takes the nearest of all, and knows from it which row comes next. It keeps the pairs,
// and a copy of the prices. The order of columns at equal distance is that of their numbers, so the
// answer does not depend on the number of cards or blocks.
//
// The first prices are those of [1, section 3.4], the second least of what each column costs above the
// least of its rows, for which cards look at all rows at once, since nothing there waits for
// anything. The gap by which the first ε is set is that of the first greedy assignment which follows there.
//
// Each scan is a launch and a wait for each card, so it pays where rows are long.
//
// [1] S. Guthe, D. Thuerck. Algorithm 1015: A fast scalable solver for the dense linear (sum)
// assignment problem. ACM TOMS 47 (2021).

// Points pairs points at the least sum of their distances, which the cards compute. Its zero value
// uses all [Cards]. It keeps its memory; [Points.Free] gives it back. It is not safe for concurrent
// use.
type Points struct {
	Cards int // how many cards share the columns, at most; 0: all
	Work  PointsWork

	parts  []*part
	list   cuda.Buffer // what settle_p64 reads
	costs  *dense.Func
	colOf  []int32
	rowOf  []int32
	place  []int32 // of columns in finals
	v      []float64
	finals []near // columns whose distance is known, in the order in which they were found
	byDist float64
	byEps  float64
}

// PointsWork counts what a solve did.
type PointsWork struct {
	Rows   int     // scanned one after the other
	Rounds int     // assignments made: 1 and one for each ε
	Gap    float64 // cost less bound, added up from what the cards say of every row
}

// A part is the columns of one card.
type part struct {
	card   *card
	stream *cuda.Stream
	memory cuda.Memory
	near   cuda.Buffer
	blocks int
	scan   scan
	survey [2]survey // of the rows, of the columns
}

const badPoints = "cuda: points need one coordinate or more, whole points, and at least as many columns as rows"

// Solve pairs each point of a with one of b, of which there are at least as many; both are
// row-major, dims finite coordinates each. dst gets the assignment and its prices: those of the
// rows are the least of cost less price over all columns, so no price exceeds a cost. Memory of a
// card is some 16·dims + 40 bytes for each point. The error wraps [ErrUnavailable] without a card,
// and ctx.Err() when ctx ends; dst then means nothing.
func (s *Points) Solve(ctx context.Context, dst *mapsolver.Solution, a, b []float64, dims int, metric dense.Metric) error {
	if dims < 1 || len(a)%dims != 0 || len(b)%dims != 0 || len(a) > len(b) {
		panic(badPoints)
	}
	n, m := len(a)/dims, len(b)/dims
	s.Work = PointsWork{}
	s.colOf, s.rowOf, s.place = slab.Grow(s.colOf, n), slab.Grow(s.rowOf, m), slab.Grow(s.place, m)
	s.v = slab.Grow(s.v, m)
	s.costs = dense.Distances(a, b, dims, metric)
	clear(s.v)
	if m == 0 {
		*dst = mapsolver.Solution{}
		return Available()
	}
	if err := s.send(a, b, dims, metric); err != nil {
		return err
	}
	var eps, end float64
	if n == m && n > 1 {
		var err error
		if eps, end, err = s.estimate(n); err != nil {
			return err
		}
	}
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	for round := 0; ; round++ {
		if round > 1 && s.byDist > s.byEps { // (18) of [1], as in package dense
			eps = 0
		} else if round > 0 {
			if eps = min(eps/4, s.byEps/(8*float64(n))); eps < end {
				eps = 0
			}
		}
		if err := s.round(ctx, order, eps); err != nil {
			return err
		}
		if eps == 0 {
			return s.answer(dst)
		}
		slices.Reverse(order)
	}
}

// Free gives the memory back that the solver keeps.
func (s *Points) Free() error {
	first := s.list.Free()
	for _, p := range s.parts {
		for _, free := range []func() error{p.near.Free, p.memory.Free, p.stream.Free} {
			if err := free(); first == nil {
				first = err
			}
		}
	}
	s.parts = nil
	return first
}

// send gives each card the points and its run of columns.
func (s *Points) send(a, b []float64, dims int, metric dense.Metric) error {
	list, err := allCards()
	if err != nil {
		return err
	}
	if s.Cards > 0 {
		list = list[:min(s.Cards, len(list))]
	}
	if len(s.parts) != len(list) {
		if err := s.Free(); err != nil {
			return err
		}
		for _, c := range list {
			stream, err := c.device.NewStream()
			if err != nil {
				return err
			}
			s.parts = append(s.parts, &part{card: c, stream: stream})
		}
	}
	m := len(b) / dims
	if err := s.list.Resize(list[0].device, m*int(unsafe.Sizeof(near{}))); err != nil {
		return err
	}
	for k, p := range s.parts {
		if err := p.send(a, b, dims, int32(metric), k*m/len(list), (k+1)*m/len(list)); err != nil {
			return err
		}
	}
	return nil
}

// send makes the card ready for the columns lo to hi−1.
func (p *part) send(a, b []float64, dims int, metric int32, lo, hi int) error {
	n, m := len(a)/dims, len(b)/dims
	if err := p.memory.Resize(p.card.device, 16*(len(a)+len(b))+8*n+24*m+16*m+8*m); err != nil {
		return err
	}
	at := 0
	take := func(bytes int) uintptr {
		address := p.memory.Address(at)
		at += bytes
		return address
	}
	p.scan = scan{
		to: take(8 * len(b)), v: take(8 * m), dist: take(8 * m), n: int32(m), dims: int32(dims), metric: metric,
		lo: int32(lo), hi: int32(hi),
	}
	rows, columns, other := take(8*len(a)), take(8*len(b)), take(8*len(a))
	u, least := take(8*n), take(16*m)
	p.scan.pred, p.scan.taken = take(4*m), take(4*m)
	p.scan.point = rows
	p.survey = [2]survey{
		{from: rows, to: p.scan.to, v: p.scan.v, n: int32(m)},
		{from: columns, to: other, v: u, n: int32(n)},
	}
	for i := range p.survey {
		x := &p.survey[i]
		x.least, x.dims, x.metric = least, int32(dims), metric
	}
	for _, x := range []struct {
		to   uintptr
		list []float64
	}{{rows, a}, {columns, b}, {p.scan.to, byCoordinate(b, dims)}, {other, byCoordinate(a, dims)}} {
		if err := cuda.Write(p.stream, x.to, x.list); err != nil {
			return err
		}
	}
	p.blocks = max(1, min((hi-lo+scanThreads-1)/scanThreads, 2*p.card.device.Multiprocessors))
	if err := p.near.Resize(p.card.device, p.blocks*int(unsafe.Sizeof(near{}))); err != nil {
		return err
	}
	p.scan.near = p.near.Image(0)
	return nil
}

// scanThreads are those of a block.
const scanThreads = 256

// byCoordinate is list with all first coordinates first.
func byCoordinate(list []float64, dims int) []float64 {
	n, out := len(list)/dims, make([]float64, len(list))
	for i, x := range list {
		out[i%dims*n+i/dims] = x
	}
	return out
}

// launchPoints runs a kernel on the card of p.
func launchPoints[Task any](p *part, name string, blocks int, task *Task) error {
	k, err := p.card.kernel(name)
	if err != nil {
		return err
	}
	const shared = 16 * scanThreads / 32 // a Pick for each warp
	return cuda.Launch(p.stream, k, cuda.Shape{Blocks: blocks, Threads: scanThreads, Shared: shared}, task)
}

// look asks all cards for the least and the second least of cost less price of all rows, side 0, or
// columns, 1; v are the prices of the others.
func (s *Points) look(side, count int, v []float64) ([]float64, error) {
	least := make([]float64, 2*count)
	for k, p := range s.parts {
		x := p.survey[side]
		x.lo, x.hi = int32(k*count/len(s.parts)), int32((k+1)*count/len(s.parts))
		if err := cuda.Write(p.stream, x.v, v); err != nil {
			return nil, err
		}
		if err := launchPoints(p, "survey_p64", max(1, min(int(x.hi-x.lo), 8*p.card.device.Multiprocessors)), &x); err != nil {
			return nil, err
		}
	}
	for k, p := range s.parts {
		x := &p.survey[side]
		lo, hi := k*count/len(s.parts), (k+1)*count/len(s.parts)
		if err := cuda.Read(p.stream, least[2*lo:2*hi], x.least+uintptr(16*lo)); err != nil {
			return nil, err
		}
	}
	return least, nil
}

// estimate makes the first prices, ε and the ε below which rounds end, (16) and (17) of [1].
func (s *Points) estimate(n int) (eps, end float64, err error) {
	least, err := s.look(0, n, s.v)
	if err != nil {
		return 0, 0, err
	}
	u := make([]float64, n)
	firstGap := 0.0
	for i := range u {
		u[i] = least[2*i]
		firstGap += s.cost(int32(i), int32(i)) - u[i]
	}
	if !(firstGap > 0) {
		return 0, 0, nil // each row has its cheapest column
	}
	if least, err = s.look(1, n, u); err != nil {
		return 0, 0, err
	}
	highest := math.Inf(-1)
	for j := range s.v {
		s.v[j] = least[2*j+1]
		highest = max(highest, s.v[j])
	}
	for j := range s.v {
		s.v[j] -= highest
	}
	if least, err = s.look(0, n, s.v); err != nil {
		return 0, 0, err
	}

	// Rows in reverse order take the cheapest column that is left, by which it is marked as final.
	if err := s.reset(); err != nil {
		return 0, 0, err
	}
	gap, final := 0.0, int32(none)
	for i := n - 1; i >= 0; i-- {
		f, err := s.relax(int32(i), 0, final, true)
		if err != nil {
			return 0, 0, err
		}
		gap += f.dist - least[2*i]
		final = f.column
	}
	gap = min(gap, firstGap/4)
	end = firstGap / (16 * float64(n) * float64(n))
	if gap < 1e-6*firstGap {
		return 0, end, nil
	}
	if eps = gap * math.Sqrt(gap/firstGap) / float64(n); eps < end {
		eps = 0
	}
	return eps, end, nil
}

// cost is that of one pair.
func (s *Points) cost(r, c int32) float64 {
	var x [1]float64
	s.costs.Fill(x[:], int(r), int(c))
	return x[0]
}

// round assigns all rows from nothing at the prices of s.v.
func (s *Points) round(ctx context.Context, order []int32, eps float64) error {
	s.Work.Rounds++
	s.byDist, s.byEps = 0, 0
	if err := s.reset(); err != nil {
		return err
	}
	for _, r := range order {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("cuda: stopped: %w", err)
		}
		if err := s.search(r, eps); err != nil {
			return err
		}
	}
	return nil
}

// reset gives the cards the prices of s.v, and frees all columns.
func (s *Points) reset() error {
	slab.Fill(s.colOf, -1)
	slab.Fill(s.rowOf, -1)
	for _, p := range s.parts {
		if err := cuda.Write(p.stream, p.scan.v, s.v); err != nil {
			return err
		}
		if err := p.stream.Clear(p.scan.taken, 4*len(s.v)); err != nil {
			return err
		}
	}
	return nil
}

// search assigns row r by the shortest path to a free column, and lowers the prices of the columns
// it passed, each by eps besides, as Algorithm 2 of [1].
func (s *Points) search(r int32, eps float64) error {
	s.finals = s.finals[:0]
	row, shift, final := r, 0.0, int32(none)
	for {
		f, err := s.relax(row, shift, final, final == none)
		if err != nil {
			return err
		}
		s.place[f.column] = int32(len(s.finals))
		s.finals = append(s.finals, f)
		if row = s.rowOf[f.column]; row < 0 {
			break
		}
		final = f.column
		shift = f.dist - (s.cost(row, f.column) - f.price)
	}

	// Prices. Those of the columns that the cards marked go back at least.
	last := len(s.finals) - 1
	dist := s.finals[last].dist
	list := cuda.View[near](&s.list, 0, len(s.finals))
	for k, f := range s.finals {
		by := dist - f.dist
		f.price -= by + eps
		s.byDist += by
		s.byEps += eps
		s.v[f.column] = f.price
		list[k] = f
	}
	for _, p := range s.parts {
		t := settling{
			list: s.list.Image(0), v: p.scan.v, taken: p.scan.taken, count: int32(len(list)), sink: s.finals[last].column,
			lo: p.scan.lo, hi: p.scan.hi,
		}
		if err := launchPoints(p, "settle_p64", (len(list)+scanThreads-1)/scanThreads, &t); err != nil {
			return err
		}
	}

	// Pairs, back from the free column.
	for c := s.finals[last].column; ; {
		i := s.finals[s.place[c]].pred
		s.rowOf[c] = i
		c, s.colOf[i] = s.colOf[i], c
		if i == r {
			return nil
		}
	}
}

// relax scans a row on all cards, the first of a search or another; final is the column that was nearest
// before. It returns the one that is now.
func (s *Points) relax(row int32, shift float64, final int32, first bool) (near, error) {
	s.Work.Rows++
	for _, p := range s.parts {
		t := p.scan
		t.point += uintptr(8 * t.dims * row)
		t.row, t.shift, t.final = row, shift, final
		if first {
			t.first = 1
		}
		if err := launchPoints(p, "scan_p64", p.blocks, &t); err != nil {
			return near{}, err
		}
	}
	best := near{dist: math.Inf(1), column: none}
	for _, p := range s.parts {
		if err := p.stream.Wait(); err != nil {
			return near{}, err
		}
		for _, x := range cuda.View[near](&p.near, 0, p.blocks) {
			if x.column == none || x.dist > best.dist {
				continue
			}
			if x.dist < best.dist || s.before(x.column, best.column) {
				best = x
			}
		}
	}
	if best.column == none {
		return near{}, fmt.Errorf("cuda: row %d: a distance is not finite", row)
	}
	return best, nil
}

// before says whether column a is chosen before b at equal distance.
func (s *Points) before(a, b int32) bool {
	if free := s.rowOf[a] < 0; free != (s.rowOf[b] < 0) {
		return free
	}
	return a < b
}

// answer writes the assignment, and prices of the rows that cannot exceed any cost.
func (s *Points) answer(dst *mapsolver.Solution) error {
	n, m := len(s.colOf), len(s.rowOf)
	least, err := s.look(0, n, s.v)
	if err != nil {
		return err
	}
	dst.ColOf, dst.RowOf = append(dst.ColOf[:0], s.colOf...), append(dst.RowOf[:0], s.rowOf...)
	dst.EntryOf = slab.Grow(dst.EntryOf, n)
	dst.U, dst.V = slab.Grow(dst.U, n), append(dst.V[:0], s.v...)
	dst.Cost, dst.Stats = 0, mapsolver.Stats{RowsScanned: s.Work.Rows, Augmented: n * s.Work.Rounds}
	bound := 0.0
	for r, c := range dst.ColOf {
		dst.EntryOf[r] = r*m + int(c)
		dst.U[r] = least[2*r]
		dst.Cost += s.cost(int32(r), c)
		bound += dst.U[r]
	}
	for _, v := range dst.V {
		bound += v
	}
	s.Work.Gap = dst.Cost - bound
	return nil
}
