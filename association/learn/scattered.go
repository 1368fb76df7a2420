package learn

import (
	"context"
	"math"

	"mtt/costgen"
)

// This file notices false alarms that lie around targets, as detectors make them of parts and edges
// of what they see, and learns anew with that.
//
// Problem. Where false alarms lie around targets, they lie far more densely there than over the
// field, and for a density that is the same everywhere two or three in a row are likelier a target
// that came and went. Of those tracks births are learnt, under which more such tracks are likely:
// of 5 targets in 69 scans there were 28 tracks.
//
// Idea. Such a false alarm is an echo at no offset (file costgen/echoes.go), scattered as widely as
// they lie around. How widely, and how many there are to a detection, are those under which what
// tracks leave over is likeliest as points of a Poisson process, the density of which is that of
// echoes of all detections and an even one (by expectation maximisation). Where it is likelier than
// by an even density alone by Schwarz's criterion [1], levels are learnt on from there, and taken
// where all that was detected is likelier. Tracks of false alarms are given up then, so more is left
// over, and shows how many there are: where that makes what is left over likelier by as much, it is
// done again. Learnt from the beginning with such echoes, targets may be taken to turn all the
// time, as no count says any more how many false alarms there are.
//
// Invariant. Where what is left over shows nothing of the kind, nothing is tried.
//
// Cost. Thirty thousand pairs of detections, looked at some dozens of times; where it shows, the
// pilots of a course or a few, and the sum over all ways to join what was detected.
//
// [1] Schwarz. Estimating the dimension of a model. Annals of Statistics 6, 1978.

// scattered goes on from what was learnt with false alarms around targets, as far as what tracks
// leave over shows them, and takes what comes of it where all that was detected is likelier. begin is
// what l was before it saw tracks.
func (l *learner) scattered(ctx context.Context, begin *learner) error {
	const rounds = 5
	for range rounds {
		known := l.levels.Echoes
		if l.Hasty || l.spent() || l.NoEchoes || l.vel || !begin.countsAlarms() || known != nil && !known.Around() || len(l.tracks) == 0 {
			return nil
		}
		e, even := l.around(known)
		if e == nil {
			return nil
		}
		other, o, levels := *l, *begin.Options, *l.levels
		o.Echoes, levels.Echoes, levels.Rates.Clutter = e, e, even
		other.Options, other.known = &o, begin.known
		if taken, err := l.yields(ctx, &other, &levels, levels.Motion, schwarz(int(count(l.part)))); err != nil || !taken {
			return err
		}
	}
	return nil
}

// around are the echoes at no offset under which what tracks of l leave over is likeliest, with how
// many others there are in a scan, if those that are known, or none, explain it less well; else nil.
func (l *learner) around(known *costgen.Echoes) (e *costgen.Echoes, even float64) {
	p := l.strewn()
	if len(p.near) < 3 {
		return nil, 0
	}
	var begin, held costgen.Echoes
	if known != nil {
		held = *known
	}
	begin.Sigma, begin.Share = p.widest/2, float64(len(p.near))/2/p.all
	least, _ := p.fit(&held, false)
	nats, density := p.fit(&begin, true)
	if nats <= least+schwarz(len(p.near)) || !(begin.Sigma <= p.widest) {
		return nil, 0
	}
	return &begin, density * l.levels.Rates.Volume
}

// strewn are detections that are in no track with others, beside all others of their scans.
type strewn struct {
	near   [][]float64 // m²: of each, how far others are
	all    float64     // detections of these scans
	room   float64     // m² or m³ of all of them together
	dim    float64
	widest float64 // m: half of how far detections lie apart, so that they tell which they are around
	least  float64 // m²: what rounding makes of a variance
}

// strewn are those of some scans of l, from all over the time.
func (l *learner) strewn() *strewn {
	const pairs, prime, far = 30000, 7919, 4
	p := &strewn{dim: float64(dimension(l.part)), widest: l.spacing() / 2}
	p.least = l.rounded(p.widest)
	used := costgen.Linked(l.part, l.tracks)
	for k, n := 0, 0; k < len(l.part) && n < pairs; k++ {
		t := k * prime % len(l.part)
		s := &l.part[t]
		p.all, p.room = p.all+float64(s.Len()), p.room+l.levels.Rates.Volume
		sorted := costgen.NewSorted(s)
		for i := range s.Len() {
			if used[t][i] {
				continue
			}
			var near []float64
			for j, d2 := range sorted.Near(s.At(i), far*p.widest) {
				if j != i {
					near = append(near, d2)
				}
			}
			p.near, n = append(p.near, near), n+len(near)
		}
	}
	return p
}

// fit is how likely p is, nat, under echoes at no offset and an even density of others, the
// likeliest, which it returns; so are the echoes, begun with e, where they are free.
func (p *strewn) fit(e *costgen.Echoes, free bool) (nats, even float64) {
	const rounds, enough = 50, 1e-3 // nat
	n := float64(len(p.near))
	even = n / 2 / p.room
	for k, last := 0, 0.0; k < rounds && (k < 2 || nats > last+enough); k++ {
		last = nats
		variance := e.Sigma * e.Sigma
		scale := 0.0
		if e.Share > 0 {
			scale = e.Share * math.Pow(2*math.Pi*variance, -p.dim/2)
		}
		var sum, squares float64
		nats = -e.Share*p.all - even*p.room
		for _, near := range p.near {
			var echoes, of float64
			for _, d2 := range near {
				w := scale * math.Exp(-d2/(2*variance))
				echoes, of = echoes+w, of+w*d2
			}
			nats += math.Log(echoes + even)
			sum += echoes / (echoes + even)
			squares += of / (echoes + even)
		}
		even = max(n-sum, 0.5) / p.room
		if free && sum > 0 {
			e.Share, e.Sigma = sum/p.all, math.Sqrt(max(squares/(p.dim*sum), p.least))
		}
	}
	return nats, even
}
