package costgen

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
)

// This file tests maps of births and deaths against a list of all trees.

// A tree is one way to halve an interval again and again: how probable it is before
// anything was seen, how probable it makes what was seen, and the rate at a place.
type tree struct {
	prior, seen float64
	rate        func(x float64) float64
}

// trees lists all ways to halve an interval up to depth times.
func trees(lo, hi float64, events, others []float64, depth int, rate float64) []tree {
	within := func(list []float64, lo, hi float64) (in []float64) {
		for _, x := range list {
			if lo <= x && x < hi {
				in = append(in, x)
			}
		}
		return in
	}
	n, o := float64(len(events)), float64(len(others))
	whole := tree{1, 1, func(float64) float64 { return (n + rate) / (n + o + 1) }}
	k, m := rate, 1.0 // one trial after the other, by the rule of succession
	for range events {
		whole.seen *= k / m
		k, m = k+1, m+1
	}
	k = 1 - rate
	for range others {
		whole.seen *= k / m
		k, m = k+1, m+1
	}
	if n == 0 || o == 0 || depth == 0 {
		return []tree{whole}
	}
	whole.prior = 0.5
	list, mid := []tree{whole}, (lo+hi)/2
	for _, l := range trees(lo, mid, within(events, lo, mid), within(others, lo, mid), depth-1, rate) {
		for _, r := range trees(mid, hi, within(events, mid, hi), within(others, mid, hi), depth-1, rate) {
			list = append(list, tree{0.5 * l.prior * r.prior, l.seen * r.seen, func(x float64) float64 {
				if x < mid {
					return l.rate(x)
				}
				return r.rate(x)
			}})
		}
	}
	return list
}

// TestPlaces compares maps along a line with the average over all trees.
func TestPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range 60 {
		// Tracks in a strip too narrow to be halved across.
		scans := make([]mtt.Scan, 5)
		for f := range scans {
			scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2, Pos: []float64{0, 0, 8, 0.5}}
		}
		var tracks []mtt.Track
		var births, onward, deaths, stays []float64
		for range rng.IntN(8) {
			from, to := rng.IntN(2), 3+rng.IntN(2)
			tr := mtt.Track{Dim: 2}
			for f := from; f <= to; f++ {
				x := 8 * rng.Float64() * rng.Float64()
				tr.Hits, tr.Pos = append(tr.Hits, mtt.Hit{Frame: f}), append(tr.Pos, x, 0.5*rng.Float64())
				switch {
				case f > from:
					onward = append(onward, x)
				case f > 0:
					births = append(births, x)
				}
				switch {
				case f < to:
					stays = append(stays, x)
				case f < 4:
					deaths = append(deaths, x)
				}
			}
			tracks = append(tracks, tr)
		}
		p := FitPlaces(scans, tracks, 0.99)
		if p == nil {
			if len(births)+len(deaths) > 0 {
				t.Errorf("scene %d: no places of %d births and %d deaths", n, len(births), len(deaths))
			}
			continue
		}
		check := func(what string, m *Map, events, others []float64) {
			if (m != nil) != (len(events) > 0) {
				t.Fatalf("scene %d: %d %s, map %v", n, len(events), what, m)
			}
			if m == nil {
				return
			}
			odds := func(p float64) float64 { return math.Log(p / (1 - p)) }
			rate := float64(len(events)) / float64(len(events)+len(others))
			list := trees(0, 8, events, others, 3, rate)
			for x := 0.5; x < 8; x++ {
				var sum, weights float64
				for _, tr := range list {
					sum += tr.prior * tr.seen * tr.rate(x)
					weights += tr.prior * tr.seen
				}
				if got, want := m.At([]float64{x, 0.2}), odds(0.9*sum/weights+0.1*rate)-odds(rate); math.Abs(got-want) > alike {
					t.Errorf("scene %d: %s at %v: %v, want %v", n, what, x, got, want)
				}
			}
		}
		check("births", p.Births, births, onward)
		check("deaths", p.Deaths, deaths, stays)
	}
}

// TestPlacesFar: doors are found where there are any, and nothing where there are none; a
// place outside counts as the nearest inside.
func TestPlacesFar(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, doors := range []bool{true, false} {
		scans := []mtt.Scan{{Dim: 2, Pos: []float64{0, 0, 100, 100}}, {Frame: 1, Dim: 2}, {Frame: 2, Dim: 2}}
		var tracks []mtt.Track
		for range 400 {
			x, y := 100*rng.Float64(), 100*rng.Float64()
			if doors {
				x, y = 2*rng.Float64(), 50+2*rng.Float64()
			}
			tracks = append(tracks, mtt.Track{Dim: 2, Hits: []mtt.Hit{{Frame: 1}, {Frame: 2}}, Pos: []float64{x, y, 100 * rng.Float64(), 100 * rng.Float64()}})
		}
		m := FitPlaces(scans, tracks, 0.1).Births
		at, away := m.At([]float64{-10, 51}), m.At([]float64{70, 20})
		if doors && (at < 2 || away > -2) || !doors && (math.Abs(at) > 0.5 || math.Abs(away) > 0.5) {
			t.Errorf("doors %v: the log odds of a birth are %v at the door, %v away", doors, at, away)
		}
	}
}

// TestPlacesShift: the prices of a detection that goes on, ends or is false differ as the
// probabilities do.
func TestPlacesShift(t *testing.T) {
	m := &Gaussian{Levels: levelsUnderTest[0].Levels}
	m.Rates = someRates
	flat := func(v float64) *Map {
		return &Map{Min: make([]float64, 2), Max: []float64{1, 1}, Nodes: []MapNode{{Axis: -1, Value: v}}}
	}
	m.Places = &Places{Births: flat(1.5), Deaths: flat(2)}
	s := mtt.Scan{Dim: 2, Pos: []float64{0.5, 0.5}}
	ends, common := make([]Ends, 1), m.Ends()
	if !m.EndsAt(ends, &s) {
		t.Fatal("prices do not depend on the place")
	}
	odds := (1 - m.Rates.Survive) / m.Rates.Survive * math.Exp(2)
	dies := odds / (1 + odds)
	goesOn := -math.Log((1 - dies) / m.Rates.Survive) // what going on costs more here
	for _, p := range []struct {
		name      string
		got, want float64
	}{
		{"birth", ends[0].Birth, common.Birth - 1.5},
		{"first", ends[0].First, common.First},
		{"death", ends[0].Death, -math.Log(dies) - goesOn},
		{"false alarm", ends[0].Clutter, common.Clutter - goesOn},
	} {
		if !near(p.got, p.want) {
			t.Errorf("%s costs %v, want %v", p.name, p.got, p.want)
		}
	}
}

// TestFitConfidence: what is in no track makes confidences like its own suspect.
func TestFitConfidence(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	var scans []mtt.Scan
	tr := mtt.Track{Dim: 2}
	for f := range 100 {
		s := mtt.Scan{Frame: f, Time: float64(f), Dim: 2, Pos: make([]float64, 6), Conf: []float64{0.8 + 0.2*rng.Float64(), 0.2 * rng.Float64(), 0.8 + 0.2*rng.Float64()}}
		if f%10 > 0 {
			s.Pos, s.Conf = s.Pos[:4], s.Conf[:2]
		}
		scans = append(scans, s)
		tr.Hits, tr.Pos = append(tr.Hits, mtt.Hit{Frame: f}), append(tr.Pos, 0, 0)
	}
	m := FitConfidence(scans, []mtt.Track{tr})
	// 110 of 210 are false; of those above .8, 10 of 110: and a tenth may be anywhere.
	odds := func(p float64) float64 { return math.Log(p / (1 - p)) }
	rate := 110.0 / 210
	low, high := m.At([]float64{0.1}), m.At([]float64{0.95})
	if want := odds(0.9+0.1*rate) - odds(rate); math.Abs(low-want) > 0.1 {
		t.Errorf("a confidence of .1 has log odds %v, want about %v", low, want)
	}
	if want := odds(0.9*10/110+0.1*rate) - odds(rate); math.Abs(high-want) > 0.5 {
		t.Errorf("a confidence of .95 has log odds %v, want about %v", high, want)
	}
	for _, c := range [][]mtt.Track{nil, {tr}} {
		plain := []mtt.Scan{{Dim: 2, Pos: make([]float64, 2)}, {Frame: 1, Dim: 2, Pos: make([]float64, 2)}}
		if m := FitConfidence(plain, c[:0]); m != nil {
			t.Errorf("scans without confidence have a map: %v", m)
		}
	}
}
