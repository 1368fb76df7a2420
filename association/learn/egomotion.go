package learn

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mtt"
	"mtt/costgen"
	"mtt/internal/radix"
)

// This file learns how a sensor moved that is taken to stand still: a camera that shakes, pans or
// is carried, a stage that drifts. Nothing but the detections says it: all targets bend at once.
//
// Of three detections of a track in scans a, b and c, the middle one is off the line between the others by
//
//	z_b − λ z_a − (1−λ) z_c,  λ = (t_c − t_b)/(t_c − t_a),
//
// its bend, which of a target on a straight line is noise. Shifts o_t of the sensor add o_b − λ o_a
// − (1−λ) o_c, the same to all. The median bend of all tracks with detections in a, b and c is one
// equation; the shifts are their weighted least squares, a banded system. A shift that grows in
// proportion to time bends nothing: it stays part of the targets' velocities.
//
// Targets that walk have none and go nowhere by themselves: of them the step from a to b is common,
// λ = 1 and c = b, and so is a straight line.

const (
	farthest = 8  // scans from a to c
	voters   = 4  // tracks that make a median
	crowded  = 64 // tracks or detections that vote for the shift of a scan, of more some
)

// A bend is that of all tracks with detections in scans a, b and c; where c is b, their step.
type bend struct {
	a, b, c int
	lambda  float64
	n       int       // tracks
	at      []float64 // median, len dim
	spread  []float64 // standard deviation, from the median absolute deviation, len dim
}

// bends are those of tracks of scans, of at least so many tracks each, in the order of b, then a
// and c; or the steps of those that walk.
func bends(scans []mtt.Scan, tracks []mtt.Track, dim int, steps bool) (all []bend) {
	if len(tracks) < voters {
		return nil
	}
	index := mtt.ByFrame(scans)
	past := 1 // from b to c
	if steps {
		past = 0
	}
	type one struct{ b, a, c, track, hit int }
	each := func(do func(one)) { // in the order of tracks
		for i := range tracks {
			hits := tracks[i].Hits
			for h := 1; h+past < len(hits); h++ {
				if o := (one{index[hits[h].Frame], index[hits[h-1].Frame], index[hits[h+past].Frame], i, h}); o.c-o.a <= farthest {
					do(o)
				}
			}
		}
	}
	ends := make([]int, len(scans)+1) // of those of each b
	each(func(o one) { ends[o.b+1]++ })
	for b := range scans {
		ends[b+1] += ends[b]
	}
	ones := make([]one, ends[len(scans)])
	each(func(o one) {
		ones[ends[o.b]] = o
		ends[o.b]++
	})
	begin := 0
	for _, end := range ends[:len(scans)] {
		slices.SortStableFunc(ones[begin:end], func(p, q one) int { return cmp.Or(p.a-q.a, p.c-q.c) })
		begin = end
	}
	for len(ones) > 0 {
		n := 1
		for n < len(ones) && ones[n].b == ones[0].b && ones[n].a == ones[0].a && ones[n].c == ones[0].c {
			n++
		}
		group := ones[:n]
		if ones = ones[n:]; n < voters {
			continue
		}
		k := newBend(scans, group[0].a, group[0].b, group[0].c, dim)
		off := make([][]float64, dim)
		for _, o := range group {
			tr := &tracks[o.track]
			before, at, after := tr.At(o.hit-1), tr.At(o.hit), tr.At(o.hit+past)
			for x := range dim {
				off[x] = append(off[x], at[x]-k.lambda*before[x]-(1-k.lambda)*after[x])
			}
		}
		k.settle(off)
		all = append(all, k)
	}
	return all
}

func newBend(scans []mtt.Scan, a, b, c, dim int) bend {
	k := bend{a: a, b: b, c: c, lambda: 1, at: make([]float64, dim), spread: make([]float64, dim)}
	if c > b {
		k.lambda = (scans[c].Time - scans[b].Time) / (scans[c].Time - scans[a].Time)
	}
	return k
}

// settle sets median and spread along each axis. It sorts the values.
func (k *bend) settle(off [][]float64) {
	for x, values := range off {
		k.n = len(values)
		k.at[x] = median(values)
		for n, v := range values {
			values[n] = math.Abs(v - k.at[x])
		}
		k.spread[x] = 1.4826 * median(values)
	}
}

// median sorts the values, of which there is one at least.
func median(values []float64) float64 {
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// common says for each axis how much larger the variance of median bends is than the bends of
// targets that know nothing of each other would make it, and the nats that speak for shifts: those
// of normal medians, a third of them, as bends that follow one another share detections.
func common(all []bend, dim int) (ratio []float64, nats float64) {
	ratio = make([]float64, dim)
	for x := range dim {
		among, within, n := 0.0, 0.0, 0.0
		for k := range all {
			if k > 0 && all[k].b == all[k-1].b {
				continue // which are not independent
			}
			s := all[k].spread[x]
			among += float64(all[k].n) * all[k].at[x] * all[k].at[x] / (math.Pi / 2) // variance of a median
			within += s * s
			n++
		}
		if n < 5 || within == 0 {
			continue
		}
		if ratio[x] = among / within; ratio[x] > 1 {
			nats += n / 6 * (ratio[x] - 1 - math.Log(ratio[x]))
		}
	}
	return ratio, nats
}

// moves reports whether tracks speak for a sensor that moves: bends that are shared are as large as
// those that are not are on average, over all targets, and 10 nats say that it is no chance.
func moves(all []bend, dim int) bool {
	ratio, nats := common(all, dim)
	return nats > 10 && slices.Max(ratio) > 2
}

// shiftsOf are the shifts that the bends of tracks speak for, and of scans in which fewer than half
// of the tracks have their detection those that many of the tracks would find one by.
func shiftsOf(scans []mtt.Scan, tracks []mtt.Track, all []bend, dim int, steps bool) *costgen.Shifts {
	return settled(scans, append(slices.Clip(all), sought(scans, tracks, all, dim)...), dim, steps)
}

// settled are the shifts that bends speak for, or steps of targets that walk.
func settled(scans []mtt.Scan, all []bend, dim int, steps bool) *costgen.Shifts {
	n, width := len(scans), min(farthest, len(scans)-1)
	s := rest(scans, dim)
	a := mat.NewSymBandDense(n, width, nil)
	right := mat.NewDense(n, dim, nil)
	row := func(k *bend, weight float64) {
		at := [3]int{k.a, k.b, k.c}
		is := [3]float64{-k.lambda, 1, k.lambda - 1}
		for p, i := range at {
			for q, j := range at[p:] {
				a.SetSymBand(i, j, a.At(i, j)+weight*is[p]*is[p+q])
			}
			for x, v := range k.at {
				right.Set(i, x, right.At(i, x)+weight*is[p]*v)
			}
		}
	}
	for k := range all {
		row(&all[k], float64(all[k].n))
	}
	// Where too few targets are seen the sensor goes straight on; and it stays near where it was.
	for b := 1; b+1 < n; b++ {
		k := newBend(scans, b-1, b, b+1, dim)
		row(&k, 1e-3)
	}
	for t := range n {
		a.SetSymBand(t, t, a.At(t, t)+1e-9)
	}
	var factor mat.BandCholesky
	if !factor.Factorize(a) {
		return nil
	}
	var solution mat.Dense
	if factor.SolveTo(&solution, right) != nil {
		return nil
	}
	for t := range n {
		for x := range dim {
			s.Pos[t*dim+x] = solution.At(t, x)
		}
	}
	if !steps {
		level(s, scans)
	}
	return s
}

// rest are the shifts of a sensor that stands still.
func rest(scans []mtt.Scan, dim int) *costgen.Shifts {
	s := &costgen.Shifts{Dim: dim, Frames: make([]int, len(scans)), Pos: make([]float64, len(scans)*dim)}
	for t := range scans {
		s.Frames[t] = scans[t].Frame
	}
	return s
}

// level takes the straight line out that shifts are nearest to.
func level(s *costgen.Shifts, scans []mtt.Scan) {
	n, mean := float64(len(scans)), 0.0
	for t := range scans {
		mean += scans[t].Time / n
	}
	for x := range s.Dim {
		var base, slope, square float64
		for t := range scans {
			dt := scans[t].Time - mean
			base += s.Pos[t*s.Dim+x] / n
			slope += dt * s.Pos[t*s.Dim+x]
			square += dt * dt
		}
		for t := range scans {
			s.Pos[t*s.Dim+x] -= base + slope/square*(scans[t].Time-mean)
		}
	}
}

// sought are bends of scans that most tracks pass by: the shift there by which most of their places
// are next to a detection, if half of them are.
func sought(scans []mtt.Scan, tracks []mtt.Track, all []bend, dim int) (found []bend) {
	var widths []float64
	for k := range all {
		widths = append(widths, all[k].spread...)
	}
	if len(widths) == 0 {
		return nil
	}
	width := 3 * median(widths)
	if width == 0 {
		return nil
	}
	index := mtt.ByFrame(scans)
	type gap struct{ a, c, track, hit int } // the track has nothing between
	over := make([][]gap, len(scans))
	here := make([]int, len(scans)) // tracks with a detection and neighbours
	for i := range tracks {
		hits := tracks[i].Hits
		for h := 1; h < len(hits); h++ {
			a, c := index[hits[h-1].Frame], index[hits[h].Frame]
			if h > 1 {
				here[a]++
			}
			for b := a + 1; b < c && c-a <= farthest; b++ {
				over[b] = append(over[b], gap{a, c, i, h})
			}
		}
	}
	for b := range scans {
		if len(over[b]) < voters || here[b] >= len(over[b]) {
			continue
		}
		slices.SortFunc(over[b], func(p, q gap) int { return cmp.Or(p.a-q.a, p.c-q.c, p.track-q.track) })
		var best []gap
		for rest := over[b]; len(rest) > 0; {
			n := 1
			for n < len(rest) && rest[n].a == rest[0].a && rest[n].c == rest[0].c {
				n++
			}
			if n > len(best) {
				best = rest[:n]
			}
			rest = rest[n:]
		}
		if best = best[:min(len(best), crowded)]; len(best) < voters {
			continue
		}
		k := newBend(scans, best[0].a, b, best[0].c, dim)
		places := make([]float64, 0, len(best)*dim)
		for _, g := range best {
			before, after := tracks[g.track].At(g.hit-1), tracks[g.track].At(g.hit)
			for x := range dim {
				places = append(places, k.lambda*before[x]+(1-k.lambda)*after[x])
			}
		}
		if off := vote(places, &scans[b], width); off != nil && 2*len(off[0]) >= len(best) {
			k.settle(off)
			found = append(found, k)
		}
	}
	return found
}

// vote are the differences, by axis, of detections from places that lie nearest to one another, at
// most width apart along each axis: of the cell that has most of them with its neighbours, of
// several such cells that of the first difference. It takes O(n) time and memory for n differences,
// which are sorted by cell.
func vote(places []float64, s *mtt.Scan, width float64) [][]float64 {
	dim, n := s.Dim, len(places)/s.Dim*s.Len()
	if n == 0 {
		return nil
	}
	off := make([]float64, dim)
	at := func(k int) (in cell) { // of difference k, which it leaves in off
		for x, z := range s.At(k % s.Len()) {
			off[x] = z - places[k/s.Len()*dim+x]
			in[x] = int(math.Floor(off[x] / width))
		}
		return in
	}
	low, high := at(0), at(0)
	for k := range n {
		in := at(k)
		for x := range dim {
			low[x], high[x] = min(low[x], in[x]), max(high[x], in[x])
		}
	}
	// The cells by number, row by row with one to spare at either end of each, so that those beside
	// one another along an axis are a stride apart. Above 2⁶⁴ differences times cells, some far
	// from each other may share a number.
	stride, rows := [3]uint64{}, []uint64{0} // rows: what to add for those beside a row of the last axis, and its own
	for x, all := dim-1, uint64(1); x >= 0; x-- {
		stride[x] = all
		all *= uint64(high[x] - low[x] + 3)
		if x < dim-1 {
			for _, d := range rows {
				rows = append(rows, d+stride[x], d-stride[x])
			}
		}
	}
	ordinal := bits.Len(uint(n))
	keys := make([]uint64, n)
	for k := range n {
		in, number := at(k), uint64(0)
		for x := range dim {
			number += uint64(in[x]-low[x]+1) * stride[x]
		}
		keys[k] = number<<ordinal | uint64(k)
	}
	keys, _ = radix.Sort(keys, nil, ordinal)
	type run struct {
		number   uint64
		first, n int // the difference, how many
	}
	var runs []run
	for _, key := range keys {
		if last := len(runs) - 1; last < 0 || runs[last].number != key>>ordinal {
			runs = append(runs, run{number: key >> ordinal, first: int(key & (1<<ordinal - 1))})
		}
		runs[len(runs)-1].n++
	}
	best, most := 0, 0 // the first difference of a cell, and how many it has with its neighbours
	ahead := make([]int, len(rows))
	for _, r := range runs {
		n := 0
		for k, d := range rows {
			j := ahead[k]
			for j < len(runs) && runs[j].number < r.number+d-1 {
				j++
			}
			ahead[k] = j
			for ; j < len(runs) && runs[j].number <= r.number+d+1; j++ {
				n += runs[j].n
			}
		}
		if n > most || n == most && r.first < best {
			best, most = r.first, n
		}
	}
	middle := at(best)
	out := make([][]float64, dim)
	for k := range n {
		in, beside := at(k), true
		for x := range dim {
			beside = beside && -1 <= in[x]-middle[x] && in[x]-middle[x] <= 1
		}
		if beside {
			for x, v := range off {
				out[x] = append(out[x], v)
			}
		}
	}
	return out
}

// A cell is where a difference lies, in widths.
type cell [3]int

// Offset is by how much most detections of a scan are off from places where targets should be,
// row-major: the medians of the differences that agree within a width along each axis. nil: those
// of fewer than half of the places do. It takes time in proportion to places and detections, of
// more than 64 places some.
func Offset(places []float64, s *mtt.Scan, width float64) []float64 {
	there := mtt.Scan{Dim: s.Dim, Pos: places}
	places = some(&there, crowded)
	n := len(places) / s.Dim
	off := vote(places, s, width)
	if off == nil || len(off[0]) < max(voters, n/2) {
		return nil
	}
	at := make([]float64, s.Dim)
	for x := range at {
		at[x] = median(off[x])
	}
	return at
}

// confused reports whether tracks may be those of a sensor that moves by more than targets are
// apart: half of the tracks end at once, or begin, where as many others begin or end or detections
// are in none, half of all detections are in none, or noise is as large as what lies between
// targets.
func confused(scans []mtt.Scan, tracks []mtt.Track, g *costgen.Levels) bool {
	n := len(scans)
	index := make(map[int]int, n)
	pairs := 0 // of detections that could be links
	for t := range scans {
		index[scans[t].Frame] = t
		if t > 0 {
			pairs += min(scans[t-1].Len(), scans[t].Len())
		}
	}
	alive, ends, begins, alone := make([]int, n+1), make([]int, n+1), make([]int, n+1), make([]int, n)
	for t := range scans {
		alone[t] = scans[t].Len()
	}
	for i := range tracks {
		hits := tracks[i].Hits
		for _, h := range hits {
			alone[index[h.Frame]]--
		}
		from, to := index[hits[0].Frame], index[hits[len(hits)-1].Frame]
		begins[from]++
		ends[to+1]++
		for t := from; t <= to; t++ {
			alive[t]++
		}
	}
	for t := 1; t < n; t++ {
		least := max(voters, alive[t-1]/2)
		if ends[t] >= least && max(begins[t], alone[t]) >= least {
			return true
		}
		if least = max(voters, alive[t]/2); begins[t] >= least && alone[t-1] >= least {
			return true
		}
	}
	r := &g.Rates
	reach := math.Pow(3*g.Sigma, float64(g.Dim)) * math.Pi
	return 2*(hits(tracks)-len(tracks)) < pairs || reach*count(scans)/float64(n) > r.Volume
}

// votes are the differences by which most detections of each scan have another in the scan before.
type votes struct {
	scans  []mtt.Scan
	dim    int
	volume float64     // of the box around all
	steps  [][]float64 // to each scan from the one before; nil: too few vote
	widths []float64   // along each axis, within which they agree
}

// voted lets some detections of each scan vote.
func voted(ctx context.Context, scans []mtt.Scan, dim int) (*votes, error) {
	size, volume := extent(scans, dim)
	n := len(scans)
	v := &votes{scans, dim, volume, make([][]float64, n), make([]float64, n)}
	for t := 1; t < n; t++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		a, b := &scans[t-1], &scans[t]
		if a.Len() < voters || b.Len() < voters {
			continue
		}
		places := some(a, crowded)
		spacing := size / math.Pow(float64(b.Len()), 1/float64(dim))
		most := 0.0
		for _, share := range []float64{1. / 4, 1. / 8, 1. / 16, 1. / 32} {
			off := vote(places, b, share*spacing)
			if s := v.score(t, float64(len(off[0])), share*spacing); s > most {
				most, v.widths[t] = s, share*spacing
				v.steps[t] = make([]float64, dim)
				for x := range dim {
					v.steps[t][x] = median(off[x])
				}
			}
		}
	}
	return v, nil
}

// score is how much likelier it is that so many agree than by chance, nat.
func (v *votes) score(t int, count, width float64) float64 {
	chance := v.chance(t, width)
	if count <= chance {
		return 0
	}
	return count*(math.Log(count/chance)-1) + chance
}

// chance is how many agree on a difference where places are anywhere in the box around all.
func (v *votes) chance(t int, width float64) float64 {
	return float64(min(v.scans[t-1].Len(), crowded)*v.scans[t].Len()) * math.Pow(3*width, float64(v.dim)) / v.volume
}

// more reports whether so many more agree on one difference than on another that it is no chance,
// whichever of all differences it is.
func (v *votes) more(t int, one, other []float64) bool {
	places := some(&v.scans[t-1], crowded)
	here, there := near(places, &v.scans[t], one, v.widths[t]), near(places, &v.scans[t], other, v.widths[t])
	return v.score(t, here, v.widths[t])-v.score(t, there, v.widths[t]) >= 5+math.Log(float64(len(places)/v.dim*v.scans[t].Len()))
}

// jumps reports whether a quarter of the places in a scan have others at one difference in the next
// beyond what chance has there: as many as at its opposite, by which places lie as densely, or
// where that is fewer as many as in the box around all, as the one difference is the best of very
// many and the other any; and five standard errors of the difference.
func (v *votes) jumps() bool {
	for t, step := range v.steps {
		if step == nil {
			continue
		}
		back := make([]float64, v.dim)
		for x := range back {
			back[x] = -step[x]
		}
		places := some(&v.scans[t-1], crowded)
		here, there := near(places, &v.scans[t], step, v.widths[t]), near(places, &v.scans[t], back, v.widths[t])
		there = max(there, v.chance(t, v.widths[t]))
		if here-there >= float64(len(places)/v.dim)/4+5*math.Sqrt(2*there+1) {
			return true
		}
	}
	return false
}

// registered are shifts that need no tracks: from scan to scan the difference by which most
// detections have another, where these are so many more than by chance, and than by what the
// difference is mostly, that it cannot be chance. nil: there is no such scan.
func registered(ctx context.Context, scans []mtt.Scan, dim int) (*costgen.Shifts, error) {
	v, err := voted(ctx, scans, dim)
	if err != nil {
		return nil, err
	}
	steps := v.steps
	usual := make([]float64, dim)
	for x := range dim {
		var all []float64
		for _, step := range steps {
			if step != nil {
				all = append(all, step[x])
			}
		}
		if len(all) == 0 {
			return nil, nil
		}
		usual[x] = median(all)
	}
	s := rest(scans, dim)
	found := false
	for t := range scans {
		if t == 0 {
			continue
		}
		copy(s.Pos[t*dim:(t+1)*dim], s.Pos[(t-1)*dim:t*dim])
		if steps[t] == nil {
			continue
		}
		if !v.more(t, steps[t], usual) {
			continue
		}
		found = true
		for x := range dim {
			s.Pos[t*dim+x] += steps[t][x] - usual[x]
		}
	}
	if !found {
		return nil, nil
	}
	level(s, scans)
	return s, nil
}

// An end is the first or the last detection of a track, or any.
type end struct {
	scan int
	at   []float64
	vel  []float64 // nil: not known
}

// where appends where it would be at a time.
func (e *end) where(dst []float64, scans []mtt.Scan, time float64) []float64 {
	for x, v := range e.at {
		if e.vel != nil {
			v += e.vel[x] * (time - scans[e.scan].Time)
		}
		dst = append(dst, v)
	}
	return dst
}

// detections are those of scan t.
func detections(scans []mtt.Scan, t int) (all []end) {
	for i := range scans[t].Len() {
		all = append(all, end{scan: t, at: scans[t].At(i)})
	}
	return all
}

// stitched are shifts that join tracks where half of them end and others begin: by what most that
// begin are off from where others would have gone on to, and by the difference of their velocities.
// nil: there is no such scan. Places agree within a width along each axis.
func stitched(scans []mtt.Scan, tracks []mtt.Track, width float64, dim int) *costgen.Shifts {
	n := len(scans)
	index := mtt.ByFrame(scans)
	ends, begins, alive := make([][]end, n+1), make([][]end, n+1), make([]int, n+1)
	for i := range tracks {
		hits := tracks[i].Hits
		last := len(hits) - 1
		if last < 1 {
			continue
		}
		between := func(a, b int) (vel []float64) {
			dt := scans[index[hits[b].Frame]].Time - scans[index[hits[a].Frame]].Time
			for x := range dim {
				vel = append(vel, (tracks[i].At(b)[x]-tracks[i].At(a)[x])/dt)
			}
			return vel
		}
		some := min(last, 4)
		from, to := index[hits[0].Frame], index[hits[last].Frame]
		for t := from; t <= to; t++ {
			alive[t]++
		}
		begins[from] = append(begins[from], end{from, tracks[i].At(0), between(0, some)})
		ends[to+1] = append(ends[to+1], end{to, tracks[i].At(last), between(last-some, last)})
	}
	s := rest(scans, dim)
	found := false
	for t := range scans {
		if t == 0 {
			continue
		}
		// Some end a scan early, or begin one late, as they were missed. Where there are none, all
		// that was detected may be ends.
		before, after, at := slices.Concat(ends[t-1], ends[t]), slices.Concat(begins[t], begins[t+1]), scans[t].Time
		least := max(voters, max(alive[t-1], alive[t])/2)
		switch {
		case len(before) >= least && len(after) >= least:
		case len(ends[t]) >= least:
			after = detections(scans, t)
		case len(begins[t]) >= least:
			before, at = detections(scans, t-1), scans[t-1].Time
		default:
			continue
		}
		there := mtt.Scan{Dim: dim}
		for _, e := range after {
			there.Pos = e.where(there.Pos, scans, at)
		}
		var places []float64
		for _, e := range before {
			places = e.where(places, scans, at)
		}
		off := vote(places, &there, width)
		if off == nil || 2*len(off[0]) < least {
			continue
		}
		jump, turn := make([]float64, dim), make([][]float64, dim)
		for x := range dim {
			jump[x] = median(off[x])
		}
		for i, e := range before {
			for j, f := range after {
				near := true
				for x := range dim {
					near = near && math.Abs(there.At(j)[x]-places[i*dim+x]-jump[x]) <= width
				}
				for x := range dim {
					if near && e.vel != nil && f.vel != nil {
						turn[x] = append(turn[x], f.vel[x]-e.vel[x])
					}
				}
			}
		}
		found = true
		for x := range dim {
			slope := 0.0
			if len(turn[x]) >= voters {
				slope = median(turn[x])
			}
			for u := t; u < n; u++ {
				s.Pos[u*dim+x] += jump[x] + slope*(scans[u].Time-scans[t].Time)
			}
		}
	}
	if !found {
		return nil
	}
	level(s, scans)
	return s
}

// some are the positions of so many detections at most, evenly from all.
func some(s *mtt.Scan, most int) []float64 {
	n := min(s.Len(), most)
	places := make([]float64, 0, n*s.Dim)
	for k := range n {
		places = append(places, s.At(k*s.Len()/n)...)
	}
	return places
}

// near counts the detections that differ from places by off, up to 1.5 times the width along each axis.
func near(places []float64, s *mtt.Scan, off []float64, width float64) (n float64) {
	for p := 0; p < len(places); p += s.Dim {
		for i := range s.Len() {
			in := true
			for x, z := range s.At(i) {
				in = in && math.Abs(z-places[p+x]-off[x]) <= 1.5*width
			}
			if in {
				n++
			}
		}
	}
	return n
}

// extent is the volume of the box around all detections, and the side of a cube of that volume.
func extent(scans []mtt.Scan, dim int) (side, volume float64) {
	volume = 1
	for x := range dim {
		low, high := math.Inf(1), math.Inf(-1)
		for t := range scans {
			for i := range scans[t].Len() {
				low, high = min(low, scans[t].At(i)[x]), max(high, scans[t].At(i)[x])
			}
		}
		volume *= high - low
	}
	return math.Pow(volume, 1/float64(dim)), volume
}

// price is what shifts cost in nats in the first scans: how much less likely all is for not having
// known them.
func price(s *costgen.Shifts, scans []mtt.Scan, all []bend) (nats float64) {
	for x := range s.Dim {
		among, within, n := 0.0, 0.0, 0
		for _, k := range all {
			d := s.Pos[k.b*s.Dim+x] - k.lambda*s.Pos[k.a*s.Dim+x] - (1-k.lambda)*s.Pos[k.c*s.Dim+x]
			among += d * d
			within += k.spread[x] * k.spread[x]
			n += k.n
		}
		if within == 0 {
			continue
		}
		each := float64(n) / float64(len(all))
		nats += float64(len(scans)) / 2 * (1 + math.Log1p(each*among/within))
	}
	return nats
}

// rests reports whether nothing could say that the sensor moves: nobody asks, or levels are known,
// velocities are measured, several sensors have fields of their own, or the scene is so large that
// only parts of it are learnt from.
func (o *Options) rests(scans []mtt.Scan) bool {
	return o.FixedSensor || o.Levels != nil || o.Cost != nil || len(o.Sensors) > 0 || Velocities(scans) || len(scans) < 5 || vast(scans)
}

// moving is m, learnt with the sensor at rest, or what is learnt with shifts of it, if all that was
// detected is likelier then.
func moving(ctx context.Context, scans []mtt.Scan, opts *Options, run Pilot, m *Model) (*Model, error) {
	l := m.by
	if l == nil || m.Levels == nil || opts.rests(scans) {
		return m, nil
	}
	if few := len(l.part); few < len(scans) { // of long recordings the first scans say whether it is worth while
		if first, err := moving(ctx, scans[:few], opts, run, m); err != nil || first == m {
			return m, err
		}
	}
	steps := opts.Motion == walk // said; walks of few scans that are learnt may be velocities
	tracks, err := l.tracked(ctx)
	if err != nil {
		return nil, err
	}
	dim := m.Levels.Dim
	var start *costgen.Shifts
	if confused(l.part, tracks, l.levels) {
		var err error
		if start, err = registered(ctx, scans, dim); err != nil {
			return nil, err
		}
	}
	if start == nil && !moves(bends(l.part, tracks, dim, steps), dim) {
		return m, nil
	}
	// Whether shifts are worth it says a glimpse of what is learnt from scans without them, beside
	// that of a sensor at rest.
	const passes, patience = 10, 2
	plain := l.plain
	if plain == nil {
		var err error
		if plain, err = glimpse(ctx, scans, opts, run); err != nil {
			return nil, err
		}
	}
	most, err := plain.evidence(ctx)
	if err != nil {
		return nil, err
	}
	model, shifts := m, start
	var best, known *costgen.Shifts // the likeliest, and those that moved was learnt without
	var moved *Model
	full := func() (err error) {
		if moved == nil || known != best {
			known = best
			moved, err = still(ctx, best.Without(scans), opts, run)
		}
		return err
	}
	for pass, failed := 0, 0; pass < passes && failed < patience; pass++ {
		if pass > 0 || start == nil {
			more, err := further(ctx, shifts.Without(scans), run, model)
			if err == nil && more == nil && best != nil && shifts == best { // for all that a glimpse tells
				if err = full(); err == nil {
					more, err = further(ctx, shifts.Without(scans), run, moved)
				}
			}
			if err != nil {
				return nil, err
			}
			if more == nil {
				break
			}
			shifts = shifts.Plus(more)
		}
		seen, err := glimpse(ctx, shifts.Without(scans), opts, run)
		if err != nil {
			return nil, err
		}
		nats, err := seen.likelier(ctx, shifts)
		if err != nil {
			return nil, err
		}
		if failed++; nats > most {
			best, most, failed = shifts, nats, 0
		}
		model = seen.model(seen.levels)
		model.MaxSpeed = seen.speed
	}
	if best == nil {
		return m, nil
	}
	atRest, err := l.evidence(ctx)
	if err != nil {
		return nil, err
	}
	if err := full(); err != nil {
		return nil, err
	}
	nats, err := moved.by.likelier(ctx, best)
	if err != nil || nats <= atRest {
		return m, err
	}
	moved = moved.with(best)
	moved.Moved = nats - atRest
	return moved, nil
}

// glimpse is a learner that took the first steps only: those that tell shifts that help from those
// that do not.
func glimpse(ctx context.Context, scans []mtt.Scan, opts *Options, run Pilot) (*learner, error) {
	if sure, _ := sure(scans); sure != nil {
		scans = sure
	}
	l := newLearner(scans, opts, run, steady(scans))
	m := l.candidates()[0]
	if _, err := l.first(ctx, m); err != nil {
		return nil, err
	}
	return l, l.course(ctx, m)
}

// likelier is the evidence of what was learnt from scans without shifts, less their price.
func (l *learner) likelier(ctx context.Context, shifts *costgen.Shifts) (nats float64, err error) {
	nats, err = l.evidence(ctx)
	return nats - price(shifts, l.part, bends(l.part, l.tracks, shifts.Dim, walks(l.levels))), err
}

// further are the shifts that tracks of scans under a model still speak for, or else those that
// need no tracks, which may be wrong where the levels have taken a jump for turns of the targets;
// nil: none.
func further(ctx context.Context, scans []mtt.Scan, run Pilot, m *Model) (*costgen.Shifts, error) {
	tracks, _, err := run.Track(ctx, scans, m)
	if err != nil {
		return nil, err
	}
	g := m.Levels
	all := bends(scans, tracks, g.Dim, walks(g))
	switch {
	case moves(all, g.Dim):
		return shiftsOf(scans, tracks, all, g.Dim, walks(g)), nil
	case confused(scans, tracks, g):
		if s := stitched(scans, tracks, 4*g.Sigma, g.Dim); s != nil {
			return s, nil
		}
	default:
		if found := sought(scans, tracks, all, g.Dim); len(found) > 0 {
			return settled(scans, append(all, found...), g.Dim, walks(g)), nil
		}
	}
	return registered(ctx, scans, g.Dim)
}

// with is m with the shifts that its scans were without.
func (m *Model) with(shifts *costgen.Shifts) *Model {
	levels := *m.Levels
	levels.Shifts = shifts
	moved := *m
	moved.Levels, moved.Cost = &levels, &costgen.Gaussian{Levels: levels}
	return &moved
}
