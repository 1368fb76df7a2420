package cuda

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"mtt/internal/cuda"
	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
)

// This file holds the Solver of problems that lie in the host's memory.

// A Solver solves problems on the card, in float64, many at a time. Every answer
// is certified on the host. The zero value is ready to use, and needs a card: see
// [Available].
//
// Problems that are too large for one block of the card, some 1000 columns dense
// and 4000 sparse, empty, or made of numbers that are not finite are solved by
// [ssp.Solver] on the host. So is what is left of a problem whose answer the
// certificate does not prove: it starts from the prices and pairs of the card.
// That is how infeasible problems get their proof.
//
// It is not safe for concurrent use; several Solvers may share the card.
type Solver struct {
	// Warn is told, once in a program, when the card fails and all further
	// problems are solved on the host; nil: nobody is.
	Warn func(error)

	card   *card // nil: the default card
	stream *cuda.Stream
	buffer cuda.Buffer
	hosts  []ssp.Solver // of the workers
}

// batchBytes is how much goes to the card at a time: enough that the copies run at
// their full speed, little enough to be pinned.
const batchBytes = 256 << 20

const (
	badShape   = "cuda: slices of the problem differ in length"
	badWarm    = "cuda: warm prices differ in length from the columns"
	badLengths = "cuda: answers, problems and warm prices differ in number"
)

// Solve implements [mapsolver.Solver]. One problem keeps one block of the card
// busy, at the price of two copies: it pays to use SolveBatch.
func (s *Solver) Solve(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem, warm *mapsolver.Duals) error {
	var prices []*mapsolver.Duals
	if warm != nil {
		prices = []*mapsolver.Duals{warm}
	}
	return s.batch(ctx, []*mapsolver.Solution{dst}, []*mapsolver.Problem{p}, prices)
}

// SolveBatch implements [mapsolver.BatchSolver]: dst[i] becomes the answer to p[i].
// A problem without an answer does not keep the others from theirs: the error is
// then a [*mapsolver.BatchError].
func (s *Solver) SolveBatch(ctx context.Context, dst []mapsolver.Solution, p []mapsolver.Problem) error {
	return s.SolveBatchFrom(ctx, dst, p, nil)
}

// SolveBatchFrom is SolveBatch from warm prices: warm[i] belongs to p[i] as in
// [mapsolver.Solver], and pairs of dst[i] that are tight are kept. A nil warm is
// none.
func (s *Solver) SolveBatchFrom(ctx context.Context, dst []mapsolver.Solution, p []mapsolver.Problem, warm []mapsolver.Duals) error {
	if len(dst) != len(p) || warm != nil && len(warm) != len(p) {
		panic(badLengths)
	}
	answers, problems := make([]*mapsolver.Solution, len(p)), make([]*mapsolver.Problem, len(p))
	var prices []*mapsolver.Duals
	for i := range p {
		answers[i], problems[i] = &dst[i], &p[i]
		if warm != nil {
			prices = append(prices, &warm[i])
		}
	}
	return s.batch(ctx, answers, problems, prices)
}

// Free gives the memory back that the solver keeps, on the card and beside it. The
// solver is as new.
func (s *Solver) Free() error {
	err := s.buffer.Free()
	if e := s.stream.Free(); err == nil {
		err = e
	}
	s.stream, s.hosts = nil, nil
	return err
}

// batch solves problems; prices is nil or has one for each.
func (s *Solver) batch(ctx context.Context, dst []*mapsolver.Solution, p []*mapsolver.Problem, prices []*mapsolver.Duals) error {
	if err := s.open(); err != nil {
		return err
	}
	warm := func(i int) *mapsolver.Duals {
		if prices == nil {
			return nil
		}
		return prices[i]
	}
	for i, p := range p {
		check(p, warm(i))
	}
	errs := make([]error, len(p))
	for lo := 0; lo < len(p); {
		lo = s.chunk(ctx, dst, p, warm, errs, lo)
	}
	if len(p) == 1 {
		return errs[0]
	}
	for _, err := range errs {
		if err != nil {
			return &mapsolver.BatchError{Errs: errs}
		}
	}
	return nil
}

// open finds the card.
func (s *Solver) open() error {
	if s.card == nil {
		c, err := defaultCard()
		if err != nil {
			return err
		}
		s.card = c
	}
	if s.hosts == nil {
		s.hosts = make([]ssp.Solver, runtime.GOMAXPROCS(0))
	}
	return nil
}

// check panics when slices differ in length.
func check(p *mapsolver.Problem, warm *mapsolver.Duals) {
	if len(p.Ptr) != p.Rows+1 || len(p.Col) != p.Ptr[p.Rows] || len(p.Cost) != len(p.Col) ||
		p.RowMiss != nil && len(p.RowMiss) != p.Rows ||
		p.ColMiss != nil && len(p.ColMiss) != p.Cols {
		panic(badShape)
	}
	if warm != nil && len(warm.V) != p.Cols {
		panic(badWarm)
	}
}

// chunk solves problems from lo, as many as go to the card at a time, and returns
// the first that is left.
func (s *Solver) chunk(ctx context.Context, dst []*mapsolver.Solution, p []*mapsolver.Problem,
	warm func(int) *mapsolver.Duals, errs []error, lo int) (hi int) {
	plans := make([]*plan, len(p)-lo)
	size := 0
	usable := ctx.Err() == nil && s.card.device.Fault() == nil
	for hi = lo; hi < len(p) && size < batchBytes; hi++ {
		size += 8 * p[hi].Rows * p[hi].Cols // at most, but for small ones
	}
	plans = plans[:hi-lo]
	if usable {
		s.parallel(len(plans), func(k, _ int) {
			i := lo + k
			var prices []float64
			if w := warm(i); w != nil {
				prices = w.V
			}
			a := newPlan(dst[i], p[i], prices)
			if a == nil {
				return
			}
			var ok bool
			if a.form, ok = formOf(s.card.device, a.p.Rows, a.p.Cols, 8, a.sparse); ok {
				plans[k] = a
			}
		})
	}
	var onCard []*plan
	for _, a := range plans {
		if a != nil {
			onCard = append(onCard, a)
		}
	}
	if len(onCard) > 0 {
		if err := s.launch(onCard); err != nil {
			// Memory ran out, or the card is lost: the host does it all.
			s.warn(err)
			clear(plans)
		}
	}
	s.parallel(len(plans), func(k, worker int) {
		i := lo + k
		errs[i] = s.finish(ctx, &s.hosts[worker], dst[i], p[i], warm(i), plans[k])
	})
	return hi
}

// warn reports, once, that the card is lost.
func (s *Solver) warn(err error) {
	if s.Warn == nil {
		return
	}
	s.card.warned.Do(func() { s.Warn(fmt.Errorf("the host goes on without the card: %w", err)) })
}

// launch solves plans on the card.
func (s *Solver) launch(plans []*plan) error {
	// Plans of one form go together.
	order := slices.Clone(plans)
	slices.SortStableFunc(order, func(a, b *plan) int {
		return cmp.Or(cmp.Compare(a.form.kernel, b.form.kernel), cmp.Compare(a.form.threads, b.form.threads))
	})
	back, end, err := s.send(order)
	if err != nil {
		return err
	}
	if err := s.start(order); err != nil {
		return err
	}
	if err := s.stream.Pull(&s.buffer, back, end); err != nil {
		return err
	}
	return s.stream.Wait()
}

// send lays plans out in the buffer and copies it to the card. What comes back
// lies from byte back to byte end.
func (s *Solver) send(order []*plan) (back, end int, err error) {
	back = align(len(order) * problemSize)
	for _, a := range order {
		a.in = back
		back += a.inSize()
	}
	end = back
	for _, a := range order {
		a.inOut = end
		end += a.inOutSize()
	}
	if s.stream == nil {
		if s.stream, err = s.card.device.NewStream(); err != nil {
			return 0, 0, err
		}
	}
	if err := s.buffer.Resize(s.card.device, end); err != nil {
		return 0, 0, err
	}
	table := cuda.View[problem](&s.buffer, 0, len(order))
	s.parallel(len(order), func(i, _ int) { order[i].write(&s.buffer, &table[i]) })
	return back, end, s.stream.Push(&s.buffer, 0, end)
}

// start runs one kernel for each form of the plans that have been sent.
func (s *Solver) start(order []*plan) error {
	for lo := 0; lo < len(order); {
		form := order[lo].form
		hi := lo
		for ; hi < len(order) && order[hi].form.kernel == form.kernel && order[hi].form.threads == form.threads; hi++ {
			form.shared = max(form.shared, order[hi].form.shared)
		}
		k, err := s.card.kernel(form.kernel)
		if err != nil {
			return err
		}
		shape := cuda.Shape{Blocks: hi - lo, Threads: form.threads, Shared: form.shared}
		err = cuda.Launch(s.stream, k, shape, &task{s.buffer.Address(lo * problemSize), form.tuning})
		if err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// finish turns what the card left of a plan into an answer, or solves p on the
// host when there is no plan.
func (s *Solver) finish(ctx context.Context, host *ssp.Solver, dst *mapsolver.Solution, p *mapsolver.Problem,
	warm *mapsolver.Duals, a *plan) error {
	if a == nil {
		return host.Solve(ctx, dst, p, warm)
	}
	if a.read(&s.buffer) {
		gap, err := mapsolver.Certify(p, dst)
		if err == nil && math.Abs(gap) <= a.rounding() {
			return nil
		}
	}
	done := dst.Stats
	err := host.Solve(ctx, dst, p, &dst.Duals)
	dst.Stats.Add(done)
	return err
}

// parallel runs f for each i below n, with the number of its worker. Each i writes
// what is its own, so the order does not matter.
func (s *Solver) parallel(n int, f func(i, worker int)) {
	workers := min(len(s.hosts), n)
	if workers <= 1 {
		for i := range n {
			f(i, 0)
		}
		return
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				f(i, w)
			}
		})
	}
	wg.Wait()
}

var _ [problemSize - unsafe.Sizeof(problem{})]byte // a mismatch does not compile
var _ [unsafe.Sizeof(problem{}) - problemSize]byte
