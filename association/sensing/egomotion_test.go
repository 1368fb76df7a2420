package sensing_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/metrics"
	"mtt/motion"
	"mtt/scenario"
)

// carriedScene is a scene of a sensor that moves, and where it truly was in each frame: the same
// scene, seen by one that stands still, tells.
func carriedScene(t *testing.T, c scenario.Config) (scene *scenario.Scene, path [][]float64) {
	t.Helper()
	scene, err := scenario.Simulate(context.Background(), &c)
	if err != nil {
		t.Fatal(err)
	}
	c.Shake, c.Carry = 0, 0
	still, err := scenario.Simulate(context.Background(), &c)
	if err != nil {
		t.Fatal(err)
	}
	path = make([][]float64, c.Frames)
	for i, tr := range still.Truth {
		for h, hit := range tr.Hits {
			for x := range tr.Dim {
				if len(path[hit.Frame]) < tr.Dim {
					path[hit.Frame] = append(path[hit.Frame], scene.Truth[i].At(h)[x]-tr.At(h)[x])
				}
			}
		}
	}
	return scene, path
}

// TestEgomotion tracks what a camera sees that is carried: where it was is learnt but for a
// straight line, and tracks are nearly those of a camera at rest.
func TestEgomotion(t *testing.T) {
	t.Parallel()
	for _, c := range []scenario.Config{
		{Scene: scenario.Arena, Spread: 12, Targets: 20, Frames: 30, Noise: 0.2, NoVelocity: true, Miss: 0.05, Clutter: 1, Carry: 3, Seed: 3},
		{Scene: scenario.Drift, Spread: 30, Targets: 15, Frames: 30, Noise: 0.2, NoVelocity: true, Dim: 3, Shake: 6, Seed: 2, Uneven: 0.4},
	} {
		scene, path := carriedScene(t, c)
		res, err := association.Track(context.Background(), scene.Scans, &association.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		shifts := res.Levels.Shifts
		if shifts == nil {
			t.Fatalf("%s: the sensor stands still, noise %v", c.Scene, res.Levels.Sigma)
		}
		if res.Moved < 100 {
			t.Errorf("%s: the motion of the sensor is %v nat likelier than none, want many", c.Scene, res.Moved)
		}
		if s := res.Levels.Sigma; s < 0.15 || s > 0.25 {
			t.Errorf("%s: noise %v, want 0.2", c.Scene, s)
		}
		dim, frames := scene.Config.Dim, float64(c.Frames)
		var worst float64
		for x := range dim {
			// What is left is a straight line, or nearly: the bends of targets that accelerate are
			// on average not 0.
			var off []float64
			mean, slope, square := 0.0, 0.0, 0.0
			for f := range path {
				off = append(off, shifts.At(f)[x]-path[f][x])
				mean += off[f] / frames
			}
			middle := scene.Scans[0].Time/2 + scene.Scans[len(scene.Scans)-1].Time/2
			for f := range off {
				dt := scene.Scans[f].Time - middle
				slope, square = slope+dt*off[f], square+dt*dt
			}
			for f := range off {
				worst = max(worst, math.Abs(off[f]-mean-slope/square*(scene.Scans[f].Time-middle)))
			}
		}
		if worst > 3 {
			t.Errorf("%s: shifts are up to %v m off a straight line from the true ones", c.Scene, worst)
		}
		score := func(tracks []mtt.Track) *metrics.Report {
			r, err := metrics.ScoreContext(context.Background(), scene.Truth, tracks, &metrics.Options{Only: metrics.Links | metrics.Identity})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		fixed, err := association.Track(context.Background(), scene.Scans, &association.Options{Workers: 1, FixedSensor: true, NoStates: true})
		if err != nil {
			t.Fatal(err)
		}
		if fixed.Levels.Shifts != nil {
			t.Errorf("%s: a sensor that is said to stand still moves", c.Scene)
		}
		with, without := score(res.Tracks), score(fixed.Tracks)
		t.Logf("%s: MMEP %.3g, fixed %.3g; IDF1 %.4g, fixed %.4g; %.0f nat; worst %.2g", c.Scene, with.MMEP, without.MMEP, with.IDF1, without.IDF1, res.Moved, worst)
		if with.MMEP > 1 || without.MMEP < 2*with.MMEP {
			t.Errorf("%s: %v %% of links are wrong, %v %% with the sensor at rest", c.Scene, with.MMEP, without.MMEP)
		}
		again, err := association.Track(context.Background(), scene.Scans, &association.Options{Workers: 1, Levels: res.Levels, NoStates: true})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(again.Tracks, res.Tracks, func(a, b mtt.Track) bool { return slices.Equal(a.Hits, b.Hits) && slices.Equal(a.Pos, b.Pos) }) {
			t.Errorf("%s: levels given back make other tracks", c.Scene)
		}
		for i, tr := range res.Tracks {
			for h, hit := range tr.Hits {
				for x, v := range scene.Scans[hit.Frame].At(hit.Det) {
					if tr.At(h)[x] != v {
						t.Fatalf("%s: hit %d of track %d is at %v, its detection at %v", c.Scene, h, tr.ID, tr.At(h), scene.Scans[hit.Frame].At(hit.Det))
					}
				}
			}
			s := &res.States[i]
			for k, hit := range s.Hits {
				if hit.Det < 0 {
					continue
				}
				for x, v := range scene.Scans[hit.Frame].At(hit.Det) {
					if d := math.Abs(s.Mean[k*2*dim+x] - v); d > 1.5 {
						t.Fatalf("%s: state %d of track %d is %v m beside its detection", c.Scene, k, s.ID, d)
					}
				}
			}
		}
	}
}

// TestCarried has the levels of targets that wander, each by itself, in what carries all along,
// whether or not it is said that they do.
func TestCarried(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		scene, err := scenario.Simulate(t.Context(), &scenario.Config{Scene: scenario.Walk, Targets: 40, Frames: 25, Step: 0.4, Noise: 0.1, Miss: 0.05, NoVelocity: true, Seed: 11 + seed})
		if err != nil {
			t.Fatal(err)
		}
		still, err := association.Track(t.Context(), scene.Scans, &association.Options{Workers: 1, NoStates: true})
		if err != nil {
			t.Fatal(err)
		}
		if still.Levels.Shifts != nil {
			t.Errorf("seed %d: what stands still is carried along", 11+seed)
		}
		r, step := rand.New(rand.NewPCG(seed, 1)), still.Levels.Accel
		at, drift := [2]float64{}, [2]float64{0.9 * step, -0.5 * step}
		for f := range scene.Scans {
			for k := range scene.Scans[f].Pos {
				scene.Scans[f].Pos[k] += at[k%2]
			}
			for x := range at {
				at[x] += drift[x] + 0.2*step*r.NormFloat64()
			}
		}
		for _, said := range []motion.Model{nil, motion.Walk{}} {
			res, err := association.Track(t.Context(), scene.Scans, &association.Options{Workers: 1, NoStates: true, Motion: said})
			if err != nil {
				t.Fatal(err)
			}
			g := res.Levels
			if g.Motion != motion.Model(motion.Walk{}) || g.Shifts == nil {
				t.Errorf("seed %d, motion %v: %v, shifts %v", 11+seed, said, g.Motion, g.Shifts != nil)
				continue
			}
			if math.Abs(g.Accel/step-1) > 0.1 || res.Moved < 50 || len(res.Warnings) > 0 {
				t.Errorf("seed %d, motion %v: root of twice the diffusion %v, %v where nothing carries them; %v nat; %q", 11+seed, said, g.Accel, step, res.Moved, res.Warnings)
			}
			last, first := g.Shifts.At(scene.Scans[24].Frame), g.Shifts.At(scene.Scans[0].Frame)
			for x := range at {
				if d := last[x] - first[x] - (at[x] - drift[x]); math.Abs(d) > 3*step { // of steps 40 targets say the mean to a fifth, and 24 of them add up to one: three times that
					t.Errorf("seed %d, motion %v, axis %d: the last scan is %v off, in steps", 11+seed, said, x, d/step)
				}
			}
		}
	}
}

// TestEgomotionOfNothing finds no motion of a sensor that stands still, or of one that is carried
// along a straight line.
func TestEgomotionOfNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []scenario.Config{
		{Scene: scenario.Steer, Targets: 20, Frames: 20, Noise: 0.1, NoVelocity: true, Miss: 0.1, Clutter: 3},
		{Scene: scenario.Flow, Targets: 40, Frames: 12, Step: 0.4},
	} {
		scene, err := scenario.Simulate(context.Background(), &c)
		if err != nil {
			t.Fatal(err)
		}
		for f := range scene.Scans {
			for k := range scene.Scans[f].Pos {
				scene.Scans[f].Pos[k] += 3 * float64(f)
			}
		}
		res, err := association.Learn(context.Background(), scene.Scans, &association.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if res.Levels.Shifts != nil {
			t.Errorf("%s: the sensor moves, rms %v m", c.Scene, res.Levels.Shifts.RMS())
		}
	}
}
