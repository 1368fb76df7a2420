package costgen

import (
	"math"
	"slices"

	"mtt"
)

// This file takes out of scans how the sensor itself moved.

// Shifts say where a sensor that moves was in each frame, seen from where it would have been on a
// straight line: what is at rest beside the targets appears so much further along each axis. A nil
// Shifts is of a sensor that does not move.
type Shifts struct {
	Dim    int
	Frames []int     // ascending
	Pos    []float64 // m, row-major len(Frames)×Dim
}

// At is the shift in a frame, a view into Pos; nil where none is known, and in frames that Frames lacks.
func (s *Shifts) At(frame int) []float64 {
	if s == nil {
		return nil
	}
	t, ok := slices.BinarySearch(s.Frames, frame)
	if !ok {
		return nil
	}
	return s.Pos[t*s.Dim : (t+1)*s.Dim : (t+1)*s.Dim]
}

// Without are the scans as the sensor would have seen them from where it would have been: positions
// less the shift of their frame. They share all else with the scans; where s is nil they are the
// scans.
func (s *Shifts) Without(scans []mtt.Scan) []mtt.Scan {
	if s == nil {
		return scans
	}
	out := make([]mtt.Scan, len(scans))
	for t := range scans {
		out[t] = s.without(&scans[t])
	}
	return out
}

// without is Without of one scan.
func (s *Shifts) without(scan *mtt.Scan) mtt.Scan {
	out := *scan
	if d := s.At(scan.Frame); d != nil && scan.Dim == s.Dim {
		out.Pos = slices.Clone(scan.Pos)
		for k := range out.Pos {
			out.Pos[k] -= d[k%s.Dim]
		}
	}
	return out
}

// RMS is the root of the mean squared distance from the straight line.
func (s *Shifts) RMS() float64 {
	sum := 0.0
	for _, v := range s.Pos {
		sum += v * v
	}
	return math.Sqrt(sum / float64(max(1, len(s.Frames))))
}

// Plus is the sum of two shifts of the same frames; either may be nil.
func (s *Shifts) Plus(other *Shifts) *Shifts {
	switch {
	case s == nil:
		return other
	case other == nil:
		return s
	}
	sum := &Shifts{s.Dim, s.Frames, slices.Clone(s.Pos)}
	for k, v := range other.Pos {
		sum.Pos[k] += v
	}
	return sum
}
