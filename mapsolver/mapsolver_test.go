package mapsolver

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

var inf = math.Inf(1)

// diamond is a problem of two rows and three columns:
//
//	1 2 .
//	. 3 1
func diamond() *Problem {
	return &Problem{
		Rows: 2, Cols: 3,
		Ptr:  []int{0, 2, 4},
		Col:  []int32{0, 1, 1, 2},
		Cost: []float64{1, 2, 3, 1},
	}
}

// optimal is the solution of diamond: the diagonal-most pairs, at prices that
// leave the middle column free at no cost.
func optimal() *Solution {
	return &Solution{
		ColOf:   []int32{0, 2},
		RowOf:   []int32{0, -1, 1},
		EntryOf: []int{0, 3},
		Cost:    2,
		Duals:   Duals{U: []float64{1, 1}, V: []float64{0, 0, 0}},
	}
}

func TestValidate(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Problem)
		want   string // part of the error; empty: none
	}{
		{"as it is", func(p *Problem) {}, ""},
		{"must serve", func(p *Problem) { p.RowMiss = []float64{inf, 0} }, ""},
		{"negative costs", func(p *Problem) { p.Cost[0], p.ColMiss = -1, []float64{-1, -2, -3} }, ""},
		{"empty", func(p *Problem) { *p = Problem{Ptr: []int{0}} }, ""},
		{"zero value", func(p *Problem) { *p = Problem{} }, "Ptr has length 0, want Rows+1 = 1"},
		{"negative size", func(p *Problem) { p.Cols = -1 }, "-1 columns"},
		{"short Ptr", func(p *Problem) { p.Ptr = p.Ptr[:2] }, "Ptr has length 2, want Rows+1 = 3"},
		{"first pointer", func(p *Problem) { p.Ptr[0] = 1 }, "Ptr begins with 1"},
		{"last pointer", func(p *Problem) { p.Ptr[2] = 3 }, "Ptr ends with 3, but there are 4 entries"},
		{"falling pointer", func(p *Problem) { p.Ptr[1] = 5 }, "row 1: Ptr falls from 5 to 4"},
		{"short costs", func(p *Problem) { p.Cost = p.Cost[:3] }, "Cost has length 3, Col 4"},
		{"short RowMiss", func(p *Problem) { p.RowMiss = make([]float64, 3) }, "RowMiss has length 3, want Rows = 2"},
		{"short ColMiss", func(p *Problem) { p.ColMiss = make([]float64, 2) }, "ColMiss has length 2, want Cols = 3"},
		{"column too large", func(p *Problem) { p.Col[1] = 3 }, "row 0, entry 1: column 3 is out of range [0,3)"},
		{"negative column", func(p *Problem) { p.Col[2] = -1 }, "row 1, entry 2: column -1 is out of range"},
		{"column twice", func(p *Problem) { p.Col[3] = 1 }, "row 1, entry 3: column 1 appears twice"},
		{"columns fall", func(p *Problem) { p.Col[2], p.Col[3] = 2, 1 }, "row 1, entry 3: column 1 follows column 2"},
		{"infinite cost", func(p *Problem) { p.Cost[3] = inf }, "row 1, column 2: cost is +Inf; a forbidden pair is an absent entry"},
		{"NaN cost", func(p *Problem) { p.Cost[1] = math.NaN() }, "row 0, column 1: cost is NaN"},
		{"-Inf cost", func(p *Problem) { p.Cost[1] = -inf }, "row 0, column 1: cost is -Inf"},
		{"huge cost", func(p *Problem) { p.Cost[1] = -1e300 }, "row 0, column 1: cost is -1e+300"},
		{"NaN row miss", func(p *Problem) { p.RowMiss = []float64{0, math.NaN()} }, "row 1: miss cost is NaN"},
		{"-Inf column miss", func(p *Problem) { p.ColMiss = []float64{0, -inf, 0} }, "column 1: miss cost is -Inf"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := diamond()
			tt.change(p)
			err := p.Validate()
			if tt.want == "" && err != nil {
				t.Errorf("Validate() = %v, want nil", err)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("Validate() = %v, want …%s…", err, tt.want)
			}
		})
	}
}

func TestCertify(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Problem, *Solution)
		gap    float64
		want   string // part of the error; empty: none
	}{
		{"optimal", func(p *Problem, s *Solution) {}, 0, ""},
		{"loose prices", func(p *Problem, s *Solution) { s.U[0], s.V[1] = 0.5, -1 }, 1.5, ""},
		{"dearer assignment", func(p *Problem, s *Solution) {
			s.ColOf[0], s.EntryOf[0], s.RowOf = 1, 1, []int32{-1, 0, 1}
			s.Cost = 3
		}, 1, ""},
		{"rows may stay free", func(p *Problem, s *Solution) {
			p.RowMiss = []float64{0.25, 7}
			s.ColOf[0], s.EntryOf[0], s.RowOf[0] = -1, -1, -1
			s.Cost, s.U[0] = 1.25, 0.25
		}, 0, ""},
		{"rounding is repaired", func(p *Problem, s *Solution) { s.U[0] = 1 + ulp }, 0, ""},
		{"column bound is repaired", func(p *Problem, s *Solution) { s.V[1] = ulp }, 0, ""},

		{"row left free", func(p *Problem, s *Solution) { s.ColOf[0], s.EntryOf[0], s.RowOf[0] = -1, -1, -1 }, 0, "row 0 is free but must be served"},
		{"column left free", func(p *Problem, s *Solution) { p.ColMiss = []float64{inf, inf, 1} }, 0, "column 1 is free but must be served"},
		{"lengths", func(p *Problem, s *Solution) { s.V = s.V[:2] }, 0, "not one of a problem of 2 rows and 3 columns"},
		{"wrong entry", func(p *Problem, s *Solution) { s.EntryOf[0] = 1 }, 0, "row 0: entry 1 is not one of column 0"},
		{"entry of another row", func(p *Problem, s *Solution) { s.EntryOf[0] = 3; s.ColOf[0] = 2 }, 0, "row 0: entry 3 is not one of column 2"},
		{"entry without column", func(p *Problem, s *Solution) { s.ColOf[0] = -1 }, 0, "row 0: entry 0 is not one of column -1"},
		{"column with two rows", func(p *Problem, s *Solution) { s.RowOf[0] = 1 }, 0, "row 0 has column 0, which has row 1"},
		{"column with a stranger", func(p *Problem, s *Solution) { s.RowOf[1] = 0 }, 0, "column 1 has row 0, which has another column"},
		{"wrong cost", func(p *Problem, s *Solution) { s.Cost = 2.001 }, 0, "the cost is 2, the solution says 2.001"},
		{"NaN cost", func(p *Problem, s *Solution) { s.Cost = math.NaN() }, 0, "the solution says NaN"},
		{"price too high", func(p *Problem, s *Solution) { s.U[1] = 1.5 }, 0, "row 1, column 2: prices 1.5 and 0 exceed the cost 1"},
		{"price above row bound", func(p *Problem, s *Solution) { p.RowMiss = []float64{0.5, 9} }, 0, "row 0: price 1 exceeds its bound 0.5"},
		{"price above column bound", func(p *Problem, s *Solution) { s.V[1] = 0.5 }, 0, "column 1: price 0.5 exceeds its bound 0"},
		{"NaN price", func(p *Problem, s *Solution) { s.V[0] = math.NaN() }, 0, "the price of column 0 is NaN"},
		{"infinite price", func(p *Problem, s *Solution) { s.U[0] = -inf }, 0, "the price of row 0 is -Inf"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, s := diamond(), optimal()
			tt.change(p, s)
			gap, err := Certify(p, s)
			if tt.want == "" && (err != nil || gap != tt.gap) {
				t.Errorf("Certify() = %v, %v, want %v, nil", gap, err, tt.gap)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("Certify() = %v, want …%s…", err, tt.want)
			}
		})
	}
}

func TestInfeasibleErrorCheck(t *testing.T) {
	// Rows 0 and 1 have column 0 alone; columns 2 and 3 have row 2 alone.
	p := &Problem{
		Rows: 3, Cols: 4,
		Ptr:     []int{0, 1, 2, 5},
		Col:     []int32{0, 0, 1, 2, 3},
		Cost:    make([]float64, 5),
		RowMiss: []float64{inf, inf, 1},
		ColMiss: []float64{1, 1, inf, inf},
	}
	tests := []struct {
		name string
		bad  InfeasibleError
		want string
	}{
		{"rows", InfeasibleError{Rows: []int32{0, 1}, Cols: []int32{0}}, ""},
		{"columns", InfeasibleError{Cols: []int32{2, 3}, Rows: []int32{2}, ByCols: true}, ""},
		{"wrong side", InfeasibleError{Cols: []int32{2, 3}, Rows: []int32{2}}, "1 members for 2 neighbours"},
		{"balanced", InfeasibleError{Rows: []int32{0}, Cols: []int32{0}}, "1 members for 1 neighbours"},
		{"neighbour missing", InfeasibleError{Rows: []int32{0, 1}}, "row 0, column 0 leaves it"},
		{"column neighbour missing", InfeasibleError{Cols: []int32{2, 3}, ByCols: true}, "row 2, column 2 leaves it"},
		{"row may stay free", InfeasibleError{Rows: []int32{0, 1, 2}, Cols: []int32{0, 1}}, "row 2 may stay free"},
		{"column may stay free", InfeasibleError{Cols: []int32{1, 2}, Rows: []int32{2}, ByCols: true}, "column 1 may stay free"},
		{"out of range", InfeasibleError{Rows: []int32{0, 3}}, "row 3 is out of range [0,3)"},
		{"twice", InfeasibleError{Rows: []int32{0, 0}}, "row 0 is listed twice"},
		{"nothing", InfeasibleError{}, "0 members for 0 neighbours"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.bad.Check(p)
			if tt.want == "" && err != nil {
				t.Errorf("Check() = %v, want nil", err)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("Check() = %v, want …%s…", err, tt.want)
			}
		})
	}
}

func TestInfeasibleErrorText(t *testing.T) {
	e := &InfeasibleError{Rows: []int32{0, 1, 2, 3, 4, 5, 6}, Cols: []int32{8}}
	if !errors.Is(e, ErrInfeasible) {
		t.Errorf("errors.Is(%v, ErrInfeasible) = false", e)
	}
	const want = "rows [0 1 2 3 4 and 2 more] have only columns [8]"
	if !strings.HasSuffix(e.Error(), want) {
		t.Errorf("Error() = %q, want …%q", e, want)
	}
}

func TestDense(t *testing.T) {
	p, err := Dense(2, 3, []float64{1, 2, inf, inf, 3, 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
	equalProblems(t, p, diamond())
	for _, bad := range []float64{math.NaN(), -inf, math.MaxFloat64, -math.MaxFloat64} {
		if _, err := Dense(1, 2, []float64{0, bad}); err == nil || !strings.Contains(err.Error(), "row 0, column 1") {
			t.Errorf("Dense with %v: error %v, want the place", bad, err)
		}
	}
	defer func() {
		if recover() != badDense {
			t.Error("Dense of the wrong length does not panic")
		}
	}()
	Dense(2, 2, make([]float64, 3))
}

func TestTranspose(t *testing.T) {
	p := diamond()
	q := Transpose(nil, p)
	want := &Problem{
		Rows: 3, Cols: 2,
		Ptr:  []int{0, 1, 3, 4},
		Col:  []int32{0, 0, 1, 1},
		Cost: []float64{1, 2, 3, 1},
	}
	equalProblems(t, q, want)
	equalProblems(t, Transpose(nil, q), p)

	// A nil beside a given list means "must" for rows and "free" for columns.
	p.ColMiss = []float64{1, 2, 3}
	q = Transpose(q, p)
	want.RowMiss, want.ColMiss = []float64{1, 2, 3}, []float64{inf, inf}
	equalProblems(t, q, want)
	p.RowMiss, p.ColMiss = []float64{4, 5}, nil
	q = Transpose(q, p)
	want.RowMiss, want.ColMiss = []float64{0, 0, 0}, []float64{4, 5}
	equalProblems(t, q, want)
}

func TestBounds(t *testing.T) {
	tests := []struct {
		name             string
		rows, cols       int
		rowMiss, colMiss bool
		row, col         float64
	}{
		{"square", 2, 2, false, false, inf, inf},
		{"wide", 2, 3, false, false, inf, 0},
		{"tall", 3, 2, false, false, 0, inf},
		{"row misses", 3, 2, true, false, 7, 0},
		{"column misses", 3, 2, false, true, inf, 8},
		{"both", 3, 2, true, true, 7, 8},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := &Problem{Rows: tt.rows, Cols: tt.cols}
			if tt.rowMiss {
				p.RowMiss = slices.Repeat([]float64{7}, tt.rows)
			}
			if tt.colMiss {
				p.ColMiss = slices.Repeat([]float64{8}, tt.cols)
			}
			if row, col := p.RowBound(1), p.ColBound(1); row != tt.row || col != tt.col {
				t.Errorf("bounds = %v, %v, want %v, %v", row, col, tt.row, tt.col)
			}
		})
	}
}

// equalProblems compares two problems field by field.
func equalProblems(t *testing.T, got, want *Problem) {
	t.Helper()
	if got.Rows != want.Rows || got.Cols != want.Cols || !slices.Equal(got.Ptr, want.Ptr) ||
		!slices.Equal(got.Col, want.Col) || !slices.Equal(got.Cost, want.Cost) ||
		!slices.Equal(got.RowMiss, want.RowMiss) || !slices.Equal(got.ColMiss, want.ColMiss) ||
		(got.RowMiss == nil) != (want.RowMiss == nil) || (got.ColMiss == nil) != (want.ColMiss == nil) {
		t.Errorf("problem = %+v, want %+v", got, want)
	}
}
