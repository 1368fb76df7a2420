package association

import (
	"cmp"
	"math"
	"slices"

	"mtt"
	"mtt/costgen"
)

// This file reports merged detections: those that stand for two targets which the
// sensor did not resolve.
//
// Where a track is missed between two of its detections, a detection nearby may be
// that of its target and of another one: of a track that holds it, or, since the mean
// of two velocities fits neither, of a track that is missed in the same frame, while
// the detection looks like a false alarm. Its density tells. The positions a and b of
// the two targets are Gaussian, each known from the detections that its track has
// outside of the gap; z is what was measured, r the resolution, m the probability
// that a target is missed in a frame, λ the density of false alarms, and
//
//	merged                       (1−m)² · p(z | (a+b)/2, R/2) · P(|a−b| < r given z)
//	b missed, a's track has z   m·(1−m) · p(z | a, R)
//	both missed, a false alarm       m² · λ(z)
//
// where R is the covariance of a measurement and R/2 that of the mean of two. The
// ratio of the first to the second, or to the third, is the odds. That the errors of
// a and b are independent, and that a detection has two targets at most, are
// approximations; of three targets in one detection, two pairs may be found.

// A Merged says that a detection stands for two targets.
type Merged struct {
	Frame   int
	Det     int
	Tracks  [2]int  // IDs: the track that holds the detection, if one does, then the missed one
	LogOdds float64 // nat, over misses, and a false alarm where no track holds it; above 0
}

// A merger looks for merged detections.
type merger struct {
	scans  []mtt.Scan
	tracks []mtt.Track
	motion motion
	prior  float64   // log odds of no miss over a miss
	alarms float64   // negative log density of a false alarm, velocity left out
	dets   [][]owned // the detections of each scan along the first axis
}

// An owned is a detection and whose it is: hit number hit of track number track, −1
// for none.
type owned struct{ det, track, hit int32 }

// A gap is a track that is missed in a scan, after its hit number hit.
type gap struct{ track, hit int32 }

// A blend is a detection that may stand for two targets.
type blend struct {
	det     int32
	tracks  [2]int32 // the second is missed; so is the first unless held
	held    bool
	logOdds float64 // nat, were the targets known to be unresolved
	apart   float64 // m, their distance
	spread  float64 // m², its variance on each axis
}

// findMerged lists the merged detections of tracks in order of frames, then detections,
// and says with what resolution they were found: the given one or, where that is 0,
// an estimate; 0 when nothing speaks for one. A miss is explained once. It takes
// O(n log n) time for n detections, and no more than a look when no track has a gap.
// Frames must ascend, else nothing is found.
func findMerged(scans []mtt.Scan, tracks []mtt.Track, levels *costgen.Levels, resolution float64) ([]Merged, float64) {
	for t := range scans {
		if t > 0 && scans[t].Frame <= scans[t-1].Frame {
			return nil, resolution
		}
	}
	g := newMerger(scans, tracks, levels)
	gaps := g.gaps()
	reach := resolution
	if reach == 0 {
		reach = spacing(levels, dimension(scans))
	}
	if len(gaps) == 0 || reach == 0 {
		return nil, resolution
	}
	g.index()
	if resolution == 0 {
		if resolution = g.resolution(gaps, reach); resolution == 0 {
			return nil, 0
		}
	}

	var list []Merged
	for t := range scans {
		blends := g.blends(gaps[t], t, resolution)
		for i := range blends {
			b := &blends[i]
			b.logOdds += math.Log(unresolved(g.motion.dim, b.apart, b.spread, resolution))
		}
		slices.SortStableFunc(blends, func(a, b blend) int { return cmp.Compare(b.logOdds, a.logOdds) })
		explained := make(map[int32]bool)
		from := len(list)
		for _, b := range blends {
			if !(b.logOdds > 0) {
				break
			}
			if explained[b.tracks[1]] || !b.held && explained[b.tracks[0]] {
				continue
			}
			explained[b.tracks[1]] = true
			if !b.held {
				explained[b.tracks[0]] = true
			}
			list = append(list, Merged{scans[t].Frame, int(b.det), [2]int{tracks[b.tracks[0]].ID, tracks[b.tracks[1]].ID}, b.logOdds})
		}
		slices.SortStableFunc(list[from:], func(a, b Merged) int {
			return cmp.Or(cmp.Compare(a.Det, b.Det), cmp.Compare(a.Tracks[1], b.Tracks[1]))
		})
	}
	return list, resolution
}

func newMerger(scans []mtt.Scan, tracks []mtt.Track, levels *costgen.Levels) *merger {
	r := &levels.Rates
	missed := (1 - r.Detect) / (2 - r.Detect - r.Again()) // of all frames: the balance of the chain seen–hidden
	return &merger{
		scans: scans, tracks: tracks, motion: newMotion(levels, dimension(scans)),
		prior: math.Log1p(-missed) - math.Log(missed), alarms: math.Log(r.Volume) - math.Log(r.Clutter),
	}
}

// scanOf is the scan of a frame.
func (g *merger) scanOf(frame int) int {
	t, _ := slices.BinarySearchFunc(g.scans, frame, func(s mtt.Scan, f int) int { return cmp.Compare(s.Frame, f) })
	return t
}

// gaps lists, for each scan, the tracks that have detections before and after it,
// and none in it.
func (g *merger) gaps() map[int][]gap {
	gaps := make(map[int][]gap)
	for k := range g.tracks {
		hits := g.tracks[k].Hits
		if len(hits) == 0 || g.scanOf(hits[len(hits)-1].Frame)-g.scanOf(hits[0].Frame)+1 == len(hits) {
			continue
		}
		for h := range hits[1:] {
			for t := g.scanOf(hits[h].Frame) + 1; g.scans[t].Frame < hits[h+1].Frame; t++ {
				gaps[t] = append(gaps[t], gap{int32(k), int32(h)})
			}
		}
	}
	return gaps
}

// index lists the detections of each scan. Those that are tracks of their own count
// as nobody's: such a track says nothing of where its target was.
func (g *merger) index() {
	g.dets = make([][]owned, len(g.scans))
	for t := range g.scans {
		g.dets[t] = make([]owned, g.scans[t].Len())
		for i := range g.dets[t] {
			g.dets[t][i] = owned{int32(i), -1, -1}
		}
	}
	for k := range g.tracks {
		hits := g.tracks[k].Hits
		for h, at := range hits {
			if len(hits) > 1 {
				g.dets[g.scanOf(at.Frame)][at.Det] = owned{int32(at.Det), int32(k), int32(h)}
			}
		}
	}
	for t, list := range g.dets {
		s := &g.scans[t]
		slices.SortFunc(list, func(a, b owned) int {
			return cmp.Or(cmp.Compare(s.At(int(a.det))[0], s.At(int(b.det))[0]), cmp.Compare(a.det, b.det))
		})
	}
}

// near calls visit for the detections of scan t within a distance of x.
func (g *merger) near(t int, x []float64, within float64, visit func(d owned, d2 float64)) {
	s, list := &g.scans[t], g.dets[t]
	from, _ := slices.BinarySearchFunc(list, x[0]-within, func(d owned, x float64) int { return cmp.Compare(s.At(int(d.det))[0], x) })
	for _, d := range list[from:] {
		z := s.At(int(d.det))
		if z[0] > x[0]+within {
			return
		}
		var d2 float64
		for n := range z {
			d2 += (z[n] - x[n]) * (z[n] - x[n])
		}
		if d2 <= within*within {
			visit(d, d2)
		}
	}
}

// hopeless are log odds that make no difference to an estimate.
const hopeless = -5

// blends lists what the tracks missed in scan t could have been merged with, for a
// resolution of at most reach. Where a target may be anywhere within more than
// twice that nothing can be said.
func (g *merger) blends(gaps []gap, t int, reach float64) (list []blend) {
	type rest struct { // a missed track near a detection that is nobody's
		track int32
		at    state
	}
	free := make(map[int32][]rest)
	add := func(b blend) {
		if b.logOdds > hopeless { // the resolution can only lower it
			list = append(list, b)
		}
	}
	s := &g.scans[t]
	for _, gap := range gaps {
		hits := g.tracks[gap.track].Hits
		a, ok := g.between(int(gap.track), int(gap.hit), int(gap.hit)+1, t)
		if !ok || a.p[0] > 4*reach*reach {
			continue
		}
		first, last := hits[gap.hit].Frame, hits[gap.hit+1].Frame
		g.near(t, a.x[:g.motion.dim], reach/2+5*math.Sqrt(a.p[0]+g.motion.r), func(d owned, _ float64) {
			if d.track < 0 {
				for _, b := range free[d.det] {
					add(g.blend(&b.at, &a, s, blend{det: d.det, tracks: [2]int32{b.track, gap.track}}))
				}
				free[d.det] = append(free[d.det], rest{gap.track, a})
				return
			}
			// What the other track has inside the gap may be merged, too.
			other := g.tracks[d.track].Hits
			before, after := int(d.hit), int(d.hit)
			for before >= 0 && other[before].Frame > first {
				before--
			}
			for after < len(other) && other[after].Frame < last {
				after++
			}
			if b, ok := g.between(int(d.track), before, after, t); ok && b.p[0] <= 4*reach*reach {
				add(g.blend(&b, &a, s, blend{det: d.det, tracks: [2]int32{d.track, gap.track}, held: true}))
			}
		})
	}
	return list
}

// blend weighs that a detection is the mean of a and b, the states of e.tracks,
// against that it is that of a, or nobody's.
func (g *merger) blend(a, b *state, s *mtt.Scan, e blend) blend {
	m, i := &g.motion, int(e.det)
	half := *m
	half.r, half.rv = m.r/2, m.rv/2
	var mean state
	var cross [3]float64 // covariance of a − b with the mean
	for n := range m.dim {
		mean.x[n], mean.v[n] = (a.x[n]+b.x[n])/2, (a.v[n]+b.v[n])/2
	}
	for k := range mean.p {
		mean.p[k], cross[k] = (a.p[k]+b.p[k])/4, (a.p[k]-b.p[k])/2
	}
	both := half.innovation(&mean, s, i)
	e.logOdds = g.prior - (both.d2+both.base)/2
	if e.held {
		alone := m.innovation(a, s, i)
		e.logOdds += (alone.d2 + alone.base) / 2
	} else {
		e.logOdds += g.prior + g.alarms + m.first(s, i)
	}

	// What the detection says of the distance.
	s00 := mean.p[0] + half.r
	k0, k1 := cross[0]/s00, 0.0
	if m.vel {
		s01, s11 := mean.p[1], mean.p[2]+half.rv
		det := s00*s11 - s01*s01
		k0, k1 = (cross[0]*s11-cross[1]*s01)/det, (cross[1]*s00-cross[0]*s01)/det
	}
	var d2 float64
	z, w := s.At(i), s.VelAt(i)
	for n := range m.dim {
		d := a.x[n] - b.x[n] + k0*(z[n]-mean.x[n])
		if m.vel {
			d += k1 * (w[n] - mean.v[n])
		}
		d2 += d * d
	}
	e.apart = math.Sqrt(d2)
	e.spread = a.p[0] + b.p[0] - k0*cross[0] - k1*cross[1]
	return e
}

// between is where track k is at the time of scan t, from its hits up to a, before
// that time, and from b on, after it; a may be −1 and b the number of hits. Hits
// further away than a filter remembers are left out. It fails when there is not
// enough to tell.
func (g *merger) between(k, a, b, t int) (s state, ok bool) {
	m, hits := &g.motion, g.tracks[k].Hits
	scan := func(h int) *mtt.Scan { return &g.scans[g.scanOf(hits[h].Frame)] }
	step := func(s *state, from, to int) int {
		kind := m.advance(s, scan(to).Time-scan(from).Time, scan(to), hits[to].Det)
		m.update(s, scan(to), hits[to].Det)
		return kind
	}
	now := g.scans[t].Time
	if a >= 0 {
		from := max(0, a+1-settled)
		s = m.start(scan(from), hits[from].Det)
		for h := from + 1; h <= a; h++ {
			step(&s, h-1, h)
		}
	}
	if b == len(hits) {
		if a < 0 {
			return s, false
		}
		m.predict(&s, now-scan(a).Time, smooth)
		return s, true
	}

	// Which steps are manoeuvres is found forward, as in the refinement.
	to := min(len(hits), b+settled)
	var kinds [settled]int // of the step to hit b+n
	ahead := s
	if a >= 0 {
		kinds[0] = step(&ahead, a, b)
	} else {
		ahead = m.start(scan(b), hits[b].Det)
	}
	for h := b + 1; h < to; h++ {
		kinds[h-b] = step(&ahead, h-1, h)
	}
	var e evidence
	for h := to - 1; h >= b; h-- {
		m.observe(&e, scan(h), hits[h].Det)
		since := now
		if h > b {
			since = scan(h - 1).Time
		}
		m.retreat(&e, scan(h).Time-since, kinds[h-b])
	}
	if a >= 0 {
		m.predict(&s, now-scan(a).Time, kinds[0])
		m.condition(&s, &e)
		return s, true
	}
	return m.known(&e)
}

// condition conditions a state on evidence for its time.
func (m *motion) condition(s *state, e *evidence) {
	p, l := s.p, e.l
	a, b := 1+p[0]*l[0]+p[1]*l[1], p[0]*l[1]+p[1]*l[2] // I + P·L
	c, d := p[1]*l[0]+p[2]*l[1], 1+p[1]*l[1]+p[2]*l[2]
	det := a*d - b*c
	s.p = [3]float64{(d*p[0] - b*p[1]) / det, (d*p[1] - b*p[2]) / det, (a*p[2] - c*p[1]) / det}
	for n := range m.dim {
		x, v := s.x[n]-e.ref[n], s.v[n]
		g0, g1 := e.h[n][0]-l[0]*x-l[1]*v, e.h[n][1]-l[1]*x-l[2]*v
		s.x[n] += s.p[0]*g0 + s.p[1]*g1
		s.v[n] += s.p[1]*g0 + s.p[2]*g1
	}
}

// known is the state that evidence alone tells; ok is false when it does not.
func (m *motion) known(e *evidence) (s state, ok bool) {
	l := e.l
	det := l[0]*l[2] - l[1]*l[1]
	if !(det > 1e-12*l[0]*l[2]) {
		return s, false
	}
	s.p = [3]float64{l[2] / det, -l[1] / det, l[0] / det}
	for n := range m.dim {
		s.x[n] = e.ref[n] + s.p[0]*e.h[n][0] + s.p[1]*e.h[n][1]
		s.v[n] = s.p[1]*e.h[n][0] + s.p[2]*e.h[n][1]
	}
	return s, true
}
