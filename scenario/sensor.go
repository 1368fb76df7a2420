package scenario

// This file is the sensor: it turns the living targets of a frame into a scan.

import (
	"math"
	"math/rand/v2"

	"mtt"
	"mtt/internal/rng"
)

// observe makes the frame that the sensor sees of w.
func (w *world) observe(frame int) *Frame {
	cfg, n, dim := &w.cfg, len(w.targets), w.cfg.Dim
	stream := func(name string) *rand.Rand { return rng.Stream(cfg.Seed, name, uint64(frame)) }

	f := &Frame{
		ID:  make([]int, n),
		Pos: make([]float64, 0, n*dim),
		Vel: make([]float64, 0, n*dim),
		Det: make([]int, n),
	}
	miss := stream("scenario/miss")
	run := float64(cfg.MissRun)
	begin := cfg.Miss / ((run+1)/2*(1-cfg.Miss) + cfg.Miss) // probability that a run of misses begins
	seen := 0
	for i, t := range w.targets {
		f.ID[i] = t.id
		f.Pos = append(f.Pos, t.pos[:dim]...)
		f.Vel = append(f.Vel, t.vel[:dim]...)
		f.Det[i] = -1
		switch u := miss.Float64(); {
		case t.hidden > 0:
			t.hidden--
		case u < begin:
			t.hidden = int(run * u / begin)
		default:
			f.Det[i] = seen
			seen++
		}
	}

	clutter := stream("scenario/clutter")
	total := seen + rng.Poisson(clutter, cfg.Clutter)
	row := make([]int, total) // row[d] is where detection d goes: targets first, then false alarms
	for d := range row {
		row[d] = d
	}
	rng.Shuffle(stream("scenario/order"), row)

	f.Scan = mtt.Scan{Frame: frame, Time: float64(frame) * cfg.Interval, Dim: dim, Pos: make([]float64, total*dim)}
	noise := stream("scenario/noise")
	for i := range w.targets {
		e := normal(noise, dim) // missed targets draw too, so that the others keep their errors
		if f.Det[i] >= 0 {
			f.Det[i] = row[f.Det[i]]
			measure(f.Scan.At(f.Det[i]), f.Pos[i*dim:], cfg.Noise, &e)
		}
	}
	for _, d := range row[seen:] {
		copy(f.Scan.At(d), w.falseAlarm(clutter, f))
	}
	if cfg.NoVelocity {
		return f
	}

	f.Scan.Vel = make([]float64, total*dim)
	noise = stream("scenario/velocity-noise")
	for i, d := range f.Det {
		e := normal(noise, dim)
		if d >= 0 {
			measure(f.Scan.VelAt(d), f.Vel[i*dim:], cfg.VelocityNoise, &e)
		}
	}
	drift := stream("scenario/clutter-velocity")
	for _, d := range row[seen:] {
		v := direction(drift, dim)
		speed := rng.Uniform(drift, cfg.SpeedMin, cfg.SpeedMax)
		for i := range v {
			v[i] = float64(speed * v[i])
		}
		e := normal(drift, dim)
		measure(f.Scan.VelAt(d), v[:], cfg.VelocityNoise, &e)
	}
	return f
}

// measure sets dst to truth + sigma·e.
func measure(dst, truth []float64, sigma float64, e *[3]float64) {
	for i := range dst {
		dst[i] = truth[i] + float64(sigma*e[i])
	}
}

// normal draws dim independent standard normal numbers.
func normal(r *rand.Rand, dim int) (e [3]float64) {
	e[0], e[1] = rng.Normal(r)
	if dim == 3 {
		e[2], _ = rng.Normal(r)
	}
	return e
}

// falseAlarm draws the position of a false alarm in frame f.
func (w *world) falseAlarm(r *rand.Rand, f *Frame) []float64 {
	dim := w.cfg.Dim
	if w.cfg.ClutterRadius == 0 && w.cfg.Scene == Drift {
		p := inBox(r, dim, w.size)
		return p[:dim]
	}
	if w.cfg.ClutterRadius == 0 {
		p := make([]float64, dim)
		for i := range p {
			lo, hi := f.extent(i, dim)
			p[i] = rng.Uniform(r, lo-w.cfg.Spread, hi+w.cfg.Spread)
		}
		return p
	}
	p := inBall(r, dim, w.cfg.ClutterRadius)
	if len(f.ID) > 0 {
		i := rng.IntN(r, len(f.ID))
		for k := range dim {
			p[k] += f.Pos[i*dim+k]
		}
	}
	return p[:dim]
}

// extent is the range of coordinate i of the targets; 0 to 0 without targets.
func (f *Frame) extent(i, dim int) (lo, hi float64) {
	if len(f.ID) == 0 {
		return 0, 0
	}
	lo, hi = math.Inf(1), math.Inf(-1)
	for ; i < len(f.Pos); i += dim {
		lo, hi = min(lo, f.Pos[i]), max(hi, f.Pos[i])
	}
	return lo, hi
}
