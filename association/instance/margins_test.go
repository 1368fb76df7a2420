package instance_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"mtt/association"
	"mtt/dualascent"
	"mtt/scenario"
)

// Every hit but those of the first scan has a margin that is no less than what the bounds know,
// links over misses too.
func TestMargins(t *testing.T) {
	scene, err := scenario.Simulate(context.Background(), &scenario.Config{Targets: 8, Frames: 8, Noise: 0.3, Miss: 0.1, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	opts := &association.Options{NoRefine: true}
	opts.Dual.Effort = math.Inf(1)
	res, err := association.Track(context.Background(), scene.Scans, opts)
	if err != nil {
		t.Fatal(err)
	}
	m := res.Instance.Margins(res.Dual, dualascent.NewMargins(&res.Instance.Dual, res.Dual.Prices, res.Dual.Next, res.Dual.UpperBound))
	links := 0
	for k := range res.Tracks {
		for h := range res.Tracks[k].Hits {
			hit := res.Tracks[k].Hits[h]
			x := m.Before[hit.Frame-scene.Scans[0].Frame][hit.Det]
			switch {
			case hit.Frame == scene.Scans[0].Frame:
				if !math.IsNaN(x) {
					t.Errorf("a birth in the first scan has margin %v", x)
				}
			case math.IsNaN(x) || x < res.Dual.LowerBound-res.Dual.UpperBound:
				t.Errorf("track %d, hit %d: margin %v", k, h, x)
			default:
				links++
			}
		}
	}
	if links < 20 {
		t.Errorf("%d links: this tests nothing", links)
	}
}

// Exact margins are no less than those of the prices, no more than what was found, and the same with
// any number of workers.
func TestExactMargins(t *testing.T) {
	scene, err := scenario.Simulate(context.Background(), &scenario.Config{Scene: scenario.Steer, NoVelocity: true, Targets: 60, Frames: 12, Noise: 0.1, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	res, err := association.Track(context.Background(), scene.Scans, &association.Options{NoRefine: true})
	if err != nil {
		t.Fatal(err)
	}
	inst, dual := &res.Instance.Dual, res.Dual
	bound := dualascent.NewMargins(inst, dual.Prices, dual.Next, dual.UpperBound)
	one, err := dualascent.ExactMargins(context.Background(), inst, dual, nil)
	if err != nil {
		t.Fatal(err)
	}
	three, err := dualascent.ExactMargins(context.Background(), inst, dual, &dualascent.MarginOptions{Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(one, three) {
		t.Error("margins depend on the number of workers")
	}
	higher, tight := 0, 0
	for p := range one.Out {
		for i, x := range one.Out[p] {
			if x < bound.Out[p][i]-1e-9 || x > one.OutMost[p][i]+1e-9 {
				t.Errorf("pair %d, row %d: margin %v, by prices %v, and something else costs %v more", p, i, x, bound.Out[p][i], one.OutMost[p][i])
			}
			if x > bound.Out[p][i]+1e-6 {
				higher++
			}
			if x > one.OutMost[p][i]-1e-9 {
				tight++
			}
		}
	}
	if higher < 10 || tight < 10 {
		t.Errorf("%d margins are higher than by prices, %d are exact: this tests nothing", higher, tight)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := dualascent.ExactMargins(ctx, inst, dual, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}
