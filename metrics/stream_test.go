package metrics

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"mtt"
)

// This file tests scores frame by frame against those of all frames at once.

// scramble draws targets that walk, miss detections and leave for a while, and tracks of their
// detections and of clutter that jump between targets.
func scramble(rnd *rand.Rand, targets, frames int) (truth, tracks []mtt.Track) {
	truth, tracks = make([]mtt.Track, targets), make([]mtt.Track, targets+3)
	holds := rnd.Perm(len(tracks)) // target → track
	pos := make([][2]float64, targets)
	for f := range frames {
		if rnd.Float64() < 0.1 {
			continue // a frame without anything
		}
		dets := rnd.Perm(2 * len(tracks))
		if f%3 == 0 {
			a, b := rnd.IntN(len(holds)), rnd.IntN(len(holds))
			holds[a], holds[b] = holds[b], holds[a]
		}
		add := func(t *mtt.Track, id, det int, x, y float64) {
			t.ID, t.Dim = id, 2
			t.Hits, t.Pos = append(t.Hits, mtt.Hit{Frame: 2 * f, Det: det}), append(t.Pos, x, y)
		}
		for k, track := range holds {
			det := dets[k]
			var x, y float64
			if k < targets {
				if pos[k][0], pos[k][1] = pos[k][0]+rnd.NormFloat64(), pos[k][1]+rnd.NormFloat64(); rnd.Float64() < 0.2 {
					continue
				}
				if rnd.Float64() < 0.15 {
					det = -1
				}
				x, y = pos[k][0], pos[k][1]
				add(&truth[k], 100+7*k, det, x, y)
			}
			if det >= 0 && rnd.Float64() < 0.9 {
				add(&tracks[track], 5+track, det, x+0.4*rnd.NormFloat64(), y+0.4*rnd.NormFloat64())
			}
		}
	}
	return truth, tracks
}

// at are the hits of tracks in a frame.
func at(tracks []mtt.Track, frame int) *Hits {
	here := &Hits{Dim: 2}
	for i := range tracks {
		t := &tracks[i]
		for h, hit := range t.Hits {
			if hit.Frame == frame {
				here.ID, here.Det, here.Pos = append(here.ID, t.ID), append(here.Det, hit.Det), append(here.Pos, t.At(h)...)
			}
		}
	}
	return here
}

// TestStream: what comes frame by frame scores as what is there at once.
func TestStream(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		frames := 1 + rnd.IntN(150)
		truth, tracks := scramble(rnd, 1+rnd.IntN(8), frames)
		o := &Options{MatchDistance: 1 + rnd.Float64(), Cutoff: 1 + 3*rnd.Float64()}
		want, err := Score(truth, tracks, o)
		if err != nil {
			t.Fatal(err)
		}
		k, err := NewStream(o)
		if err != nil {
			t.Fatal(err)
		}
		for f := range 2 * frames {
			if err := k.Add(t.Context(), f, at(truth, f), at(tracks, f)); err != nil {
				t.Fatal(err)
			}
		}
		got, ospa2, err := k.Finish(t.Context())
		if want.LinksBy != LinksByDetection {
			if err == nil && want.TruthHits > 0 && want.TrackHits > 0 {
				t.Error("hits without detections are scored")
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(ospa2-want.OSPA2) > 1e-9 {
			t.Errorf("OSPA(2) %v, want %v", ospa2, want.OSPA2)
		}
		is := make(map[string]float64)
		for _, row := range want.Rows() {
			is[row.Key] = row.Value
		}
		rows := got.Rows()
		if len(rows) < 38 {
			t.Errorf("%d rows", len(rows))
		}
		for _, row := range rows {
			if w, ok := is[row.Key]; !ok || math.Abs(row.Value-w) > 1e-9*max(1, math.Abs(w)) {
				t.Errorf("%s is %v, want %v", row.Key, row.Value, w)
			}
		}
	}
}

// TestStreamRefuses: frames in order, a target twice in a frame or of other dimensions, a place and
// a detection that are none.
func TestStreamRefuses(t *testing.T) {
	one := func(id int) *Hits { return &Hits{ID: []int{id}, Det: []int{id}, Dim: 2, Pos: []float64{0, 0}} }
	no, far, deep := one(1), one(1), &Hits{ID: []int{1}, Det: []int{0}, Dim: 3, Pos: make([]float64, 3)}
	no.Pos[1], far.Det[0] = math.NaN(), maxDet+1
	none, twice := &Hits{}, &Hits{ID: []int{1, 1}, Det: []int{0, 1}, Dim: 2, Pos: make([]float64, 4)}
	for name, add := range map[string]func(k *Stream) error{
		"frame 2 comes after frame 2":                 func(k *Stream) error { return k.Add(t.Context(), 2, one(1), none) },
		"tracks, track 1: frame 3 comes after":        func(k *Stream) error { return k.Add(t.Context(), 3, none, twice) },
		"truth, frame 3 has 3 dimensions":             func(k *Stream) error { return k.Add(t.Context(), 3, deep, none) },
		"truth, track 1, frame 3: position is NaN":    func(k *Stream) error { return k.Add(t.Context(), 3, no, none) },
		"truth, track 1, frame 3: detection number 6": func(k *Stream) error { return k.Add(t.Context(), 3, far, none) },
	} {
		k, err := NewStream(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := k.Add(t.Context(), 2, one(1), none); err != nil {
			t.Fatal(err)
		}
		if err := add(k); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
}

// BenchmarkStream scores 100,000 targets frame by frame: ns/frame.
func BenchmarkStream(b *testing.B) {
	const n = 100_000
	rnd := rand.New(rand.NewPCG(1, 2))
	truth, tracks := &Hits{Dim: 2}, &Hits{Dim: 2}
	for i := range n {
		x, y := 3000*rnd.Float64(), 3000*rnd.Float64()
		truth.ID, truth.Det, truth.Pos = append(truth.ID, i), append(truth.Det, i), append(truth.Pos, x, y)
	}
	for _, i := range rnd.Perm(n) {
		tracks.ID, tracks.Det = append(tracks.ID, i), append(tracks.Det, i)
		tracks.Pos = append(tracks.Pos, truth.Pos[2*i]+0.1*rnd.NormFloat64(), truth.Pos[2*i+1]+0.1*rnd.NormFloat64())
	}
	k, err := NewStream(nil)
	if err != nil {
		b.Fatal(err)
	}
	frame := 0
	for b.Loop() {
		if err := k.Add(b.Context(), frame, truth, tracks); err != nil {
			b.Fatal(err)
		}
		frame++
	}
}

// TestMeetings: what is noted frame by frame is what a table of all pairs has, in order, and what
// is asked of a target is its own.
func TestMeetings(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		type pair struct{ target, track int32 }
		want := make(map[pair]meeting)
		var m meetings
		targets, tracks := 1+rnd.IntN(metTargets), 1+rnd.IntN(40)
		for range 1 + rnd.IntN(12) {
			var fresh []encounter
			for target := range targets {
				for track := range tracks {
					if rnd.IntN(1+tracks/3) > 0 {
						continue
					}
					e := encounter{int32(target), meeting{rnd.Float64(), int32(track), int32(rnd.IntN(2))}}
					fresh = append(fresh, e)
					w := want[pair{e.target, e.track}]
					want[pair{e.target, e.track}] = meeting{w.saved + e.saved, e.track, w.frames + e.frames}
				}
			}
			m.add(fresh)
		}
		n := 0
		for target := range metTargets {
			last := int32(-1)
			for _, got := range m.of(target) {
				if w, ok := want[pair{int32(target), got.track}]; !ok || got != w || got.track <= last {
					t.Fatalf("target %d: %v after track %d, want %v", target, got, last, w)
				}
				last = got.track
				n++
			}
		}
		if n != len(want) || len(m.list) != n {
			t.Fatalf("%d meetings of %d, %d wanted", n, len(m.list), len(want))
		}
	}
}

// TestStreamMany: so does a scene whose targets' meetings lie in several lists, some of which have none.
func TestStreamMany(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	truth, tracks := scramble(rnd, 2*metTargets+50, 6)
	want, err := Score(truth, tracks, &Options{Only: Identity | Trajectories | Sets})
	if err != nil {
		t.Fatal(err)
	}
	k, err := NewStream(nil)
	if err != nil {
		t.Fatal(err)
	}
	for f := range 12 {
		if err := k.Add(t.Context(), f, at(truth, f), at(tracks, f)); err != nil {
			t.Fatal(err)
		}
	}
	got, ospa2, err := k.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got.IDTP != want.IDTP || math.Abs(ospa2-want.OSPA2) > 1e-9 || len(k.met) < 3 {
		t.Errorf("%d right, OSPA(2) %v in %d lists, want %d, %v", got.IDTP, ospa2, len(k.met), want.IDTP, want.OSPA2)
	}
}
