package refine

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"mtt"
	"mtt/association/chain"
	"mtt/costgen"
	"mtt/internal/nightly"
	"mtt/motion"
	"mtt/scenario"
)

// This file tests odds against the sum over all sets of tracks.

// each calls do with all sets of tracks of scans.
func each(scans []mtt.Scan, do func(c *chain.Links)) {
	c := chain.New(scans)
	var nodes []chain.Node
	for t := range scans {
		for i := range scans[t].Len() {
			nodes = append(nodes, chain.At(t, i))
		}
	}
	var choose func(k int)
	choose = func(k int) {
		if k == len(nodes) {
			do(c)
			return
		}
		choose(k + 1)
		for _, a := range nodes[:k] {
			if a.T < nodes[k].T && c.Next[a.T][a.Det] == chain.None {
				c.Link(a, nodes[k])
				choose(k + 1)
				c.Unlink(a)
			}
		}
	}
	choose(0)
}

// TestOdds: links of the likeliest set of tracks are as probable as the sum over all sets says.
func TestOdds(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	var off, said, square float64
	n, doubted := 0, 0
	for trial := range nightly.Or(8, 400) {
		levels := &costgen.Levels{
			Sigma: 0.2, Accel: 0.3, SpeedStd: 1, Interval: 1, Dim: 2, PositionsOnly: true,
			Rates: costgen.Rates{Detect: 0.9, Hidden: 0.3, Survive: 0.9, Births: 0.3, Targets: 2, Clutter: 0.5, Volume: 20},
		}
		scans := make([]mtt.Scan, 3)
		for f := range scans {
			scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			for k := range 6 - len(scans) {
				x := float64(k) + 0.5*float64(f)
				scans[f].Pos = append(scans[f].Pos, x+0.25*random.NormFloat64(), 0.25*random.NormFloat64())
			}
		}
		model := &costgen.Gaussian{Levels: *levels}
		best, sum := math.Inf(1), 0.0
		var home *chain.Links
		each(scans, func(c *chain.Links) {
			if cost := whole(c, scans, levels); cost < best {
				best, home = cost, c.Clone()
			}
		})
		right := make(map[chain.Node]float64)
		each(scans, func(c *chain.Links) {
			p := math.Exp(best - whole(c, scans, levels))
			sum += p
			for f := range scans {
				for i, before := range c.Prev[f] {
					if before == home.Prev[f][i] {
						right[chain.At(f, i)] += p
					}
				}
			}
		})
		var all []Candidate
		for f := range scans {
			for i := range scans[f].Len() {
				for g := f + 1; g < len(scans); g++ {
					for j := range scans[g].Len() {
						all = append(all, Candidate{chain.At(f, i), chain.At(g, j), true})
					}
				}
			}
		}
		odds, err := NewOdds(t.Context(), home, scans, all, model, 1)
		if err != nil {
			t.Fatal(err)
		}
		if trial == 0 {
			if side, err := NewOdds(t.Context(), home, scans, all, model, 3); err != nil || !reflect.DeepEqual(odds, side) {
				t.Errorf("odds depend on the number of goroutines: %v", err)
			}
		}
		for f := 1; f < len(scans); f++ {
			for i := range scans[f].Len() {
				p, want := 1/(1+math.Exp(odds.Against[f][i])), right[chain.At(f, i)]/sum
				n++
				off += p - want
				square += (p - want) * (p - want)
				said += want
				if want < 0.9 {
					doubted++
				}
			}
		}
	}
	off, rms := off/float64(n), math.Sqrt(square/float64(n))
	t.Logf("%d links, %d of them doubted: off by %.4f on average, rms %.4f", n, doubted, off, rms)
	if math.Abs(off) > 0.02 || rms > 0.034 || doubted < n/4 {
		t.Errorf("%d links, %d of them doubted: off by %.4f on average, rms %.4f", n, doubted, off, rms)
	}
}

// TestOddsInterrupted: an ended context is told.
func TestOddsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	scans := []mtt.Scan{{Dim: 2, Pos: []float64{0, 0}}, {Frame: 1, Time: 1, Dim: 2, Pos: []float64{0, 0}}}
	levels := costgen.Levels{Sigma: 0.2, Accel: 0.3, SpeedStd: 1, Interval: 1, Dim: 2, PositionsOnly: true,
		Rates: costgen.Rates{Detect: 0.9, Hidden: 0.3, Survive: 0.9, Births: 0.3, Targets: 2, Clutter: 0.5, Volume: 20}}
	if _, err := NewOdds(ctx, chain.New(scans), scans, nil, &costgen.Gaussian{Levels: levels}, 1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestLikeliestFactor finds the factor with which comparisons were drawn, and 1 where there are none.
func TestLikeliestFactor(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for _, want := range []float64{0.6, 1, 1.5} {
		more := make([]float64, 4000)
		for k := range more {
			if more[k] = 6 * random.Float64(); random.Float64() > 1/(1+math.Exp(-want*more[k])) {
				more[k] *= -1
			}
		}
		if got := likeliestFactor(more); math.Abs(got/want-1) > 0.1 {
			t.Errorf("factor %.3f, want %v", got, want)
		}
	}
	if got := likeliestFactor(nil); math.Abs(got-1) > 1e-3 {
		t.Errorf("factor %.3f of nothing", got)
	}
}

// TestSharpness: where targets move as the model says a nat is worth a nat; where they turn
// smoothly, which the model takes for noise, it is worth more.
func TestSharpness(t *testing.T) {
	const scenes = 4 // of one the estimate is off by a tenth
	for _, tt := range []struct {
		scene       scenario.Kind
		accel       float64 // m/s^1.5: what the model says
		least, most float64
	}{{scenario.Drift, math.Sqrt(0.02), 0.87, 1.13}, {scenario.Steer, 0.25, 1.3, 2.2}} {
		mean := 0.0
		for seed := range uint64(scenes) {
			levels := costgen.Levels{Sigma: 0.1, Accel: tt.accel, SpeedStd: 1, Interval: 1, Dim: 2, PositionsOnly: true,
				Rates: costgen.Rates{Detect: 0.99, Hidden: 0.3, Survive: 0.99, Births: 0.3, Targets: 60, Clutter: 0.5, Volume: 1000}}
			mean += sharpnessOf(t, &scenario.Config{Scene: tt.scene, Targets: 60, Frames: 25, Noise: 0.1, NoVelocity: true, Spread: 20, Seed: 1 + seed}, &levels) / scenes
		}
		t.Logf("%s: sharpness %.3f", tt.scene, mean)
		if mean < tt.least || mean > tt.most {
			t.Errorf("%s: sharpness %.3f, want %v to %v", tt.scene, mean, tt.least, tt.most)
		}
	}
}

// sharpnessOf is that of the true tracks of a scene.
func sharpnessOf(t *testing.T, c *scenario.Config, levels *costgen.Levels) float64 {
	t.Helper()
	s, err := scenario.Simulate(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	links := chain.New(s.Scans)
	for k := range s.Truth {
		last := chain.None
		for _, h := range s.Truth[k].Hits {
			if h.Det < 0 {
				continue
			}
			at := chain.At(int32(h.Frame), int32(h.Det))
			if last != chain.None {
				links.Link(last, at)
			}
			last = at
		}
	}
	odds, err := NewOdds(t.Context(), links, s.Scans, nil, &costgen.Gaussian{Levels: *levels}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return odds.Sharpness
}

// TestSharpnessOfWalks: where nothing but chance moves targets, a nat is worth a nat.
func TestSharpnessOfWalks(t *testing.T) {
	const scenes = 6
	mean := 0.0
	for seed := range uint64(scenes) {
		const step = 0.3 * 2.5 * 0.5 / 1.17741 // standard deviation on an axis: of Step, Spread, neighbours and the median of lengths
		levels := costgen.Levels{Motion: motion.Walk{}, Sigma: 3e-3, Accel: step, Interval: 1, Dim: 2, PositionsOnly: true,
			Rates: costgen.Rates{Detect: 0.99, Hidden: 0.3, Survive: 0.99, Births: 0.3, Targets: 100, Clutter: 0.5, Volume: 625}}
		mean += sharpnessOf(t, &scenario.Config{Scene: scenario.Walk, Targets: 100, Frames: 50, Step: 0.3, Spread: 2.5, Seed: 300 + seed}, &levels) / scenes
	}
	t.Logf("sharpness %.3f", mean)
	if mean < 0.92 || mean > 1.08 {
		t.Errorf("sharpness %.3f, want 1", mean)
	}
}

// TestSharpnessOfWhatIsSure: noise is no sharper than it is where false alarms are near, for which
// detections that lie far off would be taken.
func TestSharpnessOfWhatIsSure(t *testing.T) {
	const scenes = 3
	mean := 0.0
	for seed := range uint64(scenes) {
		levels := costgen.Levels{Sigma: 0.1, Accel: 1e-3, SpeedStd: 1, Interval: 1, Dim: 2, PositionsOnly: true, ManoeuvreProb: 0.07, ManoeuvreAccel: 1.5,
			Rates: costgen.Rates{Detect: 0.9, Hidden: 0.1, Survive: 0.999, Births: 0.1, Targets: 60, Clutter: 9, Volume: 375}}
		mean += sharpnessOf(t, &scenario.Config{Scene: scenario.Bounce, Targets: 60, Frames: 25, Noise: 0.1, NoVelocity: true, Miss: 0.1, Clutter: 9, Seed: 1 + seed}, &levels) / scenes
	}
	t.Logf("sharpness %.3f", mean)
	if mean < 0.87 || mean > 1.13 {
		t.Errorf("sharpness %.3f, want 1", mean)
	}
}

// TestAlone: what nothing else has to do with is as probable as its odds say, however few draws there are.
func TestAlone(t *testing.T) {
	const frames = 6
	levels := &costgen.Levels{
		Sigma: 0.3, Accel: 0.2, SpeedStd: 1, Interval: 1, Dim: 2, PositionsOnly: true,
		Rates: costgen.Rates{Detect: 1 - 1e-15, Hidden: 1e-60, Survive: 1, Births: 1e-60, Targets: 2, Clutter: 1e-60, Volume: 1e4},
	}
	scans := make([]mtt.Scan, frames)
	for f := range scans {
		y := 0.2 + 0.4*math.Abs(float64(f)-frames/2+0.5)
		scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2, Pos: []float64{float64(f), y, float64(f), -y}}
	}
	links := chain.New(scans)
	for f := 1; f < frames; f++ {
		for i := range 2 {
			links.Link(chain.At(f-1, i), chain.At(f, i))
		}
	}
	const at = frames / 2
	candidates := []Candidate{{chain.At(at-1, 0), chain.At(at, 1), false}, {chain.At(at-1, 1), chain.At(at, 0), false}}
	model := &costgen.Gaussian{Levels: *levels}
	odds, err := NewOdds(t.Context(), links, scans, candidates, model, 1)
	if err != nil {
		t.Fatal(err)
	}
	crossed := links.Clone()
	for i := range 2 {
		crossed.Unlink(chain.At(at-1, i))
	}
	for i := range 2 {
		crossed.Link(chain.At(at-1, i), chain.At(at, 1-i))
	}
	want := Price(links, scans, model) - Price(crossed, scans, model)
	if odds.Sharpness != 1 || math.Abs(want) > 5 {
		t.Fatalf("sharpness %v, log odds %v: the case is none", odds.Sharpness, want)
	}
	for i, got := range odds.Against[at] {
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("log odds of the other target before detection %d are %v, want %v", i, got, want)
		}
	}
}
