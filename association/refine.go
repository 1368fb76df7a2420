package association

import (
	"context"
	"math"

	"mtt"
	"mtt/costgen"
	"mtt/gating"
	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
)

// This file refines tracks by their whole-track likelihood.

// A refiner changes links wherever that makes all tracks together likelier. A
// part of a track is known by its filtered state when it lies before, by its
// evidence (a backward information filter) when it lies after, so the price of
// joining parts is the exact likelihood of all their detections under the
// motion model, not of the two or three next to the join only.
//
// Two moves, each a linear assignment problem that contains what is there now,
// take turns from the first scan to the last:
//
//   - cut: all tracks are cut between two scans, and what lies before is
//     matched anew with what lies after (file cut.go);
//   - seat: all detections of a scan are taken out of their tracks, and put
//     back where they fit best (file seat.go).
//
// A move never makes things worse, so the sweeps come to an end. A change can
// open the way for others nearby in time; those are looked at again, and in the
// end everything once more.
type refiner struct {
	*chains
	scans  []mtt.Scan
	gates  []gating.CSR
	model  *costgen.Gaussian
	motion motion
	reach  int32   // scans: longest link
	speed  float64 // m/s: fastest jump over a gap
	quick  bool    // links to which there is no alternative but to break them are left alone
	loose  bool    // joins over gaps may take linked detections, not loose ends only

	states [][]state    // of detection i of scan t, with all before it in its track
	turned [][]uint8    // whether the step to detection i of scan t was a manoeuvre
	proofs [][]evidence // of detection i of scan t, with all after it
	dirty  []bool       // whether the moves at scan t are to be tried (again)
	open   int          // first scan whose links to scans before it may still change
	origin int          // the scan in which targets were there from the beginning; -1: it has left the window

	// Prices: negative logarithms of probabilities and densities.
	over               []float64 // of a link over so many missed detections
	gone               []float64 // of no detection in so many scans that follow
	born, first, alarm float64

	solver  ssp.Solver
	problem mapsolver.Problem
	sol     mapsolver.Solution
	entries []entry
	cuts    cuts
	seats   seats
	finder  gating.Finder
	found   gating.CSR
	from    mtt.Scan
	rows    []hit
}

// An entry is a candidate join.
type entry struct {
	col  int32
	cost float64
}

// settled is how many scans away a change still matters: filters forget.
const settled = 10

// refine improves the links by the likelihood of whole tracks, in at most so many
// sweeps. gates[t] holds the pairs of scans t and t+1 that may be linked;
// gaps of up to misses missed detections may be closed at up to speed. It
// reports how many moves made a change.
func (c *chains) refine(ctx context.Context, scans []mtt.Scan, gates []gating.CSR, model *costgen.Gaussian, misses int, speed float64, sweeps int) (changed int, err error) {
	if len(scans) < 2 {
		return 0, nil
	}
	r := newRefiner(c, scans, gates, model, misses, speed)
	// Loose ends are joined first: taking a linked detection over a gap can
	// leave behind, alone, one that the next cut would have joined.
	r.loose = misses == 0
	all := true // look at everything in this sweep
	r.touch(0, len(scans))
	for range sweeps {
		n, err := r.sweep(ctx)
		changed += n
		if err != nil {
			return changed, err
		}
		switch {
		case n > 0 && r.loose:
			all = false
		case all && r.loose:
			return changed, nil
		default:
			all, r.loose = true, true
			r.touch(0, len(scans))
		}
	}
	return changed, nil
}

func newRefiner(c *chains, scans []mtt.Scan, gates []gating.CSR, model *costgen.Gaussian, misses int, speed float64) *refiner {
	rates := model.Rates
	r := &refiner{
		chains: c, scans: scans, gates: gates, model: model,
		motion: newMotion(&model.Levels, max(model.Dim, 2)), reach: int32(misses + 1), speed: speed,
		born:  math.Log(rates.Volume) - math.Log(rates.Births*rates.Detect),
		first: math.Log(rates.Volume) - math.Log(rates.Targets*rates.Detect),
		alarm: math.Log(rates.Volume) - math.Log(rates.Alarms),
		dirty: make([]bool, len(scans)),
	}
	r.price(len(scans))
	for _, s := range scans {
		r.states = append(r.states, make([]state, s.Len()))
		r.turned = append(r.turned, make([]uint8, s.Len()))
		r.proofs = append(r.proofs, make([]evidence, s.Len()))
		r.cuts.row = append(r.cuts.row, filled(s.Len()))
		r.cuts.col = append(r.cuts.col, filled(s.Len()))
	}
	for t := range scans {
		r.forward(t)
	}
	return r
}

// price prices what misses up to n scans cost.
func (r *refiner) price(n int) {
	r.over, r.gone = r.over[:0], vanish(&r.model.Rates, n)
	for k := range n + 1 {
		r.over = append(r.over, r.model.Rates.Gap(k))
	}
}

// sweep tries the moves at all scans marked dirty, first to last, and reports
// how many made a change. It clears the marks and sets new ones around changes.
func (r *refiner) sweep(ctx context.Context) (changed int, err error) {
	r.backward()
	for t := max(0, r.open-1); t < len(r.scans); t++ {
		if try := r.dirty[t]; try {
			r.dirty[t] = false
			better := false
			if t >= r.open {
				if better, err = r.seat(ctx, int32(t)); err != nil {
					return changed, err
				}
			}
			r.forward(t)
			if t+1 < len(r.scans) {
				cut, err := r.cut(ctx, int32(t))
				if err != nil {
					return changed, err
				}
				better = better || cut
			}
			if better {
				changed++
				r.touch(t-settled, t+settled+1)
			}
			continue
		}
		r.forward(t)
	}
	return changed, nil
}

// touch marks scans from ≤ t < to for another look, as far as they are open.
func (r *refiner) touch(from, to int) {
	for t := max(0, r.open-1, from); t < min(to, len(r.dirty)); t++ {
		r.dirty[t] = true
	}
}

func filled(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = -1
	}
	return s
}

// backward computes the evidence of every suffix that may still change hands.
func (r *refiner) backward() {
	for t := len(r.scans) - 1; t >= max(0, r.open-1); t-- {
		for i := range r.proofs[t] {
			var e evidence
			if n := r.next[t][i]; n != none {
				e = r.proofs[n.t][n.det]
				r.motion.retreat(&e, r.scans[n.t].Time-r.scans[t].Time, int(r.turned[n.t][n.det]))
			}
			r.motion.observe(&e, &r.scans[t], i)
			r.proofs[t][i] = e
		}
	}
}

// forward computes the states of the prefixes that end in scan t.
func (r *refiner) forward(t int) {
	for i := range r.states[t] {
		p := r.prev[t][i]
		if p == past {
			continue
		}
		if p == none {
			r.states[t][i] = r.motion.start(&r.scans[t], i)
			continue
		}
		s := r.states[p.t][p.det]
		kind := r.motion.advance(&s, r.scans[t].Time-r.scans[p.t].Time, &r.scans[t], i)
		r.turned[t][i] = uint8(kind)
		r.motion.update(&s, &r.scans[t], i)
		r.states[t][i] = s
	}
}

// gap is the price of a link from scan t to scan u, motion left out.
func (r *refiner) gap(t, u int32) float64 { return r.over[u-t-1] }

// sizes is the price of the change of box size from a to b.
func (r *refiner) sizes(a, b hit) float64 {
	from, to := &r.scans[a.t], &r.scans[b.t]
	if r.model.SizeStd == 0 || from.Size == nil || to.Size == nil {
		return 0
	}
	var c [1]float64
	r.model.Pairs(c[:], from, int(a.det), to, []int32{b.det})
	return c[0]
}

// join is the price of joining the prefix that ends at a with the suffix that
// begins at b.
func (r *refiner) join(a, b hit) float64 {
	return r.joinState(&r.states[a.t][a.det], a, b) + r.gap(a.t, b.t) + r.sizes(a, b)
}

// joinState is the part of motion in the price of joining a state at the time
// of a with the suffix that begins at b.
func (r *refiner) joinState(s *state, a, b hit) float64 {
	calm := *s
	dt, proof := r.scans[b.t].Time-r.scans[a.t].Time, &r.proofs[b.t][b.det]
	r.motion.predict(&calm, dt, smooth)
	f := r.motion.join(&calm, proof)
	if f.d2/2+r.motion.odds <= -10 { // a manoeuvre cannot matter
		return (f.d2 + f.base) / 2
	}
	wild := *s
	r.motion.predict(&wild, dt, turn)
	return r.motion.price(f, r.motion.join(&wild, proof))
}

// birth is the price of a track beginning at scan t, and of its first
// detection's position.
func (r *refiner) birth(t int32) float64 {
	if int(t) == r.origin {
		return r.first
	}
	return r.born
}

// death is the price of a track having its last detection in scan t.
func (r *refiner) death(t int32) float64 { return r.gone[len(r.scans)-1-int(t)] }

// vanish lists, for k up to n, the negative log probability that no detection
// follows in k scans: the target dies, or is missed.
func vanish(r *costgen.Rates, n int) []float64 {
	list, hidden := fate(r, n)
	for k, gone := range list {
		list[k] = -math.Log(gone + hidden[k])
	}
	return list
}

// ended is the price of prefix a having no successor.
func (r *refiner) ended(a hit) float64 {
	if r.prev[a.t][a.det] == none {
		// It may be a false alarm instead of a birth and a death. Both leave
		// the same density of its position and velocity.
		return min(r.death(a.t), r.alarm-r.birth(a.t))
	}
	return r.death(a.t)
}

// begun is the price of suffix b having no predecessor.
func (r *refiner) begun(b hit) float64 {
	c := r.motion.open(&r.proofs[b.t][b.det]) / 2
	if r.next[b.t][b.det] == none {
		return c + min(r.birth(b.t), r.alarm-r.death(b.t))
	}
	return c + r.birth(b.t)
}

// matched says whether the solution of the problem is cheaper than old.
func (r *refiner) cheaper(old float64) bool {
	return r.sol.Cost < old-1e-9*(1+math.Abs(old))
}
