package association

// This file tests which targets are taken to be detected twice.

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
)

// TestTwice: targets that are detected twice are told from those that are seen once, that keep
// together, or that lie on a line or in lanes, where the nearest are nearer.
func TestTwice(t *testing.T) {
	const side, noise = 100.0, 0.4
	scene := func(dim, lanes int, doubled, beside float64) ([]mtt.Scan, []mtt.Track) {
		r := rand.New(rand.NewPCG(7, uint64(dim)))
		at := func(p []float64, by float64) []float64 {
			q := slices.Clone(p)
			for k := range q {
				q[k] += by * r.NormFloat64()
			}
			return q
		}
		scans, tracks := make([]mtt.Scan, 40), make([]mtt.Track, 20)
		for i := range tracks {
			tracks[i] = mtt.Track{ID: i + 1, Dim: dim}
			p, v := make([]float64, dim), make([]float64, dim)
			for k := range p {
				if p[k], v[k] = side*r.Float64(), r.NormFloat64(); lanes > 0 && k > 0 {
					p[k], v[k] = float64(i%lanes)*side, 0
				}
			}
			for f := range scans {
				s := &scans[f]
				s.Frame, s.Time, s.Dim = f, float64(f), dim
				s.Pos = append(s.Pos, at(p, noise)...)
				tracks[i].Append(s, s.Len()-1)
				if r.Float64() < doubled {
					s.Pos = append(s.Pos, at(p, noise)...)
				}
				if beside > 0 { // another one that keeps its place beside
					q := slices.Clone(p)
					q[0] += beside * math.Cos(float64(i))
					q[len(q)-1] += beside * math.Sin(float64(i))
					s.Pos = append(s.Pos, at(q, noise)...)
				}
				for k := range p {
					p[k] += v[k]
				}
			}
		}
		return scans, tracks
	}
	for dim := 2; dim <= 3; dim++ {
		for _, c := range []struct {
			name            string
			doubled, beside float64
			share           float64 // so many have another beside them
			lanes           int     // that they are in; 0: none
		}{
			{"once", 0, 0, 0, 0},
			{"in pairs", 0, 3, 0, 0},
			{"twice", 1, 0, 0.9, 0},
			{"a fifth twice", 0.2, 0, 0.2, 0},
			{"on a line", 0, 0, 0, 1},
			{"in lanes", 0, 0, 0, 3},
			{"in lanes, twice", 1, 0, 0.8, 3},
		} {
			scans, tracks := scene(dim, c.lanes, c.doubled, c.beside)
			d := twice(t.Context(), scans, tracks)
			if math.Abs(d.share-c.share) > 0.1 || c.share > 0 && (d.within < 2*noise || d.within > 5*noise) {
				t.Errorf("%s in %d dimensions: %.2g within %.2g, want %g", c.name, dim, d.share, d.within, c.share)
			}
		}
	}
}

// TestNearest compares with all distances.
func TestNearest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	s := &mtt.Scan{Dim: 2}
	for range 2 * 60 {
		s.Pos = append(s.Pos, float64(r.IntN(9))) // with many at one place
	}
	o := newLineUp(s)
	for i := range s.Len() {
		var all []float64
		for j := range s.Len() {
			if j != i {
				all = append(all, math.Hypot(s.At(i)[0]-s.At(j)[0], s.At(i)[1]-s.At(j)[1]))
			}
		}
		slices.Sort(all)
		if _, d := o.nearest(s, i); !slices.Equal(d[:], all[:3]) {
			t.Errorf("detection %d: %g, want %g", i, d, all[:3])
		}
	}
}

// TestTwiceOnALine: targets on a line have neighbours nearer than those in a plane have, without
// being detected twice.
func TestTwiceOnALine(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 8))
		scans, tracks := make([]mtt.Scan, 100), make([]mtt.Track, 10)
		for i := range tracks {
			tracks[i] = mtt.Track{ID: i + 1, Dim: 2}
			p, v := 100*r.Float64(), r.NormFloat64()
			for f := range scans {
				s := &scans[f]
				s.Frame, s.Time, s.Dim = f, float64(f), 2
				s.Pos = append(s.Pos, p+v*float64(f)+0.3*r.NormFloat64(), 0)
				tracks[i].Append(s, s.Len()-1)
			}
		}
		if d := twice(t.Context(), scans, tracks); d.share > 0 {
			t.Errorf("seed %d: %.2g of the detections seem to be doubled", seed, d.share)
		}
	}
}

// TestFewTwice: of few targets two may be the nearest neighbours of each other for some scans, and
// a miss of the one does not make it another one.
func TestFewTwice(t *testing.T) {
	warned := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 12))
		scans, tracks := make([]mtt.Scan, 20), make([]mtt.Track, 4)
		for i := range tracks {
			tracks[i] = mtt.Track{ID: i + 1, Dim: 2}
			x, y, vx, vy := 40*r.Float64(), 40*r.Float64(), r.NormFloat64(), r.NormFloat64()
			for f := range scans {
				s := &scans[f]
				s.Frame, s.Time, s.Dim = f, float64(f), 2
				if r.Float64() < 0.1 {
					continue
				}
				s.Pos = append(s.Pos, x+vx*float64(f)+0.1*r.NormFloat64(), y+vy*float64(f)+0.1*r.NormFloat64())
				tracks[i].Append(s, s.Len()-1)
			}
		}
		if d := twice(t.Context(), scans, tracks); d.share > 0 {
			warned++
		}
	}
	if warned > 0 {
		t.Errorf("%d of 300 scenes of targets that are detected once seem to be doubled", warned)
	}
}
