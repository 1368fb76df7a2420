package verify

import (
	"fmt"
	"math"
	"slices"
)

// This file checks margins: how much dearer, at least, every assignment is that decides
// otherwise at a node. The bound is a sum of least values, one for each row and column of a gap
// and one for each matrix; what an option has more than the least value there is its slack. An
// assignment that has another option at row i and another one at column j costs at least
//
//	lower bound + least slack of the others of i + least slack of the others of j
//
// where the slack of an option counts what it has at least in the matrices at its ends, too.
// Every sum is rounded to the safe side.

// Margins are what tracks.csv and margins.csv claim.
type Margins struct {
	Hits [][]float64 // of each track and hit: of the link before it or the birth; NaN: none is claimed
	Rows []MarginRow // of margins.csv; nil: it is not there

	// BySearch says that solve.json does not claim that the multipliers prove all margins: answers were
	// looked for without a decision, or ranked.
	BySearch bool

	// Of the links in Hits, as solve.json has them.
	Min, Median float64
	Links       int
}

// A MarginRow is a line of margins.csv: a detection and what it has before and after it.
type MarginRow struct {
	Frame, Det    int
	Before, After MarginSide
}

// A MarginSide is the detection that is linked, -1 and -1 for none, and bounds on what every other
// answer costs more: at least Least, and for one that was found Most. NaN: not claimed.
type MarginSide struct {
	Frame, Det  int
	Least, Most float64
}

// slacks are what the options of a gap cost more than the least there, at least.
type slacks struct {
	arc          []float64
	death, birth []float64
}

// spare are the slacks of the decisions at each detection, in place of the one of the assignment.
type spare struct{ before, after []float64 }

// freeSpare is one that knows nothing: NaN in the first and last frame, where there is no decision.
func freeSpare(detections int) *spare {
	return &spare{slices.Repeat([]float64{math.NaN()}, detections), slices.Repeat([]float64{math.NaN()}, detections)}
}

// reduce sets the slacks of gap t that its prices make.
func (p *proof) reduce() {
	g, s := &p.gap, &p.slack
	s.arc, s.death, s.birth = sized(s.arc, len(g.Col)), sized(s.death, g.Rows), sized(s.birth, g.Cols)
	for j := range g.Cols {
		s.birth[j] = addDown(birth(g, j), -p.price[j])
	}
	for i := range g.Rows {
		miss := death(g, i)
		least := miss
		for a := g.Ptr[i]; a < g.Ptr[i+1]; a++ {
			s.arc[a] = p.reduced(a)
			least = min(least, s.arc[a])
		}
		s.death[i] = addDown(miss, -least)
		for a := g.Ptr[i]; a < g.Ptr[i+1]; a++ {
			s.arc[a] = addDown(s.arc[a], -least)
		}
	}
}

// sized is s with n elements, which may be anything.
func sized(s []float64, n int) []float64 { return slices.Grow(s[:0], n)[:n] }

// combine adds the slacks of the matrix of node j to those of its in-arcs in, of its out-arcs, and of its
// birth and death; rows and columns are its least entries, least the least of all.
func (p *proof) combine(j int, in []int32, rows, columns []float64, least float64) {
	more := func(to *float64, x float64) { *to = addDown(*to, addDown(x, -least)) }
	for r, a := range in {
		more(&p.leftSlack.arc[a], rows[r])
	}
	more(&p.leftSlack.birth[j], rows[len(in)])
	lo, hi := p.gap.Ptr[j], p.gap.Ptr[j+1]
	for a := lo; a < hi; a++ {
		more(&p.slack.arc[a], columns[a-lo])
	}
	more(&p.slack.death[j], columns[hi-lo])
}

// others notes the slacks of other decisions in gap t, the left one, whose own are complete.
// That of a link is kept before its end.
func (p *proof) others(t int) {
	g, s, into := &p.left, &p.leftSlack, p.into
	least := make([]float64, g.Cols)
	for j, a := range into {
		if least[j] = math.Inf(1); a >= 0 {
			least[j] = s.birth[j]
		}
	}
	rows := make([]float64, g.Rows)
	for i, chosen := range g.Next {
		if rows[i] = math.Inf(1); chosen >= 0 {
			rows[i] = s.death[i]
		}
		for a := g.Ptr[i]; a < g.Ptr[i+1]; a++ {
			if int32(a) != chosen {
				rows[i], least[g.Col[a]] = min(rows[i], s.arc[a]), min(least[g.Col[a]], s.arc[a])
			}
		}
	}
	for i, a := range g.Next {
		if a >= 0 {
			least[g.Col[a]] = addDown(least[g.Col[a]], rows[i])
		}
	}
	copy(p.spare.after[p.dets.Base[t]:p.dets.Base[t+1]], rows)
	copy(p.spare.before[p.dets.Base[t+1]:p.dets.Base[t+2]], least)
}

// margins checks what is claimed, when all gaps are done. A claim that is not higher than what the claimed
// bounds say of every decision rests on them.
func (p *proof) margins() {
	m := p.Margins
	if m == nil || p.spare == nil {
		return
	}
	if !p.same || p.broken || p.infeasible {
		p.problem("margins are claimed, and the certificate has no assignment that they could be of")
		return
	}
	known := addDown(p.res.LowerBound, -p.res.UpperBound)
	floor := known
	if p.Solve != nil && !math.IsNaN(p.Solve.Lower-p.Solve.Upper) {
		floor = max(floor, p.Solve.Lower-p.Solve.Upper)
	}
	from := p.nobody()
	for d, to := range p.inCert {
		if to != none {
			from[to] = d
			p.spare.after[d] = p.spare.before[to]
		}
	}
	c := &marginCheck{proof: p, known: known, floor: floor}
	c.hits(from)
	c.rows(from)
	c.headline()
	if c.bySearch > 0 {
		c.res.Unproved = append(c.res.Unproved, fmt.Sprintf("%d of %d margins rest on search: the multipliers prove less", c.bySearch, c.res.Margins))
	}
}

// marginCheck counts what holds.
type marginCheck struct {
	*proof
	known, floor float64 // what the certificate and solve.json say of any decision
	bySearch     int     // claims that go beyond what the multipliers prove
}

// claim checks one margin against the slack of the other decisions.
func (c *marginCheck) claim(margin, slack float64, where string, frame, det int) {
	proved := addDown(c.known, slack)
	if math.IsNaN(slack) {
		c.problem("%s: frame %d, detection %d: a margin of %v where there is no decision", where, frame, det, margin)
		return
	}
	c.res.Margins++
	if margin <= proved || margin-proved <= c.rounding() {
		c.res.MarginsProved++
		return
	}
	switch {
	case margin <= c.floor: // rests on the bounds of solve.json
	case math.IsNaN(margin) || math.IsInf(margin, 1) || !c.Margins.BySearch:
		c.problem("%s: frame %d, detection %d: a margin of %v is claimed, the multipliers prove %v", where, frame, det, margin, proved)
	default:
		c.bySearch++
	}
}

// hits checks the column of tracks.csv.
func (c *marginCheck) hits(from []int) {
	if len(c.Margins.Hits) != len(c.Tracks) {
		c.problem("tracks.csv: there are margins of %d tracks, and %d tracks", len(c.Margins.Hits), len(c.Tracks))
		return
	}
	for k := range c.Tracks {
		hits := c.Tracks[k].Hits
		if len(c.Margins.Hits[k]) != len(hits) {
			c.problem("tracks.csv: track %d has %d margins and %d detections", c.Tracks[k].ID, len(c.Margins.Hits[k]), len(hits))
			return
		}
		before := none
		for h, margin := range c.Margins.Hits[k] {
			d, ok := c.detection(hits[h].Frame, hits[h].Det)
			if !ok {
				return // tracks has said so
			}
			switch same := from[d] == before; {
			case math.IsNaN(margin):
			case !same:
				c.problem("tracks.csv: frame %d, detection %d: a margin of %v, but this link is not that of the certificate", hits[h].Frame, hits[h].Det, margin)
			default:
				c.claim(margin, c.spare.before[d], "tracks.csv", hits[h].Frame, hits[h].Det)
			}
			before = d
		}
	}
}

// detection is the number of a detection.
func (c *checker) detection(frame, det int) (int, bool) {
	t, ok := c.scan(frame)
	if !ok || det < 0 || det >= c.dets.len(t) {
		return none, false
	}
	return c.dets.Base[t] + det, true
}

// rows checks margins.csv: one line for each detection, with the links of the assignment.
func (c *marginCheck) rows(from []int) {
	rows := c.Margins.Rows
	if rows == nil {
		return
	}
	if len(rows) != len(c.inCert) {
		c.problem("margins.csv has %d lines, there are %d detections", len(rows), len(c.inCert))
		return
	}
	k := 0
	for t, frame := range c.dets.Frames {
		for i := range c.dets.len(t) {
			r, d := &rows[k], k
			k++
			if r.Frame != frame || r.Det != i {
				c.problem("margins.csv: line %d is of frame %d, detection %d, want frame %d, detection %d", k+1, r.Frame, r.Det, frame, i)
				return
			}
			c.side(r, &r.Before, from[d], c.spare.before[d])
			c.side(r, &r.After, c.inCert[d], c.spare.after[d])
		}
	}
}

// side checks one side of a detection, which is linked to another one there or to none.
func (c *marginCheck) side(r *MarginRow, s *MarginSide, linked int, slack float64) {
	other := none
	if s.Frame != none || s.Det != none {
		var ok bool
		if other, ok = c.detection(s.Frame, s.Det); !ok {
			other = -2
		}
	}
	if other != linked {
		c.problem("margins.csv: frame %d, detection %d: it is not linked to detection %d of frame %d in the certificate", r.Frame, r.Det, s.Det, s.Frame)
		return
	}
	if !math.IsNaN(s.Least) {
		c.claim(s.Least, slack, "margins.csv", r.Frame, r.Det)
	}
	if least := addDown(c.known, slack); !math.IsNaN(s.Most) && !(s.Most-least >= -c.rounding()) {
		c.problem("margins.csv: frame %d, detection %d: an answer is said to decide otherwise for %v more, every one costs %v more", r.Frame, r.Det, s.Most, least)
	}
}

// headline checks the least and the median margin of solve.json.
func (c *checker) headline() {
	m := c.Margins
	var links []float64
	for _, of := range m.Hits {
		for _, x := range of[min(1, len(of)):] {
			if !math.IsNaN(x) && !math.IsInf(x, 0) {
				links = append(links, x)
			}
		}
	}
	slices.Sort(links)
	if m.Links != len(links) {
		c.problem("solve.json says %d links with margins, there are %d", m.Links, len(links))
	} else if n := len(links); n > 0 && (m.Min != links[0] || m.Median != links[n/2]) {
		c.problem("solve.json says margins of %v at least and %v in the middle, tracks.csv has %v and %v", m.Min, m.Median, links[0], links[n/2])
	}
}
