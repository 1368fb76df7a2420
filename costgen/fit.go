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
// being Gaussian or, with probability 0.0002, anywhere within six typical steps, so
// that a few wrong links do not pass for manoeuvres; its maximum is sought by Nelder and Mead's method over
// the logarithms. Long data are thinned to some four thousand hits. It
// reports whether there was enough to go by: at least one track of three hits.
func Fit(m *Levels, tracks []mtt.Track, time func(frame int) float64) bool {
	f, step, interval := newFitter(m, tracks, time)
	if f == nil {
		return false
	}
	if m.SpeedStd == 0 {
		m.SpeedStd = max(step/interval, tiny)
	}
	turns := m.Accel == 0
	accel := 0.1 * step / math.Pow(interval, 1.5)
	search := &search{fitter: f, levels: m}
	if m.Sigma == 0 {
		search.free(&m.Sigma, 0.1*step)
	}
	if f.vel && m.SigmaV == 0 {
		search.free(&m.SigmaV, 0.1*step/interval)
	}
	if m.Accel == 0 {
		search.free(&m.Accel, accel)
	}
	if len(search.level) == 0 {
		return true
	}
	without := search.run()
	if !turns {
		return true
	}
	// Manoeuvres must earn their two parameters.
	plain := *m
	search.free(&m.TurnAccel, 3*m.Accel)
	search.free(&m.Turns, 0.05)
	with := search.run()
	if m.Turns < 0.002 || without-with < worth*float64(f.hits) {
		*m = plain
	}
	return true
}

// FitAccel is the most likely Accel given the other levels and the tracks. It
// is 0 when there is nothing to go by.
func FitAccel(m *Levels, tracks []mtt.Track, time func(frame int) float64) float64 {
	f, step, interval := newFitter(m, tracks, time)
	if f == nil {
		return 0
	}
	levels := *m
	search := &search{fitter: f, levels: &levels}
	search.free(&levels.Accel, 0.1*step/math.Pow(interval, 1.5))
	search.run()
	return levels.Accel
}

// newFitter prepares the likelihood of tracks; nil when none has three hits. It
// also returns the typical step on an axis, and interval.
func newFitter(m *Levels, tracks []mtt.Track, time func(frame int) float64) (f *fitter, step, interval float64) {
	f = &fitter{time: time, vel: !m.PositionsOnly}
	total := 0
	for i := range tracks {
		if len(tracks[i].Hits) >= 3 {
			total += len(tracks[i].Hits)
		}
	}
	if total == 0 {
		return nil, 0, 0
	}
	const enough = 4000 // hits
	every := 1 + total/enough
	kept := 0
	for i := range tracks {
		if len(tracks[i].Hits) < 3 {
			continue
		}
		if kept++; kept%every == 0 || every == 1 {
			f.tracks = append(f.tracks, &tracks[i])
			f.hits += len(tracks[i].Hits)
		}
	}
	step, interval = f.scale()
	f.outlier = math.Log(2e-4) - float64(tracks[0].Dim)*math.Log(max(12*step, tiny))
	if f.vel {
		f.outlier -= float64(tracks[0].Dim) * math.Log(max(12*step/interval, tiny))
	}
	return f, step, interval
}

// worth is the gain in log likelihood for each hit from which on manoeuvres are
// part of the model.
const worth = 0.02

// A search looks for the most likely levels.
type search struct {
	*fitter
	levels *Levels
	level  []*float64 // free
	x, low []float64  // their logarithms, and where those stop
}

func (s *search) free(level *float64, start float64) {
	start = max(start, tiny)
	*level = start
	s.level = append(s.level, level)
	s.x = append(s.x, math.Log(start))
	s.low = append(s.low, math.Log(start/100))
}

func (s *search) set(x []float64) {
	for i, p := range s.level {
		*p = math.Exp(max(x[i], s.low[i]))
	}
	m := s.levels
	if m.Turns > 0 {
		m.Turns = min(m.Turns, 0.9)
		m.TurnAccel = max(m.TurnAccel, m.Accel)
	}
}

// run searches from where the last search ended and returns the cost there.
func (s *search) run() float64 {
	problem := optimize.Problem{Func: func(x []float64) float64 {
		s.set(x)
		return s.cost(s.levels)
	}}
	result, err := optimize.Minimize(problem, s.x, &optimize.Settings{
		FuncEvaluations: 60 * len(s.x),
		Converger:       &optimize.FunctionConverge{Absolute: 2e-5 * float64(s.hits), Iterations: 8 * len(s.x)},
	}, &optimize.NelderMead{SimplexSize: 0.7})
	if result != nil && (err == nil || !math.IsInf(result.F, 0)) {
		s.x = result.X
	}
	s.set(s.x)
	return s.cost(s.levels)
}

const log2Pi = 1.8378770664093453

// tiny keeps noise levels positive where nothing moves.
const tiny = 1e-9

type fitter struct {
	tracks []*mtt.Track
	hits   int
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

// cost is the negative log likelihood of the tracks.
func (f *fitter) cost(m *Levels) float64 {
	var sum float64
	for _, t := range f.tracks {
		sum += f.track(m, t)
	}
	return sum
}

// track runs the filter over one track. Each step is taken as smooth or as a
// manoeuvre, whichever is likelier.
func (f *fitter) track(m *Levels, t *mtt.Track) (cost float64) {
	r, rv := m.Sigma*m.Sigma, m.SigmaV*m.SigmaV
	dim := float64(t.Dim)
	dof := dim
	if f.vel {
		dof *= 2
	}
	scale := dof * log2Pi / 2
	prior := [2]float64{0, math.Inf(-1)} // log probability of a smooth step, of a manoeuvre
	accel := [2]float64{m.Accel, m.TurnAccel}
	if m.Turns > 0 {
		prior = [2]float64{math.Log1p(-m.Turns), math.Log(m.Turns) + TailPeak(dof)}
	}
	var x, v [3]float64
	p := [3]float64{r, 0, m.SpeedStd * m.SpeedStd} // covariance, the same on all axes
	copy(x[:], t.At(0))
	if f.vel {
		copy(v[:], t.Vel[:t.Dim])
		p[2] = rv
	}
	for h := 1; h < len(t.Hits); h++ {
		dt := f.time(t.Hits[h].Frame) - f.time(t.Hits[h-1].Frame)
		var pp, pv, vv float64 // innovation, squared
		z := t.At(h)
		var w []float64
		if f.vel {
			w = t.Vel[h*t.Dim : (h+1)*t.Dim]
		}
		for n := range t.Dim {
			x[n] += dt * v[n]
			d := z[n] - x[n]
			pp += d * d
			if f.vel {
				e := w[n] - v[n]
				pv += d * e
				vv += e * e
			}
		}
		likelihood := f.outlier
		best, first := math.Inf(-1), p
		var inv [3]float64
		for k, a := range accel {
			if math.IsInf(prior[k], -1) {
				continue
			}
			q := a * a
			s := [3]float64{
				first[0] + 2*dt*first[1] + dt*dt*first[2] + q*dt*dt*dt/3,
				first[1] + dt*first[2] + q*dt*dt/2,
				first[2] + q*dt,
			}
			i, logd := invert([3]float64{s[0] + r, s[1], s[2] + rv}, !f.vel)
			d2 := i[0]*pp + 2*i[1]*pv + i[2]*vv
			if k == 1 {
				d2 = Tail(d2, dof)
			}
			l := prior[k] - (d2+dim*logd)/2 - scale
			if l > best {
				best, p, inv = l, s, i
			}
			likelihood = logSum(likelihood, l)
		}
		cost -= likelihood
		k := [4]float64{p[0]*inv[0] + p[1]*inv[1], p[0]*inv[1] + p[1]*inv[2], p[1]*inv[0] + p[2]*inv[1], p[1]*inv[1] + p[2]*inv[2]}
		for n := range t.Dim {
			d, e := z[n]-x[n], 0.0
			if f.vel {
				e = w[n] - v[n]
			}
			x[n] += k[0]*d + k[1]*e
			v[n] += k[2]*d + k[3]*e
		}
		p = [3]float64{p[0] - k[0]*p[0] - k[1]*p[1], p[1] - k[0]*p[1] - k[1]*p[2], p[2] - k[2]*p[1] - k[3]*p[2]}
	}
	return cost
}

// logSum is log(eˣ + eʸ).
func logSum(x, y float64) float64 {
	if x < y {
		x, y = y, x
	}
	if x-y > 40 {
		return x
	}
	return x + math.Log1p(math.Exp(y-x))
}
