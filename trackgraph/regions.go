package trackgraph

import "context"

// This file looks for better answers near the best known one.
//
// Where branches are many and the best answer known is bad they are cut late. All ports but those
// of a region, some rows that options and blocks join, keep what they do in it; what remains is a
// small problem, which the search solves by itself. A better answer takes the place of the best
// known one, and regions go on from there, until all have been tried without one (large
// neighbourhoods: Shaw, Using constraint programming and local search methods to solve vehicle
// routing problems, CP 1998). Then they are twice as large, up to a third of all.
//
// A region costs what the rest of the problem takes to look at, a dozen looks at all entries,
// besides its own, so this is for problems of no more than smallProblem entries, or such parts.

// Regions have regionRows rows at first, of which two neighbours have two thirds in common. Before
// branches they take a share regionShare of what is left of the budget, or of the usual one if that
// is less, at the end all; a size is left out where regions could not be tried at a quarter of the
// places.
const (
	regionRows  = 24
	regionShare = 0.25
	regionWork  = 12
	golden      = 0.6180339887498949
)

// explore improves the best answer of s with a share of the budget; regions as large as those that
// have not improved it are not tried again.
func (h *search) explore(ctx context.Context, s *state, cutoff, tiny, share float64) error {
	if h.nested || s.best == nil || s.upper > cutoff || len(s.p.Cost) > smallProblem {
		return nil
	}
	p := s.p
	budget, most := h.budget, h.work+share*min(h.budget-h.work, 200*max(smallProblem, float64(len(p.Cost))))
	h.nested = true
	defer func() { h.budget, h.nested = budget, false }()
	rows := regionRows
	if s.upper == s.explored {
		rows = 2 * s.region
	}
	for ; 3*rows <= p.Rows; rows *= 2 {
		step := rows / 3
		if h.work+regionWork/4*float64(p.Rows/step)*float64(len(p.Cost)) > most {
			continue
		}
		places := (p.Rows + step - 1) / step
		stride := coprime(places, int(golden*float64(places)))
		tried := 0
		for at := 0; tried < places && h.work < most; tried, at = tried+1, (at+stride)%places { // far ones first
			before := s.upper
			h.budget = min(most, h.work+regionWork*smallProblem)
			if err := h.region(ctx, s, int32(at*step), rows, tiny); err != nil {
				return err
			}
			if s.upper < before-tiny {
				tried = -1
			}
		}
		if tried >= places {
			s.explored, s.region = s.upper, rows
		}
	}
	return nil
}

// coprime is the least number from a on that has no divisor in common with n.
func coprime(n, a int) int {
	for {
		x, y := n, a
		for y > 0 {
			x, y = y, x%y
		}
		if x == 1 {
			return a
		}
		a++
	}
}

// region solves s in a region of so many rows around one, where all else keeps what it does in the
// best answer.
func (h *search) region(ctx context.Context, s *state, at int32, rows int, tiny float64) error {
	r := newReduction(ctx, s)
	p := s.p
	inside := make([]bool, len(r.root))
	list := []int32{at}
	inside[at] = true
	reach := func(n int32) {
		if n >= 0 && !inside[n] {
			inside[n] = true
			list = append(list, n)
		}
	}
	c := &confinement{reduction: r}
	for k, found := 0, 0; k < len(list) && found < rows; k++ {
		n := list[k]
		if name := r.name(n); name >= 0 {
			found++
			for e := p.Ptr[name]; e < p.Ptr[name+1]; e++ {
				reach(int32(p.Rows) + p.Col[e])
			}
		} else {
			j := -1 - name
			for q := p.in.Ptr[j]; q < p.in.Ptr[j+1]; q++ {
				reach(p.in.Row[q])
			}
		}
		reach(c.across(n))
	}
	r.work += float64(len(p.Cost))
	h.work += r.work
	byCol := p.columnsOf(nil, s.best)
	for n := range inside {
		if !inside[n] {
			r.take(r.name(int32(n)), p.chosen(r.name(int32(n)), s.best, byCol))
		}
	}
	r.follow()
	if r.dead {
		return nil
	}
	r.settle(true, s.upper-s.value, tiny)
	_, err := h.apart(ctx, r, s.upper, tiny)
	return err
}
