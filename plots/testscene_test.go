package plots

// This file makes the scenes of the tests: targets that leave a small disc in
// all directions, as in the source paper, and tracks with a known number of
// exchanged tails.

import (
	"math"
	"math/rand/v2"

	"mtt"
)

// testScene has targets starting within spread of the origin at 1 to 2 m/s on
// slightly curved ways, detected with probability 1−miss and 0.2 m of noise,
// among clutter false detections per frame in a square of 200 m.
func testScene(targets, frames int, spread, miss float64, clutter int, seed uint64) (truth []mtt.Track, scans []mtt.Scan) {
	r := rand.New(rand.NewPCG(seed, 1))
	type state struct{ x, y, heading, speed, turn float64 }
	s := make([]state, targets)
	for i := range s {
		d, a := spread*math.Sqrt(r.Float64()), 2*math.Pi*r.Float64()
		s[i] = state{d * math.Cos(a), d * math.Sin(a), 2 * math.Pi * r.Float64(), 1 + r.Float64(), 0.02 * r.NormFloat64()}
	}
	truth = make([]mtt.Track, targets)
	scans = make([]mtt.Scan, frames)
	for t := range scans {
		sc := &scans[t]
		*sc = mtt.Scan{Frame: t, Time: float64(t), Dim: 2}
		for i := range s {
			p, tr := &s[i], &truth[i]
			p.heading += p.turn
			p.x += p.speed * math.Cos(p.heading)
			p.y += p.speed * math.Sin(p.heading)
			det := -1
			if r.Float64() >= miss {
				det = sc.Len()
				sc.Pos = append(sc.Pos, p.x+0.2*r.NormFloat64(), p.y+0.2*r.NormFloat64())
			}
			tr.ID, tr.Dim = i+1, 2
			tr.Hits = append(tr.Hits, mtt.Hit{Frame: t, Det: det})
			tr.Pos = append(tr.Pos, p.x, p.y)
		}
		for range clutter {
			sc.Pos = append(sc.Pos, 200*r.Float64()-100, 200*r.Float64()-100)
		}
	}
	return truth, scans
}

// testTracks joins the detections of each target; in each group of every tracks, two
// neighbours in the list exchange the rest of their ways in the middle.
func testTracks(truth []mtt.Track, scans []mtt.Scan, every int) []mtt.Track {
	tracks := make([]mtt.Track, len(truth))
	for i := range truth {
		t := &tracks[i]
		t.ID, t.Dim = i+1, truth[i].Dim
		for _, h := range truth[i].Hits {
			if h.Det >= 0 {
				t.Hits = append(t.Hits, h)
				t.Pos = append(t.Pos, scans[h.Frame].At(h.Det)...)
			}
		}
	}
	for i := 0; i+1 < len(tracks); i += every {
		a, b := &tracks[i], &tracks[i+1]
		frame := len(scans) / 8
		ha, hb := at(a, frame), at(b, frame)
		a.Hits, b.Hits = exchange(a.Hits, b.Hits, ha, hb)
		a.Pos, b.Pos = exchange(a.Pos, b.Pos, a.Dim*ha, b.Dim*hb)
	}
	return tracks
}

// at is the index of the first hit of t in or after a frame.
func at(t *mtt.Track, frame int) int {
	for h, hit := range t.Hits {
		if hit.Frame >= frame {
			return h
		}
	}
	return len(t.Hits)
}

// exchange swaps the tails of a and b from i and j on.
func exchange[T any](a, b []T, i, j int) ([]T, []T) {
	return append(append([]T(nil), a[:i]...), b[j:]...), append(append([]T(nil), b[:j]...), a[i:]...)
}
