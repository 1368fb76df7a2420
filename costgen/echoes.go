package costgen

import (
	"math"

	"mtt"
)

// This file prices second detections of targets that are displaced by one offset, as
// reflections and multipath make them, and false alarms that lie around targets, as detectors make them
// of parts of what they see: these are displaced by none, but scattered.
//
// Problem. Such detections move as targets do, so tracks are made of them, and where they lie as
// near as targets go in a step tracks go astray.
//
// Idea. To a detection at z there is one more at z + Offset, but for errors of deviation Sigma
// along each axis, with probability Share. What is in no target is then found at x with the density
//
//	Clutter/Volume + Share · Σ N(x; z + Offset, Sigma²)
//
// the sum going over the detections of the scan: an echo is as cheap as its target is sure to be
// there, and all others are what they were.

// Echoes say where targets are detected once more in the same scan.
type Echoes struct {
	Offset [3]float64 // m; the zero value: false alarms lie around targets
	Sigma  float64    // m: standard deviation on each axis
	Share  float64    // of the detections, that have one: how many there are to a detection
}

// Around reports whether they are false alarms that lie around targets.
func (e *Echoes) Around() bool { return e.Offset == [3]float64{} }

// Density is the mean number of echoes for each m² or m³ at each of the detections of s.
func (e *Echoes) Density(s *mtt.Scan) []float64 {
	const far = 12 // deviations, beyond which there are none
	list := make([]float64, s.Len())
	scale := e.Share * math.Pow(2*math.Pi*e.Sigma*e.Sigma, -float64(s.Dim)/2)
	sorted := NewSorted(s)
	for i := range list {
		var of [3]float64 // what would be echoed there
		for d, x := range s.At(i) {
			of[d] = x - e.Offset[d]
		}
		for k, d2 := range sorted.Near(of[:], far*e.Sigma) {
			if k != i {
				list[i] += scale * math.Exp(-d2/(2*e.Sigma*e.Sigma))
			}
		}
	}
	return list
}

// echoed changes the prices of false alarms of s, of the given usual one, by how much denser echoes
// make them.
func (m *Levels) echoed(dst []Ends, s *mtt.Scan, usual float64) {
	each := m.Rates.Volume / m.Rates.Clutter
	for i, density := range m.Echoes.Density(s) {
		if density > 0 {
			dst[i].Clutter -= math.Log1p(density * each * math.Exp(dst[i].Clutter-usual))
		}
	}
}

// Expected is how many echoes detections of scans have on average; 0 of nil.
func (e *Echoes) Expected(scans []mtt.Scan) (n float64) {
	if e == nil {
		return 0
	}
	for t := range scans {
		n += float64(scans[t].Len())
	}
	return e.Share * n
}

// Echoing calls visit with the probability of each detection of scans to be an echo if it is of no
// target, where that is above 0; m may be nil.
func (m *Levels) Echoing(scans []mtt.Scan, visit func(t, i int, share float64)) {
	if m == nil || m.Echoes == nil {
		return
	}
	alarms := m.Rates.Clutter / m.Rates.Volume
	for t := range scans {
		for i, density := range m.Echoes.Density(&scans[t]) {
			if density > 0 {
				visit(t, i, density/(density+alarms))
			}
		}
	}
}

// EchoesLeft is how many of the detections of scans that are in no track with others are echoes.
func (m *Levels) EchoesLeft(scans []mtt.Scan, tracks []mtt.Track) (n float64) {
	used := Linked(scans, tracks)
	m.Echoing(scans, func(t, i int, share float64) {
		if !used[t][i] {
			n += share
		}
	})
	return n
}
