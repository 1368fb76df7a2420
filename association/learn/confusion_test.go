package learn_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association/learn"
	"mtt/costgen"
	"mtt/motion"
)

// TestConfusion counts those nearer than the next detection of a random walk among others all over a field.
func TestConfusion(t *testing.T) {
	for dim, others := range map[int]int{2: 400, 3: 800} {
		const side, step, rounds = 20.0, 0.8, 4000
		g := &costgen.Levels{
			Motion: motion.Walk{}, Dim: dim, Interval: 1, PositionsOnly: true, Sigma: 1e-6, Accel: step,
			Rates: costgen.Rates{Detect: 0.999, Survive: 0.999, Births: 0.1, Targets: 1, Clutter: 0.1, Volume: math.Pow(side, float64(dim))},
		}
		s := mtt.Scan{Dim: dim, Pos: make([]float64, dim*(others+1))}
		r, nearer := rand.New(rand.NewPCG(4, 4)), 0
		for range rounds {
			var r2 float64
			for range dim {
				x := step * r.NormFloat64()
				r2 += x * x
			}
			for range others {
				var d2 float64
				for range dim {
					x := side * (r.Float64() - 0.5)
					d2 += x * x
				}
				if d2 < r2 {
					nearer++
				}
			}
		}
		want := float64(nearer) / rounds
		if got := learn.Confusion([]mtt.Scan{s}, g); math.Abs(got/want-1) > 0.1 {
			t.Errorf("%d dimensions: %.3g others are nearer, want %.3g", dim, got, want)
		}
	}
}

// TestConfusionOfVelocities counts those nearer, in position and velocity together, than the next detection of a
// target whose velocity is known, and measured, among others all over a field, in metres and in millimetres.
func TestConfusionOfVelocities(t *testing.T) {
	const side, sigma, sigmaV, speed = 16.0, 0.5, 0.3, 4.5
	for _, c := range []struct {
		dim, others int
		unit        float64
	}{{2, 400, 1}, {2, 400, 1000}, {3, 800, 1}} {
		u := c.unit
		g := &costgen.Levels{
			Motion: motion.Velocity{}, Dim: c.dim, Interval: 1, Sigma: u * sigma, SigmaV: u * sigmaV, Accel: u, SpeedStd: u * speed,
			Rates: costgen.Rates{Detect: 0.999, Survive: 0.999, Births: 0.1, Targets: 1, Clutter: 0.1, Volume: math.Pow(u*side, float64(c.dim))},
		}
		s := mtt.Scan{Dim: c.dim, Pos: make([]float64, c.dim*(c.others+1)), Vel: make([]float64, c.dim*(c.others+1))}
		// What is left of the covariance of a target that was followed, by a filter written out.
		p, f := [2][2]float64{{sigma * sigma, 0}, {0, speed * speed}}, [2][2]float64{}
		for range 60 {
			p = [2][2]float64{{p[0][0] + 2*p[0][1] + p[1][1] + 1./3, p[0][1] + p[1][1] + 1./2}, {0, p[1][1] + 1}}
			a, b, d := p[0][0]+sigma*sigma, p[0][1], p[1][1]+sigmaV*sigmaV // S
			f = [2][2]float64{{a, b}, {b, d}}
			ia, ib, id := d/(a*d-b*b), -b/(a*d-b*b), a/(a*d-b*b)
			x, y, z := p[0][0], p[0][1], p[1][1]
			p = [2][2]float64{
				{x - (x*(x*ia+y*ib) + y*(x*ib+y*id)), y - (x*(y*ia+z*ib) + y*(y*ib+z*id))},
				{0, z - (y*(y*ia+z*ib) + z*(y*ib+z*id))},
			}
			p[1][0] = p[0][1]
		}
		det := f[0][0]*f[1][1] - f[0][1]*f[0][1]
		d2 := func(x, v float64) float64 { return (x*x*f[1][1] - 2*x*v*f[0][1] + v*v*f[0][0]) / det }
		r, nearer := rand.New(rand.NewPCG(4, 4)), 0
		const rounds = 4000
		for range rounds {
			var own float64
			velocity := make([]float64, c.dim)
			for k := range c.dim {
				x := math.Sqrt(f[0][0]) * r.NormFloat64()
				v := f[0][1]/f[0][0]*x + math.Sqrt(det/f[0][0])*r.NormFloat64()
				own += d2(x, v)
				velocity[k] = math.Hypot(speed, sigmaV) * r.NormFloat64()
			}
			for range c.others {
				var other float64
				for k := range c.dim {
					other += d2(side*(r.Float64()-0.5), math.Hypot(speed, sigmaV)*r.NormFloat64()-velocity[k])
				}
				if other < own {
					nearer++
				}
			}
		}
		want := float64(nearer) / rounds
		if got := learn.Confusion([]mtt.Scan{s}, g); math.Abs(got/want-1) > 0.15 {
			t.Errorf("%d dimensions, unit %v: %.3g others are nearer, want %.3g", c.dim, u, got, want)
		}
	}
}
