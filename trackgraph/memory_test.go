package trackgraph_test

// This file tests how much memory a large graph takes.

import (
	"context"
	"runtime"
	"testing"

	"mtt/trackgraph"
)

// TestMemory solves a colony of 124,957 arcs, whose rounds use the memory of those before and whose
// vain arcs have none: 178 bytes an arc. With new memory for each round, and for all arcs, it took 311.
func TestMemory(t *testing.T) {
	g := colony(1, 400, 50)
	allocated := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.TotalAlloc
	}
	before := allocated()
	r, err := trackgraph.Solve(context.Background(), g, nil)
	if err != nil || r.Status != trackgraph.Optimal {
		t.Fatalf("%v: %v", r.Status, err)
	}
	const most = 240 // bytes
	if each := float64(allocated()-before) / float64(len(g.Cost)); each > most {
		t.Errorf("%.0f bytes for each of %d arcs, want %d at most", each, len(g.Cost), most)
	}
}
