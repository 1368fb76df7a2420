package radix

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSort: short and long lists are sorted from any bit on, below which they are numbered.
func TestSort(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 1))
	var keys, spare []uint64
	for _, n := range []int{0, 1, 2, 100, 511, 512, 5000} {
		for _, lo := range []int{0, 13, 32, 51} {
			for _, wide := range []int{1, 10, 11, 12, 22, 51} {
				if wide > 64-lo || lo == 0 && n > 1<<wide {
					continue
				}
				keys = keys[:0]
				for k := range uint64(n) {
					key := r.Uint64() >> (64 - wide) << lo
					if lo > 0 {
						key |= k
					}
					keys = append(keys, key)
				}
				want := slices.Sorted(slices.Values(keys))
				if keys, spare = Sort(keys, spare, lo); !slices.Equal(keys, want) {
					t.Fatalf("%d keys of %d bits from %d on: not sorted", n, wide, lo)
				}
			}
		}
	}
}
