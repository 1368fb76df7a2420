package trackgraph

import "slices"

// This file makes an answer without any search, for those who cannot wait.

// greedy is an answer that each detection, in order of time, makes for itself: with the costs of
// arcs divided as prices say it does what is cheapest, with heads that nobody has taken, and is not
// used where that is cheaper and nobody has taken it. It takes time as Bound does. Its price may be
// +Inf.
func (g *Graph) greedy(p *Prices) *Answer {
	t := newStars(g, p)
	a := &Answer{Used: make([]bool, g.Detections()), Chosen: make([]bool, len(g.Cost))}
	order := make([]int32, g.Detections())
	for d := range order {
		order[d] = int32(d)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return g.Frame[a] - g.Frame[b] })
	taken := make([]bool, g.Detections())
	for _, d := range order {
		s, arcs := t.at(int(d)), t.out[t.outPtr[d]:t.outPtr[d+1]]
		for k, arc := range arcs {
			if taken[g.Head[arc]] {
				s.out[k] = never
			}
		}
		one, two, cost := s.successors()
		if begin := s.use + s.birth + cost; !taken[d] && begin >= s.unused {
			continue
		}
		a.Used[d] = true
		for _, k := range [2]int{one, two} {
			if k >= 0 {
				a.Chosen[arcs[k]], taken[g.Head[arcs[k]]] = true, true
			}
		}
	}
	return a
}

// successors are the positions of the cheapest arcs after a detection, nobody where there is none,
// and their price. Triplets do not count.
func (s *star) successors() (one, two int, cost float64) {
	one, two, cost = nobody, nobody, s.end
	first, second := nobody, nobody // the two cheapest arcs
	for k, x := range s.out {
		if x < cost {
			one, cost = k, x
		}
		switch {
		case first < 0 || x < s.out[first]:
			first, second = k, first
		case second < 0 || x < s.out[second]:
			second = k
		}
	}
	offer := func(i, j int, price float64) {
		if x := s.out[i] + s.out[j] + price; x < cost {
			one, two, cost = i, j, x
		}
	}
	if len(s.pair) == 0 && second >= 0 {
		offer(first, second, s.divide)
	}
	for _, y := range s.pair {
		offer(int(y.a), int(y.b), y.cost)
	}
	return one, two, cost
}
