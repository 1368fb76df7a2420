package online

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
	"mtt/costgen"
	"mtt/motion"
	"mtt/scenario"
)

// TestWarmUpWhole: of a warm-up all scans are known when the first of them are settled. Where a fifth
// of the targets is missed and a fourth of what is detected false, a third of the links that are
// wrong by six scans alone are right with it.
func TestWarmUpWhole(t *testing.T) {
	t.Parallel()
	wrong := 0.0
	for seed := range uint64(6) {
		scene, err := scenario.Simulate(t.Context(), &scenario.Config{
			Scene: scenario.Steer, Targets: 30, Frames: 14, Dim: 3, Noise: 0.1, NoVelocity: true, Miss: 0.2, Clutter: 10, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		levels := &costgen.Levels{Sigma: 0.1, Accel: 0.18, SpeedStd: 0.95, MaxSpeed: 4, Interval: 1, Dim: 3, PositionsOnly: true, Motion: motion.Velocity{},
			Rates: costgen.Rates{Detect: 0.8, Hidden: 0.2, Survive: 0.99, Births: 0.05, Targets: 30, Clutter: 10, Volume: 20_000}}
		res, err := Track(t.Context(), scene.Scans, &Options{Levels: levels, WarmUp: 12, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		wrong += wrongLinks(t, scene.Truth, res.Tracks) / 6
	}
	if t.Logf("%.2f %%", wrong); wrong > 0.75 {
		t.Errorf("%.2f %% of the links are wrong", wrong)
	}
}

// party are walkers on lines side by side, one more in each tenth scan, who go for 40 scans, and from
// a scan on ten more.
func party(frames, from int) (scans []mtt.Scan) {
	rng := rand.New(rand.NewPCG(1, 6))
	for f := range frames {
		s := mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
		walk := func(line, since int) {
			if age := f - since; age >= 0 && age < 40 {
				s.Pos = append(s.Pos, 20*float64(line)+0.1*rng.NormFloat64(), (1+0.05*float64(line%6))*float64(age)+0.1*rng.NormFloat64())
			}
		}
		for n := range frames/10 + 4 {
			walk(n%6, 10*n-40)
		}
		for who := range 10 {
			walk(6+who, from+who%2)
		}
		scans = append(scans, s)
	}
	return scans
}

// TestParty: who comes in a group begins more tracks at once than chance would have it. Levels that
// say well how they move are not thrown away for those of a dozen scans.
func TestParty(t *testing.T) {
	t.Parallel()
	k, err := NewTracker(&Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	scans := party(120, 100)
	for s := range scans {
		if err := k.Step(t.Context(), &scans[s]); err != nil {
			t.Fatal(err)
		}
	}
	if k.lesson.last < 100 {
		t.Fatal("nothing seemed to have changed")
	}
	if len(k.recent) < 100 {
		t.Errorf("levels of %d scans took the place of those of a hundred", len(k.recent))
	}
}

// settingOut is a scene of targets that stand for 25 scans and then all go off.
func settingOut(t *testing.T) *scenario.Scene {
	t.Helper()
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{
		Scene: scenario.Steer, Targets: 40, Frames: 60, Still: 25, Noise: 0.05, NoVelocity: true, Miss: 0.02, Clutter: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return scene
}

// TestLearntSoonAfter: what was learnt from a few scans after a change and some before it is learnt
// again when eight have come since, at once, and as soon as a dozen have and there was time for it,
// not twice that time.
func TestLearntSoonAfter(t *testing.T) {
	t.Parallel()
	scene := settingOut(t)
	hurry(scene.Scans)
	k, err := NewTracker(&Options{Sigma: 0.05, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	var taken []int
	for s := range scene.Scans {
		before := k.model
		if err := k.Step(t.Context(), &scene.Scans[s]); err != nil {
			t.Fatal(err)
		}
		if k.model != before {
			taken = append(taken, s)
		}
	}
	if want := []int{28, 32, 44}; len(taken) < 3 || !slices.Equal(taken[len(taken)-3:], want) {
		t.Errorf("levels are taken at scans %v, want the last ones at %v", taken, want)
	}
}

// TestSettledBeforeLearnt: levels of scans since a change alone, for which all move on evenly, are not
// taken while links across it are open, however long these wait.
func TestSettledBeforeLearnt(t *testing.T) {
	t.Parallel()
	scene := settingOut(t)
	for _, lag := range []int{10, 20} {
		r, err := Track(t.Context(), scene.Scans, &Options{Sigma: 0.05, Lag: lag, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		cut := 0
		for n := range r.Tracks {
			hits := r.Tracks[n].Hits
			if end := hits[len(hits)-1].Frame; end > 20 && end < 29 {
				cut++
			}
		}
		if cut > 2 {
			t.Errorf("lag %d: %d tracks end where all targets set out", lag, cut)
		}
	}
}
