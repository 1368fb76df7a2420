package refine

import (
	"context"
	"errors"
	"slices"
	"testing"

	"mtt/association/chain/chaintest"
	"mtt/costgen"
	"mtt/gating"
	"mtt/motion"
)

// TestWindowNews wants filters that look at news only to say what they say when they
// look at everything.
func TestWindowNews(t *testing.T) {
	ctx := context.Background()
	const lag, misses = 3, 4
	scene := chaintest.Crowd(t, 7, 30, 60, false)
	levels := refineLevels(false, 2)
	levels.Sigma = 0.15
	levels.Rates.Targets, levels.Rates.Volume = 30, 150
	made := NewWindow(&costgen.Gaussian{Levels: levels}, &scene.Scans[0], gating.Ball{Radius: 1.5}, lag+misses+3, &Options{Misses: misses, Speed: 3})
	r := made.(*window[motion.State, motion.Information])
	links := 0
	for s := range scene.Scans {
		if r.Len() > lag+misses+2 {
			r.Drop()
		}
		if err := r.Add(&scene.Scans[s]); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(r.Extend(ctx), r.Improve(ctx, lag)); err != nil {
			t.Fatal(err)
		}
		from := max(0, r.open-1)
		filter := func() {
			r.backward()
			for u := from; u < len(r.scans); u++ {
				r.forward(u)
			}
		}
		filter()
		states, tails := make([][]motion.State, len(r.scans)), make([][]motion.Information, len(r.scans))
		for u := range r.scans {
			states[u], tails[u] = slices.Clone(r.states[u]), slices.Clone(r.tails[u])
			r.looks[u].forward, r.looks[u].backward, r.looks[u].news = -1, -1, r.clock
			for i := range r.stamp[u] {
				r.stamp[u][i] = r.clock
			}
		}
		filter()
		for u := from; u < len(r.scans); u++ {
			for i := range states[u] {
				if !r.filter.LikeState(&states[u][i], &r.states[u][i]) || !r.filter.LikeInformation(&tails[u][i], &r.tails[u][i]) {
					t.Fatalf("after scan %d: detection %d of scan %d is not up to date", s, i, u)
				}
				if r.Next[u][i].T >= 0 {
					links++
				}
			}
		}
	}
	if links < 1000 {
		t.Errorf("only %d links", links)
	}
}
