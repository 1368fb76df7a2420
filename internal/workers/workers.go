// Package workers shares jobs among goroutines.
package workers

import (
	"sync"
	"sync/atomic"
)

// This file holds the loop.

// Each calls do for each job from 0 to jobs-1, by up to workers goroutines, whose numbers from 0 on
// it passes along so that each can have a workspace of its own. Who is done takes the next job
// that is left: which worker does a job is left to chance, so a job writes only what is
// its own. With one worker, or one job, all is done by the caller, in order. It returns when all
// are done.
func Each(workers, jobs int, do func(worker, job int)) {
	workers = min(workers, jobs)
	if workers <= 1 {
		for job := range jobs {
			do(0, job)
		}
		return
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for job := int(next.Add(1)) - 1; job < jobs; job = int(next.Add(1)) - 1 {
				do(w, job)
			}
		})
	}
	group.Wait()
}
