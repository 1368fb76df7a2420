package pmbm

import (
	"context"
	"math"
	"testing"

	"mtt"
	"mtt/metrics"
	"mtt/scenario"
)

// large is 100 targets in a square kilometre and a model that fits.
func large(t testing.TB, targets, frames int) (*scenario.Scene, *Options) {
	side := 100 * math.Sqrt(float64(targets))
	s, err := scenario.Simulate(context.Background(), &scenario.Config{
		Scene: scenario.Drift, Targets: targets, Frames: frames, Spread: 100, Seed: 1,
		Noise: 1, NoVelocity: true, Miss: 0.1, Clutter: float64(targets) / 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, &Options{Model: Model{
		Sigma: 1, Detect: 0.9, Clutter: float64(targets) / 2, Volume: side * side,
		Accel: math.Sqrt(0.02), Survive: 0.99, Births: 0.005, Targets: float64(targets),
		BirthMean: [3]float64{side / 2, side / 2}, BirthStd: [3]float64{side / 2, side / 2}, SpeedStd: 1,
	}}
}

// filter runs a filter over all scans; the tracks are what it reported in each.
func filter(t testing.TB, o *Options, scans []mtt.Scan) (*Filter, []mtt.Track) {
	t.Helper()
	f, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	number := make(map[int]int)
	var tracks []mtt.Track
	for i := range scans {
		if err := f.Step(context.Background(), &scans[i]); err != nil {
			t.Fatal(err)
		}
		for _, e := range f.Estimates() {
			n, ok := number[e.Track]
			if !ok {
				n = len(tracks)
				number[e.Track] = n
				tracks = append(tracks, mtt.Track{ID: n + 1, Dim: o.Dim})
			}
			tr := &tracks[n]
			tr.Dim = f.o.Dim
			tr.Hits = append(tr.Hits, mtt.Hit{Frame: scans[i].Frame, Det: e.Det})
			tr.Pos = append(tr.Pos, e.Pos...)
		}
	}
	return f, tracks
}

// missed is the share of true hits, from frame first on, without an estimate
// within the cut-off.
func missed(t testing.TB, truth, tracks []mtt.Track, first int) (share, gospa float64) {
	t.Helper()
	r, err := metrics.Score(truth, tracks, &metrics.Options{Cutoff: 10, Only: metrics.Sets, Series: true})
	if err != nil {
		t.Fatal(err)
	}
	miss, n := 0, 0
	for _, f := range r.PerFrame {
		if f.Frame >= first {
			miss += f.Missed
		}
	}
	for _, tr := range truth {
		for _, h := range tr.Hits {
			if h.Frame >= first {
				n++
			}
		}
	}
	return float64(miss) / float64(n), r.GOSPA
}

func TestLarge(t *testing.T) {
	s, o := large(t, 30, 40)
	for _, whole := range []bool{false, true} {
		for e := BestHypothesis; e <= BestFixedCount; e++ {
			o.Whole, o.Estimator = whole, e
			f, tracks := filter(t, o, s.Scans)
			miss, gospa := missed(t, s.Truth, tracks, 30)
			t.Logf("whole %v, estimator %d: missed %.4f, GOSPA %.3f, %+v %d", whole, e, miss, gospa, f.Sizes(), f.Stats().Problems())
			if miss > 0.03 {
				t.Errorf("whole %v, estimator %d: %.2f %% of the targets missed", whole, e, 100*miss)
			}
		}
	}
}

func BenchmarkFilter(b *testing.B) {
	s, o := large(b, 100, 50)
	for _, c := range []struct {
		name    string
		whole   bool
		recycle float64
		observe func(*Posed) error
	}{
		{"clusters", false, 0, nil}, {"recycle", false, 0.01, nil}, {"whole", true, 0, nil},
		{"clusters-observed", false, 0, ignore}, {"whole-observed", true, 0, ignore},
	} {
		b.Run(c.name, func(b *testing.B) {
			o.Whole, o.Recycle, o.Observe = c.whole, c.recycle, c.observe
			var f *Filter
			var tracks []mtt.Track
			for b.Loop() {
				f, tracks = filter(b, o, s.Scans)
			}
			st := f.Stats()
			miss, gospa := missed(b, s.Truth, tracks, 40)
			b.ReportMetric(float64(st.Problems()), "problems")
			b.ReportMetric(float64(st.Solved), "solved")
			b.ReportMetric(100*miss, "%missed")
			b.ReportMetric(gospa, "gospa")
			b.Logf("%+v, %d tracks", f.Sizes(), len(f.Tracks()))
		})
	}
}

func ignore(*Posed) error { return nil }
