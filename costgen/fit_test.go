package costgen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
	"mtt/internal/nightly"
	"mtt/motion"
)

// This file tests Fit on tracks drawn from the very model, and the likelihood
// that it maximises against the Kalman filter of kalman_test.go.

// likelihood is the log likelihood of one track: what filter.cost adds up,
// step by step from the textbook filter.
func (p *population) likelihood(m *Levels, t *mtt.Track, wrong float64) float64 {
	state := begin(m, measurement(m, t.Pos, t.Vel, 0))
	var sum float64
	for h := 1; h < len(t.Hits); h++ {
		z, dt := measurement(m, t.Pos, t.Vel, h), p.time(h)-p.time(h-1)
		calm, wild := state.densities(m, dt, z)
		far := *m
		far.Sigma *= m.OutlierTimes
		outlier, _ := state.densities(&far, dt, z)
		calm += math.Log(1-m.ManoeuvreProb) + math.Log(1-m.OutlierProb)
		wild += math.Log(m.ManoeuvreProb) + math.Log(1-m.OutlierProb)
		outlier += math.Log(1-m.ManoeuvreProb) + math.Log(m.OutlierProb)
		sum += math.Log(math.Exp(calm) + math.Exp(wild) + math.Exp(outlier) + wrong)
		switch {
		case math.Log(wrong) > max(calm, wild, outlier):
			state = begin(m, z)
		case outlier > max(calm, wild):
			state = state.predict(dt, m.Accel).update(&far, z)
		case wild > calm:
			state = state.predict(dt, m.ManoeuvreAccel).update(m, z)
		default:
			state = state.predict(dt, m.Accel).update(m, z)
		}
	}
	return sum
}

// outlying are levels with outliers, which prices of links leave out.
var outlying = []struct {
	name string
	Levels
}{
	{"outliers", Levels{Sigma: 0.1, SigmaV: 0.2, Accel: 0.3, SpeedStd: 1, OutlierProb: 0.1, OutlierTimes: 5}},
	{"outliers of positions", Levels{Sigma: 0.1, Accel: 0.1, SpeedStd: 1, PositionsOnly: true, OutlierProb: 0.1, OutlierTimes: 5, ManoeuvreProb: 0.05, ManoeuvreAccel: 1}},
}

func TestFilter(t *testing.T) {
	irregular := func(h int) float64 { return float64(h) + 0.3*math.Sin(float64(h*h)) }
	missing := func(h int) float64 { return 0.1 * float64(h+h/4+h/7) }
	for _, tt := range append(slices.Clone(levelsUnderTest), outlying...) {
		for _, times := range []func(int) float64{nil, irregular, missing} {
			p := population{Levels: tt.Levels, seed: 5, tracks: 5, hits: 30, times: times, swaps: 4}
			tracks := p.draw()
			f := gather(&p.Levels, tracks, p.time, enough)
			for _, wrong := range []float64{1e-7, 1e-30} {
				f.wrong = wrong
				for _, scale := range []float64{1, 0.3} { // the levels of the tracks, and others
					m := p.Levels
					m.Sigma *= scale
					m.Accel /= scale
					var want float64
					for i := range tracks {
						want -= p.likelihood(&m, &tracks[i], wrong)
					}
					if got := f.cost(&m); math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
						t.Errorf("%s, regular %v, wrong links %g, levels × %g: cost %.9g, want %.9g", tt.name, times == nil, wrong, scale, got, want)
					}
				}
			}
		}
	}
}

func TestFit(t *testing.T) {
	plain := Levels{Sigma: 0.1, SigmaV: 0.2, Accel: 0.1, SpeedStd: 1}
	positions := Levels{Sigma: 0.1, Accel: 0.1, SpeedStd: 1, PositionsOnly: true}
	turns := Levels{Sigma: 0.1, SigmaV: 0.1, Accel: 0.05, SpeedStd: 1, ManoeuvreProb: 0.05, ManoeuvreAccel: 1}
	rare := Levels{Sigma: 0.02, Accel: 0.02, SpeedStd: 1, ManoeuvreProb: 0.01, ManoeuvreAccel: 0.5, PositionsOnly: true}
	space := plain
	space.Dim = 3
	fast := Levels{Sigma: 5, SigmaV: 50, Accel: 200, SpeedStd: 2000, ManoeuvreProb: 0.1, ManoeuvreAccel: 4000, Interval: 0.04}
	for _, tt := range []struct {
		name string
		population
	}{
		{"plain", population{Levels: plain}},
		{"space", population{Levels: space}},
		{"positions", population{Levels: positions}},
		{"odd times", population{Levels: plain, times: func(h int) float64 { return float64(h) + 0.3*math.Sin(float64(h)) }}},
		{"wrong links", population{Levels: plain, swaps: 5}},
		{"wrong links of positions", population{Levels: positions, swaps: 5}},
		{"turns", population{Levels: turns}},
		{"rare turns of positions", population{Levels: rare}},
		{"other units", population{Levels: fast, times: func(h int) float64 { return 0.04 * float64(h) }}},
		{"one long track", population{Levels: plain, tracks: 1, hits: 20000}},
		{"long tracks", population{Levels: turns, tracks: 7, hits: 1000}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for seed := range nightly.Or[uint64](1, 3) {
				p := tt.population
				p.seed = seed
				if p.tracks == 0 {
					p.tracks, p.hits = 100, 25
				}
				got := Levels{Dim: p.Dim, PositionsOnly: p.PositionsOnly}
				if !Fit(&got, p.draw(), p.time) {
					t.Fatal("Fit found nothing to go by")
				}
				// 2500 hits tell a level to some two per cent, and so do its
				// 125 manoeuvres ManoeuvreAccel to ten, 25 of them to twenty.
				compare(t, seed, "Sigma", got.Sigma, p.Sigma, 0.08)
				compare(t, seed, "SigmaV", got.SigmaV, p.SigmaV, 0.05)
				compare(t, seed, "Accel", got.Accel, p.Accel, 0.12)
				compare(t, seed, "ManoeuvreProb", got.ManoeuvreProb, p.ManoeuvreProb, 0.45)
				compare(t, seed, "ManoeuvreAccel", got.ManoeuvreAccel, p.ManoeuvreAccel, 0.45)
			}
		})
	}
}

// TestFitRare: manoeuvres that add too little for Fit are there for FitRare, and make tracks likelier.
func TestFitRare(t *testing.T) {
	p := population{Levels: Levels{Sigma: 0.1, SigmaV: 0.1, Accel: 0.05, SpeedStd: 1, ManoeuvreProb: 0.03, ManoeuvreAccel: 0.12}, seed: 1, tracks: 50, hits: 50}
	tracks := p.draw()
	var usual, rare Levels
	if !Fit(&usual, tracks, p.time) || !FitRare(&rare, tracks, p.time) {
		t.Fatal("nothing to go by")
	}
	if usual.ManoeuvreProb != 0 || rare.ManoeuvreProb == 0 {
		t.Errorf("probabilities of a manoeuvre: %g by Fit, %g by FitRare, want 0 by Fit alone", usual.ManoeuvreProb, rare.ManoeuvreProb)
	}
	without, _ := Likelihood(&usual, tracks, p.time)
	if with, _ := Likelihood(&rare, tracks, p.time); with <= without {
		t.Errorf("log likelihood %g with manoeuvres, %g without", with, without)
	}
}

// compare checks a level within a relative tolerance.
func compare(t *testing.T, seed uint64, name string, got, want, tol float64) {
	t.Helper()
	if math.Abs(got-want) > tol*want {
		t.Errorf("seed %d: %s is %.4g, want %.4g", seed, name, got, want)
	}
}

// TestGather checks that all hits are kept of short data, and some 3000, from
// beginning to end, of long data in whatever tracks they come.
func TestGather(t *testing.T) {
	for _, tt := range []struct{ tracks, hits, want int }{
		{1, 2, 0}, {1, 3, 3}, {7, 30, 210}, {1, 3000, 3000},
		{1, 50000, 3000}, {3, 4000, 3000}, {1000, 4, 3000}, {2000, 50, 3000},
	} {
		p := population{Levels: Levels{Sigma: 1, SigmaV: 1}, tracks: tt.tracks, hits: tt.hits}
		tracks := p.draw()
		f := gather(&p.Levels, tracks, p.time, enough)
		if f.hits < tt.want || f.hits > tt.want+100 {
			t.Errorf("%d tracks of %d hits: %d are kept, want %d", tt.tracks, tt.hits, f.hits, tt.want)
		}
		if tt.want == 0 {
			continue
		}
		last := f.paths[len(f.paths)-1]
		for i := range tracks { // the last path is of the last tenth
			for lo := range tracks[i].Hits {
				if &tracks[i].Pos[2*lo] == &last.pos[0] && 10*(i*tt.hits+lo+len(last.dt)+1) < 9*tt.tracks*tt.hits {
					t.Errorf("%d tracks of %d hits: nothing is kept after hit %d of track %d", tt.tracks, tt.hits, lo, i)
				}
			}
		}
	}
}

// TestFitGiven checks that levels that are given stay, whichever they are.
func TestFitGiven(t *testing.T) {
	truth := Levels{Sigma: 0.1, SigmaV: 0.2, Accel: 0.1, SpeedStd: 1, ManoeuvreProb: 0.1, ManoeuvreAccel: 1}
	p := population{Levels: truth, tracks: 30, hits: 20}
	tracks := p.draw()
	for bits := range 1 << 5 {
		var m Levels
		for n, level := range []struct{ to, from *float64 }{
			{&m.Sigma, &truth.Sigma}, {&m.SigmaV, &truth.SigmaV}, {&m.Accel, &truth.Accel},
			{&m.SpeedStd, &truth.SpeedStd}, {&m.ManoeuvreProb, &truth.ManoeuvreProb},
		} {
			if bits>>n&1 == 1 {
				*level.to = 3 * *level.from
			}
		}
		if m.ManoeuvreProb > 0 {
			m.ManoeuvreAccel = 3 * truth.ManoeuvreAccel
		}
		m.Rates, m.SizeStd, m.Interval = someRates, 0.1, 2
		given := m
		if !Fit(&m, tracks, p.time) {
			t.Fatalf("Fit(%+v) found nothing to go by", given)
		}
		for _, level := range []struct {
			name       string
			got, given float64
			turns      bool
		}{
			{"Sigma", m.Sigma, given.Sigma, false}, {"SigmaV", m.SigmaV, given.SigmaV, false}, {"Accel", m.Accel, given.Accel, false},
			{"SpeedStd", m.SpeedStd, given.SpeedStd, false}, {"ManoeuvreProb", m.ManoeuvreProb, given.ManoeuvreProb, true}, {"ManoeuvreAccel", m.ManoeuvreAccel, given.ManoeuvreAccel, true},
		} {
			switch {
			case level.given != 0 && level.got != level.given:
				t.Errorf("given %+v: %s became %v", given, level.name, level.got)
			case level.given == 0 && !level.turns && !(level.got > 0):
				t.Errorf("given %+v: %s is %v, want an estimate", given, level.name, level.got)
			case level.given == 0 && level.turns && given.Accel > 0 && level.got != 0:
				t.Errorf("given %+v: %s is %v, want 0 since Accel is given", given, level.name, level.got)
			}
		}
		if m.Rates != given.Rates || m.SizeStd != given.SizeStd || m.Interval != given.Interval {
			t.Errorf("given %+v: got %+v", given, m)
		}
	}
}

// TestFitNothing checks what is too little to go by, or no number.
func TestFitNothing(t *testing.T) {
	p := population{Levels: Levels{Sigma: 0.1, SigmaV: 0.1, Accel: 0.1, SpeedStd: 1}, tracks: 20, hits: 2}
	three := population{Levels: p.Levels, tracks: 1, hits: 3}
	bad := three.draw()
	bad[0].Pos[3] = math.NaN()
	for _, tt := range []struct {
		name   string
		tracks []mtt.Track
		time   func(int) float64
		want   bool
	}{
		{"no track", nil, p.time, false},
		{"tracks of two hits", p.draw(), p.time, false},
		{"a track of three hits", three.draw(), p.time, true},
		{"one among others", append(p.draw(), three.draw()...), p.time, true},
		{"a position that is no number", bad, p.time, false},
		{"a time that is no number", three.draw(), func(int) float64 { return math.NaN() }, false},
		{"a time that stands still", three.draw(), func(int) float64 { return 1 }, false},
	} {
		var m Levels
		if got := Fit(&m, tt.tracks, tt.time); got != tt.want {
			t.Errorf("%s: Fit = %v, want %v", tt.name, got, tt.want)
		}
		if !tt.want && m != (Levels{}) {
			t.Errorf("%s: levels are %+v, want none", tt.name, m)
		}
	}
}

// TestFitStill fits tracks of targets that do not move, seen with and without
// noise: levels are small, and usable all the same.
func TestFitStill(t *testing.T) {
	for _, noise := range []float64{0, 0.1} {
		r := rand.New(rand.NewPCG(1, 1))
		var tracks []mtt.Track
		for i := range 20 {
			track := mtt.Track{ID: i, Dim: 2}
			for h := range 20 {
				track.Hits = append(track.Hits, mtt.Hit{Frame: h})
				track.Pos = append(track.Pos, float64(i)+noise*r.NormFloat64(), noise*r.NormFloat64())
				track.Vel = append(track.Vel, 0, 0)
			}
			tracks = append(tracks, track)
		}
		var m Levels
		if !Fit(&m, tracks, func(frame int) float64 { return float64(frame) }) {
			t.Fatalf("noise %v: Fit found nothing to go by", noise)
		}
		if math.Abs(m.Sigma-noise) > 0.1*noise+1e-6 || m.SigmaV > 0.01 || m.Accel > 0.01 {
			t.Errorf("noise %v: levels %+v", noise, m)
		}
		scan := func(t int) *mtt.Scan {
			return &mtt.Scan{Time: float64(t), Dim: 2, Pos: tracks[0].At(t), Vel: []float64{0, 0}}
		}
		var got [1]float64
		(&Gaussian{Levels: m}).Triplets(got[:], 1, scan(0), []int32{0}, scan(1), 0, scan(2), []int32{0})
		if !(math.Abs(got[0]) < 20) {
			t.Errorf("noise %v: a still triplet costs %v", noise, got[0])
		}
	}
}

// TestFitWithoutVelocities checks that tracks decide, not only the levels.
func TestFitWithoutVelocities(t *testing.T) {
	p := population{Levels: Levels{Sigma: 0.1, SigmaV: 0.1, Accel: 0.1, SpeedStd: 1}, tracks: 50, hits: 20}
	tracks := p.draw()
	tracks[7].Vel = nil
	got, want := Levels{}, Levels{PositionsOnly: true}
	Fit(&got, tracks, p.time)
	Fit(&want, tracks, p.time)
	want.PositionsOnly = false
	if got != want {
		t.Errorf("levels %+v, want those of positions alone %+v", got, want)
	}
}

func BenchmarkFit(b *testing.B) {
	plain := Levels{Sigma: 0.1, SigmaV: 0.1, Accel: 0.1, SpeedStd: 1}
	turns := Levels{Sigma: 0.1, SigmaV: 0.1, Accel: 0.05, SpeedStd: 1, ManoeuvreProb: 0.05, ManoeuvreAccel: 1}
	missing := func(h int) float64 { return float64(h + h/9) }
	for _, bb := range []struct {
		name  string
		times func(int) float64
		Levels
	}{{"plain", nil, plain}, {"missing", missing, plain}, {"turns", nil, turns}} {
		for _, only := range []bool{false, true} {
			name := bb.name
			if only {
				name += "-positions"
			}
			b.Run(fmt.Sprintf("%s/hits=2500", name), func(b *testing.B) {
				p := population{Levels: bb.Levels, tracks: 100, hits: 25, times: bb.times}
				p.PositionsOnly = only
				tracks := p.draw()
				for b.Loop() {
					Fit(&Levels{PositionsOnly: only}, tracks, p.time)
				}
			})
		}
	}
}

// TestFitOnALine: of positions on a line noise and acceleration are those along it, whichever axis
// it is, and no step is a manoeuvre.
func TestFitOnALine(t *testing.T) {
	for _, dim := range []int{2, 3} {
		for axis := range dim {
			p := population{Levels: Levels{Sigma: 0.3, Accel: 0.1, SpeedStd: 1, Dim: dim, PositionsOnly: true}, seed: 3, tracks: 20, hits: 60}
			tracks := p.draw()
			for i := range tracks {
				for k := range tracks[i].Pos {
					if k%dim != axis {
						tracks[i].Pos[k] = 7
					}
				}
			}
			m := Levels{Dim: dim, PositionsOnly: true}
			if !Fit(&m, tracks, p.time) || math.Abs(m.Sigma/p.Sigma-1) > 0.1 || math.Abs(m.Accel/p.Accel-1) > 0.2 || m.ManoeuvreProb > 0 {
				t.Errorf("along axis %d of %d: noise %.3g, acceleration %.3g, manoeuvres %.2g; want %v, %v, 0", axis, dim, m.Sigma, m.Accel, m.ManoeuvreProb, p.Sigma, p.Accel)
			}
		}
	}
}

// TestFitTold: levels of turns that were told stay as they are, below what is learnt otherwise.
func TestFitTold(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	var tracks []mtt.Track
	for i := range 10 {
		tr := mtt.Track{ID: i + 1, Dim: 2}
		x, y, angle := 0.0, 0.0, 2*math.Pi*rng.Float64()
		for f := range 30 {
			tr.Hits = append(tr.Hits, mtt.Hit{Frame: f})
			tr.Pos = append(tr.Pos, x+0.1*rng.NormFloat64(), y+0.1*rng.NormFloat64())
			angle += 0.2
			x, y = x+math.Cos(angle), y+math.Sin(angle)
		}
		tracks = append(tracks, tr)
	}
	time := func(frame int) float64 { return float64(frame) }
	const accel, walk = 1e-4, 1e-5
	told := Levels{Motion: motion.Turn{}, PositionsOnly: true, Accel: accel, TurnWalk: walk}
	free := Levels{Motion: motion.Turn{}, PositionsOnly: true}
	if !FitSmooth(&told, tracks, time) || !FitSmooth(&free, tracks, time) {
		t.Fatal("nothing to go by")
	}
	if told.Accel != accel || told.TurnWalk != walk {
		t.Errorf("told %v and %v, they became %v and %v", accel, walk, told.Accel, told.TurnWalk)
	}
	if !(free.Accel > accel && free.TurnWalk > walk) {
		t.Errorf("learnt %v and %v, no more than %v and %v", free.Accel, free.TurnWalk, accel, walk)
	}
}
