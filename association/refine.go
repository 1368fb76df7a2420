package association

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

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
// A move never makes things worse, so the sweeps come to an end. A move falls into
// groups of tracks that could trade detections with each other, and is worth another
// look only for the groups in which a price has changed since the last one. So
// every detection carries a stamp, the time of the last change to its links, its
// state or its evidence, to the last bit, and a sweep takes as long as there is news.
// What is never news, most of a scene, is found out beforehand by all cores: see survey.
type refiner struct {
	*chains
	scans  []mtt.Scan
	gates  []gating.CSR
	model  *costgen.Gaussian
	motion motion
	reach  int32   // scans: longest link to be made
	span   int     // scans: longest link there is, at least reach
	speed  float64 // m/s: fastest jump over a gap
	quick  bool    // links to which there is no alternative but to break them are left alone
	loose  bool    // joins over gaps may take linked detections, not loose ends only

	states [][]state    // of detection i of scan t, with all before it in its track
	turned [][]uint8    // whether the step to detection i of scan t was a manoeuvre
	proofs [][]evidence // of detection i of scan t, with all after it
	stamp  [][]int64    // when a link, the state or the evidence of detection i of scan t changed last
	looks  []look       // of scan t
	clock  int64        // counts looks
	open   int          // first scan whose links to scans before it may still change
	origin int          // the scan in which targets were there from the beginning; -1: it has left the window

	// Prices: negative logarithms of probabilities and densities.
	over               []float64 // of a link over so many missed detections
	gone               []float64 // of no detection in so many scans that follow
	born, first, alarm float64

	movers []*mover
}

// A look holds times by the clock: when what concerns a scan was last computed or
// tried, and when any of its detections last changed. What came after that is news.
type look struct {
	seat, cut, forward, backward int64 // -1: never
	news                         int64
}

// unseen is the look of a scan that nobody has had one at.
var unseen = look{seat: -1, cut: -1, forward: -1, backward: -1}

// A mover tries moves.
type mover struct {
	*refiner
	motion motion // its own

	solver  ssp.Solver
	problem mapsolver.Problem
	sol     mapsolver.Solution
	entries []entry
	cuts    cuts
	seats   seats
	groups  groups
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

// refine improves the links by the likelihood of whole tracks, in at most so many
// sweeps. gates[t] holds the pairs of scans t and t+1 that may be linked;
// gaps of up to misses missed detections may be closed at up to speed. It
// reports how many moves made a change, which does not depend on the workers.
func (c *chains) refine(ctx context.Context, scans []mtt.Scan, gates []gating.CSR, model *costgen.Gaussian, misses int, speed float64, sweeps, workers int) (changed int, err error) {
	if len(scans) < 2 {
		return 0, nil
	}
	r := newRefiner(c, scans, gates, model, misses, speed)
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	for len(r.movers) < min(workers, len(scans)) {
		r.movers = append(r.movers, r.newMover())
	}
	// Loose ends are joined first: taking a linked detection over a gap can
	// leave behind, alone, one that the next cut would have joined.
	r.loose = misses == 0
	if r.loose { // nearly everything is right
		if err := r.survey(ctx); err != nil {
			return 0, err
		}
	}
	for range sweeps {
		n, err := r.sweep(ctx)
		changed += n
		switch {
		case err != nil:
			return changed, err
		case !r.loose:
			r.loose = true
			r.forget()
		case n == 0:
			return changed, nil
		}
	}
	return changed, nil
}

// settled is in how many scans a filter forgets where it began.
const settled = 10

func newRefiner(c *chains, scans []mtt.Scan, gates []gating.CSR, model *costgen.Gaussian, misses int, speed float64) *refiner {
	rates := model.Rates
	r := &refiner{
		chains: c, scans: scans, gates: gates, model: model,
		motion: newMotion(&model.Levels, max(model.Dim, 2)), reach: int32(misses + 1), speed: speed,
		born:  math.Log(rates.Volume) - math.Log(rates.Births*rates.Detect),
		first: math.Log(rates.Volume) - math.Log(rates.Targets*rates.Detect),
		alarm: math.Log(rates.Volume) - math.Log(rates.Clutter),
		looks: slices.Repeat([]look{unseen}, len(scans)),
	}
	r.span = int(r.reach)
	for t := range c.next {
		for _, n := range c.next[t] {
			r.span = max(r.span, int(n.t)-t)
		}
	}
	r.movers = []*mover{r.newMover()}
	r.price(len(scans))
	for _, s := range scans {
		r.states = append(r.states, make([]state, s.Len()))
		r.turned = append(r.turned, make([]uint8, s.Len()))
		r.proofs = append(r.proofs, make([]evidence, s.Len()))
		r.stamp = append(r.stamp, make([]int64, s.Len()))
	}
	for t := range scans {
		r.forward(t)
	}
	return r
}

func (r *refiner) newMover() *mover { return &mover{refiner: r, motion: r.motion} }

// price prices what misses up to n scans cost.
func (r *refiner) price(n int) {
	r.over, r.gone = r.over[:0], vanish(&r.model.Rates, n)
	for k := range n + 1 {
		r.over = append(r.over, r.model.Rates.Gap(k))
	}
}

// survey tries every move as things are, makes none, and stamps the detections that
// the moves would change. The others are no news: nothing is to be gained there.
func (r *refiner) survey(ctx context.Context) error {
	r.backward()
	r.clock++
	moved := make([][]hit, len(r.scans))
	errs := make([]error, len(r.scans))
	var next atomic.Int64
	var group sync.WaitGroup
	for _, m := range r.movers {
		group.Go(func() {
			for t := int(next.Add(1)) - 1; t < len(r.scans); t = int(next.Add(1)) - 1 {
				moved[t], errs[t] = m.wishes(ctx, int32(t))
			}
		})
	}
	group.Wait()
	for t := range r.scans {
		if errs[t] != nil {
			return errs[t]
		}
		r.looks[t].seat, r.looks[t].cut = r.clock, r.clock
	}
	r.clock++
	for _, list := range moved {
		for _, h := range list {
			r.touch(h)
		}
	}
	return nil
}

// wishes lists the detections that the moves at scan t would change.
func (r *mover) wishes(ctx context.Context, t int32) (list []hit, err error) {
	if better, err := r.weighSeats(ctx, t, -1); err != nil {
		return nil, err
	} else if better {
		list = r.seatsChanged(list, t)
	}
	if int(t)+1 == len(r.scans) {
		return list, nil
	}
	if better, err := r.weighCut(ctx, t, -1); err != nil {
		return nil, err
	} else if better {
		list = r.cutChanged(list)
	}
	return list, nil
}

// sweep tries the moves at all scans with news, first to last, and reports at how
// many scans they made a change.
func (r *refiner) sweep(ctx context.Context) (changed int, err error) {
	r.backward()
	m := r.movers[0]
	for t := max(0, r.open-1); t < len(r.scans); t++ {
		r.clock++
		better, now := false, &r.looks[t]
		if t >= r.open && r.news(t-int(r.reach), t+int(r.reach)) > now.seat {
			if better, err = m.seat(ctx, int32(t)); err != nil {
				return changed, err
			}
		}
		r.forward(t)
		r.clock++
		if t+1 < len(r.scans) && r.news(t+1-int(r.reach), t+int(r.reach)) > now.cut {
			cut, err := m.cut(ctx, int32(t))
			if err != nil {
				return changed, err
			}
			better = better || cut
		}
		if better {
			changed++
		}
	}
	return changed, nil
}

// forget has every move tried again.
func (r *refiner) forget() {
	for t := range r.looks {
		r.looks[t].seat, r.looks[t].cut = -1, -1
	}
}

// touch stamps a detection.
func (r *refiner) touch(h hit) {
	r.stamp[h.t][h.det] = r.clock
	r.looks[h.t].news = r.clock
}

// news is when any detection of scans from ≤ t ≤ to changed last.
func (r *refiner) news(from, to int) (last int64) {
	for t := max(0, from); t <= min(to, len(r.looks)-1); t++ {
		last = max(last, r.looks[t].news)
	}
	return last
}

// link joins two detections.
func (r *refiner) link(a, b hit) {
	r.chains.link(a, b)
	r.touch(a)
	r.touch(b)
}

// unlink removes the link after a.
func (r *refiner) unlink(a hit) {
	if b := r.next[a.t][a.det]; b != none {
		r.chains.cut(a)
		r.touch(a)
		r.touch(b)
	}
}

// backward computes the evidence of every suffix that may still change hands, as
// far as there is news.
func (r *refiner) backward() {
	r.clock++
	for t := len(r.scans) - 1; t >= max(0, r.open-1); t-- {
		since := r.looks[t].backward
		r.looks[t].backward = r.clock
		if r.news(t, t+r.span) <= since {
			continue
		}
		for i := range r.proofs[t] {
			n := r.next[t][i]
			if r.stamp[t][i] <= since && (n == none || r.stamp[n.t][n.det] <= since) {
				continue
			}
			var e evidence
			if n != none {
				e = r.proofs[n.t][n.det]
				r.motion.retreat(&e, r.scans[n.t].Time-r.scans[t].Time, int(r.turned[n.t][n.det]))
			}
			r.motion.observe(&e, &r.scans[t], i)
			if r.proofs[t][i], e = e, r.proofs[t][i]; !e.like(&r.proofs[t][i], r.motion.dim) {
				r.touch(hit{int32(t), int32(i)})
			}
		}
	}
}

// forward computes the states of the prefixes that end in scan t, as far as there
// is news.
func (r *refiner) forward(t int) {
	since := r.looks[t].forward
	r.looks[t].forward = r.clock
	if r.news(t-r.span, t) <= since {
		return
	}
	for i := range r.states[t] {
		p := r.prev[t][i]
		if p == past || r.stamp[t][i] <= since && (p == none || r.stamp[p.t][p.det] <= since) {
			continue
		}
		var s state
		if p == none {
			s = r.motion.start(&r.scans[t], i)
		} else {
			s = r.states[p.t][p.det]
			kind := r.motion.advance(&s, r.scans[t].Time-r.scans[p.t].Time, &r.scans[t], i)
			r.turned[t][i] = uint8(kind)
			r.motion.update(&s, &r.scans[t], i)
		}
		if r.states[t][i], s = s, r.states[t][i]; !s.like(&r.states[t][i], r.motion.dim) {
			r.touch(hit{int32(t), int32(i)})
		}
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
func (r *mover) join(a, b hit) float64 {
	return r.joinState(&r.states[a.t][a.det], a, b) + r.gap(a.t, b.t) + r.sizes(a, b)
}

// joinState is the part of motion in the price of joining a state at the time
// of a with the suffix that begins at b.
func (r *mover) joinState(s *state, a, b hit) float64 {
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
func (r *mover) begun(b hit) float64 {
	c := r.motion.open(&r.proofs[b.t][b.det]) / 2
	if r.next[b.t][b.det] == none {
		return c + min(r.birth(b.t), r.alarm-r.death(b.t))
	}
	return c + r.birth(b.t)
}

// cheaper says whether the solution of the problem is cheaper than old.
func (r *mover) cheaper(old float64) bool {
	return r.sol.Cost < old-1e-9*(1+math.Abs(old))
}
