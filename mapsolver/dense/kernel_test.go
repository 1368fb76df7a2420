//go:build amd64 && !noasm

package dense

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"mtt/mapsolver"
	"mtt/mapsolver/lapgen"
)

// loops are the loops of kernel.go and of the assembly, each of which returns
// all that it writes.
var loops = []struct {
	name   string
	ref    func(x *loopArgs) []any
	vector func(x *loopArgs) []any
}{
	{"reduce",
		func(x *loopArgs) []any { return []any{reduceGo(x.a, x.c, x.b), x.a} },
		func(x *loopArgs) []any { return []any{reduceAVX2(x.a, x.c, x.b), x.a} }},
	{"relax",
		func(x *loopArgs) []any { return []any{relaxGo(x.a, x.c, x.b, x.pred, x.x, 7), x.a, x.pred} },
		func(x *loopArgs) []any { return []any{relaxAVX2(x.a, x.c, x.b, x.pred, x.x, 7), x.a, x.pred} }},
	{"index",
		func(x *loopArgs) []any { return []any{indexGo(x.c, x.x)} },
		func(x *loopArgs) []any { return []any{indexAVX2(x.c, x.x)} }},
	{"twoLeast",
		func(x *loopArgs) []any { l, s := twoLeastGo(x.a, x.c, x.b); return []any{l, s, x.a} },
		func(x *loopArgs) []any { l, s := twoLeastAVX2(x.a, x.c, x.b); return []any{l, s, x.a} }},
	{"columns",
		func(x *loopArgs) []any { columnsGo(x.a, x.b, x.c, x.x); return []any{x.a, x.b} },
		func(x *loopArgs) []any { columnsAVX2(x.a, x.b, x.c, x.x); return []any{x.a, x.b} }},
	{"lower",
		func(x *loopArgs) []any { lowerGo(x.a, x.c, x.b, x.x); return []any{x.a} },
		func(x *loopArgs) []any { lowerAVX2(x.a, x.c, x.b, x.x); return []any{x.a} }},
	{"cheapest",
		func(x *loopArgs) []any { m, ok := cheapestGo(x.a, x.c, x.pred, 7, 4); return cheapestResult(m, ok, x) },
		func(x *loopArgs) []any {
			m, ok := cheapestAVX2(x.a, x.c, x.pred, 7, 4)
			return cheapestResult(m, ok, x)
		}},
	{"below",
		func(x *loopArgs) []any { return belowResult(belowGo(x.pred, x.c, x.b, x.x), x) },
		func(x *loopArgs) []any { return belowResult(belowAVX2(x.pred, x.c, x.b, x.x), x) }},
	{"magnitude",
		func(x *loopArgs) []any { return magnitudeResult(magnitudeGo(x.c, 5)) },
		func(x *loopArgs) []any { return magnitudeResult(magnitudeAVX2(x.c, 5)) }},
}

// belowResult leaves out the places that were not found.
func belowResult(n int, x *loopArgs) []any { return []any{n, x.pred[:n], x.pred[len(x.c):]} }

// wideLoops are those of AVX-512.
var wideLoops = []struct {
	name   string
	vector func(x *loopArgs) []any
}{
	{"reduce", func(x *loopArgs) []any { return []any{reduceAVX512(x.a, x.c, x.b), x.a} }},
	{"relax", func(x *loopArgs) []any {
		return []any{relaxAVX512(x.a, x.c, x.b, x.pred, x.x, 7), x.a, x.pred}
	}},
}

// TestWideLoops compares the loops of AVX-512 with those of Go.
func TestWideLoops(t *testing.T) {
	if !haveAVX512 {
		t.Skip("this machine has no AVX-512")
	}
	for k, loop := range wideLoops {
		if loops[k].name != loop.name {
			t.Fatalf("loop %d is %s, want %s", k, loops[k].name, loop.name)
		}
		rng := rand.New(rand.NewPCG(5, 6))
		for n := range 70 {
			for range 40 {
				var x loopArgs
				x.draw(rng, n, math.Inf(-1), false)
				y := x.clone()
				if want, got := bits(loops[k].ref(&x)), bits(loop.vector(y)); !reflect.DeepEqual(got, want) {
					t.Fatalf("%s, n = %d: %v, want %v", loop.name, n, got, want)
				}
			}
		}
	}
}

// magnitudeResult forgets a magnitude that means nothing.
func magnitudeResult(most float64, ok bool) []any {
	if !ok {
		most = 0
	}
	return []any{most, ok}
}

// cheapestResult leaves out the magnitude where it means nothing.
func cheapestResult(most float64, ok bool, x *loopArgs) []any {
	return append(magnitudeResult(most, ok), x.a, x.pred)
}

// loopArgs are arguments of a loop. The slices a, b and pred have a margin that no
// loop may write.
type loopArgs struct {
	a, b, c []float64
	pred    []int32
	x       float64
}

// draw makes arguments of n columns: small integers, so that there are ties,
// out-of-scan marks, and in c now and then +Inf or NaN; b is at least a.
func (x *loopArgs) draw(rng *rand.Rand, n int, mark float64, nan bool) {
	const margin = 9
	x.a, x.b, x.c = make([]float64, n+margin), make([]float64, n+margin), make([]float64, n)
	x.pred = make([]int32, n+margin)
	for j := range x.a {
		x.a[j], x.b[j] = float64(rng.IntN(9))+0.1, float64(rng.IntN(9))+9.2
		x.pred[j] = int32(j)
		if rng.IntN(8) == 0 {
			x.b[j] = mark
		}
	}
	for j := range x.c {
		x.c[j] = float64(rng.IntN(9)) - 4.3
		if rng.IntN(20) == 0 {
			x.c[j] = math.Inf(1)
		}
		if nan && rng.IntN(20) == 0 {
			x.c[j] = math.NaN()
		}
	}
	x.x = float64(rng.IntN(9)) - 4.3
}

func (x *loopArgs) clone() *loopArgs {
	y := *x
	y.a = append([]float64(nil), x.a...)
	y.b = append([]float64(nil), x.b...)
	y.pred = append([]int32(nil), x.pred...)
	return &y
}

// bits replaces float64s by their bits, for comparison.
func bits(results []any) []any {
	for i, r := range results {
		switch r := r.(type) {
		case float64:
			results[i] = math.Float64bits(r)
		case []float64:
			b := make([]uint64, len(r))
			for j, x := range r {
				b[j] = math.Float64bits(x)
			}
			results[i] = b
		}
	}
	return results
}

// TestLoops wants the same bits of the assembly as of the Go code.
func TestLoops(t *testing.T) {
	if !haveAVX2 {
		t.Skip("this machine has no AVX2")
	}
	for _, loop := range loops {
		t.Run(loop.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 5))
			mark := math.Inf(-1)
			if loop.name == "columns" || loop.name == "lower" {
				mark = math.Inf(1)
			}
			for n := range 70 {
				for range 40 {
					var x loopArgs
					x.draw(rng, n, mark, loop.name == "magnitude" || loop.name == "cheapest")
					y := x.clone()
					want, got := bits(loop.ref(&x)), bits(loop.vector(y))
					if !reflect.DeepEqual(got, want) {
						t.Fatalf("n = %d: %v, want %v", n, got, want)
					}
				}
			}
		})
	}
}

// TestWiden compares both loops at every length, on numbers of every kind.
func TestWiden(t *testing.T) {
	if !haveAVX2 {
		t.Skip("this machine has no AVX2")
	}
	rng := rand.New(rand.NewPCG(6, 6))
	for n := range 70 {
		c, got, want := make([]float32, n), make([]float64, n+1), make([]float64, n+1)
		for j := range c {
			if c[j] = math.Float32frombits(rng.Uint32()); c[j] != c[j] {
				c[j] = float32(math.Inf(1)) // a quiet NaN may differ from a signalling one
			}
		}
		widenGo(want, c)
		widenAVX2(got, c)
		if !reflect.DeepEqual(bits([]any{got}), bits([]any{want})) {
			t.Fatalf("n = %d: %v, want %v", n, got, want)
		}
	}
}

// TestSameBytes wants the same answer, to the last bit, with assembly and
// without.
func TestSameBytes(t *testing.T) {
	if !haveAVX2 {
		t.Skip("this machine has no AVX2")
	}
	defer func(wide bool) { haveAVX2, haveAVX512 = true, wide }(haveAVX512)
	const n = 120
	var list []*Matrix
	for _, class := range lapgen.Classes() {
		list = append(list, NewMatrix(n, n, class.Cost(n, 1)))
	}
	for _, most := range []int{0, 3, 100, 100_000} {
		cost := lapgen.Integers(n, most, 1)
		list = append(list, NewMatrix(n, n, cost), NewMatrix(n/2, n, cost[:n*n/2]), NewMatrix(n, n/2, cost[:n*n/2]))
	}
	for i, m := range list {
		for name, start := range starts {
			var got [3]mapsolver.Solution
			wide := haveAVX512
			for k := range got {
				haveAVX512, haveAVX2 = wide && k == 0, k < 2
				if err := (&Solver{Start: start}).Solve(context.Background(), &got[k], m, nil); err != nil {
					t.Fatal(err)
				}
			}
			haveAVX512 = wide
			for _, b := range got[1:] {
				a := got[0]
				if !reflect.DeepEqual(bits([]any{a.ColOf, a.U, a.V, a.Cost}), bits([]any{b.ColOf, b.U, b.V, b.Cost})) {
					t.Errorf("matrix %d, %s: the answers differ", i, name)
				}
			}
		}
	}
}

func BenchmarkLoops(b *testing.B) {
	for _, n := range []int{8, 16, 64, 1024} {
		rng := rand.New(rand.NewPCG(5, 5))
		var x loopArgs
		x.draw(rng, n, math.Inf(-1), false)
		for _, loop := range []struct {
			name   string
			reduce func(d, c, v []float64) float64
			relax  func(d, c, v []float64, pred []int32, delta float64, row int32) float64
		}{{"go", reduceGo, relaxGo}, {"avx2", reduceAVX2, relaxAVX2}, {"avx512", reduceAVX512, relaxAVX512}} {
			if loop.name == "avx512" && !haveAVX512 {
				continue
			}
			b.Run(fmt.Sprintf("reduce/n=%d/%s", n, loop.name), func(b *testing.B) {
				for b.Loop() {
					loop.reduce(x.a, x.c, x.b)
				}
			})
			b.Run(fmt.Sprintf("relax/n=%d/%s", n, loop.name), func(b *testing.B) {
				for b.Loop() {
					loop.relax(x.a, x.c, x.b, x.pred, x.x, 7)
				}
			})
		}
	}
}
