package measure

// This file tests what benchmarks and reproductions share.

import (
	"context"
	"math"
	"slices"
	"sync"
	"testing"

	"mtt/scenario"
)

func TestReadTable(t *testing.T) {
	got := ReadTable("# somewhere\nn,random,rank 1\n10,1.5,\n20,3,4\n")
	if !slices.Equal(got.Columns, []string{"n", "random", "rank 1"}) || len(got.Rows) != 2 {
		t.Fatalf("%v", got)
	}
	if r := got.Rows[0]; r[0] != 10 || r[1] != 1.5 || !math.IsNaN(r[2]) {
		t.Errorf("first row %v", r)
	}
	for _, bad := range []string{"n\nmany\n", "n,m\n1\n"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is a table", bad)
				}
			}()
			ReadTable(bad)
		}()
	}
}

// TestTable1 looks up numbers that the paper prints.
func TestTable1(t *testing.T) {
	for _, table := range []*Table{&Table1.Priced, &Table1.Plain} {
		if len(table.Rows) != 9 || len(table.Columns) != 9 || table.Columns[2] != "random" {
			t.Fatalf("%d rows, columns %v", len(table.Rows), table.Columns)
		}
	}
	if got := Table1.Priced.Rows[8]; got[0] != 16000 || got[2] != 368_018 {
		t.Errorf("last row with pricing %v", got)
	}
	if got := Table1.Plain.Rows[0]; got[0] != 1000 || got[8] != 209_141 {
		t.Errorf("first row without %v", got)
	}
}

func TestSeries(t *testing.T) {
	v := Series{1, 2, 4, 9}
	if v.Average() != 4 {
		t.Errorf("average %v", v.Average())
	}
	if got, want := v.StandardError(), math.Sqrt(38.0/3/4); math.Abs(got-want) > 1e-15 {
		t.Errorf("standard error %v, want %v", got, want)
	}
	if got := (Series{3}).StandardError(); !math.IsNaN(got) {
		t.Errorf("standard error of one value %v", got)
	}
	if got := (Series{5, 1, 3}).Median(); got != 3 {
		t.Errorf("median %v", got)
	}
	if got := v.Median(); got != 3 {
		t.Errorf("median of four %v", got)
	}
	if got := (Series{}).StandardError(); !math.IsNaN(got) || !math.IsNaN(Series{}.Average()) {
		t.Errorf("standard error of nothing %v", got)
	}
	f := v.Fields("x")
	if f[0].Key != "x" || f[1].Value != 1.0 || f[2].Value != 9.0 {
		t.Errorf("fields %v", f)
	}
}

// TestEachSeed measures every seed once, and passes an error on.
func TestEachSeed(t *testing.T) {
	b := &Run{Options: Options{Seeds: 7}, First: 100, Workers: 3}
	var mu sync.Mutex
	var seen []uint64
	if err := b.EachSeed(t.Context(), func(_ context.Context, i int, seed uint64) error {
		mu.Lock()
		defer mu.Unlock()
		if seed != 100+uint64(i) {
			t.Errorf("seed %d is %d", i, seed)
		}
		seen = append(seen, seed)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if slices.Sort(seen); len(slices.Compact(seen)) != 7 {
		t.Errorf("seeds %v", seen)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.EachSeed(ended, func(context.Context, int, uint64) error { return nil }); err == nil {
		t.Error("no error when the context has ended")
	}
}

// TestScene shrinks a scene where a test says so.
func TestScene(t *testing.T) {
	b := &Run{Targets: 3, Frames: 4}
	sc, err := b.Scene(t.Context(), scenario.Config{Targets: 50, Frames: 50}, 2)
	if err != nil || len(sc.Truth) != 3 || len(sc.Scans) != 4 {
		t.Errorf("%d targets in %d frames, %v", len(sc.Truth), len(sc.Scans), err)
	}
}
