// Package workers shares jobs among goroutines.
package workers

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// This file holds the loop.

// Each calls do for each job from 0 to jobs-1, by up to workers goroutines, the caller's among
// them, whose numbers from 0 on it passes along so that each can have a workspace of its own. Who
// is done takes the next job that is left, or the next few where many are: which worker does a job
// is left to chance, so a job writes only what is its own. With one worker, or one job, all is done
// by the caller, in order. It returns when all are done, or panics then with a Panic where one of
// them did.
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
	var fault atomic.Pointer[Panic]
	work := func(w int) {
		defer func() {
			if v := recover(); v != nil {
				fault.CompareAndSwap(nil, &Panic{v, debug.Stack()})
			}
		}()
		for {
			from := int(next.Load())
			if from >= jobs {
				return
			}
			to := from + max(1, (jobs-from)/(shares*workers))
			if !next.CompareAndSwap(int64(from), int64(to)) {
				continue
			}
			for job := from; job < to; job++ {
				do(w, job)
			}
		}
	}
	for w := 1; w < workers; w++ {
		group.Go(func() { work(w) })
	}
	work(0) // where no processor is free for the others, nobody waits for one
	group.Wait()
	if p := fault.Load(); p != nil {
		panic(p)
	}
}

// shares is how many times each worker comes for more until a fraction 1/e of the jobs is left. It
// takes fewer at a time the fewer are left, one when they are less than shares for each worker, so
// that all end together. Thousands of short jobs, whose results lie side by side, would have cores
// wait for each other's memory.
const shares = 32

// Until is [Each] that begins no job once ctx has ended, and then returns its error.
func Until(ctx context.Context, workers, jobs int, do func(worker, job int)) error {
	Each(workers, jobs, func(worker, job int) {
		if ctx.Err() == nil {
			do(worker, job)
		}
	})
	return ctx.Err()
}

// A Panic is that of a goroutine, handed on to who waits for it and may recover.
type Panic struct {
	Value any
	Stack []byte
}

// Error has both, for a program that ends with it.
func (p *Panic) Error() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }

// Count is n, or one for each core where n is 0 or below.
func Count(n int) int {
	if n <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return n
}

// Ordered hands jobs to up to workers goroutines, and takes them back, done, in the order in which
// they were made. Each job is a workspace of fresh, which next fills; it says whether there was
// anything left to fill it with. At most workers+2 jobs exist, each of which is filled
// again once it has been taken.
//
// next and take are each called by one goroutine at a time, take by the caller; do by
// many, for different jobs. An error of next is returned after all jobs made before it were
// taken; one of take at once, and what is under way is thrown away. With one worker all is
// done by the caller, one job after the other.
func Ordered[J any](workers int, fresh func() *J, next func(*J) (bool, error), do func(*J), take func(*J) error) error {
	if workers <= 1 {
		for job := fresh(); ; {
			ok, err := next(job)
			if !ok || err != nil {
				return err
			}
			do(job)
			if err := take(job); err != nil {
				return err
			}
		}
	}
	type order struct {
		job  *J
		done chan struct{}
	}
	free, todo, made := make(chan *J, workers+2), make(chan order, workers+2), make(chan order, workers+2)
	stop := make(chan struct{})
	var failed error // of next
	var group sync.WaitGroup
	for range cap(free) {
		free <- nil
	}
	group.Go(func() {
		defer close(todo)
		defer close(made)
		for {
			var job *J
			select {
			case job = <-free:
			case <-stop:
				return
			}
			if job == nil {
				job = fresh()
			}
			ok, err := next(job)
			if !ok || err != nil {
				failed = err
				return
			}
			o := order{job, make(chan struct{})}
			made <- o
			todo <- o
		}
	})
	for range workers {
		group.Go(func() {
			for o := range todo {
				do(o.job)
				close(o.done)
			}
		})
	}
	var fault error
	for o := range made {
		<-o.done
		if fault = take(o.job); fault != nil {
			break
		}
		free <- o.job
	}
	close(stop)
	group.Wait()
	if fault != nil {
		return fault
	}
	return failed
}
