package costgen

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
)

// This file tests maps of births, deaths and false alarms against a list of all trees.

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

// TestPlacesExact: positions that are the same to the last digit, with noise that is less than a
// digit, end the search for where doors are.
func TestPlacesExact(t *testing.T) {
	scans := []mtt.Scan{{Dim: 2, Pos: []float64{1e6, 4e6, 2.5e7, 2.9e7}}, {Frame: 1, Dim: 2}, {Frame: 2, Dim: 2}}
	var tracks []mtt.Track
	for range 20 {
		tracks = append(tracks, mtt.Track{Dim: 2, Hits: []mtt.Hit{{Frame: 1}, {Frame: 2}}, Pos: []float64{1.8e7, 2.9e7, 1.8e7, 2.9e7}})
	}
	m := FitPlaces(scans, tracks, 6e-11).Births
	for _, x := range [][]float64{{1.8e7, 2.9e7}, {2e6, 5e6}} { // where all begin all go on, too
		if odds := m.At(x); !(math.Abs(odds) < 0.5) {
			t.Errorf("the log odds of a birth at %v are %v", x, odds)
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
	m.Places = &Places{Births: flat(1.5), Deaths: flat(2), Clutter: flat(0.7), Targets: flat(0.4)}
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
		{"birth", ends[0].Birth, common.Birth - 1.5 - 0.4},
		{"first", ends[0].First, common.First - 0.4},
		{"death", ends[0].Death, -math.Log(dies) - goesOn},
		{"false alarm", ends[0].Clutter, common.Clutter - goesOn - 0.7},
	} {
		if !near(p.got, p.want) {
			t.Errorf("%s costs %v, want %v", p.name, p.got, p.want)
		}
	}
}

// scatters lists all ways to halve an interval up to depth times where points lie in it; seen
// is relative to points anywhere in it, rate is the density relative to that.
func scatters(lo, hi float64, points []float64, depth int) []tree {
	even := func(float64) float64 { return 1 }
	if len(points) <= 1 || depth == 0 {
		return []tree{{1, 1, even}}
	}
	var below, above []float64
	seen, count := 1.0, [2]float64{} // one point after the other: in which half, by the rule of Krichevsky and Trofimov
	mid := (lo + hi) / 2
	for n, x := range points {
		k := 0
		if x >= mid {
			k = 1
			above = append(above, x)
		} else {
			below = append(below, x)
		}
		seen *= 2 * (count[k] + 0.5) / (float64(n) + 1)
		count[k]++
	}
	n := float64(len(points))
	list := []tree{{0.5, 1, even}}
	for _, l := range scatters(lo, mid, below, depth-1) {
		for _, r := range scatters(mid, hi, above, depth-1) {
			list = append(list, tree{0.5 * l.prior * r.prior, seen * l.seen * r.seen, func(x float64) float64 {
				if x < mid {
					return 2 * (count[0] + 0.5) / (n + 1) * l.rate(x)
				}
				return 2 * (count[1] + 0.5) / (n + 1) * r.rate(x)
			}})
		}
	}
	return list
}

// TestClutter compares maps of false alarms along a line with the average over all trees.
func TestClutter(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	maps := 0
	for n := range 200 {
		// All in one scan, so that time tells nothing; the outermost two are of tracks.
		s := mtt.Scan{Dim: 2, Pos: []float64{0, 0, 8, 0.5}}
		tracks := []mtt.Track{{Dim: 2, Hits: []mtt.Hit{{}, {Det: 1}}}}
		var points []float64
		for range 1 + rng.IntN(12) {
			x := 8 * math.Pow(rng.Float64(), 3)
			points = append(points, x)
			s.Pos = append(s.Pos, x, 0.5*rng.Float64())
		}
		const size, volume = 0.99, 8.0
		apart := math.Log(8*size) - math.Log(volume) // the strip counts as wide as a cell
		list := scatters(0, 8, points, 3)
		var weights float64
		for _, tr := range list {
			weights += tr.prior * tr.seen
		}
		m, nats := FitClutter([]mtt.Scan{s}, tracks, size, volume)
		if even := math.Log(weights) < float64(len(points))*apart; even != (m == nil) {
			t.Errorf("scene %d: evenly %v, map %v", n, even, m)
		}
		if m == nil {
			continue
		}
		maps++
		said := 0.0
		for _, x := range points {
			said += m.At([]float64{x, 0.2, 0})
		}
		if want := said - (math.Log(weights) - float64(len(points))*apart); math.Abs(nats-want) > 1e-9 {
			t.Errorf("scene %d: likelier by %v than it should be, want %v", n, nats, want)
		}
		for x := 0.5; x < 8; x++ {
			var sum float64
			for _, tr := range list {
				sum += tr.prior * tr.seen * tr.rate(x)
			}
			if got, want := m.At([]float64{x, 0.2, 0}), math.Log(0.9*sum/weights+0.1)-apart; math.Abs(got-want) > alike {
				t.Errorf("scene %d: at %v: %v, want %v", n, x, got, want)
			}
		}
	}
	if maps < 20 {
		t.Errorf("only %d maps", maps)
	}
}

// TestClutterFar: false alarms in a corner of the field are told from those all over it, or over
// what a scan covers of it, and from those in a corner that moves.
func TestClutterFar(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	const side, frames = 100.0, 40
	for _, c := range []struct {
		name             string
		volume           float64
		corner           func(f int) (x, y, side float64)
		early, late, far float64 // wanted at (5, 5) in the first and the last frame, and at (5, 95)
		timed            bool
		none             bool
		windows          int // that the scans are of; 0: they are whole
	}{
		{name: "all over", volume: side * side, corner: func(int) (x, y, s float64) { return 0, 0, side }, none: true},
		{name: "in a corner", volume: side * side, corner: func(int) (x, y, s float64) { return 0, 0, side / 4 }, early: math.Log(16 * .9), late: math.Log(16 * .9), far: math.Log(.1)},
		{name: "in a corner that moves", volume: side * side, corner: func(f int) (x, y, s float64) { return float64(f/20) * 75, 0, side / 4 }, timed: true, early: math.Log(16 * .9), late: math.Log(.1), far: math.Log(.1)},
		{name: "in a corner that moves between windows", volume: side * side, corner: func(f int) (x, y, s float64) { return float64(f/20) * 75, 0, side / 4 }, early: math.Log(8 * .9), late: math.Log(8 * .9), far: math.Log(.1), windows: 2},
		{name: "anywhere in a strip that moves", volume: 30, corner: func(f int) (x, y, s float64) { return 2.45 * float64(f), 2.45 * float64(f), math.Sqrt(30) }, none: true},
	} {
		var scans []mtt.Scan
		for f := range frames {
			s := mtt.Scan{Frame: f, Time: float64(f), Dim: 2, Pos: []float64{0, 0, side, side}}
			x, y, most := c.corner(f)
			for range 30 {
				s.Pos = append(s.Pos, x+most*rng.Float64(), y+most*rng.Float64())
			}
			scans = append(scans, s)
		}
		var tr [2]mtt.Track // at the ends of the box
		for f := range frames {
			for k := range tr {
				tr[k].Dim, tr[k].Hits = 2, append(tr[k].Hits, mtt.Hit{Frame: f, Det: k})
			}
		}
		var short []mtt.Track // there, too, of target after target
		for f := 1; f < frames; f += 2 {
			for k := range tr {
				x := float64(k) * side
				short = append(short, mtt.Track{Dim: 2, Hits: tr[k].Hits[f-1 : f+1], Pos: []float64{x, x, x, x}})
			}
		}
		var windows [][]mtt.Scan
		for k := range c.windows {
			windows = append(windows, scans[k*frames/c.windows:(k+1)*frames/c.windows])
		}
		m, _ := FitClutter(scans, tr[:], 0.5, c.volume, windows...)
		if targets, _ := FitTargets(scans, short, 0.5, side*side); targets == nil || targets.At([]float64{0, 0, 0}) < 5 || targets.At([]float64{60, 70, 0}) > -1 {
			t.Errorf("%s: targets stand at two places, map %v", c.name, targets)
		}
		if c.none || m == nil {
			if (m == nil) != c.none {
				t.Errorf("%s: map %v", c.name, m)
			}
			continue
		}
		if timed := len(m.Min) == 3; timed != c.timed {
			t.Errorf("%s: depends on time %v, want %v", c.name, timed, c.timed)
		}
		early, late, far := m.At([]float64{5, 5, 0}), m.At([]float64{5, 5, frames}), m.At([]float64{5, 95, 0})
		if max(math.Abs(early-c.early), math.Abs(late-c.late), math.Abs(far-c.far)) > 0.3 {
			t.Errorf("%s: %v, %v, far %v; want %v, %v, %v", c.name, early, late, far, c.early, c.late, c.far)
		}
	}
}

// TestTargetsOnce: a target that stands for some scans says of others what one detection says, and no
// more.
func TestTargetsOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	const size, volume = 0.5, 64.0
	maps := 0
	for n := range 50 {
		var once mtt.Scan
		once.Dim = 2
		for range 2 + rng.IntN(12) {
			once.Pos = append(once.Pos, 8*math.Pow(rng.Float64(), 3), 8*math.Pow(rng.Float64(), 3))
		}
		scans := make([]mtt.Scan, 4)
		tracks := make([]mtt.Track, once.Len())
		for f := range scans {
			scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2, Pos: once.Pos}
			for i := range tracks {
				tracks[i].Dim = 2
				tracks[i].Append(&scans[f], i)
			}
		}
		want, wanted := FitClutter([]mtt.Scan{once}, nil, size, volume)
		got, nats := FitTargets(scans, tracks, size, volume, scans[:2], scans[2:])
		if math.Abs(nats-wanted) > 1e-9 || (got == nil) != (want == nil) {
			t.Errorf("scene %d: map %v, %v nat likelier than it should be, want %v, %v", n, got, nats, want, wanted)
		}
		if got == nil || want == nil {
			continue
		}
		maps++
		for i := range once.Len() {
			if x := once.At(i); math.Abs(got.At(x)-want.At(x)) > 1e-9 {
				t.Errorf("scene %d: at %v: %v, want %v", n, x, got.At(x), want.At(x))
			}
		}
	}
	if maps < 10 {
		t.Errorf("only %d maps", maps)
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
