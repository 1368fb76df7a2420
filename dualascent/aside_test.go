package dualascent_test

import (
	"context"
	"math"
	"reflect"
	"sync/atomic"
	"testing"

	"mtt/dualascent"
	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
	"mtt/scenario"
)

// TestAside solves a scene of one chunk whose bounds stay far from each other, so that answers are
// looked for beside the passes, with a solver of their own. What is found does not depend on
// whether there is a worker for them, and is what the last pass says at the latest.
func TestAside(t *testing.T) {
	inst := (&scene{kind: scenario.Burst, targets: 100, frames: 12, noise: .2, cost: "paper", seed: 3}).instance(t)
	var want *dualascent.Result
	for _, workers := range []int{1, 2, 5} {
		var solvers atomic.Int32
		res, err := dualascent.Solve(context.Background(), inst, &dualascent.Options{
			Workers: workers, Effort: -1,
			NewSolver: func() mapsolver.Solver { solvers.Add(1); return new(ssp.Solver) },
		})
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = res
		}
		if res.Gap() < 1e-4 || solvers.Load() != 2 {
			t.Errorf("%d workers: gap %.2g and %d solvers; this scene is to leave a gap, and be looked at beside its passes", workers, res.Gap(), solvers.Load())
		}
		if !reflect.DeepEqual(res, want) {
			t.Errorf("%d workers: bounds %v, %v; with one %v, %v", workers, res.LowerBound, res.UpperBound, want.LowerBound, want.UpperBound)
		}
		if cost := inst.Cost(res.Next); math.Abs(cost-res.UpperBound) > 1e-9*math.Abs(cost) {
			t.Errorf("%d workers: the answer costs %v, not %v", workers, cost, res.UpperBound)
		}
	}
}
