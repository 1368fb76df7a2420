package refine

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"mtt"
	"mtt/association/chain"
	"mtt/association/chain/chaintest"
	"mtt/costgen"
	"mtt/gating"
	"mtt/motion"
	"mtt/scenario"
)

// TestRemembered: what a window remembers of detections near its states is what a search finds,
// also of states that have changed since, and links are those of a window that remembers nothing.
func TestRemembered(t *testing.T) {
	ctx := t.Context()
	const lag, misses = 3, 3
	scene, err := scenario.Simulate(ctx, &scenario.Config{
		Scene: scenario.Steer, Targets: 80, Frames: 50, Seed: 7, Spread: 5, Noise: 0.15, VelocityNoise: 0.15, Miss: 0.15, Clutter: 10, Births: 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	levels := refineLevels(true, 2)
	levels.Sigma, levels.SigmaV, levels.Accel = 0.15, 0.15, 0.2
	levels.Rates.Targets, levels.Rates.Clutter, levels.Rates.Volume = 80, 10, 2000
	make := func() *window[motion.PlaneState, motion.PlaneInformation] {
		w := NewWindow(&costgen.Gaussian{Levels: levels}, &scene.Scans[0], gating.Ball{Radius: 1.5}, lag+misses+12, &Options{Misses: misses, Speed: 3, Workers: 1})
		return w.(*window[motion.PlaneState, motion.PlaneInformation])
	}
	w, plain := make(), make()
	plain.memory.crowded = true
	looked, fresh := 0, 0
	for s := range scene.Scans {
		for _, x := range []*window[motion.PlaneState, motion.PlaneInformation]{w, plain} {
			if x.Len() > lag+misses+11 {
				x.Drop()
			}
			if err := errors.Join(x.Add(&scene.Scans[s]), x.Extend(ctx), x.Improve(ctx, lag)); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(w.Links(), plain.Links()) {
			t.Fatalf("scan %d: other links than without memory", s)
		}
		m := w.movers[0]
		for v := range w.memory.nears {
			for k, n := range w.memory.nears[v] {
				u := v - 2 - k
				if n == nil || n.made == 0 {
					continue
				}
				if n = m.remembered(int32(u), int32(v)); n == nil {
					t.Fatalf("scan %d: a crowd", s)
				}
				var all []chain.Node
				for i := range w.states[u] {
					all = append(all, chain.At(u, i))
				}
				want := m.successors(all, int32(v), w.scans[v].Pos, likely)
				fresh += len(n.fresh)
				for i := range all {
					if got := n.of(int32(i)); !slices.Equal(got, want.Row(i)) {
						t.Fatalf("scan %d: near detection %d of scan %d in scan %d lie %v, want %v", s, i, u, v, got, want.Row(i))
					}
					looked += len(want.Row(i))
				}
			}
		}
	}
	if looked == 0 || fresh == 0 || w.memory.crowded {
		t.Errorf("%d detections near, %d states that have changed, crowded %v: nothing is tested", looked, fresh, w.memory.crowded)
	}
}

// TestRememberedCrowd: of a crowd nothing is remembered, and links are the same.
func TestRememberedCrowd(t *testing.T) {
	ctx := t.Context()
	scene := chaintest.Crowd(t, 3, 200, 12, false)
	levels := refineLevels(false, 2)
	levels.Sigma = 1
	levels.Rates.Targets, levels.Rates.Volume = 200, 150
	made := NewWindow(&costgen.Gaussian{Levels: levels}, &scene.Scans[0], gating.Ball{Radius: 1.5}, 20, &Options{Misses: 2, Speed: 30, Workers: 1})
	w := made.(*window[motion.PlaneState, motion.PlaneInformation])
	for s := range scene.Scans {
		if err := errors.Join(w.Add(&scene.Scans[s]), w.Extend(ctx), w.Improve(ctx, 3)); err != nil {
			t.Fatal(err)
		}
	}
	if !w.memory.crowded || slices.ContainsFunc(w.memory.nears, func(list []*near) bool { return list != nil }) {
		t.Error("a crowd is remembered")
	}
}

// TestStride: joins over many scans are looked at in all cuts where scans hold many detections, and
// the fewer of them the scarcer they are.
func TestStride(t *testing.T) {
	scans := func(each int) []mtt.Scan {
		list := make([]mtt.Scan, 500)
		for k := range list {
			list[k] = mtt.Scan{Frame: k, Time: float64(k), Dim: 2, Pos: make([]float64, 2*each)}
		}
		return list
	}
	for _, c := range []struct {
		each         int
		reach, wants int32
	}{{1, 301, 18}, {0, 301, 18}, {3, 101, 2}, {10, 101, 1}, {1, 20, 1}} {
		if got := strideOf(scans(c.each), c.reach); got != c.wants {
			t.Errorf("%d detections a scan, reach %d: %d, want %d", c.each, c.reach, got, c.wants)
		}
	}
}
