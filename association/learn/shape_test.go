package learn

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mtt"
	"mtt/costgen"
)

// smeared are scans of n targets whose acceleration is white, lasts, or that walk, and their
// tracks: seen with noise of covariance l·lᵀ, one detection in ten missed, and two tracks in a
// hundred of detections with a wrong link.
func smeared(seed uint64, n, frames, dim int, motion string, l [3][3]float64) (scans []mtt.Scan, tracks []mtt.Track) {
	r := rand.New(rand.NewPCG(seed, 1))
	scans, tracks = make([]mtt.Scan, frames), make([]mtt.Track, n)
	for t := range scans {
		scans[t] = mtt.Scan{Frame: t, Time: float64(t) / 4, Dim: dim}
	}
	for i := range tracks {
		tracks[i] = mtt.Track{ID: i + 1, Dim: dim}
		var pos, vel, acc, e [3]float64
		for t := range scans {
			for x := range dim {
				white, step := r.NormFloat64(), r.NormFloat64()
				switch motion {
				case "white": // the integral of a white acceleration over an interval of 1
					pos[x] += vel[x] + 0.3*(white/2+step/math.Sqrt(12))
					vel[x] += 0.3 * white
				case "lasting":
					acc[x] = 0.95*acc[x] + 0.1*white
					vel[x] += acc[x]
					pos[x] += vel[x]
				case "walk":
					pos[x] += 0.5 * white
				}
				e[x] = r.NormFloat64()
			}
			wrong := 0.0
			if u := r.Float64(); u < 0.1 {
				continue
			} else if u < 0.11 {
				wrong = 30
			}
			s := &scans[t]
			for x := range dim {
				z := pos[x] + wrong*r.NormFloat64()
				for y := range dim {
					z += l[x][y] * e[y]
				}
				s.Pos = append(s.Pos, z)
			}
			tracks[i].Append(s, s.Len()-1)
		}
	}
	return scans, tracks
}

// TestNoiseOf has noise that differs by direction, whatever targets do, and no noise that does not.
func TestNoiseOf(t *testing.T) {
	for _, c := range []struct {
		motion string
		dim    int
		l      [3][3]float64
	}{
		{"white", 2, [3][3]float64{{1}, {0, 0.4}}},
		{"white", 2, [3][3]float64{{0.8}, {0.6, 0.2}}},
		{"lasting", 2, [3][3]float64{{0.8}, {0.6, 0.2}}},
		{"walk", 2, [3][3]float64{{0.3}, {0, 0.9}}},
		{"white", 3, [3][3]float64{{0.3}, {0, 0.3}, {0.1, 0, 0.9}}},
		{"lasting", 3, [3][3]float64{{0.3}, {0, 0.3}, {0, 0, 0.9}}},
		{"walk", 3, [3][3]float64{{0.4}, {0, 0.3}, {0, 0, 0.9}}},
	} {
		scans, tracks := smeared(3, 100, 40, c.dim, c.motion, c.l)
		cov, ok := noiseOf(scans, tracks, c.dim, c.motion == "walk", 0.01)
		l := mat.NewDense(c.dim, c.dim, nil)
		for x := range c.dim {
			l.SetRow(x, c.l[x][:c.dim])
		}
		var truth mat.SymDense
		truth.SymOuterK(1, l)
		var want [6]float64
		k := 0
		for i := range c.dim {
			for j := range i + 1 {
				want[k] = truth.At(i, j)
				k++
			}
		}
		if d := divergence(cov, want, c.dim); !ok || !(d < 0.02) {
			t.Errorf("%s: %v, %t, %v nat from %v", c.motion, cov, ok, d, want)
		}
	}
	for seed := range uint64(60) {
		dim := 2 + int(seed%2)
		scans, tracks := smeared(seed, 20, 40, dim, []string{"white", "lasting", "walk"}[seed/2%3], [3][3]float64{{0.5}, {0, 0.5}, {0, 0, 0.5}})
		if cov, ok := noiseOf(scans, tracks, dim, seed/2%3 == 2, 0.01); ok {
			t.Errorf("seed %d: %v", seed, cov)
		}
	}
}

// TestFlooredNoise has noise below a floor, of which nothing is told, and along one axis, which stays there.
func TestFlooredNoise(t *testing.T) {
	scans, tracks := smeared(3, 100, 40, 2, "white", [3][3]float64{{1}, {0, 0.2}})
	if cov, ok := noiseOf(scans, tracks, 2, false, 2); ok {
		t.Error(cov)
	}
	if cov, ok := noiseOf(scans, tracks, 2, false, 0.5); !ok || math.Abs(cov[2]-0.25) > 1e-3 {
		t.Error(cov, ok)
	}
}

// TestFlatNoise has a coordinate that does not vary, of which nothing can be told, and too few detections.
func TestFlatNoise(t *testing.T) {
	scans, tracks := smeared(1, 20, 30, 3, "white", [3][3]float64{{0.5}, {0, 0.5}})
	for i := range tracks {
		for k := 2; k < len(tracks[i].Pos); k += 3 {
			tracks[i].Pos[k] = 0
		}
	}
	if cov, ok := noiseOf(scans, tracks, 3, false, 0.01); ok {
		t.Error(cov)
	}
	if cov, ok := noiseOf(scans[:3], tracks[:0], 3, false, 0.01); ok {
		t.Error(cov)
	}
}

// TestDivergence has that of a twice as large variance along one axis: (2 − 1 − ln 2)/2.
func TestDivergence(t *testing.T) {
	if d := divergence([6]float64{2, 0, 3}, [6]float64{1, 0, 3}, 2); math.Abs(d-(1-math.Ln2)/2) > 1e-12 {
		t.Error(d)
	}
	if d := divergence([6]float64{1, 1, 1}, [6]float64{1, 0, 3}, 2); !math.IsInf(d, 1) {
		t.Error(d)
	}
	std, along := (&costgen.Levels{Cov: [6]float64{4, 0, 1, 0, 0, 9}, Dim: 3}).NoiseAxes()
	if std[0] != 1 || std[2] != 3 || along[2] != 1 {
		t.Error(std, along)
	}
}
