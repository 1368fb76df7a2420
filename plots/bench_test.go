package plots

import (
	"bytes"
	"math"
	"testing"

	"mtt"
)

// runFigures makes the four figures that one run writes, for 100 targets in 50
// frames.
func runFigures(b *testing.B) map[string]func() *Figure {
	truth, scans := testScene(100, 50, 2.5, 0.02, 5, 1)
	tracks := testTracks(truth, scans, 4)
	var steps []Step
	for i := range 100 {
		steps = append(steps, Step{i + 1, -23000 - 6000*math.Exp(-float64(i)/8), -23000 + 900*math.Exp(-float64(i)/5)})
	}
	var gates []GateRow
	for _, g := range []float64{1.5, 2, 3, 5, 8} {
		gates = append(gates, GateRow{Gate: g, MMEP: 8 / g, ITCP: 20 / g, Triplets: int64(900 * g * g * g), Seconds: 0.01 * g})
	}
	var gospa []GOSPAFrame
	for i := range 50 {
		gospa = append(gospa, GOSPAFrame{i, 4 + math.Sin(float64(i)), 3, 1, 1})
	}
	return map[string]func() *Figure{
		"tracks": func() *Figure { return must(b, truth, tracks, scans) },
		"bounds": func() *Figure { return BoundTrace("burst", Trace{"dual", steps}) },
		"gating": func() *Figure { return GatingSensitivity("burst", "gate, m", gates) },
		"gospa":  func() *Figure { return GOSPA("burst", "m", gospa) },
	}
}

func must(b *testing.B, truth, tracks []mtt.Track, scans []mtt.Scan) *Figure {
	f, err := Tracks("burst, 100 targets, 50 frames", truth, tracks, scans, nil)
	if err != nil {
		b.Fatal(err)
	}
	return f
}

// BenchmarkSVG makes and writes each figure of a run, and all of them. The
// budget for all is 150 ms of CPU.
func BenchmarkSVG(b *testing.B) {
	makers := runFigures(b)
	write := func(b *testing.B, buf *bytes.Buffer, f *Figure) {
		if err := f.Encode(buf, "svg"); err != nil {
			b.Fatal(err)
		}
	}
	for _, name := range []string{"tracks", "bounds", "gating", "gospa"} {
		b.Run("figure="+name, func(b *testing.B) {
			b.ReportAllocs()
			var buf bytes.Buffer
			for b.Loop() {
				buf.Reset()
				write(b, &buf, makers[name]())
			}
			b.ReportMetric(float64(buf.Len()), "bytes/svg")
		})
	}
	b.Run("figure=all", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, make := range makers {
				var buf bytes.Buffer
				write(b, &buf, make())
			}
		}
	})
}

// BenchmarkLarge draws a scene of 200 000 detections, thinned.
func BenchmarkLarge(b *testing.B) {
	truth, scans := testScene(2000, 100, 40, 0.02, 50, 1)
	tracks := testTracks(truth, scans, 40)
	b.ReportAllocs()
	var buf bytes.Buffer
	for b.Loop() {
		buf.Reset()
		if err := must(b, truth, tracks, scans).Encode(&buf, "svg"); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(buf.Len()), "bytes/svg")
}
