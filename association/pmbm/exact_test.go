package pmbm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"

	"mtt"
)

// This file compares the posterior with one that is enumerated: every association
// of every scan, matrices by gonum, no gate lists, no assignment problems, no
// clusters.

// A target is a Bernoulli component of the enumeration.
type target struct {
	name string // its detections, "2:0 3:- 4:1"
	r    float64
	x    *mat.VecDense
	p    *mat.SymDense
}

// A world is a global hypothesis of the enumeration.
type world struct {
	weight  float64
	targets []target
}

// An enumeration is the posterior.
type enumeration struct {
	m          *Model
	gate       float64
	worlds     []world
	undetected []target // r is the weight
	scans      int
	cov        func(d int) []float64 // packed covariance of detection d of the scan at hand; nil: of all the same
}

// matrices of the constant velocity model for the interval 1.
func (e *enumeration) matrices() (f, q, h, r *mat.Dense) {
	n, d := 2*e.m.Dim, e.measured()
	f, q, h, r = mat.NewDense(n, n, nil), mat.NewDense(n, n, nil), mat.NewDense(d, n, nil), mat.NewDense(d, d, nil)
	for a := range e.m.Dim {
		v := e.m.Dim + a
		f.Set(a, a, 1)
		f.Set(a, v, 1)
		f.Set(v, v, 1)
		s := e.m.Accel * e.m.Accel
		q.Set(a, a, s/3)
		q.Set(a, v, s/2)
		q.Set(v, a, s/2)
		q.Set(v, v, s)
		h.Set(a, a, 1)
		r.Set(a, a, e.m.Sigma*e.m.Sigma)
		if e.m.SigmaV > 0 {
			h.Set(v, v, 1)
			r.Set(e.m.Dim+a, e.m.Dim+a, e.m.SigmaV*e.m.SigmaV)
		}
	}
	return f, q, h, r
}

// measured is the number of elements of a detection.
func (e *enumeration) measured() int {
	if e.m.SigmaV > 0 {
		return 2 * e.m.Dim
	}
	return e.m.Dim
}

func symmetric(a mat.Matrix) *mat.SymDense {
	n, _ := a.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (a.At(i, j)+a.At(j, i))/2)
		}
	}
	return s
}

func (e *enumeration) predict(t *target) {
	f, q, _, _ := e.matrices()
	var x mat.VecDense
	x.MulVec(f, t.x)
	var p mat.Dense
	p.Product(f, t.p, f.T())
	p.Add(&p, q)
	t.x, t.p = &x, symmetric(&p)
	t.r *= e.m.Survive
}

// see is the density of detection z and the state given it; ok is false outside
// the gate.
func (e *enumeration) see(t target, det int, z []float64) (density float64, after target, ok bool) {
	_, _, h, r := e.matrices()
	if e.cov != nil {
		c := e.cov(det)
		for i := range e.m.Dim {
			for j := range i + 1 {
				r.Set(i, j, c[packed(i, j)])
				r.Set(j, i, c[packed(i, j)])
			}
		}
	}
	var s, ht, k, kh, p mat.Dense
	ht.Mul(t.p, h.T())
	s.Mul(h, &ht)
	s.Add(&s, r)
	var zhat, nu, gain, solved mat.VecDense
	zhat.MulVec(h, t.x)
	nu.SubVec(mat.NewVecDense(len(z), slices.Clone(z)), &zhat)
	var inv mat.Dense
	if err := inv.Inverse(&s); err != nil {
		panic(err)
	}
	solved.MulVec(&inv, &nu)
	if !(mat.Dot(&nu, &solved) < e.gate) {
		return 0, after, false
	}
	normal, fine := distmv.NewNormal(zhat.RawVector().Data, symmetric(&s), nil)
	if !fine {
		panic("covariance")
	}
	k.Mul(&ht, &inv)
	gain.MulVec(&k, &nu)
	var x mat.VecDense
	x.AddVec(t.x, &gain)
	kh.Mul(&k, h)
	p.Mul(&kh, t.p)
	p.Sub(t.p, &p)
	return math.Exp(normal.LogProb(z)), target{t.name, 1, &x, symmetric(&p)}, true
}

// step takes a scan.
func (e *enumeration) step(frame int, zs [][]float64) {
	g := e.m.newborn()
	n := 2 * e.m.Dim
	x, p := mat.NewVecDense(n, nil), mat.NewSymDense(n, nil)
	for i := range n {
		x.SetVec(i, g.X[i])
		p.SetSym(i, i, g.P[packed(i, i)])
	}
	births := e.m.Targets
	if e.scans > 0 {
		births = e.m.Births
		for i := range e.undetected {
			e.predict(&e.undetected[i])
		}
		for i := range e.worlds {
			for j := range e.worlds[i].targets {
				e.predict(&e.worlds[i].targets[j])
			}
		}
	} else {
		e.worlds = []world{{weight: 1}}
	}
	e.scans++
	e.undetected = append(e.undetected, target{r: births, x: x, p: p})

	// New targets: the mixture of all undetected ones, matched in its moments.
	news := make([]target, len(zs))
	rho := make([]float64, len(zs))
	for d, z := range zs {
		var parts []target
		var weights []float64
		for _, t := range e.undetected {
			if density, after, ok := e.see(t, d, z); ok {
				parts, weights = append(parts, after), append(weights, e.m.Detect*t.r*density)
				rho[d] += e.m.Detect * t.r * density
			}
		}
		mean, cov := mat.NewVecDense(n, nil), mat.NewSymDense(n, nil)
		for i, t := range parts {
			mean.AddScaledVec(mean, weights[i]/rho[d], t.x)
		}
		for i, t := range parts {
			var dx mat.VecDense
			dx.SubVec(t.x, mean)
			var c mat.SymDense
			c.SymRankOne(t.p, 1, &dx)
			c.ScaleSym(weights[i]/rho[d], &c)
			cov.AddSym(cov, &c)
		}
		news[d] = target{fmt.Sprintf("%d:%d", frame, d), rho[d] / (rho[d] + e.m.alarmDensity(z[e.m.Dim:])), mean, cov}
	}
	for i := range e.undetected {
		e.undetected[i].r *= 1 - e.m.Detect
	}

	// Every way to give each target one detection at most.
	var after []world
	for _, w := range e.worlds {
		taken := make([]bool, len(zs))
		var walk func(i int, weight float64, list []target)
		walk = func(i int, weight float64, list []target) {
			if i == len(w.targets) {
				for d, z := range zs {
					if !taken[d] {
						weight *= rho[d] + e.m.alarmDensity(z[e.m.Dim:])
						if rho[d] > 0 {
							list = append(list, news[d])
						}
					}
				}
				after = append(after, world{weight, slices.Clone(list)})
				return
			}
			t := w.targets[i]
			missed := t
			missed.name += fmt.Sprintf(" %d:-", frame)
			missed.r = t.r * (1 - e.m.Detect) / (1 - t.r*e.m.Detect)
			walk(i+1, weight*(1-t.r*e.m.Detect), append(slices.Clone(list), missed))
			for d, z := range zs {
				if density, seen, ok := e.see(t, d, z); ok && !taken[d] {
					taken[d] = true
					seen.name += fmt.Sprintf(" %d:%d", frame, d)
					walk(i+1, weight*t.r*e.m.Detect*density, append(slices.Clone(list), seen))
					taken[d] = false
				}
			}
		}
		walk(0, w.weight, nil)
	}
	sum := 0.0
	for _, w := range after {
		sum += w.weight
	}
	for i := range after {
		after[i].weight /= sum
	}
	e.worlds = after
}

// name is the history of a local hypothesis as in target.
func (h *local) name() string {
	var parts []string
	for n := h.node; n != nil; n = n.prev {
		if n.det < 0 {
			parts = append(parts, fmt.Sprintf("%d:-", n.frame))
		} else {
			parts = append(parts, fmt.Sprintf("%d:%d", n.frame, n.det))
		}
	}
	slices.Reverse(parts)
	return strings.Join(parts, " ")
}

// worlds multiplies the tables of the clusters out.
func (f *Filter) worlds() map[string]float64 {
	all := map[string]float64{"": 1}
	for _, c := range f.clusters {
		next := make(map[string]float64)
		for name, w := range all {
			for i := range c.rows {
				var names []string
				if name != "" {
					names = strings.Split(name, "|")
				}
				for t, k := range c.rows[i].pick {
					if k >= 0 {
						names = append(names, c.tracks[t].locals[k].name())
					}
				}
				slices.Sort(names)
				next[strings.Join(names, "|")] += w * c.rows[i].weight
			}
		}
		all = next
	}
	return all
}

// tiny draws a few detections in few scans, near enough to compete.
func tiny(r *rand.Rand, m *Model, scans int) [][][]float64 {
	var list [][][]float64
	for range scans {
		var zs [][]float64
		for range r.IntN(4) {
			z := make([]float64, (&enumeration{m: m}).measured())
			for a := range m.Dim {
				z[a] = 6 * r.NormFloat64()
				if m.SigmaV > 0 {
					z[m.Dim+a] = r.NormFloat64()
				}
			}
			zs = append(zs, z)
		}
		list = append(list, zs)
	}
	return list
}

// noisy draws a packed covariance.
func noisy(r *rand.Rand, dim int) (c []float64) {
	a := mat.NewDense(dim, dim, nil)
	for i := range dim {
		for j := range dim {
			a.Set(i, j, r.NormFloat64())
		}
	}
	var p mat.Dense
	p.Mul(a, a.T())
	for i := range dim {
		for j := range i + 1 {
			v := p.At(i, j)
			if i == j {
				v += 0.2
			}
			c = append(c, v)
		}
	}
	return c
}

// exact are options under which nothing is approximated but moment matching,
// which is part of the filter's definition.
func exact(m Model) *Options {
	return &Options{
		Model: m, Gate: 9, Hypotheses: 1 << 40, MinWeight: -1, MinExistence: -1, MinIntensity: -1, SplitTolerance: -1, Crowd: -1, MergeDistance: -1,
	}
}

func TestEnumeration(t *testing.T) {
	const tolerance = 1e-9
	r := rand.New(rand.NewPCG(5, 6))
	clusters := 0
	for n := range 60 {
		m := Model{
			Dim: 2 + n%2, Sigma: 1, Detect: 0.5 + 0.45*r.Float64(), Survive: 0.9, Clutter: 0.5, Volume: 400,
			Accel: 0.3, Births: 0.1, Targets: 2, BirthStd: [3]float64{8, 8, 8}, SpeedStd: 1,
		}
		if n%3 == 0 {
			m.SigmaV = 0.5
		}
		o := exact(m)
		o.Whole, o.Workers = n%4 == 0, 1+n%2
		f, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		e := &enumeration{m: &f.o.Model, gate: f.o.Gate}
		for k, zs := range tiny(r, &f.o.Model, 4) {
			s := mtt.Scan{Frame: k, Time: float64(k), Dim: m.Dim}
			if n%5 == 1 { // detections have noise of their own
				for range zs {
					s.Cov = append(s.Cov, noisy(r, m.Dim)...)
				}
				e.cov = func(d int) []float64 { return s.CovAt(d) }
			}
			for _, z := range zs {
				s.Pos = append(s.Pos, z[:m.Dim]...)
				s.Vel = append(s.Vel, z[m.Dim:]...)
			}
			if m.SigmaV == 0 {
				s.Vel = nil
			}
			e.step(k, zs)
			if err := f.Step(context.Background(), &s); err != nil {
				t.Fatal(err)
			}
			clusters = max(clusters, len(f.clusters))
			want := make(map[string]float64)
			states := make(map[string]target)
			for _, w := range e.worlds {
				var names []string
				for _, x := range w.targets {
					names = append(names, x.name)
					states[x.name] = x
				}
				slices.Sort(names)
				want[strings.Join(names, "|")] += w.weight
			}
			got := f.worlds()
			if len(got) != len(want) {
				t.Fatalf("case %d, scan %d: %d global hypotheses, want %d", n, k, len(got), len(want))
			}
			for name, w := range want {
				if d := got[name] - w; !(math.Abs(d) <= tolerance*w) {
					t.Fatalf("case %d, scan %d: hypothesis %q has weight %v, want %v", n, k, name, got[name], w)
				}
			}
			for _, c := range f.clusters {
				for _, tr := range c.tracks {
					for _, h := range tr.locals {
						compare(t, h, states[h.name()], f.n)
					}
				}
			}
		}
	}
	if clusters < 2 {
		t.Error("there was never more than one cluster")
	}
}

// compare compares a local hypothesis with the one enumerated.
func compare(t *testing.T, h *local, want target, n int) {
	t.Helper()
	const tolerance = 1e-9
	if !(math.Abs(h.r-want.r) <= tolerance*want.r) {
		t.Fatalf("%s exists with probability %v, want %v", h.name(), h.r, want.r)
	}
	for i := range n {
		if d := h.X[i] - want.x.AtVec(i); !(math.Abs(d) <= tolerance*(1+math.Abs(h.X[i]))) {
			t.Fatalf("%s: state %v, want %v", h.name(), h.X, mat.Formatted(want.x))
		}
		for j := range i + 1 {
			if p := h.P[packed(i, j)]; !(math.Abs(p-want.p.At(i, j)) <= tolerance*(1+math.Abs(p))) {
				t.Fatalf("%s: covariance %v, want %v", h.name(), h.P, mat.Formatted(want.p))
			}
		}
	}
}

// alarmDensity is the intensity of false alarms at a detection with velocity vel: uniform
// in position and, where velocities are read, as those of targets that appear.
func (m *Model) alarmDensity(vel []float64) float64 {
	density := m.Clutter / m.Volume
	if m.SigmaV > 0 {
		v := m.SpeedStd*m.SpeedStd + m.SigmaV*m.SigmaV
		for a := range m.Dim {
			x := vel[a]
			density *= math.Exp(-0.5*x*x/v) / math.Sqrt(2*math.Pi*v)
		}
	}
	return density
}
