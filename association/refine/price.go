package refine

import (
	"mtt"
	"mtt/association/chain"
	"mtt/costgen"
	"mtt/motion"
)

// This file prices tracks for others.

// Pricer returns a function that prices the track of the detections of a path, in order of time, as Links does: by the
// likelihood of the whole, with its birth, death and misses; a path of one is a track or a false alarm, whatever is cheaper. In nats.
// The function is not safe for concurrent use.
func Pricer(scans []mtt.Scan, model costgen.Leveled) func(path []chain.Node) float64 {
	levels := model.Noise()
	params := levels.Params(max(levels.Dim, 2))
	if levels.AnyGeneral(scans) {
		return pricer(motion.NewFull(params), params, scans, model)
	}
	return pricer(motion.NewAxes(params), params, scans, model)
}

// Price is what all tracks of links cost together, each as Pricer says. In nats. It takes the time of a filter along
// each track.
func Price(links *chain.Links, scans []mtt.Scan, model costgen.Leveled) (sum float64) {
	price := Pricer(scans, model)
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

func pricer[S, E any](filter motion.Filter[S, E], params *motion.Params, scans []mtt.Scan, model costgen.Leveled) func([]chain.Node) float64 {
	return newRefiner(filter, params, chain.New(scans), scans, nil, model, &Options{}).movers[0].track
}

// track is the price of a track, or of a detection by itself.
func (m *mover[S, E]) track(path []chain.Node) float64 {
	if len(path) == 1 {
		return m.alone(path[0])
	}
	return m.whole(path)
}
