package online

import (
	"mtt/association/learn"
	"mtt/association/refine"
	"mtt/costgen"
)

// This file keeps tracks whose targets are missed for long.
//
// Problem. Targets that pass behind a pillar are missed for a second, in thirty scans one after the
// other. Their tracks ended where a target that is missed now and then would not be missed for so
// long, and rates that are learnt from tracks say that they do (costgen, lasting.go).
//
// Idea. Runs of misses of settled tracks are counted, and of which kinds they are is learnt from
// these. As long as all are of one kind half a run more than there were is taken for one that
// lasts, so that the first long ones are found at all. A track that may go on after so many scans
// needs no more than its last detection: of scans that are older than links are looked for
// everywhere the window keeps only those (thinned), and over so many scans a track is continued
// only by another that begins.
//
// Cost. A step looks, for each scan in which some detection begins a track or comes late, at the
// tracks that ended in as many scans before it as targets may be missed in.

// longestLived is the most missed detections in a row that a track survives where some misses last,
// as where all scans are tracked at once, and half a run that lasts has a mean of a fifth of them;
// of remembered runs the older ones count half as much as the last ones.
const longestLived, remembered = 100, 1000

// lapses are the runs of misses of settled tracks.
type lapses struct {
	runs  []int // of k+1 misses
	n     int   // of all
	next  int   // of all, when kinds are learnt again
	blank int   // the last scan, from the first of all on, of a silent sensor
}

// add adds a run between two scans.
func (l *lapses) add(from, to int) {
	misses := to - from - 1
	if misses == 0 || misses > longestLived || from < l.blank && l.blank < to {
		return
	}
	for len(l.runs) < misses {
		l.runs = append(l.runs, 0)
	}
	l.runs[misses-1]++
	if l.n++; l.n >= 2*remembered {
		l.n, l.next = 0, 0
		odd := 0 // what of a length is no pair counts with the next: long runs are of many lengths, with one of each
		for k, of := range l.runs {
			l.runs[k], odd = (of+odd)/2, (of+odd)%2
			l.n += l.runs[k]
		}
	}
}

// counts reports whether it is learnt which misses last: nobody said how targets are missed again,
// nor for how long, and some were.
func (k *Tracker) counts() bool {
	said := k.fixed() || k.opts.MaxMisses != 0 || k.opts.Rates != nil && k.opts.Rates.Hidden > 0
	g := k.model.Levels
	return !said && k.lesson.steady && k.lapses.n > 0 && g.Sensing == nil && !learn.Seldom(&g.Rates)
}

// outlast learns which misses last, and how long tracks survive. Levels tell what is believed, and
// those of the model, which price, what is looked for as well.
func (k *Tracker) outlast() {
	k.long = k.misses
	told, g := k.model.Levels, k.model.Model.(costgen.Leveled).Noise()
	if k.counts() {
		l := &k.lapses
		const more = 8
		l.next = l.n + max(more, l.n/4)
		told.Lasting = costgen.Lasting{}
		if g.Lasting, _ = costgen.FitLasting(l.runs); g.Lasting.Share < 1 {
			told.Lasting = g.Lasting
		} else {
			n := max(float64(l.n), (1-g.Rates.Detect)*float64(k.lesson.held))
			g.Lasting = costgen.Lasting{Share: 0.5 / (n + 1), Brief: max(g.Rates.Again(), g.Lasting.Long), Long: 1 - 5./longestLived}
		}
	}
	if g.Lasting.Share > 0 && k.opts.MaxMisses == 0 {
		k.long = max(k.long, learn.Worthwhile(g, longestLived, g.LeastRuns()))
	}
}

// lapsed learns which misses last as often as a quarter more runs are known.
func (k *Tracker) lapsed() {
	if k.counts() && k.lapses.n >= k.lapses.next {
		k.outlast()
		k.w.Outlast(k.long, k.size())
	}
}

// thinned forgets what the window does of scan t but for the detections that were kept. The names
// of tracks that ended there without going on stay behind those of the kept ones, until the scan is
// dropped.
func (k *Tracker) thinned(t int, kept []int32) {
	var left []int32
	n := 0
	for i, id := range k.ids[t] {
		if n < len(kept) && int(kept[n]) == i {
			n++
		} else if id >= 0 && k.list[id].last == k.from+t {
			left = append(left, id)
		}
	}
	k.ids, k.orders = refine.Keep(k.ids, t, kept), refine.Keep(k.orders, t, kept)
	k.ids[t] = append(k.ids[t], left...)
}
