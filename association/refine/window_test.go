package refine

import (
	"cmp"
	"context"
	"errors"
	"math"
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
	r := made.(*window[motion.PlaneState, motion.PlaneInformation])
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
			r.tellTails()
		}
		filter()
		states, tails := make([][]motion.PlaneState, len(r.scans)), make([][]motion.PlaneInformation, len(r.scans))
		for u := range r.scans {
			states[u], tails[u] = slices.Clone(r.states[u]), slices.Clone(r.tails[u])
			r.looks[u].forward, r.looks[u].backward, r.looks[u].news = -1, -1, r.clock
			for i := range r.stamp[u] {
				r.stamp[u][i], r.records[u][i].joined = r.clock, r.clock
			}
		}
		filter()
		for u := from; u < len(r.scans); u++ {
			for i := range states[u] {
				if !r.filter.LikeState(&states[u][i], &r.states[u][i], motion.Same) || !r.filter.LikeInformation(&tails[u][i], &r.tails[u][i], motion.Same) {
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

// TestTail: what follows on a detection is computed where there is an alternative to it, in a few
// places of a scene that is not crowded, and is then what a filter finds that goes back from the end.
func TestTail(t *testing.T) {
	ctx := context.Background()
	const lag = 3
	scene, err := scenario.Simulate(ctx, &scenario.Config{Scene: scenario.Arena, Targets: 40, Frames: 30, Spread: 20, Noise: 0.05, VelocityNoise: 0.05, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	levels := refineLevels(true, 2)
	levels.Sigma, levels.Accel = 0.1, 0.1
	levels.Rates.Targets, levels.Rates.Volume = 40, 2000
	r := NewWindow(&costgen.Gaussian{Levels: levels}, &scene.Scans[0], gating.Ball{Radius: 3}, 20, &Options{Misses: 2, Speed: 4}).(*window[motion.PlaneState, motion.PlaneInformation])
	late, told := 0, 0
	for s := range scene.Scans {
		if r.Len() == 20 {
			r.Drop()
		}
		if err := errors.Join(r.Add(&scene.Scans[s]), r.Extend(ctx), r.Improve(ctx, lag)); err != nil {
			t.Fatal(err)
		}
		for u := r.open; s > lag && u < r.Len(); u++ {
			for i := range r.records[u] {
				if r.records[u][i].late {
					late++
				} else {
					told++
				}
				at := chain.At(u, i)
				var path []chain.Node
				for h := at; h != chain.None; h = r.Next[h.T][h.Det] {
					path = append(path, h)
				}
				var want motion.PlaneInformation
				for n := len(path) - 1; n >= 0; n-- {
					if h := path[n]; n < len(path)-1 {
						next := path[n+1]
						r.filter.Return(&want, r.scans[next.T].Time-r.scans[h.T].Time, &r.scans[h.T], int(h.Det), int(r.kinds[next.T][next.Det]))
					}
					r.filter.Observe(&want, &r.scans[path[n].T], int(path[n].Det))
				}
				if s%5 > 0 { // late ones stay so
					continue
				}
				if got := r.tail(at); !r.filter.LikeInformation(got, &want, motion.Same) {
					t.Fatalf("scan %d: of detection %d of scan %d other things are known than a filter finds", s, i, u)
				}
			}
		}
	}
	if told == 0 || told > late/2 {
		t.Errorf("%d suffixes are told of %d", told, told+late)
	}
}

// TestExtend: the detections of each scan are linked as it comes, mostly to those before them of
// the same target.
func TestExtend(t *testing.T) {
	ctx := context.Background()
	scene := chaintest.Crowd(t, 4, 10, 20, true)
	levels := refineLevels(true, 2)
	w := NewWindow(&costgen.Gaussian{Levels: levels}, &scene.Scans[0], gating.Ball{Radius: 1.5}, len(scene.Scans), &Options{Misses: 2, Speed: 3})
	for s := range scene.Scans {
		if err := errors.Join(w.Add(&scene.Scans[s]), w.Extend(ctx)); err != nil {
			t.Fatal(err)
		}
	}
	right, all := 0, 0
	for _, tr := range scene.Truth {
		seen := slices.DeleteFunc(slices.Clone(tr.Hits), func(h mtt.Hit) bool { return h.Det < 0 })
		for n := 1; n < len(seen); n++ {
			a, b := seen[n-1], seen[n]
			all++
			if w.Links().Next[a.Frame][a.Det] == chain.At(b.Frame, b.Det) {
				right++
			}
		}
	}
	if right < all*3/4 {
		t.Errorf("%d links of %d are right", right, all)
	}
}

// TestNearest: where nothing is known of a velocity, candidates are the nearest detections of the
// next scan, in order; of later ones those that can be reached.
func TestNearest(t *testing.T) {
	w, _ := filled(t, false, 6)
	m := w.movers[0]
	short := 0
	for f := range w.scans {
		w.forward(f)
	}
	for u := 1; u < 4; u++ {
		scan := &w.scans[u]
		all := make([]int32, scan.Len())
		for j := range all {
			all[j] = int32(j)
		}
		for i := range w.scans[0].Len() {
			from := w.scans[0].At(i)
			distance := func(j int32) float64 { return math.Hypot(scan.At(int(j))[0]-from[0], scan.At(int(j))[1]-from[1]) }
			most := len(all)
			if u == 1 {
				most = 4
			}
			got := m.nearest(nil, all, chain.At(0, i), int32(u), most)
			want := slices.Clone(all)
			slices.SortStableFunc(want, func(a, b int32) int { return cmp.Compare(distance(a), distance(b)) })
			if u == 1 && len(got) != min(most, len(all)) {
				t.Errorf("detection %d: %d candidates in the next scan", i, len(got))
			}
			if !slices.Equal(got, want[:len(got)]) {
				t.Errorf("detection %d: candidates %v in scan %d, the nearest are %v", i, got, u, want[:len(got)])
			}
			if u > 1 && len(got) < len(all) {
				short++
				m.state = m.states[0][i]
				if _, radius := m.ball(0, int32(u), likely); distance(want[len(got)]) < radius {
					t.Errorf("detection %d: %v in scan %d is not a candidate", i, want[len(got)], u)
				}
			}
		}
	}
	if short == 0 {
		t.Error("everything could be reached")
	}
}

// TestNearestBeyond: what lies far from where a track of known velocity is expected in the next
// scan is no candidate; what that leaves out would cost more than to part.
func TestNearestBeyond(t *testing.T) {
	far := 0
	for seed := range uint64(5) {
		w, _ := filled(t, true, seed+1)
		m := w.movers[0]
		for f := range w.scans {
			w.forward(f)
		}
		w.backward()
		for u := int32(1); int(u) < len(w.scans); u++ {
			all := make([]int32, w.scans[u].Len())
			for j := range all {
				all[j] = int32(j)
			}
			for i := range w.scans[u-1].Len() {
				from := chain.At(u-1, i)
				got := m.nearest(nil, all, from, u, len(all))
				for _, j := range all {
					if slices.Contains(got, j) {
						continue
					}
					far++
					if to := chain.At(u, int(j)); m.join(from, to, math.Inf(1)) < m.ended(from)+m.begun(to) {
						t.Errorf("scan %d, detection %d: %d is no candidate, and no dearer than to part", u-1, i, j)
					}
				}
			}
		}
	}
	if far == 0 {
		t.Error("everything is a candidate")
	}
}

// TestNearestSpeed: the greatest speed over gaps is none of the next scan's, which the gate limits.
func TestNearestSpeed(t *testing.T) {
	for seed := range uint64(3) {
		w, _ := filled(t, false, seed+1)
		w.forward(0)
		m, all := w.movers[0], w.gates[0]
		for i := range w.scans[0].Len() {
			m.speed = 3
			before := slices.Clone(m.nearest(nil, all.Row(i), chain.At(0, i), 1, nextMost))
			m.speed = 0.01
			if after := m.nearest(nil, all.Row(i), chain.At(0, i), 1, nextMost); !slices.Equal(before, after) {
				t.Errorf("detection %d: candidates %v, slower %v", i, before, after)
			}
		}
	}
}

// TestImproveAll: all links of a window may be improved, also where tracks come from before it;
// these go on to come from there.
func TestImproveAll(t *testing.T) {
	ctx := context.Background()
	scene := chaintest.Crowd(t, 7, 20, 12, false)
	levels := refineLevels(false, 2)
	levels.Sigma = 0.15
	w := NewWindow(&costgen.Gaussian{Levels: levels}, &scene.Scans[0], gating.Ball{Radius: 1.5}, 8, &Options{Misses: 2, Speed: 3})
	past := 0
	for s := range scene.Scans {
		if w.Len() == 7 {
			w.Drop()
		}
		if err := errors.Join(w.Add(&scene.Scans[s]), w.Extend(ctx)); err != nil {
			t.Fatal(err)
		}
		before := make([][]chain.Node, w.Len())
		for u := range before {
			before[u] = slices.Clone(w.Links().Prev[u])
		}
		if err := w.Improve(ctx, w.Len()); err != nil {
			t.Fatal(err)
		}
		for u := range before {
			for i, p := range before[u] {
				if is := w.Links().Prev[u][i]; (p == chain.Past) != (is == chain.Past) {
					t.Fatalf("scan %d: detection %d of scan %d of the window came from %v, now from %v", s, i, u, p, is)
				}
				if p == chain.Past {
					past++
				}
			}
		}
	}
	if past < 50 {
		t.Errorf("only %d links from before the window", past)
	}
}

// TestOfferNews: the state of a detection that an offer has given to another track is that of its new track.
func TestOfferNews(t *testing.T) {
	ctx := context.Background()
	scene := chaintest.Crowd(t, 7, 30, 8, false)
	levels := refineLevels(false, 2)
	levels.Sigma = 0.15
	levels.Rates.Targets, levels.Rates.Volume = 30, 150
	made := NewWindow(&costgen.Gaussian{Levels: levels}, &scene.Scans[0], gating.Ball{Radius: 1.5}, 10, &Options{Misses: 2, Speed: 3})
	r := made.(*window[motion.PlaneState, motion.PlaneInformation])
	for s := range scene.Scans {
		if err := errors.Join(r.Add(&scene.Scans[s]), r.Extend(ctx)); err != nil {
			t.Fatal(err)
		}
		if s+1 < len(scene.Scans) {
			if err := r.Improve(ctx, 3); err != nil {
				t.Fatal(err)
			}
		}
	}
	// Two tracks that Extend has not joined with the right detections: the offer has them as they were.
	last := len(r.scans) - 1
	next := [][]chain.Node{slices.Clone(r.Next[last-1]), slices.Clone(r.Next[last])}
	r.clock++
	wrong := make([]chain.Node, 0, 2)
	for i, n := range r.Next[last-1] {
		if n.T == int32(last) && len(wrong) < 2 {
			wrong = append(wrong, chain.At(last-1, i))
		}
	}
	a, b := r.Next[last-1][wrong[0].Det], r.Next[last-1][wrong[1].Det]
	r.unlink(wrong[0])
	r.unlink(wrong[1])
	r.link(wrong[0], b)
	r.link(wrong[1], a)
	r.forward(last)
	if taken := r.Offer(last-1, next); taken < 2 {
		t.Fatalf("%d links are taken", taken)
	}
	if err := r.Improve(ctx, 3); err != nil {
		t.Fatal(err)
	}
	for i, p := range r.Prev[last] {
		if p.T < 0 {
			continue
		}
		is, scan := r.states[p.T][p.Det], &r.scans[last]
		r.filter.Advance(&is, scan.Time-r.scans[p.T].Time, scan, i)
		r.filter.Update(&is, scan, i)
		if !r.filter.LikeState(&is, &r.states[last][i], motion.Same) {
			t.Errorf("the state of detection %d is not that of its track", i)
		}
	}
}

// TestThin: of old scans a window keeps the tracks that ended, and those that pass over scans to
// one whose links may change; what goes on from what was taken out comes from before the window,
// and links agree from both sides.
func TestThin(t *testing.T) {
	ctx := context.Background()
	const lag, misses, lasting, whole = 3, 2, 12, 10
	scene := chaintest.Crowd(t, 7, 30, 60, false)
	levels := refineLevels(false, 2)
	levels.Sigma = 0.15
	levels.Rates.Targets, levels.Rates.Volume = 30, 150
	levels.Rates.Detect, levels.Rates.Survive = 0.9, 0.97
	levels.Lasting = costgen.Lasting{Share: 0.2, Brief: 0.1, Long: 0.8}
	w := NewWindow(&costgen.Gaussian{Levels: levels}, &scene.Scans[0], gating.Ball{Radius: 1.5}, lag+lasting+4, &Options{Misses: misses, Speed: 3})
	w.Outlast(lasting, lag+lasting+4)
	thin, ended, long := 0, 0, 0
	for s := range scene.Scans {
		if w.Len() > lag+lasting+3 {
			w.Drop()
			thin--
		}
		open := w.Len() - 1 - lag
		for ; thin < w.Len()-whole; thin++ {
			before := w.Links().Clone()
			w.Thin(thin, open, func(u int, kept []int32) {
				n := 0
				for i, next := range before.Next[u] {
					end := next == chain.None && before.Prev[u][i] != chain.None
					if u == thin && (end || int(next.T) >= open) {
						if n == len(kept) || int(kept[n]) != i {
							t.Fatalf("scan %d: detections %v are kept, want %d too", u, kept, i)
						}
						n++
					}
				}
				if u == thin && n != len(kept) || len(kept) != w.Scan(u).Len() {
					t.Fatalf("scan %d: detections %v are kept, %d of them in vain", u, kept, len(kept)-n)
				}
				ended += n
			})
		}
		// Some targets are hidden for some scans.
		scan := scene.Scans[s]
		var seen []int32
		for i := range scan.Len() {
			if (s/6+i)%5 > 0 {
				seen = append(seen, int32(i))
			}
		}
		scan = scan.Pick(seen)
		if err := errors.Join(w.Add(&scan), w.Extend(ctx), w.Improve(ctx, lag)); err != nil {
			t.Fatal(err)
		}
		links := w.Links()
		for u := range links.Next {
			for i, next := range links.Next[u] {
				if next != chain.None && links.Prev[next.T][next.Det] != chain.At(u, i) {
					t.Fatalf("after scan %d: detection %d of scan %d goes on to %v, which comes from %v", s, i, u, next, links.Prev[next.T][next.Det])
				}
				if p := links.Prev[u][i]; p.T >= 0 && links.Next[p.T][p.Det] != chain.At(u, i) {
					t.Fatalf("after scan %d: detection %d of scan %d comes from %v, which goes on to %v", s, i, u, p, links.Next[p.T][p.Det])
				}
				if int(next.T) > u+misses+1 {
					long++
				}
			}
		}
	}
	if ended < 20 || long < 20 {
		t.Errorf("%d tracks that ended were kept, and there are %d long links", ended, long)
	}
}

// TestIdle: the links to the last scan are not matched anew where nothing has changed but what
// follows on the tracks before it, and then there is nothing to be gained.
func TestIdle(t *testing.T) {
	ctx := context.Background()
	const lag = 3
	scene := chaintest.Crowd(t, 7, 30, 60, false)
	levels := refineLevels(false, 2)
	w := NewWindow(&costgen.Gaussian{Levels: levels}, &scene.Scans[0], gating.Ball{Radius: 1.5}, lag+7, &Options{Misses: 2, Speed: 3}).(*window[motion.PlaneState, motion.PlaneInformation])
	idle, looked := 0, 0
	for s := range scene.Scans {
		if w.Len() > lag+6 {
			w.Drop()
		}
		if err := errors.Join(w.Add(&scene.Scans[s]), w.Extend(ctx)); err != nil {
			t.Fatal(err)
		}
		tied := w.tied
		if err := w.Improve(ctx, lag); err != nil {
			t.Fatal(err)
		}
		last := w.Len() - 2 // the scan before the last
		if last < 2 || w.tied != tied {
			continue
		}
		if looked++; w.looks[last].rematch > w.looks[last-1].rematch {
			continue
		}
		idle++
		if better, err := w.movers[0].weighRematch(ctx, int32(last), -1); better || err != nil {
			t.Fatalf("scan %d: links to it may get better: %v, %v", s, better, err)
		}
	}
	if looked < 10 || idle != looked {
		t.Errorf("of %d scans whose links stayed as they were, the last links of %d were left alone", looked, idle)
	}
}

// TestOnwardRemembered: what a link costs whose parts have not changed since it was asked last is
// what it costs anew.
func TestOnwardRemembered(t *testing.T) {
	ctx := context.Background()
	scene := chaintest.Crowd(t, 7, 30, 60, true)
	w := NewWindow(&costgen.Gaussian{Levels: refineLevels(true, 2)}, &scene.Scans[0], gating.Ball{Radius: 1.5}, 10, &Options{Misses: 2, Speed: 3}).(*window[motion.PlaneState, motion.PlaneInformation])
	m, known := w.movers[0], 0
	for s := range scene.Scans {
		if w.Len() > 9 {
			w.Drop()
		}
		if err := errors.Join(w.Add(&scene.Scans[s]), w.Extend(ctx), w.Improve(ctx, 3)); err != nil {
			t.Fatal(err)
		}
		for u := range w.Next {
			for i, b := range w.Next[u] {
				if a := chain.At(u, i); b != chain.None && max(w.stamp[u][i], w.stamp[b.T][b.Det]) < w.records[u][i].priced {
					known++
					m.ahead.scan = -1
					if got, want := m.smoothOnward(a, b), w.filter.SmoothOnward(m.lookAhead(a, b.T), &w.tails[b.T][b.Det]); got != want {
						t.Fatalf("scan %d: link from %v to %v costs %v, want %v", s, a, b, got, want)
					}
				}
			}
		}
	}
	if known < 1000 {
		t.Errorf("only %d links whose price is known", known)
	}
}

// TestOutlying: a window of levels with outliers keeps what each detection is worth as one, also of
// scans that are thinned, leave it or are retracted.
func TestOutlying(t *testing.T) {
	const lag, most = 2, 6
	ctx := context.Background()
	scene := chaintest.Crowd(t, 4, 10, 20, true)
	levels := refineLevels(true, 2)
	levels.OutlierProb, levels.OutlierTimes = 0.02, 8
	made := NewWindow(&costgen.Gaussian{Levels: levels}, &scene.Scans[0], gating.Ball{Radius: 1.5}, most, &Options{Misses: 2, Speed: 3, Workers: 1})
	w := made.(*window[motion.PlaneState, motion.PlaneInformation])
	if w.wide == nil {
		t.Fatal("there are no outliers")
	}
	for s := range scene.Scans {
		if err := errors.Join(w.Add(&scene.Scans[s]), w.Extend(ctx), w.Improve(ctx, lag)); err != nil {
			t.Fatal(err)
		}
		if n := w.Len() - lag - 2; n >= 0 {
			w.Thin(n, n+1, func(int, []int32) {})
		}
		if w.Len() == most {
			w.Drop()
		}
		for u := range w.scans {
			if len(w.wide[u]) != w.scans[u].Len() {
				t.Fatalf("scan %d of %d has %d detections, as outliers %d", u, w.Len(), w.scans[u].Len(), len(w.wide[u]))
			}
		}
	}
	empty := mtt.Scan{Frame: len(scene.Scans), Time: float64(len(scene.Scans)), Dim: 2}
	if err := w.Add(&empty); err != nil {
		t.Fatal(err)
	}
	if w.Retract(); len(w.wide) != w.Len() {
		t.Errorf("%d scans, %d of outliers", w.Len(), len(w.wide))
	}
}
