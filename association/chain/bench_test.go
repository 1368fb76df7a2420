package chain_test

import (
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association/chain"
)

// BenchmarkTracks lists 10,000 tracks through 200 scans, whose detections are in no order; ns/hit.
func BenchmarkTracks(b *testing.B) {
	const frames, targets = 200, 10000
	rng := rand.New(rand.NewPCG(1, 2))
	scans := make([]mtt.Scan, frames)
	for t := range scans {
		scans[t] = mtt.Scan{Frame: t, Dim: 2, Pos: make([]float64, 2*targets), Vel: make([]float64, 2*targets)}
	}
	links := chain.New(scans)
	last := rng.Perm(targets)
	for t := 1; t < frames; t++ {
		next := rng.Perm(targets)
		for k := range last {
			links.Link(chain.At(t-1, last[k]), chain.At(t, next[k]))
		}
		last = next
	}
	for b.Loop() {
		links.Tracks(scans, false)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*frames*targets), "ns/hit")
}
