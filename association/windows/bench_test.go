package windows

import (
	"testing"

	"mtt"
	"mtt/association"
	"mtt/internal/usage"
	"mtt/scenario"
)

// BenchmarkScene tracks 6,000 targets in 24 frames, 5 % missed and a tenth false, in windows and at once,
// without learning levels. peak-MB is that of the process so far: run one at a time.
func BenchmarkScene(b *testing.B) {
	simulate := func(targets int) []mtt.Scan {
		n := float64(targets)
		s, err := scenario.Simulate(b.Context(), &scenario.Config{
			Scene: scenario.Arena, Targets: targets, Frames: 24, Noise: 0.1, VelocityNoise: 0.1, Miss: 0.05, Clutter: 0.1 * n, Births: 0.01 * n, Seed: 1,
		})
		if err != nil {
			b.Fatal(err)
		}
		return s.Scans
	}
	const few, many = 1000, 6000
	a := &association.Options{NoRefine: true, Sigma: 0.1, SigmaV: 0.1}
	small, err := association.Learn(b.Context(), simulate(few), a)
	if err != nil {
		b.Fatal(err)
	}
	levels := *small.Levels // rates are of the whole scene
	for _, x := range []*float64{&levels.Rates.Births, &levels.Rates.Targets, &levels.Rates.Clutter, &levels.Rates.Volume} {
		*x *= many / few
	}
	known := &association.Options{NoRefine: true, Levels: &levels}
	scans := simulate(many)
	model, err := association.Learn(b.Context(), scans, known)
	if err != nil {
		b.Fatal(err)
	}
	report := func(b *testing.B, lower, upper float64) {
		b.ReportMetric(usage.PeakMemory(), "peak-MB")
		b.ReportMetric(upper, "nats")
		b.ReportMetric(100*max(0, upper-lower)/upper, "gap-%")
	}
	b.Run("windows", func(b *testing.B) {
		for b.Loop() {
			k := New(model, from(scans), &Options{Scans: 6, Association: known})
			lower, upper := 0.0, 0.0
			for {
				w, err := k.Next(b.Context())
				if err != nil {
					break
				}
				lower, upper = lower+w.Lower, upper+w.Upper
			}
			report(b, lower, upper)
		}
	})
	b.Run("at-once", func(b *testing.B) {
		for b.Loop() {
			res, err := association.Track(b.Context(), scans, known)
			if err != nil {
				b.Fatal(err)
			}
			report(b, res.Dual.LowerBound, res.Cost)
		}
	})
}
