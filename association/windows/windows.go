// Package windows tracks scenes that are larger than memory: window of time by window of time, with
// bounds that hold for the whole.
//
// A window settles the links that leave its scans. It is solved together with some scans beyond, so
// that what it settles is what these ask for; then all but what the next window needs is
// forgotten. Windows meet in a scan, the border, and exchange two prices for each arc that leaves
// it (see [instance.Border]): one for the bound, one for the answer. The bounds of all windows add
// up to one of the whole scene, whatever these prices are, and the multipliers of all windows
// are a certificate of the whole, as if it had been solved at once.
//
// One detection goes through it like this: it is read as one of the scans beyond the first window,
// whose answer says what it is to the tracks that come near; it is read once, and stays as the
// window moves on. There it lies beside its neighbours in space (see order.go). When its own window
// is solved it has, in the first scan, the prices of the left for what leaves it, or, later, a
// matrix of triplet costs like any other; its links are handed on, its multipliers go into the
// certificate, and it is forgotten unless a link over misses that is still open leaves it.
//
// Levels and rates are those of an [association.Result] that [association.Learn] made of the first scans.
package windows

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"mtt"
	"mtt/association"
	"mtt/association/chain"
	"mtt/association/instance"
	"mtt/dualascent"
	"mtt/gating"
	"mtt/internal/workers"
)

// Options steer a Tracker.
type Options struct {
	Scans int // of which a window settles the links; 0: as many as Memory holds, or 10

	// Ahead are the scans beyond them with which they are solved. 0: three more than links over misses
	// pass over, so that none is left out, and each is judged by what comes after it; one where Memory is
	// too short for that.
	Ahead int

	// Memory is what a window may take, bytes; 0: any. It is kept by weighing each scan before the
	// window has it. Scans of which not even the fewest that a window has fit end in an error that
	// wraps [association.ErrOptions].
	Memory int64

	// Aim is what a window takes of that where it can, bytes; 0: all. Where Memory holds two
	// windows, two are worked on at a time, but for one that would be short: it may take twice as
	// much, and is worked on alone.
	Aim int64

	// Spare is the number of detections in a scan, on average, of other parts of the scene where
	// this is one; see [instance.Generator].
	Spare float64

	// Association are the options of [association.Track], of which those count that are about
	// gates and links over misses (Gate, Cap, MaxMisses), Engine, Dual, Workers and
	// IgnoreVelocity. Nothing is refined.
	Association *association.Options
}

// A Tracker goes through a scene window by window.
type Tracker struct {
	model  *association.Result
	opts   Options
	read   func() (*mtt.Scan, error)
	ended  bool
	first  int              // number of the scan with which the next window to be raised begins
	left   *instance.Border // its border there
	all    []mtt.Scan       // scans before the border from which links pass it, and then
	scans  []mtt.Scan       // from that scan on, sorted by place: the rest of all
	orders [][]int32        // of each: the numbers with which its detections were read
	gates  []gating.CSR     // between them, as far as they are known
	unread error            // what reading ahead met

	weights  []float64 // bytes that scans take, about, as far as they are known
	weighing weighing

	gen    *instance.Generator // nil before the first window
	dual   *dualascent.Options
	two    bool    // memory holds two windows at a time
	ready  *raised // what Next is to settle; nil: nothing yet
	failed error   // of the window after that
	State
}

// A State is all that a Tracker has to know to go on after a window.
type State struct {
	First  int              // number of the scan, from 0, with which the next window begins
	Border *instance.Border // nil: it begins with the first of all
	Misses int              // missed detections in a row that links may pass over; of the first window
}

// New prepares to track the scans that read yields one after the other, in order of time, with
// io.EOF after the last. Their lists become the Tracker's. The model must be of [association.Learn], with
// the same options.
func New(model *association.Result, read func() (*mtt.Scan, error), opts *Options) *Tracker {
	return &Tracker{model: model, read: read, opts: *opts}
}

// Resume is New for a Tracker that goes on from the State that another had; read yields scan
// number s.First next.
func Resume(model *association.Result, read func() (*mtt.Scan, error), opts *Options, s State) *Tracker {
	k := New(model, read, opts)
	k.State = s
	return k
}

// A Window is what the window of scans First, First+1, … has found. It shares memory with
// nothing that the Tracker will change.
type Window struct {
	First  int
	Last   bool // whether it is the last one
	Single bool // whether a detection that is linked to no other is a track, not a false alarm

	// Scans are those whose links it settles; Next[t][i] is where the track of detection i of
	// Scans[t] goes on, a scan counted from the first of all; chain.None: nowhere.
	Scans []mtt.Scan
	Next  [][]chain.Node

	// Nodes[t] are the coast nodes of scan First+t+1; the last are of the scan where the next
	// window begins.
	Nodes [][]instance.Coast

	raised *raised             // that it was; what Gaps are made of, with
	proved []dualascent.Prices // that prove its share of the bound
	next   [][]int32           // and what was chosen

	Lower     float64 // its share of the lower bound
	Certified float64 // the part of that which the multipliers of its gaps prove
	Upper     float64 // its share of the cost of the answer

	Arcs, Triplets int // pairs of detections between its scans, and triplets that begin there or, the middle one being the border on the right, before
	Left           int // links over misses from its scans that could make a better answer still
	Rounds         int
}

// A Gap is one frame pair: the problem, the multipliers that prove the bound, and the answer. For
// the last gap but that of the whole scene, U and Birth are those that the next window rests
// on.
type Gap struct {
	dualascent.FramePair
	Block  *dualascent.Block // triplet costs of its rows; nil in the first gap of all
	Prices dualascent.Prices
	Next   []int32 // the arc that is chosen at each row; -1: none
}

// Next solves the next window; io.EOF after the last. When ctx ends the window is lost, and with
// any error the Tracker is of no more use.
//
// While the answer of the window is found, and its share of the bound, the multipliers of the
// window after it are raised, where memory holds both. So read is called for scans further on.
func (k *Tracker) Next(ctx context.Context) (w *Window, err error) {
	if k.ready == nil && k.failed == nil {
		k.ready, k.failed = k.raise(ctx, func(float64) {})
	}
	if k.failed != nil {
		return nil, k.failed
	}
	r := k.ready
	k.ready = nil
	half, settled := make(chan struct{}), make(chan struct{})
	over := sync.OnceFunc(func() { close(half) })
	steps := []func(){func() {
		defer close(settled)
		defer over()
		w, err = k.settle(ctx, r, over)
	}}
	if k.two {
		steps = append(steps, func() {
			k.ready, k.failed = k.raise(ctx, func(bytes float64) {
				switch both := bytes + r.bytes; {
				case k.opts.Memory <= 0 || both <= k.alone():
				case both <= k.sideBySide():
					<-half
				default:
					<-settled
				}
			})
		})
	}
	workers.Each(len(steps), len(steps), func(_, step int) { steps[step]() })
	if err != nil {
		k.failed = err
		return nil, err
	}
	k.First, k.Border = r.first+r.rest, r.right
	return w, nil
}

// begin poses the problem, the first time, of scans that tell how.
func (k *Tracker) begin() (err error) {
	if k.gen == nil {
		if k.Border != nil {
			k.all = slices.Clone(k.Border.Before)
		}
		if err := k.fill(12, math.MaxInt64); err != nil {
			return err
		}
		if k.gen, k.dual, err = k.model.Windows(k.scans, k.opts.Association); err != nil {
			return err
		}
		if k.first, k.left = k.First, k.Border; k.left != nil {
			k.gen.Misses = k.Misses
		}
		k.Misses = k.gen.Misses
		k.plan()
	}
	return nil
}

// fill reads scans until there are n, or no more, or the new ones have room detections.
func (k *Tracker) fill(n int, room int64) error {
	from := len(k.scans)
	unread := k.take(n, room)
	if err := mtt.ValidateAll(k.scans[max(0, from-1):]); err != nil {
		return wrap(err)
	}
	for t := from; t < len(k.scans); t++ {
		s := &k.scans[t]
		order := gating.ByPlace(s)
		if k.orders = append(k.orders, order); !isOrdered(order) {
			*s = s.Pick(order)
		}
	}
	return unread
}

// take is fill without a look at what is read.
func (k *Tracker) take(n int, room int64) error {
	for !k.ended && len(k.scans) < n && room > 0 {
		s, err := k.read()
		if errors.Is(err, io.EOF) {
			k.ended = true
			return nil
		}
		if err != nil {
			return err
		}
		if g := k.model.Levels; k.opts.Association.IgnoreVelocity || g != nil && g.PositionsOnly {
			s.Vel, s.VelCov = nil, nil
		}
		before := k.before()
		k.all = append(k.all, k.model.Levels.ToldOne(s))
		k.scans = k.all[before:]
		room -= int64(s.Len())
	}
	return nil
}

// before is the number of scans before the border.
func (k *Tracker) before() int { return len(k.all) - len(k.scans) }

// gate gates the scans of the window that are not gated yet.
func (k *Tracker) gate(ctx context.Context) (err error) {
	from := len(k.gates)
	if from >= len(k.scans)-1 {
		return nil
	}
	o := &gating.Options{K: k.gen.K, Workers: k.gen.Workers}
	if o.K == 0 && k.opts.Memory > 0 { // else arcs are a few for each detection
		o.Budget = k.budget()
		o.Budget.PerTriplet = -1 // weighed later
	}
	more, err := gating.Chain(ctx, k.scans[from:], k.gen.Gate, o)
	k.gates = append(k.gates, more...)
	return wrap(err)
}

// count counts the arcs and triplets of the scans before scan to.
func (w *Window) count(inst *instance.Instance, to int) {
	for t := inst.Begin(); t < to; t++ {
		w.Arcs += inst.Gates[t].NNZ()
		if t+1 < len(inst.Gates) {
			after := &inst.Gates[t+1]
			for _, j := range inst.Gates[t].Col {
				w.Triplets += after.Ptr[j+1] - after.Ptr[j]
			}
		}
	}
}

// wrap says which package failed.
func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("windows: %w", err)
}
