package association

import (
	"encoding/binary"
	"math"
	"slices"

	"mtt"
	"mtt/dualascent"
)

// This file carries what one run found over to another, of scans that are mostly
// the same.

// A Start is what an earlier run found: multipliers and links, and the detections and
// arcs to which they belong. Frames are known by their number, detections by where
// they are, so that either run may have some that the other lacks.
type Start struct {
	Scans  []mtt.Scan
	Coast  [][]Coast           // of each frame, see Instance
	Gaps   []dualascent.Gap    // of which the pattern is read
	Prices []dualascent.Prices // of each gap
	Next   [][]int32           // of each gap: the arc taken by each node
}

// Start is where a run that goes on from r starts; nil when r has no prices. It
// shares the memory of r.
func (r *Result) Start() *Start {
	if r.Dual == nil || r.Dual.Next == nil {
		return nil
	}
	inst := r.Instance
	return &Start{Scans: inst.Scans, Coast: inst.Coast, Gaps: inst.Dual.Gaps, Prices: r.Dual.Prices, Next: r.Dual.Next}
}

// carry is the start in terms of inst. What the earlier run had not has the price 0.
func (s *Start) carry(inst *Instance) (prices []dualascent.Prices, next [][]int32) {
	frame := make(map[int]int) // number → scan
	for t := range s.Scans {
		frame[s.Scans[t].Frame] = t
	}
	same := make([][]int32, len(inst.Scans)) // node → that of the earlier run; -1: none
	was := make([]int, len(inst.Scans))      // scan → that of the earlier run; -1: none
	for t := range same {
		was[t] = -1
		if f, ok := frame[inst.Scans[t].Frame]; ok {
			was[t] = f
			same[t] = matching(&inst.Scans[t], &s.Scans[f])
		} else {
			same[t] = slices.Repeat([]int32{-1}, inst.Scans[t].Len())
		}
	}
	for t := range inst.Coast { // after all detections
		for _, c := range inst.Coast[t] {
			node := int32(-1)
			if f := was[t]; f > 0 && f+1 < len(s.Scans) && was[t-1] == f-1 && was[t+1] == f+1 {
				from, to := same[t-1][c.From], same[t+1][c.To]
				if k := slices.Index(s.Coast[f], Coast{from, to}); k >= 0 {
					node = int32(s.Scans[f].Len() + k)
				}
			}
			same[t] = append(same[t], node)
		}
	}
	for t := range inst.Dual.Gaps {
		g := &inst.Dual.Gaps[t]
		m := dualascent.Prices{
			U: make([]float64, len(g.Col)), V: make([]float64, len(g.Col)),
			Birth: make([]float64, g.Cols), Death: make([]float64, g.Rows), Col: make([]float64, g.Cols),
		}
		taken := slices.Repeat([]int32{-1}, g.Rows)
		if f := was[t]; f >= 0 && was[t+1] == f+1 {
			s.gap(f, g, &m, taken, same[t], same[t+1])
		}
		prices, next = append(prices, m), append(next, taken)
	}
	return prices, next
}

// gap carries gap f over to g, whose rows and columns were those of the earlier run
// that are listed.
func (s *Start) gap(f int, g *dualascent.Gap, m *dualascent.Prices, taken, rows, cols []int32) {
	old, from := &s.Gaps[f], &s.Prices[f]
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
			if s.Next[f][r] == e {
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
