package metrics

import "math"

// This file says which chains of a relaxation a survey need not look at.
//
// A chain that the answer has nothing of, and all of whose options cost more than nothing, adds
// nothing to the bound and has no doubts. Falling prices make an option of it cheaper, at most by
// twice the most that a price has fallen in each of its frames. Until the sum of these has come to
// what it costs more the chain stays as it is: in a crowd nine of ten do at any time.

// A watch knows how far prices may fall until a survey has to look at a chain again.
type watch struct {
	near   float64    // what costs more no survey need to see
	span   [][2]int32 // of each chain: its first frame, the one after its last
	limit  []float64  // likewise: what fallen may come to in these
	frame  []int32    // of each slot
	price  []float64  // likewise, at the last survey
	fall   []float64  // of each frame: twice the most that prices have fallen from one survey to the next, summed over these
	fallen []float64  // of each frame, and one more: that of those before
	list   []int32
}

// newWatch begins with all chains to be looked at, given the frame of each option.
func newWatch(r *relaxation, frame []int32) *watch {
	w := &watch{
		span: make([][2]int32, len(r.chain)-1), limit: make([]float64, len(r.chain)-1),
		frame: make([]int32, len(r.price)), price: make([]float64, len(r.price)),
	}
	last := int32(0)
	for c := range w.span {
		from, to := r.chain[c], r.chain[c+1]
		w.span[c] = [2]int32{frame[from], frame[to-1] + 1}
		w.limit[c] = math.Inf(-1)
		last = max(last, frame[to-1])
	}
	for k, t := range frame {
		w.frame[r.slot[0][k]], w.frame[r.slot[1][k]] = t, t
	}
	w.fall, w.fallen = make([]float64, last+1), make([]float64, last+2)
	return w
}

// since is what has fallen in the frames of a chain.
func (w *watch) since(c int32) float64 { return w.fallen[w.span[c][1]] - w.fallen[w.span[c][0]] }

// live lists the chains that have to be looked at with these prices.
func (w *watch) live(price []float64) []int32 {
	most := make([]float64, len(w.fall))
	for s, x := range price {
		most[w.frame[s]] = max(most[w.frame[s]], w.price[s]-x)
	}
	copy(w.price, price)
	for t, x := range most {
		w.fall[t] += 2 * x
		w.fallen[t+1] = w.fallen[t] + w.fall[t]
	}
	w.list = w.list[:0]
	for c, limit := range w.limit {
		if w.since(int32(c)) >= limit {
			w.list = append(w.list, int32(c))
		}
	}
	return w.list
}

// look notes what a survey has found of a chain.
func (w *watch) look(r *relaxation, c int32) {
	least := math.Inf(1)
	for k := r.chain[c]; k < r.chain[c+1]; k++ {
		if r.one[k] || r.doubt[k] {
			least = math.Inf(-1)
			break
		}
		least = min(least, r.differ[k])
	}
	w.limit[c] = w.since(c) + least - w.near
}

// unwatched makes surveys look at all chains.
func (r *relaxation) unwatched() {
	r.watch, r.live = nil, make([]int32, len(r.chain)-1)
	for c := range r.live {
		r.live[c] = int32(c)
	}
}
