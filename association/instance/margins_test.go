package instance_test

import (
	"context"
	"math"
	"testing"

	"mtt/association"
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
	m := res.Instance.Margins(res.Dual)
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
