package verify

// This file compares margins with enumeration: what the multipliers prove is never more than what
// the best assignment that decides otherwise costs, and forged margins are refused.

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mtt/internal/certificate"
	"mtt/internal/nightly"
)

// decisionsOf are, for each frame and detection, the detection before and after it in the assignment of
// c, which has no coast nodes; −1: none.
func decisionsOf(c *certificate.Certificate) (before, after [][]int) {
	n := len(c.Frames)
	before, after = make([][]int, n), make([][]int, n)
	for t := range n {
		before[t], after[t] = slices.Repeat([]int{-1}, c.Frames[t].Detections), slices.Repeat([]int{-1}, c.Frames[t].Detections)
	}
	for t := range c.Gaps {
		g := &c.Gaps[t]
		for i, a := range g.Next {
			if a >= 0 {
				after[t][i], before[t+1][g.Col[a]] = int(g.Col[a]), i
			}
		}
	}
	return before, after
}

// trueMargins are, for the assignment of c, what the best one costs more that has another detection
// before or after; +Inf: there is none.
func trueMargins(c *certificate.Certificate) (before, after [][]float64) {
	b, a := decisionsOf(c)
	before, after = make([][]float64, len(b)), make([][]float64, len(b))
	for t := range b {
		before[t], after[t] = slices.Repeat([]float64{math.Inf(1)}, len(b[t])), slices.Repeat([]float64{math.Inf(1)}, len(b[t]))
	}
	own, _ := costOf(c).Float64()
	next := make([][]int32, len(c.Gaps))
	for p := range next {
		next[p] = slices.Clone(c.Gaps[p].Next)
	}
	forEach(c, func() {
		cost := costOf(c)
		if cost == nil {
			return
		}
		x, _ := cost.Float64()
		x -= own
		otherB, otherA := decisionsOf(c)
		for t := range b {
			for i := range b[t] {
				if otherB[t][i] != b[t][i] {
					before[t][i] = min(before[t][i], x)
				}
				if otherA[t][i] != a[t][i] {
					after[t][i] = min(after[t][i], x)
				}
			}
		}
	})
	for p := range next {
		c.Gaps[p].Next = next[p]
	}
	return before, after
}

// claimMargins gives an honest dossier margins that hold everywhere, the gap, beside the true ones.
func (d *dossier) claimMargins(before, after [][]float64) {
	b, a := decisionsOf(d.c)
	m := &Margins{Rows: []MarginRow{}}
	for t := range b {
		for i := range b[t] {
			r := MarginRow{Frame: d.scans[t].Frame, Det: i, Before: MarginSide{-1, -1, math.NaN(), math.NaN()}, After: MarginSide{-1, -1, math.NaN(), math.NaN()}}
			finite := func(x float64) float64 {
				if math.IsInf(x, 1) {
					return math.NaN()
				}
				return x
			}
			if t > 0 {
				r.Before.Least, r.Before.Most = d.c.Lower-d.c.Upper, finite(before[t][i])
			}
			if t < len(b)-1 {
				r.After.Least, r.After.Most = d.c.Lower-d.c.Upper, finite(after[t][i])
			}
			if b[t][i] >= 0 {
				r.Before.Frame, r.Before.Det = d.scans[t-1].Frame, b[t][i]
			}
			if a[t][i] >= 0 {
				r.After.Frame, r.After.Det = d.scans[t+1].Frame, a[t][i]
			}
			m.Rows = append(m.Rows, r)
		}
	}
	d.margins = m
	d.solve.Sums.Margins = strings.Repeat("00", 32)
	d.columns()
}

// columns makes the column of tracks.csv and the headline of the rows.
func (d *dossier) columns() {
	m := d.margins
	of := map[[2]int]float64{}
	for _, r := range m.Rows {
		of[[2]int{r.Frame, r.Det}] = r.Before.Least
	}
	m.Hits = nil
	var links []float64
	for _, tr := range d.tracks {
		var hits []float64
		for h, hit := range tr.Hits {
			x := of[[2]int{hit.Frame, hit.Det}]
			if hits = append(hits, x); h > 0 {
				links = append(links, x)
			}
		}
		m.Hits = append(m.Hits, hits)
	}
	slices.Sort(links)
	if m.Links = len(links); len(links) > 0 {
		m.Min, m.Median = links[0], links[len(links)/2]
	}
}

// TestMarginForgeries changes margins at random. What is accepted without a word is true.
func TestMarginForgeries(t *testing.T) {
	dossiers := 60
	if nightly.Is() {
		dossiers = 4000
	}
	rng := rand.New(rand.NewPCG(15, 2))
	accepted, refused, raised, bySearch := 0, 0, 0, 0
	for range dossiers {
		d := honest(t, rng)
		before, after := trueMargins(d.c)
		d.claimMargins(before, after)
		if res := d.verdict(t); !res.Valid || res.MarginsProved != res.Margins || res.Margins == 0 && len(d.c.Gaps) > 0 && len(d.margins.Rows) > 1 {
			t.Fatalf("honest margins are refused: %d of %d, %q", res.MarginsProved, res.Margins, res.Problems)
		}
		for range 40 * min(1, len(d.margins.Rows)) {
			m := *d.margins
			m.Rows = slices.Clone(m.Rows)
			e := *d
			e.margins = &m
			r := &m.Rows[rng.IntN(len(m.Rows))]
			s, truth := &r.Before, before
			if rng.IntN(2) == 0 {
				s, truth = &r.After, after
			}
			t0 := (r.Frame - 10) / 2
			worth := truth[t0][r.Det]
			kind := rng.IntN(6)
			switch kind {
			case 0, 1: // a higher margin
				x := rng.Float64() * 1.5
				if math.IsInf(worth, 1) {
					worth = 100
				}
				s.Least = worth * x
				e.columns()
			case 2:
				s.Most = truth[t0][r.Det]*rng.Float64() - 1e-3
			case 3:
				s.Frame, s.Det = d.scans[rng.IntN(len(d.scans))].Frame, rng.IntN(3)
			case 4:
				e.columns()
				m.Median += rng.NormFloat64()
				m.Links += rng.IntN(2)
			case 5:
				m.BySearch = true
				s.Least = worth + rng.Float64()
				e.columns()
			}
			res := e.verdict(t)
			if !res.Valid {
				refused++
				continue
			}
			accepted++
			for k, r := range m.Rows {
				t0 := (r.Frame - 10) / 2
				for side, x := range [2]MarginSide{r.Before, r.After} {
					truth := before
					if side == 1 {
						truth = after
					}
					switch worth := truth[t0][r.Det]; {
					case !math.IsNaN(x.Least) && x.Least > worth+1e-8*(1+math.Abs(d.c.Upper)):
						if bySearch++; len(res.Unproved) == 0 {
							t.Fatalf("kind %d, line %d: a margin of %v was accepted, it is %v", kind, k, x.Least, worth)
						}
					case !math.IsNaN(x.Least) && x.Least > d.c.Lower-d.c.Upper+1e-6 && len(res.Unproved) == 0:
						raised++
					}
				}
			}
			if kind == 3 {
				b, a := decisionsOf(d.c)
				of := b
				if s == &r.After {
					of = a
				}
				if linked := of[t0][r.Det]; linked != s.Det {
					t.Fatalf("a link to detection %d of frame %d was accepted", s.Det, s.Frame)
				}
			}
		}
	}
	t.Logf("%d dossiers: %d refused, %d accepted, %d times a margin above the gap was proved, %d times one above the truth was listed as unproved", dossiers, refused, accepted, raised, bySearch)
	if raised == 0 || bySearch == 0 {
		t.Error("no margin was proved, or none was forged")
	}
}
