package workers

import (
	"errors"
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

// TestEachOneByOne: jobs that are few are not taken together, as they may be large, or wait for each
// other.
func TestEachOneByOne(t *testing.T) {
	met := make(chan struct{})
	Each(2, 20, func(_, job int) {
		switch job {
		case 0:
			<-met
		case 1:
			close(met)
		}
	})
}

// TestEachPanics: a panic of a job is one of the caller, who may recover, once all others have ended.
func TestEachPanics(t *testing.T) {
	for _, n := range []int{1, 3} {
		busy := new(atomic.Int32)
		func() {
			defer func() {
				v := recover()
				if p, ok := v.(*Panic); ok {
					v = p.Value
				}
				if v != "fault" || busy.Load() != 0 {
					t.Errorf("%d workers: recovered %v while %d are busy", n, v, busy.Load())
				}
			}()
			Each(n, 100, func(_, job int) {
				busy.Add(1)
				defer busy.Add(-1)
				if job == 50 {
					panic("fault")
				}
			})
		}()
	}
}

// TestOrdered wants jobs back in order, done once each, few at a time, and faults in their turn.
func TestOrdered(t *testing.T) {
	type job struct{ number, square int }
	fault := errors.New("fault")
	for _, jobs := range []int{0, 1, 5, 1000} {
		for _, n := range []int{0, 1, 2, 9} {
			for _, broken := range []struct{ next, take int }{{-1, -1}, {jobs / 2, -1}, {-1, jobs / 2}, {jobs, -1}} {
				made, taken, fresh := 0, 0, 0
				err := Ordered(n, func() *job { fresh++; return new(job) }, func(j *job) (bool, error) {
					if made == broken.next {
						return false, fault
					}
					if made == jobs {
						return false, nil
					}
					j.number = made
					made++
					return true, nil
				}, func(j *job) { j.square = j.number * j.number }, func(j *job) error {
					if j.number != taken || j.square != taken*taken {
						t.Fatalf("%d workers: job %d with %d in place of %d", n, j.number, j.square, taken)
					}
					if taken == broken.take {
						return fault
					}
					taken++
					return nil
				})
				want, wrong := jobs, broken.next >= 0 || broken.take >= 0 && jobs > 0
				if wrong {
					want = max(broken.next, broken.take)
				}
				if taken != want || (err != nil) != wrong || fresh > max(n, 0)+2 {
					t.Fatalf("%d workers, %d jobs, faults %v: %d taken, error %v, %d workspaces", n, jobs, broken, taken, err, fresh)
				}
			}
		}
	}
}
