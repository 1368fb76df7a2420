package verify

import "mtt"

// This file keeps of scans what checking tracks and certificates takes.

// Detections are those of a scene: where they are, and in which frames. A scan takes 16 bytes beside
// its positions, of which it has more than ten times as many as an [mtt.Scan].
type Detections struct {
	Frames []int     // of each scan, ascending
	Base   []int     // Base[t]+i is the number of detection i of scan t; len Frames+1
	Dim    int       // of all that scans report; 0: nothing
	Pos    []float64 // m, row-major Base[len Frames]×Dim
}

// NewDetections are those of scans, whose memory they do not share. All that report something report
// it in the same dimension, as [mtt.ValidateAll] has it.
func NewDetections(scans []mtt.Scan) *Detections {
	d := &Detections{Frames: make([]int, len(scans)), Base: make([]int, len(scans)+1)}
	size := 0
	for t := range scans {
		s := &scans[t]
		d.Frames[t], d.Base[t+1] = s.Frame, d.Base[t]+s.Len()
		if size += len(s.Pos); s.Len() > 0 {
			d.Dim = s.Dim
		}
	}
	d.Pos = make([]float64, 0, size)
	for t := range scans {
		d.Pos = append(d.Pos, scans[t].Pos...)
	}
	return d
}

// len is the number of detections of scan t.
func (d *Detections) len(t int) int { return d.Base[t+1] - d.Base[t] }

// at is the position of a detection, by its number.
func (d *Detections) at(n int) []float64 { return d.Pos[n*d.Dim : (n+1)*d.Dim] }
