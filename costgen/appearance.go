package costgen

import (
	"math"

	"mtt"
)

// This file prices features: same target or not.

// Appearance says what features, such as those of appearance, tell of identity. On
// each feature by itself, targets are normal about Mean with variance Var, and two
// detections of one target are correlated by Same. A link costs the log likelihood ratio of
// its second detection being any other target's over being of the same target,
//
//	Σ ½ ((d_j − ρd_i)²/(1−ρ²) − d_j² + log(1−ρ²)),   d = (f − Mean)/√Var,   ρ = Same,
//
// at most 20 for each feature: detectors err. ρ is the intraclass correlation: of the
// variance of a feature, the share that lies between targets. Slices have an element for
// each feature.
type Appearance struct {
	Mean, Var []float64 // Var above 0
	Same      []float64 // 0 ≤ Same < 1
}

// pairs adds the prices of the links from a detection with features from to those of
// out to dst.
func (p *Appearance) pairs(dst []float64, from []float64, b *mtt.Scan, out []int32) {
	const most = 20
	for k, f := range from {
		rho := p.Same[k]
		if rho == 0 {
			continue
		}
		rest := 1 - rho*rho
		scale, base := 1/math.Sqrt(p.Var[k]), math.Log(rest)/2
		expected := rho * (f - p.Mean[k]) * scale
		for s, j := range out {
			d := (b.FeatAt(int(j))[k] - p.Mean[k]) * scale
			e := d - expected
			dst[s] += min(base+(e*e/rest-d*d)/2, most)
		}
	}
}

// FitAppearance estimates what features tell from tracks: Mean and Var are those of all
// detections of scans, Same comes from how much less the features of consecutive
// detections of a track differ than those of any two. It is nil where scans have no
// features or no tracks link any. Frames of tracks are those of scans.
func FitAppearance(scans []mtt.Scan, tracks []mtt.Track) *Appearance {
	index := make(map[int]int, len(scans))
	features := 0
	for t := range scans {
		index[scans[t].Frame] = t
		features = max(features, scans[t].Features())
	}
	if features == 0 {
		return nil
	}
	p := &Appearance{Mean: make([]float64, features), Var: make([]float64, features), Same: make([]float64, features)}
	n, links := 0.0, 0.0
	change := make([]float64, features)
	for t := range scans {
		for i := range scans[t].Len() {
			n++
			for k, f := range scans[t].FeatAt(i) { // Welford
				d := f - p.Mean[k]
				p.Mean[k] += d / n
				p.Var[k] += d * (f - p.Mean[k])
			}
		}
	}
	for i := range tracks {
		hits := tracks[i].Hits
		for h := 1; h < len(hits); h++ {
			a, b := &scans[index[hits[h-1].Frame]], &scans[index[hits[h].Frame]]
			from, to := a.FeatAt(hits[h-1].Det), b.FeatAt(hits[h].Det)
			links++
			for k := range change {
				change[k] += (to[k] - from[k]) * (to[k] - from[k])
			}
		}
	}
	if links == 0 {
		return nil
	}
	for k := range change {
		p.Var[k] /= n
		if p.Var[k] > 0 {
			// E(change²) = 2·Var·(1−ρ). A share of wrong links only makes ρ smaller.
			p.Same[k] = min(max(0, 1-change[k]/links/(2*p.Var[k])), 0.9999)
		}
	}
	return p
}
