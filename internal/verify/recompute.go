package verify

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"

	"mtt"
	"mtt/internal/certificate"
)

// This file compares the costs in the certificate with those that the detections make: of arcs,
// triplets, births, deaths, misses and false alarms.

// An origin is detection det of scan t; t is −1 where there is none.
type origin struct{ t, det int32 }

// A recount compares prices.
type recount struct {
	*checker
	*pricer
	ends

	from, to [][]origin // of each frame, coast node: the detections that its link joins
	in, out  []origin   // of the arcs at a node
}

// recompute makes the costs of the certificate anew. The error is that of ctx.
func (c *checker) recompute(ctx context.Context) error {
	if why := c.Pricing.unable(); why != "" {
		c.res.NotRecomputed = "the costs: this check knows no way to make those of " + why
		return nil
	}
	dim := 0
	for t := range c.Scans {
		s := &c.Scans[t]
		if s.Len() == 0 {
			continue
		}
		another := s.Dim != dim // maps, which may be large, are looked at once
		dim = s.Dim
		switch {
		case s.Vel == nil && !c.Pricing.PositionsOnly:
			c.problem("solve.json says that velocities were read, and detections.csv has none in frame %d", s.Frame)
			return nil
		case s.Feat != nil && c.Pricing.Same != nil && s.Features() != len(c.Pricing.Same):
			c.problem("solve.json prices %d features, the detections of frame %d have %d", len(c.Pricing.Same), s.Frame, s.Features())
			return nil
		case another && (!c.Pricing.BirthPlaces.valid(dim) || !c.Pricing.DeathPlaces.valid(dim) || !c.Pricing.Confidence.valid(1) ||
			!c.Pricing.AlarmPlaces.valid(dim) && !c.Pricing.AlarmPlaces.valid(dim+1) || !c.Pricing.TargetPlaces.valid(dim) && !c.Pricing.TargetPlaces.valid(dim+1)):
			c.problem("solve.json has a map of births, deaths, targets, false alarms or confidence that is none")
			return nil
		case c.Pricing.Echoes != nil && (len(c.Pricing.Echoes.Offset) != dim || !(c.Pricing.Echoes.Sigma > 0)):
			c.problem("solve.json has echoes at an offset of other axes, or without an error")
			return nil
		}
	}
	if dim == 0 {
		return nil
	}
	p, given := c.Pricing, c.Scans
	defer func() { c.Scans = given }()
	for _, change := range []struct {
		told  bool
		scans func() []mtt.Scan // nil: it cannot be
		wrong string
	}{
		{p.Shifts != nil, func() []mtt.Scan { return shifted(c.Scans, p.Shifts) }, "no shift of the sensor for a frame, or one of other axes"},
		{p.VelMap != nil, func() []mtt.Scan { return mapped(c.Scans, p.VelMap) }, "a map of velocities of other axes"},
		{p.Cov != nil, func() []mtt.Scan { return telling(c.Scans, p.Cov, p.Blur) }, "a covariance of noise of other axes, or none that is positive"},
		{p.Sights != nil, func() []mtt.Scan { return sighted(c.Scans, p.Sights) }, "noise of range and bearing that is none, or of other axes"},
	} {
		if !change.told {
			continue
		}
		if c.Scans = change.scans(); c.Scans == nil {
			c.problem("solve.json has %s", change.wrong)
			return nil
		}
	}
	x := &recount{checker: c, pricer: newPricer(c.Pricing, dim)}
	x.ends = x.pricer.ends()
	if err := c.reread(ctx, x.coasts); err != nil {
		return err
	}
	if !x.resolve() {
		return nil
	}
	return c.reread(ctx, x.gap)
}

// shifted are scans with the shift of each frame taken from its positions; nil where one has none.
func shifted(scans []mtt.Scan, shifts map[int][]float64) []mtt.Scan {
	out := make([]mtt.Scan, len(scans))
	for t, s := range scans {
		shift := shifts[s.Frame]
		if len(shift) != s.Dim && s.Len() > 0 {
			return nil
		}
		pos := make([]float64, 0, len(s.Pos))
		for k, v := range s.Pos {
			pos = append(pos, v-shift[k%s.Dim])
		}
		s.Pos = pos
		out[t] = s
	}
	return out
}

// mapped are scans with velocities by times those measured, and covariances of these; nil where it
// is of other axes.
func mapped(scans []mtt.Scan, by []float64) []mtt.Scan {
	out := make([]mtt.Scan, len(scans))
	for t, s := range scans {
		dim := s.Dim
		if len(by) != dim*dim && s.Len() > 0 {
			return nil
		}
		vel, cov := make([]float64, len(s.Vel)), make([]float64, len(s.VelCov))
		packed := func(r, c int) int { return max(r, c)*(max(r, c)+1)/2 + min(r, c) }
		for i := range s.Len() {
			for r := range dim {
				for c, v := range s.VelAt(i) {
					vel[i*dim+r] += by[r*dim+c] * v
				}
			}
			if s.VelCov == nil {
				continue
			}
			at := i * mtt.Packed(dim)
			for r := range dim {
				for c := range r + 1 {
					for k := range dim {
						for l := range dim {
							cov[at+packed(r, c)] += by[r*dim+k] * s.VelCov[at+packed(k, l)] * by[c*dim+l]
						}
					}
				}
			}
		}
		if s.Vel != nil {
			s.Vel = vel
		}
		if s.VelCov != nil {
			s.VelCov = cov
		}
		out[t] = s
	}
	return out
}

// telling are scans in which every detection has a covariance, times the square of blur of its frame
// where that is not 0; nil where it is none of theirs.
func telling(scans []mtt.Scan, cov []float64, blur map[int]float64) []mtt.Scan {
	out := make([]mtt.Scan, len(scans))
	for t, s := range scans {
		if s.Len() > 0 {
			if len(cov) != mtt.Packed(s.Dim) || s.Cov != nil || !positive(cov) {
				return nil
			}
			of := cov
			if times := blur[s.Frame]; times != 0 {
				of = slices.Clone(cov)
				for k := range of {
					of[k] *= times * times
				}
			}
			s.Cov = slices.Repeat(of, s.Len())
		}
		out[t] = s
	}
	return out
}

// sighted are scans in which detections of sensors have the covariances of what these err by; nil
// where they have some, or it is none.
func sighted(scans []mtt.Scan, sights []Sight) []mtt.Scan {
	out := slices.Clone(scans)
	for _, of := range sights {
		for t := range out {
			s := &out[t]
			if s.Sensor != of.Sensor || s.Len() == 0 {
				continue
			}
			if s.Cov != nil || len(of.Place) != s.Dim {
				return nil
			}
			for i := range s.Len() {
				cov := of.cov(s.At(i))
				if !positive(cov) {
					return nil
				}
				s.Cov = append(s.Cov, cov...)
			}
		}
	}
	return out
}

// cov is the packed covariance of what the sensor makes of a target at x: the sum of squares of
// errors along three axes at right angles.
func (s *Sight) cov(x []float64) (packed []float64) {
	var d [3]float64
	for k := range x {
		d[k] = x[k] - s.Place[k]
	}
	flat := math.Hypot(d[0], d[1])
	bearing, elevation := math.Atan2(d[1], d[0]), math.Atan2(d[2], flat)
	sb, cb := math.Sincos(bearing)
	se, ce := math.Sincos(elevation)
	axes := [3][3]float64{{ce * cb, ce * sb, se}, {-sb, cb, 0}, {-se * cb, -se * sb, ce}}
	least := s.Range * s.Range
	errors := [3]float64{least, s.Bearing * s.Bearing * (flat*flat + least), s.Elevation * s.Elevation * (flat*flat + d[2]*d[2] + least)}
	for i := range x {
		for j := range i + 1 {
			sum := 0.0
			for k, axis := range axes[:len(x)] {
				sum += errors[k] * axis[i] * axis[j]
			}
			packed = append(packed, sum)
		}
	}
	return packed
}

// positive reports whether a packed covariance is positive definite.
func positive(cov []float64) bool {
	if !(cov[0] > 0 && cov[0]*cov[2] > cov[1]*cov[1]) {
		return false
	}
	if len(cov) == 3 {
		return true
	}
	xx, xy, yy, xz, yz, zz := cov[0], cov[1], cov[2], cov[3], cov[4], cov[5]
	return zz*(xx*yy-xy*xy)-xz*(xz*yy-xy*yz)+yz*(xz*xy-xx*yz) > 0
}

// reread reads the certificate from its beginning and calls each for every gap t of it, when
// that is p.gap and the one before is p.left. What is wrong with the file has been said before.
func (c *checker) reread(ctx context.Context, each func(p *proof, t int)) error {
	_, err := c.Certificate.(io.Seeker).Seek(0, io.SeekStart)
	var r *certificate.Reader
	if err == nil {
		r, err = certificate.NewReader(c.Certificate)
	}
	p := &proof{checker: c, file: r}
	for t := 0; err == nil; t++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err = r.Next(&p.gap); err == nil {
			each(p, t)
			p.turn(nil)
		}
	}
	if !errors.Is(err, io.EOF) {
		c.problem("certificate.bin: %v", err)
	}
	return nil
}

// coasts notes where the links of the coast nodes of frame t+1 come from, and to which node
// those of frame t go on.
func (x *recount) coasts(p *proof, t int) {
	g, here, next := &p.gap, &p.file.Frames[t], &p.file.Frames[t+1]
	if t == 0 {
		x.from, x.to = make([][]origin, 1), make([][]origin, 1)
	}
	from := make([]origin, len(next.From))
	for c, i := range next.From {
		if from[c] = (origin{int32(t), i}); int(i) >= here.Detections {
			from[c] = x.from[t][int(i)-here.Detections]
		}
	}
	x.from, x.to = append(x.from, from), append(x.to, make([]origin, len(next.From)))
	for c := range here.From {
		i := here.Detections + c
		if x.to[t][c] = (origin{t: -1}); g.Ptr[i+1] == g.Ptr[i]+1 {
			x.to[t][c] = origin{int32(t + 1), g.Col[g.Ptr[i]]}
		}
	}
}

// resolve follows coast nodes to the detections that their links lead to, and says whether each
// stands for one.
func (x *recount) resolve() bool {
	for t := len(x.to) - 1; t >= 0; t-- {
		n := x.Scans[t].Len()
		for c, to := range x.to[t] {
			if to.t > int32(t) && int(to.det) >= x.Scans[to.t].Len() {
				to = x.to[to.t][int(to.det)-x.Scans[to.t].Len()]
				x.to[t][c] = to
			}
			if to.t <= int32(t) {
				x.problem("certificate.bin: frame %d: node %d stands for no link from one detection to another", t, n+c)
				return false
			}
		}
	}
	return true
}

// tail is the detection that an arc from node i of frame t comes from.
func (x *recount) tail(t, i int) origin {
	if n := x.Scans[t].Len(); i >= n {
		return x.from[t][i-n]
	}
	return origin{int32(t), int32(i)}
}

// head is the detection that an arc to node j of frame t leads to.
func (x *recount) head(t int, j int32) origin {
	if n := x.Scans[t].Len(); int(j) >= n {
		return x.to[t][int(j)-n]
	}
	return origin{int32(t), j}
}

// scan is that of a detection.
func (x *recount) scan(o origin) *mtt.Scan { return &x.Scans[o.t] }

// same compares a cost of the certificate with the price of it. They may differ by rounding:
// both are sums of some dozen terms, and covariances that are nearly singular lose digits.
func (x *recount) same(cost, price float64, t int, what string, node int) {
	x.res.Recomputed++
	off := math.Abs(cost-price) / (1 + math.Abs(price))
	if cost == price { // infinities
		off = 0
	}
	if off > x.res.RecomputedWorst {
		x.res.RecomputedWorst = off
	}
	if !(off <= 1e-6) {
		x.problem("certificate.bin: gap %d: %s of node %d costs %v, made anew from the detections %v", t, what, node, cost, price)
	}
}

// gap compares the costs of gap t and of the blocks between it and the one before.
func (x *recount) gap(p *proof, t int) {
	g, n, m := &p.gap, x.Scans[t].Len(), x.Scans[t+1].Len()
	for i := range g.Rows {
		from := x.tail(t, i)
		for a := g.Ptr[i]; a < g.Ptr[i+1]; a++ {
			to := x.head(t+1, g.Col[a])
			price := 0.0
			switch {
			case int(g.Col[a]) >= m && i < n:
				price = x.miss
			case int(g.Col[a]) >= m:
				price = x.again
			default: // the link begins or ends here, and is paid once
				price = x.pair(x.scan(from), int(from.det), x.scan(to), int(to.det))
				if from.t == 0 {
					price += x.start(x.scan(from), int(from.det), x.scan(to), int(to.det))
				}
			}
			x.same(g.Cost[a], price, t, "an arc", i)
		}
		death := 0.0
		if i < n {
			here := x.endsAt(x.ends, &x.Scans[t], i)
			if death = here.death; t == 0 {
				death = min(death, here.alarm-here.first)
			}
		}
		x.same(g.RowMiss[i], death, t, "the death", i)
	}
	for j, cost := range g.ColMiss {
		birth := 0.0
		if j < m {
			here := x.endsAt(x.ends, &x.Scans[t+1], j)
			if birth = here.birth; t+2 == len(x.Scans) {
				birth = min(birth, here.alarm)
			}
		}
		x.same(cost, birth, t, "the birth", j)
	}
	if t == 0 {
		return
	}
	if g.Features != nil {
		x.problem("certificate.bin: gap %d: its triplets are differences of features, those of the cost %s are none", t, x.Cost)
		return
	}
	d := g.D
	for j := range g.Rows {
		d = x.block(p, t, j, d)
	}
}

// block compares the costs of node j of frame t, which come first in d, and returns the rest.
func (x *recount) block(p *proof, t, j int, d []float64) []float64 {
	g, n := &p.gap, x.Scans[t].Len()
	x.in, x.out = x.in[:0], x.out[:0]
	for _, a := range p.inArc[p.inPtr[j]:p.inPtr[j+1]] {
		x.in = append(x.in, x.tail(t-1, p.rowOf(a)))
	}
	for _, k := range g.Col[g.Ptr[j]:g.Ptr[j+1]] {
		x.out = append(x.out, x.head(t+1, k))
	}
	width := len(x.out) + 1
	rest := d[(len(x.in)+1)*width:]
	if j >= n { // passed through, or not there
		for r := range len(x.in) + 1 {
			for s := range width {
				price := math.Inf(1)
				if (r < len(x.in)) == (s < width-1) {
					price = 0
				}
				x.same(d[r*width+s], price, t, "a combination", j)
			}
		}
		return rest
	}
	at := &x.Scans[t]
	for s, to := range x.out {
		for r, from := range x.in {
			price := x.triplet(x.scan(from), int(from.det), at, j, x.scan(to), int(to.det))
			x.same(d[r*width+s], price, t, "a triplet", j)
		}
		x.same(d[len(x.in)*width+s], x.start(at, j, x.scan(to), int(to.det)), t, "a first link", j)
	}
	for r := range x.in {
		x.same(d[r*width+width-1], 0, t, "a death", j)
	}
	here := x.endsAt(x.ends, at, j)
	x.same(d[len(x.in)*width+width-1], min(0, here.alarm-here.birth-here.death), t, "a false alarm", j)
	return rest
}

// rowOf is the row of arc a of the gap before.
func (p *proof) rowOf(a int32) int {
	lo, hi := 0, p.left.Rows
	for lo+1 < hi {
		if mid := (lo + hi) / 2; p.left.Ptr[mid] <= int(a) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}
