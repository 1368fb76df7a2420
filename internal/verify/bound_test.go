package verify

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// This file tests the bound against brute force, and the additions.

// drawn is a source of random numbers that rapid chooses.
func drawn(rt *rapid.T) *rand.Rand { return rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0)) }

// TestBoundBelowOptimum takes any multipliers: what is reported as lower bound
// never lies above the least cost, and a higher claim is never believed.
func TestBoundBelowOptimum(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := drawn(rt)
		draw := integer(rng)
		if rng.IntN(2) == 0 {
			draw = func() float64 { return rng.NormFloat64() * math.Pow(10, float64(rng.IntN(6)-3)) }
		}
		c := randomInstance(rng, 2+rng.IntN(3), draw)
		if rng.IntN(2) == 0 {
			ascend(rt, c)
		}
		best := optimum(c)
		least, _ := best.Float64()
		c.Upper = least
		c.Lower = least + 1e-6*(1+math.Abs(least)) // too much
		scans := scansOf(c)
		res := check(rt, c, scans, tracksOf(c, scans))
		if exactly(res.LowerBound).Cmp(best) > 0 {
			rt.Fatalf("lower bound %v above the optimum %v", res.LowerBound, least)
		}
		if exactly(res.UpperBound).Cmp(best) < 0 {
			rt.Fatalf("upper bound %v below the cost %v", res.UpperBound, least)
		}
		if u := math.Nextafter(least, math.Inf(1)); res.UpperBound > u {
			rt.Fatalf("upper bound %v, the cost is %v", res.UpperBound, least)
		}
		if res.Valid {
			rt.Fatalf("a claimed bound of %v was believed; the optimum is %v, the multipliers prove %v", c.Lower, least, res.LowerBound)
		}
		c.Lower = res.LowerBound
		if res := check(rt, c, scans, tracksOf(c, scans)); !res.Valid {
			rt.Fatalf("an honest certificate is refused: %q", res.Problems)
		}
	})
}

// TestBoundIsDual recomputes the bound with rational numbers: rounding costs next
// to nothing, and nothing at all with integers.
func TestBoundIsDual(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := drawn(rt)
		whole := rng.IntN(2) == 0
		draw := rng.NormFloat64
		if whole {
			draw = integer(rng)
		}
		c := randomInstance(rng, 2+rng.IntN(4), draw)
		sum, terms := new(big.Rat), 0
		add := func(xs ...float64) *big.Rat {
			r := new(big.Rat)
			for _, x := range xs {
				r.Add(r, exactly(x))
			}
			return r
		}
		at := func(s []float64, i int) float64 {
			if len(s) == 0 {
				return 0
			}
			return s[i]
		}
		for p := range c.Gaps {
			g := &c.Gaps[p]
			v := make([]*big.Rat, g.Cols)
			for j := range v {
				v[j] = exactly(g.Price[j])
				if m := add(g.ColMiss[j], at(g.Birth, j)); m.Cmp(v[j]) < 0 {
					v[j] = m
				}
				sum.Add(sum, v[j])
			}
			for i := range g.Rows {
				u := add(g.RowMiss[i], at(g.Death, i))
				for a := g.Ptr[i]; a < g.Ptr[i+1]; a++ {
					if x := add(g.Cost[a], at(g.U, a), at(g.V, a)); x.Sub(x, v[g.Col[a]]).Cmp(u) < 0 {
						u = x
					}
				}
				sum.Add(sum, u)
			}
			terms += g.Rows + g.Cols
			if p == 0 {
				continue
			}
			left, k := &c.Gaps[p-1], 0
			for j := range g.Rows {
				var least *big.Rat
				us := []float64{}
				for a, head := range left.Col {
					if int(head) == j {
						us = append(us, left.U[a])
					}
				}
				for _, u := range append(us, left.Birth[j]) {
					for s := g.Ptr[j]; s <= g.Ptr[j+1]; s++ {
						v := g.Death[j]
						if s < g.Ptr[j+1] {
							v = g.V[s]
						}
						if !math.IsInf(g.D[k], 1) {
							if x := add(g.D[k], -u, -v); least == nil || x.Cmp(least) < 0 {
								least = x
							}
						}
						k++
					}
				}
				sum.Add(sum, least)
			}
			terms += g.Rows
		}
		scans := scansOf(c)
		res := check(rt, c, scans, tracksOf(c, scans))
		d, _ := sum.Sub(sum, exactly(res.LowerBound)).Float64()
		// A column's price that its miss bounds is rounded down; several rows may each gain what it
		// loses, by other prices that prove it.
		if math.Abs(d) > 1e-14*float64(terms) || whole && d != 0 {
			rt.Fatalf("lower bound %v differs by %g from what the multipliers prove", res.LowerBound, d)
		}
	})
}

// TestAdd compares with rational numbers.
func TestAdd(t *testing.T) {
	number := rapid.Float64Range(-1e290, 1e290)
	rapid.Check(t, func(rt *rapid.T) {
		a, b := number.Draw(rt, "a"), number.Draw(rt, "b")
		if rapid.Bool().Draw(rt, "near") {
			b = a * rapid.Float64Range(-2, 2).Draw(rt, "factor")
		}
		exact := new(big.Rat).Add(exactly(a), exactly(b))
		low, high := addDown(a, b), addUp(a, b)
		if exactly(low).Cmp(exact) > 0 || exactly(high).Cmp(exact) < 0 {
			rt.Fatalf("%v + %v is not between %v and %v", a, b, low, high)
		}
		if low != high && math.Nextafter(low, math.Inf(1)) != high {
			rt.Fatalf("%v + %v: %v and %v are not neighbours", a, b, low, high)
		}
	})
}

// TestSum adds numbers of all sizes that cancel.
func TestSum(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := drawn(rt)
		var s sum
		exact := new(big.Rat)
		for range rng.IntN(1000) {
			x := rng.NormFloat64() * math.Pow(2, float64(rng.IntN(200)-100))
			s.add(x)
			exact.Add(exact, exactly(x))
			if rng.IntN(3) == 0 {
				s.add(-x)
				exact.Sub(exact, exactly(x))
			}
		}
		if exactly(s.lower()).Cmp(exact) > 0 || exactly(s.upper()).Cmp(exact) < 0 {
			rt.Fatalf("the sum is not between %v and %v", s.lower(), s.upper())
		}
		if d := s.upper() - s.lower(); d > 1e-15*math.Abs(s.s)+1e-28*s.mass {
			rt.Fatalf("the sum %v is known to %v only", s.s, d)
		}
	})
}
