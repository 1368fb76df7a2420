package association_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/association/chain"
	"mtt/association/gnn"
	"mtt/association/learn"
	"mtt/association/online"
	"mtt/association/refine"
	"mtt/costgen"
	"mtt/internal/nightly"
	"mtt/motion"
	"mtt/scenario"
	"mtt/sensor"
)

// This file tests models of one's own that are made of levels, and several sensors.

// own embeds the built-in model and adds a price to links: nothing, here.
type own struct {
	*costgen.Gaussian
	asked int
}

func (m *own) Pairs(dst []float64, a *mtt.Scan, i int, b *mtt.Scan, out []int32) {
	m.asked++
	m.Gaussian.Pairs(dst, a, i, b, out)
}

func TestLeveledModel(t *testing.T) {
	ctx := context.Background()
	for _, positions := range []bool{false, true} {
		scene, err := scenario.Simulate(ctx, &scenario.Config{
			Scene: scenario.Steer, Targets: 12, Frames: 15, Seed: 3, Noise: 0.2, VelocityNoise: 0.2, Miss: 0.1, Clutter: 3, NoVelocity: positions,
		})
		if err != nil {
			t.Fatal(err)
		}
		learnt, err := association.Track(ctx, scene.Scans, &association.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		model := &own{Gaussian: &costgen.Gaussian{Levels: *learnt.Levels}}
		got, err := association.Track(ctx, scene.Scans, &association.Options{Model: model, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Tracks, learnt.Tracks) {
			t.Errorf("positions only %v: a type that embeds the model gives other tracks", positions)
		}
		if model.asked == 0 {
			t.Error("the model was never asked")
		}
		var wraps []*own // the last one is that of the answer
		wrapped, err := association.Track(ctx, scene.Scans, &association.Options{
			Wrap: func(g *costgen.Gaussian) costgen.Leveled {
				wraps = append(wraps, &own{Gaussian: g})
				return wraps[len(wraps)-1]
			}, Workers: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(wrapped.Tracks, learnt.Tracks) || wraps == nil || wraps[len(wraps)-1].asked == 0 {
			t.Errorf("positions only %v: a model that wraps the learnt one gives other tracks, or is not asked", positions)
		}
		// Levels are priced by the field of the last scans, too, which a model is not.
		want, err := online.Track(ctx, scene.Scans, &online.Options{Model: &costgen.Gaussian{Levels: *learnt.Levels}})
		if err != nil {
			t.Fatal(err)
		}
		lag, err := online.Track(ctx, scene.Scans, &online.Options{Model: model})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(lag.Tracks, want.Tracks) {
			t.Errorf("positions only %v: online, the model gives other tracks", positions)
		}
		if _, err := association.Track(ctx, scene.Scans, &association.Options{Model: model, Sigma: 1}); !errors.Is(err, association.ErrOptions) {
			t.Errorf("a level beside those of the model: %v", err)
		}
	}
}

// TestSensors: where two sensors see different parts of the scene, a target out of view is
// not missed: together they make fewer errors than one who is taken to see everything.
func TestSensors(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("tracks two sensors")
	}
	ctx := context.Background()
	c := scenario.PairConfig()
	c.Targets, c.Frames, c.Seed = nightly.Or(20, 40), nightly.Or(30, 60), 1
	scene, err := scenario.Simulate(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	var sensors []sensor.Sensor
	for i := range c.Sensors {
		s := c.Sensors[i].Sensor
		s.Detect, s.Clutter = 0, 0 // to be learnt
		sensors = append(sensors, s)
	}
	if len(sensors) != 2 {
		t.Fatalf("%d sensors", len(sensors))
	}
	links := func(o *association.Options) (right int) {
		res, err := association.Track(ctx, scene.Scans, o)
		if err != nil {
			t.Fatal(err)
		}
		if p := res.Levels.Sensing; p != nil {
			for k, d := range p.Detect {
				if math.Abs(d-c.Sensors[k].Detect) > 0.2 {
					t.Errorf("sensor %d detects %.2f of what it sees, learnt %.2f", k, c.Sensors[k].Detect, d)
				}
				if told := c.Sensors[k].Clutter; p.Clutter[k] > 2*told+1 {
					t.Errorf("sensor %d gives %v false alarms, learnt %.2f", k, told, p.Clutter[k])
				}
				t.Logf("sensor %d: detects %.2f, %.2f false alarms", k, d, p.Clutter[k])
			}
		} else if o != nil {
			t.Error("nothing was learnt of the sensors")
		}
		next := make(map[mtt.Hit]mtt.Hit)
		for _, tr := range res.Tracks {
			for h := 1; h < len(tr.Hits); h++ {
				next[tr.Hits[h-1]] = tr.Hits[h]
			}
		}
		for _, tr := range scene.Truth {
			last := mtt.Hit{Det: -1}
			for _, h := range tr.Hits {
				if h.Det < 0 {
					continue
				}
				if last.Det >= 0 && next[last] == h {
					right++
				}
				last = h
			}
		}
		return right
	}
	seeing := links(&association.Options{Sensors: sensors})
	if nightly.Is() { // by day the scene has a few dozen links only
		if blind := links(nil); seeing <= blind {
			t.Errorf("%d links right without fields of view, %d with them", blind, seeing)
		}
	}
}

// TestTwoStarts: with several sensors the tracks are at least as likely as nearest neighbours that
// are refined.
func TestTwoStarts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("tracks two sensors at length")
	}
	ctx := context.Background()
	for _, seed := range nightly.Or([]uint64{1}, []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) { // seed 1 needs the other start
		c := scenario.PairConfig()
		c.Targets, c.Frames, c.Seed = 25, 30, seed
		scene, err := scenario.Simulate(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		levels := &costgen.Levels{
			Sigma: 0.35, Motion: motion.Reverting{}, Accel: 0.6, SpeedStd: 0.9, Revert: 0.2, Interval: 0.5, Dim: 2, PositionsOnly: true, MaxSpeed: 5,
			Rates:   costgen.Rates{Detect: 0.9, Survive: 0.995, Births: 0.1, Targets: 25, Clutter: 2, Volume: 1000},
			Sensing: &costgen.Sensing{Sensors: c.Describe(), Detect: []float64{0.9, 0.9}, Clutter: []float64{2, 2}, Volume: []float64{1000, 500}},
		}
		res, err := association.Track(ctx, scene.Scans, &association.Options{Levels: levels})
		if err != nil {
			t.Fatal(err)
		}
		model := &costgen.Gaussian{Levels: *levels}
		misses := 2 * (5 + learn.Between(scene.Scans))
		links, err := gnn.Links(ctx, scene.Scans, levels, &gnn.Options{Misses: misses, Speed: levels.MaxSpeed})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := refine.Links(ctx, links, scene.Scans, res.Instance.Gates, model, &refine.Options{Misses: misses, Speed: levels.MaxSpeed, Sweeps: 8}); err != nil {
			t.Fatal(err)
		}
		taken := chain.New(scene.Scans)
		at := make(map[int]int)
		for s := range scene.Scans {
			at[scene.Scans[s].Frame] = s
		}
		for _, tr := range res.Tracks {
			for h := 1; h < len(tr.Hits); h++ {
				a, b := tr.Hits[h-1], tr.Hits[h]
				taken.Link(chain.At(at[a.Frame], a.Det), chain.At(at[b.Frame], b.Det))
			}
		}
		got, other := refine.Price(taken, scene.Scans, model), refine.Price(links, scene.Scans, model)
		if got > other+1e-6 {
			t.Errorf("seed %d: the tracks cost %v, nearest neighbours refined %v", seed, got, other)
		}
		t.Logf("seed %d: %.1f, nearest neighbours refined %.1f", seed, got, other)
	}
}
