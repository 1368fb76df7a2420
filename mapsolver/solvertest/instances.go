package solvertest

import (
	"math"
	"math/rand/v2"
	"slices"

	"mtt/mapsolver"
	"mtt/mapsolver/lapgen"
)

// This file makes problems: random ones, those of tracking, and those that are
// known to be hard.

var inf = math.Inf(1)

// Miss is a kind of miss costs.
type Miss int

const (
	MissNil    Miss = iota // no list
	MissFinite             // drawn like the costs
	MissMixed              // one in three is +Inf
	MissMust               // all are +Inf
)

// A Cost draws costs of one kind.
type Cost struct {
	Name string
	Draw func() float64
}

// Costs lists kinds of costs, with sources of their own.
func Costs() []Cost {
	rng := rand.New(rand.NewPCG(6, 1))
	return []Cost{
		{"equal", func() float64 { return 0.1 }},
		{"zero", func() float64 { return 0 }},
		{"ties", func() float64 { return float64(rng.IntN(4)) }},
		{"integers", func() float64 { return float64(rng.IntN(2001) - 1000) }},
		{"uniform", rng.Float64},
		{"normal", rng.NormFloat64},
		{"negative", func() float64 { return -rng.Float64() }},
		{"tiny", func() float64 { return 1e-10 * rng.Float64() }},
		{"offset", func() float64 { return 1e9 + rng.Float64() }},
		{"many scales", func() float64 { return math.Exp(20 * rng.NormFloat64()) }},
	}
}

// Random makes a problem in which each pair is an entry with probability
// density.
func Random(rng *rand.Rand, rows, cols int, density float64, draw func() float64, rowMiss, colMiss Miss) *mapsolver.Problem {
	p := &mapsolver.Problem{Rows: rows, Cols: cols, Ptr: make([]int, 1, rows+1)}
	for range rows {
		for c := range cols {
			if rng.Float64() < density {
				p.Col = append(p.Col, int32(c))
				p.Cost = append(p.Cost, draw())
			}
		}
		p.Ptr = append(p.Ptr, len(p.Col))
	}
	p.RowMiss = missCosts(rng, rows, draw, rowMiss)
	p.ColMiss = missCosts(rng, cols, draw, colMiss)
	return p
}

// missCosts draws n miss costs of a kind.
func missCosts(rng *rand.Rand, n int, draw func() float64, kind Miss) []float64 {
	if kind == MissNil {
		return nil
	}
	x := make([]float64, n)
	for i := range x {
		if kind == MissMust || kind == MissMixed && rng.IntN(3) == 0 {
			x[i] = inf
		} else {
			x[i] = draw()
		}
	}
	return x
}

// Sparse is [lapgen.Sparse].
func Sparse(n, k, levels int, seed uint64) *mapsolver.Problem {
	return lapgen.Sparse(n, k, levels, seed)
}

// Tracking is [lapgen.Tracking].
func Tracking(n, deg int, sigma float64, seed uint64) *mapsolver.Problem {
	return lapgen.Tracking(n, deg, sigma, seed)
}

// Tiny is [lapgen.Tiny].
func Tiny(rows, cols, most int, seed uint64) *mapsolver.Problem {
	return lapgen.Tiny(rows, cols, most, seed)
}

// An Instance is a problem with a name.
type Instance struct {
	Name    string
	Problem *mapsolver.Problem
	Optimum *float64 // nil: not known beforehand
}

// Hard makes the instances that some solver in use answers slowly, wrongly or
// not at all.
func Hard() []Instance {
	const n = 120
	rng := rand.New(rand.NewPCG(7, 1))
	u, v := draw(n, rng.Float64), draw(n, rng.Float64)
	w, z := draw(n, rng.Float64), draw(n, rng.Float64)
	x, y := draw(2*n, rng.Float64), draw(2*n, rng.Float64)
	square := func(cost func(r, c int) float64) *mapsolver.Problem { return dense(n, n, cost) }
	uniform := func(int, int) float64 { return rng.Float64() }
	exact := func(x float64) *float64 { return &x }

	list := []Instance{
		// c = (r+1)(c+1): the worst case of the Hungarian method after Machol
		// and Wien (1976). The optimum pairs the largest with the smallest.
		{"Machol-Wien", square(func(r, c int) float64 { return float64((r + 1) * (c + 1)) }), exact(n * (n + 1) * (n + 2) / 6)},
		{"all equal", square(func(int, int) float64 { return 0.125 }), exact(n * 0.125)},
		{"zero", square(func(int, int) float64 { return 0 }), exact(0)},
		{"sanity", square(func(r, c int) float64 {
			if r == c {
				return 0
			}
			return 1 + rng.Float64()
		}), exact(0)},
		{"uniform", square(uniform), nil},
		{"geometric", square(func(r, c int) float64 { return math.Hypot(x[2*r]-y[2*c], x[2*r+1]-y[2*c+1]) }), nil},
		{"grid", square(func(r, c int) float64 { return math.Abs(float64(r%11-c%13)) + math.Abs(float64(r/11-c/13)) }), nil},
		{"rank 1", square(func(r, c int) float64 { return u[r] * v[c] }), nil},
		{"rank 2", square(func(r, c int) float64 { return u[r]*v[c] + w[r]*z[c] }), nil},
		{"disjoint", square(func(r, c int) float64 {
			if r/(n/4) == c/(n/4) {
				return rng.Float64()
			}
			return 1000 + rng.Float64()
		}), nil},
		{"two levels", square(func(int, int) float64 { return float64(rng.IntN(2)) }), nil},
		{"integers below n/10", square(func(int, int) float64 { return float64(rng.IntN(n / 10)) }), nil},
		{"1e-10", square(func(int, int) float64 { return 1e-10 * rng.Float64() }), nil},
		{"1e9 offset", square(func(int, int) float64 { return 1e9 + rng.Float64() }), nil},
		{"negative", square(func(int, int) float64 { return -rng.Float64() }), nil},
		{"forbidden pairs cost 1e9", square(func(r, c int) float64 {
			if r != c && rng.IntN(10) > 0 {
				return 1e9
			}
			return rng.Float64()
		}), nil},
		{"half of the pairs cost 1e15", dense(30, 30, func(int, int) float64 { return []float64{1e15, rng.Float64()}[rng.IntN(2)] }), nil},
		{"three of four pairs cost 1e15", dense(30, 30, func(int, int) float64 { return []float64{1e15, 1e15, 1e15, rng.Float64()}[rng.IntN(4)] }), nil},
		{"all scales", dense(30, 30, func(int, int) float64 { return (1 + rng.Float64()) * math.Pow10(rng.IntN(579)-289) }), nil},
		// ε-pricing overflows.
		{"three scales", dense(3, 3, func(r, c int) float64 {
			return [][]float64{
				{3.286172067014256e+85, 8.289977702695129e-141, 8.14223675574193e-269},
				{7.180541413954857e+181, 4.428815908655377e-210, 3.076228469975976e+216},
				{8.743570369706989e+242, 5.348544646790954e-263, 6.860849354468721e-106},
			}[r][c]
		}), exact(3.286172067014256e+85)},
		{"staircase", staircase(n), exact(n)},
		{"wide", dense(30, 300, uniform), nil},
		{"tall", dense(300, 30, uniform), nil},
		{"wide, negative", dense(30, 300, func(int, int) float64 { return -rng.Float64() }), nil},
		{"tall, negative", dense(300, 30, func(int, int) float64 { return -rng.Float64() }), nil},
		{"sparse", Sparse(500, 6, 0, 1), nil},
		{"sparse integers", Sparse(500, 6, 10, 1), nil},
		{"tracking", Tracking(1000, 6, 0.3, 1), nil},
		{"crowded tracking", Tracking(1000, 6, 0.7, 1), nil},
		{"tiny", Tiny(16, 40, 7, 1), nil},
		{"tiny, transposed", mapsolver.Transpose(nil, Tiny(16, 40, 7, 1)), nil},
	}
	for _, miss := range []float64{0, 0.25, -0.25, 1e6} {
		p := Tracking(500, 6, 0.3, 3)
		p.RowMiss, p.ColMiss = constant(p.Rows, miss), constant(p.Cols, miss)
		name := map[float64]string{0: "zero", 0.25: "small", -0.25: "negative", 1e6: "large"}[miss]
		list = append(list, Instance{"tracking, " + name + " misses", p, nil})
	}
	rows := Tracking(500, 6, 0.3, 4)
	rows.ColMiss = draw(500, rng.NormFloat64)
	list = append(list, Instance{"rows must, columns pay", rows, nil})
	cols := mapsolver.Transpose(nil, rows)
	list = append(list, Instance{"columns must, rows pay", cols, nil})
	return list
}

// staircase is the problem of n rows in which row r has columns r and r+1, all
// at cost 1, but the last row has column 0 too and the greedy choice of the
// others, so that the last path passes through every row.
func staircase(n int) *mapsolver.Problem {
	return dense(n, n, func(r, c int) float64 {
		if c == r || c == r+1 || r == n-1 && c == 0 {
			return 1
		}
		return inf
	})
}

// Infeasible makes instances without an assignment.
func Infeasible() []Instance {
	one := func(int, int) float64 { return 1 }
	emptyRow := dense(4, 4, func(r, c int) float64 {
		if r == 2 {
			return inf
		}
		return 1
	})
	emptyCol := mapsolver.Transpose(nil, emptyRow)
	bottleneck := dense(60, 60, func(r, c int) float64 {
		if r < 20 && c >= 19 {
			return inf
		}
		return float64(r ^ c)
	})
	wide := dense(3, 7, func(r, c int) float64 {
		if c > 1 {
			return inf
		}
		return 1
	})
	tooManyRows := dense(5, 3, one)
	tooManyRows.RowMiss, tooManyRows.ColMiss = constant(5, inf), constant(3, 1)
	tooManyCols := mapsolver.Transpose(nil, tooManyRows)
	nobody := dense(0, 2, one)
	nobody.ColMiss = []float64{1, inf}
	gated := Tracking(400, 6, 0.3, 5)
	gated.ColMiss = constant(400, 1)
	for e := gated.Ptr[17]; e < gated.Ptr[19]; e++ { // rows 17 and 18 want the first of their columns
		gated.Col[e] = 0
	}
	gated.Col = slices.Concat(gated.Col[:gated.Ptr[17]], []int32{0, 0}, gated.Col[gated.Ptr[19]:])
	gated.Cost = slices.Concat(gated.Cost[:gated.Ptr[17]], []float64{1, 2}, gated.Cost[gated.Ptr[19]:])
	less := gated.Ptr[19] - gated.Ptr[17] - 2
	gated.Ptr[18] = gated.Ptr[17] + 1
	for r := 19; r <= gated.Rows; r++ {
		gated.Ptr[r] -= less
	}
	return []Instance{
		{Name: "one", Problem: dense(1, 1, func(int, int) float64 { return inf })},
		{Name: "two rows want one column", Problem: dense(2, 2, func(r, c int) float64 { return []float64{1, inf}[c] })},
		{Name: "empty row", Problem: emptyRow},
		{Name: "empty column", Problem: emptyCol},
		{Name: "bottleneck", Problem: bottleneck},
		{Name: "bottleneck, transposed", Problem: mapsolver.Transpose(nil, bottleneck)},
		{Name: "wide", Problem: wide},
		{Name: "tall", Problem: mapsolver.Transpose(nil, wide)},
		{Name: "too many rows", Problem: tooManyRows},
		{Name: "too many columns", Problem: tooManyCols},
		{Name: "no rows", Problem: nobody},
		{Name: "gated", Problem: gated},
	}
}

// dense makes a problem of a cost function; +Inf is an absent entry.
func dense(rows, cols int, cost func(r, c int) float64) *mapsolver.Problem {
	m := make([]float64, 0, rows*cols)
	for r := range rows {
		for c := range cols {
			m = append(m, cost(r, c))
		}
	}
	p, err := mapsolver.Dense(rows, cols, m)
	if err != nil {
		panic(err) // an instance of this file has a NaN
	}
	return p
}

// prices draws column prices that suit no problem in particular; known are
// some that may suit.
func prices(rng *rand.Rand, n int, known []float64) []float64 {
	v := draw(n, func() float64 { return 3 * rng.NormFloat64() })
	copy(v, known)
	return v
}

// draw makes n numbers.
func draw(n int, f func() float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = f()
	}
	return x
}

// constant is n times x.
func constant(n int, x float64) []float64 {
	return draw(n, func() float64 { return x })
}
