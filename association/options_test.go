package association_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/association/chain/chaintest"
	"mtt/association/instance"
	"mtt/association/online"
	"mtt/costgen"
	"mtt/dualascent"
	"mtt/gating"
	"mtt/internal/nightly"
	"mtt/scenario"
)

// This file tests what options promise: that they are used, or refused.

// TestLevelsAgain: the levels of a result, and nothing else, give its tracks, costs and
// gate, to the last bit.
func TestLevelsAgain(t *testing.T) {
	t.Parallel()
	base := scenario.Config{Scene: scenario.Steer, Targets: 40, Frames: 30, Spread: 2, Noise: 0.2, VelocityNoise: 0.2, Miss: 0.1, Clutter: 4, ClutterRadius: 4, Births: 0.5}
	for name, edit := range map[string]func(c *scenario.Config, o *association.Options){
		"all":       func(*scenario.Config, *association.Options) {},
		"positions": func(c *scenario.Config, _ *association.Options) { c.NoVelocity, c.Noise = true, 0.05 },
		"unread":    func(c *scenario.Config, o *association.Options) { o.IgnoreVelocity, c.Noise = true, 0.05 },
		"steady": func(c *scenario.Config, _ *association.Options) {
			c.Miss, c.Clutter, c.Births, c.NoVelocity = 0, 0, 0, true
		},
		"identity": func(c *scenario.Config, _ *association.Options) {
			c.Features, c.FeatureNoise, c.Classes, c.Confusion, c.NoVelocity = 2, 0.5, 3, 0.1, true
		},
		"space":       func(c *scenario.Config, _ *association.Options) { c.Dim, c.NoVelocity, c.Noise = 3, true, 0.05 },
		"told":        func(c *scenario.Config, o *association.Options) { o.Sigma, o.SigmaV, o.MaxSpeed = 0.2, 0.2, 5 },
		"frame pairs": func(_ *scenario.Config, o *association.Options) { o.Engine = association.Greedy },
		"filters":     func(c *scenario.Config, o *association.Options) { o.Engine, c.NoVelocity = association.GNN, true },
	} {
		t.Run(name, func(t *testing.T) {
			c, o := base, association.Options{}
			edit(&c, &o)
			c.Targets, c.Frames = nightly.Or(15, 40), nightly.Or(20, 30)
			for seed := range nightly.Or[uint64](1, 2) {
				c.Seed = seed
				scene, err := scenario.Simulate(t.Context(), &c)
				if err != nil {
					t.Fatal(err)
				}
				first, err := association.Track(t.Context(), scene.Scans, &o)
				if err != nil {
					t.Fatal(err)
				}
				again, err := association.Track(t.Context(), scene.Scans, &association.Options{Levels: first.Levels, Engine: o.Engine})
				if err != nil {
					t.Fatal(err)
				}
				if len(first.Tracks) == 0 || !reflect.DeepEqual(again.Tracks, first.Tracks) || !reflect.DeepEqual(again.Plain, first.Plain) {
					t.Errorf("seed %d: %d tracks, then %d, not the same", seed, len(first.Tracks), len(again.Tracks))
				}
				if again.Gate != first.Gate || *again.Levels != *first.Levels || o.Engine != association.GNN && again.Cost != first.Cost {
					t.Errorf("seed %d: cost %v and %v, gates %v and %v", seed, first.Cost, again.Cost, first.Gate, again.Gate)
				}
			}
		})
	}
}

// TestLevelsOnline: the levels of a tracker give its tracks again, with a warm-up as long, as that is
// settled by all of its scans.
func TestLevelsOnline(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		seed uint64
		lag  int
	}{{1, 5}, {2, 5}, {4, 0}, {5, 0}} {
		scene := chaintest.Crowd(t, tt.seed, 12, 20, false)
		first, err := online.Track(t.Context(), scene.Scans, &online.Options{Lag: tt.lag})
		if err != nil {
			t.Fatal(err)
		}
		again, err := online.Track(t.Context(), scene.Scans, &online.Options{Lag: tt.lag, Levels: first.Levels, WarmUp: 20})
		if err != nil {
			t.Fatal(err)
		}
		if len(first.Tracks) == 0 || !reflect.DeepEqual(first.Tracks, again.Tracks) {
			t.Errorf("%+v: %d tracks, then %d, not the same", tt, len(first.Tracks), len(again.Tracks))
		}
	}
}

// TestRefused: options without a use are an error that says which.
func TestRefused(t *testing.T) {
	scenes := map[bool][]mtt.Scan{true: chaintest.Crowd(t, 1, 8, 6, true).Scans, false: chaintest.Crowd(t, 1, 8, 6, false).Scans}
	levels, model := &costgen.Levels{Dim: 3, PositionsOnly: true}, &costgen.Trapezoid{}
	for _, tt := range []struct {
		opts association.Options
		vel  bool
		word string
	}{
		{opts: association.Options{Engine: "best"}, word: "engine"},
		{opts: association.Options{Cost: "best"}, word: "cost"},
		{opts: association.Options{Sigma: -1}, word: "noise level"},
		{opts: association.Options{Cost: association.Paper}, word: "velocities"},
		{opts: association.Options{Model: model, Cost: association.NLL}, word: "Model"},
		{opts: association.Options{Levels: levels, Sigma: 1}, word: "Levels"},
		{opts: association.Options{Levels: levels}, word: "3 dimensions"},
		{opts: association.Options{Levels: &costgen.Levels{Dim: 2}}, word: "velocities"},
		{opts: association.Options{Levels: &costgen.Levels{Dim: 2}, IgnoreVelocity: true}, vel: true, word: "velocities"},
		{opts: association.Options{Engine: association.GNN, Cost: association.Paper}, vel: true, word: "gnn"},
		{opts: association.Options{Engine: association.GNN, Model: model}, word: "gnn"},
		{opts: association.Options{Engine: association.GNN, Gate: gating.Ball{Radius: 1}}, word: "gate"},
		{opts: association.Options{Engine: association.Greedy, Start: &instance.Start{}}, word: "starts"},
		{opts: association.Options{Model: model, Resolution: 1}, word: "Resolution"},
		{opts: association.Options{Dual: dualascent.Options{Workers: 2}}, word: "Workers"},
		{opts: association.Options{Dual: dualascent.Options{Scheme: dualascent.Parallel}}, word: "Scheme"},
		{opts: association.Options{Dual: dualascent.Options{Prices: []dualascent.Prices{}}}, word: "Start"},
	} {
		if _, err := association.Track(t.Context(), scenes[tt.vel], &tt.opts); !errors.Is(err, association.ErrOptions) || !strings.Contains(err.Error(), tt.word) {
			t.Errorf("%+v: error %v, want one about %q", tt.opts, err, tt.word)
		}
	}
	if _, err := association.Build(t.Context(), scenes[true], &association.Options{Engine: association.GNN}); !errors.Is(err, association.ErrOptions) {
		t.Errorf("an instance of gnn: error %v", err)
	}
}

// TestProgress: what steers the dual ascent reaches it.
func TestProgress(t *testing.T) {
	scans := chaintest.Crowd(t, 1, 20, 15, true).Scans
	told := 0
	if _, err := association.Track(t.Context(), scans, &association.Options{
		Dual: dualascent.Options{Progress: func(dualascent.Step) { told++ }},
	}); err != nil || told == 0 {
		t.Errorf("told of %d steps, error %v", told, err)
	}
}

// TestCancelled: every engine ends with its context and says so.
func TestCancelled(t *testing.T) {
	scans := chaintest.Crowd(t, 1, 20, 15, true).Scans
	known, err := association.Learn(t.Context(), scans, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, engine := range association.Engines() {
		for _, levels := range []*costgen.Levels{nil, known.Levels} {
			if _, err := association.Track(ctx, scans, &association.Options{Engine: engine, Levels: levels}); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, levels given: %v: error %v", engine, levels != nil, err)
			}
		}
	}
	if _, err := online.Track(ctx, scans, &online.Options{Levels: known.Levels}); !errors.Is(err, context.Canceled) {
		t.Errorf("online: error %v", err)
	}
}

// TestBadScans: slices that do not fit together are an error that names the frame.
func TestBadScans(t *testing.T) {
	good := func(f int) mtt.Scan {
		return mtt.Scan{Frame: f, Time: float64(f), Dim: 2, Pos: []float64{0, 1, 2, 3}, Vel: []float64{0, 0, 0, 0}}
	}
	for name, spoil := range map[string]func(s *mtt.Scan){
		"velocity":  func(s *mtt.Scan) { s.Vel = s.Vel[:1] },
		"size":      func(s *mtt.Scan) { s.Size = []float64{1} },
		"position":  func(s *mtt.Scan) { s.Pos = s.Pos[:3] },
		"time":      func(s *mtt.Scan) { s.Time = 0 },
		"dimension": func(s *mtt.Scan) { s.Dim = 4 },
	} {
		scans := []mtt.Scan{good(0), good(1), good(2)}
		spoil(&scans[1])
		for _, engine := range association.Engines() {
			if _, err := association.Track(t.Context(), scans, &association.Options{Engine: engine}); !errors.Is(err, mtt.ErrScan) || !strings.Contains(err.Error(), "frame 1") {
				t.Errorf("%s, %s: error %v", name, engine, err)
			}
		}
	}
}

// TestWork: what learning does is counted the same with any number of goroutines, and all kinds of it are.
func TestWork(t *testing.T) {
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{Scene: scenario.Turn, Targets: 12, Frames: 30, Noise: 0.1, NoVelocity: true, Miss: 0.05, Clutter: 1, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	var sums [2]association.Work
	for n := range sums {
		sum := &sums[n]
		opts := association.Options{Workers: 1 + 2*n, Piloted: func(w association.Work) {
			sum.Triplets, sum.Pairs, sum.Hits, sum.Turning, sum.Sought = sum.Triplets+w.Triplets, sum.Pairs+w.Pairs, sum.Hits+w.Hits, sum.Turning+w.Turning, sum.Sought+w.Sought
		}}
		if _, err := association.Learn(t.Context(), scene.Scans, &opts); err != nil {
			t.Fatal(err)
		}
	}
	if w := sums[0]; w != sums[1] || min(w.Triplets, w.Pairs, w.Hits, w.Turning, w.Sought) == 0 {
		t.Errorf("work is %+v with one goroutine, %+v with three", sums[0], sums[1])
	}
}

// TestSpent: where there is no time, the levels of the first beginning are taken: in a crowd that
// turns among false alarms they take less than half of the work.
func TestSpent(t *testing.T) {
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{Scene: scenario.Drift, Targets: 20, Frames: 16, Noise: 0.1, NoVelocity: true, Miss: 0.2, Clutter: 8, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	var pairs [2]int
	for n, spent := range []func() bool{nil, func() bool { return true }} {
		opts := association.Options{Workers: 1, Spent: spent, Piloted: func(w association.Work) { pairs[n] += w.Pairs }}
		if res, err := association.Learn(t.Context(), scene.Scans, &opts); err != nil || !(res.Levels.Sigma > 0) {
			t.Fatalf("levels %+v, %v", res, err)
		}
	}
	if pairs[1] == 0 || 2*pairs[1] > pairs[0] {
		t.Errorf("%d pairs are weighed where there is no time, %d where there is", pairs[1], pairs[0])
	}
}
