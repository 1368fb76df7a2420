package slab

import (
	"slices"
	"testing"
)

func TestGrow(t *testing.T) {
	x := []int{1, 2, 3}
	if y := Grow(x, 2); len(y) != 2 || &y[0] != &x[0] {
		t.Errorf("Grow to 2 of 3 gives %v, want the same memory", y)
	}
	if y := Grow(x, 9); len(y) != 9 {
		t.Errorf("Grow to 9 gives %d elements", len(y))
	}
}

func TestKeep(t *testing.T) {
	x := append(make([][]int, 0, 3), []int{1}, []int{2})
	for _, n := range []int{1, 2, 9} {
		y := Keep(x[:1], n)
		if len(y) != n || y[0][0] != 1 || n > 1 && (y[1] == nil || y[1][0] != 2) {
			t.Errorf("Keep(%d) = %v", n, y)
		}
	}
}

func TestParts(t *testing.T) {
	parts := Parts[int](4, func(k int) int { return k * k })
	for k, list := range parts {
		if len(list) != k*k || cap(list) != k*k {
			t.Errorf("list %d has %d elements and room for %d, want %d", k, len(list), cap(list), k*k)
		}
		Fill(list, k)
	}
	for k, list := range parts {
		if slices.ContainsFunc(list, func(x int) bool { return x != k }) {
			t.Errorf("list %d is %v", k, list)
		}
	}
}

func TestFill(t *testing.T) {
	x := make([]int, 3)
	Fill(x, 7)
	if !slices.Equal(x, []int{7, 7, 7}) {
		t.Errorf("Fill gives %v", x)
	}
}

// TestStock: lists are zeros of their own with no room behind them, and short ones share pieces.
func TestStock(t *testing.T) {
	var s Stock[int]
	var lists [][]int
	for k := range 3000 {
		list := s.Make(k % 300)
		if list == nil || len(list) != k%300 || cap(list) != len(list) || slices.ContainsFunc(list, func(x int) bool { return x != 0 }) {
			t.Fatalf("list %d: %d elements, room for %d", k, len(list), cap(list))
		}
		Fill(list, k)
		lists = append(lists, list)
	}
	for k, list := range lists {
		if slices.ContainsFunc(list, func(x int) bool { return x != k }) {
			t.Fatalf("list %d was written to", k)
		}
	}
	if n := testing.AllocsPerRun(10_000, func() { s.Make(1) }); n >= 1 {
		t.Errorf("%v allocations for a list of one", n)
	}
}
