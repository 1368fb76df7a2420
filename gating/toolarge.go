package gating

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync/atomic"

	"mtt"
	"mtt/internal/workers"
)

// This file refuses gates that would fill the memory, and finds one that does
// not.

// A TooLargeError says that a gate keeps more than the budget allows.
type TooLargeError struct {
	Gate Gate
	K    int // the cap, 0: none

	// Arcs and Triplets are what the gate keeps: without a cap an estimate
	// from a sample of the detections (exact for small data), with a cap what
	// was counted before it was too much.
	Arcs, Triplets int
	Bytes, Limit   int64

	// Fits is the largest gate of the same kind that fits the budget: to three
	// digits where the estimate is exact, else within about a tenth, with a
	// cap within a quarter; nil when none was found. That it fits has been
	// counted, not estimated.
	Fits Gate

	NoFit bool // nobody looked for Fits; see Options
}

func (e *TooLargeError) Error() string {
	about := "about"
	if e.K > 0 {
		about = "more than"
	}
	s := fmt.Sprintf("gating: %v keeps %s %s arcs and %s triplets, %s; the limit is %s",
		e.Gate, about, amount(float64(e.Arcs)), amount(float64(e.Triplets)), inBytes(e.Bytes), inBytes(e.Limit))
	switch {
	case e.NoFit:
	case e.Fits != nil:
		s += fmt.Sprintf(", which %v keeps", e.Fits)
	case e.K == 0:
		s += ", which no smaller gate of this kind keeps; a cap on crowded rows may"
	default:
		s += ", which no smaller gate of this kind keeps"
	}
	return s
}

// errFull says that there are more entries than wanted.
var errFull = errors.New("gating: too many entries")

// Foresee returns the [*TooLargeError] that [Chain] would where the gate keeps, by a
// sample of the detections, at least twice what the budget allows; it takes a second at
// most and hardly any memory. Of scans with so few pairs that Chain is as fast it says nothing.
// Its other errors are those of Chain.
func Foresee(ctx context.Context, scans []mtt.Scan, g Gate, opts *Options) error {
	if err := checkAll(scans, g); err != nil {
		return err
	}
	return foresee(ctx, scans, g, opts)
}

// foresee is Foresee for checked scans. A small sample comes first, for those gates, most
// of them, that are far from the budget.
func foresee(ctx context.Context, scans []mtt.Scan, g Gate, opts *Options) error {
	var all Size
	for t := range max(len(scans)-1, 0) {
		all.AllArcs += float64(scans[t].Len()) * float64(scans[t+1].Len())
		if t > 0 {
			all.AllTriplets += float64(scans[t-1].Len()) * float64(scans[t].Len()) * float64(scans[t+1].Len())
		}
	}
	arc, triplet := opts.Budget.perUnit()
	limit := float64(opts.Budget.Bytes)
	if opts.K > 0 || limit == 0 || float64(arc)*all.AllArcs+float64(triplet)*all.AllTriplets <= 2*limit {
		return nil
	}
	if all.AllArcs <= sampleWork { // to gate them says as much, as fast
		return nil
	}
	for _, work := range []int{sampleWork / 16, sampleWork} {
		s, err := newSample(ctx, scans, g, work)
		if err != nil {
			return interrupted(err)
		}
		need := float64(opts.Budget.Need(s.count(sizedOf(g).size())))
		switch {
		case need < limit/4:
			return nil
		case need > 2*limit && work == sampleWork:
			return s.tooLarge(ctx, scans, g, opts)
		}
	}
	return nil
}

// tooLarge is the [*TooLargeError] for scans, already checked, that exceed the budget, or
// the error of ctx, wrapped.
func tooLarge(ctx context.Context, scans []mtt.Scan, g Gate, opts *Options) error {
	if opts.K == 0 {
		s, err := newSample(ctx, scans, g, sampleWork)
		if err != nil {
			return interrupted(err)
		}
		return s.tooLarge(ctx, scans, g, opts)
	}
	size, err := measure(ctx, scans, g, opts)
	if err != nil && !errors.Is(err, errFull) {
		return interrupted(err)
	}
	e := &TooLargeError{Gate: g, K: opts.K, Arcs: size.Arcs, Triplets: size.Triplets}
	return e.complete(ctx, scans, opts, 0.75*sizedOf(g).size(), 0.75)
}

// tooLarge is the same with what the sample says.
func (s *sample) tooLarge(ctx context.Context, scans []mtt.Scan, g Gate, opts *Options) error {
	e := &TooLargeError{Gate: g}
	e.Arcs, e.Triplets = s.count(sizedOf(g).size())
	return e.complete(ctx, scans, opts, s.largest(opts.Budget, sizedOf(g).size()), 0.9)
}

// complete adds the need, and what would fit: the sizes that are tried begin with start,
// each being the one before times step. A trial ends at the budget and keeps nothing.
func (e *TooLargeError) complete(ctx context.Context, scans []mtt.Scan, opts *Options, start, step float64) error {
	e.Limit, e.NoFit = opts.Budget.Bytes, opts.NoFit
	e.Bytes = opts.Budget.Need(e.Arcs, e.Triplets)
	gate, ok := e.Gate.(sized)
	if !ok || opts.NoFit {
		return e
	}
	for trial := range 50 {
		size := roundDown(start * math.Pow(step, float64(trial)))
		if size == 0 {
			break
		}
		_, err := measure(ctx, scans, gate.resize(size), opts)
		if err == nil {
			e.Fits = gate.resize(size)
			break
		}
		if !errors.Is(err, errFull) {
			return interrupted(err)
		}
	}
	return e
}

// measure counts the arcs and triplets of checked scans until they exceed the
// budget, when the error is errFull, or until ctx ends. It takes memory for the
// detections of two scans for each worker, and with a cap for a pattern.
func measure(ctx context.Context, scans []mtt.Scan, g Gate, opts *Options) (Size, error) {
	var c counter
	if opts.K > 0 {
		f := Finder{K: opts.K, tick: func(entries int) error {
			if c.Arcs += entries; opts.Budget.exceeded(c.Size) {
				return errFull
			}
			return ctx.Err()
		}}
		var p CSR
		for t := range max(len(scans)-1, 0) {
			before := c.Arcs
			if _, err := f.Neighbors(&p, &scans[t], &scans[t+1], g); err != nil {
				return c.Size, err
			}
			c.Arcs = before
			if c.add(&p); opts.Budget.exceeded(c.Size) {
				return c.Size, errFull
			}
		}
		return c.Size, nil
	}
	// Some pairs of scans at a time, side by side: how many arcs each detection has to the next
	// scan, and to the one before.
	type degrees struct {
		finder  Finder
		out, in []int
		err     error
	}
	side := make([]degrees, min(workers.Count(opts.Workers), max(len(scans)-1, 0)))
	var arcs atomic.Int64
	tick := func(entries int) error {
		if opts.Budget.exceeded(Size{Arcs: int(arcs.Add(int64(entries)))}) {
			return errFull
		}
		return ctx.Err()
	}
	for from := 0; from < len(scans)-1; from += len(side) {
		now := side[:min(len(side), len(scans)-1-from)]
		workers.Each(len(now), len(now), func(_, k int) {
			d, a, b := &now[k], &scans[from+k], &scans[from+k+1]
			d.out, d.in = make([]int, a.Len()), make([]int, b.Len())
			d.err = d.finder.count(d.out, d.in, a, b, g, tick)
		})
		for k := range now {
			d := &now[k]
			if d.err != nil {
				return c.Size, d.err
			}
			if c.join(d.out, d.in); opts.Budget.exceeded(c.Size) {
				return c.Size, errFull
			}
		}
	}
	return c.Size, nil
}

// count counts what Neighbors would find, and keeps none of it: in out for each detection of a,
// and, added up, in in for each of b. The number is told to tick.
func (f *Finder) count(out, in []int, a, b *mtt.Scan, g Gate, tick func(entries int) error) error {
	if err := f.prepare(a, b, g); err != nil {
		return err
	}
	defer func() { f.a, f.b = nil, nil }()
	work := work{tick: tick}
	for _, i := range f.order {
		hits, repeated := f.inside(int(i))
		if repeated {
			sort(hits)
			hits = slices.Compact(hits)
		}
		for _, j := range hits {
			in[j]++
		}
		out[i] = len(hits)
		if err := work.add(len(hits), len(hits)); err != nil {
			return err
		}
	}
	return work.end()
}

// sampleWork is the number of pairs that a sample looks at, about: a thirtieth
// of a second's work.
const sampleWork = 1 << 19

// A sample knows, for some detections spread evenly over all scans, from which
// size of the gate on each of their pairs is inside. Pairs outside the gate
// that the sample was made with are left out.
type sample struct {
	in, out [][]float64 // of each detection, ascending: pairs with the scan before, with the next
	scale   float64     // detections for each one sampled
}

// newSample looks at pairs of detections, about the number given. Its error is that of ctx.
func newSample(ctx context.Context, scans []mtt.Scan, g Gate, pairs int) (*sample, error) {
	total := 0
	for t := range scans {
		total += scans[t].Len()
	}
	mean := float64(total) / float64(len(scans))
	n := min(total, max(int(float64(pairs)/(2*mean)), 1))
	s := &sample{scale: float64(total) / float64(n)}
	t, first := 0, 0 // scan, number of its first detection
	for k := range n {
		at := int((float64(k) + 0.5) * s.scale)
		for at >= first+scans[t].Len() {
			first += scans[t].Len()
			t++
		}
		j := at - first
		var in, out []float64
		if t > 0 {
			in = criticals(&scans[t-1], &scans[t], g, [2]int{0, scans[t-1].Len()}, [2]int{j, j + 1})
		}
		if t+1 < len(scans) {
			out = criticals(&scans[t], &scans[t+1], g, [2]int{j, j + 1}, [2]int{0, scans[t+1].Len()})
		}
		s.in = append(s.in, in)
		s.out = append(s.out, out)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// criticals lists, ascending, the critical sizes of those pairs i, j that are
// inside g, for the rows from rows[0] to rows[1]−1 and the columns likewise.
func criticals(a, b *mtt.Scan, g Gate, rows, cols [2]int) []float64 {
	r, err := newRule(a, b, g, nil)
	if err != nil {
		panic(err) // checkAll lets no such pair of scans pass
	}
	gate := sizedOf(g)
	var list []float64
	for i := rows[0]; i < rows[1]; i++ {
		centre, v := r.centre(a, i), speed(a, i)
		for j := cols[0]; j < cols[1]; j++ {
			c := gate.critical(&r, r.statistic(centre, a, b, i, j), v)
			if c < gate.size() {
				list = append(list, c)
			}
		}
	}
	slices.Sort(list)
	return list
}

// count estimates what a gate of the given size keeps.
func (s *sample) count(size float64) (arcs, triplets int) {
	a, t := 0, 0
	for k := range s.out {
		in, _ := slices.BinarySearch(s.in[k], size)
		out, _ := slices.BinarySearch(s.out[k], size)
		a += out
		t += in * out
	}
	return clip(float64(a) * s.scale), clip(float64(t) * s.scale)
}

// clip is v as an int.
func clip(v float64) int {
	if v >= math.MaxInt {
		return math.MaxInt
	}
	return int(v)
}

// largest is the largest size up to high that keeps the budget, by bisection.
func (s *sample) largest(b Budget, high float64) float64 {
	low := 0.0
	for range 60 {
		mid := low + (high-low)/2
		if b.Need(s.count(mid)) > b.Bytes {
			high = mid
		} else {
			low = mid
		}
	}
	return low
}

// roundDown keeps three digits of v, and takes what is hardly above 0 for 0.
func roundDown(v float64) float64 {
	if v < 1e-300 {
		return 0
	}
	exp := int(math.Floor(math.Log10(v))) - 2
	digits := math.Floor(v / math.Pow10(exp))
	v, _ = strconv.ParseFloat(fmt.Sprintf("%.0fe%d", digits, exp), 64)
	return v
}

// amount writes a count in words that are easy to compare.
func amount(v float64) string {
	switch {
	case v < 1e4:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v < 1e6:
		return strconv.FormatFloat(v/1e3, 'g', 3, 64) + " thousand"
	case v < 1e9:
		return strconv.FormatFloat(v/1e6, 'g', 3, 64) + " million"
	}
	return strconv.FormatFloat(v/1e9, 'g', 3, 64) + " billion"
}

// inBytes writes an amount of memory.
func inBytes(n int64) string {
	v := float64(n)
	for _, unit := range []string{"bytes", "kB", "MB", "GB"} {
		if v < 1000 {
			return strconv.FormatFloat(v, 'g', 3, 64) + " " + unit
		}
		v /= 1000
	}
	return strconv.FormatFloat(v, 'g', 3, 64) + " TB"
}
