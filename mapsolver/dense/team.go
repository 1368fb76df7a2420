package dense

import "math"

// This file shares the columns of a row among goroutines. Every loop over
// columns treats each one by itself, or takes minima, so the parts give the
// same bytes as the whole.

// An op is a loop of kernel.go, or the computation of costs.
type op int

const (
	opReduce op = iota
	opRelax
	opTwoLeast
	opColumns
	opLower
	opFill
)

// A job is an op with its arguments.
type job struct {
	op      op
	d, c, v []float64
	pred    []int32
	x       float64
	row     int32
	fill    func(dst []float64, r, c int)
}

// run does the columns from lo to hi.
func (j *job) run(lo, hi int) (p part) {
	d := j.d[lo:hi]
	if j.op == opFill {
		j.fill(d, int(j.row), lo)
		return p
	}
	c, v := j.c[lo:hi], j.v[lo:hi]
	switch j.op {
	case opReduce:
		p.least = reduce(d, c, v)
	case opRelax:
		p.least = relax(d, c, v, j.pred[lo:hi], j.x, j.row)
	case opTwoLeast:
		p.least, p.second = twoLeast(d, c, v)
	case opColumns:
		columns(d, v, c, j.x)
	case opLower:
		lower(d, c, v, j.x)
	}
	return p
}

// A part is what a job found in some of the columns; it fills a cache line, so
// that goroutines do not write to the same one.
type part struct {
	least, second float64
	_             [48]byte
}

// A team is goroutines that wait for jobs. Its parts are fixed: one for the
// caller, one for each of the others.
type team struct {
	job   job
	parts []part
	cols  int
	start []chan struct{} // of parts 1…
	done  chan struct{}
}

// newTeam starts size-1 goroutines, which end with stop.
func newTeam(size, cols int) *team {
	t := &team{parts: make([]part, size), cols: cols, done: make(chan struct{}, size)}
	for k := 1; k < size; k++ {
		start := make(chan struct{}, 1)
		t.start = append(t.start, start)
		go func() {
			for range start {
				t.run(k)
				t.done <- struct{}{}
			}
		}()
	}
	return t
}

// stop ends the goroutines.
func (t *team) stop() {
	for _, start := range t.start {
		close(start)
	}
}

// run does part k of the job; parts begin at multiples of eight columns, which
// is what the loops take at once.
func (t *team) run(k int) {
	at := func(k int) int {
		if k == len(t.parts) {
			return t.cols
		}
		return t.cols / 8 * k / len(t.parts) * 8
	}
	t.parts[k] = t.job.run(at(k), at(k+1))
}

// do does a job and returns the least two numbers that it found, where it looks
// for them.
func (t *team) do(j job) (least, second float64) {
	t.job = j
	for _, start := range t.start {
		start <- struct{}{}
	}
	t.run(0)
	for range t.start {
		<-t.done
	}
	least, second = math.Inf(1), math.Inf(1)
	for _, p := range t.parts {
		if p.least < least {
			least, p.least = p.least, least
		}
		second = math.Min(second, math.Min(p.least, p.second))
	}
	return least, second
}

// The loops of kernel.go over the columns of a row, by one or several.

func (s *Solver) reduce(c, v []float64) float64 {
	if s.team == nil {
		return reduce(s.dist, c, v)
	}
	least, _ := s.team.do(job{op: opReduce, d: s.dist, c: c, v: v})
	return least
}

func (s *Solver) relax(d, c, v []float64, delta float64, row int32) float64 {
	if s.team == nil {
		return relax(d, c, v, s.pred, delta, row)
	}
	least, _ := s.team.do(job{op: opRelax, d: d, c: c, v: v, pred: s.pred, x: delta, row: row})
	return least
}

func (s *Solver) twoLeast(c, v []float64) (least, second float64) {
	if s.team == nil {
		return twoLeast(s.dist, c, v)
	}
	return s.team.do(job{op: opTwoLeast, d: s.dist, c: c, v: v})
}

func (s *Solver) columns(least, second, c []float64, u float64) {
	if s.team == nil {
		columns(least, second, c, u)
		return
	}
	s.team.do(job{op: opColumns, d: least, v: second, c: c, x: u})
}

func (s *Solver) lower(v, c, bar []float64, u float64) {
	if s.team == nil {
		lower(v, c, bar, u)
		return
	}
	s.team.do(job{op: opLower, d: v, c: c, v: bar, x: u})
}

// partwise is the function that can compute parts of rows of costs, nil where
// there is none.
func partwise(costs Costs) func(dst []float64, r, c int) {
	switch costs := costs.(type) {
	case *Func:
		return costs.Fill
	case *Cache:
		return partwise(costs.costs)
	case *Matrix32:
		return costs.part
	}
	return nil
}
