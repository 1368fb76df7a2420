package verify

import "math"

// This file checks tracks that divide against the graph that they are the answer of.

// lineages checks the graph, and that its answer is what the tracks say: its detections are those
// of detections.csv, one scan after the other; an arc alone at its tail is a link of a track, and
// of two the tail ends a track, which is the parent of those that begin at their heads.
func (c *checker) lineages() error {
	g, err := readGraph(c.Graph.File)
	if err != nil {
		return err
	}
	c.Graph.BySearch = c.Margins != nil && c.Margins.BySearch
	res := g.check(c.Graph)
	for _, p := range res.Problems {
		c.problem("graph.npz: %s", p)
	}
	c.res.Unproved = append(c.res.Unproved, res.Unproved...)
	if !res.Valid {
		return nil
	}
	c.res.LowerBound, c.res.UpperBound, c.res.GapPercent = res.LowerBound, res.UpperBound, res.GapPercent
	c.res.Arcs, c.res.Margins, c.res.MarginsProved = len(g.cost), res.Margins, res.MarginsProved
	c.res.Made, c.res.TracksCost = "tracks that divide", res.UpperBound
	c.cost.mass = g.mass()
	if len(g.frame) != len(c.inTrack) {
		c.problem("graph.npz has %d detections, detections.csv has %d", len(g.frame), len(c.inTrack))
		return nil
	}
	for t := range c.dets.Frames {
		for d := c.dets.Base[t]; d < c.dets.Base[t+1]; d++ {
			if g.frame[d] != float64(t) {
				c.problem("graph.npz: detection %d is of scan %v, in detections.csv of %d", d, g.frame[d], t)
				return nil
			}
		}
	}
	c.descent(g)
	if c.Margins != nil {
		c.sure(g.before())
	}
	return nil
}

// sure compares the margins in tracks.csv with those of the graph, nil: there are none.
func (c *checker) sure(known []float64) {
	for k := range c.Tracks {
		for h, hit := range c.Tracks[k].Hits {
			if k >= len(c.Margins.Hits) || h >= len(c.Margins.Hits[k]) {
				continue // none is claimed
			}
			x := c.Margins.Hits[k][h]
			if d := c.at(hit.Frame, hit.Det); !math.IsNaN(x) && d != none && (known == nil || !(x <= known[d])) {
				c.problem("tracks.csv: track %d: frame %d, detection %d has a margin of %v, graph.npz does not say so", c.Tracks[k].ID, hit.Frame, hit.Det, x)
			}
		}
	}
	c.headline()
}

// descent compares the tracks with the chosen arcs of g.
func (c *checker) descent(g *graph) {
	outs := make([]int, len(g.frame))
	for a, x := range g.chosen {
		if x == 1 {
			outs[int(g.tail[a])]++
		}
	}
	begins, ends := make(map[int]int), make(map[int]int) // detection → track in the list
	for k := range c.Tracks {
		hits := c.Tracks[k].Hits
		if len(hits) > 0 {
			first, last := c.at(hits[0].Frame, hits[0].Det), c.at(hits[len(hits)-1].Frame, hits[len(hits)-1].Det)
			begins[first], ends[last] = k, k
		}
	}
	links, daughters := 0, 0
	for a, x := range g.chosen {
		i, j := int(g.tail[a]), int(g.head[a])
		if x != 1 {
			continue
		}
		if outs[i] == 1 {
			if links++; c.inTrack[i] != j {
				c.problem("graph.npz: detection %d goes on with %d, in tracks.csv it does not", i, j)
			}
			continue
		}
		daughters++
		mother, ended := ends[i]
		daughter, begun := begins[j]
		if !ended || !begun || c.Tracks[daughter].Parent != c.Tracks[mother].ID {
			c.problem("graph.npz: detection %d divides, one daughter being %d; in tracks.csv the track of that has another parent, or none", i, j)
		}
	}
	if links != c.res.Links {
		c.problem("tracks.csv has %d links, the answer in graph.npz has %d", c.res.Links, links)
	}
	for k := range c.Tracks {
		if c.Tracks[k].Parent != 0 {
			daughters--
		}
	}
	if daughters != 0 {
		c.problem("graph.npz and tracks.csv differ by %v daughters", math.Abs(float64(daughters)))
	}
}

// at is the number of a detection; none where there is no such scan.
func (c *checker) at(frame, det int) int {
	if t, ok := c.scan(frame); ok {
		return c.dets.Base[t] + det
	}
	return none
}
