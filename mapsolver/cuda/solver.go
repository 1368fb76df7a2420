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
	"mtt/internal/workers"
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
// Where the machine has several cards, SolveBatch spreads many sparse problems over
// them; what full ones take is the host's time, and one card keeps up with that. An
// answer does not depend on the card that gave it.
//
// It is not safe for concurrent use; several Solvers may share the cards.
type Solver struct {
	// Warn is told, once for each card, when it fails and all further problems
	// that were for it are solved on the host; nil: nobody is.
	Warn func(error)

	runners []*runner // one for each card in use
}

// A runner solves problems on one card.
type runner struct {
	card    *card
	stream  *cuda.Stream
	buffer  cuda.Buffer
	hosts   []ssp.Solver
	workers int // of hosts that may run
	warn    func(error)
}

// perCard is how many problems are worth another card.
const perCard = 64

// batchBytes is how much goes to the card at a time: enough that the copies run at
// their full speed, little enough to be pinned.
const batchBytes = 256 << 20

// Solve implements [mapsolver.Solver]. One problem keeps one block of the card
// busy, at the price of two copies: it pays to use SolveBatch.
func (s *Solver) Solve(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem, warm *mapsolver.Duals) error {
	errs, err := s.batch(ctx, []*mapsolver.Solution{dst}, []*mapsolver.Problem{p}, []*mapsolver.Duals{warm})
	if err != nil {
		return err
	}
	return errs[0]
}

// SolveBatch implements [mapsolver.BatchSolver].
func (s *Solver) SolveBatch(ctx context.Context, dst []mapsolver.Solution, p []mapsolver.Problem, warm []mapsolver.Duals) error {
	mapsolver.CheckBatch(dst, p, warm)
	answers, problems, prices := make([]*mapsolver.Solution, len(p)), make([]*mapsolver.Problem, len(p)), make([]*mapsolver.Duals, len(p))
	for i := range p {
		answers[i], problems[i], prices[i] = &dst[i], &p[i], mapsolver.Warm(warm, i)
	}
	errs, err := s.batch(ctx, answers, problems, prices)
	if err != nil {
		return err
	}
	return mapsolver.BatchErrors(errs)
}

// Free gives the memory back that the solver keeps, on cards and beside them. The
// solver is as new.
func (s *Solver) Free() error {
	var first error
	for _, r := range s.runners {
		for _, err := range []error{r.buffer.Free(), r.stream.Free()} {
			if first == nil {
				first = err
			}
		}
	}
	s.runners = nil
	return first
}

// batch solves problems, each from its prices if they are not nil. The error is that of no card.
func (s *Solver) batch(ctx context.Context, dst []*mapsolver.Solution, p []*mapsolver.Problem, prices []*mapsolver.Duals) (errs []error, err error) {
	for i, p := range p {
		p.Check(prices[i])
	}
	parts := parts(p)
	if err := s.open(parts); err != nil {
		return nil, err
	}
	parts = min(parts, len(s.runners))
	errs = make([]error, len(p))
	var wg sync.WaitGroup
	for k, r := range s.runners[:parts] {
		r.workers = max(1, len(r.hosts)/parts)
		r.warn = s.Warn
		lo, hi := k*len(p)/parts, (k+1)*len(p)/parts
		solve := func() {
			for lo < hi {
				lo = r.chunk(ctx, dst[:hi], p[:hi], prices, errs, lo)
			}
		}
		if parts == 1 {
			solve()
		} else {
			wg.Go(solve)
		}
	}
	wg.Wait()
	return errs, nil
}

// parts is for how many cards there are problems enough.
func parts(p []*mapsolver.Problem) int {
	entries, pairs := 0, 0
	for _, p := range p {
		entries += len(p.Cost)
		pairs += p.Rows * p.Cols
	}
	if 2*entries >= pairs {
		return 1
	}
	return max(1, len(p)/perCard)
}

// open finds up to n cards.
func (s *Solver) open(n int) error {
	if n <= len(s.runners) {
		return nil
	}
	first, err := defaultCard()
	if err != nil {
		return err
	}
	list := []*card{first}
	if n > 1 {
		if list, err = allCards(); err != nil {
			return err
		}
		list = list[:min(n, len(list))]
	}
	for _, c := range list[min(len(s.runners), len(list)):] {
		workers := runtime.GOMAXPROCS(0)
		s.runners = append(s.runners, &runner{card: c, hosts: make([]ssp.Solver, workers), workers: workers})
	}
	return nil
}

// chunk solves problems from lo, as many as go to the card at a time, and returns
// the first that is left.
func (r *runner) chunk(ctx context.Context, dst []*mapsolver.Solution, p []*mapsolver.Problem,
	warm []*mapsolver.Duals, errs []error, lo int) (hi int) {
	plans := make([]*plan, len(p)-lo)
	size := 0
	usable := ctx.Err() == nil && r.card.device.Fault() == nil
	for hi = lo; hi < len(p) && size < batchBytes; hi++ {
		size += 8 * p[hi].Rows * p[hi].Cols // at most, but for small ones
	}
	plans = plans[:hi-lo]
	if usable {
		r.parallel(len(plans), func(k, _ int) {
			i := lo + k
			var prices []float64
			if w := warm[i]; w != nil {
				prices = w.V
			}
			a := newPlan(dst[i], p[i], prices)
			if a == nil {
				return
			}
			var ok bool
			if a.form, ok = formOf(r.card.device, a.p.Rows, a.p.Cols, 8, a.sparse); ok {
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
		if err := r.launch(onCard); err != nil {
			// Memory ran out, or the card is lost: the host does it all.
			r.lost(err)
			clear(plans)
		}
	}
	r.parallel(len(plans), func(k, worker int) {
		i := lo + k
		errs[i] = r.finish(ctx, &r.hosts[worker], dst[i], p[i], warm[i], plans[k])
	})
	return hi
}

// warning is held while a Warn runs.
var warning sync.Mutex

// lost reports, once, that the card is lost.
func (r *runner) lost(err error) {
	if r.warn == nil {
		return
	}
	r.card.warned.Do(func() {
		warning.Lock()
		defer warning.Unlock()
		r.warn(fmt.Errorf("the host goes on without the card: %w", err))
	})
}

// launch solves plans on the card.
func (r *runner) launch(plans []*plan) error {
	// Plans of one form go together.
	order := slices.Clone(plans)
	slices.SortStableFunc(order, func(a, b *plan) int {
		return cmp.Or(cmp.Compare(a.form.kernel, b.form.kernel), cmp.Compare(a.form.threads, b.form.threads))
	})
	back, end, err := r.send(order)
	if err != nil {
		return err
	}
	if err := r.start(order); err != nil {
		return err
	}
	if err := r.stream.Pull(&r.buffer, back, end); err != nil {
		return err
	}
	return r.stream.Wait()
}

// send lays plans out in the buffer and copies it to the card. What comes back
// lies from byte back to byte end.
func (r *runner) send(order []*plan) (back, end int, err error) {
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
	if r.stream == nil {
		if r.stream, err = r.card.device.NewStream(); err != nil {
			return 0, 0, err
		}
	}
	if err := r.buffer.Resize(r.card.device, end); err != nil {
		return 0, 0, err
	}
	table := cuda.View[problem](&r.buffer, 0, len(order))
	r.parallel(len(order), func(i, _ int) { order[i].write(&r.buffer, &table[i]) })
	return back, end, r.stream.Push(&r.buffer, 0, end)
}

// start runs one kernel for each form of the plans that have been sent.
func (r *runner) start(order []*plan) error {
	for lo := 0; lo < len(order); {
		form := order[lo].form
		hi := lo
		for ; hi < len(order) && order[hi].form.kernel == form.kernel && order[hi].form.threads == form.threads; hi++ {
			form.shared = max(form.shared, order[hi].form.shared)
		}
		k, err := r.card.kernel(form.kernel)
		if err != nil {
			return err
		}
		shape := cuda.Shape{Blocks: hi - lo, Threads: form.threads, Shared: form.shared}
		err = cuda.Launch(r.stream, k, shape, &task{r.buffer.Address(lo * problemSize), form.tuning})
		if err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// finish turns what the card left of a plan into an answer, or solves p on the
// host when there is no plan.
func (r *runner) finish(ctx context.Context, host *ssp.Solver, dst *mapsolver.Solution, p *mapsolver.Problem,
	warm *mapsolver.Duals, a *plan) error {
	if a == nil {
		err := host.Solve(ctx, dst, p, warm)
		dst.Stats.Solver = "ssp"
		return err
	}
	if a.read(&r.buffer) {
		gap, err := mapsolver.Certify(p, dst)
		if err == nil && math.Abs(gap) <= a.rounding() && gap <= mapsolver.Tolerance(p, dst) {
			dst.Stats.Solver = "cuda"
			return nil
		}
	}
	done := dst.Stats
	err := host.Solve(ctx, dst, p, &dst.Duals)
	dst.Stats.Add(done)
	dst.Stats.Solver = "cuda, ssp"
	return err
}

// parallel runs f for each i below n, with the number of its worker. Each i writes
// what is its own, so the order does not matter.
func (r *runner) parallel(n int, f func(i, worker int)) {
	workers.Each(r.workers, n, func(worker, i int) { f(i, worker) })
}

var _ [problemSize - unsafe.Sizeof(problem{})]byte // a mismatch does not compile
var _ [unsafe.Sizeof(problem{}) - problemSize]byte
