package refine

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"mtt/association/chain"
	"mtt/internal/rng"
	"mtt/internal/slab"
	"mtt/internal/workers"
	"mtt/motion"
)

// This file draws tracks from their distribution, by the Metropolis algorithm with rivals for
// moves, and counts links.
//
// Moves are tried in turn, sweep by sweep. A move and its way back change two sets of tracks into each
// other, one of which is the more probable by the odds of the move; so whichever of both was drawn, a
// detection has something else before it than in the tracks with a probability that is known: the mean of
// that, over the tries of all moves that would change it in the tracks, says how probable that is, with a
// fraction of the noise of a count (waste recycling, Frenkel 2004, and with none where nothing else moves:
// Boltzmann's weights rather than Metropolis' are those that always gain by it, Delmas and Jourdain 2009).
// Where hardly anything else was drawn, it would miss most of what there is; so the mean, over the draws
// with what is in the tracks, of the odds of the moves that change it is noted, too. File pool.go makes
// odds of both.
//
// The draws are those of several chains side by side, each of which begins with the tracks: how
// many depends on the moves alone. The first two go on until they agree, and the second half of
// their draws with the first, which has more of the tracks that all began with; they are asked each
// time that there are √2 times as many. Only where they do not are there more.

// Odds from notable on are worth drawing tracks, most times at most and fewest at least: what is
// unlikely from the tracks at hand may be likely from what has been drawn, by chains at most, each
// of a chains-th of most or more: a chain is like the tracks at first. Moves with odds below often
// are tried each rarely draws only. After forget detections a filter does not know of a change.
const (
	notable      = 1e-4
	often        = 0.005
	rarely       = 8
	most, fewest = 1000, 50
	chains       = 8
	forget       = 24
)

// negligible is what the noise of drawing may add to the Brier score of links whose probabilities
// are drawn, as a share of it. Where of those that are p in truth p + ε is said, with variance v of
// ε, those of which p is said are right more often by (v·f)'/f, f being the density of what is
// said: with v = negligible·p(1 − p) and log odds that are spread evenly by nothing, and with f
// even by half a point of a hundred at most.
const negligible = 5e-3

// alike is the share of standard deviations below which a filter that has met something else says
// the same: a price that is off by ε adds ε²·p²(1 − p)² to a Brier score of p(1 − p), a quarter of
// ε² of it at most, and motion.Same is a price off by a hundredth.
var alike = motion.Same * 100 * 2 * math.Sqrt(negligible)

// A tally counts what comes before a detection.
type tally struct {
	at    chain.Node
	home  chain.Node // before it, in the tracks
	tries int        // of the moves that would change that in the tracks
	after float64    // sum over tries of the probability that something else is there afterwards
	stays int        // draws with home
	odds  float64    // of moves to something else, in these
	first float64    // the same in the tracks, which count as one of these
}

// A trial is a move, with the tallies of what it would change in the tracks; −1: of nothing.
type trial struct {
	rival
	of [4]int32
}

// share is how often something else was there after a try.
func (x *tally) share() float64 { return x.after / max(float64(x.tries), 1) }

// add adds what another chain has seen.
func (x *tally) add(y *tally) {
	x.tries, x.stays = x.tries+y.tries, x.stays+y.stays
	x.after, x.odds = x.after+y.after, x.odds+y.odds
}

// A sampler is a chain of draws with its tallies. Prices of moves ask for states of the detections
// that they leave from, and of no others: ahead says how many steps farther on along the tracks the
// next one of these is, or forget. States on the way there are renewed, and others, which nobody
// reads, are left as they were. That is where steps are of one kind: information depends on kinds.
type sampler[S comparable, E any] struct {
	*mover[S, E]
	tallies []tally
	of      [][]int32    // of a detection: its tally; −1: none
	priced  []pricedMove // of each move
	ahead   [][]uint8    // of detection i of scan t; nil: states are renewed everywhere
	home    *chain.Links // the tracks: where nothing leaves from, links are as there
	random  *rand.Rand

	state      S // workspace
	tail, none E
}

// A pricedMove is what a move led to by these odds, when it was priced last.
type pricedMove struct {
	clock int64 // 0: never
	odds  float64
}

// sample draws tracks with rivals, the cheapest first, for moves, as far as the steps go, and adds
// what it finds to the odds. Others are counted as if they had nothing to do with each other. Again
// makes a refiner of the same tracks; those of the one that there is change.
func (w *weighing[S, E]) sample(ctx context.Context, rivals []rival, again func(*chain.Links) *refiner[S, E]) error {
	steps := w.steps / fewest // of a sweep
	usual, _ := slices.BinarySearchFunc(rivals, -math.Log(often), func(x rival, more float64) int { return cmp.Compare(x.more, more) })
	usual = min(usual, steps)
	moves := rivals[:min(len(rivals), usual+(steps-usual)*rarely)]
	for k := range rivals[len(moves):] {
		w.count(&rivals[len(moves)+k])
	}
	steps = usual + (len(moves)-usual)/rarely + 1
	if len(moves) == 0 {
		return nil
	}
	var tallies []tally
	tallyOf := slab.Parts[int32](len(w.scans), func(t int) int { return w.scans[t].Len() })
	for t := range tallyOf {
		slab.Fill(tallyOf[t], -1)
	}
	trials := make([]trial, len(moves))
	for k := range moves {
		trials[k].rival = moves[k]
		e, _ := w.exchangeOf(&moves[k])
		for n, h := range e.arrivals(moves[k].last) {
			if trials[k].of[n] = -1; h.at == chain.None {
				continue
			}
			of := &tallyOf[h.at.T][h.at.Det]
			if *of < 0 {
				*of = int32(len(tallies))
				tallies = append(tallies, tally{at: h.at, home: w.Prev[h.at.T][h.at.Det]})
			}
			trials[k].of[n] = *of
			tallies[*of].first += min(math.Exp(-moves[k].more), 1)
		}
	}
	sweeps := min(most, w.steps/steps)
	side := make([]*sampler[S, E], max(sweeps*chains/most, 1))
	for c := range side {
		side[c] = &sampler[S, E]{tallies: slices.Clone(tallies), of: tallyOf, random: rng.Stream(1, "refine/sample", uint64(c)), priced: make([]pricedMove, len(trials))}
	}
	w.atHome = false
	side[0].mover = w.mover
	if len(side) > 1 {
		side[1].mover = w.clone().movers[0]
	}
	each := sweeps / len(side)
	links := w.Links.Clone()
	// draw makes the draws done ≤ n < until of chains from ≤ c < to.
	draw := func(from, to, done, until int) error {
		workers.Each(len(w.movers), to-from, func(_, k int) {
			s, first := side[from+k], (from+k)*sweeps/len(side)
			if s.mover == nil {
				s.mover = again(links.Clone()).movers[0]
			}
			if done == 0 {
				s.clock++ // later than all that is stamped
				s.watch(links, trials)
			}
			for n := done; n < until && ctx.Err() == nil; n++ {
				s.sweep(trials, usual, first+n)
			}
			if until == each {
				s.mover = nil
			}
		})
		return ctx.Err()
	}
	few := min(2, len(side))
	var looks []int // draws after which to look, √2 times as many each time
	for n := float64(each); len(side) > 1 && n >= rarely/2; n /= math.Sqrt2 {
		looks = append(looks, int(n))
	}
	if len(looks) == 0 {
		looks = []int{each}
	}
	slices.Reverse(looks)
	seen := make([][]tally, len(looks))
	for k, until := range looks {
		done := 0
		if k > 0 {
			done = looks[k-1]
		}
		if err := draw(0, few, done, until); err != nil {
			return err
		}
		seen[k] = together(side[:few])
		if k > 1 && until >= rarely && agree(side[0].tallies, side[1].tallies) && agree(seen[k-2], without(seen[k], seen[k-2])) {
			side = side[:few]
			break
		}
	}
	if err := draw(few, len(side), 0, each); err != nil {
		return err
	}
	half := len(side) / 2
	all, p := together(side), pooled(together(side[half:]), together(side[:half]))
	for k := range all {
		w.add(all[k].at, math.Log(p.otherwise(&all[k])))
	}
	return nil
}

// together is what chains have seen; nil: there are none.
func together[S comparable, E any](side []*sampler[S, E]) (list []tally) {
	for _, s := range side {
		list = added(list, s.tallies)
	}
	return list
}

// added is what was seen by both; one may be nil.
func added(one, two []tally) []tally {
	list := slices.Clone(two)
	for k := range one {
		list[k].add(&one[k])
	}
	return list
}

// without is what was seen after that.
func without(all, before []tally) []tally {
	list := slices.Clone(all)
	for k := range list {
		x, y := &list[k], &before[k]
		x.tries, x.stays = x.tries-y.tries, x.stays-y.stays
		x.after, x.odds = x.after-y.after, x.odds-y.odds
	}
	return list
}

// agree says whether the noise of what two chains say together is negligible: half of what they
// differ by is as far from that as it is from the truth, in the mean of squares, and an expected
// Brier score is the sum of p(1 − p). Both are of what was counted alone: what is pooled has less
// noise.
func agree(one, two []tally) bool {
	noise, score := 0.0, 0.0
	both := added(one, two)
	for k := range both {
		q := both[k].share()
		d := (one[k].share() - two[k].share()) / 2
		noise += d * d
		score += q * (1 - q)
	}
	return noise <= negligible*score
}

// sweep makes a draw: it tries the usual moves, and a part of the others.
func (s *sampler[S, E]) sweep(trials []trial, usual, draw int) {
	for k := range trials[:usual] {
		s.move(&trials[k], &s.priced[k], 1)
	}
	for k := usual + draw%rarely; k < len(trials); k += rarely {
		s.move(&trials[k], &s.priced[k], rarely)
	}
	for k := range s.tallies {
		if x := &s.tallies[k]; s.isHome(x) {
			x.stays++
		}
	}
}

// isHome says whether what comes before a detection is what does in the tracks.
func (s *sampler[S, E]) isHome(x *tally) bool { return s.Prev[x.at.T][x.at.Det] == x.home }

// move makes an exchange, or leaves it. It is tried in one of so many draws.
func (s *sampler[S, E]) move(x *trial, p *pricedMove, of float64) {
	u := s.random.Float64()
	for _, k := range x.of {
		if k >= 0 {
			y := &s.tallies[k]
			if y.tries++; !s.isHome(y) {
				y.after++
			}
		}
	}
	e, ok := s.exchangeOf(&x.rival)
	if !ok {
		return
	}
	if p.clock == 0 || s.changedSince(&e, p.clock) {
		*p = pricedMove{s.clock, math.Exp(-s.dearer(&e, x.last))}
	}
	odds, other := min(p.odds, 1), 1/(1+1/p.odds) // that it is made, and that of both it is the other one
	for _, h := range e.arrivals(x.last) {
		if h.at == chain.None || s.of[h.at.T][h.at.Det] < 0 {
			continue
		}
		k := s.of[h.at.T][h.at.Det]
		y := &s.tallies[k]
		was, is := s.isHome(y), h.before == y.home
		if was {
			y.odds += of * odds
		}
		if was != is && slices.Contains(x.of[:], k) {
			if was {
				y.after += other
			} else {
				y.after -= other
			}
		}
	}
	if odds < u {
		return
	}
	s.clock++
	one, two := e.after(x.last)
	for _, x := range [8]chain.Node{e.one.from, e.one.first, e.one.end, e.one.to, e.two.from, e.two.first, e.two.end, e.two.to} {
		if x != chain.None {
			s.touch(x)
		}
	}
	for _, x := range [4]chain.Node{e.one.from, e.one.end, e.two.from, e.two.end} {
		if x != chain.None {
			s.Unlink(x)
		}
	}
	for _, h := range e.arrivals(x.last) {
		if h.at != chain.None && h.before != chain.None {
			s.Link(h.before, h.at)
		}
	}
	s.leave(&e)
	s.renewAlong(&one)
	s.renewAlong(&two)
}

// watch notes where trials leave from in the tracks.
func (s *sampler[S, E]) watch(tracks *chain.Links, trials []trial) {
	if f := &s.filter; f.Mixture().Any() || f.Outliers() || f.Jumps() || f.Bounces() {
		return
	}
	s.home, s.ahead = tracks, slab.Parts[uint8](len(s.scans), func(t int) int { return s.scans[t].Len() })
	for t := range s.ahead {
		slab.Fill(s.ahead[t], forget)
	}
	for k := range trials {
		if e, ok := s.exchangeOf(&trials[k].rival); ok {
			s.leave(&e)
		}
	}
}

// leave notes where strands are left.
func (s *sampler[S, E]) leave(e *exchange) {
	if s.ahead == nil {
		return
	}
	for _, at := range [4]chain.Node{e.one.from, e.one.end, e.two.from, e.two.end} {
		for n := uint8(0); at != chain.None && n < s.ahead[at.T][at.Det]; at = s.home.Prev[at.T][at.Det] {
			s.ahead[at.T][at.Det] = n
			n++
		}
	}
}

// changedSince says whether what the price of an exchange depends on may have changed since: links,
// states and information of the detections that its strands come from, go through and go on to. A
// move that meets the same as before is not priced again.
func (s *sampler[S, E]) changedSince(e *exchange, clock int64) bool {
	for _, x := range [2]*strand{&e.one, &e.two} {
		for _, at := range [2]chain.Node{x.from, x.to} {
			if at != chain.None && s.stamp[at.T][at.Det] > clock {
				return true
			}
		}
		for at := x.first; at != chain.None; at = s.Next[at.T][at.Det] {
			if s.stamp[at.T][at.Det] > clock {
				return true
			}
			if at == x.end {
				break
			}
		}
	}
	return false
}

// renewAlong computes the states after, and the information before, where a strand is new.
func (s *sampler[S, E]) renewAlong(x *strand) {
	f := &s.filter
	n := 0
	for at := x.next(); at != chain.None && n < forget; at = s.Next[at.T][at.Det] {
		if s.ahead != nil && (x.to == chain.None || at.T >= x.to.T) && n+int(s.ahead[at.T][at.Det]) >= forget {
			break
		}
		scan := &s.scans[at.T]
		if p := s.Prev[at.T][at.Det]; p == chain.None {
			f.Start(&s.state, scan, int(at.Det))
		} else {
			s.state = s.states[p.T][p.Det]
			s.kinds[at.T][at.Det] = uint8(f.Advance(&s.state, scan.Time-s.scans[p.T].Time, scan, int(at.Det)))
			f.Take(&s.state, scan, int(at.Det), int(s.kinds[at.T][at.Det]))
		}
		same := f.LikeState(&s.state, &s.states[at.T][at.Det], alike)
		s.states[at.T][at.Det] = s.state
		s.touch(at)
		if x.to == chain.None || at.T >= x.to.T {
			if n++; same {
				break
			}
		}
	}
	at := x.end
	if at == chain.None {
		at = x.from
	}
	for n = 0; at != chain.None && n < forget; at = s.Prev[at.T][at.Det] {
		s.tail = s.none
		if next := s.Next[at.T][at.Det]; next != chain.None {
			s.tail = *s.informed(next)
			f.Return(&s.tail, s.scans[next.T].Time-s.scans[at.T].Time, &s.scans[at.T], int(at.Det), int(s.kinds[next.T][next.Det]))
		}
		s.observe(f, &s.tail, at)
		same := f.LikeInformation(&s.tail, &s.tails[at.T][at.Det], alike)
		s.tails[at.T][at.Det] = s.tail
		s.touch(at)
		if x.from == chain.None || at.T <= x.from.T {
			if n++; same {
				break
			}
		}
	}
}
