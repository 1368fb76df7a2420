package pmbm

import (
	"math"
	"slices"
)

// This file decides which clusters are joined in a scan.
//
// Clusters with a detection in common depend on each other, however unlikely it
// is that one of them takes it. In a crowd such links join everything, and a
// table of a few hundred rows cannot hold the product of dozens of choices. So
// where the clusters to be joined have more than Options.Crowd tracks with a
// choice, the links between tracks and detections that are least likely are cut
// first: those with a marginal probability below 10⁻⁴, then 10⁻³, and so on up to
// 1/10, as long as that is needed. A cut changes the posterior by about the
// probability of what is cut, in total variation.
//
// The marginals are those of loopy belief propagation [1], which converges: with
// ψ the odds of track t taking detection d rather than being missed, over the
// intensity ρ+λ of d being something else,
//
//	μ(t→d) = ψ(t,d) / (1 + Σ over d'≠d of ψ(t,d')·ν(d'→t)),
//	ν(d→t) = 1 / (1 + Σ over t'≠t of μ(t'→d)),
//	P(t,d) = ψ(t,d)·ν(d→t) / (1 + Σ over d' of ψ(t,d')·ν(d'→t)).
//
// [1] J. L. Williams, R. A. Lau. Approximate evaluation of marginal association
// probabilities with belief propagation. IEEE Trans. Aerosp. Electron. Syst. 50
// (2014), 2942–2959.

// A link is a detection in the gate of a track, under any of its hypotheses.
type link struct {
	cluster, track, det int32 // tracks are numbered over all clusters
	odds                float64
	in, out             float64 // messages ν and μ
	probability         float64
}

// links lists the links of all tracks in order of tracks, and counts the tracks.
func (f *Filter) links(detections int) (list []link, tracks int) {
	place := make([]int, detections) // of a detection in the list, when it is one of the track's
	var share []float64
	for i, c := range f.clusters {
		for t := range c.tracks {
			share = c.shares(share, t)
			first := len(list)
			missed := share[0] // weight of taking nothing
			for k, h := range c.tracks[t].locals {
				w := share[k+1] * math.Exp(h.miss)
				missed += w
				for _, g := range h.gated {
					p := place[g.det]
					if p < first || p >= len(list) || list[p].det != g.det {
						p = len(list)
						place[g.det] = p
						list = append(list, link{cluster: int32(i), track: int32(tracks), det: g.det, in: 1})
					}
					list[p].odds += w * math.Exp(g.gain-f.borns[g.det].weight)
				}
			}
			for p := first; p < len(list); p++ {
				list[p].odds /= missed
			}
			tracks++
		}
	}
	return list, tracks
}

// shares are the weights of the rows without track t, and of those with each of
// its hypotheses.
func (c *cluster) shares(dst []float64, t int) []float64 {
	dst = resize(dst, len(c.tracks[t].locals)+1)
	clear(dst)
	for i := range c.rows {
		dst[c.rows[i].pick[t]+1] += c.rows[i].weight
	}
	return dst
}

// propagate computes the probabilities of the links.
func propagate(list []link, tracks, detections int) {
	const small, rounds = 1e-6, 200 // the cuts are powers of ten: a rough answer will do
	byTrack, byDet := make([]float64, tracks), make([]float64, detections)
	for round, change := 0, 1.0; ; round++ {
		clear(byTrack)
		clear(byDet)
		for i := range list {
			byTrack[list[i].track] += list[i].odds * list[i].in
		}
		if change < small || round == rounds {
			break
		}
		change = 0
		for i := range list {
			l := &list[i]
			l.out = l.odds / (1 + max(0, byTrack[l.track]-l.odds*l.in))
			byDet[l.det] += l.out
		}
		for i := range list {
			l := &list[i]
			in := 1 / (1 + max(0, byDet[l.det]-l.out))
			change = max(change, math.Abs(in-l.in))
			l.in = in
		}
	}
	for i := range list {
		l := &list[i]
		l.probability = l.odds * l.in / (1 + byTrack[l.track])
	}
}

// cut takes unlikely links of crowds out of the gates.
func (f *Filter) cut(detections int) {
	list, tracks := f.links(detections)
	propagate(list, tracks, detections)
	least := make([]float64, len(f.clusters)) // links below are cut
	joined := newForest(len(f.clusters))
	owner := make([]int, detections)
	open := make([]int, len(f.clusters)) // tracks with a choice in each part
	for level := 1e-4; level < 0.2; level *= 10 {
		joined.reset()
		clear(open)
		for d := range owner {
			owner[d] = -1
		}
		for _, l := range list {
			if l.probability < least[l.cluster] {
				continue
			}
			if owner[l.det] < 0 {
				owner[l.det] = int(l.cluster)
			} else {
				joined.join(owner[l.det], int(l.cluster))
			}
		}
		last := int32(-1)
		for _, l := range list {
			if l.track != last && l.probability >= least[l.cluster] {
				open[joined.root(int(l.cluster))]++
				last = l.track
			}
		}
		crowded := false
		for i := range least {
			if open[joined.root(i)] > f.o.Crowd {
				least[i] = level
				crowded = true
			}
		}
		if !crowded {
			break
		}
	}
	// The links of a track are those of its hypotheses together: find what is cut,
	// then take it out of each.
	gone := make([]int, detections) // the track, from 1, that lost the detection
	at, track := 0, 0
	for i, c := range f.clusters {
		for t := range c.tracks {
			track++
			lost := false
			for ; at < len(list) && int(list[at].track) == track-1; at++ {
				if list[at].probability < least[i] {
					gone[list[at].det] = track
					lost = true
				}
			}
			if !lost {
				continue
			}
			for _, h := range c.tracks[t].locals {
				h.gated = slices.DeleteFunc(h.gated, func(g gated) bool { return gone[g.det] == track })
			}
		}
	}
}
