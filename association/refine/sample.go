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
)

// This file draws tracks from their distribution, by the Metropolis algorithm with rivals for moves, and counts links.
//
// Let H be the draws in which a detection has before it what it has in the tracks. The odds of something else are the mean over H of the odds
// of the moves that change it: what a move leads to has odds times the probability of what it comes from. This has
// no floor, as counts have, and it is short of the truth only by what takes more than one move; where much else was drawn it is counted.

// Odds from notable on are worth drawing tracks, most times at most and fewest at least: what is unlikely from the tracks at hand may be likely from what has been
// drawn. Moves with odds below often are tried each rarely draws only. From telling draws on with something else they are counted.
// After forget detections a filter does not know of a change.
const (
	notable      = 1e-4
	often        = 0.005
	rarely       = 8
	most, fewest = 200, 50
	telling      = 16
	forget       = 24
)

// A tally counts what comes before a detection.
type tally struct {
	at    chain.Node
	home  chain.Node // before it, in the tracks
	other int        // draws in which something else is
	odds  float64    // of moves to that, in draws with home
}

// A sampler holds tallies.
type sampler[S, E any] struct {
	*weighing[S, E]
	tallies []tally
	of      [][]int32 // of a detection: its tally; −1: none
	random  *rand.Rand

	state      S // workspace
	tail, none E
}

// sample draws tracks with rivals, the cheapest first, for moves, as far as the steps go, and adds what it finds to the odds. Others are
// counted as if they had nothing to do with each other.
func (w *weighing[S, E]) sample(ctx context.Context, rivals []rival) error {
	steps := w.steps / fewest // of a sweep
	usual, _ := slices.BinarySearchFunc(rivals, -math.Log(often)/w.sharpness, func(x rival, more float64) int { return cmp.Compare(x.more, more) })
	usual = min(usual, steps)
	moves := rivals[:min(len(rivals), usual+(steps-usual)*rarely)]
	for k := range rivals[len(moves):] {
		w.count(&rivals[len(moves)+k])
	}
	steps = usual + (len(moves)-usual)/rarely + 1
	if len(moves) == 0 {
		return nil
	}
	s := &sampler[S, E]{weighing: w, random: rng.Stream(1, "refine/sample", 0)}
	s.of = slab.Parts[int32](len(w.scans), func(t int) int { return w.scans[t].Len() })
	for t := range s.of {
		slab.Fill(s.of[t], -1)
	}
	for k := range moves {
		e, _ := w.exchangeOf(&moves[k])
		for _, h := range e.arrivals(moves[k].last) {
			if h.at != chain.None && s.of[h.at.T][h.at.Det] < 0 {
				s.of[h.at.T][h.at.Det] = int32(len(s.tallies))
				s.tallies = append(s.tallies, tally{at: h.at, home: w.Prev[h.at.T][h.at.Det]})
			}
		}
	}
	sweeps := min(most, w.steps/steps)
	for draw := range sweeps {
		if err := ctx.Err(); err != nil {
			return err
		}
		for k := range moves[:usual] {
			s.move(&moves[k], 1)
		}
		for k := usual + draw%rarely; k < len(moves); k += rarely {
			s.move(&moves[k], rarely)
		}
		for k := range s.tallies {
			if x := &s.tallies[k]; w.Prev[x.at.T][x.at.Det] != x.home {
				x.other++
			}
		}
	}
	for k := range s.tallies {
		x := &s.tallies[k]
		home := max(float64(sweeps-x.other), 0.5)
		if x.other >= telling {
			x.odds = float64(x.other)
		}
		w.add(x.at, math.Log(x.odds/home))
	}
	return nil
}

// move makes an exchange, or leaves it. It is tried in one of so many draws.
func (s *sampler[S, E]) move(x *rival, of float64) {
	u := s.random.Float64()
	e, ok := s.exchangeOf(x)
	if !ok {
		return
	}
	odds := math.Exp(-s.sharpness * s.dearer(&e, x.last))
	for _, h := range e.arrivals(x.last) {
		if h.at == chain.None || s.of[h.at.T][h.at.Det] < 0 {
			continue
		}
		if y := &s.tallies[s.of[h.at.T][h.at.Det]]; s.Prev[h.at.T][h.at.Det] == y.home {
			y.odds += of * min(odds, 1)
		}
	}
	if odds < u {
		return
	}
	one, two := e.after(x.last)
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
	s.renewAlong(&one)
	s.renewAlong(&two)
}

// renewAlong computes the states after, and the information before, where a strand is new.
func (s *sampler[S, E]) renewAlong(x *strand) {
	f := &s.filter
	n := 0
	for at := x.next(); at != chain.None && n < forget; at = s.Next[at.T][at.Det] {
		scan := &s.scans[at.T]
		if p := s.Prev[at.T][at.Det]; p == chain.None {
			f.Start(&s.state, scan, int(at.Det))
		} else {
			s.state = s.states[p.T][p.Det]
			s.kinds[at.T][at.Det] = uint8(f.Advance(&s.state, scan.Time-s.scans[p.T].Time, scan, int(at.Det)))
			f.Update(&s.state, scan, int(at.Det))
		}
		same := f.LikeState(&s.state, &s.states[at.T][at.Det])
		s.states[at.T][at.Det] = s.state
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
			s.tail = s.tails[next.T][next.Det]
			f.Retreat(&s.tail, s.scans[next.T].Time-s.scans[at.T].Time, int(s.kinds[next.T][next.Det]))
		}
		f.Observe(&s.tail, &s.scans[at.T], int(at.Det))
		same := f.LikeInformation(&s.tail, &s.tails[at.T][at.Det])
		s.tails[at.T][at.Det] = s.tail
		if x.from == chain.None || at.T <= x.from.T {
			if n++; same {
				break
			}
		}
	}
}
