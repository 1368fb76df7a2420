package heap

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestHeap sorts.
func TestHeap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range 100 {
		var q Heap
		want := make([]float64, n)
		for i := range want {
			want[i] = float64(rng.IntN(50))
			q.Push(want[i], int32(i))
		}
		slices.Sort(want)
		seen := make([]bool, n)
		for i := range want {
			top := q.Pop()
			if top.Dist != want[i] || seen[top.ID] {
				t.Fatalf("n = %d: element %d is %v, want %v", n, i, top, want[i])
			}
			seen[top.ID] = true
		}
		if len(q) != 0 {
			t.Errorf("n = %d: %d elements left", n, len(q))
		}
	}
}
