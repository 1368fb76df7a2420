package metrics

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
)

// This file tests scores frame by frame against those of all frames at once.

// scramble draws targets that walk, miss detections and leave for a while, and tracks of their detections and of clutter
// that jump between targets.
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
func at(tracks []mtt.Track, frame int) (here []mtt.Track) {
	for i := range tracks {
		t := &tracks[i]
		for h, hit := range t.Hits {
			if hit.Frame == frame {
				here = append(here, mtt.Track{ID: t.ID, Dim: t.Dim, Hits: t.Hits[h : h+1], Pos: t.At(h)})
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

// TestStreamRefuses: frames in order, boxes, and a target twice in a frame.
func TestStreamRefuses(t *testing.T) {
	one := func(id, frame int) mtt.Track {
		return mtt.Track{ID: id, Dim: 2, Hits: []mtt.Hit{{Frame: frame, Det: id}}, Pos: []float64{0, 0}}
	}
	box := one(1, 3)
	box.Size = []float64{1, 1}
	for name, add := range map[string]func(k *Stream) error{
		"order": func(k *Stream) error { return k.Add(t.Context(), 2, []mtt.Track{one(1, 2)}, nil) },
		"boxes": func(k *Stream) error { return k.Add(t.Context(), 3, []mtt.Track{box}, nil) },
		"twice": func(k *Stream) error { return k.Add(t.Context(), 3, nil, []mtt.Track{one(1, 3), one(1, 3)}) },
	} {
		k, err := NewStream(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := k.Add(t.Context(), 2, []mtt.Track{one(1, 2)}, nil); err != nil {
			t.Fatal(err)
		}
		if add(k) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
