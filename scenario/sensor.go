package scenario

// This file is the sensor: it turns the living targets of a frame into a scan.

import (
	"math/rand/v2"

	"mtt"
	"mtt/internal/rng"
)

// observe makes the frame that a sensor sees of w.
func (w *world) observe(frame int, time float64, sensor int) *Frame {
	cfg, dim := &w.cfg, w.cfg.Dim
	f := w.truth(frame)
	w.survey(f)
	f.Scan = mtt.Scan{Frame: frame, Time: time, Sensor: sensor, Dim: dim}
	stream := func(name string) *rand.Rand { return rng.Stream(cfg.Seed, name, uint64(frame)) }
	if cfg.Sensors != nil {
		alarms := w.look(f, stream)
		w.addIdentity(f, alarms, stream)
		return f
	}
	seen := w.detect(f, stream("scenario/miss"), cfg.Miss, nil)

	clutter := stream("scenario/clutter")
	total := seen + rng.Poisson(clutter, cfg.Clutter)
	row := shuffled(stream("scenario/order"), total)
	f.Scan.Pos = make([]float64, total*dim)
	noise := stream("scenario/noise")
	for i := range w.targets {
		e := normal(noise, dim) // missed targets draw too, so that the others keep their errors
		if cfg.Stretch > 0 {
			e[dim-1] *= cfg.Stretch
		}
		if f.Det[i] >= 0 {
			f.Det[i] = row[f.Det[i]]
			measure(f.Scan.At(f.Det[i]), f.Pos[i*dim:], cfg.Noise, &e)
		}
	}
	for _, d := range row[seen:] {
		copy(f.Scan.At(d), w.falseAlarm(clutter, f))
	}
	w.addIdentity(f, row[seen:], stream)
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
		v := w.falseVelocity(drift)
		e := normal(drift, dim)
		measure(f.Scan.VelAt(d), v[:], cfg.VelocityNoise, &e)
	}
	return f
}

// truth is the frame of all living targets, none of them detected. In Walk and
// Cells they have no velocity.
func (w *world) truth(frame int) *Frame {
	n, dim := len(w.targets), w.cfg.Dim
	f := &Frame{ID: make([]int, n), Pos: make([]float64, 0, n*dim), Det: make([]int, n)}
	if !w.cfg.Scene.wanders() {
		f.Vel = make([]float64, n*dim)
	}
	if w.cfg.Scene == Cells {
		f.Parent = make([]int, n)
	}
	for i, t := range w.targets {
		f.ID[i] = t.id
		if f.Parent != nil {
			f.Parent[i] = t.parent
		}
		f.Pos = append(f.Pos, t.pos[:dim]...)
		if f.Vel != nil && frame >= w.cfg.Still {
			copy(f.Vel[i*dim:(i+1)*dim], t.vel[:])
		}
		f.Det[i] = -1
	}
	return f
}

// detect numbers the targets that are detected, in f.Det, and returns how many there are.
// A miss of the given probability lasts as long as Config.MissRun says; who is not seen
// is not detected either. A nil sees sees all.
func (w *world) detect(f *Frame, r *rand.Rand, miss float64, sees func(x []float64) bool) (seen int) {
	dim := w.cfg.Dim
	run := float64(w.cfg.MissRun)
	begin := miss / (float64((run+1)/2*(1-miss)) + miss) // probability that a run of misses begins
	for i, t := range w.targets {
		hidden := &t.hidden[f.Scan.Sensor]
		switch u := r.Float64(); {
		case *hidden > 0:
			*hidden--
		case u < begin:
			*hidden = int(run * u / begin)
		case sees == nil || sees(f.Pos[i*dim:(i+1)*dim]):
			f.Det[i] = seen
			seen++
		}
	}
	return seen
}

// shuffled are the places of n detections: targets first, then false alarms.
func shuffled(r *rand.Rand, n int) []int {
	row := make([]int, n) // row[d] is where detection d goes
	for d := range row {
		row[d] = d
	}
	rng.Shuffle(r, row)
	return row
}

// addIdentity adds what detections tell of who their targets are; those in alarms are false.
func (w *world) addIdentity(f *Frame, alarms []int, stream func(string) *rand.Rand) {
	w.addFeatures(f, alarms, stream)
	w.addClasses(f, alarms, stream)
}

// addClasses adds classes, from 1.
func (w *world) addClasses(f *Frame, alarms []int, stream func(string) *rand.Rand) {
	n := w.cfg.Classes
	if n == 0 {
		return
	}
	f.Scan.Class = make([]int32, f.Scan.Len())
	errs := stream("scenario/class")
	for i, t := range w.targets {
		wrong, other := errs.Float64() < w.cfg.Confusion, rng.IntN(errs, n) // missed targets draw too
		if d := f.Det[i]; d >= 0 {
			if f.Scan.Class[d] = t.class; wrong {
				f.Scan.Class[d] = int32(1 + other)
			}
		}
	}
	strange := stream("scenario/clutter-class")
	for _, d := range alarms {
		f.Scan.Class[d] = int32(1 + rng.IntN(strange, n))
	}
}

// addFeatures adds the features of the detections of f, of which those in alarms are
// false.
func (w *world) addFeatures(f *Frame, alarms []int, stream func(string) *rand.Rand) {
	n := w.cfg.Features
	if n == 0 {
		return
	}
	f.Scan.Feat = make([]float64, f.Scan.Len()*n)
	set := func(d int, identity, e []float64) {
		for k := range identity {
			f.Scan.Feat[d*n+k] = identity[k] + float64(w.cfg.FeatureNoise*e[k])
		}
	}
	noise := stream("scenario/feature-noise")
	for i, t := range w.targets {
		e := normals(noise, n) // missed targets draw too
		if d := f.Det[i]; d >= 0 {
			set(d, t.features, e)
		}
	}
	strange := stream("scenario/clutter-feature")
	for _, d := range alarms {
		set(d, normals(strange, n), normals(strange, n))
	}
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
	if w.cfg.ClutterRadius == 0 && w.cfg.Scene.walled() {
		p := inBox(r, dim, w.size)
		return p[:dim]
	}
	if w.cfg.ClutterRadius == 0 {
		p := make([]float64, dim)
		for i := range p {
			p[i] = rng.Uniform(r, w.low[i]-w.cfg.Spread, w.high[i]+w.cfg.Spread)
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

// falseVelocity draws the velocity of a false alarm, without noise.
func (w *world) falseVelocity(r *rand.Rand) [3]float64 {
	v := direction(r, w.cfg.Dim)
	speed := rng.Uniform(r, w.cfg.SpeedMin, w.cfg.SpeedMax)
	for i := range v {
		v[i] = float64(speed * v[i])
	}
	return v
}

// survey notes the range of the coordinates of the targets of a frame; 0 to 0 without targets.
func (w *world) survey(f *Frame) {
	w.low, w.high = [3]float64{}, [3]float64{}
	for k, x := range f.Pos {
		i := k % w.cfg.Dim
		if k < w.cfg.Dim {
			w.low[i], w.high[i] = x, x
		}
		w.low[i], w.high[i] = min(w.low[i], x), max(w.high[i], x)
	}
}
