package refine

import (
	"context"

	"mtt"
	"mtt/association/chain"
	"mtt/costgen"
	"mtt/motion"
)

// This file prices tracks for others.

// Price is what all tracks of links cost together, by the likelihood of the whole, with its birth,
// death and misses; a detection in no link is a track or a false alarm, whatever is cheaper. In
// nats. It takes the time of a filter along each track.
func Price(links *chain.Links, scans []mtt.Scan, model costgen.Leveled) (sum float64) {
	price := newPricer(scans, model).track
	var path []chain.Node
	for t := range scans {
		for i, before := range links.Prev[t] {
			if before != chain.None {
				continue
			}
			path = path[:0]
			for at := chain.At(t, i); at != chain.None; at = links.Next[at.T][at.Det] {
				path = append(path, at)
			}
			sum += price(path)
		}
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
