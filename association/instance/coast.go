package instance

import (
	"cmp"
	"math"

	"mtt"
	"mtt/association/chain"
	"mtt/costgen"
)

// This file gives links over missed detections their nodes.

// A Coast is a coast node: "a target is here, undetected". A link over k missed
// detections has k of them, one in each frame that it passes over, and no other
// link has a share in them; so a coast node has one arc in and one arc out, and
// each link is priced by itself.
type Coast struct {
	From, To     int32 // the detections at the ends of the link
	Since, Until int32 // how many scans before and after its frame they are
	Prev, Next   int32 // the nodes of the frames before and after that its arcs join it with
}

// link is the coast node without its neighbours: what tells it from others of its
// frame.
func (c Coast) link() Coast {
	c.Prev, c.Next = 0, 0
	return c
}

// A skip is a link over missed detections.
type skip struct {
	from, to chain.Node
}

// passed is the number of scans that the link passes over, and of coast nodes that it has.
func (l *skip) passed() int { return int(l.to.T-l.from.T) - 1 }

// compareSkips orders skips by scan and detection that they leave, then by those
// that they lead to.
func compareSkips(x, y skip) int {
	return cmp.Or(
		cmp.Compare(x.from.T, y.from.T), cmp.Compare(x.from.Det, y.from.Det),
		cmp.Compare(x.to.T, y.to.T), cmp.Compare(x.to.Det, y.to.Det))
}

// union are the skips of two lists, each in order and once, in order, each once.
func union(a, b []skip) []skip {
	all := make([]skip, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		c := compareSkips(a[0], b[0])
		if c <= 0 {
			all, a = append(all, a[0]), a[1:]
		} else {
			all = append(all, b[0])
		}
		if c >= 0 {
			b = b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// coasts makes the coast nodes of the skips, which are in order.
func (inst *Instance) coasts() {
	inst.Coast = make([][]Coast, len(inst.Scans))
	for _, l := range inst.skips {
		prev, last := l.from.Det, l.passed()
		for n := 1; n <= last; n++ {
			t := int(l.from.T) + n
			node := int32(inst.nodes(t))
			if n > 1 {
				before := inst.Coast[t-1]
				before[len(before)-1].Next = node
			}
			inst.Coast[t] = append(inst.Coast[t], Coast{
				From: l.from.Det, To: l.to.Det, Since: int32(n), Until: int32(last + 1 - n), Prev: prev, Next: l.to.Det,
			})
			prev = node
		}
	}
}

// nodes is the number of nodes of frame t.
func (inst *Instance) nodes(t int) int { return inst.Scans[t].Len() + len(inst.Coast[t]) }

// Misses is the greatest number of missed detections in a row that a link of the
// instance passes over.
func (inst *Instance) Misses() int {
	most := 0
	for i := range inst.skips {
		most = max(most, inst.misses(&inst.skips[i]))
	}
	return most
}

// misses is the number of detections that are missed where a link passes over scans. One that does
// not see the target costs next to nothing and misses nothing: where misses depend on place
// and sensor, those of a link are as many as cost what all the scans that it passes over do.
func (inst *Instance) misses(l *skip) int {
	if inst.passed == nil {
		return l.passed()
	}
	return inst.worth(inst.passes(int(l.from.T), l.from.Det, int(l.to.T), l.to.Det))
}

// worth is the number of misses that cost so much, to the nearest.
func (inst *Instance) worth(price float64) int {
	return int(math.Round(min(max(0, price/inst.price.Miss), math.MaxInt32)))
}

// missed is the price of n misses in a row.
func (inst *Instance) missed(n int) float64 {
	again := inst.price.Again
	if again == 0 {
		again = inst.price.Miss
	}
	return inst.price.Miss + float64(n-1)*again
}

// A side lists the detections at the other ends of the arcs on one side of a
// detection, past coast nodes. Those of one scan follow each other.
type side struct {
	dets   []int32
	groups []group
}

// A group is a run of arcs whose other ends lie in one scan.
type group struct {
	scan   int
	lo, hi int
}

func (s *side) add(scan int, det int32) {
	n := len(s.dets)
	s.dets = append(s.dets, det)
	if k := len(s.groups) - 1; k >= 0 && s.groups[k].scan == scan {
		s.groups[k].hi++
		return
	}
	s.groups = append(s.groups, group{scan, n, n + 1})
}

// left makes s the side of the arcs that come from nodes tails of frame t.
func (s *side) left(inst *Instance, t int, tails []int32) {
	s.dets, s.groups = s.dets[:0], s.groups[:0]
	n := inst.Scans[t].Len()
	for _, i := range tails {
		if c := int(i) - n; c < 0 {
			s.add(t, i)
		} else {
			coast := &inst.Coast[t][c]
			s.add(t-int(coast.Since), coast.From)
		}
	}
}

// right makes s the side of the arcs that lead to nodes heads of frame t.
func (s *side) right(inst *Instance, t int, heads []int32) {
	s.dets, s.groups = s.dets[:0], s.groups[:0]
	n := inst.Scans[t].Len()
	for _, j := range heads {
		if c := int(j) - n; c < 0 {
			s.add(t, j)
		} else {
			coast := &inst.Coast[t][c]
			s.add(t+int(coast.Until), coast.To)
		}
	}
}

// passing is the price of the arc from frame t into a coast node of frame t+1.
func (inst *Instance) passing(t int, c Coast) float64 {
	if inst.passed != nil {
		a, s, b := &inst.Scans[t+1-int(c.Since)], &inst.Scans[t+1], &inst.Scans[t+1+int(c.Until)]
		x := costgen.Between(a.At(int(c.From)), b.At(int(c.To)), a.Time, b.Time, s.Time)
		if price, differs := inst.passed.Passed(s, x[:a.Dim]); differs {
			return price
		}
	}
	if c.Since == 1 {
		return inst.price.Miss
	}
	return inst.missed(2) - inst.missed(1)
}

// misser is the model, if what it costs to pass over any of scans differs from its Ends.
func misser(model costgen.Model, scans []mtt.Scan) costgen.Local {
	local, ok := model.(costgen.Local)
	if !ok {
		return nil
	}
	var origin [3]float64
	for t := range scans {
		if _, differs := local.Passed(&scans[t], origin[:max(2, scans[t].Dim)]); differs {
			return local
		}
	}
	return nil
}

// passes is the price of passing over the frames between detection i of frame s and
// detection k of frame u.
func (inst *Instance) passes(s int, i int32, u int, k int32) (price float64) {
	for t := s + 1; t < u; t++ {
		price += inst.passing(t-1, Coast{From: i, To: k, Since: int32(t - s), Until: int32(u - t)})
	}
	return price
}
