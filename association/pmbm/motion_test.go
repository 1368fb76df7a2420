package pmbm

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mtt"
	"mtt/internal/rng"
	"mtt/motion"
	"mtt/scenario"
)

// circles are targets that turn at constant rates.
func circles(seed uint64, targets, frames int) (truth []mtt.Track, scans []mtt.Scan) {
	for k := range frames {
		scans = append(scans, mtt.Scan{Frame: k, Time: float64(k), Dim: 2})
	}
	for i := range targets {
		r := rng.Stream(seed, "circle", uint64(i))
		tr := mtt.Track{ID: i + 1, Dim: 2}
		rate, phase := rng.Uniform(r, 0.1, 0.3), rng.Uniform(r, 0, 6)
		cx, cy := rng.Uniform(r, 0, 400), rng.Uniform(r, 0, 400)
		for k := range frames {
			s, c := math.Sincos(phase + rate*float64(k))
			x, y := cx+5/rate*c, cy+5/rate*s
			tr.Hits = append(tr.Hits, mtt.Hit{Frame: k, Det: -1})
			tr.Pos = append(tr.Pos, x, y)
			nx, ny := rng.Normal(r)
			if r.Float64() < 0.9 {
				tr.Hits[k].Det = scans[k].Len()
				scans[k].Pos = append(scans[k].Pos, x+0.3*nx, y+0.3*ny)
			}
		}
		truth = append(truth, tr)
	}
	for k := range scans {
		r := rng.Stream(seed, "clutter", uint64(k))
		for range rng.Poisson(r, 5) {
			scans[k].Pos = append(scans[k].Pos, rng.Uniform(r, 0, 400), rng.Uniform(r, 0, 400))
		}
	}
	return truth, scans
}

// TestCoordinatedTurn: targets that circle are tracked better by the model that
// knows turns than by the one that takes them for acceleration.
func TestCoordinatedTurn(t *testing.T) {
	truth, scans := circles(1, 10, 60)
	gospa := map[motion.Model]float64{}
	for moves, accel := range map[motion.Model]float64{motion.Velocity{}: 1, motion.Turn{}: 0.05} {
		o := &Options{Model: Model{
			Motion: moves, Sigma: 0.3, Detect: 0.9, Clutter: 5, Volume: 400 * 400, Accel: accel, TurnWalk: 0.01,
			Births: 0.01, Targets: 10, BirthMean: [3]float64{200, 200}, BirthStd: [3]float64{200, 200}, SpeedStd: 4, TurnStd: 0.2,
		}}
		_, tracks := filter(t, o, scans)
		miss, g := missed(t, truth, tracks, 50)
		gospa[moves] = g
		if miss > 0.05 {
			t.Errorf("%s: %.1f %% of the targets missed", moves.Name(), 100*miss)
		}
	}
	if !(gospa[motion.Turn{}] < 0.9*gospa[motion.Velocity{}]) {
		t.Errorf("GOSPA %v", gospa)
	}
}

// TestWalk: particles of a random walk are tracked better by the model that knows they are, and
// do not move but for its noise.
func TestWalk(t *testing.T) {
	s, err := scenario.Simulate(t.Context(), &scenario.Config{Scene: scenario.Walk, Seed: 1, Targets: 20, Frames: 30, Step: 0.4, NoVelocity: true, Noise: 0.05, Miss: 0.1, Clutter: 3})
	if err != nil {
		t.Fatal(err)
	}
	gospa := map[motion.Model]float64{}
	for moves, accel := range map[motion.Model]float64{motion.Velocity{}: 0.5, motion.Walk{}: 0.4} {
		o := &Options{Model: Model{
			Motion: moves, Sigma: 0.05, Detect: 0.9, Clutter: 3, Volume: 120, Accel: accel,
			Births: 0.01, Targets: 20, BirthMean: [3]float64{5, 5}, BirthStd: [3]float64{5, 5}, SpeedStd: 0.5,
		}}
		f, tracks := filter(t, o, s.Scans)
		_, gospa[moves] = missed(t, s.Truth, tracks, 1)
		for _, e := range f.Estimates() {
			if moves == motion.Model(motion.Walk{}) && (e.Vel[0] != 0 || e.Vel[1] != 0) {
				t.Fatalf("a particle has velocity %v", e.Vel)
			}
		}
	}
	if !(gospa[motion.Walk{}] < 0.95*gospa[motion.Velocity{}]) {
		t.Errorf("GOSPA %v", gospa)
	}
}

// TestWorkers: any number of goroutines gives the same bits.
func TestWorkers(t *testing.T) {
	s, o := large(t, 30, 25)
	var want []mtt.Track
	for _, workers := range []int{1, 2, 5} {
		o.Workers = workers
		f, tracks := filter(t, o, s.Scans)
		for _, tr := range f.Tracks() {
			tracks = append(tracks, tr.Track)
		}
		if want == nil {
			want = tracks
		}
		if diff := cmp.Diff(want, tracks); diff != "" {
			t.Errorf("%d workers (-1 worker +%d):\n%s", workers, workers, diff)
		}
	}
}

// TestObserve: what is observed changes nothing, and costs are those of the
// optimum.
func TestObserve(t *testing.T) {
	s, o := large(t, 12, 12)
	for _, o.Whole = range []bool{false, true} {
		o.Observe = nil
		_, want := filter(t, o, s.Scans)
		count := 0
		o.Observe = func(p *Posed) error {
			count++
			if p.Problem.Validate() != nil {
				t.Fatal("the problem is not valid")
			}
			return nil
		}
		f, got := filter(t, o, s.Scans)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("whole %v, observed (-no +yes):\n%s", o.Whole, diff)
		}
		if n := f.Stats().Problems(); n != count {
			t.Errorf("whole %v: %d problems observed, %d counted", o.Whole, count, n)
		}
		total := 0
		for _, n := range f.Stats().Shapes {
			total += n
		}
		if total != count {
			t.Errorf("whole %v: shapes of %d problems, want %d", o.Whole, total, count)
		}
		stop := errors.New("stop")
		o.Observe = func(*Posed) error { return stop }
		f, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Scans {
			if err = f.Step(context.Background(), &s.Scans[i]); err != nil {
				break
			}
		}
		if !errors.Is(err, stop) {
			t.Errorf("error %v, want %v", err, stop)
		}
	}
}

// TestTracks: hits ascend, detections belong to one track, histories have
// probabilities.
func TestTracks(t *testing.T) {
	s, o := large(t, 20, 30)
	f, _ := filter(t, o, s.Scans)
	type detection struct{ frame, det int }
	taken := map[detection]bool{}
	for i, tr := range f.Tracks() {
		if tr.ID != i+1 || len(tr.Existence) != len(tr.Hits) || len(tr.Pos) != 2*len(tr.Hits) || len(tr.Vel) != len(tr.Pos) {
			t.Fatalf("track %d: %+v", i, tr)
		}
		if tr.Hits[0].Det < 0 || tr.Hits[len(tr.Hits)-1].Det < 0 {
			t.Errorf("track %d begins or ends with a miss", tr.ID)
		}
		for k, h := range tr.Hits {
			if k > 0 && h.Frame != tr.Hits[k-1].Frame+1 {
				t.Errorf("track %d: frame %d follows %d", tr.ID, h.Frame, tr.Hits[k-1].Frame)
			}
			if r := tr.Existence[k]; !(r > 0 && r <= 1) {
				t.Errorf("track %d exists with probability %v", tr.ID, r)
			}
			d := detection{h.Frame, h.Det}
			if h.Det >= 0 && taken[d] {
				t.Errorf("detection %v is in two tracks", d)
			}
			taken[d] = true
		}
	}
}

func TestRefusals(t *testing.T) {
	good := Model{Sigma: 1, Clutter: 1, Volume: 100, SpeedStd: 1, BirthStd: [3]float64{1, 1, 1}}
	for name, change := range map[string]func(o *Options){
		"sigma":      func(o *Options) { o.Sigma = 0 },
		"NaN":        func(o *Options) { o.Accel = math.NaN() },
		"detect":     func(o *Options) { o.Detect = 1 },
		"clutter":    func(o *Options) { o.Clutter = -1 },
		"motion":     func(o *Options) { o.Motion, o.SigmaV = motion.Walk{}, 1 },
		"dim":        func(o *Options) { o.Dim = 4 },
		"turn in 3D": func(o *Options) { o.Motion, o.Dim = motion.Turn{}, 3 },
		"birth":      func(o *Options) { o.BirthStd[1] = 0 },
		"mean":       func(o *Options) { o.BirthMean[0] = math.Inf(1) },
		"gate":       func(o *Options) { o.Gate = -1 },
		"threshold":  func(o *Options) { o.Threshold = 2 },
		"estimator":  func(o *Options) { o.Estimator = 4 },
		"hypotheses": func(o *Options) { o.Hypotheses = -1 },
	} {
		o := &Options{Model: good}
		change(o)
		if _, err := New(o); !errors.Is(err, ErrModel) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := New(nil); !errors.Is(err, ErrModel) {
		t.Errorf("nil: error %v", err)
	}
	f, err := New(&Options{Model: good})
	if err != nil {
		t.Fatal(err)
	}
	step := func(s mtt.Scan) error { return f.Step(context.Background(), &s) }
	if err := step(mtt.Scan{Frame: 3, Time: 1}); err != nil {
		t.Errorf("an empty scan: %v", err)
	}
	if err := step(mtt.Scan{Frame: 3, Time: 2}); !errors.Is(err, ErrOrder) {
		t.Errorf("the same frame: %v", err)
	}
	if err := step(mtt.Scan{Frame: 4, Time: 2, Dim: 3, Pos: []float64{1, 2, 3}}); err == nil {
		t.Error("three dimensions are no error")
	}
	if err := step(mtt.Scan{Frame: 4, Time: 2, Dim: 2, Pos: []float64{1, math.NaN()}}); err == nil {
		t.Error("NaN is no error")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := f.Step(ctx, &mtt.Scan{Frame: 5, Time: 3, Dim: 2, Pos: []float64{1, 1}}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
