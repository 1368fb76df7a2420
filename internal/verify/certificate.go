package verify

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"math"
	"slices"

	"mtt/internal/certificate"
)

// This file checks the certificate, gap by gap: the bound that its multipliers
// prove, its assignment, what that costs and which links it makes.

// A proof is the state between two gaps.
type proof struct {
	*checker
	file *certificate.Reader
	same bool // it has the frames and detections of the scans

	infeasible, broken bool // there is no assignment; the one given is none

	left, gap certificate.Gap // gap t−1 and gap t
	into      []int32         // chosen arc of left into each node; -1: born
	inPtr     []int           // arcs of left into node j: inArc[inPtr[j]:inPtr[j+1]], tails ascending
	inArc     []int32
	price     []float64
	coasting  []int   // detections that the coast nodes of frame t stand for
	heads     []int32 // the first of the coast nodes that lead to each, in its frame
	arcsInto  []int   // arcs between detections into each detection of frame t
	sum       *certificate.ProblemSum
	block     []float64 // of one node: see matrix

	spare            *spare // nil: no margins are claimed
	slack, leftSlack slacks // of gap and left
}

// certificate checks the certificate; the error is that of ctx.
func (c *checker) certificate(ctx context.Context) error {
	whole := sha256.New()
	r, err := certificate.NewReader(io.TeeReader(c.Certificate, whole))
	if err != nil {
		c.problem("certificate.bin: %v", err)
		return nil
	}
	c.res.Made = r.Made
	p := &proof{checker: c, file: r, same: true, sum: certificate.NewProblemSum(r.Detections, r.Frames)}
	p.files()
	if p.Margins != nil && p.same {
		p.spare = freeSpare(len(p.inCert))
	}
	for t := 0; ; t++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.Next(&p.gap); errors.Is(err, io.EOF) {
			if p.spare != nil && !p.broken && t > 0 {
				p.others(t - 1)
			}
			break
		} else if err != nil {
			c.problem("certificate.bin: %v", err)
			return nil
		}
		p.sum.Add(&p.gap)
		p.count(t)
		p.boundGap(t)
		into := p.match(t)
		if t > 0 {
			p.boundBlocks(t)
			p.payBlocks(t)
			if p.spare != nil && !p.broken {
				p.others(t - 1)
			}
		}
		if p.same && !p.broken {
			p.links(t)
		}
		p.turn(into)
	}
	p.costs = p.sum.Sum()
	whole.Sum(p.whole[:0])
	p.finish()
	if p.same && !p.broken && !p.infeasible && p.res.RefinedLinks > 0 {
		return c.priceTracks(ctx)
	}
	p.res.TracksCost = p.res.UpperBound
	return nil
}

// count counts the arcs between detections of gap t, and the triplets that end with them.
func (p *proof) count(t int) {
	g, from, to := &p.gap, p.file.Frames[t].Detections, p.file.Frames[t+1].Detections
	into := make([]int, to)
	for i := range from {
		out := 0
		for _, j := range g.Col[g.Ptr[i]:g.Ptr[i+1]] {
			if int(j) < to {
				into[j]++
				out++
			}
		}
		p.res.Arcs += out
		if t > 0 {
			p.res.Triplets += p.arcsInto[i] * out
		}
	}
	p.arcsInto = into
}

// files checks that the certificate is about these files.
func (p *proof) files() {
	const other = "%s is not the file that the certificate was made for: its SHA-256 is %x…, not %x…"
	h := &p.file.Header
	if p.DetectionsSum != h.Detections {
		p.problem(other, "detections.csv", p.DetectionsSum[:8], h.Detections[:8])
	}
	if p.TracksSum != h.Tracks {
		p.problem(other, "tracks.csv", p.TracksSum[:8], h.Tracks[:8])
	}
	if n := len(p.file.Frames); n != len(p.dets.Frames) {
		p.problem("certificate.bin: it has %d frames, the detections have %d", n, len(p.dets.Frames))
		p.same = false
		return
	}
	for t, frame := range p.dets.Frames {
		if n, want := p.file.Frames[t].Detections, p.dets.len(t); n != want {
			p.problem("certificate.bin: frame %d has %d detections, in detections.csv it has %d", frame, n, want)
			p.same = false
		}
	}
}

// finish tells the bounds and compares the links.
func (p *proof) finish() {
	res := &p.res
	if !p.infeasible {
		res.LowerBound = p.bound.lower()
	}
	if !p.infeasible && !p.broken {
		res.UpperBound = p.cost.upper()
		res.GapPercent = gapPercent(res.LowerBound, res.UpperBound, max(p.cost.mass, p.bound.mass))
	}
	p.compare(&Claim{"certificate.bin", p.file.Lower, p.file.Upper})
	p.margins()
	if !p.same || p.broken {
		return
	}
	for d := range p.inTrack {
		if p.inTrack[d] != p.inCert[d] {
			res.RefinedLinks++
		}
	}
	if res.RefinedLinks > 0 && !p.file.Refined {
		p.problem("tracks.csv: %d links differ from those of the certificate, which does not say that the tracks were refined", res.RefinedLinks)
	}
}

// boundGap adds to the bound what the prices prove for gap t: with
//
//	c[a] = Cost[a] + V[a] + U[a]
//	v[j] = min(Price[j], ColMiss[j] + Birth[j])
//	u[i] = min(RowMiss[i] + Death[i], min over arcs a = (i,j) of c[a] − v[j])
//
// no assignment of the gap costs less than Σv + Σu.
func (p *proof) boundGap(t int) {
	g := &p.gap
	p.price = append(p.price[:0], g.Price...)
	for j := range g.Cols {
		if miss := birth(g, j); miss < p.price[j] {
			p.price[j] = miss
		}
		p.bound.add(p.price[j])
	}
	for i := range g.Rows {
		least := death(g, i)
		for a := g.Ptr[i]; a < g.Ptr[i+1]; a++ {
			if c := p.reduced(a); c < least {
				least = c
			}
		}
		if math.IsInf(least, 1) {
			p.problem("certificate.bin: gap %d: node %d has no arc and may not end: there is no assignment", t, i)
			p.infeasible = true
			continue
		}
		p.bound.add(least)
	}
	if p.spare != nil {
		p.reduce()
	}
}

// birth is ColMiss[j] + Birth[j], rounded downwards.
func birth(g *certificate.Gap, j int) float64 {
	if len(g.Birth) == 0 {
		return g.ColMiss[j]
	}
	return addDown(g.ColMiss[j], g.Birth[j])
}

// death is RowMiss[i] + Death[i], rounded downwards.
func death(g *certificate.Gap, i int) float64 {
	if len(g.Death) == 0 {
		return g.RowMiss[i]
	}
	return addDown(g.RowMiss[i], g.Death[i])
}

// reduced is c[a] − v[j] of an arc into column j, rounded downwards.
func (p *proof) reduced(a int) float64 {
	g := &p.gap
	c := g.Cost[a]
	if len(g.V) > 0 {
		c = addDown(c, g.V[a])
	}
	if len(g.U) > 0 {
		c = addDown(c, g.U[a])
	}
	return addDown(c, -p.price[g.Col[a]])
}

// boundBlocks adds to the bound the least D[a,b] − U[a] − V[b] of each node between
// gap t and the one before.
func (p *proof) boundBlocks(t int) {
	left, g := &p.left, &p.gap
	d := g.D
	var rows, columns []float64 // the least of each row and column of a matrix
	for j := range g.Rows {
		if g.Features != nil {
			d = p.matrix(j)
		}
		in, out := p.inArc[p.inPtr[j]:p.inPtr[j+1]], g.V[g.Ptr[j]:g.Ptr[j+1]]
		least := math.Inf(1)
		rows, columns = rows[:0], columns[:0]
		for range len(out) + 1 {
			columns = append(columns, math.Inf(1))
		}
		for r := range len(in) + 1 {
			row := math.Inf(1)
			u := left.Birth[j]
			if r < len(in) {
				u = left.U[in[r]]
			}
			for s := range len(out) + 1 {
				v := g.Death[j]
				if s < len(out) {
					v = out[s]
				}
				if math.IsInf(d[s], 1) {
					continue
				}
				c := addDown(addDown(d[s], -u), -v)
				if c < row {
					row = c
				}
				if c < columns[s] {
					columns[s] = c
				}
			}
			d = d[len(out)+1:]
			if rows = append(rows, row); row < least {
				least = row
			}
		}
		if math.IsInf(least, 1) {
			p.problem("certificate.bin: gap %d: node %d has no combination that is allowed: there is no assignment", t, j)
			p.infeasible = true
			continue
		}
		p.bound.add(least)
		if p.spare != nil {
			p.combine(j, in, rows, columns, least)
		}
	}
}

// match checks that the chosen arcs of gap t are a matching and adds its cost.
// It returns the chosen arc into each column.
func (p *proof) match(t int) []int32 {
	g := &p.gap
	into := make([]int32, g.Cols)
	for j := range into {
		into[j] = -1
	}
	for i, a := range g.Next {
		if a == -1 {
			if !p.pay(g.RowMiss[i]) {
				p.problem("certificate.bin: gap %d: node %d ends, which is forbidden", t, i)
			}
			continue
		}
		if int(a) < g.Ptr[i] || int(a) >= g.Ptr[i+1] {
			p.broken = true
			p.problem("certificate.bin: gap %d: node %d chooses arc %d, which does not leave it", t, i, a)
			g.Next[i] = -1
			continue
		}
		j := g.Col[a]
		if into[j] >= 0 {
			p.broken = true
			p.problem("certificate.bin: gap %d: two chosen arcs end in node %d", t, j)
		}
		into[j] = a
		p.pay(g.Cost[a])
	}
	for j, a := range into {
		if a < 0 && !p.pay(g.ColMiss[j]) {
			p.problem("certificate.bin: gap %d: node %d begins, which is forbidden", t, j)
		}
	}
	return into
}

// pay adds a cost of the assignment, and says whether it is allowed.
func (p *proof) pay(cost float64) bool {
	if math.IsInf(cost, 1) {
		p.broken = true
		return false
	}
	p.cost.add(cost)
	return true
}

// payBlocks adds the cost of the chosen combinations between gap t and the one
// before.
func (p *proof) payBlocks(t int) {
	g := &p.gap
	d := g.D
	for j, a := range g.Next {
		if g.Features != nil {
			p.payFeatures(t, j, p.into[j], a)
			continue
		}
		in, width := p.inArc[p.inPtr[j]:p.inPtr[j+1]], g.Ptr[j+1]-g.Ptr[j]+1
		row, col := len(in), width-1
		if p.into[j] >= 0 {
			row = slices.Index(in, p.into[j])
		}
		if a >= 0 {
			col = int(a) - g.Ptr[j]
		}
		if !p.pay(d[row*width+col]) {
			p.problem("certificate.bin: gap %d: node %d joins arcs %d and %d, which is forbidden", t, j, p.into[j], a)
		}
		d = d[(len(in)+1)*width:]
	}
}

// matrix makes the costs of node j from the features, none of them rounded upwards. It
// is gone with the next call.
func (p *proof) matrix(j int) []float64 {
	g, f := &p.gap, p.gap.Features
	lo, hi := g.Ptr[j], g.Ptr[j+1]
	d := p.block[:0]
	for _, a := range p.inArc[p.inPtr[j]:p.inPtr[j+1]] {
		x := f.In[a]
		for _, y := range f.Out[lo:hi] {
			d = append(d, addDown(max(x, y), -min(x, y)))
		}
		d = append(d, f.Death[a])
	}
	d = append(append(d, f.Birth[lo:hi]...), f.Alone[j])
	p.block = d
	return d
}

// payFeatures adds the cost of in-arc a (-1: born) and out-arc b (-1: dies) of node j
// of gap t.
func (p *proof) payFeatures(t, j int, a, b int32) {
	f := p.gap.Features
	var cost float64
	switch {
	case a >= 0 && b >= 0:
		p.cost.add(max(f.In[a], f.Out[b]))
		p.cost.add(-min(f.In[a], f.Out[b]))
		return
	case a >= 0:
		cost = f.Death[a]
	case b >= 0:
		cost = f.Birth[b]
	default:
		cost = f.Alone[j]
	}
	if !p.pay(cost) {
		p.problem("certificate.bin: gap %d: node %d joins arcs %d and %d, which is forbidden", t, j, a, b)
	}
}

// links notes which detections the chosen arcs of gap t join. Coast nodes pass the
// link on.
func (p *proof) links(t int) {
	g, from, to := &p.gap, &p.file.Frames[t], &p.file.Frames[t+1]
	for i, a := range g.Next {
		if a < 0 {
			continue
		}
		j := int(g.Col[a])
		if c := j - to.Detections; c >= 0 {
			if int(to.From[c]) != i {
				p.problem("certificate.bin: gap %d: node %d leads to coast node %d, which comes from node %d", t, i, c, to.From[c])
			}
			continue
		}
		source := p.dets.Base[t] + i
		if c := i - from.Detections; c >= 0 {
			source = p.coasting[c]
			if h := from.Prior[c]; h >= 0 && p.inCert[p.dets.Base[t-2]+int(h)] != source {
				p.problem("certificate.bin: gap %d: coast node %d needs the arc from detection %d, which was not chosen", t, c, h)
			}
		}
		if p.inCert[source] != none {
			p.problem("certificate.bin: gap %d: a second link leaves the detection of node %d", t, i)
		}
		p.inCert[source] = p.dets.Base[t+1] + j
	}
	for c, source := range p.coasting { // where do its arcs lead?
		i := from.Detections + c
		for _, j := range g.Col[g.Ptr[i]:g.Ptr[i+1]] {
			if int(j) < to.Detections && p.inTrack[source] == p.dets.Base[t+1]+int(j) {
				if p.leap == nil {
					p.leap = make(map[int]int32)
				}
				if _, known := p.leap[source]; !known {
					p.leap[source] = p.heads[c]
				}
			}
		}
	}
	p.coasting, p.heads = p.sources(t+1, p.coasting, p.heads)
}

// sources are the detections that the coast nodes of frame t stand for, and the first
// coast nodes after these, given those of the frame before.
func (p *proof) sources(t int, before []int, first []int32) ([]int, []int32) {
	last := p.file.Frames[t-1].Detections
	list, heads := make([]int, len(p.file.Frames[t].From)), make([]int32, len(p.file.Frames[t].From))
	for c, i := range p.file.Frames[t].From {
		list[c], heads[c] = p.dets.Base[t-1]+int(i), int32(c)
		if int(i) >= last {
			list[c], heads[c] = before[int(i)-last], first[int(i)-last]
		}
	}
	return list, heads
}

// turn makes gap t the left one, and sorts its arcs by their heads.
func (p *proof) turn(into []int32) {
	p.left, p.gap, p.into = p.gap, p.left, into
	p.slack, p.leftSlack = p.leftSlack, p.slack
	g := &p.left
	p.inPtr = append(p.inPtr[:0], make([]int, g.Cols+1)...)
	for _, j := range g.Col {
		p.inPtr[j+1]++
	}
	for j := range g.Cols {
		p.inPtr[j+1] += p.inPtr[j]
	}
	p.inArc = append(p.inArc[:0], make([]int32, len(g.Col))...)
	at := slices.Clone(p.inPtr)
	for a, j := range g.Col {
		p.inArc[at[j]] = int32(a)
		at[j]++
	}
}
