package task

// This file tests the arrays of costs.npz against direct pricing.

import (
	"path/filepath"
	"testing"

	"mtt"
	"mtt/costgen"
	"mtt/gating"
	"mtt/internal/npz"
	"mtt/internal/runfolder"
	"mtt/scenario"
)

// array reads one array of an archive.
func array[T npz.Number](t *testing.T, f *npz.File, name string) []T {
	t.Helper()
	data, _, err := npz.Get[T](f, name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestGatedCosts writes the costs of a scene, reads them back, and prices every
// arc and triplet that the file lists, one by one.
func TestGatedCosts(t *testing.T) {
	simulated, err := scenario.Simulate(t.Context(), &scenario.Config{Targets: 8, Frames: 6, Noise: 0.1, VelocityNoise: 0.1, Miss: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	scans := simulated.Scans
	gate := gating.Ball{Radius: 3}
	gates, err := gating.Chain(t.Context(), scans, gate, nil)
	if err != nil {
		t.Fatal(err)
	}
	model := &costgen.Trapezoid{}
	path := filepath.Join(t.TempDir(), "costs.npz")
	if err := runfolder.WriteFile(path, gatedCosts(scans, gates, model).write); err != nil {
		t.Fatal(err)
	}
	f, err := npz.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	nodePtr, gapPtr := array[int64](t, f, "node_ptr"), array[int64](t, f, "gap_ptr")
	rowPtr, tripletPtr := array[int64](t, f, "row_ptr"), array[int64](t, f, "triplet_ptr")
	row, col := array[int32](t, f, "row"), array[int32](t, f, "col")
	pair, start := array[float64](t, f, "pair_cost"), array[float64](t, f, "start_cost")
	ti, tj, tk := array[int32](t, f, "triplet_i"), array[int32](t, f, "triplet_j"), array[int32](t, f, "triplet_k")
	frame, triplet := array[int64](t, f, "triplet_frame"), array[float64](t, f, "triplet_cost")

	size := gating.Count(gates)
	if len(col) != size.Arcs || len(triplet) != size.Triplets || size.Triplets == 0 {
		t.Fatalf("%d arcs and %d triplets, want %d and %d, not 0", len(col), len(triplet), size.Arcs, size.Triplets)
	}
	one := make([]float64, 1)
	price := func(a, b, c *mtt.Scan, i, j, k int32) float64 {
		model.Triplets(one, 1, a, []int32{i}, b, int(j), c, []int32{k})
		return one[0]
	}
	for gap := range gates {
		a, b := &scans[gap], &scans[gap+1]
		for arc := gapPtr[gap]; arc < gapPtr[gap+1]; arc++ {
			i, j := row[arc], col[arc]
			node := nodePtr[gap] + int64(i)
			if arc < rowPtr[node] || arc >= rowPtr[node+1] {
				t.Errorf("arc %d is not in row %d of gap %d", arc, i, gap)
			}
			model.Pairs(one, a, int(i), b, []int32{j})
			if one[0] != pair[arc] {
				t.Errorf("gap %d, pair %d-%d: cost %v, want %v", gap, i, j, pair[arc], one[0])
			}
			model.Starts(one, a, int(i), b, []int32{j})
			if one[0] != start[arc] {
				t.Errorf("gap %d, pair %d-%d: start cost %v, want %v", gap, i, j, start[arc], one[0])
			}
			var next []int32
			if gap+1 < len(gates) {
				next = gates[gap+1].Row(int(j))
			}
			if n := tripletPtr[arc+1] - tripletPtr[arc]; n != int64(len(next)) {
				t.Fatalf("arc %d begins %d triplets, want %d", arc, n, len(next))
			}
			for s, k := range next {
				e := tripletPtr[arc] + int64(s)
				if ti[e] != i || tj[e] != j || tk[e] != k || frame[e] != int64(a.Frame) {
					t.Errorf("triplet %d is %d-%d-%d of frame %d, want %d-%d-%d of %d", e, ti[e], tj[e], tk[e], frame[e], i, j, k, a.Frame)
				}
				if want := price(a, b, &scans[gap+2], i, j, k); triplet[e] != want {
					t.Errorf("triplet %d: cost %v, want %v", e, triplet[e], want)
				}
			}
		}
	}
}
