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

	"mtt/internal/text"
)

// noiseStream keeps the noise of this package apart from other uses of a seed.
const noiseStream = 0x64617461736574 // "dataset"

// alone makes the data of a single file.
func (s *source) alone(o *Options) (*Data, error) {
	d := &Data{Unit: s.unit, Format: s.format, Notes: s.notes}
	grid, err := d.grid(o, s)
	if err != nil {
		return nil, err
	}
	det := *s.rows
	if s.rows.id != nil {
		det.det = nil // of another file
	}
	number, err := d.scans(&det, grid, s.name, o)
	if err != nil {
		return nil, err
	}
	if s.rows.id != nil {
		truth := *s.rows
		if truth.det == nil {
			truth.det = number
		}
		d.Truth, err = group(&truth, s.name)
	}
	return d, err
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
	d := &Data{Unit: cmp.Or(det.unit, truth.unit), Format: a.format + ", " + b.format}
	for _, s := range []*source{a, b} {
		for _, n := range s.notes {
			d.Notes = append(d.Notes, filepath.Base(s.name)+": "+n)
		}
	}
	d.shift(det, truth)
	grid, err := d.grid(o, det, truth)
	if err != nil {
		return nil, err
	}
	if truth.rows.det == nil || det.rows.det == nil {
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
		number, err := d.scans(det.rows, grid, det.name, o)
		if err != nil {
			return nil, err
		}
		for i, r := range truth.rows.det {
			if r >= 0 {
				truth.rows.det[i] = number[r]
			}
		}
	} else if _, err := d.scans(det.rows, grid, det.name, o); err != nil {
		return nil, err
	}
	if d.Truth, err = group(truth.rows, truth.name); err != nil {
		return nil, err
	}
	return d, d.refers(truth.name)
}

// note adds a remark.
func (d *Data) note(format string, a ...any) { d.Notes = append(d.Notes, fmt.Sprintf(format, a...)) }

// shift moves the frames of the truth by one when the two files count from
// different numbers: when they cover as many frames and begin one apart.
func (d *Data) shift(det, truth *source) {
	df, dl := slices.Min(det.rows.frame), slices.Max(det.rows.frame)
	tf, tl := slices.Min(truth.rows.frame), slices.Max(truth.rows.frame)
	if by := df - tf; dl-tl == by && (by == 1 || by == -1) {
		for i := range truth.rows.frame {
			truth.rows.frame[i] += by
		}
		d.note("truth frames %d..%d count as detection frames %d..%d", tf, tl, df, dl)
	}
}

// grid puts the rows of all sources on one grid of frames, takes the frames that
// o wants, and drops the rows of the others.
func (d *Data) grid(o *Options, src ...*source) (*Grid, error) {
	all := &rows{}
	for _, s := range src {
		all.n += s.rows.n
		all.frame = append(all.frame, s.rows.frame...)
		all.line = append(all.line, s.rows.line...)
		if s.rows.time != nil && o.DT > 0 {
			s.rows.time = nil
		}
	}
	all.sortBy(nil)
	if slices.ContainsFunc(src, func(s *source) bool { return s.paused }) {
		d.regular(all, src)
	}
	var known Grid
	if src[0].async {
		known = Grid{First: all.frame[0], Step: 1, Count: all.frame[all.n-1] - all.frame[0] + 1}
	}
	g, err := fitGrid(known, all, src[0].name)
	if err != nil {
		return nil, err
	}
	if first := src[0]; first.rows.time != nil {
		if g, err = fitTime(g, first); err != nil {
			return nil, err
		}
	} else {
		g.Interval = cmp.Or(o.DT, first.step, first.count*float64(g.Step), 1)
		if o.DT == 0 && first.step == 0 && first.count == 0 {
			d.note("the time between frames is not known: taken as 1 s")
		}
	}
	if k := o.Every; k > 1 && !src[0].async {
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

// regular renumbers the frames of annotations that come at a regular step but
// for a few pauses of odd length, so that the step is not lost: a pause becomes
// the nearest whole number of steps. Frames at a regular step stay as they are.
func (d *Data) regular(all *rows, src []*source) {
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

// fitTime sets the interval of g by the times of the rows and refuses frames
// with two times.
func fitTime(g Grid, s *source) (Grid, error) {
	t := s.rows
	lo, hi := 0, 0
	at := make(map[int]int, g.Count) // first row of a frame
	for i, f := range t.frame {
		j, ok := at[f]
		if !ok {
			at[f] = i
		} else if t.time[i] != t.time[j] {
			return g, &SyntaxError{File: s.name, Line: int(t.line[i]), Col: 1,
				Msg:  fmt.Sprintf("frame %d has two times, %v s and, in line %d, %v s", f, t.time[i], t.line[j], t.time[j]),
				Hint: "all rows of a frame share one time"}
		}
		if f < t.frame[lo] {
			lo = i
		}
		if f > t.frame[hi] {
			hi = i
		}
	}
	g.Interval = 1
	if n := (t.frame[hi] - t.frame[lo]) / g.Step; n > 0 {
		g.Interval = (t.time[hi] - t.time[lo]) / float64(n)
	}
	if g.Interval <= 0 {
		return g, &SyntaxError{File: s.name, Line: int(t.line[hi]), Col: 1,
			Msg: fmt.Sprintf("frame %d is at %v s, frame %d at %v s", t.frame[lo], t.time[lo], t.frame[hi], t.time[hi]), Hint: "time grows with the frame"}
	}
	begin := t.time[lo]
	for i := range t.time {
		t.time[i] -= begin
	}
	return g, nil
}

// scans sets d.Scans and returns, for each row of t, the number of its detection
// in its frame. t is not changed.
func (d *Data) scans(t *rows, g *Grid, file string, o *Options) (number []int, err error) {
	d.Interval = g.Interval
	s := *t
	if o.NoVelocity {
		s.vel = nil
	}
	if o.Noise > 0 {
		s.pos = noisy(&s, o)
		d.note("Gaussian noise of standard deviation %v %s added to each coordinate of the detections (seed %d)", o.Noise, cmp.Or(d.Unit, "units"), o.Seed)
	}
	order := s.order(func(a, b int) int {
		if s.det != nil {
			return s.det[a] - s.det[b]
		}
		return slices.Compare(s.pos[a*s.dim:(a+1)*s.dim], s.pos[b*s.dim:(b+1)*s.dim])
	})
	number = make([]int, s.n)
	k := 0
	for i := range s.n {
		r, before := i, i-1
		if order != nil {
			r, before = order[i], order[max(i-1, 0)]
		}
		k++
		if i == 0 || s.frame[r] != s.frame[before] {
			k = 0
		}
		number[r] = k
	}
	if order != nil {
		s.take(order)
	}
	if err := checkDets(&s, file); err != nil {
		return nil, err
	}
	d.Scans, err = cut(&s, g, file)
	return number, err
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
func (d *Data) refers(file string) error {
	if len(d.Scans) == 0 {
		return nil
	}
	first := d.Scans[0].Frame
	step := 1
	if len(d.Scans) > 1 {
		step = d.Scans[1].Frame - first
	}
	for i := range d.Truth {
		for _, h := range d.Truth[i].Hits {
			if n := d.Scans[(h.Frame-first)/step].Len(); h.Det >= n {
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
			} else if m := distance(truth, i, det, j); m <= reach {
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

// distance is the Euclidean distance of two positions.
func distance(a *rows, i int, b *rows, j int) float64 {
	d := 0.0
	for c := range a.dim {
		d = math.Hypot(d, a.pos[i*a.dim+c]-b.pos[j*b.dim+c])
	}
	return d
}

// scale multiplies positions, sizes and velocities by f or, to round once only,
// divides them by 1/f when that is a whole number.
func (t *rows) scale(f float64) {
	by := math.Round(1 / f)
	for _, a := range [][]float64{t.pos, t.vel, t.size} {
		for i := range a {
			if f < 1 {
				a[i] /= by
			} else {
				a[i] *= f
			}
		}
	}
}

// spread is the number of frames, identities and rows in words.
func (t *rows) spread(what string) string {
	s := fmt.Sprintf("frames %d..%d, %d %s", slices.Min(t.frame), slices.Max(t.frame), t.n, what)
	if t.id != nil {
		ids := slices.Clone(t.id)
		slices.Sort(ids)
		s += fmt.Sprintf(", %d identities", len(slices.Compact(ids)))
	}
	return s
}

// note adds a remark.
func (s *source) note(format string, a ...any) { s.notes = append(s.notes, fmt.Sprintf(format, a...)) }
