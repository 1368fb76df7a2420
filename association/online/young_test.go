package online

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/association/chain"
	"mtt/association/refine"
	"mtt/costgen"
	"mtt/gating"
	"mtt/scenario"
)

// This file tests what is solved anew.

// TestMeetings: where slow targets and fast ones that turn at walls meet, links are as good as
// those of all scans, but for a few. The scenes are such that half as many again were wrong as long
// as only what is young was solved anew.
func TestMeetings(t *testing.T) {
	t.Parallel()
	lags := [2]int{3, 5}
	wrong, all := [2]float64{}, 0.0
	opts := association.Options{Sigma: 0.1}
	for _, seed := range []uint64{3, 4, 6} {
		scene, err := scenario.Simulate(t.Context(), &scenario.Config{
			Scene: scenario.Bounce, Targets: 20, Frames: 40, Spread: 9.5, Noise: 0.1, NoVelocity: true,
			SpeedMin: 0.2, SpeedMax: 0.4, Fast: 0.5, FastMin: 5, FastMax: 10, Seed: seed,
		})
		if err != nil {
			t.Fatal(err)
		}
		res, err := association.Track(t.Context(), scene.Scans, &opts)
		if err != nil {
			t.Fatal(err)
		}
		opts = association.Options{Levels: res.Levels} // those of the first scene
		all += wrongLinks(t, scene.Truth, res.Tracks)
		for k, lag := range lags {
			res, err := Track(t.Context(), scene.Scans, Of(&opts, lag))
			if err != nil {
				t.Fatal(err)
			}
			wrong[k] += wrongLinks(t, scene.Truth, res.Tracks)
		}
	}
	for k, lag := range lags {
		if wrong[k] > max(1.25*all, 0.6) { // .77 before bounces were steps of their own, of all scans too
			t.Errorf("%.2f %% of the links are wrong with a lag of %d, %.2f %% with all scans", wrong[k]/3, lag, all/3)
		}
	}
}

// TestCloseBeginnings: tracks that begin close together are mostly as cheap as those that are found
// where all scans are tracked. By short ascents those of these scenes were dearer by 127 nat.
func TestCloseBeginnings(t *testing.T) {
	t.Parallel()
	opts, dearer := association.Options{Sigma: 0.1}, 0.0
	for seed := range uint64(6) {
		scene, err := scenario.Simulate(t.Context(), &scenario.Config{Scene: scenario.Burst, Targets: 60, Frames: 14, Noise: 0.1, NoVelocity: true, Seed: seed + 1})
		if err != nil {
			t.Fatal(err)
		}
		if opts.Levels == nil {
			res, err := association.Learn(t.Context(), scene.Scans, &opts)
			if err != nil {
				t.Fatal(err)
			}
			opts = association.Options{Levels: res.Levels}
		}
		k, err := NewTracker(Of(&opts, 5))
		if err != nil {
			t.Fatal(err)
		}
		const n = 6
		scans := make([]mtt.Scan, n)
		for s := range scans {
			if err := k.Step(t.Context(), &scene.Scans[s]); err != nil {
				t.Fatal(err)
			}
		}
		for s := range scans {
			scans[s] = *k.w.Scan(s)
		}
		res, err := association.Track(t.Context(), scans, &opts)
		if err != nil {
			t.Fatal(err)
		}
		at, links := mtt.ByFrame(scans), chain.New(scans)
		for _, tr := range res.Tracks {
			for h := 1; h < len(tr.Hits); h++ {
				a, b := tr.Hits[h-1], tr.Hits[h]
				links.Link(chain.At(at[a.Frame], a.Det), chain.At(at[b.Frame], b.Det))
			}
		}
		model := k.model.Model.(costgen.Leveled)
		dearer += refine.Price(k.w.Links(), scans, model) - refine.Price(links, scans, model)
	}
	if dearer > 20 {
		t.Errorf("tracks are dearer by %.1f nat", dearer)
	}
}

// TestYoungHopeless: in the warm-up of a crowd that sets out from one place, of which each
// detection may come before and after nearly all others, what began in the last scans is not solved
// while there are fewer than five of them, which say nothing; where targets are apart it is, and
// once levels have been learnt.
func TestYoungHopeless(t *testing.T) {
	for _, c := range []struct {
		scene          scenario.Kind
		targets, scans int
		steady, solved bool
	}{
		{scenario.Burst, 100, 4, false, false},
		{scenario.Burst, 100, 4, true, true},
		{scenario.Turn, 60, 4, false, true},
	} {
		scene, err := scenario.Simulate(t.Context(), &scenario.Config{Scene: c.scene, Targets: c.targets, Frames: c.scans, Noise: 0.1, NoVelocity: true, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		k, err := NewTracker(nil)
		if err != nil {
			t.Fatal(err)
		}
		last := len(scene.Scans) - 1
		for s := range scene.Scans[:last] {
			if err := k.Step(t.Context(), &scene.Scans[s]); err != nil {
				t.Fatal(err)
			}
		}
		k.giveUp()
		told := k.model.Levels.ToldOne(&scene.Scans[last])
		told = told.Pick(gating.ByPlace(&told))
		if err := errors.Join(k.w.Add(&told), k.w.Extend(t.Context())); err != nil {
			t.Fatal(err)
		}
		before := fmt.Sprint(k.w.Links().Next)
		k.lesson.steady = c.steady
		if err := k.young(t.Context()); err != nil {
			t.Fatal(err)
		}
		if solved := fmt.Sprint(k.w.Links().Next) != before; solved != c.solved {
			t.Errorf("%s, %d scans, warm-up over: %t: links are others: %t, want %t", c.scene, c.scans, c.steady, solved, c.solved)
		}
	}
}

// TestProvisional: crowds of which nothing is settled yet are not solved at length when the next
// scan has them solved again, or, where a warm-up is tracked again, one that is known.
func TestProvisional(t *testing.T) {
	for _, c := range []struct{ lag, known, from int }{{0, 0, 2}, {1, 0, 3}, {3, 0, 5}, {4, 0, 6}, {10, 0, 6}, {3, 1, 5}, {0, 2, 6}, {3, 2, 6}, {10, 2, 6}} {
		k := &Tracker{opts: Options{Lag: c.lag}, known: c.known}
		for n := 2; n < 9; n++ {
			if got, want := k.provisional(n), n < c.from; got != want {
				t.Errorf("lag %d, %d known scans, %d scans: provisional %t, want %t", c.lag, c.known, n, got, want)
			}
		}
	}
}

// An asked calls do whenever triplets are priced.
type asked struct {
	costgen.Leveled
	do func()
}

func (a asked) Triplets(dst []float64, stride int, first *mtt.Scan, in []int32, second *mtt.Scan, j int, third *mtt.Scan, out []int32) {
	a.do()
	a.Leveled.Triplets(dst, stride, first, in, second, j, third, out)
}

// TestSketched: where scans of a warm-up that goes on are tracked again, young tracks are solved
// from so many scans on as tell velocities, or all of fewer once, and no link of the last scans is
// wrong for it.
func TestSketched(t *testing.T) {
	scene, k := untaught(t, &scenario.Config{Scene: scenario.Arena, Targets: 30, Frames: 12, Spread: 20, Noise: 0.1, NoVelocity: true, Seed: 2})
	for s := range scene.Scans {
		if err := k.Step(t.Context(), &scene.Scans[s]); err != nil {
			t.Fatal(err)
		}
	}
	k.giveUp()
	k.opts.Workers = 1
	for seen, want := range map[int][]int{3: {3}, 4: {4}, 5: {5}, 6: {6}, 10: {6, 7, 8, 9, 10}} {
		var solved []int // scans of the window, each time
		model := *k.model
		model.Model = asked{k.model.Model.(costgen.Leveled), func() {
			if n := k.w.Len(); !slices.Contains(solved, n) {
				solved = append(solved, n)
			}
		}}
		was := k.model
		k.model = &model
		if err := k.again(t.Context(), scene.Scans[:seen]); err != nil {
			t.Fatal(err)
		}
		k.model = was
		if !slices.Equal(solved, want[:min(len(solved), len(want))]) || len(solved) == 0 {
			t.Errorf("of %d scans young tracks are solved after %v, want %v", seen, solved, want)
		}
		wrong, links := 0, 0
		owner := make(map[[2]int]int)
		for _, tr := range scene.Truth {
			for _, h := range tr.Hits {
				owner[[2]int{h.Frame, h.Det}] = tr.ID
			}
		}
		for f := 1; f < seen; f++ {
			for i, p := range k.w.Links().Prev[f] {
				if p == chain.None {
					continue
				}
				links++
				if owner[[2]int{f, int(k.orders[f][i])}] != owner[[2]int{int(p.T), int(k.orders[p.T][p.Det])}] {
					wrong++
				}
			}
		}
		if links < 29*(seen-1) || wrong > 0 {
			t.Errorf("of %d scans %d of %d links are wrong", seen, wrong, links)
		}
	}
}
