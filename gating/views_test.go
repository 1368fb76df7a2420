package gating

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
)

// randomCSR draws a pattern whose entries are present with probability p.
func randomCSR(rng *rand.Rand, rows, cols int, p float64) *CSR {
	g := &CSR{Rows: rows, Cols: cols, Ptr: []int{0}}
	for range rows {
		for j := range cols {
			if rng.Float64() < p {
				g.Col = append(g.Col, int32(j))
			}
		}
		g.Ptr = append(g.Ptr, len(g.Col))
	}
	return g
}

func TestTransposeAndRowOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	var csc CSC
	var row []int32
	for range 100 {
		g := randomCSR(rng, rng.IntN(8), rng.IntN(8), rng.Float64())
		if got := Transpose(&csc, g); got != &csc {
			t.Fatal("dst is not returned")
		}
		row = RowOf(row, g)
		if len(csc.Ptr) != g.Cols+1 || len(csc.Row) != g.NNZ() || len(csc.Entry) != g.NNZ() || len(row) != g.NNZ() {
			t.Fatalf("lengths %d, %d, %d, %d for %d columns, %d entries", len(csc.Ptr), len(csc.Row), len(csc.Entry), len(row), g.Cols, g.NNZ())
		}
		seen := 0
		for j := range g.Cols {
			rows := csc.Row[csc.Ptr[j]:csc.Ptr[j+1]]
			if !slices.IsSorted(rows) {
				t.Fatalf("rows of column %d: %v", j, rows)
			}
			for k, i := range rows {
				e := csc.Entry[csc.Ptr[j]+k]
				if g.Entry(int(i), j) != e || row[e] != i || int(g.Col[e]) != j {
					t.Fatalf("column %d lists row %d as entry %d; Entry = %d, RowOf = %d", j, i, e, g.Entry(int(i), j), row[e])
				}
				seen++
			}
		}
		if seen != g.NNZ() {
			t.Fatalf("columns hold %d of %d entries", seen, g.NNZ())
		}
	}
}

func TestEntryAbsent(t *testing.T) {
	g := &CSR{Rows: 2, Cols: 4, Ptr: []int{0, 2, 2}, Col: []int32{1, 3}}
	want := [][]int{{-1, 0, -1, 1}, {-1, -1, -1, -1}}
	for i, row := range want {
		for j, e := range row {
			if got := g.Entry(i, j); got != e {
				t.Errorf("Entry(%d, %d) = %d, want %d", i, j, got, e)
			}
		}
	}
}

func TestViewsAllocateNothing(t *testing.T) {
	g := randomCSR(rand.New(rand.NewPCG(2, 5)), 30, 40, 0.2)
	csc := Transpose(nil, g)
	row := RowOf(nil, g)
	if n := testing.AllocsPerRun(10, func() { Transpose(csc, g); RowOf(row, g) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestComponents compares with gonum's graph package.
func TestComponents(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for range 200 {
		frames := make([]CSR, 1+rng.IntN(5))
		rows := rng.IntN(6)
		g := simple.NewUndirectedGraph()
		first := 0
		for t := range frames {
			cols := rng.IntN(6)
			frames[t] = *randomCSR(rng, rows, cols, 0.3)
			for i := range rows {
				for _, j := range frames[t].Row(i) {
					g.SetEdge(g.NewEdge(simple.Node(first+i), simple.Node(first+rows+int(j))))
				}
			}
			first += rows
			rows = cols
		}
		got := Components(frames)
		flat := slices.Concat(got...)

		want := make([]int32, len(flat))
		of := map[int64]int{}
		for c, nodes := range topo.ConnectedComponents(g) {
			for _, n := range nodes {
				of[n.ID()] = c
			}
		}
		labels := map[int]int32{}
		for x := range want {
			c, ok := of[int64(x)]
			if !ok {
				c = -1 - x // alone
			}
			if _, ok := labels[c]; !ok {
				labels[c] = int32(len(labels))
			}
			want[x] = labels[c]
		}
		if diff := cmp.Diff(want, flat, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		if len(got) != len(frames)+1 || len(got[0]) != frames[0].Rows {
			t.Fatalf("%d label slices for %d patterns", len(got), len(frames))
		}
		for k := range frames {
			if len(got[k+1]) != frames[k].Cols {
				t.Fatalf("frame %d has %d labels, want %d", k+1, len(got[k+1]), frames[k].Cols)
			}
		}
	}
}

func TestComponentsNoFrames(t *testing.T) {
	if got := Components(nil); got != nil {
		t.Errorf("Components(nil) = %v, want nil", got)
	}
}

func TestChainMismatchPanics(t *testing.T) {
	frames := []CSR{{Rows: 1, Cols: 2, Ptr: []int{0, 0}}, {Rows: 3, Cols: 1, Ptr: []int{0, 0, 0, 0}}}
	for _, call := range []func(){func() { Components(frames) }, func() { Count(frames) }} {
		func() {
			defer func() {
				if recover() != badChain {
					t.Error("no panic")
				}
			}()
			call()
		}()
	}
}
