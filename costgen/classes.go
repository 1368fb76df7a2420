package costgen

import (
	"math"
	"slices"

	"mtt"
)

// This file prices classes: what detectors take targets for.

// Classes say what the classes of two detections tell of their being of one target. Those of two
// targets are independent, each drawn with Share; those of two successive detections of one target
// are the same with probability Same, and else independent too: detectors err, in several pictures
// in a row. A link costs
//
//	−log(1 − ρ + ρ·[c_i = c_j]/Share),   ρ = Same.
//
// Same is the agreement beyond chance (Scott's π [1]). Where a target is taken each time, independently,
// for what it is with probability 1−ε and else for anything, it is (1−ε)².
//
// [1] Scott. Reliability of content analysis: the case of nominal scale coding. Public Opinion
// Quarterly 19(3), 1955.
type Classes struct {
	Kinds []int32   // ascending
	Share []float64 // of all detections, of each of Kinds; above 0
	Same  float64   // 0 ≤ Same < 1
}

// Confusion is the probability ε with which a detection is taken for anything.
func (p *Classes) Confusion() float64 { return 1 - math.Sqrt(p.Same) }

// pairs adds the prices of the links from a detection taken for a class to those of out to dst.
func (p *Classes) pairs(dst []float64, from int32, b *mtt.Scan, out []int32) {
	differ, same := -math.Log1p(-p.Same), 0.0
	if k, known := slices.BinarySearch(p.Kinds, from); known {
		same = -math.Log(1 - p.Same + p.Same/p.Share[k])
	} // one that was never seen tells nothing by coming again
	for s, j := range out {
		if b.Class[j] == from {
			dst[s] += same
		} else {
			dst[s] += differ
		}
	}
}

// FitClasses estimates what classes tell from tracks: Share is counted in all detections of scans,
// Same comes from how many consecutive detections of a track are of one class, half a link that is
// not being added. It is nil where scans have no classes, or one, where no tracks link any, and
// where these agree no more than by chance. Frames of tracks are those of scans.
func FitClasses(scans []mtt.Scan, tracks []mtt.Track) *Classes {
	index := make(map[int]int, len(scans))
	count := make(map[int32]float64)
	all := 0.0
	for t := range scans {
		index[scans[t].Frame] = t
		for _, c := range scans[t].Class {
			count[c]++
			all++
		}
	}
	p := &Classes{}
	for c := range count {
		p.Kinds = append(p.Kinds, c)
	}
	slices.Sort(p.Kinds)
	chance := 0.0 // that two are the same
	for _, c := range p.Kinds {
		share := count[c] / all
		p.Share, chance = append(p.Share, share), chance+share*share
	}
	links, differ := 0.0, 0.0
	for i := range tracks {
		hits := tracks[i].Hits
		for h := 1; h < len(hits); h++ {
			a, b := &scans[index[hits[h-1].Frame]], &scans[index[hits[h].Frame]]
			if a.Class == nil || b.Class == nil {
				continue
			}
			if links++; a.Class[hits[h-1].Det] != b.Class[hits[h].Det] {
				differ++
			}
		}
	}
	if links == 0 || len(p.Kinds) < 2 {
		return nil
	}
	// P(differ) = (1−ρ)·(1−chance). A share of wrong links only makes ρ smaller.
	if p.Same = 1 - (differ+0.5)/(links+1)/(1-chance); p.Same <= 0 {
		return nil
	}
	return p
}
