package association

import (
	"math"
	"slices"

	"mtt"
	"mtt/costgen"
)

// This file estimates what nobody said: how far targets move, how noisy the
// sensor is, how often targets come, go and hide.

// dimension is that of the scans, 2 when all are empty.
func dimension(scans []mtt.Scan) int {
	for t := range scans {
		if scans[t].Len() > 0 {
			return scans[t].Dim
		}
	}
	return 2
}

// interval is the median time between scans.
func interval(scans []mtt.Scan) float64 {
	var dts []float64
	for t := 1; t < len(scans); t++ {
		dts = append(dts, scans[t].Time-scans[t-1].Time)
	}
	if len(dts) == 0 {
		return 1
	}
	slices.Sort(dts)
	return dts[len(dts)/2]
}

// volume is the area (or volume) in which a scan's detections lie: the
// geometric mean over the scans of their bounding boxes.
func volume(scans []mtt.Scan) float64 {
	var sum float64
	var n int
	for t := range scans {
		s := &scans[t]
		if s.Len() < 2 {
			continue
		}
		v := 1.0
		for d := range s.Dim {
			lo, hi := s.Pos[d], s.Pos[d]
			for i := range s.Len() {
				lo, hi = min(lo, s.Pos[i*s.Dim+d]), max(hi, s.Pos[i*s.Dim+d])
			}
			v *= hi - lo
		}
		// n points leave a margin of 1/(n−1) of the box outside it.
		v *= math.Pow(1+2/float64(s.Len()-1), float64(s.Dim))
		if v > 0 {
			sum += math.Log(v)
			n++
		}
	}
	if n == 0 {
		return 1
	}
	return math.Exp(sum / float64(n))
}

// steady says whether every scan has the same number of detections, which means
// that nothing is missed, false, born or dead.
func steady(scans []mtt.Scan) bool {
	for t := range scans {
		if scans[t].Len() != scans[0].Len() {
			return false
		}
	}
	return true
}

// reach estimates how far a detection is from its successor, or, where
// velocities are measured, from where its velocity takes it: the radius within
// which half of the detections have theirs. It needs no association: the
// number of detections of the next scan near a detection, less the number of
// others of the same scan equally near, is the number of successors (the
// self part of van Hove's correlation function). It is 0 for lack of data.
func reach(scans []mtt.Scan) float64 {
	const pairs = 100_000 // looked at, about
	type change struct {
		r float64
		w float64
	}
	var changes []change
	var links, all float64
	for t := 0; t+1 < len(scans); t++ {
		all += float64(scans[t].Len()) * float64(scans[t].Len()+scans[t+1].Len())
	}
	stride, k := 1+int(all/pairs), 0
	for t := 0; t+1 < len(scans); t++ {
		a, b := &scans[t], &scans[t+1]
		n, m := a.Len(), b.Len()
		if n == 0 || m == 0 {
			continue
		}
		dt := b.Time - a.Time
		for i := range n {
			if k++; k%stride != 0 {
				continue
			}
			links += min(1, float64(m)/float64(n))
			for j := range m {
				var d2 float64
				for k := range a.Dim {
					d := b.Pos[j*b.Dim+k] - a.Pos[i*a.Dim+k]
					if a.Vel != nil {
						d -= dt * a.Vel[i*a.Dim+k]
					}
					d2 += d * d
				}
				changes = append(changes, change{math.Sqrt(d2), 1})
			}
			// The others, with the same offset: as dense at t as at t+1.
			w := -float64(m-1) / float64(max(1, n-1))
			for j := range n {
				if j == i {
					continue
				}
				var d2 float64
				for k := range a.Dim {
					d := a.Pos[j*a.Dim+k] - a.Pos[i*a.Dim+k]
					d2 += d * d
				}
				changes = append(changes, change{math.Sqrt(d2), w})
			}
		}
	}
	slices.SortFunc(changes, func(x, y change) int {
		switch {
		case x.r < y.r:
			return -1
		case x.r > y.r:
			return 1
		}
		return 0
	})
	// Where many are missed or false, half of all may have no successor.
	for _, share := range []float64{0.5, 0.25, 0.1} {
		var sum float64
		for _, c := range changes {
			if sum += c.w; sum >= share*links && c.r > 0 {
				return c.r
			}
		}
	}
	return 0
}

// rates counts births, deaths, misses and false alarms in tracks. Half an event
// is added to each count, so that what did not happen stays possible. A track
// that begins soon after the first scan may be of a target that was there and
// missed, one that ends soon before the last of a target that is still there:
// they count as far as the rates themselves say (expectation maximisation).
func rates(scans []mtt.Scan, tracks []mtt.Track) costgen.Rates {
	index := make(map[int]int, len(scans))
	var all float64
	for t := range scans {
		index[scans[t].Frame] = t
		all += float64(scans[t].Len())
	}
	last := len(scans) - 1
	begins, ends := make([]float64, last+1), make([]float64, last+1) // tracks, by scans from the first, and to the last
	var missed, gaps, links, alive, used, count float64
	for i := range tracks {
		h := tracks[i].Hits
		if len(h) < 2 {
			continue
		}
		count++
		used += float64(len(h))
		from, to := index[h[0].Frame], index[h[len(h)-1].Frame]
		begins[from]++
		ends[last-to]++
		links += float64(len(h) - 1)
		missed += float64(to-from) - float64(len(h)-1)
		for n := 1; n < len(h); n++ {
			if index[h[n].Frame]-index[h[n-1].Frame] > 1 {
				gaps++
			}
		}
		alive += float64(to - from)
	}
	steps := float64(max(1, last))
	miss := (gaps + 0.5) / (links + 1)
	r := costgen.Rates{
		Detect:  1 - miss,
		Hidden:  (missed - gaps + 0.5) / (missed + 1),
		Clutter: (all - used + 0.5) / (steps + 1),
		Volume:  volume(scans),
	}
	initial, died := begins[0], count-ends[0]
	for range 5 {
		r.Targets = initial + 0.5
		r.Births = (count - initial + 0.5) / steps
		r.Survive = 1 - (died+0.5)/(alive+died+1)
		gone, hidden := fate(&r, last)
		initial, died = begins[0], 0
		seen := 0.0 // probability that one born after the first scan is first seen then
		for f := 1; f <= last; f++ {
			if f == 1 {
				seen = r.Detect
			} else {
				seen += hidden[f-1] * (1 - r.Hidden)
			}
			there := r.Targets * hidden[f] * (1 - r.Hidden)
			initial += begins[f] * there / (there + r.Births*seen)
			died += ends[f] * gone[f] / (gone[f] + hidden[f])
		}
	}
	return r
}

// fate lists, for k up to n, the probabilities that a target that was detected has
// died, and that it lives but was missed all the time, k scans later.
func fate(r *costgen.Rates, n int) (gone, hidden []float64) {
	gone, hidden = make([]float64, n+1), make([]float64, n+1)
	hidden[0] = 1
	miss := 1 - r.Detect
	for k := 1; k <= n; k++ {
		gone[k] = gone[k-1] + hidden[k-1]*(1-r.Survive)
		hidden[k] = hidden[k-1] * r.Survive * miss
		miss = r.Again()
	}
	return gone, hidden
}

// guess are the rates to begin with. Where scans differ, misses are cheap and
// births and deaths dear: a track that is broken where it could go on counts as a
// death and a birth, hides a miss, and so makes the next estimate break more.
func guess(scans []mtt.Scan) costgen.Rates {
	n := 0.0
	for t := range scans {
		n += float64(scans[t].Len())
	}
	n = max(1, n/float64(max(1, len(scans))))
	r := costgen.Rates{Volume: volume(scans), Targets: n}
	if steady(scans) {
		some := 0.5 / float64(max(1, len(scans)))
		r.Detect, r.Survive, r.Births, r.Clutter = 1-some/n, 1-some/n, some, some
		return r
	}
	r.Detect, r.Hidden, r.Survive, r.Births, r.Clutter = 0.9, 0.7, 0.997, 0.003*n, 0.05*n
	return r
}

// worthwhile is the number of missed detections in a row, at most the given one,
// over which a link can be cheaper than a death and a birth: with every scan
// that a target is missed in, its whereabouts are less certain.
func worthwhile(g *costgen.Levels, most int) int {
	m, dt := newMotion(g, max(g.Dim, 2)), g.Interval
	s := state{p: [3]float64{m.r, 0, m.pv}} // of the positions alone, which vary most
	for range settled {
		m.predict(&s, dt, smooth)
		p, c := s.p, s.p[0]+m.r
		s.p = [3]float64{p[0] - p[0]*p[0]/c, p[1] - p[0]*p[1]/c, p[2] - p[1]*p[1]/c}
	}
	m.predict(&s, dt, smooth)
	r := &g.Rates
	apart := -math.Log1p(-r.Survive) - math.Log(r.Births*r.Detect/r.Volume)
	for k := 1; k <= most; k++ {
		m.predict(&s, dt, smooth)
		density := float64(m.dim) / 2 * math.Log(2*math.Pi*(s.p[0]+m.r))
		if r.Gap(k)+density >= apart {
			return k - 1
		}
	}
	return most
}

// speed is the largest speed in tracks but for one link in two hundred, with a
// quarter on top.
func speed(scans []mtt.Scan, tracks []mtt.Track) float64 {
	time := times(scans)
	var all []float64
	for i := range tracks {
		tr := &tracks[i]
		for h := 1; h < len(tr.Hits); h++ {
			var d2 float64
			for k, x := range tr.At(h) {
				d := x - tr.At(h - 1)[k]
				d2 += d * d
			}
			all = append(all, math.Sqrt(d2)/(time(tr.Hits[h].Frame)-time(tr.Hits[h-1].Frame)))
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return 1.25 * all[(len(all)-1)*199/200]
}

// times maps frame numbers to times.
func times(scans []mtt.Scan) func(frame int) float64 {
	m := make(map[int]float64, len(scans))
	for t := range scans {
		m[scans[t].Frame] = scans[t].Time
	}
	return func(frame int) float64 { return m[frame] }
}
