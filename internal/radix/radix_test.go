package radix

import (
	"cmp"
	"math"
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

// TestOrder: numbers of any spread are in order, those that are equal as they stand, and what is no
// number comes first.
func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 1))
	for _, n := range []int{0, 1, 2, 100, 600, 3000} {
		for name, draw := range map[string]func() float64{
			"uniform": r.Float64, "normal": r.NormFloat64, "equal": func() float64 { return 3 }, "few": func() float64 { return float64(r.IntN(4)) },
			"close":     func() float64 { return 1 + float64(r.IntN(3))*0x1p-52 },
			"denormal":  func() float64 { return float64(r.IntN(5)) * math.SmallestNonzeroFloat64 },
			"large":     func() float64 { return (r.Float64() - 0.5) * math.MaxFloat64 },
			"overflows": func() float64 { return math.Copysign(math.MaxFloat64, r.Float64()-0.5) },
			"crowded":   func() float64 { return math.Exp(40 * r.NormFloat64()) },
			"infinite":  func() float64 { return []float64{1, 2, math.Inf(1), math.Inf(-1)}[r.IntN(4)] },
			"nan":       func() float64 { return []float64{1, 2, math.NaN()}[r.IntN(3)] },
		} {
			x := make([]float64, n)
			for i := range x {
				x[i] = draw()
			}
			want := make([]int32, n)
			for i := range want {
				want[i] = int32(i)
			}
			slices.SortStableFunc(want, func(i, j int32) int { return cmp.Compare(x[i], x[j]) })
			if got := Order(x); !slices.Equal(got, want) {
				t.Errorf("%d %s numbers: not in order", n, name)
			}
		}
	}
}
