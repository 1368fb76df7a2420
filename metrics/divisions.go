package metrics

import "slices"

// This file scores tracks that divide: division events, and what the Cell Tracking Challenge measures.

// DivisionScores are the scores of tracks with parents; they are there where truth or tracks have
// any. As for links, only detected hits count, where the truth says which are. All are percentages.
//
// A division is a track that is the parent of two or more. One of the tracks is right where it has
// as many daughters as a true one, ends within so many frames of it, and
//
//   - the hit with which the earlier of the two ends is one of the other as well, and
//   - the first hit of each daughter after both have ended is one of a true daughter.
//
// That is what the reference implementation [1] matches. Precision and recall are shares of right
// divisions, BC(i), branching correctness, is their harmonic mean with i frames [2]. [1] asks for a
// hit of each daughter in the very next frame, which here may be missed.
//
// The other measures compare graphs whose vertices are hits and whose edges join consecutive hits
// of a track, and the last hit of a parent with the first of each daughter. Weighed by what their
// correction takes [3]: a missing vertex 10, a false one 1, a false edge between vertices that are
// right 1, a missing edge 1.5, an edge of the wrong kind, link or parenthood, 1. Vertices that
// stand for several cells, at 5, do not occur in points. With AOGM the sum of all, and of those of
// vertices (D) and of edges (A),
//
//	DET = 1 − min(AOGM_D, 10·V)/10·V    LNK = 1 − min(AOGM_A, 1.5·E)/1.5·E    TRA = 1 − min(AOGM, m)/m,  m = 10·V + 1.5·E,
//
// V and E being those of the truth. Complete tracks are CT = 2·C/(targets + tracks), C targets having a track
// with their hits and no other [2].
//
// [1] T. Kaiser et al. CHOTA: A higher order accuracy metric for cell tracking. ECCV Workshops
// 2024; py-ctcmetrics. [2] V. Ulman et al. An objective comparison of cell-tracking algorithms.
// Nature Methods 14, 2017. [3] P. Matula et al. Cell tracking accuracy measurement based on
// comparison of acyclic oriented graphs. PLoS ONE 10(12), 2015.
type DivisionScores struct {
	DivisionPrecision float64 `json:"division_precision"` // with Options.DivisionFrames
	DivisionRecall    float64 `json:"division_recall"`
	BC0               float64 `json:"bc0"`
	BC1               float64 `json:"bc1"`
	BC2               float64 `json:"bc2"`
	BC3               float64 `json:"bc3"`
	CT                float64 `json:"ct"`
	DET               float64 `json:"det"`
	LNK               float64 `json:"lnk"`
	TRA               float64 `json:"tra"`

	TrueDivisions  int                    `json:"true_divisions"`
	TrackDivisions int                    `json:"track_divisions"`
	RightDivisions [maxDivisionFrames]int `json:"right_divisions"` // within 0, 1, 2 and 3 frames

	Graph graphErrors `json:"graph_errors"`
}

// maxDivisionFrames is the number of tolerances, from 0 frames on.
const maxDivisionFrames = 4

// graphErrors counts what is wrong with a graph, and of what.
type graphErrors struct {
	Targets  int `json:"targets"`
	Tracks   int `json:"tracks"`
	Complete int `json:"complete"` // targets
	Vertices int `json:"vertices"` // of the truth
	Edges    int `json:"edges"`    // likewise

	MissingVertices int `json:"missing_vertices"`
	FalseVertices   int `json:"false_vertices"`
	MissingEdges    int `json:"missing_edges"`
	FalseEdges      int `json:"false_edges"`
	WrongKind       int `json:"wrong_kind"` // edges that are links and should be parenthoods, or the reverse
}

// finish computes the rates from the counts.
func (d *DivisionScores) finish(o *Options) {
	d.DivisionPrecision = percent(d.RightDivisions[o.DivisionFrames], d.TrackDivisions)
	d.DivisionRecall = percent(d.RightDivisions[o.DivisionFrames], d.TrueDivisions)
	for i, bc := range []*float64{&d.BC0, &d.BC1, &d.BC2, &d.BC3} {
		*bc = percent(2*d.RightDivisions[i], d.TrackDivisions+d.TrueDivisions)
	}
	g := &d.Graph
	d.CT = percent(2*g.Complete, g.Targets+g.Tracks)
	vertices, edges := float64(10*g.MissingVertices+g.FalseVertices), float64(g.FalseEdges)+1.5*float64(g.MissingEdges)+float64(g.WrongKind)
	score := func(errors, all float64) float64 {
		if all == 0 {
			return 0
		}
		return 100 * (1 - min(errors, all)/all)
	}
	v, e := 10*float64(g.Vertices), 1.5*float64(g.Edges)
	d.DET, d.LNK, d.TRA = score(vertices, v), score(edges, e), score(vertices+edges, v+e)
}

// add adds the counts of e.
func (d *DivisionScores) add(e *DivisionScores) {
	d.TrueDivisions += e.TrueDivisions
	d.TrackDivisions += e.TrackDivisions
	for i, n := range e.RightDivisions {
		d.RightDivisions[i] += n
	}
	g, h := &d.Graph, &e.Graph
	for _, x := range []struct {
		to   *int
		from int
	}{
		{&g.Targets, h.Targets}, {&g.Tracks, h.Tracks}, {&g.Complete, h.Complete}, {&g.Vertices, h.Vertices}, {&g.Edges, h.Edges},
		{&g.MissingVertices, h.MissingVertices}, {&g.FalseVertices, h.FalseVertices}, {&g.MissingEdges, h.MissingEdges},
		{&g.FalseEdges, h.FalseEdges}, {&g.WrongKind, h.WrongKind},
	} {
		*x.to += x.from
	}
}

// divides reports whether a track has a parent.
func (s *side) divides() bool {
	for k := range s.of {
		if s.of[k].Parent != 0 {
			return true
		}
	}
	return false
}

// A pedigree is one side with what its parents say.
type pedigree struct {
	*side
	same      []int32   // of each hit: that of the other side, none or skip
	daughters [][]int32 // tracks of each track
	mother    []int32   // track of each track; none
	edges     map[[2]int32]bool
}

// newPedigree indexes a side. An edge, between two hits, maps to whether it joins a parent and a daughter.
func newPedigree(s *side, same []int32) *pedigree {
	p := &pedigree{side: s, same: same, daughters: make([][]int32, len(s.of)), edges: make(map[[2]int32]bool)}
	of := make(map[int]int32, len(s.of))
	for k := range s.of {
		of[s.of[k].ID] = int32(k)
		p.mother = append(p.mother, none)
		last := int32(none)
		for hit := s.base[k]; hit < s.base[k+1]; hit++ {
			if same[hit] == skip {
				continue
			}
			if last != none {
				p.edges[[2]int32{last, hit}] = false
			}
			last = hit
		}
	}
	for k := range s.of {
		mother, ok := of[s.of[k].Parent]
		if first := p.first(int32(k), -1); s.of[k].Parent != 0 && ok && first != none {
			p.daughters[mother] = append(p.daughters[mother], int32(k))
			p.mother[k] = mother
			if last := p.last(mother); last != none {
				p.edges[[2]int32{last, first}] = true
			}
		}
	}
	return p
}

// frameOf is the frame of a hit.
func (p *pedigree) frameOf(hit int32) int {
	k := p.track[hit]
	return p.of[k].Hits[hit-p.base[k]].Frame
}

// first is the first detected hit of track k after a frame; none: there is none.
func (p *pedigree) first(k int32, after int) int32 {
	for hit := p.base[k]; hit < p.base[k+1]; hit++ {
		if p.same[hit] != skip && (after < 0 || p.frameOf(hit) > after) {
			return hit
		}
	}
	return none
}

// last is the last detected hit of track k.
func (p *pedigree) last(k int32) int32 {
	for hit := p.base[k+1] - 1; hit >= p.base[k]; hit-- {
		if p.same[hit] != skip {
			return hit
		}
	}
	return none
}

// divisions are the tracks with two daughters or more, and a hit.
func (p *pedigree) divisions() (list []int32) {
	for k, d := range p.daughters {
		if len(d) > 1 && p.last(int32(k)) != none {
			list = append(list, int32(k))
		}
	}
	return list
}

// scoreDivisions compares both sides, whose hits are related by own.
func scoreDivisions(s *scene, own *ownership) *DivisionScores {
	truth, tracks := newPedigree(&s.truth, own.truth), newPedigree(&s.tracks, own.tracks)
	d := &DivisionScores{}
	d.countDivisions(truth, tracks)
	d.Graph.count(truth, tracks)
	return d
}

// countDivisions counts divisions, and those that are right.
func (d *DivisionScores) countDivisions(truth, tracks *pedigree) {
	d.TrueDivisions, d.TrackDivisions = len(truth.divisions()), 0
	for _, k := range tracks.divisions() {
		d.TrackDivisions++
		end := tracks.last(k)
		for _, g := range truth.matches(k, tracks) {
			if len(truth.daughters[g]) != len(tracks.daughters[k]) {
				continue
			}
			trueEnd := truth.last(g)
			early, late := tracks.frameOf(end), truth.frameOf(trueEnd)
			joined := tracks.same[end] >= 0 && truth.track[tracks.same[end]] == g
			if late < early {
				early, late = late, early
				joined = truth.same[trueEnd] >= 0 && tracks.track[truth.same[trueEnd]] == k
			}
			for _, x := range tracks.daughters[k] {
				hit := tracks.first(x, late)
				joined = joined && hit != none && tracks.same[hit] >= 0 && truth.mother[truth.track[tracks.same[hit]]] == g
			}
			if !joined {
				continue
			}
			for i := late - early; i < maxDivisionFrames; i++ {
				d.RightDivisions[i]++
			}
		}
	}
}

// matches are the dividing targets that track k of the other side holds a hit of, each once.
func (p *pedigree) matches(k int32, tracks *pedigree) (list []int32) {
	for hit := tracks.base[k]; hit < tracks.base[k+1]; hit++ {
		if same := tracks.same[hit]; same >= 0 {
			if g := p.track[same]; len(p.daughters[g]) > 1 && !slices.Contains(list, g) {
				list = append(list, g)
			}
		}
	}
	return list
}

// count compares the graphs.
func (g *graphErrors) count(truth, tracks *pedigree) {
	for hit := range truth.same {
		switch truth.same[hit] {
		case skip:
			continue
		case none:
			g.MissingVertices++
		}
		g.Vertices++
	}
	for _, same := range tracks.same {
		if same == none {
			g.FalseVertices++
		}
	}
	g.Edges = len(truth.edges)
	for e, kind := range truth.edges {
		found, ok := tracks.edges[[2]int32{truth.same[e[0]], truth.same[e[1]]}]
		switch {
		case !ok:
			g.MissingEdges++
		case found != kind:
			g.WrongKind++
		}
	}
	for e := range tracks.edges {
		a, b := tracks.same[e[0]], tracks.same[e[1]]
		if _, ok := truth.edges[[2]int32{a, b}]; !ok && a >= 0 && b >= 0 {
			g.FalseEdges++
		}
	}
	g.Targets, g.Tracks = truth.seen(), tracks.seen()
	for k := range truth.of {
		if truth.complete(int32(k), tracks) {
			g.Complete++
		}
	}
}

// seen is the number of tracks with a detected hit.
func (p *pedigree) seen() (n int) {
	for k := range p.of {
		if p.first(int32(k), -1) != none {
			n++
		}
	}
	return n
}

// complete reports whether a track has the hits of target k and no other.
func (p *pedigree) complete(k int32, tracks *pedigree) bool {
	holder, n := int32(none), 0
	for hit := p.base[k]; hit < p.base[k+1]; hit++ {
		switch same := p.same[hit]; {
		case same == skip:
			continue
		case same == none || holder != none && tracks.track[same] != holder:
			return false
		default:
			holder = tracks.track[same]
			n++
		}
	}
	if holder == none {
		return false
	}
	for hit := tracks.base[holder]; hit < tracks.base[holder+1]; hit++ {
		if tracks.same[hit] != skip {
			n--
		}
	}
	return n == 0
}
