package online

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/association/chain"
	"mtt/association/chain/chaintest"
	"mtt/association/refine"
	"mtt/costgen"
	"mtt/internal/nightly"
	"mtt/metrics"
	"mtt/motion"
	"mtt/scenario"
)

// This file tests the tracker that sees one scan at a time.

// wrongLinks is the percentage of true links that tracks get wrong.
func wrongLinks(t testing.TB, truth, tracks []mtt.Track) float64 {
	t.Helper()
	r, err := metrics.Score(truth, tracks, &metrics.Options{Only: metrics.Links})
	if err != nil {
		t.Fatal(err)
	}
	return r.MMEP
}

// TestTrack: three scans of lag are as good as all of them; none are about as good
// as a Kalman filter and one assignment for each scan.
func TestTrack(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("many scenes take seconds")
	}
	ctx := context.Background()
	seeds := nightly.Or[uint64](1, 3)
	for _, tt := range []struct {
		name  string
		scene scenario.Config
		worse float64 // percentage points that lag 3 may lose
	}{
		{"steer", scenario.Config{Scene: scenario.Steer, Noise: 0.2, VelocityNoise: 0.2}, 0.05},
		{"burst", scenario.Config{Scene: scenario.Burst, Noise: 0.1, VelocityNoise: 0.1}, 0.05},
		{"misses", scenario.Config{Scene: scenario.Steer, Noise: 0.1, VelocityNoise: 0.1, Miss: 0.1, Clutter: 10, ClutterRadius: 4, Births: 1}, 0.3},
	} {
		batch, lag3, lag0, gnn := 0.0, 0.0, 0.0, 0.0
		for seed := range seeds {
			c := tt.scene
			c.Targets, c.Frames, c.Seed = nightly.Or(60, 100), nightly.Or(30, 40), seed+1
			scene, err := scenario.Simulate(ctx, &c)
			if err != nil {
				t.Fatal(err)
			}
			o := association.Options{Sigma: c.Noise, SigmaV: c.VelocityNoise, Motion: motion.Velocity{}} // of whole tracks, too
			for lag, sum := range map[int]*float64{3: &lag3, -1: &lag0} {
				res, err := Track(ctx, scene.Scans, &Options{Sigma: o.Sigma, SigmaV: o.SigmaV, Lag: lag})
				if err != nil {
					t.Fatal(err)
				}
				*sum += wrongLinks(t, scene.Truth, res.Tracks) / float64(seeds)
			}
			for engine, sum := range map[association.Engine]*float64{association.Dual: &batch, association.GNN: &gnn} {
				o.Engine = engine
				res, err := association.Track(ctx, scene.Scans, &o)
				if err != nil {
					t.Fatal(err)
				}
				*sum += wrongLinks(t, scene.Truth, res.Tracks) / float64(seeds)
			}
		}
		t.Logf("%s: batch %.3f %%, lag 3 %.3f %%, lag 0 %.3f %%, gnn %.3f %%", tt.name, batch, lag3, lag0, gnn)
		if lag3 > batch+tt.worse {
			t.Errorf("%s: lag 3 leaves %.3f %% of the links wrong, batch %.3f %%", tt.name, lag3, batch)
		}
		if lag0 > max(gnn+0.2, batch) { // where all scans do not tell more, none can
			t.Errorf("%s: lag 0 leaves %.3f %% of the links wrong, gnn %.3f %%", tt.name, lag0, gnn)
		}
	}
}

// TestTrackerSettles: what has been reported once never changes, each detection is
// on one track at most, and the order within scans is no matter.
func TestTrackerSettles(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	scene := chaintest.Crowd(t, 7, 30, 60, true)
	k, err := NewTracker(&Options{Sigma: 0.15, SigmaV: 0.15, Lag: 2, WarmUp: 10})
	if err != nil {
		t.Fatal(err)
	}
	var before []mtt.Track
	for s := range scene.Scans {
		if err := k.Step(ctx, &scene.Scans[s]); err != nil {
			t.Fatal(err)
		}
		now := slices.Collect(k.Tracks())
		for i := range before {
			n := len(before[i].Hits)
			if now[i].ID != before[i].ID || !slices.Equal(now[i].Hits[:n], before[i].Hits) {
				t.Fatalf("scan %d: track %d was changed after it was settled", s, before[i].ID)
			}
		}
		before = before[:0]
		for _, tr := range now {
			tr.Hits = slices.Clone(tr.Hits)
			before = append(before, tr)
			if last := tr.Hits[len(tr.Hits)-1].Frame; s > 10 && last > scene.Scans[s].Frame-2 {
				t.Fatalf("scan %d: a link into frame %d is settled, before the lag is over", s, last)
			}
		}
		if s > 15 {
			checkTargets(t, k, scene, s)
		}
	}
	if err := k.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	seen := map[mtt.Hit]int{}
	for tr := range k.Tracks() {
		for h, hit := range tr.Hits {
			if other, taken := seen[hit]; taken {
				t.Fatalf("detection %v is on tracks %d and %d", hit, other, tr.ID)
			}
			seen[hit] = tr.ID
			if h > 0 && tr.Hits[h-1].Frame >= hit.Frame {
				t.Fatalf("track %d goes back in time", tr.ID)
			}
		}
	}
	res, err := Track(ctx, scene.Scans, &Options{Sigma: 0.15, SigmaV: 0.15, Lag: 2, WarmUp: 10})
	if err != nil {
		t.Fatal(err)
	}
	if got := slices.Collect(k.Tracks()); len(got) != len(res.Tracks) {
		t.Errorf("%d tracks, Track has %d", len(got), len(res.Tracks))
	}
}

// TestTake: what is taken step by step is what Tracks has in the end; the tracker keeps no more
// than what was settled since, and the states that it reports exist with a probability.
func TestTake(t *testing.T) {
	ctx := context.Background()
	scene := chaintest.Crowd(t, 7, 30, 60, true)
	opts := &Options{Sigma: 0.15, SigmaV: 0.15, Lag: 2, WarmUp: 10}
	whole, err := NewTracker(opts)
	if err != nil {
		t.Fatal(err)
	}
	k, err := NewTracker(opts)
	if err != nil {
		t.Fatal(err)
	}
	times := make(map[int]float64)
	taken := make(map[int]*mtt.Track)
	take := func() {
		for part, at := range k.Take() {
			tr := taken[part.ID]
			if tr == nil {
				tr = &mtt.Track{ID: part.ID, Dim: part.Dim}
				taken[part.ID] = tr
			}
			for h, hit := range part.Hits {
				if at[h] != times[hit.Frame] {
					t.Fatalf("frame %d is at %v s, not %v", hit.Frame, at[h], times[hit.Frame])
				}
			}
			tr.Hits, tr.Pos, tr.Vel = append(tr.Hits, part.Hits...), append(tr.Pos, part.Pos...), append(tr.Vel, part.Vel...)
		}
		for range k.Tracks() {
			t.Fatal("a track is left after Take")
		}
	}
	missed := 0
	for s := range scene.Scans {
		times[scene.Scans[s].Frame] = scene.Scans[s].Time
		if err := errors.Join(k.Step(ctx, &scene.Scans[s]), whole.Step(ctx, &scene.Scans[s])); err != nil {
			t.Fatal(err)
		}
		take()
		for _, g := range k.Targets(nil) {
			if (g.Missed == 0) != (g.Det >= 0) || !(g.Existence > 0 && g.Existence <= 1) {
				t.Fatalf("scan %d: %+v", s, g)
			}
			if g.Missed > 0 {
				missed++
			}
		}
		if s > 10 && (len(k.list) > 2*len(scene.Scans[s].Pos) || len(k.tracks) > 0 || len(k.times) > 0) {
			t.Fatal("the tracker keeps what was taken")
		}
	}
	if err := errors.Join(k.Flush(ctx), whole.Flush(ctx)); err != nil {
		t.Fatal(err)
	}
	take()
	n := 0
	for tr := range whole.Tracks() {
		n++
		if got := taken[tr.ID]; got == nil || !slices.Equal(got.Hits, tr.Hits) || !slices.Equal(got.Pos, tr.Pos) || !slices.Equal(got.Vel, tr.Vel) {
			t.Fatalf("track %d was taken as %v", tr.ID, got)
		}
	}
	if n != len(taken) || n == 0 || missed == 0 {
		t.Errorf("%d tracks were taken of %d; %d targets were missed", len(taken), n, missed)
	}
}

// TestStillThere: the probability of existence against a count of all histories.
func TestStillThere(t *testing.T) {
	for _, r := range []costgen.Rates{{Detect: 0.9, Survive: 0.95}, {Detect: 0.7, Hidden: 0.6, Survive: 0.99}, {Detect: 1, Survive: 1}, {Detect: 1, Survive: 0.9}} {
		for missed := range 5 {
			hidden := r.Hidden
			if hidden == 0 {
				hidden = 1 - r.Detect
			}
			all, there := 0.0, 0.0
			for stays := range missed + 1 { // scans in which it is still there
				p := math.Pow(r.Survive, float64(stays))
				if stays > 0 {
					p *= (1 - r.Detect) * math.Pow(hidden, float64(stays-1))
				}
				if stays < missed {
					p *= 1 - r.Survive
				} else {
					there = p
				}
				all += p
			}
			want := 1.0
			if all > 0 {
				want = there / all
			}
			gone, lives := r.Fate(missed)
			if got := stillThere(gone[missed], lives[missed]); math.Abs(got-want) > 1e-12 {
				t.Errorf("%+v, %d misses: %v, want %v", r, missed, got, want)
			}
		}
	}
}

// checkTargets: most true targets are where the tracker believes one to be.
func checkTargets(t *testing.T, k *Tracker, scene *scenario.Scene, s int) {
	t.Helper()
	targets := k.Targets(nil)
	for _, g := range targets { // the axes are alike
		if d := g.Cov[0] - g.Std*g.Std; !(math.Abs(d) <= 1e-12) || g.Cov[2] != g.Cov[0] || !(g.Cov[5] > 0) || g.Cov[5]*g.Cov[0] < g.Cov[3]*g.Cov[3] {
			t.Fatalf("scan %d: covariance %v of a target known to %v m", s, g.Cov, g.Std)
		}
	}
	near, all := 0, 0
	for i := range scene.Truth {
		tr := scene.Truth[i].Between(scene.Scans[s].Frame, scene.Scans[s].Frame)
		if len(tr.Hits) == 0 {
			continue
		}
		all++
		if slices.ContainsFunc(targets, func(g Target) bool {
			return math.Hypot(g.Pos[0]-tr.Pos[0], g.Pos[1]-tr.Pos[1]) < 1
		}) {
			near++
		}
	}
	if 10*near < 8*all {
		t.Fatalf("scan %d: %d of %d targets have a track within 1 m", s, near, all)
	}
}

// TestTrackerEdges: empty scans, single ones, wrong ones.
func TestTrackerEdges(t *testing.T) {
	ctx := context.Background()
	if _, err := NewTracker(&Options{Sigma: -1}); !errors.Is(err, association.ErrOptions) {
		t.Errorf("a negative noise level gives %v", err)
	}
	if _, err := NewTracker(&Options{WarmUp: -1}); !errors.Is(err, association.ErrOptions) {
		t.Errorf("a negative warm-up gives %v", err)
	}
	for _, scans := range [][]mtt.Scan{
		nil,
		{{}, {Frame: 1, Time: 1}, {Frame: 2, Time: 2}},
		{{Time: 0, Dim: 2, Pos: []float64{1, 2}}},
		{{Time: 0, Dim: 2, Pos: []float64{1, 2}}, {Frame: 1, Time: 1}, {Frame: 2, Time: 2, Dim: 2, Pos: []float64{1, 2}}},
	} {
		for _, lag := range []int{-1, 1, 5} {
			if _, err := Track(ctx, scans, &Options{Lag: lag, WarmUp: 2}); err != nil {
				t.Errorf("%d scans, lag %d: %v", len(scans), lag, err)
			}
		}
	}
	k, err := NewTracker(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Step(ctx, nil); !errors.Is(err, mtt.ErrScan) {
		t.Errorf("no scan gives %v", err)
	}
	scan := &mtt.Scan{Time: 1, Dim: 2, Pos: []float64{0, 0}}
	if err := k.Step(ctx, scan); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]*mtt.Scan{
		"time":      {Frame: 1, Time: 1, Dim: 2, Pos: []float64{0, 0}},
		"dimension": {Frame: 1, Time: 2, Dim: 3, Pos: []float64{0, 0, 0}},
		"NaN":       {Frame: 1, Time: 2, Dim: 2, Pos: []float64{0, math.NaN()}},
		"velocity":  {Frame: 1, Time: 2, Dim: 2, Pos: []float64{0, 0}, Vel: []float64{0, 0}},
	} {
		if k.Step(ctx, bad) == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := k.Step(ctx, &mtt.Scan{Frame: 1, Time: 2, Dim: 2, Pos: []float64{0.1, 0}}); err != nil {
		t.Errorf("after refused scans: %v", err)
	}
}

// TestTrackOrder: the order of detections in a scan does not matter.
func TestTrackOrder(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	scene := chaintest.Crowd(t, 3, 20, 30, true)
	turned := slices.Clone(scene.Scans)
	for s := range turned {
		turned[s].Pos = slices.Clone(turned[s].Pos)
		turned[s].Vel = slices.Clone(turned[s].Vel)
		for i, j := 0, turned[s].Len()-1; i < j; i, j = i+1, j-1 {
			for d := range 2 {
				p, v := turned[s].Pos, turned[s].Vel
				p[2*i+d], p[2*j+d] = p[2*j+d], p[2*i+d]
				v[2*i+d], v[2*j+d] = v[2*j+d], v[2*i+d]
			}
		}
	}
	sets := func(scans []mtt.Scan) map[string]bool {
		res, err := Track(ctx, scans, &Options{Sigma: 0.15, SigmaV: 0.15})
		if err != nil {
			t.Fatal(err)
		}
		m := map[string]bool{}
		for i := range res.Tracks {
			m[fmt.Sprint(res.Tracks[i].Pos)] = true
		}
		return m
	}
	if !reflect.DeepEqual(sets(scene.Scans), sets(turned)) {
		t.Error("other tracks when detections are listed backwards")
	}
}

// BenchmarkStep: 300 targets in a crowd, one frame after another.
func BenchmarkStep(b *testing.B) {
	scene, err := scenario.Simulate(context.Background(), &scenario.Config{
		Scene: scenario.Steer, Targets: 300, Frames: 200, Seed: 1, Noise: 0.1, VelocityNoise: 0.1,
	})
	if err != nil {
		b.Fatal(err)
	}
	built, err := association.Build(context.Background(), scene.Scans[:30], &association.Options{Sigma: 0.1, SigmaV: 0.1})
	if err != nil {
		b.Fatal(err)
	}
	k, err := NewTracker(&Options{Levels: built.Levels})
	if err != nil {
		b.Fatal(err)
	}
	t, offset := 0, 0.0
	b.ReportAllocs()
	for b.Loop() {
		if t == len(scene.Scans) {
			t = 0
			offset += 1e3
			k.Flush(context.Background())
		}
		s := scene.Scans[t]
		s.Time += offset
		s.Frame += int(offset)
		if err := k.Step(context.Background(), &s); err != nil {
			b.Fatal(err)
		}
		t++
	}
}

// TestTracksBegin: with positions only, misses and false alarms, tracks begin; three scans
// of lag lose a few links more than all scans together, not most of them. All scans run anew at each
// scan, with what is known three scans later, lose 4 % of the links of the small scene.
func TestTracksBegin(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("scenes with clutter take seconds")
	}
	ctx := context.Background()
	scenes := []struct {
		kind     scenario.Kind
		all, lag float64 // % of the links that all scans and a lag of three may get wrong
	}{{scenario.Steer, nightly.Or(2., 3), 4.5}, {scenario.Arena, 1.2, 2}}
	for _, tt := range scenes[:nightly.Or(1, len(scenes))] {
		scene, err := scenario.Simulate(ctx, &scenario.Config{
			Scene: tt.kind, Targets: nightly.Or(24, 56), Frames: nightly.Or(24, 40), Seed: 1, Noise: 0.1, NoVelocity: true, Miss: 0.2, Clutter: nightly.Or(10., 20),
		})
		if err != nil {
			t.Fatal(err)
		}
		batch, err := association.Track(ctx, scene.Scans, &association.Options{Sigma: 0.1})
		if err != nil {
			t.Fatal(err)
		}
		res, err := Track(ctx, scene.Scans, &Options{Levels: batch.Levels})
		if err != nil {
			t.Fatal(err)
		}
		all, online := wrongLinks(t, scene.Truth, batch.Tracks), wrongLinks(t, scene.Truth, res.Tracks)
		t.Logf("%s: all scans %.2f %%, lag 3 %.2f %%", tt.kind, all, online)
		if all > tt.all {
			t.Errorf("%s: all scans get %.2f %% of the links wrong", tt.kind, all)
		}
		if online > tt.lag {
			t.Errorf("%s: lag 3 gets %.2f %% of the links wrong, all scans %.2f %%", tt.kind, online, all)
		}
	}
}

// TestFile: people who walk in file, each at the next scan about where the one before was,
// are not taken for people who shuffle on the spot.
func TestFile(t *testing.T) {
	ctx := context.Background()
	var scans []mtt.Scan
	truth := make([]mtt.Track, 30)
	for f := range 24 {
		s := mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
		for i := range truth {
			if x := float64(f-i+5) + 0.3*math.Sin(2.3*float64(i)); x >= 0 && x < 10 {
				s.Pos = append(s.Pos, x+0.02*math.Sin(float64(7*f+3*i)), 0.02*math.Cos(float64(5*f+i)))
				truth[i].ID, truth[i].Dim = i+1, 2
				truth[i].Append(&s, s.Len()-1)
			}
		}
		scans = append(scans, s)
	}
	truth = slices.DeleteFunc(truth, func(tr mtt.Track) bool { return len(tr.Hits) == 0 })
	levels := &costgen.Levels{
		Sigma: 0.02, Accel: 0.05, SpeedStd: 0.7, PositionsOnly: true, Interval: 1, Dim: 2, MaxSpeed: 2,
		Rates: costgen.Rates{Detect: 0.99, Survive: 0.9, Births: 1, Targets: 10, Clutter: 0.1, Volume: 20},
	}
	res, err := Track(ctx, scans, &Options{Levels: levels})
	if err != nil {
		t.Fatal(err)
	}
	if wrong := wrongLinks(t, truth, res.Tracks); wrong > 3 {
		t.Errorf("%.1f %% of the links are wrong", wrong)
	}
}

// walkers are targets that walk along parallel lines from a scan on and stand still before,
// with false alarms, as many as one in ten, far from them.
func walkers(targets, frames, still int) (scans []mtt.Scan, truth []mtt.Track) {
	rng := rand.New(rand.NewPCG(5, 5))
	truth = make([]mtt.Track, targets)
	for f := range frames {
		s := mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
		for i := range truth {
			x := 10*float64(i%5) + (0.5+0.1*float64(i%3))*float64(max(0, f-still))
			s.Pos = append(s.Pos, x+0.02*rng.NormFloat64(), 3*float64(i)+0.02*rng.NormFloat64())
			truth[i].ID, truth[i].Dim = i+1, 2
			truth[i].Append(&s, i)
		}
		if f%2 == 0 {
			s.Pos = append(s.Pos, 100*rng.Float64(), -50*rng.Float64()-10)
		}
		scans = append(scans, s)
	}
	return scans, truth
}

// TestStandingFirst: targets that stand for longer than the warm-up and then walk are
// lost for no scan, as levels are learnt when detections are left over, before that is settled.
func TestStandingFirst(t *testing.T) {
	t.Parallel()
	scans, truth := walkers(20, 60, 27)
	for _, lag := range []int{3, 8} {
		res, err := Track(context.Background(), scans, &Options{Lag: lag})
		if err != nil {
			t.Fatal(err)
		}
		if wrong := wrongLinks(t, truth, res.Tracks); wrong > 0.3 {
			t.Errorf("lag %d: %.2f %% of the links are wrong", lag, wrong)
		}
	}
}

// TestGlitch: one scan full of false alarms does not have levels learnt at once.
func TestGlitch(t *testing.T) {
	ctx := context.Background()
	scans, _ := walkers(8, 40, 0)
	for i := range 60 {
		scans[34].Pos = append(scans[34].Pos, 7*float64(i), 200+float64(i*i%17))
	}
	k, err := NewTracker(nil)
	if err != nil {
		t.Fatal(err)
	}
	var model *association.Result
	for s := range scans {
		if err := k.Step(ctx, &scans[s]); err != nil {
			t.Fatal(err)
		}
		if s == 33 {
			model = k.Model()
		}
	}
	if k.Model() != model {
		t.Error("levels were learnt anew")
	}
}

// TestFirstScan: the first scan has its answer: each detection may be a target; and those that
// go on exist the more surely.
func TestFirstScan(t *testing.T) {
	ctx := context.Background()
	scans, _ := walkers(20, 12, 0)
	k, err := NewTracker(nil)
	if err != nil {
		t.Fatal(err)
	}
	for s := range scans {
		if err := k.Step(ctx, &scans[s]); err != nil {
			t.Fatal(err)
		}
		targets, sure := k.Targets(nil), 0
		for _, g := range targets {
			if g.ID != 0 || !(g.Existence > 0 && g.Existence <= 1) {
				t.Fatalf("scan %d: %+v", s, g)
			}
			if g.Existence > 0.9 && g.Det >= 0 && g.Det < 20 {
				sure++
			}
			if s > 4 && g.Det == 20 && g.Existence > 0.5 {
				t.Errorf("scan %d: a false alarm exists with probability %v", s, g.Existence)
			}
		}
		if s == 0 && len(targets) != scans[0].Len() || s > 4 && sure != 20 {
			t.Errorf("scan %d: %d targets, %d of 20 are sure", s, len(targets), sure)
		}
		for range k.Tracks() {
			t.Fatal("something is settled while levels are learnt")
		}
	}
}

// TestTargetsMemory: who asks in each scan where targets are needs no memory for each of them.
func TestTargetsMemory(t *testing.T) {
	scans, _ := walkers(20, 12, 0)
	k, err := NewTracker(nil)
	if err != nil {
		t.Fatal(err)
	}
	for s := range scans {
		if err := k.Step(t.Context(), &scans[s]); err != nil {
			t.Fatal(err)
		}
	}
	if k.study != nil { // allocations of all goroutines are counted
		<-k.study.done
	}
	targets := k.Targets(nil)
	if each := testing.AllocsPerRun(10, func() { targets = k.Targets(targets[:0]) }); each > 1 {
		t.Errorf("%v allocations for %d targets, want 1", each, len(targets))
	}
	if err := k.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A linked is a window whose links are given.
type linked struct {
	refine.Window
	links chain.Links
	scans []mtt.Scan
}

func (w *linked) Links() *chain.Links  { return &w.links }
func (w *linked) Scan(t int) *mtt.Scan { return &w.scans[t] }

// TestSettleForked: where links have changed so that both the last detection of a track and an
// earlier one of it go on to the same scan, the last one keeps the number, whichever comes
// first, and the other gets another number once something follows.
func TestSettleForked(t *testing.T) {
	for first := range int32(2) {
		none := []chain.Node{chain.None, chain.None}
		w := &linked{links: chain.Links{Prev: [][]chain.Node{none, {chain.At(0, 0), chain.None}, nil, nil}}}
		for s := range 4 {
			w.scans = append(w.scans, mtt.Scan{Frame: s, Time: float64(s), Dim: 2, Pos: make([]float64, 4)})
		}
		k, err := NewTracker(nil)
		if err != nil {
			t.Fatal(err)
		}
		k.w = w
		for range w.scans {
			k.ids, k.orders = append(k.ids, []int32{-1, -1}), append(k.orders, []int32{0, 1})
		}
		k.settle(1)
		w.links.Prev[2] = make([]chain.Node, 2)
		w.links.Prev[2][first], w.links.Prev[2][1-first] = chain.At(0, 0), chain.At(1, 0)
		w.links.Prev[3] = []chain.Node{chain.At(2, 0), chain.At(2, 1)}
		k.settle(2)
		k.settle(3)
		var got [][]mtt.Hit
		for tr := range k.Tracks() {
			got = append(got, tr.Hits)
		}
		other, last := int(first), int(1-first)
		want := [][]mtt.Hit{{{Frame: 0}, {Frame: 1}, {Frame: 2, Det: last}, {Frame: 3, Det: last}}, {{Frame: 2, Det: other}, {Frame: 3, Det: other}}}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("tracks %v, want %v", got, want)
		}
	}
}

// TestCrowd: thousands of detections at one place take memory in proportion to them, not to their
// pairs or triplets, of a tracker and of nearest neighbours, which had no cap.
func TestCrowd(t *testing.T) {
	const n = 2000
	levels := &costgen.Levels{
		Sigma: 0.1, Accel: 0.1, SpeedStd: 1, Dim: 2, Interval: 1, PositionsOnly: true,
		Rates: costgen.Rates{Detect: 0.9, Hidden: 0.1, Survive: 0.99, Births: 1, Targets: n, Clutter: 1e-9, Volume: 1},
	}
	scans := make([]mtt.Scan, 4)
	for f := range scans {
		scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2, Pos: slices.Repeat([]float64{5}, 2*n)}
	}
	for _, tt := range []struct {
		name  string
		most  uint64 // bytes for each detection; formerly 93,000 and 51,000
		track func() error
	}{
		{"online", 60_000, func() error {
			_, err := Track(t.Context(), scans, &Options{Levels: levels, Workers: 1}) // each has a workspace
			return err
		}},
		{"gnn", 20_000, func() error {
			_, err := association.Track(t.Context(), scans, &association.Options{Levels: levels, Engine: association.GNN})
			return err
		}},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := tt.track(); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		runtime.ReadMemStats(&after)
		if each := (after.TotalAlloc - before.TotalAlloc) / (n * 4); each > tt.most {
			t.Errorf("%s: %d bytes are taken for each detection, at most %d are wanted", tt.name, each, tt.most)
		}
	}
}

// TestToldGate: levels that a tracker has learnt, with manoeuvres that none of its targets made,
// have the same gate where they are told. One for all of such manoeuvres would hold a crowd.
func TestToldGate(t *testing.T) {
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{Targets: 20, Frames: 30, Noise: 0.1, VelocityNoise: 0.1, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	var models [2]*association.Result
	opts := new(Options)
	for n := range models {
		k, err := NewTracker(opts)
		if err != nil {
			t.Fatal(err)
		}
		for s := range scene.Scans {
			if err := k.Step(t.Context(), &scene.Scans[s]); err != nil {
				t.Fatal(err)
			}
		}
		k.giveUp()
		models[n] = k.Model()
		opts.Levels = k.Model().Levels
	}
	if p := models[0].Levels.ManoeuvreProb; p == 0 || p > 0.002 {
		t.Fatalf("manoeuvres of probability %v", p)
	}
	if a, b := models[0].Gate, models[1].Gate; !reflect.DeepEqual(a, b) {
		t.Errorf("gate %#v where levels are learnt, %#v where they are told", a, b)
	}
}
