package online

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"mtt"
	"mtt/costgen"
	"mtt/scenario"
)

// TestShuffled: in what order the detections of a scan come makes no difference but to their numbers. Parts
// that are taken are of tracks with the same numbers all along.
func TestShuffled(t *testing.T) {
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{Scene: scenario.Arena, Targets: 30, Frames: 25, Noise: 0.1, VelocityNoise: 0.1, Miss: 0.1, Clutter: 5, Births: 1, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	levels := arenaLevels(30, 5, 1)
	track := func(orders [][]int32) (tracks [][]mtt.Hit) {
		k, err := NewTracker(&Options{Levels: levels})
		if err != nil {
			t.Fatal(err)
		}
		byID := map[int][]mtt.Hit{}
		take := func() {
			for part := range k.Take() {
				byID[part.ID] = append(byID[part.ID], part.Hits...)
			}
		}
		for f := range scene.Scans {
			s := scene.Scans[f].Pick(orders[f])
			if err := k.Step(t.Context(), &s); err != nil {
				t.Fatal(err)
			}
			for _, g := range k.Targets(nil) {
				if g.Det >= 0 && (g.Pos[0]-s.At(g.Det)[0])*(g.Pos[0]-s.At(g.Det)[0]) > 1 {
					t.Fatalf("scan %d: target %+v is not at its detection, %v", f, g, s.At(g.Det))
				}
			}
			take()
		}
		if err := k.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		take()
		for _, hits := range byID {
			for i := range hits {
				hits[i].Det = int(orders[hits[i].Frame][hits[i].Det])
			}
			tracks = append(tracks, hits)
		}
		slices.SortFunc(tracks, func(a, b []mtt.Hit) int { return 1000*(a[0].Frame-b[0].Frame) + a[0].Det - b[0].Det })
		return tracks
	}
	rng := rand.New(rand.NewPCG(1, 2))
	asTheyAre, shuffled := make([][]int32, len(scene.Scans)), make([][]int32, len(scene.Scans))
	for f := range scene.Scans {
		for i := range scene.Scans[f].Len() {
			asTheyAre[f] = append(asTheyAre[f], int32(i))
		}
		shuffled[f] = slices.Clone(asTheyAre[f])
		rng.Shuffle(len(shuffled[f]), func(i, j int) { shuffled[f][i], shuffled[f][j] = shuffled[f][j], shuffled[f][i] })
	}
	want, got := track(asTheyAre), track(shuffled)
	if len(want) < 30 || !slices.EqualFunc(want, got, slices.Equal) {
		t.Errorf("%d tracks, shuffled %d", len(want), len(got))
		for i := range min(len(want), len(got)) {
			if !slices.Equal(want[i], got[i]) {
				t.Fatalf("%v, shuffled %v", want[i], got[i])
			}
		}
	}
}

// arenaLevels are about those of an arena with so many targets.
func arenaLevels(targets, clutter, births float64) *costgen.Levels {
	return &costgen.Levels{
		Dim: 2, Sigma: 0.1, SigmaV: 0.1, Accel: 0.1, SpeedStd: 1,
		Rates: costgen.Rates{Detect: 0.9, Survive: 0.97, Births: births, Targets: targets, Clutter: clutter, Volume: 200 * targets},
	}
}

// TestWorkers: how many there are makes no difference, in scans so large that they share what is to be done.
func TestWorkers(t *testing.T) {
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{Scene: scenario.Arena, Targets: 1100, Frames: 5, Noise: 0.1, VelocityNoise: 0.1, Miss: 0.1, Clutter: 100, Births: 20, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	track := func(workers int) []mtt.Track {
		res, err := Track(t.Context(), scene.Scans, &Options{Levels: arenaLevels(1100, 100, 20), Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		return res.Tracks
	}
	want := track(1)
	if got := track(3); len(want) < 1000 || !reflect.DeepEqual(got, want) {
		t.Errorf("%d tracks by one worker, other ones, %d, by three", len(want), len(got))
	}
}

// TestAgainSettles: of a warm-up that is tracked again nothing is settled before all its scans tell
// what began in them, and then those that the lag says; of scans that come one by one, each at once.
func TestAgainSettles(t *testing.T) {
	scans, _ := walkers(10, 12, 0)
	for _, c := range []struct{ lag, known, first int }{{2, 10, 10}, {2, 4, 4}, {4, 10, 10}, {7, 10, 10}, {2, 0, 4}} { // first: the scans after which something is
		k, err := NewTracker(&Options{Lag: c.lag})
		if err != nil {
			t.Fatal(err)
		}
		for s := range scans[:2] { // levels to begin with
			if err := k.Step(t.Context(), &scans[s]); err != nil {
				t.Fatal(err)
			}
		}
		k.forget()
		k.lesson.steady = true
		for n := 1; n <= max(c.known, c.first); n++ {
			k.known = max(0, c.known-n+1)
			if err := k.step(t.Context(), &scans[n-1]); err != nil {
				t.Fatal(err)
			}
			last := -1 // of the scans that are settled
			for _, track := range k.tracks {
				last = max(last, track.Hits[len(track.Hits)-1].Frame)
			}
			want := -1
			if n >= c.first {
				want = n - 1 - c.lag
			}
			if last != want {
				t.Errorf("lag %d, %d known scans: after %d of them the last that is settled is %d, want %d", c.lag, c.known, n, last, want)
			}
			if n == c.first && len(k.tracks) != 10 {
				t.Errorf("lag %d, %d known scans: %d tracks begin, want 10", c.lag, c.known, len(k.tracks))
			}
		}
	}
}
