package learn

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"mtt"
	"mtt/costgen"
	"mtt/motion"
)

// This file estimates how often targets come, go and hide.

// rates counts births, deaths, misses and false alarms in tracks. Half an event is added to each
// count, so that what did not happen stays possible. A track that begins soon after the first scan
// may be of a target that was there and missed, one that ends soon before the last of a target that
// is still there: they count as far as the rates themselves say (expectation maximisation). So do
// detections in no track, each of which may be all that was seen of a target, and targets that were
// not seen at all: of short scans these are many. Where there is a core, that counts which is
// inside: detections, ends of tracks, and links that begin there. Of several stretches of scans, each
// with its tracks, all that is counted is added up.
func rates(core func(x []float64) bool, parts ...stretch) costgen.Rates {
	if core == nil {
		core = func([]float64) bool { return true }
	}
	counts := make([]events, len(parts))
	var missed, gaps, links, alive, steps float64
	var runs []int // of misses
	for k := range parts {
		p, c := &parts[k], &counts[k]
		*c = newEvents(p.scans, core)
		index := make(map[int]int, len(p.scans))
		for t := range p.scans {
			index[p.scans[t].Frame] = t
		}
		steps += float64(max(1, c.last))
		for i := range p.tracks {
			h := p.tracks[i].Hits
			if len(h) < 2 {
				continue
			}
			for n := range h {
				t := index[h[n].Frame]
				if !core(p.tracks[i].At(n)) {
					continue
				}
				c.left[t]--
				if n == 0 {
					c.begins[t]++
				}
				if n == len(h)-1 {
					c.ends[c.last-t]++
					c.ended++
					continue
				}
				steps := float64(index[h[n+1].Frame] - t)
				links++
				alive += steps
				if missed += steps - 1; steps > 1 {
					gaps++
					runs = append(runs, int(steps)-1)
				}
			}
		}
	}
	miss := (gaps + 0.5) / (links + 1)
	r := costgen.Rates{
		Detect: 1 - miss,
		Hidden: (missed - gaps + 0.5) / (missed + 1),
	}
	if Seldom(&r) && !slices.ContainsFunc(parts, func(p stretch) bool { return Velocities(p.scans) }) {
		r.Hidden, r.Uneven = uneven(runs, r.Hidden)
	}
	seenAt := func(k int) float64 { return 1 - r.Hidden } // after k misses
	if r.Uneven > 0 {
		seenAt = func(k int) float64 { return 1 - r.StillMissed(k)/r.StillMissed(k-1) }
	}
	var initial, born, died, alone float64         // of those that are seen: targets, deaths, and detections of targets in no track
	found, came := float64(len(parts)), steps      // probability that a target that was there is seen, and its sum over scans to be born in
	left, looked := 0.0, steps+float64(len(parts)) // detections in no track; scans
	for k := range counts {
		c := &counts[k]
		initial, born, died = initial+c.begins[0], born+floats.Sum(c.begins[1:]), died+c.ended-c.ends[0]
		left += floats.Sum(c.left)
	}
	for range 5 {
		r.Targets, r.Births = (initial+0.5)/found, (born+0.5)/came
		r.Survive = 1 - (died+0.5)/(alive+died+1)
		r.Clutter = (left - alone + 0.5) / looked
		initial, born, died, alone, found, came = 0, 0, 0, 0, 0, 0
		for k := range counts {
			c := &counts[k]
			gone, hidden := r.Fate(c.last)
			sum := 0.0 // of first, so far
			for f := range c.last + 1 {
				first := r.Detect // probability that a target that was there is first seen in this scan
				if f > 0 {
					first = hidden[f] * seenAt(f)
				}
				there, later := r.Targets*first, r.Births*sum // how many are first seen in this scan: over births in scans since the first
				sum, came = sum+first, came+sum
				lost := gone[c.last-f] + hidden[c.last-f]
				once := (there + later) * lost
				once *= c.left[f] / (once + r.Clutter)
				share := (c.begins[f] + once) / (there + later)
				initial, born, alone = initial+share*there, born+share*later, alone+once
				died += once*gone[c.last-f]/lost + c.ends[f]*gone[f]/(gone[f]+hidden[f])
			}
			if found += sum; c.last == 0 { // nothing can be born in later scans
				came++
			}
		}
	}
	return r
}

// A stretch is scans, one after the other, with their tracks.
type stretch struct {
	scans  []mtt.Scan
	tracks []mtt.Track
}

// Events are what is counted in a stretch.
type events struct {
	last         int       // scan
	left         []float64 // detections in no track, by scan
	begins, ends []float64 // tracks, by scans from the first, and to the last
	ended        float64   // tracks
}

// newEvents are none of them yet: all detections in the core are in no track.
func newEvents(scans []mtt.Scan, core func(x []float64) bool) events {
	n := len(scans)
	c := events{last: n - 1, left: make([]float64, n), begins: make([]float64, n), ends: make([]float64, n)}
	for t := range scans {
		for i := range scans[t].Len() {
			if core(scans[t].At(i)) {
				c.left[t]++
			}
		}
	}
	return c
}

// together are the scans of stretches, in order of time, and all their tracks.
func together(parts []stretch) (scans []mtt.Scan, tracks []mtt.Track) {
	if len(parts) == 1 {
		return parts[0].scans, parts[0].tracks
	}
	parts = slices.Clone(parts)
	slices.SortStableFunc(parts, func(a, b stretch) int { return cmp.Compare(a.scans[0].Frame, b.scans[0].Frame) })
	for _, p := range parts {
		scans, tracks = append(scans, p.scans...), append(tracks, p.tracks...)
	}
	return scans, tracks
}

// uneven is the likeliest distribution of runs of misses, where targets are seen at rates that
// differ, or hidden and 0 where that is worth less than half the logarithm of their number: one
// more parameter. It takes some two hundred prices of each length that there is.
func uneven(runs []int, hidden float64) (again, spread float64) {
	if len(runs) == 0 {
		return hidden, 0
	}
	slices.Sort(runs)
	likelihood := func(r *costgen.Rates) (sum float64) {
		for k := 0; k < len(runs); {
			n := k
			for ; k < len(runs) && runs[k] == runs[n]; k++ {
			}
			sum += float64(k-n) * math.Log(r.StillMissed(runs[n]-1)-r.StillMissed(runs[n]))
		}
		return sum
	}
	again = hidden
	most := likelihood(&costgen.Rates{Hidden: hidden}) + math.Log(float64(len(runs)))/2
	for _, e := range []float64{0.25, 0.5, 1, 2, 4} {
		at := func(x float64) costgen.Rates { return costgen.Rates{Hidden: 1 - math.Exp(x), Uneven: e} } // x: logarithm of the share that is seen
		lo, hi := math.Log(1e-9), math.Log(0.999)
		for range 40 { // golden section: one rate is the likeliest
			const golden = 0.3819660112501051
			a, b := at(lo+golden*(hi-lo)), at(hi-golden*(hi-lo))
			if likelihood(&a) < likelihood(&b) {
				lo += golden * (hi - lo)
			} else {
				hi -= golden * (hi - lo)
			}
		}
		if r := at((lo + hi) / 2); likelihood(&r) > most {
			again, spread, most = r.Hidden, e, likelihood(&r)
		}
	}
	return again, spread
}

// Counted are the rates of tracks of scans, of which some may be said, and the volume is that of
// levels, by which some detections may be echoes. What is 0 of said, or all where it is nil, is
// counted.
func Counted(scans []mtt.Scan, tracks []mtt.Track, said *costgen.Rates, levels *costgen.Levels) costgen.Rates {
	r := countedIn(levels, stretch{scans, tracks})
	if said == nil {
		return r
	}
	return replaced(r, said)
}

// countedIn are the rates of stretches, the volume and what is an echo being those of levels.
func countedIn(levels *costgen.Levels, parts ...stretch) costgen.Rates {
	r := rates(nil, parts...)
	r.Volume = levels.Rates.Volume
	if levels.Echoes != nil {
		n, echoes := 0, 0.0
		for _, p := range parts {
			n, echoes = n+len(p.scans), echoes+levels.EchoesLeft(p.scans, p.tracks)
		}
		r.Clutter = max(r.Clutter-echoes/float64(n), 0.5/float64(n+1))
	}
	return r
}

// counted are the rates of tracks of part of the scans, those that are known as they are.
func (l *learner) counted(tracks []mtt.Track) costgen.Rates {
	return l.countedIn(stretch{l.part, tracks})
}

// countedIn is counted for stretches.
func (l *learner) countedIn(parts ...stretch) costgen.Rates {
	r := countedIn(l.levels, parts...)
	if l.turn > 0 {
		r.Detect = max(r.Detect, balanced(&r, l.turn))
	}
	return l.said(r)
}

// said is r with the rates that are known in place of what it says.
func (l *learner) said(r costgen.Rates) costgen.Rates { return replaced(r, &l.known.Rates) }

// replaced is r with the rates that are not 0 of k in place of what it says.
func replaced(r costgen.Rates, k *costgen.Rates) costgen.Rates {
	if k.Hidden > 0 {
		r.Uneven = k.Uneven
	}
	for _, of := range []struct {
		dst   *float64
		known float64
	}{
		{&r.Detect, k.Detect}, {&r.Hidden, k.Hidden}, {&r.Survive, k.Survive}, {&r.Births, k.Births}, {&r.Targets, k.Targets}, {&r.Clutter, k.Clutter}, {&r.Volume, k.Volume},
	} {
		if of.known > 0 {
			*of.dst = of.known
		}
	}
	return r
}

// all reports whether all rates are known.
func (l *learner) all() bool {
	k := &l.known.Rates
	return min(k.Detect, k.Hidden, k.Survive, k.Births, k.Targets, k.Clutter, k.Volume) > 0
}

// Turns is the number of misses in a row, at most Deepest, up to which they are likelier than none
// where one is twice as likely, as of a sensor that looks at each place by turns; else 0.
func Turns(r *costgen.Rates) (misses int) {
	least := r.MissRun(0)
	if r.MissRun(1) > least-math.Ln2 {
		return 0
	}
	for misses = 1; misses < Deepest && r.MissRun(misses+1) < least; misses++ {
	}
	return misses
}

// Worthwhile is the number of missed detections in a row, at most the given one,
// over which a link, at run for so many, can be cheaper than a death and a birth: with every scan
// that a target is missed in, its whereabouts are less certain.
func Worthwhile(g *costgen.Levels, most int, run func(misses int) float64) int {
	filter, p := expected(g, true) // positions vary most
	dim, dt := max(g.Dim, 2), g.Interval
	r := &g.Rates
	apart := -math.Log1p(-r.Survive) - math.Log(r.Births*r.Detect/r.Volume)
	for k := 1; k <= most; k++ {
		p = filter.Spread(p, dt, motion.Smooth)
		_, variance := filter.Innovated(p)
		density := float64(dim) / 2 * math.Log(2*math.Pi*variance)
		if run(k)+density >= apart {
			return k - 1
		}
	}
	return most
}

// expected is a filter with levels g, and the covariance along an axis of what it expects in the
// next scan of a target that it has followed for long, velocities measured only if positionsOnly is
// false. Turns are left out.
func expected(g *costgen.Levels, positionsOnly bool) (filter *motion.Axes, p [3]float64) {
	params := g.Params(max(g.Dim, 2))
	params.PositionsOnly = positionsOnly
	if _, curved := params.Model.(motion.Curved); curved {
		params.Model = motion.Velocity{}
	}
	filter = motion.NewAxes(params)
	p = [3]float64{g.Sigma * g.Sigma, 0, g.SpeedStd * g.SpeedStd}
	for range motion.Memory {
		_, p = filter.Gain(filter.Spread(p, g.Interval, motion.Smooth))
	}
	return filter, filter.Spread(p, g.Interval, motion.Smooth)
}
