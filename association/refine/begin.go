package refine

import (
	"cmp"
	"math"
	"slices"

	"mtt/association/chain"
	"mtt/costgen"
	"mtt/internal/slab"
	"mtt/internal/workers"
)

// This file begins tracks, and takes back those that should not have begun.
//
// With positions only, two detections of one target are hardly ever likelier than two
// false alarms: the second can be anywhere that the target could have got to. A third
// where the first two point to settles it, and no move that changes one link at a time
// gets there. So sprouts are grown from all detections of the window in no track:
// sequences of such detections, each with its filtered state and its price. A detection
// keeps the cheapest few that end there. Of those that are cheaper as tracks than as
// false alarms the cheapest that have no detection in common become tracks. Sprouts grow
// from tracks that ended, too: where one is missed between two detections after a long gap,
// the first alone may be dearer than a false alarm, and only both together bring the track
// back. Likewise a young track gives up its first detections, or all, where they are cheaper
// as false alarms.

// Begins is the number of scans, the last ones, in which tracks begin. With a fifth of the
// detections missed 12 find no more tracks than 8, and 5 find fewer.
const Begins = 8

// rests is by how many scans Begins is more for each that lies between two of one sensor: so many of those
// are five of each sensor.
const rests = 4

// Begun is the number of scans, the last ones, in which tracks begin, where so many lie between two
// of one sensor.
func Begun(between int) int { return Begins + rests*between }

// Sprouts pass over at most strides misses in a row; of those that end in one detection the
// kept cheapest go on, and none does that costs so much more than false alarms.
const strides, kept, hopeless = 2, 8, 20

// young is the number of detections up to which a track is looked at as a whole.
const young = 8

// A sprout is what could be a track, up to one of its detections.
type sprout[S any] struct {
	at     chain.Node
	before int32   // the sprout without its last detection; seed: that is its only one; stump: and ends a track
	cost   float64 // less that of its detections as they are, death left out
	state  S
}

// What is before the first sprout of a chain of them.
const seed, stump = -1, -2

// sprouts is the workspace of begin.
type sprouts[S any] struct {
	all    []sprout[S]
	first  int   // scan
	ptr    []int // those that end in scan first+t are all[ptr[t]:ptr[t+1]],
	stumps []int // so many of which, the first ones, are tracks that ended
	goOn   bool  // whether these may go on
	free   []int32
	longer [][]longer // by the scan in which sprouts end
	best   [][]choice // of each free detection of the scan at hand: the sprouts that it lengthens, with the cost so far
	order  []int32
	points []float64
	path   []chain.Node
	cuts   []uint8 // of the detections of a scan
}

// A longer is a sprout made longer by a free detection of the scan at hand.
type longer struct {
	free   int32
	choice choice
}

// begin makes tracks of detections that are in none, or has tracks that ended go on with them.
func (w *window[S, E]) begin() {
	s := &w.sprouts
	from := max(0, len(w.scans)-w.begins)
	s.all, s.ptr, s.stumps, s.first = s.all[:0], append(s.ptr[:0], 0), s.stumps[:0], max(0, from-int(w.reach))
	s.goOn = !Broken(w.refiner.Links, len(w.scans)-1, w.levels) // else it would hide that
	for t := s.first; t < len(w.scans); t++ {
		w.movers[0].grow(s, int32(t), t >= from)
	}
	s.order = s.order[:0]
	total := func(k int32) float64 { return s.all[k].cost + w.death(s.all[k].at) }
	for k := range s.all {
		if s.all[k].before >= 0 && total(int32(k)) < -slightest {
			s.order = append(s.order, int32(k))
		}
	}
	slices.SortStableFunc(s.order, func(a, b int32) int { return cmp.Compare(total(a), total(b)) })
	for _, k := range s.order {
		s.path = s.path[:0]
		for ; k >= 0; k = s.all[k].before {
			s.path = append(s.path, s.all[k].at)
		}
		first, free := s.path[len(s.path)-1], s.path
		if k == stump {
			free = s.path[:len(s.path)-1]
		}
		if w.Next[first.T][first.Det] != chain.None || slices.ContainsFunc(free, w.linked) {
			continue
		}
		for n := len(s.path) - 1; n > 0; n-- {
			w.link(s.path[n], s.path[n-1])
		}
	}
}

// LeftOver is the number of detections of scan t of a window that follow nothing: they are in no
// track, or begin one. Targets that do what the levels exclude may break into tracks that each fit
// them. In the first scan of the window all do that.
func LeftOver(links *chain.Links, t int) (n float64) {
	for i, p := range links.Prev[t] {
		if p == chain.None && (t > 0 || links.Next[t][i] == chain.None) {
			n++
		}
	}
	return n
}

// Broken reports whether most detections of scan t of a window follow nothing, and many more than
// there should be false alarms, echoes and births: targets do what the levels exclude.
func Broken(links *chain.Links, t int, levels *costgen.Levels) bool {
	left, all := LeftOver(links, t), float64(len(links.Prev[t]))
	return left > levels.LeftOver(all, 1) && 2*left > all
}

// slightest is the least that a change must save, so that rounding makes none.
const slightest = 1e-6

// linked reports whether a detection is in a track with others.
func (r *refiner[S, E]) linked(h chain.Node) bool {
	return r.Next[h.T][h.Det] != chain.None || r.Prev[h.T][h.Det] != chain.None
}

// grow adds the sprouts that end in scan t: tracks that end there, and where tracks may begin what
// detections in none make.
func (m *mover[S, E]) grow(s *sprouts[S], t int32, begins bool) {
	scan := &m.scans[t]
	s.free, s.points = s.free[:0], s.points[:0]
	for i, next := range m.Next[t] {
		at := chain.At(t, i)
		switch {
		case next != chain.None:
		case m.Prev[t][i] != chain.None:
			if s.goOn {
				s.all = append(s.all, sprout[S]{at: at, before: stump, cost: -m.death(at), state: m.states[t][i]})
			}
		case begins:
			s.free, s.points = append(s.free, int32(i)), append(s.points, scan.At(i)...)
		}
	}
	s.stumps = append(s.stumps, len(s.all)-s.ptr[int(t)-s.first])
	for _, i := range s.free {
		at := chain.At(t, i)
		s.all = append(s.all, sprout[S]{at: at, before: seed, cost: m.birth(at) + m.filter.First(scan, int(i)) - m.alone(at)})
		m.filter.Start(&s.all[len(s.all)-1].state, scan, int(i))
	}
	s.best = slab.Keep(s.best, len(s.free))
	for c := range s.best {
		s.best[c] = s.best[c][:0]
	}
	if len(s.free) > 0 {
		first := max(int32(s.first), t-max(m.lone, m.reach))
		s.longer = slab.Keep(s.longer, int(t-first))
		workers.Each(len(m.movers), int(t-first), func(w, k int) {
			s.longer[k] = m.movers[w].lengthen(s.longer[k][:0], s, first+int32(k), t)
		})
		for _, list := range s.longer {
			for _, l := range list {
				s.best[l.free] = keep(s.best[l.free], kept, l.choice)
			}
		}
	}
	for c, det := range s.free {
		for _, b := range s.best[c] {
			from := &s.all[b.of]
			dt := scan.Time - m.scans[from.at.T].Time
			s.all = append(s.all, sprout[S]{at: chain.At(t, det), before: b.of, cost: b.cost, state: from.state})
			state := &s.all[len(s.all)-1].state
			_, kind := m.filter.Price(state, dt, scan, int(det))
			m.filter.Take(state, scan, int(det), kind)
		}
	}
	s.ptr = append(s.ptr, len(s.all))
}

// lengthen appends what makes the sprouts that end in scan u longer by a free detection of scan t.
func (m *mover[S, E]) lengthen(dst []longer, s *sprouts[S], u, t int32) []longer {
	scan, lo := &m.scans[t], s.ptr[int(u)-s.first]
	from := s.all[lo:s.ptr[int(u)-s.first+1]]
	if t-u > m.lone { // of those that are in no track it is too far
		from = from[:s.stumps[int(u)-s.first]]
	}
	if len(from) == 0 {
		return dst
	}
	found, dt := m.reachable(from, t, s.points), scan.Time-m.scans[u].Time
	for r := range from {
		for _, c := range found.Row(r) {
			at := chain.At(t, s.free[c])
			m.state = from[r].state
			cost := from[r].cost + m.run(from[r].at, at, math.Inf(1)) + m.pair(from[r].at, at) - m.alone(at)
			price, _ := m.filter.Price(&m.state, dt, scan, int(at.Det))
			if cost += price; cost > hopeless {
				continue
			}
			dst = append(dst, longer{c, choice{cost, int32(lo + r)}})
		}
	}
	return dst
}

// uproot takes the first detections of young tracks out of them, or takes them apart, where
// that is cheaper.
func (w *window[S, E]) uproot() {
	s := &w.sprouts
	for t := max(0, len(w.scans)-w.begins); t < len(w.scans); t++ {
		s.cuts = slab.Grow(s.cuts, len(w.Next[t]))
		if m := w.movers[0]; m.shares(len(s.cuts)) {
			m.share(len(s.cuts), func(m *mover[S, E], from, to int) { m.cutEach(s.cuts, t, from, to) })
		} else {
			m.cutEach(s.cuts, t, 0, len(s.cuts))
		}
		for i, cut := range s.cuts {
			for at := chain.At(t, i); cut > 0; cut-- {
				next := w.Next[at.T][at.Det]
				w.unlink(at)
				at = next
			}
		}
	}
}

// cutEach sets dst to cut for the detections from ≤ i < to of scan t.
func (m *mover[S, E]) cutEach(dst []uint8, t, from, to int) {
	var room [young + 1]chain.Node
	for i := from; i < to; i++ {
		dst[i] = m.cut(room[:0], chain.At(t, i))
	}
}

// cut is how many of the links of the young track that begins with a detection, the first ones, are
// better undone. path is room for it.
func (m *mover[S, E]) cut(path []chain.Node, first chain.Node) uint8 {
	if m.Prev[first.T][first.Det] != chain.None || m.Next[first.T][first.Det] == chain.None {
		return 0
	}
	for h := first; h != chain.None && len(path) <= young; h = m.Next[h.T][h.Det] {
		path = append(path, h)
	}
	n := len(path)
	if n > young {
		return 0
	}
	best, cut, out := m.whole(path), 0, 0.0
	for k := 1; k <= n; k++ {
		out += m.alone(path[k-1])
		c := out // without the first k
		if k == n-1 {
			continue
		}
		if k < n {
			c += m.whole(path[k:])
		}
		if c < best-slightest {
			best, cut = c, k
		}
	}
	return uint8(min(cut, n-1))
}

// whole is the price of a track.
func (m *mover[S, E]) whole(path []chain.Node) float64 {
	first := path[0]
	c := m.birth(first) + m.filter.First(&m.scans[first.T], int(first.Det))
	m.filter.Start(&m.state, &m.scans[first.T], int(first.Det))
	for n := 1; n < len(path); n++ {
		c += m.step(&m.state, path[n-1], path[n])
	}
	return c + m.death(path[len(path)-1])
}

// step is the price of a link from a to b, where s is the state of a; it becomes that of b.
func (m *mover[S, E]) step(s *S, a, b chain.Node) float64 {
	scan := &m.scans[b.T]
	c, kind := m.filter.Price(s, scan.Time-m.scans[a.T].Time, scan, int(b.Det))
	m.filter.Take(s, scan, int(b.Det), kind)
	return c + m.run(a, b, math.Inf(1)) + m.pair(a, b)
}
