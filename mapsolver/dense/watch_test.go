package dense

import (
	"testing"

	"mtt/mapsolver"
	"mtt/mapsolver/lapgen"
)

// TestWatch wants a search for each row in each round, whose rows add up to the work done, paths of
// at most as many pairs as there are rows, and the final prices with the last.
func TestWatch(t *testing.T) {
	const n = 60
	for _, class := range lapgen.Classes() {
		for _, start := range []Start{Priced, Plain} {
			var searches, rows int
			var last Search
			solver := Solver{Start: start, Watch: func(s Search) {
				searches++
				rows += s.Rows
				if s.Path < 1 || s.Path > n || s.Rows < s.Path-1 || s.Round < last.Round || s.Epsilon > last.Epsilon && searches > 1 {
					t.Errorf("%s, %s: %+v after %+v", class.Name, start, s, last)
				}
				last = s
			}}
			var s mapsolver.Solution
			checkSolve(t, &solver, &s, NewMatrix(n, n, class.Cost(n, 1)))
			work := solver.Work()
			if searches != n*work.Rounds || rows != work.SearchRows || last.Epsilon != 0 || len(last.Prices) != n {
				t.Errorf("%s, %s: %d searches of %d rows, the work is %+v", class.Name, start, searches, rows, work)
			}
		}
	}
}
