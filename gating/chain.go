package gating

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"mtt"
	"mtt/internal/slab"
	"mtt/internal/workers"
)

// This file gates a sequence of scans, within a budget of memory.

// Options are the choices of [Chain] and [Check]. A nil *Options is all
// defaults.
type Options struct {
	// K caps crowded rows and columns, see [Finder]; 0 means no cap.
	K int

	// Budget bounds the size of the instance; the zero Budget has no bound.
	Budget Budget

	// NoFit leaves TooLargeError.Fits open, which takes longer to find than the gating itself where
	// detections are many and K is not 0: for who does not ask for a smaller gate then.
	NoFit bool

	// Triplets, when not 0, makes Chain give up with ErrCrowded as soon as there are
	// more triplets than that, or more arcs in one pattern than Arcs, 0: than Triplets.
	Triplets, Arcs int

	// Workers is the number of goroutines; 0 means one for each processor. It
	// does not change the result.
	Workers int
}

// A Budget bounds the memory that a gated instance may take in the hands of a
// solver, by its bytes for each arc and each triplet.
type Budget struct {
	Bytes      int64 // 0 means no limit
	PerArc     int64 // 0 means 100: price, cost, messages and matching of the dual-ascent engine
	PerTriplet int64 // 0 means 8: one stored cost; negative: triplets take none
}

// Need is the memory of an instance, in bytes; what no int64 holds is the largest.
func (b Budget) Need(arcs, triplets int) int64 {
	arc, triplet := b.perUnit()
	if float64(arc)*float64(arcs)+float64(triplet)*float64(triplets) >= math.MaxInt64 {
		return math.MaxInt64
	}
	return arc*int64(arcs) + triplet*int64(triplets)
}

func (b Budget) perUnit() (arc, triplet int64) {
	arc, triplet = b.PerArc, b.PerTriplet
	if arc == 0 {
		arc = 100
	}
	switch {
	case triplet == 0:
		triplet = 8
	case triplet < 0:
		triplet = 0
	}
	return arc, triplet
}

// most is the number of arcs that Bytes allows, 0 when it allows any.
func (b Budget) most() int {
	if b.Bytes == 0 {
		return 0
	}
	arc, _ := b.perUnit()
	return int(b.Bytes/arc) + 1
}

// exceeded reports whether an instance of this size is too large.
func (b Budget) exceeded(s Size) bool {
	return b.Bytes > 0 && b.Need(s.Arcs, s.Triplets) > b.Bytes
}

// ErrCrowded says that there are more triplets than Options.Triplets.
var ErrCrowded = errors.New("gating: more triplets than wanted")

// Chain gates each scan against the next: pattern t of the result, one less
// than the scans, is that of [Neighbors] between scans[t] and scans[t+1].
//
// Its errors are those of Neighbors; a [*TooLargeError] when the patterns
// would not fit opts.Budget, found out before they fill the memory; ErrCrowded; and
// ctx.Err(), wrapped, when ctx ends.
func Chain(ctx context.Context, scans []mtt.Scan, g Gate, opts *Options) ([]CSR, error) {
	if opts == nil {
		opts = new(Options)
	}
	if err := checkAll(scans, g); err != nil {
		return nil, err
	}
	if opts.Triplets == 0 {
		if err := foresee(ctx, scans, g, opts); err != nil {
			return nil, err
		}
	}
	frames := make([]CSR, max(len(scans)-1, 0))
	most, arcsEach := opts.Budget.most(), cmp.Or(opts.Arcs, opts.Triplets)
	var arcs, triplets atomic.Int64
	var full, crowded atomic.Bool
	done := make([]atomic.Int32, len(frames)+1) // of frames t−1 and t
	goroutines := min(workers.Count(opts.Workers), len(frames))
	makers := make([]maker, goroutines)
	for w := range makers {
		m := &makers[w]
		m.finder = Finder{K: opts.K, sure: true, tick: func(entries int) error {
			m.entries += entries
			if n := arcs.Add(int64(entries)); most > 0 && n > int64(most) {
				full.Store(true)
			}
			if opts.Triplets > 0 && m.entries > arcsEach {
				crowded.Store(true)
			}
			if full.Load() || crowded.Load() {
				return errFull
			}
			return ctx.Err()
		}}
	}
	workers.Until(ctx, goroutines, len(frames), func(w, t int) {
		if full.Load() || crowded.Load() {
			return
		}
		m := &makers[w]
		m.entries = 0
		if _, err := m.finder.Neighbors(&m.made, &scans[t], &scans[t+1], g); err != nil {
			return // the scans are checked: it was tick
		}
		frames[t] = m.pieces.keep(&m.made)
		if opts.Triplets == 0 {
			return
		}
		if frames[t].NNZ() > arcsEach {
			crowded.Store(true)
		}
		for u := max(t, 1); u <= min(t+1, len(frames)-1); u++ {
			if done[u].Add(1) == 2 && triplets.Add(int64(Count(frames[u-1:u+1]).Triplets)) > int64(opts.Triplets) {
				crowded.Store(true)
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, interrupted(err)
	}
	if crowded.Load() {
		return nil, ErrCrowded
	}
	if full.Load() || opts.Budget.exceeded(Count(frames)) {
		clear(frames) // what follows needs memory, too
		return nil, tooLarge(ctx, scans, g, opts)
	}
	return frames, nil
}

// A maker is what a goroutine of [Chain] needs.
type maker struct {
	finder  Finder
	entries int // of the pattern in the making
	made    CSR
	pieces  stock
}

// A stock has memory for small patterns.
type stock struct {
	ints  slab.Stock[int]
	words slab.Stock[int32]
}

// keep returns the pattern in memory of its own; that of made may be used again, unless it is
// large: then it is handed on.
func (s *stock) keep(made *CSR) CSR {
	const small = 100 // numbers that are rather copied
	c := *made
	if len(c.Ptr) > small || len(c.Col) > small {
		*made = CSR{}
		return c
	}
	c.Ptr, c.Col = s.ints.Make(len(c.Ptr)), s.words.Make(len(c.Col))
	copy(c.Ptr, made.Ptr)
	copy(c.Col, made.Col)
	return c
}

// interrupted wraps the error of a context.
func interrupted(err error) error { return fmt.Errorf("gating: interrupted: %w", err) }

// Check counts what [Chain] would make and keeps none of it. Its errors are
// those of Chain; the Size is that of the whole chain when the error is nil.
func Check(ctx context.Context, scans []mtt.Scan, g Gate, opts *Options) (Size, error) {
	if opts == nil {
		opts = new(Options)
	}
	if err := checkAll(scans, g); err != nil {
		return Size{}, err
	}
	if err := foresee(ctx, scans, g, opts); err != nil {
		return Size{}, err
	}
	size, err := measure(ctx, scans, g, opts)
	switch {
	case errors.Is(err, errFull):
		return size, tooLarge(ctx, scans, g, opts)
	case err != nil:
		return size, interrupted(err)
	}
	return size, nil
}

// checkAll returns the first error that gating the scans would meet.
func checkAll(scans []mtt.Scan, g Gate) error {
	var last rule
	for t := range scans {
		if err := validate(&scans[t]); err != nil {
			return err
		}
		if t == 0 {
			continue
		}
		var err error
		if last, err = newRule(&scans[t-1], &scans[t], g, last.region); err != nil {
			return err
		}
	}
	return nil
}
