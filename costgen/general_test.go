package costgen

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
	"mtt/internal/nightly"
	"mtt/motion"
)

// This file tests the general prices against those of one axis, and Fit on tracks whose
// detections have covariances of their own.

// randomScan is a scan of n detections within a few metres of the origin.
func randomScan(r *rand.Rand, dim, n int, time float64, vel bool) mtt.Scan {
	s := mtt.Scan{Frame: int(10 * time), Time: time, Dim: dim}
	for range n * dim {
		s.Pos = append(s.Pos, 3*r.NormFloat64())
		if vel {
			s.Vel = append(s.Vel, r.NormFloat64())
		}
	}
	return s
}

// TestGeneral: covariances that are all σ²·I give the prices of one axis, for every
// motion without curves; so does a turn whose rate is known to be 0.
func TestGeneral(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for _, m := range motion.Models() {
		for _, vel := range []bool{false, true} {
			for _, manoeuvres := range []float64{0, 0.1} {
				if vel && m == motion.Model(motion.Walk{}) {
					continue
				}
				for _, dim := range []int{2, 3} {
					levels := Levels{
						Sigma: 0.3, SigmaV: 0.2, Motion: m, Accel: 0.4, SpeedStd: 1e4, Revert: 0.7, PositionsOnly: !vel, Interval: 0.9,
						ManoeuvreProb: manoeuvres, ManoeuvreAccel: 2, TailDOF: 6, TurnStd: 1e-9,
					}
					if m == motion.Model(motion.Walk{}) {
						levels.SpeedStd = 0
					}
					if !vel {
						levels.SpeedStd = min(levels.SpeedStd, 1.5)
					}
					plain := levels
					if m == motion.Model(motion.Turn{}) {
						plain.Motion = nil
					}
					a, b, c := randomScan(r, dim, 3, 1, vel), randomScan(r, dim, 4, 1.8, vel), randomScan(r, dim, 5, 3, vel)
					want := prices(&Gaussian{Levels: plain}, &a, &b, &c)
					for _, s := range []*mtt.Scan{&a, &b, &c} {
						s.Cov, s.VelCov = spread(s, 0.3), spread(s, 0.2)
						if !vel {
							s.VelCov = nil
						}
					}
					got := prices(&Gaussian{Levels: levels}, &a, &b, &c)
					for k := range want {
						if math.Abs(got[k]-want[k]) > 1e-5*(1+math.Abs(want[k])) {
							t.Fatalf("%s, velocities %v, manoeuvres %v, dim %d: price %d is %v, on one axis %v",
								m.Name(), vel, manoeuvres, dim, k, got[k], want[k])
						}
					}
				}
			}
		}
	}
}

// spread are covariances sigma²·I for all detections of s.
func spread(s *mtt.Scan, sigma float64) []float64 {
	var cov []float64
	for range s.Len() {
		for i := range s.Dim {
			for j := range i + 1 {
				v := 0.0
				if i == j {
					v = sigma * sigma
				}
				cov = append(cov, v)
			}
		}
	}
	return cov
}

// prices are those of all first links from a to b and all triplets.
func prices(m *Gaussian, a, b, c *mtt.Scan) (list []float64) {
	all := func(s *mtt.Scan) (out []int32) {
		for k := range s.Len() {
			out = append(out, int32(k))
		}
		return out
	}
	for i := range a.Len() {
		dst := make([]float64, b.Len())
		m.Starts(dst, a, i, b, all(b))
		list = append(list, dst...)
	}
	for j := range b.Len() {
		stride := c.Len() + 2
		dst := make([]float64, stride*a.Len())
		m.Triplets(dst, stride, a, all(a), b, j, c, all(c))
		for i := range a.Len() {
			list = append(list, dst[i*stride:][:c.Len()]...)
		}
	}
	return list
}

// TestTripletsOfCovariances: the price of a triplet under covariances of its own is
// the density of the third detection given the two before, which is that of a joint
// Gaussian: here a random walk's, written out.
func TestTripletsOfCovariances(t *testing.T) {
	const q = 0.5
	m := &Gaussian{Levels: Levels{Sigma: 1, Motion: motion.Walk{}, Accel: q, PositionsOnly: true, Interval: 1}}
	a := mtt.Scan{Time: 0, Dim: 2, Pos: []float64{0, 0}, Cov: []float64{1, 0.3, 2}}
	b := mtt.Scan{Time: 1, Dim: 2, Pos: []float64{1, 0.5}, Cov: []float64{4, 0, 0.1}}
	c := mtt.Scan{Time: 3, Dim: 2, Pos: []float64{2, -1}, Cov: []float64{0.5, -0.2, 0.7}}
	var got [1]float64
	m.Triplets(got[:], 1, &a, []int32{0}, &b, 0, &c, []int32{0})

	// State at b: precision of what a says (its noise and a second of walk) and of b.
	wa := inverse2(1+q*q, 0.3, 2+q*q)
	wb := inverse2(4, 0, 0.1)
	p := inverse2(wa[0]+wb[0], wa[1]+wb[1], wa[2]+wb[2])
	h := [2]float64{wb[0]*1 + wb[1]*0.5, wb[1]*1 + wb[2]*0.5}
	mean := [2]float64{p[0]*h[0] + p[1]*h[1], p[1]*h[0] + p[2]*h[1]}
	s := [3]float64{p[0] + 2*q*q + 0.5, p[1] - 0.2, p[2] + 2*q*q + 0.7}
	w := inverse2(s[0], s[1], s[2])
	x, y := 2-mean[0], -1-mean[1]
	want := (w[0]*x*x+2*w[1]*x*y+w[2]*y*y)/2 + (math.Log(s[0]*s[2]-s[1]*s[1])-2*m.reference())/2
	if math.Abs(got[0]-want) > 1e-12*(1+math.Abs(want)) {
		t.Errorf("price %v, want %v", got[0], want)
	}
}

// inverse2 is the inverse of a symmetric 2×2 matrix.
func inverse2(xx, xy, yy float64) [3]float64 {
	det := xx*yy - xy*xy
	return [3]float64{yy / det, -xy / det, xx / det}
}

// TestFitMotions recovers the levels of each motion from tracks drawn by it, and finds
// that motion likelier than the others.
func TestFitMotions(t *testing.T) {
	cases := []Levels{
		{Sigma: 0.1, Accel: 0.5, PositionsOnly: true, Motion: motion.Walk{}},
		{Sigma: 0.1, Accel: 0.3, PositionsOnly: true, SpeedStd: 2},
		{Sigma: 0.1, Accel: 0.1, PositionsOnly: true, SpeedStd: 2, Sway: 0.3, Motion: motion.Swaying{}},
		{Sigma: 0.1, Accel: 1, PositionsOnly: true, Revert: 0.4, SpeedStd: 1 / math.Sqrt(0.8), Motion: motion.Reverting{}},
		{Sigma: 0.05, Accel: 0.05, PositionsOnly: true, SpeedStd: 2, TurnStd: 0.3, TurnWalk: 0.05, Motion: motion.Turn{}},
	}
	for _, truth := range cases[nightly.Or(2, 0):] { // by day the motions with the most levels
		tracks := wander(&truth, nightly.Or(40, 60), 40)
		time := func(frame int) float64 { return float64(frame) }
		likely := map[string]float64{}
		best := ""
		for _, m := range motion.Models() {
			got := Levels{PositionsOnly: true, Motion: m, Dim: 2}
			if !Fit(&got, tracks, time) {
				t.Fatal("nothing to go by")
			}
			nats, hits := Likelihood(&got, tracks, time)
			likely[m.Name()] = nats / float64(hits)
			if best == "" || likely[m.Name()] > likely[best]+0.002 {
				best = m.Name()
			}
			if m != truth.motion() {
				continue
			}
			for _, f := range []struct {
				name      string
				got, want float64
			}{{"Sigma", got.Sigma, truth.Sigma}, {"Accel", got.Accel, truth.Accel}, {"Revert", got.Revert, truth.Revert}, {"Sway", got.Sway, truth.Sway}, {"TurnStd", got.TurnStd, truth.TurnStd}} {
				if f.want > 0 && math.Abs(math.Log(f.got/f.want)) > 0.35 {
					t.Errorf("%s: %s is %v, want %v", m.Name(), f.name, f.got, f.want)
				}
			}
		}
		if best != truth.motion().Name() {
			t.Errorf("tracks of %s are best explained by %s: %v", truth.motion().Name(), best, likely)
		}
	}
}

// wander draws tracks of a motion in the plane by small steps, one frame a second.
func wander(m *Levels, tracks, hits int) []mtt.Track {
	r := rand.New(rand.NewPCG(9, 1))
	const fine = 40
	list := make([]mtt.Track, tracks)
	for i := range list {
		t := mtt.Track{ID: i + 1, Dim: 2}
		var x, v [2]float64
		for n := range x {
			x[n], v[n] = 100*r.NormFloat64(), m.SpeedStd*r.NormFloat64()
		}
		rate := m.TurnStd * r.NormFloat64()
		for h := range hits {
			if h > 0 {
				for range fine {
					const dt = 1.0 / fine
					for n := range x {
						kick := m.Accel * math.Sqrt(dt) * r.NormFloat64()
						if m.motion() == motion.Model(motion.Walk{}) {
							x[n] += kick
							continue
						}
						x[n] += dt * v[n]
						v[n] += kick - dt*m.Revert*v[n]
						if m.Sway > 0 {
							x[n] += m.Sway * math.Sqrt(dt) * r.NormFloat64()
						}
					}
					rate += m.TurnWalk * math.Sqrt(dt) * r.NormFloat64()
					s, c := math.Sincos(rate * dt)
					v[0], v[1] = c*v[0]-s*v[1], s*v[0]+c*v[1]
				}
			}
			t.Hits = append(t.Hits, mtt.Hit{Frame: h, Det: i})
			t.Pos = append(t.Pos, x[0]+m.Sigma*r.NormFloat64(), x[1]+m.Sigma*r.NormFloat64())
		}
		list[i] = t
	}
	return list
}

// TestFitCovariances: where each detection tells its covariance, Accel is found as well
// as where all are equal.
func TestFitCovariances(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 1))
	truth := Levels{Accel: 0.3, PositionsOnly: true, SpeedStd: 2}
	tracks := wander(&truth, 40, 40)
	for i := range tracks {
		tr := &tracks[i]
		for h := range tr.Hits {
			sx, sy := 0.05, 2.0
			if (h+i)%2 == 0 {
				sx, sy = sy, sx
			}
			tr.Pos[2*h] += sx * r.NormFloat64()
			tr.Pos[2*h+1] += sy * r.NormFloat64()
			tr.Cov = append(tr.Cov, sx*sx, 0, sy*sy)
		}
	}
	got := Levels{PositionsOnly: true, Dim: 2}
	if !Fit(&got, tracks, func(frame int) float64 { return float64(frame) }) {
		t.Fatal("nothing to go by")
	}
	if math.Abs(math.Log(got.Accel/truth.Accel)) > 0.2 || math.Abs(got.Sigma-math.Sqrt((0.05*0.05+4)/2)) > 1e-9 {
		t.Errorf("Accel is %v, want %v; Sigma %v", got.Accel, truth.Accel, got.Sigma)
	}
}

// TestClasses: the price of a link is the log likelihood ratio of classes drawn as the model says,
// by counting; how often a detector errs is learnt.
func TestClasses(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	const targets, frames, confusion = 400, 30, 0.1
	share := []float64{0.6, 0.3, 0.1}
	draw := func() int32 {
		u := r.Float64()
		for k, s := range share {
			if u -= s; u < 0 {
				return int32(2 + 3*k)
			}
		}
		return 8
	}
	scans := make([]mtt.Scan, frames)
	tracks := make([]mtt.Track, targets)
	is := make([]int32, targets)
	for i := range is {
		is[i] = draw()
	}
	for f := range scans {
		s := &scans[f]
		s.Frame, s.Time, s.Dim = f, float64(f), 2
		for i := range targets {
			said := is[i]
			if r.Float64() < confusion {
				said = draw()
			}
			s.Pos, s.Class = append(s.Pos, 0, 0), append(s.Class, said)
			tracks[i].Hits = append(tracks[i].Hits, mtt.Hit{Frame: f, Det: i})
		}
	}
	p := FitClasses(scans, tracks)
	if p == nil || math.Abs(p.Confusion()-confusion) > 0.01 || !slices.Equal(p.Kinds, []int32{2, 5, 8}) {
		t.Fatalf("learnt %+v, want a confusion of %v", p, confusion)
	}
	// Counted: pairs of classes of one target, and of any two.
	own, any := map[[2]int32]float64{}, map[[2]int32]float64{}
	for f := 1; f < frames; f++ {
		for i := range targets {
			own[[2]int32{scans[f-1].Class[i], scans[f].Class[i]}]++
			for _, k := range []int{1, 3, 11, 100} {
				any[[2]int32{scans[f-1].Class[i], scans[f].Class[(i+k)%targets]}] += 0.25
			}
		}
	}
	m := &Gaussian{Levels: Levels{Sigma: 1, Accel: 1, SpeedStd: 1, PositionsOnly: true, Classes: p}}
	all := &mtt.Scan{Frame: 1, Time: 1, Dim: 2, Pos: make([]float64, 8), Class: []int32{2, 5, 8, 77}}
	for i, from := range all.Class {
		var dst [4]float64
		m.Pairs(dst[:], all, i, all, []int32{0, 1, 2, 3})
		for j, to := range all.Class[:3] {
			pair := [2]int32{from, to}
			if from == 77 {
				continue
			}
			if want := -math.Log(own[pair] / any[pair]); math.Abs(dst[j]-want) > 0.2 {
				t.Errorf("a link from class %d to %d costs %v, by counting %v", from, to, dst[j], want)
			}
		}
		if from == 77 && (dst[3] != 0 || dst[0] <= 0) {
			t.Errorf("links of a class that was never seen cost %v", dst)
		}
	}
	for _, none := range []*Classes{FitClasses(scans, nil), FitClasses([]mtt.Scan{{Dim: 2, Pos: []float64{0, 0}}}, tracks[:1])} {
		if none != nil {
			t.Errorf("%+v is learnt from nothing", none)
		}
	}
}

// TestAppearance: the price of a link is the log likelihood ratio of features drawn as
// the model says, so its mean over true links is minus the information that they carry
// and links to others cost more.
func TestAppearance(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	const targets, frames = 200, 30
	scans := make([]mtt.Scan, frames)
	tracks := make([]mtt.Track, targets)
	is := make([][2]float64, targets)
	for i := range is {
		is[i] = [2]float64{5 + 2*r.NormFloat64(), r.NormFloat64()}
	}
	for f := range scans {
		s := &scans[f]
		s.Frame, s.Time, s.Dim = f, float64(f), 2
		for i := range targets {
			s.Pos = append(s.Pos, 0, 0)
			s.Feat = append(s.Feat, is[i][0]+0.5*r.NormFloat64(), is[i][1]+r.NormFloat64())
			tracks[i].Hits = append(tracks[i].Hits, mtt.Hit{Frame: f, Det: i})
		}
	}
	p := FitAppearance(scans, tracks)
	for k, want := range []float64{4 / 4.25, 0.5} {
		if math.Abs(p.Same[k]-want) > 0.05 {
			t.Errorf("feature %d: correlation %v, want %v", k, p.Same[k], want)
		}
	}
	if math.Abs(p.Mean[0]-5) > 0.4 || math.Abs(p.Var[0]-4.25) > 1 {
		t.Errorf("mean %v, variance %v, want 5 and 4.25", p.Mean[0], p.Var[0])
	}
	m := &Gaussian{Levels: Levels{Sigma: 1, Accel: 1, SpeedStd: 1, PositionsOnly: true, Appearance: p}}
	var own, other float64
	for i := range targets {
		var dst [2]float64
		m.Pairs(dst[:], &scans[3], i, &scans[4], []int32{int32(i), int32((i + 7) % targets)})
		own, other = own+dst[0]/targets, other+dst[1]/targets
	}
	// The mutual information of two standard normals with correlation ρ is −½ log(1−ρ²).
	want := (math.Log(1-p.Same[0]*p.Same[0]) + math.Log(1-p.Same[1]*p.Same[1])) / 2
	if math.Abs(own-want) > 0.3 || other < 2 {
		t.Errorf("a true link costs %v, want %v; a false one %v", own, want, other)
	}
	if FitAppearance(scans[:1], nil) != nil {
		t.Error("an appearance from no links")
	}
}
