package cuda

import (
	"context"
	"fmt"

	"mtt"
	"mtt/costgen"
	"mtt/dualascent"
	"mtt/gating"
	"mtt/internal/cuda"
)

// This file shares a problem among several cards.
//
// Each card has a run of gaps, and of the run of the card beside it the gap that is next, which
// it does not visit but whose multipliers it needs: the node block between two runs takes from
// both. Runs begin at gaps of odd number. So after the visit to the gaps of even number, what
// their last one has pushed to the right goes to the card on the right, and after that to the others
// what their first one has pushed to the left goes to the card on the left: one multiplier for each
// arc of a gap and one for each node of a frame, once a pass. The cards wait for each other on the
// cards alone. Every gap sees the numbers that it would see on one card, and each is solved in the
// same way, so bounds are the same to the last bit but for the order in which values of gaps are added
// up, which is that of the gaps.

// A Split is a problem shared among cards. It raises bounds; answers are for the engine on the
// host, which goes on from [Split.Prices]. It is not safe for concurrent use.
type Split struct {
	parts []*Ascent
	cuts  []int  // first gap of each part, and the number of gaps
	edges []edge // between a part and the next
}

// An edge is where a part ends and the next begins, and what they tell each other.
type edge struct {
	left, right *Ascent
	u, birth    span // of the last gap on the left, and of its columns
	v, death    span // of the first gap on the right, and of its rows
}

// A span is n numbers that both cards have.
type span struct {
	left, right uintptr
	bytes       int
}

// NewSplit is [New] on several cards: at most as many as [Cards] says, and as there are pairs of gaps.
func NewSplit(inst *dualascent.Instance, cards int) (*Split, error) {
	list, err := firstCards(cards)
	if err != nil {
		return nil, err
	}
	return splitInstance(inst, list)
}

// firstCards are as many cards, or all.
func firstCards(n int) ([]*card, error) {
	all, err := allCards()
	if err != nil {
		return nil, err
	}
	return all[:max(1, min(n, len(all)))], nil
}

func splitInstance(inst *dualascent.Instance, cards []*card) (*Split, error) {
	if len(inst.Pairs) == 0 {
		panic(noGaps)
	}
	most, weight := boundsOf(inst), make([]int, len(inst.Pairs))
	for p := range weight {
		weight[p] = len(inst.Pairs[p].Col)
	}
	return newSplit(weight, cards, func(a *Ascent, lo, hi int) error {
		return a.send(&dualascent.Instance{Pairs: inst.Pairs[lo : hi-1], Blocks: inst.Blocks[lo : hi-2]}, most)
	})
}

// NewPaperSplit is [NewPaper] on several cards.
func NewPaperSplit(scans []mtt.Scan, gate gating.Disc, model *costgen.Paper, cards int) (*Split, error) {
	return paperSource(scans, gate, model).split(cards)
}

// NewGaussianSplit is [NewGaussian] on several cards.
func NewGaussianSplit(scans []mtt.Scan, gate gating.Disc, model *costgen.Gaussian, cards int) (*Split, error) {
	return gaussianSource(scans, gate, model).split(cards)
}

func (s *source) split(n int) (*Split, error) {
	cards, err := firstCards(n)
	if err != nil {
		return nil, err
	}
	return s.splitAmong(cards)
}

func (s *source) splitAmong(cards []*card) (*Split, error) {
	weight := make([]int, len(s.scans)-1)
	for p := range weight {
		weight[p] = s.scans[p].Len() * s.scans[p+1].Len()
	}
	return newSplit(weight, cards, func(a *Ascent, lo, hi int) error { return a.generate(s, lo, hi) })
}

// newSplit cuts gaps of these weights into runs and makes the frames from lo to hi−1 of each.
func newSplit(weight []int, cards []*card, make func(a *Ascent, lo, hi int) error) (*Split, error) {
	s := &Split{cuts: cutGaps(weight, len(cards))}
	for k := range len(s.cuts) - 1 {
		from, to := s.cuts[k], s.cuts[k+1]
		lo, hi := max(from-1, 0), min(to+2, len(weight)+1)
		a := &Ascent{card: cards[k]}
		s.parts = append(s.parts, a)
		a.model.firstGap, a.model.endGap = int32(from-lo), int32(to-lo)
		if err := make(a, lo, hi); err != nil {
			_ = s.Free()
			return nil, err
		}
	}
	for k := range len(s.parts) - 1 {
		e, err := newEdge(s.parts[k], s.parts[k+1])
		if err != nil {
			_ = s.Free()
			return nil, err
		}
		s.edges = append(s.edges, e)
	}
	return s, nil
}

// cutGaps cuts gaps into at most n runs of much the same weight, which begin at 0 and at gaps of
// odd number. It returns where they begin, and the number of gaps.
func cutGaps(weight []int, n int) []int {
	total := 0
	for _, w := range weight {
		total += w
	}
	cuts, sum := []int{0}, 0
	for p, w := range weight {
		if len(cuts) < n && p%2 == 1 && p > cuts[len(cuts)-1] && sum*n >= total*len(cuts) {
			cuts = append(cuts, p)
		}
		sum += w
	}
	return append(cuts, len(weight))
}

// newEdge finds where parts have what lies between them.
func newEdge(left, right *Ascent) (e edge, err error) {
	l, r := newPlaces(left, &err), newPlaces(right, &err)
	if err != nil {
		return e, err
	}
	last, next := int(left.model.endGap)-1, int(right.model.firstGap) // gaps
	arcs := func(here, there uintptr, p, q int) span {
		from, to := l.arcs(p)
		other, _ := r.arcs(q)
		return span{here + uintptr(8*from), there + uintptr(8*other), 8 * (to - from)}
	}
	nodes := func(here, there uintptr) span { // of the frame between the two gaps
		from, to := l.first[last+1], l.first[last+2]
		return span{here + uintptr(8*from), there + uintptr(8*r.first[next]), 8 * int(to-from)}
	}
	a, b := &left.model, &right.model
	return edge{
		left: left, right: right,
		u: arcs(a.u, b.u, last, next-1), birth: nodes(a.uBirth, b.uBirth),
		v: arcs(a.v, b.v, last+1, next), death: nodes(a.vDeath, b.vDeath),
	}, nil
}

// places are where the nodes of frames and the arcs of nodes begin.
type places struct{ first, out []int32 }

func newPlaces(a *Ascent, err *error) (p places) {
	p.first, p.out = make([]int32, a.size.frames+1), make([]int32, a.size.nodes+1)
	if *err == nil {
		*err = cuda.Read(a.stream, p.first, a.model.first)
	}
	if *err == nil {
		*err = cuda.Read(a.stream, p.out, a.model.out)
	}
	return p
}

// arcs are those of a gap, from and to.
func (p *places) arcs(gap int) (from, to int) {
	return int(p.out[p.first[gap]]), int(p.out[p.first[gap+1]])
}

// tell sends what the gaps of a colour have pushed over the edge.
func (e *edge) tell(colour int) error {
	from, to := e.left, e.right
	if colour == 1 {
		from, to = to, from
	}
	for _, x := range [][]span{{e.u, e.birth}, {e.v, e.death}}[colour] {
		there, here := x.right, x.left
		if colour == 1 {
			there, here = here, there
		}
		if err := from.stream.CopyTo(to.card.device, there, here, x.bytes); err != nil {
			return err
		}
	}
	var err error
	if from.sent[colour], err = from.stream.Record(from.sent[colour]); err != nil {
		return err
	}
	return to.stream.After(from.sent[colour])
}

// Free gives the memory of all cards back.
func (s *Split) Free() error {
	var first error
	for _, a := range s.parts {
		if err := a.Free(); first == nil {
			first = err
		}
	}
	s.parts = nil
	return first
}

// Parts is the number of cards.
func (s *Split) Parts() int { return len(s.parts) }

// Pass is [Ascent.Pass] over all cards.
func (s *Split) Pass(ctx context.Context, share float64) (bound float64, err error) {
	return s.visit(ctx, share, s.parts[0].warm)
}

func (s *Split) visit(ctx context.Context, share float64, few bool) (bound float64, err error) {
	return visit(ctx, s.parts, share, few, func(colour int) error {
		for k := range s.edges {
			if err := s.edges[k].tell(colour); err != nil {
				return err
			}
		}
		return nil
	})
}

// Raise is [Ascent.Raise] over all cards.
func (s *Split) Raise(ctx context.Context, passes int) (bound float64, err error) {
	bound, _, err = raise(ctx, s.visit, passes)
	return bound, err
}

// Prove is [Ascent.Prove] over all cards.
func (s *Split) Prove() (bound float64, err error) {
	for _, a := range s.parts {
		part, err := a.Prove()
		if err != nil {
			return 0, err
		}
		bound += part
	}
	return bound, nil
}

// Prices are the multipliers and prices of the gaps of inst, which is what NewSplit got.
func (s *Split) Prices(inst *dualascent.Instance) ([]dualascent.Prices, error) {
	list := make([]dualascent.Prices, 0, len(inst.Pairs))
	for k, a := range s.parts {
		lo := s.cuts[k] - int(a.model.firstGap)
		part, err := a.Prices(&dualascent.Instance{Pairs: inst.Pairs[lo : lo+a.Gaps()]})
		if err != nil {
			return nil, fmt.Errorf("card %d: %w", k, err)
		}
		list = append(list, part[a.model.firstGap:a.model.endGap]...)
	}
	return list, nil
}
