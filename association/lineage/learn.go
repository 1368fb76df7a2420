package lineage

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"mtt"
	"mtt/costgen"
)

// This file learns how often targets divide, and where the daughters are, from tracks.
//
// A division that was overlooked leaves traces in tracks: one daughter continues the mother's track
// and the other is born beside it, or the mother's track ends and both are born. Each such
// coincidence is a hypothesis, which explains one birth or two, and instead of a link or an end; by
// chance a birth is beside a track, too, the oftener the more crowded the scene is. With the prices
// of all that, how much likelier the hypothesis is than chance is
//
//	gain = price of what the tracks say − price of the division,
//
// and a birth is explained with probability e^gain / (1 + Σ e^gain of the hypotheses that explain
// it). The rate of divisions, where daughters are, and the rate of births that are none follow from
// these probabilities, and the prices from them (expectation maximisation [1]). It begins with
// several distances of daughters, and that which makes the births likeliest stands, if it does so
// by more than four parameters do by chance (Schwarz's criterion), and than in tracks that run back
// in time, whose births are beside others as often by chance, or as the tracker errs, and are no
// daughters.
//
// Once tracks divide, their divisions are hypotheses with probability 1, next to those that are left.
//
// [1] A. P. Dempster, N. M. Laird, D. B. Rubin. Maximum likelihood from incomplete data via the EM
// algorithm. Journal of the Royal Statistical Society B 39(1), 1977.

// A hypothesis is that a detection divided into two.
type hypothesis struct {
	u2, s  float64  // how the daughters lie
	births [2]int32 // that it explains; -1: none
	price  float64  // of the link, or of the end, in whose place it comes
	known  bool     // the tracks say so
}

// A learner is what is known while it learns.
type learner struct {
	dim      int
	mothers  float64 // detections that may have divided
	steps    float64 // between scans
	births   int     // after the first scan, daughters of known divisions left out
	list     []hypothesis
	of       [][]int32 // hypotheses of each birth
	weight   []float64 // probability of each hypothesis
	explains []float64 // Σ e^gain of each birth
}

// learn learns a model from tracks of scans, and changes the rates of levels to those that go with
// it; nil: nothing speaks for divisions.
func learn(scans []mtt.Scan, tracks []mtt.Track, levels *costgen.Levels) *Model {
	l := newLearner(scans, tracks, levels)
	best, births, gain := l.fit(levels)
	if best == nil {
		return nil
	}
	if l.known() == 0 {
		chance := 0.0
		if _, _, back := newLearner(reversed(scans, tracks, levels)).fit(levels); back > 0 {
			chance = back
		}
		if gain <= chance+2*math.Log(float64(max(2, l.births))) {
			return nil
		}
	}
	levels.Rates.Births = (births + 0.5) / l.steps
	best.prepare(levels, l.dim)
	return best
}

// fit finds the likeliest model, with the number of births that are no daughters, and by how much
// the log likelihood is greater than without divisions; nil: there is nothing that could be one.
func (l *learner) fit(levels *costgen.Levels) (best *Model, births, gain float64) {
	if len(l.list) == 0 {
		return nil, 0, 0
	}
	var apart []float64
	for i := range l.list {
		apart = append(apart, 2*math.Sqrt(l.list[i].s))
	}
	slices.Sort(apart)
	most := math.Inf(-1)
	for _, share := range []float64{0.02, 0.05, 0.1, 0.2, 0.4, 0.7} {
		d := apart[int(share*float64(len(apart)))]
		if d == 0 {
			continue
		}
		m := &Model{Rate: 0.5 * float64(l.births+1) / l.mothers, Centre: d / 4, Apart: d, Shape: float64(l.dim) / 2}
		b := float64(l.births) / 2
		var value float64
		for range 60 {
			value = l.expect(m, levels, b)
			b = l.maximise(m)
		}
		if value > most {
			best, births, most = m, b, value
		}
	}
	n := float64(l.births)
	return best, births, most - n*math.Log(max(n, 0.5)/l.steps) + n
}

// reversed are scans and tracks that run back in time, in which what divides looks like a merge,
// and what is there by chance as it does.
func reversed(scans []mtt.Scan, tracks []mtt.Track, levels *costgen.Levels) ([]mtt.Scan, []mtt.Track, *costgen.Levels) {
	back := slices.Clone(scans)
	slices.Reverse(back)
	for t := range back {
		s := &back[t]
		s.Frame, s.Time, s.Vel = -s.Frame, -s.Time, slices.Clone(s.Vel)
		for k := range s.Vel {
			s.Vel[k] = -s.Vel[k]
		}
	}
	turned := make([]mtt.Track, len(tracks))
	for k := range tracks {
		turned[k] = mtt.Track{ID: tracks[k].ID, Dim: tracks[k].Dim, Hits: slices.Clone(tracks[k].Hits)}
		slices.Reverse(turned[k].Hits)
		for h := range turned[k].Hits {
			turned[k].Hits[h].Frame *= -1
		}
	}
	return back, turned, levels
}

func (l *learner) known() (n int) {
	for i := range l.list {
		if l.list[i].known {
			n++
		}
	}
	return n
}

// newLearner lists the hypotheses.
func newLearner(scans []mtt.Scan, tracks []mtt.Track, levels *costgen.Levels) *learner {
	l := &learner{}
	index := mtt.ByFrame(scans)
	l.steps = float64(max(1, len(scans)-1))
	at := make([][]traced, len(scans)) // mothers, by scan
	born := make([][]birth, len(scans))
	daughters := make(map[int][]int)
	byID := make(map[int]int)
	for k := range tracks {
		byID[tracks[k].ID] = k
		if p := tracks[k].Parent; p != 0 {
			daughters[p] = append(daughters[p], k)
		}
	}
	price := &costgen.Gaussian{Levels: *levels}
	ends := levels.Ends()
	var start [1]float64
	for k := range tracks {
		tr := &tracks[k]
		l.dim = tr.Dim
		if t := index[tr.Hits[0].Frame]; t > 0 && tr.Parent == 0 {
			born[t] = append(born[t], birth{det: tr.Hits[0].Det, number: int32(l.births)})
			l.births++
		}
		for h, hit := range tr.Hits {
			t := index[hit.Frame]
			if hit.Det < 0 || t == len(scans)-1 {
				continue
			}
			l.mothers++
			m := traced{det: hit.Det, next: -1, price: ends.Death}
			if h+1 < len(tr.Hits) {
				next := tr.Hits[h+1]
				if index[next.Frame] != t+1 || next.Det < 0 {
					continue
				}
				price.Starts(start[:], &scans[t], hit.Det, &scans[t+1], []int32{int32(next.Det)})
				m.next, m.price = next.Det, start[0]
			} else if list := daughters[tr.ID]; len(list) == 2 {
				a, b := tracks[list[0]].Hits[0], tracks[list[1]].Hits[0]
				if index[a.Frame] <= t+2 && index[b.Frame] <= t+2 {
					u2, s := lie(site{&scans[t], hit.Det}, site{&scans[index[a.Frame]], a.Det}, site{&scans[index[b.Frame]], b.Det}, !levels.PositionsOnly)
					l.list = append(l.list, hypothesis{u2: u2, s: s, births: [2]int32{-1, -1}, known: true})
				}
				continue
			}
			at[t] = append(at[t], m)
		}
	}
	l.of = make([][]int32, l.births)
	for t := 1; t < len(scans); t++ {
		l.pair(scans, t, at[t-1], born[t], levels)
	}
	l.weight, l.explains = make([]float64, len(l.list)), make([]float64, l.births)
	return l
}

// A traced detection is one of a track: next is that of the next scan with which it goes on, -1
// where it ends.
type traced struct {
	det, next int
	price     float64 // of what the track does
}

type birth struct {
	det    int
	number int32
}

// pair lists the hypotheses of scans t−1 and t. Each birth has those of the mothers nearest to it
// alone: chance brings others nearer than a division would.
func (l *learner) pair(scans []mtt.Scan, t int, at []traced, born []birth, levels *costgen.Levels) {
	const nearest = 8
	s, next, lead := &scans[t-1], &scans[t], !levels.PositionsOnly
	type near struct {
		mother int
		r2     float64
	}
	ended := make(map[int][]int) // mothers that end → births near them
	for k, b := range born {
		var list []near
		for m := range at {
			r2, _ := lie(site{s, at[m].det}, site{next, b.det}, site{next, b.det}, lead)
			list = append(list, near{m, r2})
		}
		slices.SortFunc(list, func(x, y near) int {
			return cmp.Or(cmp.Compare(x.r2, y.r2), x.mother-y.mother)
		})
		for _, x := range list[:min(nearest, len(list))] {
			m := &at[x.mother]
			if m.next < 0 {
				for _, other := range ended[x.mother] {
					l.add(s, m, next, b, &born[other], lead)
				}
				ended[x.mother] = append(ended[x.mother], k)
				continue
			}
			l.add(s, m, next, b, nil, lead)
		}
	}
}

// add adds that m divided into a birth and what its track goes on with, or another birth.
func (l *learner) add(s *mtt.Scan, m *traced, next *mtt.Scan, b birth, other *birth, lead bool) {
	h := hypothesis{births: [2]int32{b.number, -1}, price: m.price}
	with := m.next
	if other != nil {
		with, h.births[1] = other.det, other.number
	}
	h.u2, h.s = lie(site{s, m.det}, site{next, b.det}, site{next, with}, lead)
	k := int32(len(l.list))
	l.list = append(l.list, h)
	for _, n := range h.births {
		if n >= 0 {
			l.of[n] = append(l.of[n], k)
		}
	}
}

// expect computes how probable the hypotheses are under m and with so many births that are no
// daughters, and returns the log likelihood of the births.
func (l *learner) expect(m *Model, levels *costgen.Levels, births float64) (value float64) {
	with := *levels
	with.Rates.Births = (births + 0.5) / l.steps
	m.prepare(&with, l.dim)
	birth := with.Ends().Birth
	clear(l.explains)
	for k := range l.list {
		h := &l.list[k]
		if h.known {
			l.weight[k] = 1
			value -= m.price(h.u2, h.s)
			continue
		}
		n, gain := 0, h.price-m.price(h.u2, h.s)
		for _, b := range h.births {
			if b >= 0 {
				n++
				gain += birth
			}
		}
		l.weight[k] = math.Exp(min(gain, 700) / float64(n)) // of two births each has its share
		for _, b := range h.births {
			if b >= 0 {
				l.explains[b] += l.weight[k]
			}
		}
	}
	for b := range l.explains {
		value += math.Log1p(l.explains[b])
	}
	for k := range l.list {
		h := &l.list[k]
		if h.known {
			continue
		}
		least := math.Inf(1)
		for _, b := range h.births {
			if b >= 0 {
				least = min(least, l.weight[k]/(1+l.explains[b]))
			}
		}
		l.weight[k] = least
	}
	return value + float64(l.births)*math.Log(with.Rates.Births) - births
}

// maximise sets m to what makes the hypotheses likeliest, as probable as they are, and returns how
// many births they leave. One division is added whose daughters are as far from each other as the
// others on average, with no shape.
func (l *learner) maximise(m *Model) (births float64) {
	births = float64(l.births)
	var n, u2, s, logS float64
	for k := range l.list {
		h, w := &l.list[k], l.weight[k]
		for _, b := range h.births {
			if b >= 0 {
				births -= w
			}
		}
		n, u2, s = n+w, u2+w*h.u2, s+w*h.s
		logS += w * math.Log(max(h.s, 1e-30))
	}
	d := float64(l.dim)
	m.Rate = (n + 0.5) / (l.mothers + 1)
	if n < 1e-6 || s == 0 {
		return births
	}
	mean := s / n
	m.Apart = 2 * math.Sqrt(mean)
	m.Centre = math.Sqrt(max(u2/n/d, 1e-6*mean))
	logS += mathext.Digamma(d/2) + math.Log(mean/(d/2))
	m.Shape = max(shape(math.Log(mean)-logS/(n+1)), d/2)
	return births
}

// shape is the k of a Gamma distribution whose log of the mean is so much greater than the mean of
// the log: log k − ψ(k) falls from infinity to 0.
func shape(excess float64) float64 {
	lo, hi := 1e-3, 1e6
	for range 100 {
		if mid := math.Sqrt(lo * hi); math.Log(mid)-mathext.Digamma(mid) > excess {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}
