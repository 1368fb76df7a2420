package verify

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
)

// This file checks every headline number of solve.json.

// A Solve is what solve.json says. Numbers that it lacks are NaN, or nil.
type Solve struct {
	Status    string
	Lower     float64
	Certified float64 // the part of Lower that the multipliers prove
	Upper     float64
	Gap       float64 // %

	// Proof says what Lower rests on: ByPrices, the multipliers of the certificate; BySearch,
	// on what the engine has ruled out case by case besides, which no file holds; "": there
	// is no bound.
	Proof string

	Arcs, Triplets, Tracks, RefinedLinks *int

	Sums Sums
}

// Values of Solve.Proof.
const (
	ByPrices = "prices"
	BySearch = "search"
)

// Sums are the links of a chain: the SHA-256, in hexadecimal digits, of the bytes of
// detections.csv and tracks.csv, of the problem that was made of the detections (see
// certificate.ProblemSum), and of the bytes of certificate.bin, margins.csv and graph.npz.
type Sums struct {
	Detections  string `json:"detections"`
	Tracks      string `json:"tracks"`
	Costs       string `json:"costs,omitempty"`       // "": there is no certificate
	Certificate string `json:"certificate,omitempty"` // likewise
	Margins     string `json:"margins,omitempty"`     // of margins.csv; "": there is none
	Graph       string `json:"graph,omitempty"`       // of graph.npz; "": there is none
}

// statuses are those that an engine can end with.
var statuses = []string{"optimal", "within-gap", "stalled", "iteration-limit", "effort-limit", "interrupted", "heuristic"}

// solve checks what solve.json says.
func (c *checker) solve() {
	s := c.Solve
	if s == nil {
		return
	}
	c.chain(&s.Sums)
	if !slices.Contains(statuses, s.Status) {
		c.problem("solve.json: the status %q is none", s.Status)
	}
	for _, n := range []struct {
		name  string
		claim *int
		found int
		known bool
	}{
		{"tracks", s.Tracks, c.res.Tracks, true},
		{"arcs", s.Arcs, c.res.Arcs, c.res.Certified},
		{"triplets", s.Triplets, c.res.Triplets, c.res.Certified},
		{"refined_links", s.RefinedLinks, c.res.RefinedLinks, c.res.Certified && !math.IsNaN(c.res.UpperBound)},
	} {
		switch {
		case n.known && n.claim == nil:
			c.problem("solve.json does not say %s", n.name)
		case n.known && *n.claim != n.found:
			c.problem("solve.json says %d %s, there are %d", *n.claim, n.name, n.found)
		}
	}
	if !c.res.Certified {
		c.unbounded(s)
		return
	}
	for name, x := range map[string]float64{"lower_bound": s.Lower, "certified_bound": s.Certified, "upper_bound": s.Upper, "gap_percent": s.Gap} {
		if math.IsNaN(x) {
			c.problem("solve.json does not say %s", name)
		}
	}
	c.compare(&Claim{"solve.json", s.Certified, s.Upper})
	c.bounds(s)
}

// chain follows the chain from the detections to the certificate.
func (c *checker) chain(s *Sums) {
	for _, l := range []struct {
		name, file, claim string
		found             []byte
		there             bool
	}{
		{"detections.csv", "detections.csv", s.Detections, c.DetectionsSum[:], true},
		{"tracks.csv", "tracks.csv", s.Tracks, c.TracksSum[:], true},
		{"the costs in certificate.bin", "certificate.bin", s.Costs, c.costs[:], c.Certificate != nil},
		{"certificate.bin", "certificate.bin", s.Certificate, c.whole[:], c.Certificate != nil},
		{"graph.npz", "graph.npz", s.Graph, c.GraphSum[:], c.Graph != nil},
		{"margins.csv", "margins.csv", s.Margins, c.MarginsSum[:], c.Margins != nil && c.Margins.Rows != nil},
	} {
		switch {
		case l.there && l.claim != hex.EncodeToString(l.found):
			c.problem("solve.json was not made with %s as they are: the SHA-256 is %x…, not %.16s…", l.name, l.found[:8], l.claim)
		case !l.there && l.claim != "":
			c.problem("solve.json was made with a %s, which is not there", l.file)
			return
		}
	}
}

// unbounded checks that nothing is said that a certificate would have to prove.
func (c *checker) unbounded(s *Solve) {
	if s.Proof != "" || !math.IsNaN(s.Lower) || !math.IsNaN(s.Certified) || !math.IsNaN(s.Gap) || s.Status == "optimal" || s.Status == "within-gap" {
		c.problem("solve.json claims status %s, lower bound %v and gap %v %%, and there is no certificate that proves them", s.Status, s.Lower, s.Gap)
	}
}

// bounds checks lower bound, gap and status, which belong together.
func (c *checker) bounds(s *Solve) {
	gap := 100 * (s.Upper - s.Lower) / math.Abs(s.Upper)
	if s.Upper == s.Lower {
		gap = 0
	}
	if !(math.Abs(gap-s.Gap) <= 1e-7*(1+math.Abs(gap))) && !(s.Upper-s.Lower <= c.rounding()) {
		c.problem("solve.json says a gap of %v %%, its bounds make %v %%", s.Gap, gap)
	} else if s.Gap > 1e-7*(1+math.Abs(gap)) && s.Upper-s.Lower <= 0 {
		c.problem("solve.json says a gap of %v %%, its bounds make none", s.Gap)
	}
	if s.Lower > s.Upper {
		c.problem("solve.json: the lower bound %v is above the upper bound %v", s.Lower, s.Upper)
	}
	if s.Status == "optimal" && !(s.Upper-s.Lower <= 2e-9*math.Abs(s.Upper)+c.rounding()) {
		c.problem("solve.json says optimal, with bounds of %v and %v", s.Lower, s.Upper)
	}
	if s.Status == "heuristic" {
		c.problem("solve.json says heuristic, and there is a certificate")
	}
	if s.Certified > s.Lower+c.rounding() {
		c.problem("solve.json: the certified bound %v is above the lower bound %v", s.Certified, s.Lower)
	}
	switch {
	case s.Proof != ByPrices && s.Proof != BySearch:
		c.problem("solve.json does not say whether its lower bound rests on prices or on search: %q", s.Proof)
	case s.Proof == ByPrices && c.above(s.Lower):
		c.problem("solve.json claims a lower bound of %v, the multipliers prove %v", s.Lower, c.res.LowerBound)
	case s.Proof == BySearch && c.above(s.Lower):
		c.res.Unproved = append(c.res.Unproved, fmt.Sprintf(
			"lower_bound %v, gap_percent %v and status %s of solve.json rest on search, which the certificate does not hold; its multipliers prove %v",
			s.Lower, s.Gap, s.Status, c.res.LowerBound))
	}
}
