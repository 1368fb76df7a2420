package pmbm

import (
	"context"
	"fmt"
	"math"

	"mtt/mapsolver"
	"mtt/mapsolver/murty"
	"mtt/motion"
)

// This file updates a cluster by its detections: from each global hypothesis to
// the best ones that can follow it.

// An updater updates clusters and keeps its workspace. Each goroutine has one.
type updater struct {
	f      *Filter
	motion *motion.Full
	ranker murty.Ranker
	sol    mapsolver.Solution
	stats  Stats // since the last count

	// The update at hand.
	c     *cluster
	dets  []int32
	place []int32 // of each detection in dets
	ways  [][]way // of each track: the new local hypotheses
	kids  []kid   // new global hypotheses
	picks []int32 // theirs
	best  float64 // the largest log weight of a kid
	err   error   // of Observe

	// Of merging the hypotheses of a track.
	share []float64 // weight of none, and of each
	order []int32   // descending by weight
	into  []int32   // what each is merged into
	group []int32

	// The problem at hand.
	problem  mapsolver.Problem
	counts   []int
	rowDet   []int32 // of each row, its detection
	colTrack []int32 // of each column, its track
	colOf    []int32 // of each track, its column; -1: none
	gate     []int32 // of each entry, its place in gated
}

// A way is a new local hypothesis: an old one that is missed, or takes one of
// the detections in its gate.
type way struct {
	from *local
	at   int // place in from.gated; -1: missed
}

// A kid is a global hypothesis in the making.
type kid struct {
	weight float64 // logarithm, not normalised
	number int     // order of making
	pick   []int32
}

func newUpdater(f *Filter) *updater {
	u := &updater{f: f, motion: motion.NewFull(f.o.params())}
	u.stats.Shapes = make(map[Shape]int)
	return u
}

// update returns what becomes of the clusters of a job.
func (u *updater) update(ctx context.Context, j *job) ([]*cluster, error) {
	u.begin(j)
	for i := range u.c.rows {
		if err := u.follow(ctx, &u.c.rows[i]); err != nil {
			return nil, err
		}
	}
	c := u.finish()
	if c == nil {
		return nil, nil
	}
	if u.f.o.Whole {
		return []*cluster{c}, nil
	}
	return u.split(c), nil
}

// begin prepares the update of a job.
func (u *updater) begin(j *job) {
	u.c = join(j.clusters, u.f.o.Hypotheses)
	u.dets = j.dets
	u.place = resize(u.place, len(u.f.borns))
	for k, d := range j.dets {
		u.place[d] = int32(k)
	}
	u.ways = resize(u.ways, len(u.c.tracks))
	for t := range u.c.tracks {
		u.ways[t] = u.ways[t][:0]
		for _, h := range u.c.tracks[t].locals {
			h.next = resize(h.next, len(h.gated)+1)
			for k := range h.next {
				h.next[k] = -1
			}
		}
	}
	u.kids, u.picks = u.kids[:0], u.picks[:0]
	u.best = math.Inf(-1)
}

// follow adds the global hypotheses that follow from one: the best ⌈N·W⌉, but
// none that would be pruned anyway, because an earlier one is likelier by more
// than MinWeight.
func (u *updater) follow(ctx context.Context, from *row) error {
	o := &u.f.o
	base := math.Log(from.weight) + u.pose(from)
	if u.problem.Rows == 0 {
		u.add(from, base, nil)
		return nil
	}
	observed := o.Observe != nil
	k := &u.ranker
	k.Whole, k.Eager, k.Observe = observed, observed, nil
	before := k.Stats
	if err := k.Start(ctx, &u.problem); err != nil {
		return fmt.Errorf("pmbm: frame %d: %w", u.f.frame, err)
	}
	wanted := int(math.Ceil(float64(o.Hypotheses) * from.weight))
	least := math.Log(o.MinWeight)
	if observed {
		u.observe()
		least = math.Inf(-1)
	}
	for n := 0; n < wanted && k.Next(&u.sol); n++ {
		w := base - u.sol.Cost
		if w < u.best+least {
			break
		}
		u.add(from, w, &u.sol)
	}
	u.stats.add(&u.problem, before, k.Stats)
	return u.err
}

// pose makes the assignment problem of a global hypothesis, and returns the log
// weight of what is the same in all its answers: the misses of all tracks, and
// detections in no gate. Those are no rows, and tracks without a detection in
// their gate no columns.
func (u *updater) pose(from *row) (base float64) {
	f, c, p := u.f, u.c, &u.problem
	u.counts = resize(u.counts, len(u.dets))
	clear(u.counts)
	nnz := 0
	p.Cols = 0
	u.colTrack = u.colTrack[:0]
	u.colOf = resize(u.colOf, len(c.tracks))
	for t, k := range from.pick {
		u.colOf[t] = -1
		if k < 0 {
			continue
		}
		h := c.tracks[t].locals[k]
		base += h.miss
		if len(h.gated) == 0 {
			continue
		}
		u.colOf[t] = int32(p.Cols)
		u.colTrack = append(u.colTrack, int32(t))
		p.Cols++
		nnz += len(h.gated)
		for _, g := range h.gated {
			u.counts[u.place[g.det]]++
		}
	}
	p.Ptr, p.RowMiss, u.rowDet = append(p.Ptr[:0], 0), p.RowMiss[:0], u.rowDet[:0]
	p.Col, p.Cost, u.gate = resize(p.Col, nnz), resize(p.Cost, nnz), resize(u.gate, nnz)
	end := 0
	for k, n := range u.counts {
		d := u.dets[k]
		if n == 0 {
			base += f.borns[d].weight
			continue
		}
		u.counts[k] = end // from here on, where the next entry goes
		end += n
		p.Ptr = append(p.Ptr, end)
		p.RowMiss = append(p.RowMiss, -f.borns[d].weight)
		u.rowDet = append(u.rowDet, d)
	}
	p.Rows = len(u.rowDet)
	for col, t := range u.colTrack {
		h := c.tracks[t].locals[from.pick[t]]
		for k, g := range h.gated {
			e := u.counts[u.place[g.det]]
			u.counts[u.place[g.det]]++
			p.Col[e], p.Cost[e], u.gate[e] = int32(col), -g.gain, int32(k)
		}
	}
	return base
}

// add adds the global hypothesis that follows from one by an assignment; nil:
// that of no rows.
func (u *updater) add(from *row, weight float64, s *mapsolver.Solution) {
	c := u.c
	width := len(c.tracks) + len(u.dets)
	at := len(u.picks)
	u.picks = resize(u.picks, at+width)
	pick := u.picks[at:]
	for t, k := range from.pick {
		pick[t] = -1
		if k < 0 {
			continue
		}
		h, taken := c.tracks[t].locals[k], -1
		if s != nil && u.colOf[t] >= 0 {
			if r := s.RowOf[u.colOf[t]]; r >= 0 {
				taken = int(u.gate[s.EntryOf[r]])
			}
		}
		if h.next[taken+1] < 0 {
			h.next[taken+1] = int32(len(u.ways[t]))
			u.ways[t] = append(u.ways[t], way{h, taken})
		}
		pick[t] = h.next[taken+1]
	}
	for k, d := range u.dets {
		pick[len(c.tracks)+k] = -1
		if u.f.isTarget(int(d)) {
			pick[len(c.tracks)+k] = 0
		}
	}
	if s != nil {
		for r, e := range s.EntryOf {
			if e >= 0 {
				pick[len(c.tracks)+int(u.place[u.rowDet[r]])] = -1
			}
		}
	}
	u.kids = append(u.kids, kid{weight: weight, number: len(u.kids)})
	if weight > u.best {
		u.best = weight
	}
}

// resize is s with length n, keeping the elements there are.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return append(s[:cap(s)], make([]T, n-cap(s))...)
	}
	return s[:n]
}
