package verify

import (
	"bytes"
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"mtt"
	"mtt/dualascent"
	"mtt/internal/certificate"
)

// This file makes small instances for the tests: all assignments of them can be
// looked at one by one.

// randomInstance makes a problem of the given number of frames, with up to three detections
// each; every number is drawn by draw. Some combinations are forbidden, but never
// to be born and to die.
func randomInstance(rng *rand.Rand, frames int, draw func() float64) *certificate.Certificate {
	c := &certificate.Certificate{}
	floats := func(n int) []float64 {
		s := make([]float64, n)
		for i := range s {
			s[i] = draw()
		}
		return s
	}
	for range frames {
		c.Frames = append(c.Frames, certificate.Frame{Detections: rng.IntN(4)})
	}
	for p := range frames - 1 {
		rows, cols := c.Frames[p].Nodes(), c.Frames[p+1].Nodes()
		g := certificate.Gap{Rows: rows, Cols: cols, Ptr: []int{0}, RowMiss: floats(rows), ColMiss: floats(cols), Price: floats(cols)}
		for range rows {
			for j := range cols {
				if rng.IntN(3) > 0 {
					g.Col = append(g.Col, int32(j))
				}
			}
			g.Ptr = append(g.Ptr, len(g.Col))
			g.Next = append(g.Next, -1)
		}
		g.Cost = floats(len(g.Col))
		if p > 0 {
			left := &c.Gaps[p-1]
			for j := range rows {
				width := g.Ptr[j+1] - g.Ptr[j] + 1
				for _, k := range left.Col {
					if int(k) == j {
						g.D = append(g.D, floats(width)...)
					}
				}
				g.D = append(g.D, floats(width)...)
				for s := len(g.D) - width; s < len(g.D)-1; s++ {
					if rng.IntN(5) == 0 {
						g.D[s] = math.Inf(1)
					}
				}
			}
			g.V, g.Death = floats(len(g.Col)), floats(rows)
		}
		if p < frames-2 {
			g.U, g.Birth = floats(len(g.Col)), floats(cols)
		}
		c.Gaps = append(c.Gaps, g)
	}
	return c
}

// featured gives c features of random values in place of the matrices; the ends stay
// what they are. It returns a certificate that has the matrices of these features.
func featured(c *certificate.Certificate, draw func() float64) (full *certificate.Certificate) {
	copied := *c
	full = &copied
	full.Gaps = slices.Clone(c.Gaps)
	floats := func(n int) []float64 {
		s := make([]float64, n)
		for i := range s {
			s[i] = draw()
		}
		return s
	}
	for p := 1; p < len(c.Gaps); p++ {
		left, g := &c.Gaps[p-1], &c.Gaps[p]
		f := &certificate.Features{In: floats(len(left.Col)), Out: floats(len(g.Col)), Birth: floats(len(g.Col)), Death: floats(len(left.Col))}
		d := slices.Clone(g.D)
		at := 0
		for j := range g.Rows {
			out := g.Ptr[j+1] - g.Ptr[j]
			for a, k := range left.Col {
				if int(k) != j {
					continue
				}
				for s := range out {
					d[at+s] = math.Abs(f.In[a] - f.Out[g.Ptr[j]+s])
				}
				f.Death[a] = d[at+out]
				at += out + 1
			}
			copy(f.Birth[g.Ptr[j]:], d[at:at+out])
			f.Alone = append(f.Alone, d[at+out])
			at += out + 1
		}
		full.Gaps[p].D, g.D, g.Features = d, nil, f
	}
	return full
}

// integer draws small integers, whose sums are exact.
func integer(rng *rand.Rand) func() float64 {
	return func() float64 { return float64(rng.IntN(21) - 10) }
}

// forEach calls visit for every assignment of c, in c's own slices Next.
func forEach(c *certificate.Certificate, visit func()) {
	var gap func(p int)
	var row func(p, i int, used uint)
	gap = func(p int) {
		if p == len(c.Gaps) {
			visit()
			return
		}
		row(p, 0, 0)
	}
	row = func(p, i int, used uint) {
		g := &c.Gaps[p]
		if i == g.Rows {
			gap(p + 1)
			return
		}
		g.Next[i] = -1
		row(p, i+1, used)
		for a := g.Ptr[i]; a < g.Ptr[i+1]; a++ {
			if bit := uint(1) << g.Col[a]; used&bit == 0 {
				g.Next[i] = int32(a)
				row(p, i+1, used|bit)
			}
		}
		g.Next[i] = -1
	}
	gap(0)
}

// costOf is the exact cost of the assignment of c, by definition; nil when it is
// forbidden.
func costOf(c *certificate.Certificate) *big.Rat {
	total, forbidden := new(big.Rat), false
	pay := func(x float64) {
		if math.IsInf(x, 1) {
			forbidden = true
			return
		}
		total.Add(total, new(big.Rat).SetFloat64(x))
	}
	for p := range c.Gaps {
		g := &c.Gaps[p]
		entered := make([]bool, g.Cols)
		for i, a := range g.Next {
			if a < 0 {
				pay(g.RowMiss[i])
				continue
			}
			pay(g.Cost[a])
			entered[g.Col[a]] = true
		}
		for j, e := range entered {
			if !e {
				pay(g.ColMiss[j])
			}
		}
		if p == 0 {
			continue
		}
		left := &c.Gaps[p-1]
		at := 0
		for j, b := range g.Next {
			first, last := g.Ptr[j], g.Ptr[j+1]
			row, rows := -1, 0
			for i := range left.Rows {
				for a := left.Ptr[i]; a < left.Ptr[i+1]; a++ {
					if int(left.Col[a]) == j {
						if left.Next[i] == int32(a) {
							row = rows
						}
						rows++
					}
				}
			}
			if row < 0 {
				row = rows
			}
			col := last - first
			if b >= 0 {
				col = int(b) - first
			}
			pay(g.D[at+row*(last-first+1)+col])
			at += (rows + 1) * (last - first + 1)
		}
	}
	if forbidden {
		return nil
	}
	return total
}

// optimum is the least cost of an assignment of c; c holds the assignment
// afterwards.
func optimum(c *certificate.Certificate) *big.Rat {
	var best *big.Rat
	var next [][]int32
	forEach(c, func() {
		if cost := costOf(c); cost != nil && (best == nil || cost.Cmp(best) < 0) {
			best, next = cost, nil
			for p := range c.Gaps {
				next = append(next, append([]int32(nil), c.Gaps[p].Next...))
			}
		}
	})
	for p := range next {
		c.Gaps[p].Next = next[p]
	}
	return best
}

// ascend replaces the multipliers of c by those of the engine.
func ascend(t interface{ Fatal(...any) }, c *certificate.Certificate) {
	inst := &dualascent.Instance{}
	for p := range c.Gaps {
		g := &c.Gaps[p]
		inst.Pairs = append(inst.Pairs, dualascent.FramePair{
			Rows: g.Rows, Cols: g.Cols, Ptr: g.Ptr, Col: g.Col, Cost: g.Cost, RowMiss: g.RowMiss, ColMiss: g.ColMiss})
		if p > 0 {
			b := dualascent.Block{Ptr: make([]int, g.Rows+1), D: g.D, Differences: (*dualascent.Differences)(g.Features)}
			for j := range g.Rows {
				rows := 1
				for _, k := range c.Gaps[p-1].Col {
					if int(k) == j {
						rows++
					}
				}
				b.Ptr[j+1] = b.Ptr[j] + rows*(g.Ptr[j+1]-g.Ptr[j]+1)
			}
			inst.Blocks = append(inst.Blocks, b)
		}
	}
	res, err := dualascent.Solve(context.Background(), inst, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Lower, c.Upper = res.Certified, res.UpperBound
	for p := range c.Gaps {
		g, from := &c.Gaps[p], &res.Prices[p]
		g.Price, g.Next = from.Col, res.Next[p]
		if p > 0 {
			g.V, g.Death = from.V, from.Death
		}
		if p < len(c.Gaps)-1 {
			g.U, g.Birth = from.U, from.Birth
		}
	}
}

// scansOf are scans with the detections of c, at places that tell them apart.
func scansOf(c *certificate.Certificate) []mtt.Scan {
	scans := make([]mtt.Scan, len(c.Frames))
	for t := range scans {
		scans[t] = mtt.Scan{Frame: 10 + 2*t, Time: float64(t), Dim: 2}
		for i := range c.Frames[t].Detections {
			scans[t].Pos = append(scans[t].Pos, float64(t), float64(i)/8)
		}
	}
	return scans
}

// tracksOf follows the assignment of c, which has no coast nodes. Detections
// without links are tracks of their own.
func tracksOf(c *certificate.Certificate, scans []mtt.Scan) []mtt.Track {
	var tracks []mtt.Track
	live := []*mtt.Track{} // of each detection of the frame
	for t := range scans {
		now := make([]*mtt.Track, scans[t].Len())
		if t > 0 {
			for i, a := range c.Gaps[t-1].Next {
				if a >= 0 {
					now[c.Gaps[t-1].Col[a]] = live[i]
				}
			}
		}
		for i := range now {
			if now[i] == nil {
				now[i] = &mtt.Track{Dim: 2, ID: 1 + len(tracks)}
				tracks = append(tracks, mtt.Track{})
			}
			tr := now[i]
			tr.Hits = append(tr.Hits, mtt.Hit{Frame: scans[t].Frame, Det: i})
			tr.Pos = append(tr.Pos, scans[t].At(i)...)
			tracks[tr.ID-1] = *tr
		}
		live = now
	}
	return tracks
}

// check writes c and checks it against scans and tracks.
func check(t interface{ Fatal(...any) }, c *certificate.Certificate, scans []mtt.Scan, tracks []mtt.Track, claims ...Claim) *Result {
	var file bytes.Buffer
	if err := certificate.Write(&file, c); err != nil {
		t.Fatal(err)
	}
	res, err := Check(context.Background(), &Input{Scans: scans, Tracks: tracks, Certificate: &file, Claims: claims})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// exactly is x as a rational number.
func exactly(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
