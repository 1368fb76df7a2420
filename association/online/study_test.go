package online

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"mtt"
	"mtt/association"
	"mtt/costgen"
	"mtt/metrics"
	"mtt/scenario"
)

// This file tests levels that are learnt beside the tracker.

// TestStudySame: scans that come so slowly that all is learnt, and tracked beside them, before the
// next one get the answers of those that come at once: what was learnt is taken at a scan that is
// fixed. So it is where targets walk off meanwhile.
func TestStudySame(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	calm, _ := walkers(8, 36, 0)
	walkOff, err := scenario.Simulate(ctx, &scenario.Config{
		Scene: scenario.Steer, Targets: 15, Frames: 18, Still: 12, Noise: 0.05, NoVelocity: true, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	bounce := scenario.Config{Scene: scenario.Bounce, Targets: 12, Frames: 50, Noise: 0.1, VelocityNoise: 0.1, Seed: 3}
	crowd, err := scenario.Simulate(ctx, &bounce)
	if err != nil {
		t.Fatal(err)
	}
	slowly, err := scenario.Simulate(ctx, &bounce)
	if err != nil {
		t.Fatal(err)
	}
	missed, err := scenario.Simulate(ctx, &scenario.Config{ // how long a run of misses may last is asked for in the scans that wait
		Scene: scenario.Turn, Targets: 8, Frames: 20, Noise: 0.1, NoVelocity: true, Miss: 0.4, Clutter: 0.5, Seed: 6})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		scans []mtt.Scan
		taken []int // numbers of scans after which levels are others; nil: not looked at
	}{
		{"calm", calm, []int{1, 2, 5, 12, 16, 34}},
		{"change", walkOff.Scans, nil},
		{"missed", missed.Scans, nil},
		{"crowd", crowd.Scans, []int{1, 2, 5, 12, 16, 40}},   // the last ones at 34 were there no more work in it
		{"slowly", slowly.Scans, []int{1, 2, 5, 12, 16, 27}}, // there is more time between scans that say so
	} {
		if c.name != "slowly" {
			hurry(c.scans)
		}
		opts := &Options{WarmUp: 12, Workers: 2}
		slow, err := NewTracker(opts)
		if err != nil {
			t.Fatal(err)
		}
		fast, err := NewTracker(opts)
		if err != nil {
			t.Fatal(err)
		}
		var taken []int
		followed := 0
		for s := range c.scans {
			before := slow.model
			if err := errors.Join(slow.Step(ctx, &c.scans[s]), fast.Step(ctx, &c.scans[s])); err != nil {
				t.Fatal(err)
			}
			if slow.model != before {
				taken = append(taken, s+1)
			}
			if st := slow.study; st != nil {
				<-st.done
				if st.tracked != nil {
					followed = max(followed, len(st.tracked.recent)-len(st.scans))
				}
			}
			if !reflect.DeepEqual(slow.model.Levels, fast.model.Levels) || fmt.Sprint(slow.Targets(nil)) != fmt.Sprint(fast.Targets(nil)) {
				t.Fatalf("%s: scan %d: other levels or targets where scans come slowly", c.name, s+1)
			}
		}
		if err := errors.Join(slow.Flush(ctx), fast.Flush(ctx)); err != nil {
			t.Fatal(err)
		}
		if a, b := slices.Collect(slow.Tracks()), slices.Collect(fast.Tracks()); len(a) == 0 || !reflect.DeepEqual(a, b) {
			t.Errorf("%s: %d tracks and %d, not the same", c.name, len(a), len(b))
		}
		if c.taken != nil && !slices.Equal(taken, c.taken) {
			t.Errorf("%s: levels are taken at scans %v, want %v", c.name, taken, c.taken)
		}
		if followed == 0 {
			t.Errorf("%s: no scan was tracked beside the others", c.name)
		}
	}
}

// blocked is a tracker that has seen so many scans, and whose studies last until release is closed.
func blocked(t *testing.T, seen int) (k *Tracker, release chan struct{}, next func(ctx context.Context) error) {
	t.Helper()
	scans, _ := walkers(10, 60, 0)
	release = make(chan struct{})
	var hold <-chan struct{}
	k, err := NewTracker(&Options{WarmUp: 12, Wrap: func(g *costgen.Gaussian) costgen.Leveled {
		if hold != nil {
			<-hold
		}
		return g
	}})
	if err != nil {
		t.Fatal(err)
	}
	s := 0
	next = func(ctx context.Context) error {
		s++
		return k.Step(ctx, &scans[s-1])
	}
	for s < seen {
		if err := next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if k.study != nil {
		t.Fatal("something is being learnt too early")
	}
	hold = release
	return k, release, next
}

// TestStudyBeside: the scans between that at which learning begins and that at which its levels are
// taken do not wait for it; that one does, until its context ends, and the next goes on with the
// levels, or one soon after it.
func TestStudyBeside(t *testing.T) {
	for seen, levels := range map[int]string{12: "those of the warm-up", 25: "later ones"} {
		k, release, next := blocked(t, seen)
		begun := k.model
		for n := 0; k.study == nil || k.lesson.seen < k.study.take-1; n++ {
			if err := next(t.Context()); err != nil || n > 10 {
				t.Fatalf("%s: %d scans wait, error %v", levels, n, err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := next(ctx); !errors.Is(err, context.Canceled) || k.model != begun || k.study == nil {
			t.Errorf("%s: while they are learnt the step at which they are due ends with %v", levels, err)
		}
		if k.w == nil || k.w.Scan(k.w.Len()-1).Time != float64(k.lesson.seen-1) {
			t.Errorf("%s: the scan at which they are due was not taken", levels)
		}
		close(release)
		err := next(t.Context())
		for n := 0; err == nil && k.study != nil && k.study.calm && n < 20; n++ { // there may be more work in them than there was time for
			err = next(t.Context())
		}
		if err != nil || k.model == begun || !k.lesson.steady || k.study != nil {
			t.Errorf("%s: they are not taken once they are learnt; error %v", levels, err)
		}
		if k.w.Scan(k.w.Len()-1).Time != float64(k.lesson.seen-1) || len(k.Targets(nil)) < 10 {
			t.Errorf("%s: after them %d targets", levels, len(k.Targets(nil)))
		}
	}
}

// TestStudyLooks: levels for which there was too little time are looked at when twice as many scans
// have come: scans till then do not wait for them, though there is time for the work that was done,
// and one then does. Formerly each scan waited for as much work as there is time for in one.
func TestStudyLooks(t *testing.T) {
	for seen, levels := range map[int]string{12: "those of the warm-up", 25: "later ones"} {
		k, release, next := blocked(t, seen)
		for k.study == nil || k.lesson.seen < k.study.look-1 {
			if err := next(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		st := k.study
		first := k.lesson.seen + 1 - st.begun
		then := k.lesson
		then.seen++
		st.work.add(association.Work{Hits: int(st.time(&then)/perHit) + 1}) // a little too much
		soon, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		for k.lesson.seen-st.begun < 2*first-1 {
			if err := next(soon); err != nil || k.study != st {
				t.Fatalf("%s: scan %d waits for levels that are planned for scan %d: %v", levels, k.lesson.seen, st.take, err)
			}
		}
		cancel()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := next(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: scan %d, of twice as many, does not wait: %v", levels, k.lesson.seen, err)
		}
		close(release)
		if err := k.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStudyEnds: Flush ends what is being learnt, and the goroutine; the scan after it begins to learn again.
func TestStudyEnds(t *testing.T) {
	for _, seen := range []int{12, 25} {
		k, release, next := blocked(t, seen)
		if err := next(t.Context()); err != nil {
			t.Fatal(err)
		}
		st := k.study
		if st == nil {
			t.Fatalf("nothing is being learnt at scan %d", seen+1)
		}
		close(release)
		if err := k.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		select {
		case <-st.done:
		default:
			t.Errorf("scan %d: the study goes on after Flush", seen+1)
		}
		if err := next(t.Context()); err != nil || (k.study != nil) != (seen > 12) {
			t.Errorf("scan %d: after Flush a study: %v, error %v", seen+2, k.study != nil, err)
		}
		k.giveUp()
	}
}

// TestFlushEnds: a context that has ended ends Flush before levels are learnt, whatever is being learnt
// still, and the next Flush learns them.
func TestFlushEnds(t *testing.T) {
	k, err := NewTracker(nil)
	if err != nil {
		t.Fatal(err)
	}
	for f := range 6 {
		if err := k.Step(t.Context(), &mtt.Scan{Frame: f, Time: float64(f), Dim: 2, Pos: []float64{float64(f), 0, 50, float64(f)}}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	k.ending = make(chan struct{}) // of a study that was given up and goes on
	if err := k.Flush(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	close(k.ending)
	if err := k.Flush(t.Context()); err != nil || len(slices.Collect(k.Tracks())) != 2 {
		t.Errorf("after the end of one context: error %v, %d tracks", err, len(slices.Collect(k.Tracks())))
	}
}

// TestStudyFails: where levels cannot be learnt, which a cost of somebody's own may cause by a
// panic, those so far stay, with a warning, and all is tracked.
func TestStudyFails(t *testing.T) {
	scans, truth := walkers(10, 50, 0)
	for from, levels := range map[int]string{11: "those of the warm-up and later ones", 25: "later ones"} {
		s := 0
		k, err := NewTracker(&Options{WarmUp: 12, Workers: 1, Wrap: func(g *costgen.Gaussian) costgen.Leveled {
			if s >= from {
				panic("no model")
			}
			return g
		}})
		if err != nil {
			t.Fatal(err)
		}
		for ; s < len(scans); s++ {
			if err := k.Step(t.Context(), &scans[s]); err != nil {
				t.Fatalf("%s: scan %d: %v", levels, s+1, err)
			}
			if k.study != nil {
				<-k.study.done
			}
		}
		if err := k.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if w := k.Warnings(); len(w) == 0 || len(w) > 2 || !strings.Contains(w[0], "no model") {
			t.Errorf("%s: warnings %q", levels, w)
		}
		if wrong := wrongLinks(t, truth, slices.Collect(k.Tracks())); wrong > 1 {
			t.Errorf("%s: %.1f %% of the links are wrong", levels, wrong)
		}
	}
	k, err := NewTracker(&Options{Wrap: func(*costgen.Gaussian) costgen.Leveled { panic("no model") }})
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Step(t.Context(), &scans[0]); err == nil {
		t.Error("no error where there are no levels at all")
	}
}

// TestStudyOfNothing: a tracker whose first steps were interrupted learns with the next one.
func TestStudyOfNothing(t *testing.T) {
	scans, _ := walkers(10, 12, 0)
	k, err := NewTracker(nil)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for s := range 3 {
		if err := k.Step(ended, &scans[s]); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	for s := 3; s < 8; s++ {
		if err := k.Step(t.Context(), &scans[s]); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(k.Targets(nil)); n < 10 {
		t.Errorf("%d targets of 10", n)
	}
}

// TestLessonsBecomeRare: of a thousand scans of a hundred detections few wait for what is learnt,
// and it is used for at least as long as it took to learn.
func TestLessonsBecomeRare(t *testing.T) {
	k := &Tracker{opts: Options{WarmUp: 20}, model: &association.Result{Levels: new(costgen.Levels)}}
	l := &k.lesson
	scan := mtt.Scan{Dim: 2, Pos: make([]float64, 200)}
	var begun, taken []int
	for range 1000 {
		k.remember(&scan)
		l.steady = l.steady || k.study != nil && l.seen >= k.study.take && l.seen > 20
		if k.study != nil && l.seen >= k.study.take {
			k.study, taken = nil, append(taken, l.seen)
		}
		if l.seen > 2 && k.due() {
			k.sample()
			k.study, begun = &study{take: k.planned(l.seen > 20 && l.seen < 100)}, append(begun, l.seen)
		}
	}
	if want := []int{8, 20, 51, 122, 397}; !slices.Equal(taken, want) {
		t.Errorf("levels are taken at %v, want %v", taken, want)
	}
	if want := []int{4, 10, 21, 81, 324}; !slices.Equal(begun, want) {
		t.Errorf("levels are learnt at %v, want %v", begun, want)
	}
}

// TestDearBeside: a change is learnt within the step, but beside the scans where detections are so
// crowded that these would wait; then it is not begun anew until that has been taken.
func TestDearBeside(t *testing.T) {
	k := &Tracker{model: &association.Result{Levels: new(costgen.Levels)}}
	k.lesson = lesson{seen: 100, last: 50, wait: patience, next: 1000, left: 100, all: 100, steady: true}
	for range 40 {
		k.recent = append(k.recent, mtt.Scan{Dim: 2, Pos: make([]float64, 200)})
	}
	for _, c := range []struct {
		work, left          float64
		begun               *study
		due, atOnce, dearly bool
	}{
		{work: 500, left: 30, due: true, atOnce: true},
		{work: 500, left: 30, begun: new(study), due: true, atOnce: true},
		{work: 5000, left: 30, due: true, dearly: true},
		{work: 5000, left: 30, begun: new(study), dearly: true},
		{work: 5000, left: 60, begun: new(study), due: true, atOnce: true}, // most tracks break
		{work: 50000, left: 60, begun: new(study), dearly: true},
	} {
		k.lesson.work, k.lesson.left, k.study = c.work, c.left, c.begun
		if due, atOnce := k.due(), k.atOnce(); due != c.due || atOnce != c.atOnce || k.dear() != c.dearly {
			t.Errorf("work %v of a detection, %v left over, learning %v: due %v, at once %v", c.work, c.left, c.begun != nil, due, atOnce)
		}
	}
}

// TestBrokenAlarms: targets that stood walk off while the first levels are being learnt, or among
// false alarms. Their tracks break into pieces, hardly any of their detections is left alone, or no
// more than twice as many as there are false alarms; levels are learnt again all the same, and soon
// nearly all are tracked.
func TestBrokenAlarms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		scene scenario.Config
		after int // frames after the first steps
		lag   int
		least int // of so many links one may be wrong or missing
	}{
		{scenario.Config{Scene: scenario.Burst, Targets: 44, Frames: 45, Still: 18, Noise: 0.06, NoVelocity: true, Births: 0.7, Seed: 11}, 6, 3, 10},
		{scenario.Config{Scene: scenario.Steer, Targets: 25, Frames: 70, Still: 32, Noise: 0.3, NoVelocity: true, Miss: 0.15, Clutter: 11, Seed: 12}, 20, 3, 10},
		// Half of them are followed as if they were thrown: in no two scans most tracks break.
		{scenario.Config{Scene: scenario.Steer, Targets: 40, Frames: 80, Still: 25, Noise: 0.05, NoVelocity: true, Miss: 0.02, Clutter: 1, Seed: 9901}, 2, 5, 50},
	} {
		scene, err := scenario.Simulate(t.Context(), &c.scene)
		if err != nil {
			t.Fatal(err)
		}
		res, err := Track(t.Context(), scene.Scans, &Options{Lag: c.lag})
		if err != nil {
			t.Fatal(err)
		}
		late := func(tracks []mtt.Track) (parts []mtt.Track) {
			for _, tr := range tracks {
				from := slices.IndexFunc(tr.Hits, func(h mtt.Hit) bool { return h.Frame > c.scene.Still+c.after })
				if from >= 0 {
					parts = append(parts, mtt.Track{ID: tr.ID, Dim: tr.Dim, Hits: tr.Hits[from:], Pos: tr.Pos[from*tr.Dim:]})
				}
			}
			return parts
		}
		r, err := metrics.Score(late(scene.Truth), late(res.Tracks), nil)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := r.WrongLinks + r.MissingLinks; wrong > r.TrueLinks/c.least { // nearly all of them if levels are not learnt again
			t.Errorf("%s: %d of %d links are wrong or missing", c.scene.Scene, wrong, r.TrueLinks)
		}
	}
}

// TestChangeWhileLearning: targets that stood walk off while the first levels are being learnt, so
// that these are taken in the last scan before the lag settles the first step. All but a few tracks
// go on.
func TestChangeWhileLearning(t *testing.T) {
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{
		Scene: scenario.Steer, Targets: 40, Frames: 26, Still: 17, Noise: 0.05, NoVelocity: true, Clutter: 1, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	res, err := Track(t.Context(), scene.Scans, &Options{WarmUp: 14, Sigma: 0.05, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	late := 0
	for _, tr := range res.Tracks {
		if tr.Hits[0].Frame > 2 {
			late++
		}
	}
	if late > 4 { // 34 to 39 where the change is settled before levels are learnt again
		t.Errorf("%d tracks begin late", late)
	}
}

// TestStudyHasty: what is learnt from the first scans of a crowd that sets out from one place, of
// which all scans have equally many detections, takes no more work than there is time for until it
// is taken, though hundreds of its detections may follow each other. Formerly it was three to six
// times as much, and every scan waited.
func TestStudyHasty(t *testing.T) {
	for seed := uint64(3); seed <= 5; seed++ {
		scene, k := untaught(t, &scenario.Config{Scene: scenario.Burst, Targets: 100, Frames: 12, Noise: 0.1, NoVelocity: true, Seed: seed})
		var last *study
		studies := 0
		for s := range scene.Scans {
			if err := k.Step(t.Context(), &scene.Scans[s]); err != nil {
				t.Fatal(err)
			}
			st := k.study
			if st == nil || st == last {
				continue
			}
			<-st.done
			last = st
			studies++
			if work, most := st.work.done.Load(), int64(st.take-st.begun)*between; work > most {
				t.Errorf("seed %d: to learn from %d scans takes %d units of work, want at most %d", seed, len(st.scans), work, most)
			}
		}
		if studies != 2 {
			t.Errorf("seed %d: %d times something was learnt beside the scans, want 2", seed, studies)
		}
		if k.giveUp(); k.study != nil {
			t.Error("a study is not given up")
		}
	}
}

// TestStudyHalf: what is learnt from the first ten scans takes no more work than there is time for
// on a machine that is half as fast, though detections are missed and false, so that turns and other
// beginnings would be tried. Formerly it was half as much again.
func TestStudyHalf(t *testing.T) {
	t.Parallel()
	for _, c := range []scenario.Config{
		{Scene: scenario.Burst, Targets: 100, Miss: 0.1, Clutter: 10},
		{Scene: scenario.Steer, Targets: 40, Miss: 0.1, Clutter: 5},
		{Scene: scenario.Bounce, Targets: 100},
	} {
		c.Frames, c.Noise, c.NoVelocity, c.Seed = 10, 0.1, true, 1
		scene, k := untaught(t, &c)
		for s := range scene.Scans {
			if err := k.Step(t.Context(), &scene.Scans[s]); err != nil {
				t.Fatal(err)
			}
		}
		st := k.study
		if st == nil || st.begun != 10 {
			t.Fatalf("%d targets of %s: nothing is learnt from ten scans", c.Targets, c.Scene)
		}
		<-st.done
		if work, most := st.work.done.Load(), int64(st.take-st.begun)*between/2; work > most {
			t.Errorf("%d targets of %s: to learn from %d scans takes %d units of work, want at most %d", c.Targets, c.Scene, len(st.scans), work, most)
		}
		k.giveUp()
	}
}

// TestStudyCrowded: what is learnt from the first scans of targets that drift or cross each other
// among as many misses and false alarms is taken before the warm-up is over, as no other beginning
// is tried once half of the time for it is spent. With all of them it would take twice the time and
// be given up.
func TestStudyCrowded(t *testing.T) {
	t.Parallel()
	for _, kind := range []scenario.Kind{scenario.Drift, scenario.Cross} {
		scene, err := scenario.Simulate(t.Context(), &scenario.Config{
			Scene: kind, Targets: 56, Frames: 100, Noise: 0.1, NoVelocity: true, Miss: 0.2, Clutter: 20, Seed: 9601})
		if err != nil {
			t.Fatal(err)
		}
		hurry(scene.Scans)
		k, err := NewTracker(nil)
		if err != nil {
			t.Fatal(err)
		}
		const warmUp = 20
		var last *study
		for s := range warmUp {
			if err := k.Step(t.Context(), &scene.Scans[s]); err != nil {
				t.Fatal(err)
			}
			if k.study != nil {
				last = k.study
			}
		}
		if work, time := last.work.done.Load(), last.time(&k.lesson); k.study != nil || last.begun != 10 || work > time {
			t.Errorf("%s: to learn from %d scans takes %d units of work, want at most %d; levels are taken: %t", kind, len(last.scans), work, time, k.study == nil)
		}
		k.giveUp()
	}
}

// TestStudySpreads: of targets that set out from one place the first scans, a crowd, are not learnt
// from in the warm-up, nor by the lesson after it, which is then taken as planned. All of them
// would take several times the work, and be taken fifty scans later.
func TestStudySpreads(t *testing.T) {
	const warmUp = 20
	scene, k := untaught(t, &scenario.Config{Targets: 100, Frames: 60, Noise: 0.1, NoVelocity: true, Seed: 1})
	was := studied(t, scene, k, func(st *study) bool { return st.begun > warmUp })
	if was == nil || was.first == 0 || k.lesson.seen != was.take {
		t.Fatalf("levels of the warm-up are not taken as planned, or learnt from all of it: %+v", was)
	}
	if n, most := was.work.all.Load(), int64(was.take-was.begun)*between/2; n > most {
		t.Errorf("to learn from %d scans takes %d units of work, want at most %d", len(was.scans), n, most)
	}
	k.giveUp()
}

// TestStudyCalm: levels that are learnt again while nothing changes are taken when there was twice
// the time for the work of it, looking for manoeuvres included, which is later than planned where
// that is much: a scan does not wait for them on a machine that is half as fast.
func TestStudyCalm(t *testing.T) {
	t.Parallel()
	later := 0
	for _, seed := range []uint64{1, 2} {
		scene, k := untaught(t, &scenario.Config{Targets: 20, Frames: 400, Noise: 0.1, NoVelocity: true, Miss: 0.2, Clutter: 20, Seed: seed})
		if was := studied(t, scene, k, func(st *study) bool { return st.calm && st.tracked == nil }); was != nil {
			if work, time := was.work.all.Load(), int64(k.lesson.seen-was.begun)*between/2; work > time {
				t.Errorf("seed %d: what takes %d units is taken after %d scans, in which there is time for %d", seed, work, k.lesson.seen-was.begun, time)
			}
			if k.lesson.seen > was.take {
				later++
			}
		}
		k.giveUp()
	}
	if later == 0 {
		t.Error("levels are always taken as planned")
	}
}

// TestStudyOfWarmUp: levels of a warm-up are taken when there was twice the time for the work of
// it, looking for manoeuvres included, but for that of a few scans, or, where that is later, four
// warm-ups after it if there was just time by then, and when there was where that is later still,
// but for eight warm-ups. Formerly all scans that came meanwhile waited for those of a crowd.
func TestStudyOfWarmUp(t *testing.T) {
	t.Parallel()
	const warmUp = 20
	later, dear := 0, 0
	for _, c := range []scenario.Config{
		{Scene: scenario.Steer, Targets: 8, Miss: 0.1, Clutter: 5, Seed: 1},
		{Scene: scenario.Steer, Targets: 15, Miss: 0.1, Clutter: 5, Seed: 1},
		{Scene: scenario.Steer, Targets: 40, Miss: 0.1, Clutter: 5, Seed: 1},
		{Scene: scenario.Burst, Targets: 40, Miss: 0.2, Clutter: 20, Seed: 5},
	} {
		c.Frames, c.Noise, c.NoVelocity = 150, 0.1, true
		scene, k := untaught(t, &c)
		if was := studied(t, scene, k, func(st *study) bool { return st.begun > warmUp }); was != nil {
			waited := k.lesson.seen - was.begun
			late := max(4*warmUp, 2*(was.take-was.begun))
			if work, time := was.work.all.Load(), int64(waited+2*waits)*between/2; work > time && (waited < late || work > int64(waited)*between && waited < 2*late) {
				t.Errorf("%d targets: what takes %d units is taken after %d scans, in which there is time for %d", c.Targets, work, waited, time)
			}
			if waited > late {
				dear++
			}
			if k.lesson.seen > was.take {
				later++
			}
		}
		k.giveUp()
	}
	if later == 0 || dear == 0 {
		t.Error("levels are always taken as planned, or four warm-ups later")
	}
}

// studied has k step through a scene until a study of that kind is over, and returns it; nil: none is.
func studied(t *testing.T, scene *scenario.Scene, k *Tracker, kind func(*study) bool) *study {
	t.Helper()
	for s := range scene.Scans {
		was := k.study
		if err := k.Step(t.Context(), &scene.Scans[s]); err != nil {
			t.Fatal(err)
		}
		if was != nil && k.study == nil && kind(was) {
			return was
		}
	}
	return nil
}

// hurry has scans come as fast as those of a fast sensor.
func hurry(scans []mtt.Scan) {
	faster := fastest / (scans[1].Time - scans[0].Time)
	for s := range scans {
		scans[s].Time *= faster
		for x := range scans[s].Vel {
			scans[s].Vel[x] /= faster
		}
	}
}

// untaught is a scene of a fast sensor, and a tracker that is told nothing.
func untaught(t *testing.T, c *scenario.Config) (*scenario.Scene, *Tracker) {
	t.Helper()
	scene, err := scenario.Simulate(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	hurry(scene.Scans)
	k, err := NewTracker(nil)
	if err != nil {
		t.Fatal(err)
	}
	return scene, k
}

// TestFewWalkOff: four targets stand all through the warm-up. That each begins a new track in every
// scan from when they walk is no more than chance in one scan.
func TestFewWalkOff(t *testing.T) {
	t.Parallel()
	wrong := 0.0
	for seed := range uint64(3) {
		scene, err := scenario.Simulate(t.Context(), &scenario.Config{
			Scene: scenario.Turn, Targets: 4, Frames: 60, Still: 26, Noise: 0.05, NoVelocity: true, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		res, err := Track(t.Context(), scene.Scans, &Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		wrong += wrongLinks(t, scene.Truth, res.Tracks) / 3
	}
	if t.Logf("%.1f %%", wrong); wrong > 5 {
		t.Errorf("%.1f %% of the links are wrong", wrong)
	}
}

// TestMoreAlarms: where a fifth of what is detected is false from some scan on, and nothing was before, levels
// are learnt again.
func TestMoreAlarms(t *testing.T) {
	t.Parallel()
	const targets, alarms, side = 20, 5, 100.
	rng := rand.New(rand.NewPCG(1, 83))
	var x, v [targets][2]float64
	for i := range x {
		x[i], v[i] = [2]float64{side * rng.Float64(), side * rng.Float64()}, [2]float64{rng.NormFloat64(), rng.NormFloat64()}
	}
	k, err := NewTracker(nil)
	if err != nil {
		t.Fatal(err)
	}
	for f := range 40 {
		s := mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
		for i := range x {
			for d := range 2 {
				x[i][d] += v[i][d]
				s.Pos = append(s.Pos, x[i][d]+0.1*rng.NormFloat64())
			}
		}
		for range alarms {
			if f >= 27 {
				s.Pos = append(s.Pos, side*rng.Float64(), side*rng.Float64())
			}
		}
		if err := k.Step(t.Context(), &s); err != nil {
			t.Fatal(err)
		}
	}
	if found := k.Model().Levels.Rates.Clutter; found < alarms/2 {
		t.Errorf("%.3g false alarms a scan are learnt, %d are true", found, alarms)
	}
}
