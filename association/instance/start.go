package instance

import (
	"encoding/binary"
	"math"
	"slices"

	"mtt"
	"mtt/association/chain"
	"mtt/dualascent"
	"mtt/internal/workers"
)

// This file carries what one run found over to another, of scans that are mostly
// the same.

// A Start is what an earlier run found: multipliers and links, and the detections and
// arcs to which they belong. Frames are known by their number, detections by where
// they are, so that either run may have some that the other lacks.
type Start struct {
	Scans  []mtt.Scan
	Coast  [][]Coast              // of each frame, see Instance
	Pairs  []dualascent.FramePair // of which the pattern is read
	Prices []dualascent.Prices    // of each frame pair
	Next   [][]int32              // of each frame pair: the arc taken by each node; nil: no answer is known
}

// NewStart is where a run goes on from that solved inst with the result d; nil when
// that has no prices. It shares their memory.
func NewStart(inst *Instance, d *dualascent.Result) *Start {
	if d == nil || d.Next == nil || d.Prices == nil {
		return nil
	}
	return &Start{Scans: inst.Scans, Coast: inst.Coast, Pairs: inst.Dual.Pairs, Prices: d.Prices, Next: d.Next}
}

// Complete finds the ends of the links over misses, From, Since, To and Until of the
// coast nodes, from their Prev and Next. A node whose Prev or Next is none leads nowhere.
func (s *Start) Complete() {
	for t := range s.Coast {
		for k := range s.Coast[t] {
			c := &s.Coast[t][k]
			if c.From, c.Since = c.Prev, 1; t > 0 {
				if b := int(c.Prev) - s.Scans[t-1].Len(); b >= 0 && b < len(s.Coast[t-1]) {
					before := &s.Coast[t-1][b]
					c.From, c.Since = before.From, before.Since+1
				}
			}
		}
	}
	for t := len(s.Coast) - 1; t >= 0; t-- {
		for k := range s.Coast[t] {
			c := &s.Coast[t][k]
			if c.To, c.Until = c.Next, 1; t+1 < len(s.Coast) {
				if a := int(c.Next) - s.Scans[t+1].Len(); a >= 0 && a < len(s.Coast[t+1]) {
					after := &s.Coast[t+1][a]
					c.To, c.Until = after.To, after.Until+1
				}
			}
		}
	}
}

// meet finds the scans and their detections in those of the earlier run.
func (s *Start) meet(scans []mtt.Scan) (was []int, same [][]int32) {
	frame := mtt.ByFrame(s.Scans)
	same = make([][]int32, len(scans)) // detection → that of the earlier run; -1: none
	was = make([]int, len(scans))      // scan → that of the earlier run; -1: none
	for t := range same {
		was[t] = -1
		if f, ok := frame[scans[t].Frame]; ok {
			was[t] = f
			same[t] = matching(&scans[t], &s.Scans[f])
		} else {
			same[t] = slices.Repeat([]int32{-1}, scans[t].Len())
		}
	}
	return was, same
}

// skips are the links over misses of the earlier run, as far as they make sense for
// the scans.
func (s *Start) skips(scans []mtt.Scan) (all []skip) {
	was, same := s.meet(scans)
	now := slices.Repeat([]int{-1}, len(s.Scans))
	is := make([][]int32, len(s.Scans)) // detection of the earlier run → that of scans; -1: none
	for t, f := range was {
		if f < 0 {
			continue
		}
		now[f], is[f] = t, slices.Repeat([]int32{-1}, s.Scans[f].Len())
		for i, k := range same[t] {
			if k >= 0 {
				is[f][k] = int32(i)
			}
		}
	}
	for f := range s.Coast {
		for _, c := range s.Coast[f] {
			g, h := f-int(c.Since), f+int(c.Until)
			if c.Since != 1 || g < 0 || h >= len(now) || now[g] < 0 || now[h] < 0 || c.From < 0 || c.To < 0 || int(c.From) >= len(is[g]) || int(c.To) >= len(is[h]) || now[h]-now[g] != h-g {
				continue
			}
			l := skip{chain.At(now[g], is[g][c.From]), chain.At(now[h], is[h][c.To])}
			if l.from.Det >= 0 && l.to.Det >= 0 {
				all = append(all, l)
			}
		}
	}
	slices.SortFunc(all, compareSkips)
	return slices.Compact(all)
}

// carry is the start in terms of inst. What the earlier run had not has the price 0. Of inst itself
// it is what the run found.
func (s *Start) carry(inst *Instance, goroutines int) (prices []dualascent.Prices, next [][]int32) {
	if pairs := inst.Dual.Pairs; len(pairs) > 0 && len(s.Pairs) == len(pairs) && &s.Pairs[0] == &pairs[0] {
		return s.Prices, s.Next
	}
	was, same := s.meet(inst.Scans)
	nodes := make([][]int32, len(inst.Scans)) // node → that of the earlier run; -1: none
	goroutines = workers.Count(goroutines)
	workers.Each(goroutines, len(inst.Scans), func(_, t int) {
		nodes[t] = s.coasts(inst, t, was, same)
	})
	prices, next = make([]dualascent.Prices, len(inst.Dual.Pairs)), make([][]int32, len(inst.Dual.Pairs))
	workers.Each(goroutines, len(inst.Dual.Pairs), func(_, t int) {
		g := &inst.Dual.Pairs[t]
		prices[t] = dualascent.Prices{
			U: make([]float64, len(g.Col)), V: make([]float64, len(g.Col)),
			Birth: make([]float64, g.Cols), Death: make([]float64, g.Rows), Col: make([]float64, g.Cols),
		}
		next[t] = slices.Repeat([]int32{-1}, g.Rows)
		if f := was[t]; f >= 0 && was[t+1] == f+1 {
			s.framePair(f, g, &prices[t], next[t], nodes[t], nodes[t+1])
		}
	})
	return prices, next
}

// coasts are the nodes of frame t in the earlier run, its detections first; -1: not there.
func (s *Start) coasts(inst *Instance, t int, was []int, same [][]int32) []int32 {
	list := slices.Grow(slices.Clone(same[t]), len(inst.Coast[t]))
	nodes := make(map[Coast]int32) // of the earlier run
	if f := was[t]; f >= 0 && len(inst.Coast[t]) > 0 {
		for k, c := range s.Coast[f] {
			nodes[c.link()] = int32(s.Scans[f].Len() + k)
		}
	}
	for _, c := range inst.Coast[t] {
		node := int32(-1)
		g, h := t-int(c.Since), t+int(c.Until)
		if was[g] >= 0 && was[h]-was[g] == h-g {
			k := c.link()
			if k.From, k.To = same[g][c.From], same[h][c.To]; k.From >= 0 && k.To >= 0 {
				if n, ok := nodes[k]; ok {
					node = n
				}
			}
		}
		list = append(list, node)
	}
	return list
}

// framePair carries frame pair f over to g, whose rows and columns were those of the earlier run
// that are listed.
func (s *Start) framePair(f int, g *dualascent.FramePair, m *dualascent.Prices, taken, rows, cols []int32) {
	old, from := &s.Pairs[f], &s.Prices[f]
	at := make([]int32, old.Cols) // earlier column → arc of the row at hand
	for j := range at {
		at[j] = -1
	}
	for j, k := range cols {
		if k >= 0 {
			m.Birth[j], m.Col[j] = value(from.Birth, int(k)), value(from.Col, int(k))
		}
	}
	for i, r := range rows {
		if r < 0 {
			continue
		}
		m.Death[i] = value(from.Death, int(r))
		for e := old.Ptr[r]; e < old.Ptr[r+1]; e++ {
			at[old.Col[e]] = int32(e)
		}
		for a := g.Ptr[i]; a < g.Ptr[i+1]; a++ {
			k := cols[g.Col[a]]
			if k < 0 || at[k] < 0 {
				continue
			}
			e := at[k]
			m.U[a], m.V[a] = value(from.U, int(e)), value(from.V, int(e))
			if s.Next != nil && s.Next[f][r] == e {
				taken[i] = int32(a)
			}
		}
		for e := old.Ptr[r]; e < old.Ptr[r+1]; e++ {
			at[old.Col[e]] = -1
		}
	}
}

// value is an element of s; 0 when s is empty, as multipliers without a block are
// in a certificate.
func value(s []float64, k int) float64 {
	if len(s) == 0 {
		return 0
	}
	return s[k]
}

// matching finds each detection of scan a in scan b; -1: it is not there. Of several
// in one place, the first belong together.
func matching(a, b *mtt.Scan) []int32 {
	if len(a.Pos) == len(b.Pos) && len(a.Pos) > 0 && &a.Pos[0] == &b.Pos[0] { // the same scan
		list := make([]int32, a.Len())
		for i := range list {
			list[i] = int32(i)
		}
		return list
	}
	place := func(s *mtt.Scan, i int) string {
		var key []byte
		for _, x := range s.At(i) {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x))
		}
		return string(key)
	}
	free := make(map[string][]int32)
	for i := range b.Len() {
		k := place(b, i)
		free[k] = append(free[k], int32(i))
	}
	list := make([]int32, a.Len())
	for i := range list {
		k := place(a, i)
		list[i] = -1
		if f := free[k]; len(f) > 0 {
			list[i], free[k] = f[0], f[1:]
		}
	}
	return list
}
