package motion

import (
	"math"
	"math/rand/v2"
	"testing"
)

// What is computed once for many detections is what is computed for each.
func TestExpect(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	for _, m := range []Model{Velocity{}, Walk{}, Turn{}} {
		for _, positions := range []bool{false, true} {
			p := params(rng, m, 2, positions)
			p.TurnStd, p.TurnWalk = 0.1, 0.02
			for _, covariances := range []bool{false, true} {
				f := NewFull(p)
				path := randomPath(rng, p, 4, covariances)
				s := run(f, path, 0, 3)
				b := &path.scans[3]
				f.Predict(&s, b.Time-path.scans[2].Time, Smooth)
				var e Expectation
				f.Expect(&e, &s, b, 0)
				fit := f.Innovation(&s, b, 0)
				d2 := f.Distance(&e, &s, b, 0)
				if !(math.Abs(d2-fit.D2) <= 1e-12*d2) || !(math.Abs(e.Peak+fit.Base/2) <= 1e-12*(1+math.Abs(e.Peak))) {
					t.Errorf("%s: distance %v and peak %v, want %v and %v", p.Name(), d2, e.Peak, fit.D2, -fit.Base/2)
				}
				once, each := s, s
				f.Condition(&once, &e, b, 0)
				f.Update(&each, b, 0)
				if once != each {
					t.Errorf("%s: conditioned %v, want %v", p.Name(), once, each)
				}
				// The distance between two states, by a detection of everything.
				f.Spread(&e, &each)
				sum := 0.0
				l := make([]float64, f.n*f.n)
				unpack(l, each.P[:], f.n)
				x := make([]float64, f.n)
				for i := range x {
					x[i] = s.X[i] - each.X[i]
				}
				y := append([]float64(nil), x...)
				if p.Name() != "walk" { // whose velocity has no variance
					eliminate(l, y, f.n, 1)
					for i := range x {
						sum += x[i] * y[i]
					}
					if got := f.Apart(&e, &each, &s); !(math.Abs(got-sum) <= 1e-6*(1e-9+sum)) {
						t.Errorf("%s: %v apart, want %v", p.Name(), got, sum)
					}
				}
			}
		}
	}
}
