package costgen

import (
	"math"

	"gonum.org/v1/gonum/optimize"

	"mtt"
)

// This file estimates the noise levels of a Gaussian model from tracks.

// Fit sets the noise levels of m that are zero (Sigma, SigmaV, Accel,
// SpeedStd) to their most likely values given tracks of measured positions (and
// velocities, where all tracks have them and m is not PositionsOnly), and
// leaves the others alone. times[f] is the time of frame number first+f·step.
//
// The likelihood is that of a Kalman filter over each track, each innovation
// being Gaussian or, with probability 0.02, anywhere within six typical steps, so
// that a few wrong links do not pass for manoeuvres; its maximum is sought by Nelder and Mead's method over
// the logarithms. Long data are thinned to some twenty thousand hits. It
// reports whether there was enough to go by: at least one track of three hits.
func Fit(m *Levels, tracks []mtt.Track, time func(frame int) float64) bool {
	f := fitter{time: time, vel: !m.PositionsOnly}
	total := 0
	for i := range tracks {
		if len(tracks[i].Hits) >= 3 {
			total += len(tracks[i].Hits)
		}
	}
	if total == 0 {
		return false
	}
	const enough = 20000 // hits
	every := 1 + total/enough
	kept := 0
	for i := range tracks {
		if len(tracks[i].Hits) < 3 {
			continue
		}
		if kept++; kept%every == 0 || every == 1 {
			f.tracks = append(f.tracks, &tracks[i])
		}
	}
	step, interval := f.scale()
	f.outlier = math.Log(0.02) - float64(tracks[0].Dim)*math.Log(max(12*step, tiny))
	if f.vel {
		f.outlier -= float64(tracks[0].Dim) * math.Log(max(12*step/interval, tiny))
	}
	if m.SpeedStd == 0 {
		m.SpeedStd = max(step/interval, tiny)
	}
	// The levels to be found, as logarithms, from a middling start.
	var free []*float64
	var x []float64
	for _, c := range []struct {
		level *float64
		start float64
		use   bool
	}{
		{&m.Sigma, 0.1 * step, true},
		{&m.SigmaV, 0.1 * step / interval, f.vel},
		{&m.Accel, 0.1 * step / math.Pow(interval, 1.5), true},
	} {
		if c.use && *c.level == 0 {
			free, x = append(free, c.level), append(x, math.Log(max(c.start, tiny)))
		}
	}
	if len(free) == 0 {
		return true
	}
	low := make([]float64, len(x)) // no level falls below a thousandth of its start
	for i := range x {
		low[i] = x[i] - math.Log(100)
	}
	set := func(x []float64) {
		for i, p := range free {
			*p = math.Exp(max(x[i], low[i]))
		}
	}
	problem := optimize.Problem{Func: func(x []float64) float64 {
		set(x)
		return f.cost(m)
	}}
	result, err := optimize.Minimize(problem, x, &optimize.Settings{
		Converger: &optimize.FunctionConverge{Absolute: 1e-4 * float64(total), Iterations: 15},
	}, &optimize.NelderMead{SimplexSize: 1})
	if result != nil && (err == nil || !math.IsInf(result.F, 0)) {
		x = result.X
	}
	set(x)
	return true
}

const log2Pi = 1.8378770664093453

// tiny keeps noise levels positive where nothing moves.
const tiny = 1e-9

type fitter struct {
	tracks []*mtt.Track
	time   func(frame int) float64
	vel    bool

	outlier float64 // log of the density of a wrong link
}

// scale is the root mean square displacement per axis from one hit to the next,
// and the mean interval.
func (f *fitter) scale() (step, interval float64) {
	var sum, dt float64
	var n, links int
	for _, t := range f.tracks {
		for h := 1; h < len(t.Hits); h++ {
			dt += f.time(t.Hits[h].Frame) - f.time(t.Hits[h-1].Frame)
			links++
			for i, x := range t.At(h) {
				d := x - t.At(h - 1)[i]
				sum += d * d
				n++
			}
		}
	}
	return math.Sqrt(sum / float64(n)), dt / float64(links)
}

// cost is the negative log likelihood of the tracks, robustified.
func (f *fitter) cost(m *Levels) float64 {
	r, rv, q := m.Sigma*m.Sigma, m.SigmaV*m.SigmaV, m.Accel*m.Accel
	pv := m.SpeedStd * m.SpeedStd
	var sum float64
	for _, t := range f.tracks {
		// The covariance is the same on all axes.
		var x, v [3]float64
		var p [3]float64
		for h := range t.Hits {
			z := t.At(h)
			var w []float64
			if f.vel {
				w = t.Vel[h*t.Dim : (h+1)*t.Dim]
			}
			if h == 0 {
				copy(x[:], z)
				p = [3]float64{r, 0, pv}
				if f.vel {
					copy(v[:], w)
					p[2] = rv
				}
				continue
			}
			dt := f.time(t.Hits[h].Frame) - f.time(t.Hits[h-1].Frame)
			p = [3]float64{
				p[0] + 2*dt*p[1] + dt*dt*p[2] + q*dt*dt*dt/3,
				p[1] + dt*p[2] + q*dt*dt/2,
				p[2] + q*dt,
			}
			var d2, logd float64
			if f.vel {
				inv, ld := invert([3]float64{p[0] + r, p[1], p[2] + rv})
				logd = ld
				k := [4]float64{p[0]*inv[0] + p[1]*inv[1], p[0]*inv[1] + p[1]*inv[2], p[1]*inv[0] + p[2]*inv[1], p[1]*inv[1] + p[2]*inv[2]}
				for n := range t.Dim {
					x[n] += dt * v[n]
					d, e := z[n]-x[n], w[n]-v[n]
					d2 += inv[0]*d*d + 2*inv[1]*d*e + inv[2]*e*e
					x[n] += k[0]*d + k[1]*e
					v[n] += k[2]*d + k[3]*e
				}
				p = [3]float64{p[0] - k[0]*p[0] - k[1]*p[1], p[1] - k[0]*p[1] - k[1]*p[2], p[2] - k[2]*p[1] - k[3]*p[2]}
			} else {
				s := p[0] + r
				logd = math.Log(s)
				k0, k1 := p[0]/s, p[1]/s
				for n := range t.Dim {
					x[n] += dt * v[n]
					d := z[n] - x[n]
					d2 += d * d / s
					x[n] += k0 * d
					v[n] += k1 * d
				}
				p = [3]float64{p[0] - k0*p[0], p[1] - k0*p[1], p[2] - k1*p[1]}
			}
			// −log(e^fits + e^outlier)
			fits := -(d2 + float64(t.Dim)*(logd+log2Pi)) / 2
			if f.vel {
				fits -= float64(t.Dim) * log2Pi / 2
			}
			hi, lo := fits, f.outlier
			if hi < lo {
				hi, lo = lo, hi
			}
			sum -= hi + math.Log1p(math.Exp(lo-hi))
		}
	}
	return sum
}
