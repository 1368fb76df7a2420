package learn

import (
	"context"
	"math"
	"slices"

	"mtt"
	"mtt/costgen"
)

// This file notices targets that are detected a second time at one offset, as
// reflections and multipath make it, and learns anew with that.
//
// Problem. Echoes move as targets do. They become tracks of their own, in pieces, and
// where the offset is not much longer than a step tracks of targets go astray.
//
// Idea. Tracks whose targets have nothing to do with each other see others at one and
// the same offset by chance only. So the offsets of other detections of a scan from a
// dozen of each track fall into cells; a cell is no chance if many more tracks have a
// detection there than have one of a scan that is far off in time. Two that keep
// together, however long, are one track more, in whichever cell; lanes, rows of what
// stands and borders show in other scans as well. Of m tracks, each of which has one
// there by chance p, k or more have with a probability of at most exp(−m·D(k/m, p)), D
// being Kullback and Leibler's divergence [1], and any of n cells has at most n times
// as often.
//
// Offset, its error and the share of detections that have an echo are those under
// which the offsets about the cell are likeliest, where others are spread evenly.
// Targets in formation show alike, and tell by what their neighbours do where each is,
// so that they are likelier as echoes. But an echo is there only where its target is
// detected, and of all targets alike, while some targets have a companion, which is
// detected as often as they are whether they are missed or not, and others have none
// (see [learner.overCompanions]). An offset and its negative show alike as well, of
// which the one by which this is likelier is tried. All is learnt anew with echoes
// (file costgen/echoes.go), which are taken where all that was detected is likelier by
// more than the numbers of an echo would make it if there were none [2].
//
// Invariant. Where tracks show no common offset, nothing is tried.
//
// Cost. Some ten thousand offsets, each put into a cell of some sizes; where a cell
// shows, all of learning once more.
//
// [1] Chernoff. A measure of asymptotic efficiency for tests of a hypothesis based on
// the sum of observations. Annals of Mathematical Statistics 23, 1952.
// [2] Schwarz. Estimating the dimension of a model. Annals of Statistics 6, 1978.

// echoing is m and opts, or what is learnt if targets have echoes, and options that
// say so, if all that was detected is likelier then.
func echoing(ctx context.Context, scans []mtt.Scan, opts *Options, run Pilot, m *Model) (*Model, *Options, error) {
	l := m.by
	if l == nil || m.Levels == nil || opts.NoEchoes || opts.Echoes != nil || opts.Hasty || l.steady || l.vel || len(opts.Sensors) > 0 || l.spent() || len(l.tracks) == 0 {
		return m, opts, nil
	}
	const sure = 4.6 // nat: of a hundred to one
	e := l.echoes()
	if e == nil {
		return m, opts, nil
	}
	nats, back := l.overCompanions(e), *e
	for k, x := range e.Offset {
		back.Offset[k] = -x
	}
	if other := l.overCompanions(&back); other > nats {
		e, nats = &back, other
	}
	if nats <= sure {
		return m, opts, nil
	}
	most, err := l.evidence(ctx)
	if err != nil {
		return nil, nil, err
	}
	o := *opts
	o.Echoes = e
	other, err := still(ctx, scans, &o, run)
	if err != nil || other.by == nil {
		return m, opts, err
	}
	nats, err = other.by.evidence(ctx)
	if numbers := float64(m.Levels.Dim) + 2; err != nil || nats <= most+numbers/2*math.Log(count(l.part)) {
		return m, opts, err
	}
	return other, &o, nil
}

// An offset is where another detection is from one of a track.
type offset struct {
	track int32
	own   bool // of its scan; else of another one
	x     [3]float64
}

// echoes are those that the tracks of l show, or nil.
func (l *learner) echoes() *costgen.Echoes {
	const around, sizes, chance = 80, 5, 0.01 // others at each detection; of cells; that a scene without echoes shows some
	dim := dimension(l.part)
	each, spacing := count(l.part)/float64(len(l.part)), l.spacing()
	within := math.Inf(1)
	if each > around {
		within = spacing * math.Pow(around/unitBall(dim), 1/float64(dim))
	}
	list, tracks := l.offsets(dim, within)
	most := math.Log(float64(sizes*len(list)<<dim) / chance)
	var at [3]float64
	var width float64
	for k := range sizes {
		g := grid{dim: dim, side: spacing / float64(int(2)<<k)}
		for g.shift = range 1 << dim { // each offset is in the middle of the cell of one of them
			cells := g.count(list)
			for _, c := range cells {
				chance := (float64(c.tracks[1]) + 0.5) / float64(tracks+1)
				if sure := float64(tracks) * surprise(float64(c.tracks[0])/float64(tracks), chance); sure > most {
					most, at, width = sure, g.middle(list, c.key), g.side
				}
			}
		}
	}
	if width == 0 {
		return nil
	}
	return l.fitEchoes(at, width, spacing)
}

// spacing is how far detections of a scan would lie apart, m, if each had a square or a cube of its own.
func (l *learner) spacing() float64 {
	each := count(l.part) / float64(len(l.part))
	return math.Pow(l.levels.Rates.Volume/each, 1/float64(dimension(l.part)))
}

// rounded is the variance on each axis, m², that rounding makes of how far detections lie apart: more
// than none, for what is of such a size.
func (l *learner) rounded(size float64) (variance float64) {
	for _, q := range costgen.Grid(l.part) {
		variance += q * q / 6 / float64(dimension(l.part))
	}
	return max(variance, 1e-18*size*size)
}

// offsets are those of other detections from some of some of the tracks, no farther
// away than within, and how many tracks these are: as many detections in the scan
// itself as chance has there in another, half of all scans away.
func (l *learner) offsets(dim int, within float64) (list []offset, tracks int) {
	const most, each = 32, 12 // tracks, and detections of each
	var long []int
	for i := range l.tracks {
		if len(l.tracks[i].Hits) >= each/2 {
			long = append(long, i)
		}
	}
	index := mtt.ByFrame(l.part)
	add := func(o offset, from []float64, s *mtt.Scan, but int) {
		for j := range s.Len() {
			if j == but {
				continue
			}
			d2 := 0.0
			for k, x := range s.At(j) {
				o.x[k] = x - from[k]
				d2 += o.x[k] * o.x[k]
			}
			if d2 <= within*within {
				list = append(list, o)
			}
		}
	}
	tracks = min(most, len(long))
	for k := range tracks {
		tr := &l.tracks[long[k*len(long)/tracks]]
		n := min(each, len(tr.Hits))
		for i := range n {
			h := i * len(tr.Hits) / n
			t := index[tr.Hits[h].Frame]
			add(offset{track: int32(k), own: true}, tr.At(h), &l.part[t], tr.Hits[h].Det)
			add(offset{track: int32(k)}, tr.At(h), &l.part[(t+len(l.part)/2)%len(l.part)], -1)
		}
	}
	return list, tracks
}

// looks are how often one looked for a detection at an offset from a track, and found one: from
// its detections, and from where it is missed for one scan.
type looks struct{ n, found [2]float64 }

// overCompanions is by how many nats what is at the offset of e from detections of tracks, and
// from where a target is that is missed for one scan, is likelier as echoes, of which each track
// has as many and none at a miss, than as companions, which some of the tracks have, detected as
// often as targets are, or than as such of all tracks that are there only for a time, as in a
// formation that turns, but at a miss as often as at a detection. Where there is neither, what
// chance has there is.
func (l *learner) overCompanions(e *costgen.Echoes) float64 {
	all, of, reach := l.look(e)
	hits, span := 0.0, 0.0
	index := mtt.ByFrame(l.part)
	for i := range l.tracks {
		h := l.tracks[i].Hits
		hits, span = hits+float64(len(h)), span+float64(index[h[len(h)-1].Frame]-index[h[0].Frame]+1)
	}
	detect := min(hits/max(span, 1), 1-0.5/(span+1))
	dim := dimension(l.part)
	var chance [2]float64
	for k := range chance {
		chance[k] = -math.Expm1(-count(l.part) / float64(len(l.part)) / l.levels.Rates.Volume * unitBall(dim) * math.Pow(reach[k], float64(dim)))
	}
	likelihood := func(c *looks, rate [2]float64) (nats float64) {
		for k, p := range rate {
			p += (1 - p) * chance[k]
			nats += c.found[k]*math.Log(p) + (c.n[k]-c.found[k])*math.Log1p(-p)
		}
		return nats
	}
	share := (all.found[0] + 0.5) / (all.n[0] + 1)
	share = max(0, (share-chance[0])/(1-chance[0]))
	echoes := 0.0
	for i := range of {
		echoes += likelihood(&of[i], [2]float64{share, 0})
	}
	if a := likelihood(&all, [2]float64{share, share}); a > echoes { // where nothing is missed both are the same
		return echoes - a
	}
	some, mixed := 0.5, 0.0 // some: the share of the tracks that have a companion
	for range 20 {
		sum := 0.0
		mixed = 0
		for i := range of {
			with, without := math.Log(some)+likelihood(&of[i], [2]float64{detect, detect}), math.Log1p(-some)+likelihood(&of[i], [2]float64{})
			most := max(with, without)
			mixed += most + math.Log(math.Exp(with-most)+math.Exp(without-most))
			sum += math.Exp(with-most) / (math.Exp(with-most) + math.Exp(without-most))
		}
		some = (sum + 0.5) / float64(len(of)+1)
	}
	return echoes - mixed
}

// look looks for detections at the offset of e, of all tracks together and of each; reach is how
// far about it, at a detection and at a miss.
func (l *learner) look(e *costgen.Echoes) (all looks, of []looks, reach [2]float64) {
	const within = 3 // deviations
	index := mtt.ByFrame(l.part)
	reach = [2]float64{within * e.Sigma, within * math.Sqrt(e.Sigma*e.Sigma+l.bend(index))}
	sorted := costgen.AllSorted(l.part)
	there := func(t int, at *[3]float64, reach float64, but int) bool {
		var of [3]float64
		for k, x := range at {
			of[k] = x + e.Offset[k]
		}
		for j := range sorted[t].Near(of[:], reach) {
			if j != but {
				return true
			}
		}
		return false
	}
	of = make([]looks, len(l.tracks))
	for i := range l.tracks {
		tr, c := &l.tracks[i], &of[i]
		see := func(which, t int, at *[3]float64, but int) {
			c.n[which]++
			if there(t, at, reach[which], but) {
				c.found[which]++
			}
		}
		for h := range tr.Hits {
			t := index[tr.Hits[h].Frame]
			at := [3]float64{}
			copy(at[:], tr.At(h))
			see(0, t, &at, tr.Hits[h].Det)
			if h > 0 && t-index[tr.Hits[h-1].Frame] == 2 {
				for k, x := range tr.At(h - 1) {
					at[k] = (at[k] + x) / 2
				}
				see(1, t-1, &at, -1)
			}
		}
		for k := range all.n {
			all.n[k], all.found[k] = all.n[k]+c.n[k], all.found[k]+c.found[k]
		}
	}
	return all, of, reach
}

// bend is the mean square of how far detections of tracks are, on an axis, from the middle of
// those of the scans before and after; index is of [mtt.ByFrame].
func (l *learner) bend(index map[int]int) float64 {
	var sum, n float64
	for i := range l.tracks {
		tr := &l.tracks[i]
		for h := 1; h+1 < len(tr.Hits); h++ {
			if index[tr.Hits[h+1].Frame]-index[tr.Hits[h-1].Frame] == 2 {
				for k, x := range tr.At(h) {
					off := x - (tr.At(h - 1)[k]+tr.At(h + 1)[k])/2
					sum += off * off
					n++
				}
			}
		}
	}
	return sum / max(n, 1)
}

// A grid parts offsets into cells; shift says along which axes these begin half a side later.
type grid struct {
	dim, shift int
	side       float64
	table      []bin
}

// A bin is a cell: how many tracks have a detection there in their own scans, and in others.
type bin struct {
	key    uint64 // 0: none
	tracks [2]int32
	last   [2]int32 // 1 + the track that was counted last
}

// key is that of the cell of x, above 0.
func (g *grid) key(x *[3]float64) (key uint64) {
	key = 1
	for k := range g.dim {
		at := x[k]/g.side + float64(g.shift>>k&1)/2
		key = key<<21 | uint64(int64(math.Floor(at)))&(1<<21-1)
	}
	return key
}

// count counts the tracks in each cell; offsets are in order of tracks.
func (g *grid) count(list []offset) []bin {
	size := 64
	for size < 2*len(list) {
		size *= 2
	}
	g.table = slices.Grow(g.table[:0], size)[:size]
	clear(g.table)
	for i := range list {
		o := &list[i]
		key := g.key(&o.x)
		at := int(key * 0x9e3779b97f4a7c15 >> 20 & uint64(size-1))
		for g.table[at].key != key && g.table[at].key != 0 {
			at = (at + 1) & (size - 1)
		}
		c, of := &g.table[at], 1
		if c.key = key; o.own {
			of = 0
		}
		if c.last[of] != o.track+1 {
			c.last[of] = o.track + 1
			c.tracks[of]++
		}
	}
	return g.table
}

// middle is the mean of the offsets in a cell, of own scans.
func (g *grid) middle(list []offset, key uint64) (mean [3]float64) {
	n := 0.0
	for i := range list {
		if o := &list[i]; o.own && g.key(&o.x) == key {
			n++
			for k, x := range o.x {
				mean[k] += (x - mean[k]) / n
			}
		}
	}
	return mean
}

// surprise is the divergence of Kullback and Leibler of a share from what chance would
// have it, p; 0 where it is less.
func surprise(share, p float64) float64 {
	if share <= p {
		return 0
	}
	d := share * math.Log(share/p)
	if share < 1 {
		d += (1 - share) * math.Log((1-share)/(1-p))
	}
	return d
}

// fitEchoes are the likeliest echoes of the detections of l, whose offset is within
// width or so of a place; nil where there are none, where they are scattered as widely
// as detections lie apart, or at no offset: which of two is the echo shows by that.
func (l *learner) fitEchoes(at [3]float64, width, spacing float64) *costgen.Echoes {
	const beside, wide = 3, 5 // deviations from no offset, and that the reach has at least, so that hardly an echo is cut off
	least := l.rounded(width) // of the variance
	e := &costgen.Echoes{Offset: at, Sigma: width / 4}
	for reach := 1.5 * width; ; reach *= 2 {
		if reach > spacing {
			return nil
		}
		if e = fitOffset(l.part, e, reach, least); e == nil || reach >= wide*e.Sigma {
			break
		}
	}
	if e == nil || e.Offset[0]*e.Offset[0]+e.Offset[1]*e.Offset[1]+e.Offset[2]*e.Offset[2] < beside*beside*e.Sigma*e.Sigma {
		return nil
	}
	return e
}

// fitOffset are the echoes of scans that are likeliest where other detections are
// spread evenly about the offset of e, within reach (expectation maximisation, begun
// with e and half of all that is there); their variance is no less than least. nil:
// there are none.
func fitOffset(scans []mtt.Scan, e *costgen.Echoes, reach, least float64) *costgen.Echoes {
	const rounds = 50
	var list [][3]float64
	for t := range scans {
		s := &scans[t]
		sorted := costgen.NewSorted(s)
		for i := range s.Len() {
			var of [3]float64 // where its echo would be
			for k, z := range s.At(i) {
				of[k] = z + e.Offset[k]
			}
			for j := range sorted.Near(of[:], reach) {
				if i == j {
					continue
				}
				var x [3]float64
				for k, z := range s.At(j) {
					x[k] = z - s.At(i)[k]
				}
				list = append(list, x)
			}
		}
	}
	dim, n := float64(dimension(scans)), float64(len(list))
	volume := unitBall(int(dim)) * math.Pow(reach, dim)
	centre, variance, share := e.Offset, max(e.Sigma*e.Sigma, least), 0.5
	for range rounds {
		var sum, squares float64
		var mean [3]float64
		level := share / (1 - share) * volume * math.Pow(2*math.Pi*variance, -dim/2)
		for i := range list {
			d2 := 0.0
			for k, x := range list[i] {
				d2 += (x - centre[k]) * (x - centre[k])
			}
			w := 1 - 1/(1+level*math.Exp(-d2/(2*variance)))
			sum += w
			squares += w * d2
			for k, x := range list[i] {
				mean[k] += w * x
			}
		}
		if sum < 2 {
			return nil
		}
		for k := range mean {
			centre[k] = mean[k] / sum
		}
		variance, share = max(squares/(dim*sum), least), min(sum/n, 1-1e-9)
	}
	return &costgen.Echoes{Offset: centre, Sigma: math.Sqrt(variance), Share: share * n / count(scans)}
}
