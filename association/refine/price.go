package refine

import (
	"context"

	"mtt"
	"mtt/association/chain"
	"mtt/costgen"
	"mtt/internal/slab"
	"mtt/motion"
)

// This file prices tracks for others.

// Price is what all tracks of links cost together, by the likelihood of the whole, with its birth,
// death and misses; a detection in no link is a track or a false alarm, whatever is cheaper. In
// nats. It takes the time of a filter along each track.
func Price(links *chain.Links, scans []mtt.Scan, model costgen.Leveled) (sum float64) {
	return newPricer(scans, model).all(links)
}

// A priced is a track as far as it has been priced.
type priced struct {
	sum  float64
	slot int32 // of its state
}

// all is the price of all tracks. It goes from scan to scan: what tracks look up lies together, and none waits
// for another.
func (m *mover[S, E]) all(links *chain.Links) (sum float64) {
	of := slab.Parts[int32](len(m.scans), func(t int) int { return m.scans[t].Len() }) // the track of a detection; -1: it comes from before
	var tracks []priced
	var states []S
	var free []int32
	for t := range m.scans {
		for i, before := range links.Prev[t] {
			at, ends := chain.At(t, i), links.Next[t][i] == chain.None
			k := int32(-1)
			switch {
			case before == chain.Past:
			case before != chain.None:
				k = of[before.T][before.Det]
			case ends:
				tracks = append(tracks, priced{sum: m.alone(at)})
			default:
				if len(free) == 0 {
					free, states = append(free, int32(len(states))), append(states, *new(S))
				}
				last := len(free) - 1
				k = int32(len(tracks))
				tracks = append(tracks, priced{m.birth(at) + m.filter.First(&m.scans[t], i), free[last]})
				m.filter.Start(&states[free[last]], &m.scans[t], i)
				free = free[:last]
			}
			if of[t][i] = k; k < 0 {
				continue
			}
			x := &tracks[k]
			if before != chain.None {
				x.sum += m.step(&states[x.slot], before, at)
			}
			if ends {
				x.sum += m.death(at)
				free = append(free, x.slot)
			}
		}
	}
	for k := range tracks {
		sum += tracks[k].sum
	}
	return sum
}

// Evidence says of each track by how many nats its detections are likelier to be of one target than
// all to be false alarms: the log likelihood of the track, with its birth, death and misses, less
// that of as many false alarms there, of such confidence. Frames of tracks are those of scans. It
// takes the time of a filter along each track.
func Evidence(tracks []mtt.Track, scans []mtt.Scan, model costgen.Leveled) []float64 {
	p := newPricer(scans, model)
	links := model.Noise().OfTracks().Usual() // of each, which prices leave out
	index := mtt.ByFrame(scans)
	evidence := make([]float64, len(tracks))
	var path []chain.Node
	for i := range tracks {
		path = path[:0]
		for _, h := range tracks[i].Hits {
			at := chain.At(index[h.Frame], h.Det)
			path = append(path, at)
			evidence[i] += p.alarm(at)
		}
		evidence[i] += float64(len(path)-1)*links - p.whole(path)
	}
	return evidence
}

// A pricer prices tracks: paths, those of two detections and more, and false alarms.
type pricer interface {
	all(links *chain.Links) float64
	track(path []chain.Node) float64
	whole(path []chain.Node) float64
	alarm(at chain.Node) float64
}

func newPricer(scans []mtt.Scan, model costgen.Leveled) pricer {
	levels := model.Noise().OfTracks()
	params := levels.TrackParams(max(levels.Dim, 2))
	if levels.Triple(scans) {
		return pricerBy(motion.NewTriple(params), params, scans, model)
	}
	if levels.Wheel(scans) {
		return pricerBy(motion.NewWheel(params), params, scans, model)
	}
	if levels.AnyGeneral(scans) {
		return pricerBy(motion.NewFull(params), params, scans, model)
	}
	if params.Dim == 2 {
		return pricerBy(motion.NewPlane(params), params, scans, model)
	}
	return pricerBy(motion.NewAxes(params), params, scans, model)
}

func pricerBy[S comparable, E any](filter motion.Filter[S, E], params *motion.Params, scans []mtt.Scan, model costgen.Leveled) pricer {
	return newPrices(context.Background(), filter, params, new(chain.Links), scans, nil, model, &Options{}).movers[0]
}

// track is the price of a track, or of a detection by itself.
func (m *mover[S, E]) track(path []chain.Node) float64 {
	if len(path) == 1 {
		return m.alone(path[0])
	}
	return m.whole(path)
}

// alarm is the price of a detection as a false alarm.
func (m *mover[S, E]) alarm(at chain.Node) float64 {
	return m.falsely(at) + m.filter.First(&m.scans[at.T], int(at.Det))
}
