package dualascent_test

// This file times the engine on scenes from easy to hard.

import (
	"context"
	"testing"

	"mtt/dualascent"
)

var benchScenes = []struct {
	name string
	scene
}{
	{"burst100x50", scene{kind: "burst", targets: 100, frames: 50, noise: 0.1, cost: "paper", seed: 1}},
	{"positions100x50", scene{kind: "burst", targets: 100, frames: 50, noise: 0.1, cost: "nll", positions: true, seed: 1}},
	{"burst1000x100", scene{kind: "burst", targets: 1000, frames: 100, noise: 0.1, cost: "nll", seed: 1}},
	{"steer300x300", scene{kind: "steer", targets: 300, frames: 300, spread: 1, noise: 0.2, cost: "nll", seed: 1}},
}

// BenchmarkSolve reports, besides time and memory, the arcs visited in a second
// (each pass visits each arc), and the gap that is left, in per cent.
func BenchmarkSolve(b *testing.B) {
	for _, tt := range benchScenes {
		b.Run(tt.name, func(b *testing.B) {
			inst := tt.instance(b)
			ctx := context.Background()
			var arcs int
			var gap float64
			b.ReportAllocs()
			for b.Loop() {
				res, err := dualascent.Solve(ctx, inst, nil)
				if err != nil {
					b.Fatal(err)
				}
				arcs += len(res.Trace) * inst.Arcs()
				gap = 100 * res.Gap()
			}
			b.ReportMetric(float64(arcs)/b.Elapsed().Seconds(), "arcs/s")
			b.ReportMetric(gap, "gap%")
		})
	}
}

// BenchmarkBound times the check of a certificate.
func BenchmarkBound(b *testing.B) {
	for _, tt := range benchScenes {
		b.Run(tt.name, func(b *testing.B) {
			inst := tt.instance(b)
			res, err := dualascent.Solve(context.Background(), inst, &dualascent.Options{MaxRounds: 1})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				dualascent.Bound(inst, res.Prices)
			}
			b.ReportMetric(float64(inst.Arcs())*float64(b.N)/b.Elapsed().Seconds(), "arcs/s")
		})
	}
}

// BenchmarkExactMargins is to be compared with BenchmarkSolve. It reports the margins below 6, and
// how many of them remain bounds.
func BenchmarkExactMargins(b *testing.B) {
	for _, tt := range append(benchScenes[1:3:3], struct {
		name string
		scene
	}{"arena1000x100", scene{kind: "arena", targets: 1000, frames: 100, noise: 0.05, cost: "nll", seed: 1}}) {
		inst := tt.instance(b)
		ctx := context.Background()
		var res *dualascent.Result
		b.Run(tt.name+"/solve", func(b *testing.B) {
			for b.Loop() {
				var err error
				if res, err = dualascent.Solve(ctx, inst, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(tt.name+"/margins", func(b *testing.B) {
			if res == nil {
				b.Skip("they are those of what the solve has found")
			}
			var m *dualascent.Margins
			for b.Loop() {
				var err error
				if m, err = dualascent.ExactMargins(ctx, inst, res, nil); err != nil {
					b.Fatal(err)
				}
			}
			small, open := 0, 0
			for p := range m.Out {
				for i, least := range m.Out[p] {
					if least < 6 {
						small++
						if m.OutMost[p][i] > least+1e-9 {
							open++
						}
					}
				}
			}
			b.ReportMetric(float64(small), "small")
			b.ReportMetric(float64(open), "open")
		})
	}
}
