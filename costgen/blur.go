package costgen

import (
	"math"
	"slices"

	"mtt"
)

// This file defines noise that is larger in some scans than in the others, and learns what it is in
// these.

// A Blur says in which scans positions are less precise than in the others: the picture is out of
// focus or smeared, the sea is rough. Told has detections tell it.
type Blur struct {
	Frames []int     // ascending
	Times  []float64 // by how many times the standard deviations of Cov are larger there, len of Frames
}

// Of is by how many times noise is larger in a frame.
func (b *Blur) Of(frame int) float64 {
	if b == nil {
		return 1
	}
	k, ok := slices.BinarySearch(b.Frames, frame)
	if !ok {
		return 1
	}
	return b.Times[k]
}

// FitBlur is the standard deviation of positions in scans that are not blurred, m, that is
// likeliest for tracks together with the acceleration, and with manoeuvres where g has any; false
// where there is nothing to go by. Neither g nor tracks are changed. time is as [Fit] has it.
func FitBlur(g *Levels, b *Blur, tracks []mtt.Track, time func(frame int) float64) (sigma float64, ok bool) {
	told := make([]mtt.Track, len(tracks))
	for i := range tracks { // a Cov for the general filter to read
		told[i] = tracks[i]
		told[i].Cov = make([]float64, len(tracks[i].Hits)*mtt.Packed(tracks[i].Dim))
	}
	levels := *g
	s := newSearch(&levels, told, time, enough/4)
	if s == nil {
		return 0, false
	}
	sigma = g.Sigma
	s.noise = func() {
		w := mtt.Packed(s.dim)
		for i := range s.paths {
			p := &s.paths[i]
			for h, hit := range p.hits {
				isotropic(p.scan.Cov[h*w:h*w:(h+1)*w], sigma*b.Of(hit.Frame), s.dim, 1)
			}
		}
	}
	s.free(&levels.Accel, g.Accel)
	if s.turns = levels.ManoeuvreProb > 0; s.turns {
		s.free(&levels.ManoeuvreAccel, g.ManoeuvreAccel)
		s.free(&levels.ManoeuvreProb, g.ManoeuvreProb)
	}
	s.free(&sigma, g.Sigma)
	s.rounded(func(p *path) []float64 { return p.pos })
	s.run()
	return sigma, !math.IsNaN(sigma) && sigma > 0
}
