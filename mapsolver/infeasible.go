package mapsolver

import "fmt"

// This file defines the proof that a problem has no assignment.

// An InfeasibleError says that no assignment serves everyone who must be
// served, and proves it by a set that violates Hall's condition [1]: the
// listed members of one side must all be served, they have no neighbours
// outside the listed members of the other side, and there are fewer of those.
//
// [1] P. Hall. On representatives of subsets. J. London Math. Soc. 10 (1935).
type InfeasibleError struct {
	Rows []int32
	Cols []int32
	// ByCols is false when Rows must be served and Cols are all their
	// neighbours, and true when Cols must be served and Rows are all theirs.
	ByCols bool
}

// Error names the first members of the set.
func (e *InfeasibleError) Error() string {
	if e.ByCols {
		return fmt.Sprintf("%v: columns %s have only rows %s", ErrInfeasible, some(e.Cols), some(e.Rows))
	}
	return fmt.Sprintf("%v: rows %s have only columns %s", ErrInfeasible, some(e.Rows), some(e.Cols))
}

// Unwrap is ErrInfeasible.
func (e *InfeasibleError) Unwrap() error { return ErrInfeasible }

// Check verifies the proof against p in O(nnz) time. It returns nil when the
// set does show that p has no assignment.
func (e *InfeasibleError) Check(p *Problem) error {
	inRows, err := members(e.Rows, p.Rows, "row")
	if err != nil {
		return err
	}
	inCols, err := members(e.Cols, p.Cols, "column")
	if err != nil {
		return err
	}
	many, few := e.Rows, e.Cols
	if e.ByCols {
		many, few = e.Cols, e.Rows
	}
	if len(many) <= len(few) {
		return fmt.Errorf("mapsolver: Hall set has %d members for %d neighbours", len(many), len(few))
	}
	for _, i := range many {
		if e.ByCols && !p.MustServeCol(int(i)) {
			return fmt.Errorf("mapsolver: Hall set: column %d may stay free", i)
		}
		if !e.ByCols && !p.MustServeRow(int(i)) {
			return fmt.Errorf("mapsolver: Hall set: row %d may stay free", i)
		}
	}
	for r := range p.Rows {
		for _, c := range p.Col[p.Ptr[r]:p.Ptr[r+1]] {
			if e.ByCols && inCols[c] && !inRows[r] || !e.ByCols && inRows[r] && !inCols[c] {
				return fmt.Errorf("mapsolver: Hall set: the entry of row %d, column %d leaves it", r, c)
			}
		}
	}
	return nil
}

// members marks the indices of list, each below n and listed once.
func members(list []int32, n int, what string) ([]bool, error) {
	in := make([]bool, n)
	for _, i := range list {
		if i < 0 || int(i) >= n {
			return nil, fmt.Errorf("mapsolver: Hall set: %s %d is out of range [0,%d)", what, i, n)
		}
		if in[i] {
			return nil, fmt.Errorf("mapsolver: Hall set: %s %d is listed twice", what, i)
		}
		in[i] = true
	}
	return in, nil
}

// some prints the first members of list.
func some(list []int32) string {
	const most = 5
	if len(list) <= most {
		return fmt.Sprint(list)
	}
	head := fmt.Sprint(list[:most])
	return fmt.Sprintf("%s and %d more]", head[:len(head)-1], len(list)-most)
}
