package workers

import (
	"sync/atomic"
	"testing"
)

// TestEach wants each job done once, by workers whose numbers are in range, and never two by one
// worker at a time.
func TestEach(t *testing.T) {
	for _, jobs := range []int{0, 1, 2, 1000} {
		for _, n := range []int{-1, 0, 1, 2, 7, 2000} {
			done := make([]atomic.Int32, jobs)
			busy := make([]atomic.Int32, max(1, n))
			Each(n, jobs, func(worker, job int) {
				if busy[worker].Add(1) != 1 {
					t.Errorf("worker %d does two jobs at once", worker)
				}
				done[job].Add(1)
				busy[worker].Add(-1)
			})
			for job := range done {
				if k := done[job].Load(); k != 1 {
					t.Fatalf("%d workers: job %d of %d was done %d times", n, job, jobs, k)
				}
			}
		}
	}
}
