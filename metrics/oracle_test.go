package metrics_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"mtt"
	"mtt/metrics"
)

// This file checks Score against brute force on tiny scenes and against the
// properties that scores must have.

// A tinyScene is truth and tracks that share detections.
type tinyScene struct{ truth, tracks []mtt.Track }

// drawScene draws up to four targets in up to six frames on a coarse grid, so
// that ties happen, detections with clutter and misses, and tracks that
// follow, miss, exchange or invent.
func drawScene(t *rapid.T, maxTargets int) tinyScene {
	var s tinyScene
	frames := rapid.IntRange(1, 6).Draw(t, "frames")
	grid := rapid.IntRange(0, 6)
	n := rapid.IntRange(0, maxTargets).Draw(t, "targets")
	k := rapid.IntRange(0, maxTargets).Draw(t, "tracks")
	s.truth = make([]mtt.Track, n)
	s.tracks = make([]mtt.Track, k)
	for i := range s.truth {
		s.truth[i] = mtt.Track{ID: i + 1, Dim: 2}
	}
	for i := range s.tracks {
		s.tracks[i] = mtt.Track{ID: i + 1, Dim: 2}
	}
	hit := func(tr *mtt.Track, f, det int, x, y float64) {
		tr.Hits = append(tr.Hits, mtt.Hit{Frame: 3 * f, Det: det})
		tr.Pos = append(tr.Pos, x, y)
	}
	for f := range frames {
		dets := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7}).Draw(t, "dets")
		type det struct {
			number int
			x, y   float64
		}
		var held []det
		for i := range s.truth {
			if !rapid.Bool().Draw(t, "present") && f > 0 {
				continue
			}
			d := det{dets[i], float64(grid.Draw(t, "x")) / 2, float64(grid.Draw(t, "y")) / 2}
			if rapid.IntRange(0, 4).Draw(t, "detected") == 0 {
				d.number = -1
			} else {
				held = append(held, d)
			}
			hit(&s.truth[i], f, d.number, d.x, d.y)
		}
		held = append(held, det{dets[6], float64(grid.Draw(t, "cx")) / 2, 1})
		for len(held) < k {
			held = append(held, det{-1, float64(grid.Draw(t, "px")) / 2, 2})
		}
		held = rapid.Permutation(held).Draw(t, "held")
		for i := range s.tracks {
			if rapid.IntRange(0, 3).Draw(t, "holds") > 0 {
				hit(&s.tracks[i], f, held[i].number, held[i].x, held[i].y+0.25)
			}
		}
	}
	return s
}

// Links, counted as the definition reads, with maps.
func TestLinksBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t, 4)
		noDet := func(tracks []mtt.Track) bool {
			hits, dets := 0, 0
			for _, tr := range tracks {
				for _, h := range tr.Hits {
					hits++
					if h.Det >= 0 {
						dets++
					}
				}
			}
			return hits > 0 && dets == 0
		}
		if noDet(s.truth) || noDet(s.tracks) {
			t.Skip("no detection numbers")
		}
		detected := func(tr mtt.Track) (hits []mtt.Hit) {
			for _, h := range tr.Hits {
				if h.Det >= 0 {
					hits = append(hits, h)
				}
			}
			return hits
		}
		target := map[mtt.Hit]int{} // 0: clutter
		trackOf := map[mtt.Hit]int{}
		next := map[mtt.Hit]mtt.Hit{}
		for _, tr := range s.truth {
			for _, h := range detected(tr) {
				target[h] = tr.ID
			}
		}
		falseLinks, trackLinks, shared := 0, 0, map[int]bool{}
		for _, tr := range s.tracks {
			hits := detected(tr)
			for i, h := range hits {
				trackOf[h] = tr.ID
				if target[h] != target[hits[0]] {
					shared[tr.ID] = true
				}
				if i > 0 {
					next[hits[i-1]] = h
					trackLinks++
					if target[h] == 0 || target[h] != target[hits[i-1]] {
						falseLinks++
					}
				}
			}
		}
		links, wrong, missing, targets, bad := 0, 0, 0, 0, 0
		for _, tr := range s.truth {
			hits, good := detected(tr), true
			if len(hits) == 0 {
				continue
			}
			targets++
			for i, h := range hits {
				if shared[trackOf[h]] {
					good = false
				}
				if i == 0 {
					continue
				}
				links++
				to, ok := next[hits[i-1]]
				if !ok {
					missing++
					good = false
				} else if to != h {
					wrong++
					good = false
				}
			}
			if !good {
				bad++
			}
		}
		r, err := metrics.Score(s.truth, s.tracks, &metrics.Options{Only: metrics.Links})
		if err != nil {
			t.Fatal(err)
		}
		got := [...]int{r.TrueLinks, r.WrongLinks, r.MissingLinks, r.FalseLinks, r.TrackLinks, r.LinkTargets, r.BadTargets}
		want := [...]int{links, wrong, missing, falseLinks, trackLinks, targets, bad}
		if got != want {
			t.Fatalf("true, wrong, missing, false, track links, targets, bad = %v, want %v", got, want)
		}
	})
}

// bestPairs is the greatest total gain over all one-to-one pairings.
func bestPairs(gain [][]float64, row int, taken uint) float64 {
	if row == len(gain) {
		return 0
	}
	best := bestPairs(gain, row+1, taken)
	for c, g := range gain[row] {
		if taken&(1<<c) == 0 {
			best = max(best, g+bestPairs(gain, row+1, taken|1<<c))
		}
	}
	return best
}

// at is the position of tr in a frame, nil when it is not there.
func at(tr *mtt.Track, frame int) []float64 {
	for h := range tr.Hits {
		if tr.Hits[h].Frame == frame {
			return tr.At(h)
		}
	}
	return nil
}

func TestIdentityBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t, 4)
		o := &metrics.Options{Only: metrics.Identity, MatchDistance: 0.75}
		gain := make([][]float64, len(s.truth))
		for g := range s.truth {
			gain[g] = make([]float64, len(s.tracks))
			for k := range s.tracks {
				for h, hit := range s.truth[g].Hits {
					a, b := s.truth[g].At(h), at(&s.tracks[k], hit.Frame)
					if b != nil && math.Hypot(a[0]-b[0], a[1]-b[1]) <= 0.75 {
						gain[g][k]++
					}
				}
			}
		}
		r, err := metrics.Score(s.truth, s.tracks, o)
		if err != nil {
			t.Fatal(err)
		}
		idtp := int(bestPairs(gain, 0, 0))
		if got, want := [...]int{r.IDTP, r.IDFP, r.IDFN}, [...]int{idtp, r.TrackHits - idtp, r.TruthHits - idtp}; got != want {
			t.Fatalf("IDTP, IDFP, IDFN = %v, want %v", got, want)
		}
	})
}

// OSPA and GOSPA by trying every pairing with distances cut at c, as the papers
// state them.
func TestSetsBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t, 4)
		o := &metrics.Options{
			Only: metrics.Sets, Series: true,
			Cutoff: rapid.SampledFrom([]float64{0.5, 1, 3, 20}).Draw(t, "c"),
			Order:  rapid.SampledFrom([]float64{1, 2, 2.5}).Draw(t, "p"),
		}
		r, err := metrics.Score(s.truth, s.tracks, o)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.PerFrame) != r.Frames {
			t.Fatalf("series has %d frames, report %d", len(r.PerFrame), r.Frames)
		}
		cut := math.Pow(o.Cutoff, o.Order)
		sumOSPA, sumGOSPA := 0.0, 0.0
		for _, f := range r.PerFrame {
			var gain [][]float64
			m := 0
			for g := range s.truth {
				a := at(&s.truth[g], f.Frame)
				if a == nil {
					continue
				}
				var row []float64
				for k := range s.tracks {
					if b := at(&s.tracks[k], f.Frame); b != nil {
						d := min(math.Hypot(a[0]-b[0], a[1]-b[1]), o.Cutoff)
						row = append(row, cut-math.Pow(d, o.Order))
					}
				}
				m = len(row)
				gain = append(gain, row)
			}
			n := len(gain)
			if n == 0 {
				for k := range s.tracks {
					if at(&s.tracks[k], f.Frame) != nil {
						m++
					}
				}
			}
			best := bestPairs(gain, 0, 0)
			gospa := math.Pow(math.Max(0, cut/2*float64(n+m)-best), 1/o.Order)
			ospa := math.Pow(math.Max(0, (cut*float64(max(n, m))-best)/float64(max(n, m))), 1/o.Order)
			near(t, "GOSPA", f.GOSPA, gospa)
			near(t, "OSPA", f.OSPA, ospa)
			p := func(x float64) float64 { return math.Pow(x, o.Order) }
			near(t, "parts of GOSPA", p(f.GOSPALocalisation)+p(f.GOSPAMissed)+p(f.GOSPAFalse), p(f.GOSPA))
			near(t, "parts of OSPA", p(f.OSPALocalisation)+p(f.OSPACardinality), p(f.OSPA))
			sumOSPA += f.OSPA / float64(r.Frames)
			sumGOSPA += f.GOSPA / float64(r.Frames)
		}
		near(t, "mean OSPA", r.OSPA, sumOSPA)
		near(t, "mean GOSPA", r.GOSPA, sumGOSPA)
	})
}

// near fails when got is not want but for rounding. Roots of differences of
// nearly equal powers lose half the digits.
func near(t *rapid.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
		t.Fatalf("%s = %v, want %v", what, got, want)
	}
}

// Names and order of truth and tracks change nothing, to the last bit.
func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t, 4)
		shuffle := func(tracks []mtt.Track) []mtt.Track {
			tracks = rapid.Permutation(tracks).Draw(t, "order")
			for k := range tracks {
				tracks[k].ID = 100 - k
			}
			return tracks
		}
		if a, b := reportJSON(t, s.truth, s.tracks), reportJSON(t, shuffle(s.truth), shuffle(s.tracks)); !bytes.Equal(a, b) {
			t.Fatalf("report\n%s\nafter shuffling\n%s", a, b)
		}
	})
}

func reportJSON(t *rapid.T, truth, tracks []mtt.Track) []byte {
	r, err := metrics.Score(truth, tracks, &metrics.Options{Series: true})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The truth, renamed, is a perfect answer.
func TestPerfect(t *testing.T) {
	want := map[string]float64{
		"itcp": 0, "mmep": 0, "false_links": 0, "wrong_links": 0, "missing_links": 0,
		"mota": 100, "motp": 0, "recall": 100, "precision": 100, "fp": 0, "fn": 0, "idsw": 0,
		"idf1": 100, "idp": 100, "idr": 100,
		"hota": 100, "deta": 100, "assa": 100, "loca": 100, "hota0": 100, "gospa": 0, "ospa": 0,
	}
	truth, _ := crowd(40, 30)
	for _, boxes := range []bool{false, true} {
		tracks := make([]mtt.Track, len(truth))
		for i, k := range rand.New(rand.NewPCG(3, 4)).Perm(len(truth)) {
			if boxes {
				truth[k].Size = nil
				for range truth[k].Hits {
					truth[k].Size = append(truth[k].Size, 2, 1)
				}
			}
			tracks[i] = truth[k]
			tracks[i].ID = i
		}
		r := score(t, truth, tracks, nil)
		for key, v := range want {
			if got := value(t, r, key); math.Abs(got-v) > 1e-9 {
				t.Errorf("boxes %v: %s = %v, want %v", boxes, key, got, v)
			}
		}
		if r.LinksBy != metrics.LinksByDetection {
			t.Errorf("links by %s", r.LinksBy)
		}
	}
}
