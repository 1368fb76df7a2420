package smooth

// This file tests smoothed sizes against least squares, and what is learnt of them against what made them.

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mtt"
	"mtt/motion"
)

// boxes draws tracks of 40 scans at odd times, a third of which miss them, whose sizes walk with a
// variance of q a second and are measured with a standard deviation of noise, in logarithms. The
// third axis of truth is time.
func boxes(r *rand.Rand, targets int, q, noise float64) (scans []mtt.Scan, tracks []mtt.Track, truth [][][2]float64) {
	now := 0.0
	for k := range 40 {
		scans = append(scans, mtt.Scan{Frame: 3 * k, Time: now, Dim: 2})
		now += 0.3 + 1.4*r.Float64()
	}
	for i := range targets {
		tr := mtt.Track{ID: i + 1, Dim: 2}
		var sizes [][2]float64
		var x [2]float64
		for a := range x {
			x[a] = 3 + r.NormFloat64()
		}
		for k := range scans {
			if k > 0 {
				for a := range x {
					x[a] += math.Sqrt(q*(scans[k].Time-scans[k-1].Time)) * r.NormFloat64()
				}
			}
			sizes = append(sizes, x)
			if s := &scans[k]; k == 0 || k == len(scans)-1 || r.IntN(3) > 0 {
				s.Pos = append(s.Pos, 1000*float64(i), 0)
				s.Size = append(s.Size, math.Exp(x[0]+noise*r.NormFloat64()), math.Exp(x[1]+noise*r.NormFloat64()))
				tr.Append(s, s.Len()-1)
			}
		}
		tracks, truth = append(tracks, tr), append(truth, sizes)
	}
	return scans, tracks, truth
}

// TestSizes: where nothing but the walk is told, smoothed sizes are the least squares of
// measurements and steps.
func TestSizes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	scans, tracks, _ := boxes(r, 3, 0.02, 0.2)
	tracks[1].Size[0], tracks[1].Size[7] = 0, 0 // not measured
	n := len(scans)
	for i := range tracks {
		got := make([]float64, 2*n)
		for axis := range 2 {
			s := sizer{axis, 0.37}
			s.smooth(got, &tracks[i], scans)
			a, b := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
			add := func(r, c int, v float64) { a.Set(r, c, a.At(r, c)+v) }
			for h, hit := range tracks[i].Hits {
				if v := tracks[i].Size[2*h+axis]; v > 0 {
					add(hit.Frame/3, hit.Frame/3, 1)
					b.SetVec(hit.Frame/3, math.Log(v))
				}
			}
			for k := 1; k < n; k++ {
				w := 1 / (s.walk * (scans[k].Time - scans[k-1].Time))
				add(k, k, w)
				add(k-1, k-1, w)
				add(k, k-1, -w)
				add(k-1, k, -w)
			}
			var x mat.VecDense
			if err := x.SolveVec(a, b); err != nil {
				t.Fatal(err)
			}
			for k := range n {
				if want := math.Exp(x.AtVec(k)); math.Abs(got[2*k+axis]-want) > 1e-9*want {
					t.Fatalf("track %d, axis %d, scan %d: %v, want %v", i, axis, k, got[2*k+axis], want)
				}
			}
		}
	}
}

// TestSizesLearnt: the walk is found within a factor of two, from none to no noise, and sizes are
// nearer the truth than measured.
func TestSizesLearnt(t *testing.T) {
	for _, c := range []struct{ q, noise float64 }{{0.0004, 0.1}, {0.01, 0.1}, {0.3, 0.1}} {
		r := rand.New(rand.NewPCG(7, 1))
		scans, tracks, truth := boxes(r, 60, c.q, c.noise)
		s := Tracks(scans, tracks, levels(motion.Velocity{}, true), 1)
		want := c.q / (c.noise * c.noise)
		for axis := range 2 {
			if got := newSizer(scans, tracks, axis).walk; got < want/2 || got > 2*want {
				t.Errorf("a walk of %v is taken for %v", want, got)
			}
		}
		smoothed, measured := 0.0, 0.0
		for i := range tracks {
			for h, hit := range tracks[i].Hits {
				width, _ := s.Size(i, hit.Frame/3)
				x := truth[i][hit.Frame/3][0]
				smoothed += math.Pow(math.Log(width)-x, 2)
				measured += math.Pow(math.Log(tracks[i].Size[2*h])-x, 2)
			}
		}
		if smoothed > 0.99*measured {
			t.Errorf("walk %v: squares of errors add up to %v, of measurements to %v", want, smoothed, measured)
		}
	}
	// Sizes that do not vary are what they are, whatever is learnt.
	scans, tracks, truth := boxes(rand.New(rand.NewPCG(3, 3)), 2, 0, 0)
	states := Tracks(scans, tracks, levels(motion.Velocity{}, true), 1).States(1)
	for k, v := range states[1].Size {
		if math.Abs(math.Log(v)-truth[1][0][k%2]) > 1e-9 {
			t.Fatalf("size %d is %v, want %v", k, v, math.Exp(truth[1][0][k%2]))
		}
	}
	if points := Tracks(scans, []mtt.Track{{ID: 1, Dim: 2, Hits: tracks[0].Hits, Pos: tracks[0].Pos}}, levels(motion.Velocity{}, true), 1); points.Boxed() {
		t.Error("points have sizes")
	}
}
