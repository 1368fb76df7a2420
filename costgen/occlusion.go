package costgen

import (
	"cmp"
	"math"
	"slices"

	"mtt"
	"mtt/motion"
)

// This file learns and prices how often a target is missed behind others.
//
// Problem. A person behind another is missed for a second or two, and by a price of misses that is
// the same everywhere that is dearer than a death and a birth.
//
// Idea. In a picture boxes say who is behind whom: of two that stand on one ground the nearer one's
// box ends lower. So the cover of a box is the largest share of it that lies in another one which
// ends lower. That a target is missed is the likelier the more of it is covered, and that is all
// that is taken for granted: the likeliest function of the cover that nowhere falls is learnt [1],
// one for the frame after a detection, one for that after a miss. Where a track ends, its target
// left or is behind others still: as likely as cover and rates say of the places that it would have
// come to, at the speed of its last detections (expectation maximisation). So it shows that targets
// are missed when covered before any gap is closed: hardly ever is one detected there.
//
// Invariant. What is learnt depends on boxes, tracks and rates only; without boxes nothing is
// learnt. A detection that is likelier false than not, by its confidence, covers nobody.
//
// Cost. The boxes of a frame for each detection, and for each frame that one may be missed in.
//
// [1] Ayer, Brunk, Ewing, Reid, Silverman. An empirical distribution function for sampling with incomplete
// information. Annals of Mathematical Statistics 26(4), 1955.

// An Occlusion says how often a target is missed of whose box others cover some share.
type Occlusion struct {
	First, Again []Rise  // in the frame after one in which it was detected, and after one in which it was missed; ascending
	Least        float64 // detections of less confidence are likelier false than not, and cover nobody
}

// A Rise is a step of a function: from a cover of At on a target is missed with probability Miss.
type Rise struct{ At, Miss float64 }

// An outline is the middle, width and height of a box, in px.
type outline struct{ x, y, w, h float64 }

func boxAt(s *mtt.Scan, i int) outline {
	return outline{s.Pos[s.Dim*i], s.Pos[s.Dim*i+1], s.Size[2*i], s.Size[2*i+1]}
}

// cover is the largest share of a box that one of s covers which ends lower.
func (o *Occlusion) cover(b outline, s *mtt.Scan) (most float64) {
	if s.Size == nil || !(b.w*b.h > 0) {
		return 0
	}
	for i := range s.Len() {
		if s.Conf != nil && s.Conf[i] < o.Least {
			continue
		}
		n := boxAt(s, i)
		if n.y+n.h/2 <= b.y+b.h/2 {
			continue
		}
		w := min(n.x+n.w/2, b.x+b.w/2) - max(n.x-n.w/2, b.x-b.w/2)
		h := min(n.y+n.h/2, b.y+b.h/2) - max(n.y-n.h/2, b.y-b.h/2)
		if w > 0 && h > 0 {
			most = max(most, w*h/(b.w*b.h))
		}
	}
	return min(most, 1)
}

// between is the box at a time of a target that has those of detection i of a and k of b.
func between(a *mtt.Scan, i int, b *mtt.Scan, k int, time float64) outline {
	p, q := boxAt(a, i), boxAt(b, k)
	f := (time - a.Time) / (b.Time - a.Time)
	return outline{p.x + f*(q.x-p.x), p.y + f*(q.y-p.y), p.w + f*(q.w-p.w), p.h + f*(q.h-p.h)}
}

// rise is the value of a function at a cover.
func rise(f []Rise, cover float64) float64 {
	k, found := slices.BinarySearchFunc(f, cover, func(r Rise, c float64) int { return cmp.Compare(r.At, c) })
	if !found {
		k--
	}
	return f[max(k, 0)].Miss
}

// Boxed reports whether [Levels.BoxRun] is another price than [Levels.MissRun] between detections
// of such scans.
func (m *Levels) Boxed(a, b *mtt.Scan) bool {
	return m.Occlusion != nil && a.Size != nil && b.Size != nil
}

// BoxRun is [Levels.MissRun] of a target that has the boxes of detection i of the first of scans
// and k of the last and is missed in those between, there on the straight line between the two; or
// one of at least most that is no dearer. Misses are no rarer than the rates say of all, wherever
// they were: not all that hides targets is detected.
func (m *Levels) BoxRun(scans []mtt.Scan, i, k int, most float64) float64 {
	last, r := len(scans)-1, &m.Rates
	miss := func(f []Rise, n int) float64 { // probability of the n-th miss
		return rise(f, m.Occlusion.cover(between(&scans[0], i, &scans[last], k, scans[n].Time), &scans[n]))
	}
	c := -float64(last)*math.Log(r.Survive) - math.Log(max(1-r.Detect, miss(m.Occlusion.First, 1))) - math.Log1p(-m.again(last-1))
	for n := 2; n < last && c < most; n++ {
		c -= math.Log(max(m.again(n-1), miss(m.Occlusion.Again, n)))
	}
	return c
}

// LeastRun is the least that a run of misses costs.
func (m *Levels) LeastRun(misses int) float64 { return m.LeastRuns()(misses) }

// LeastRuns is LeastRun for many runs: from one to a longer one it takes as many steps as that is longer.
func (m *Levels) LeastRuns() func(misses int) float64 {
	if m.Occlusion == nil {
		return m.MissRun
	}
	first, again := m.Occlusion.First, m.Occlusion.Again
	begin := math.Log(max(1-m.Rates.Detect, first[len(first)-1].Miss))
	n, sum := 1, 0.0 // misses, and the logarithms of those after the first
	return func(misses int) float64 {
		if misses == 0 {
			return m.MissRun(0)
		}
		if misses < n {
			n, sum = 1, 0
		}
		for ; n < misses; n++ {
			sum += math.Log(max(m.again(n), again[len(again)-1].Miss))
		}
		return -float64(misses+1)*math.Log(m.Rates.Survive) - begin - math.Log1p(-m.again(misses)) - sum
	}
}

// A trial is a frame in which a target was missed or not, at some cover. It was with probability
// miss, and counts with weight.
type trial struct{ cover, miss, weight float64 }

// FitOcclusion learns from tracks of scans, under levels, of which it reads motion, rates and
// confidence; nil where these are no boxes in a picture of one camera.
func FitOcclusion(m *Levels, scans []mtt.Scan, tracks []mtt.Track) *Occlusion {
	for t := range scans {
		if s := &scans[t]; s.Len() > 0 && (s.Size == nil || s.Dim != 2) || m.Sensing != nil {
			return nil
		}
	}
	o := &Occlusion{Least: m.trusted(scans)}
	index := mtt.ByFrame(scans)
	var first, again []trial
	var endings [][]float64 // covers in the frames that follow on the last detection of each track
	for i := range tracks {
		hits := tracks[i].Hits
		if len(hits) < 2 {
			continue
		}
		for h := 1; h < len(hits); h++ {
			s, u := index[hits[h-1].Frame], index[hits[h].Frame]
			list := &first
			for t := s + 1; t < u; t++ {
				*list = append(*list, trial{o.cover(between(&scans[s], hits[h-1].Det, &scans[u], hits[h].Det, scans[t].Time), &scans[t]), 1, 1})
				list = &again
			}
			*list = append(*list, trial{o.cover(boxAt(&scans[u], hits[h].Det), &scans[u]), 0, 1})
		}
		endings = append(endings, o.onward(m, scans, index, &tracks[i]))
	}
	r := &m.Rates
	o.First, o.Again = []Rise{{0, 1 - r.Detect}}, []Rise{{0, r.Again()}}
	for range 10 {
		f, a := slices.Clone(first), slices.Clone(again)
		for _, covers := range endings {
			f, a = o.hidden(f, a, covers, r.Survive)
		}
		o.First, o.Again = isotone(f), isotone(a)
	}
	return o
}

// trusted is the least confidence of which a detection is no likelier false than not.
func (m *Levels) trusted(scans []mtt.Scan) float64 {
	least := math.Inf(-1)
	if m.Confidence == nil {
		return least
	}
	n, all := 0.0, 0.0
	for t := range scans {
		n, all = n+1, all+float64(scans[t].Len())
	}
	share := min(m.Rates.Clutter*n/all, 1-1e-9)
	var confs []float64
	for t := range scans {
		confs = append(confs, scans[t].Conf...)
	}
	slices.Sort(confs)
	for _, c := range confs {
		if share/(1-share)*math.Exp(m.Confidence.At([]float64{c})) > 1 {
			least = math.Nextafter(c, math.Inf(1))
		}
	}
	return least
}

// onward lists the covers of the places that the target of a track would have come to after its
// last detection.
func (o *Occlusion) onward(m *Levels, scans []mtt.Scan, index map[int]int, tr *mtt.Track) (covers []float64) {
	const most = 32 // scans
	levels := *m
	if _, curved := m.Motion.(motion.Curved); curved {
		levels.Motion = nil
	}
	f := motion.NewAxes(levels.Params(tr.Dim))
	var s motion.State
	at := 0
	for h, hit := range tr.Hits {
		t := index[hit.Frame]
		if h == 0 {
			f.Start(&s, &scans[t], hit.Det)
		} else {
			f.Predict(&s, scans[t].Time-scans[at].Time, motion.Smooth)
			f.Update(&s, &scans[t], hit.Det)
		}
		at = t
	}
	last := tr.Hits[len(tr.Hits)-1].Det
	b := boxAt(&scans[at], last)
	for t := at + 1; t < min(len(scans), at+1+most); t++ {
		f.Predict(&s, scans[t].Time-scans[t-1].Time, motion.Smooth)
		x, _, _ := f.Position(&s)
		covers = append(covers, o.cover(outline{x[0], x[1], b.w, b.h}, &scans[t]))
	}
	return covers
}

// hidden adds to trials those of a target that was not detected again: it died before one of the
// frames, or was missed in all.
func (o *Occlusion) hidden(first, again []trial, covers []float64, survive float64) (f, a []trial) {
	there, gone := 1.0, 0.0              // probabilities that it lives up to a frame and was missed so far, and that it died before
	died := make([]float64, len(covers)) // gone, up to and with each frame
	for k, c := range covers {
		of := o.Again
		if k == 0 {
			of = o.First
		}
		gone += there * (1 - survive)
		died[k] = gone
		there *= survive * rise(of, c)
	}
	for k, c := range covers {
		t := trial{c, 1, 1 - died[k]/(gone+there)}
		if k == 0 {
			first = append(first, t)
		} else {
			again = append(again, t)
		}
	}
	return first, again
}

// isotone is the likeliest function of the cover that nowhere falls, half an event added to each
// count of a step so that everything stays possible.
func isotone(trials []trial) []Rise {
	slices.SortFunc(trials, func(a, b trial) int {
		return cmp.Or(cmp.Compare(a.cover, b.cover), cmp.Compare(a.miss, b.miss), cmp.Compare(a.weight, b.weight))
	})
	type block struct{ at, missed, n float64 }
	list := []block{{at: 0}}
	for _, t := range trials {
		if last := &list[len(list)-1]; last.at == t.cover {
			last.missed, last.n = last.missed+t.miss*t.weight, last.n+t.weight
		} else {
			list = append(list, block{t.cover, t.miss * t.weight, t.weight})
		}
	}
	var done []block
	for _, b := range list {
		for len(done) > 0 {
			p := done[len(done)-1]
			if b.n > 0 && p.n > 0 && p.missed*b.n < b.missed*p.n {
				break
			}
			b = block{p.at, p.missed + b.missed, p.n + b.n}
			done = done[:len(done)-1]
		}
		done = append(done, b)
	}
	f := make([]Rise, 0, len(done))
	most := 0.0
	for _, b := range done {
		most = max(most, (b.missed+0.5)/(b.n+1))
		f = append(f, Rise{b.at, most})
	}
	return f
}
