package motion

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestBounds: what prices of steps are bounded by bounds them, near and far, where steps may be
// manoeuvres, jumps, or smooth ones to outliers.
func TestBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for n := range 60 {
		p := params(rng, Velocity{}, 2+n%2, n%3 == 0)
		p.ManoeuvreProb = []float64{0, 1e-5, 0.1}[n%3]
		if n%4 == 1 {
			p.OutlierProb, p.OutlierTimes = 0.1, 6
		}
		if n%5 == 1 {
			p.JumpProb, p.JumpStd = 0.01, 3
		}
		if p.Dim == 2 {
			bounds(t, rng, NewPlane(p), p)
		} else {
			bounds(t, rng, NewAxes(p), p)
		}
		bounds(t, rng, NewFull(p), p)
	}
}

func bounds[S, E any](t *testing.T, rng *rand.Rand, filter Filter[S, E], p *Params) {
	t.Helper()
	r := NewRunner(filter, p)
	far, tight := 0, 0
	for range 40 {
		path := randomPath(rng, p, 6, false)
		s := run(r.Filter, path, 0, 3)
		next, dt := &path.scans[3], path.scans[3].Time-path.scans[2].Time
		moved := []float64{0, 3, 1000}[rng.IntN(3)] * rng.NormFloat64()
		for k := 3; k < 6; k++ {
			path.scans[k].Pos[0] += moved
		}
		e := gather(r.Filter, path, 3, 4+rng.IntN(3))
		var wide *E
		if r.Outliers() {
			w := gather(r.wide, path, 3, 4)
			wide = &w
		}
		var x Ahead[S]
		r.Look(&x, &s, dt)
		at := func(what string, low, high float64) {
			t.Helper()
			if !(low <= high+1e-7*(1+math.Abs(high))) {
				t.Errorf("%T, %+v: %s: %v, above %v", filter, *p, what, low, high)
			}
		}
		var to S
		price, kind := r.PriceAhead(&to, &x, next, 0)
		least := r.LeastAhead(&x, next, 0)
		at("the least that a detection costs", least, price)
		if most, ok := r.SmoothAhead(&to, &x, next, 0); ok {
			if at("the most that a detection costs", price, most); kind != Smooth {
				t.Errorf("a step of kind %d is taken for a smooth one", kind)
			}
		}
		onward := r.OnwardAhead(&x, &e, wide)
		low := r.LeastOnward(&x, &e, wide)
		at("the least that a suffix costs", low, onward)
		at("the least that a suffix costs, by its first detection", r.LeastFollowing(least, &e), onward)
		at("the least that a suffix costs from anywhere", r.LeastFrom(&e, wide), onward)
		at("the most that a suffix costs", onward, r.SmoothOnward(&x, &e))
		if far++; onward-low < 10 {
			tight++
		}
	}
	if _, full := any(filter).(*Full); !full && tight < far/3 {
		t.Errorf("%+v: %d of %d bounds are near", *p, tight, far)
	}
}
