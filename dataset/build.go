package dataset

// This file makes scans and truth of the rows that the readers of the formats
// deliver: it puts frames on a grid, thins them, adds noise, hides identities in
// the order of detections, and finds out which detection belongs to which truth.

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"mtt"
	"mtt/internal/text"
)

// noiseStream keeps the noise of this package apart from other uses of a seed.
const noiseStream = 0x64617461736574 // "dataset"

// A draft is data in the making.
type draft struct {
	*Data
	rate   float64      // s for each frame number, where the times of rows say so; 0: not known
	binned bool         // frames were made of reports at any time
	told   bool         // whether rows that repeat others have been counted
	seen   map[int]bool // frames that rows without a position say somebody looked at
}

// alone makes the data of a single file.
func (s *source) alone(o *Options) (*Data, error) {
	d := draft{Data: &Data{Unit: s.unit, Scale: s.scale, Origin: (*[2]float64)(s.origin), Image: s.image, Sensor: s.untold, Served: s.served, File: s.name, Table: s.table, Format: s.format, Notes: s.notes, Doubts: s.doubts}}
	if err := d.clock(o, s); err != nil {
		return nil, err
	}
	grid, err := d.grid(o, s)
	if err != nil {
		return nil, err
	}
	d.looked(s)
	det, err := d.confident(s.rows, s.name, o)
	if err != nil {
		return nil, err
	}
	if err := d.scans(det, grid, s.name, o); err != nil || s.rows.id == nil {
		return d.Data, err
	}
	truth := *s.rows
	truth.row, truth.conf, truth.class, truth.cov, truth.velCov, truth.feat, truth.sensor = nil, nil, nil, nil, nil, nil, nil
	if truth.exact != nil {
		truth.pos = truth.exact
	}
	s.rows = nil // memory for what follows
	if truth.det == nil {
		truth.det = det.detections(truth.n)
	}
	none := 0
	for _, id := range truth.id {
		if id == noID {
			none++
		}
	}
	if none > 0 {
		d.note("rows without an identity: %d, taken for detections of nothing (clutter)", none)
	}
	twice := 0
	count := &twice
	if s.once {
		count = nil
	}
	if d.Truth, err = group(&truth, s.name, count); twice > 0 {
		d.Doubts = append(d.Doubts, fmt.Sprintf("%s: rows that repeat an identity in a frame: %d; the first is the target, the others are detections of nothing", s.name, twice))
	}
	if err == nil {
		d.descend(&truth, s.name)
	}
	return d.Data, err
}

// descend gives targets their parents, where the file says them. Nobody, -1 and oneself, as others
// write it, are no parent; nor is who has no row, as rows may have been left out. Where 0 is a
// parent it gets another number, since 0 says that there is none. What is no lineage is left out,
// and told.
func (d *draft) descend(t *rows, file string) {
	if t.mother == nil {
		return
	}
	there, largest, nobody := make(map[int]bool, len(d.Truth)), 0, false
	for k := range d.Truth {
		there[d.Truth[k].ID] = true
		largest = max(largest, d.Truth[k].ID)
	}
	for i, m := range t.mother {
		nobody = nobody || m < 0 || m > 0 && (m == t.id[i] || !there[m])
	}
	if there[0] && nobody && slices.ContainsFunc(t.mother, func(m int) bool { return m == 0 }) {
		rename := func(ids []int) {
			for i := range ids {
				if ids[i] == 0 {
					ids[i] = largest + 1
				}
			}
		}
		rename(t.id)
		rename(t.mother)
		zero := slices.IndexFunc(d.Truth, func(tr mtt.Track) bool { return tr.ID == 0 })
		tr := d.Truth[zero]
		tr.ID = largest + 1
		d.Truth, there[tr.ID] = append(slices.Delete(d.Truth, zero, zero+1), tr), true
		d.note("target 0 is a parent: it has number %d", tr.ID)
	}
	for i, m := range t.mother {
		if m == t.id[i] || !there[m] {
			t.mother[i] = 0
		}
	}
	if err := descend(d.Truth, t, file); err != nil {
		for k := range d.Truth {
			d.Truth[k].Parent = 0
		}
		d.note("parents left out: %v", err)
	}
}

// confident is the rows of detections of the confidence that o wants: t, or some of it.
func (d *draft) confident(t *rows, file string, o *Options) (*rows, error) {
	if o.MinConf == nil {
		return t, nil
	}
	if t.conf == nil {
		return nil, &SyntaxError{File: file, Msg: "the file says no confidences", Hint: "leave the least confidence (--min-conf) away"}
	}
	all := *t
	all.from = ascending(t.n)
	some := all.where(func(i int) bool { return t.conf[i] >= *o.MinConf })
	d.note("detections of a confidence below %v left out: %d of %d", *o.MinConf, t.n-some.n, t.n)
	return some, nil
}

// ascending is 0, …, n-1.
func ascending(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// pair makes the data of two files, one with identities and one without.
func pair(a, b *source, o *Options) (*Data, error) {
	det, truth := a, b
	if a.rows.id != nil {
		det, truth = b, a
	}
	switch {
	case truth.rows.id == nil:
		return nil, fmt.Errorf("dataset: %s and %s: neither says identities; of two files one is the truth", a.name, b.name)
	case det.rows.id != nil:
		return nil, fmt.Errorf("dataset: %s and %s: both say identities; of two files one is detections only", a.name, b.name)
	case det.rows.dim != truth.rows.dim:
		return nil, fmt.Errorf("dataset: %s has %d coordinates, %s has %d", det.name, det.rows.dim, truth.name, truth.rows.dim)
	case det.unit != truth.unit && det.unit != "" && truth.unit != "":
		return nil, fmt.Errorf("dataset: %s is in %s, %s in %s", det.name, det.unit, truth.name, truth.unit)
	}
	d := draft{Data: &Data{Unit: cmp.Or(det.unit, truth.unit), Scale: det.scale, Origin: (*[2]float64)(det.origin), Image: det.image, Sensor: det.untold, Served: det.served,
		File: det.name, Table: det.table, Format: a.format + ", " + b.format}}
	for _, s := range []*source{a, b} {
		for _, n := range s.notes {
			d.Notes = append(d.Notes, filepath.Base(s.name)+": "+n)
		}
	}
	if det.origin != nil && truth.origin != nil {
		truth.rows.move(*truth.origin, *det.origin)
	}
	if det.sky != nil && truth.sky != nil {
		truth.rows.turn(*truth.sky, *det.sky)
	}
	if det.rows.frame != nil && truth.rows.frame != nil {
		d.shift(det, truth)
	}
	if err := d.clock(o, det, truth); err != nil {
		return nil, err
	}
	grid, err := d.grid(o, det, truth)
	if err != nil {
		return nil, err
	}
	d.looked(det, truth)
	if det.rows, err = d.confident(det.rows, det.name, o); err != nil {
		return nil, err
	}
	if truth.rows.det == nil || det.rows.det == nil || o.MinConf != nil {
		if det.rows.det == nil && !d.told && o.Noise == 0 {
			det.rows.sortByPlace()
			d.once(det.rows, det.rows.ofFrames())
		}
		truth.rows.det = match(det.rows, truth.rows, cmp.Or(o.Overlap, 0.5), o.Reach)
		matched := 0
		for _, i := range truth.rows.det {
			if i >= 0 {
				matched++
			}
		}
		switch {
		case det.rows.size != nil && truth.rows.size != nil:
			d.note("detections matched to the truth at an overlap of %v or more: %d of %d true boxes detected, %d of %d detections true",
				cmp.Or(o.Overlap, 0.5), matched, truth.rows.n, matched, det.rows.n)
		case o.Reach > 0:
			d.note("detections matched to the truth within %v: %d of %d true positions detected, %d of %d detections true",
				o.Reach, matched, truth.rows.n, matched, det.rows.n)
		default:
			d.note("detections not matched to the truth: without boxes, a reach is needed")
		}
		det.rows.from = ascending(det.rows.n)
		if err := d.scans(det.rows, grid, det.name, o); err != nil {
			return nil, err
		}
		number := det.rows.detections(det.rows.n)
		for i, r := range truth.rows.det {
			if r >= 0 {
				truth.rows.det[i] = number[r]
			}
		}
	} else if err := d.scans(det.rows, grid, det.name, o); err != nil {
		return nil, err
	}
	if d.Truth, err = group(truth.rows, truth.name, nil); err != nil {
		return nil, err
	}
	d.descend(truth.rows, truth.name)
	return d.Data, d.refers(truth.name)
}

// note adds a remark.
func (d *draft) note(format string, a ...any) { d.Notes = append(d.Notes, fmt.Sprintf(format, a...)) }

// shift moves the frames of the truth by one when the two files count from
// different numbers: when they cover as many frames and begin one apart.
func (d *draft) shift(det, truth *source) {
	df, dl := slices.Min(det.rows.frame), slices.Max(det.rows.frame)
	tf, tl := slices.Min(truth.rows.frame), slices.Max(truth.rows.frame)
	if by := df - tf; dl-tl == by && (by == 1 || by == -1) {
		for i := range truth.rows.frame {
			truth.rows.frame[i] += by
		}
		for i := range truth.rows.voids {
			truth.rows.voids[i].frame += by
		}
		d.note("truth frames %d..%d count as detection frames %d..%d", tf, tl, df, dl)
	}
}

// grid puts the rows of all sources on one grid of frames, takes the frames that
// o wants, and drops the rows of the others.
func (d *draft) grid(o *Options, src ...*source) (*Grid, error) {
	all := &rows{}
	if first := src[0]; len(src) == 1 && !first.paused {
		*all = rows{n: first.rows.n, frame: first.rows.frame, line: first.rows.line} // sorting makes new ones
	} else {
		for _, s := range src {
			all.n += s.rows.n
			all.frame = append(all.frame, s.rows.frame...)
			all.line = append(all.line, s.rows.line...)
		}
	}
	all.sortBy(nil)
	if slices.ContainsFunc(src, func(s *source) bool { return s.paused }) {
		d.regular(all, src)
	}
	var known Grid
	low, high := all.frame[0], all.frame[all.n-1]
	if d.binned {
		known = Grid{First: low, Step: 1, Count: high - low + 1}
	}
	for _, s := range src {
		if s.looked != nil && len(src) == 1 {
			known = *s.looked
		}
		if s.frames > 0 && low >= 1 && high <= s.frames {
			known = Grid{First: 1, Step: 1, Count: s.frames}
		}
	}
	g, err := fitGrid(known, all, src[0].name)
	if err != nil {
		return nil, err
	}
	first := src[0]
	switch uneven := slices.IndexFunc(src, func(s *source) bool { return s.rows.time != nil }); {
	case uneven >= 0:
		span := 0.0
		for _, s := range src {
			for _, t := range s.rows.time {
				span = max(span, t)
			}
		}
		g.Interval = 1
		if g.Count > 1 && span > 0 {
			g.Interval = span / float64(g.Count-1)
		}
		d.Uneven = true
		d.timeEmpty(&g, src)
	default:
		g.Interval = cmp.Or(o.DT, d.rate*float64(g.Step), first.step, first.count*float64(g.Step), 1)
		d.Start += d.rate * float64(g.First) // frame 0, or the first, is at d.Start
		if o.DT == 0 && d.rate == 0 && first.step == 0 && first.count == 0 {
			d.note("the time between frames is not known: taken as 1 s")
		}
	}
	if k := o.Every; k > 1 && !d.binned {
		for _, s := range src {
			s.rows.keep(func(i int) bool { return (s.rows.frame[i]-g.First)/g.Step%k == 0 })
		}
		g.Step *= k
		g.Interval *= float64(k)
		g.Count = (g.Count + k - 1) / k
		d.note("1 frame in %d kept: %s, %v s apart", k, text.Count(g.Count, "frame"), g.Interval)
	}
	return &g, nil
}

// timeEmpty notes in g when frames are of which only the truth, or detections that are
// left out later, know the time.
func (d *draft) timeEmpty(g *Grid, src []*source) {
	g.Empty = make(map[int]float64)
	for _, s := range src {
		for i, t := range s.rows.time {
			g.Empty[s.rows.frame[i]] = t
		}
	}
}

// regular renumbers the frames of annotations that come at a regular step but
// for a few pauses of odd length, so that the step is not lost: a pause becomes
// the nearest whole number of steps. Frames at a regular step stay as they are.
func (d *draft) regular(all *rows, src []*source) {
	f := slices.Compact(slices.Clone(all.frame))
	steps := make([]int, 0, len(f))
	common := 0
	for i := 1; i < len(f); i++ {
		steps = append(steps, f[i]-f[i-1])
		common = gcd(common, f[i]-f[i-1])
	}
	if len(steps) == 0 {
		return
	}
	slices.Sort(steps)
	step := steps[len(steps)/2]
	usual, odd := 0, 0
	for _, s := range steps {
		if s == step {
			usual++
		}
		if s%step != 0 {
			odd++
		}
	}
	if common == step || 10*usual < 9*len(steps) {
		return
	}
	to := map[int]int{f[0]: f[0]}
	at := f[0]
	for i := 1; i < len(f); i++ {
		at += step * max(1, (f[i]-f[i-1]+step/2)/step)
		to[f[i]] = at
	}
	for _, s := range src {
		for i, v := range s.rows.frame {
			s.rows.frame[i] = to[v]
		}
	}
	for i, v := range all.frame {
		all.frame[i] = to[v]
	}
	d.note("frames come in steps of %d but for %s of odd length: frames renumbered to steps of %d", step, text.Count(odd, "pause"), step)
}

// scans sets d.Scans to the detections t. It puts them in order.
func (d *draft) scans(t *rows, g *Grid, file string, o *Options) (err error) {
	d.Interval = g.Interval
	if o.Noise > 0 {
		t.pos, t.exact = noisy(t, o), t.pos
		d.note("Gaussian noise of standard deviation %v %s added to each coordinate of the detections (seed %d)", o.Noise, cmp.Or(d.Unit, "units"), o.Seed)
	}
	if t.det != nil && t.id == nil {
		t.sortBy(t.det)
		if err := checkDets(t, file); err != nil {
			return err
		}
	} else { // where there are identities, det is of another file
		t.sortByPlace()
		if !d.told && o.Noise == 0 {
			d.once(t, t.ofFrames())
		}
	}
	s := *t
	if o.NoVelocity {
		s.vel = nil
	}
	if d.Scans, d.Rows, err = cut(&s, g, file); err == nil {
		d.leave()
	}
	return err
}

// detections is, for each of n rows, the number of its detection in its frame: t are these
// rows, or those of them that t.from says, in order; -1 for the others.
func (t *rows) detections(n int) []int {
	number := make([]int, n)
	if t.from != nil {
		for i := range number {
			number[i] = -1
		}
	}
	k := 0
	for i := range t.n {
		k++
		if i == 0 || t.frame[i] != t.frame[i-1] {
			k = 0
		}
		if t.from == nil {
			number[i] = k
		} else {
			number[t.from[i]] = k
		}
	}
	return number
}

// noisy is the positions with noise added, drawn in order of frames and, in a
// frame, of identities or, without them, of rows.
func noisy(t *rows, o *Options) []float64 {
	order := t.order(func(a, b int) int {
		if t.id == nil {
			return 0
		}
		return t.id[a] - t.id[b]
	})
	rng := rand.New(rand.NewPCG(o.Seed, noiseStream))
	pos := slices.Clone(t.pos)
	for i := range t.n {
		r := i
		if order != nil {
			r = order[i]
		}
		for c := range t.dim {
			pos[r*t.dim+c] += o.Noise * rng.NormFloat64()
		}
	}
	return pos
}

// refers refuses a truth that names detections that are not there.
func (d *draft) refers(file string) error {
	if len(d.Scans) == 0 {
		return nil
	}
	count := make(map[int]int, len(d.Scans))
	for t := range d.Scans {
		count[d.Scans[t].Frame] = d.Scans[t].Len()
	}
	for i := range d.Truth {
		for _, h := range d.Truth[i].Hits {
			if n := count[h.Frame]; h.Det >= n {
				return &SyntaxError{File: file, Msg: fmt.Sprintf("target %d names detection %d of frame %d, which has %s", d.Truth[i].ID, h.Det, h.Frame, text.Count(n, "detection")),
					Hint: "the two files are not of one run"}
			}
		}
	}
	return nil
}

// match finds, for each row of truth, the row of det that is its detection, -1
// for none. Rows of a frame are matched one to one, the best pair first: by the
// overlap of boxes, at least overlap, or without boxes by distance, at most
// reach. It takes O(n·m) for n and m rows of one frame.
func match(det, truth *rows, overlap, reach float64) []int {
	of := make([]int, truth.n)
	for i := range of {
		of[i] = -1
	}
	boxes := det.size != nil && truth.size != nil
	if !boxes && reach == 0 {
		return of
	}
	inFrame := make(map[int][]int)
	for i, f := range det.frame {
		inFrame[f] = append(inFrame[f], i)
	}
	type candidate struct {
		truth, det int
		merit      float64
	}
	var all []candidate
	for i, f := range truth.frame {
		for _, j := range inFrame[f] {
			if boxes {
				if m := iou(truth, i, det, j); m >= overlap {
					all = append(all, candidate{i, j, m})
				}
			} else if m := apart(truth, i, det, j); m <= reach {
				all = append(all, candidate{i, j, -m})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.merit, a.merit) })
	used := make([]bool, det.n)
	for _, c := range all {
		if of[c.truth] < 0 && !used[c.det] {
			of[c.truth] = c.det
			used[c.det] = true
		}
	}
	return of
}

// iou is the intersection over union of two boxes, given by centre and size.
func iou(a *rows, i int, b *rows, j int) float64 {
	cut := 1.0
	for c := range 2 {
		aw, bw := a.size[2*i+c]/2, b.size[2*j+c]/2
		ac, bc := a.pos[2*i+c], b.pos[2*j+c]
		w := math.Min(ac+aw, bc+bw) - math.Max(ac-aw, bc-bw)
		if w <= 0 {
			return 0
		}
		cut *= w
	}
	return cut / (a.size[2*i]*a.size[2*i+1] + b.size[2*j]*b.size[2*j+1] - cut)
}

// apart is the Euclidean distance of two positions.
func apart(a *rows, i int, b *rows, j int) float64 {
	d := 0.0
	for c := range a.dim {
		d = math.Hypot(d, a.pos[i*a.dim+c]-b.pos[j*b.dim+c])
	}
	return d
}

// scale multiplies positions, sizes and velocities by f, covariances by its square, or, to round once only,
// divides them by 1/f when that is a whole number.
func (t *rows) scale(f float64) {
	by := math.Round(1 / f)
	whole := f < 1 && by*f == 1
	for _, a := range [][]float64{t.pos, t.vel, t.size, t.cov, t.cov, t.velCov, t.velCov} {
		for i := range a {
			if whole {
				a[i] /= by
			} else {
				a[i] *= f
			}
		}
	}
}

// identities is how many identities there are.
func (t *rows) identities() int {
	_, ids := t.numbers()
	return len(ids)
}

// spread is the number of frames, identities and rows in words.
func (t *rows) spread(what string) string {
	s := fmt.Sprintf("%d %s", t.n, what)
	if t.frame != nil {
		s = fmt.Sprintf("frames %d..%d, ", slices.Min(t.frame), slices.Max(t.frame)) + s
	}
	if t.id != nil {
		s += fmt.Sprintf(", %d identities", t.identities())
	}
	return s
}

// note adds a remark.
func (s *source) note(format string, a ...any) { s.notes = append(s.notes, fmt.Sprintf(format, a...)) }
