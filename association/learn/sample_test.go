package learn

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
)

// apartAndSeen are scans of so many targets that hardly move, far from each other, each seen nine
// times of ten.
func apartAndSeen(targets, scans int) (list []mtt.Scan) {
	random := rand.New(rand.NewPCG(1, 2))
	for t := range scans {
		s := mtt.Scan{Frame: t, Time: float64(t), Dim: 2}
		for i := range targets {
			if random.Float64() < 0.9 {
				s.Pos = append(s.Pos, 100*float64(i%30)+random.Float64(), 100*float64(i/30)+random.Float64())
			}
		}
		list = append(list, s)
	}
	return list
}

// TestSampleOf checks that no sample stands for what is learnt from anyway, nor for equal counts,
// and that a sample of more is as small as it may be and of all the time.
func TestSampleOf(t *testing.T) {
	if s := sampleOf(apartAndSeen(100, 300), &Options{}); s != nil {
		t.Errorf("a sample of 27,000 detections: %v", s)
	}
	even := make([]mtt.Scan, 0, 1200)
	for k := range 1200 {
		even = append(even, mtt.Scan{Frame: k, Time: float64(k), Dim: 1, Pos: make([]float64, 100)})
	}
	if s := sampleOf(even, &Options{}); s != nil {
		t.Errorf("a sample of equal counts: %v", s)
	}
	scans := apartAndSeen(100, 1200)
	s := sampleOf(scans, &Options{})
	if s == nil {
		t.Fatal("no sample of 108,000 detections")
	}
	part, later := s.windows(scans)
	if n := count(part); n <= 2500 || n > 2600 {
		t.Errorf("%v detections in the large window, want 2,500 and what is left of a scan", n)
	}
	if len(later) != laterWindows || later[0][0].Frame != 0 || later[len(later)-1][len(later[len(later)-1])-1].Frame != 1199 {
		t.Errorf("windows %v, want %d from the first scan to the last", s.later, laterWindows)
	}
	seen := make(map[int]bool)
	for _, w := range append(later, part) {
		for k := range w {
			if seen[w[k].Frame] {
				t.Fatalf("scan %d is in two windows", w[k].Frame)
			}
			seen[w[k].Frame] = true
		}
	}
}

// TestSurveyed checks that the windows of a survey share no scan, reach from the first one to the last and
// have as many detections together as are learnt from without a sample, and that there are fewer where
// scans have many.
func TestSurveyed(t *testing.T) {
	for _, c := range []struct{ targets, scans, windows int }{{100, 1200, 8}, {250, 400, 3}, {2000, 100, 0}} {
		scans := apartAndSeen(c.targets, c.scans)
		windows := surveyed(scans)
		if len(windows) != c.windows {
			t.Errorf("%d targets: %d windows, want %d", c.targets, len(windows), c.windows)
			continue
		}
		after, n := 0, 0.0 // the first scan that may be in the next window
		for k, w := range windows {
			if w[0].Frame < after || len(w) < 2*dozen {
				t.Errorf("%d targets: window %d from scan %d on has %d scans", c.targets, k, w[0].Frame, len(w))
			}
			after = w[len(w)-1].Frame + 1
			n += count(w)
		}
		if c.windows > 0 && (windows[0][0].Frame != 0 || after != c.scans || n < enough || n > 1.1*enough) {
			t.Errorf("%d targets: scans from %d to %d, %v detections", c.targets, windows[0][0].Frame, after, n)
		}
	}
}

// TestRatesOfStretches draws two stretches of tracks that begin and end within them, and compares
// with what was drawn.
func TestRatesOfStretches(t *testing.T) {
	const births, survive, detect, alarms = 1.5, 0.95, 0.9, 4
	random := rand.New(rand.NewPCG(3, 4))
	draw := func(frame, scans int) (s stretch) {
		type target struct{ track mtt.Track }
		alive := make([]target, 30) // as many as come and go
		s.scans = make([]mtt.Scan, scans)
		for k := range s.scans {
			scan := &s.scans[k]
			*scan = mtt.Scan{Frame: frame + k, Time: float64(frame + k), Dim: 1}
			for n := len(alive) - 1; k > 0 && n >= 0; n-- {
				if random.Float64() >= survive {
					s.tracks = append(s.tracks, alive[n].track)
					alive = append(alive[:n], alive[n+1:]...)
				}
			}
			if k > 0 && random.Float64() < births/2 {
				alive = append(alive, target{}, target{})
			}
			for n := range alive {
				if random.Float64() < detect {
					scan.Pos = append(scan.Pos, random.Float64())
					alive[n].track.Dim = 1
					alive[n].track.Append(scan, scan.Len()-1)
				}
			}
			for range 2 * alarms {
				if random.Float64() < 0.5 {
					scan.Pos = append(scan.Pos, random.Float64())
				}
			}
		}
		for n := range alive {
			s.tracks = append(s.tracks, alive[n].track)
		}
		kept := s.tracks[:0]
		for _, tr := range s.tracks {
			if len(tr.Hits) > 0 {
				kept = append(kept, tr)
			}
		}
		s.tracks = kept
		return s
	}
	r := rates(nil, draw(100, 400), draw(1000, 700), draw(5000, 100))
	for _, x := range []struct {
		what            string
		got, want, near float64
	}{
		{"births", r.Births, births, 0.15}, {"survive", r.Survive, survive, 0.005}, {"detect", r.Detect, detect, 0.01},
		{"false alarms", r.Clutter, alarms, 0.3}, {"targets", r.Targets, 30, 3},
	} {
		if math.Abs(x.got-x.want) > x.near {
			t.Errorf("%s %.4g, want %v ± %v", x.what, x.got, x.want, x.near)
		}
	}
}
