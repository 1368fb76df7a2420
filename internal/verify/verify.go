package verify

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math"

	"mtt"
)

// This file defines Check, what it takes and what it tells.

// An Input is what the files say.
type Input struct {
	Detections *Detections // of detections.csv; nil: those of Scans
	Scans      []mtt.Scan  // of detections.csv, ascending frames; may be missing where there are Detections and no Pricing
	Tracks     []mtt.Track // of tracks.csv, ascending identities

	DetectionsSum, TracksSum [sha256.Size]byte // of the bytes of both files

	// Certificate is nil where there is none. Where it is an io.Seeker it is read again when
	// the tracks are not those of the assignment, for what they cost.
	Certificate io.Reader
	Graph       *GraphInput // of tracks that divide, in place of a certificate; nil: there is none
	GraphSum    [sha256.Size]byte
	Claims      []Claim // bounds that other files claim
	Solve       *Solve  // what solve.json says; nil: it is not checked

	Margins    *Margins // nil: none are claimed
	MarginsSum [sha256.Size]byte

	// Pricing, where it is not nil, has the costs of the certificate, then an io.Seeker, made
	// anew from the detections.
	Pricing *Pricing
}

// A Claim is a pair of bounds, NaN where there is none.
type Claim struct {
	Source       string // where it stands
	Lower, Upper float64
}

// A Result is what was found. Without a certificate, or with one that cannot be
// read or has no valid assignment, bounds are NaN.
type Result struct {
	Valid    bool
	Problems []string // the first of them, in the order of the checks

	Certified    bool    // a certificate was there
	Made         string  // by which program
	LowerBound   float64 // no assignment costs less
	UpperBound   float64 // the certificate's assignment costs no more
	GapPercent   float64 // 100·(UpperBound − LowerBound)/|UpperBound|; 0 where that is rounding
	Arcs         int     // between detections of consecutive frames
	Triplets     int     // pairs of arcs that meet in a detection
	Tracks       int
	Links        int // pairs of consecutive detections of a track
	RefinedLinks int // detections whose successor differs from that in the assignment

	// TracksCost is what the tracks cost under the costs of the certificate, rounded upwards:
	// UpperBound where they are the assignment; NaN where that is not known, or where Unpriced
	// of their links are among those that the certificate does not know.
	TracksCost float64
	Unpriced   int

	// Margins is the number of margins that are claimed, MarginsProved how many of them the multipliers
	// prove.
	Margins, MarginsProved int

	// Recomputed is the number of costs that were made anew, RecomputedWorst by how much one of
	// them differs at most, over 1 + its magnitude; NotRecomputed says what cannot be made anew.
	Recomputed      int
	RecomputedWorst float64
	NotRecomputed   string

	// Unproved says what solve.json claims beyond what the certificate can prove, and says
	// so itself.
	Unproved []string
}

// Status is what the certificate shows: "optimal" where the bounds meet to a part in 1e9,
// "bounded" where they do not, and "heuristic" without bounds.
func (r *Result) Status() string {
	switch {
	case math.IsNaN(r.LowerBound) || math.IsNaN(r.UpperBound):
		return "heuristic"
	case r.UpperBound-r.LowerBound <= 1e-9*math.Abs(r.UpperBound):
		return "optimal"
	}
	return "bounded"
}

// maxProblems is how many problems are listed; one fault can cause millions.
const maxProblems = 20

// Check checks the tracks, and the certificate when there is one. The error is
// that of ctx; whatever is wrong with the files is a problem in the result. It
// takes time and memory proportional to the detections, and for the certificate
// a few operations for each number but the memory of two gaps only.
func Check(ctx context.Context, in *Input) (*Result, error) {
	c := &checker{Input: in}
	c.res = Result{LowerBound: math.NaN(), UpperBound: math.NaN(), GapPercent: math.NaN(), TracksCost: math.NaN()}
	c.number()
	c.tracks()
	if in.Certificate != nil {
		c.res.Certified = true
		if err := c.certificate(ctx); err != nil {
			return nil, err
		}
	}
	if in.Graph != nil {
		c.res.Certified = true
		if err := c.lineages(); err != nil {
			c.problem("graph.npz: %v", err)
		}
	}
	if in.Margins != nil && in.Certificate == nil && in.Graph == nil {
		c.problem("margins are claimed, and there is no certificate that proves them")
	}
	if in.Pricing != nil && in.Certificate != nil && c.count == 0 {
		if err := c.recompute(ctx); err != nil {
			return nil, err
		}
	}
	c.claims()
	c.solve()
	c.res.Valid = c.count == 0
	if more := c.count - maxProblems; more > 0 {
		c.res.Problems = append(c.res.Problems, fmt.Sprintf("and %d more", more))
	}
	return &c.res, nil
}

// A checker is the state of Check.
type checker struct {
	*Input
	res   Result
	count int // problems

	dets    *Detections
	inTrack []int // of each detection: its successor in its track; -1: none
	inCert  []int // likewise, in the assignment

	bound, cost sum // of the certificate

	leap         map[int]int32     // detection → first coast node on the way to its successor in its track
	costs, whole [sha256.Size]byte // of the problem and of certificate.bin
}

// none is "no detection".
const none = -1

// problem notes something that is wrong.
func (c *checker) problem(format string, args ...any) {
	if c.count++; c.count <= maxProblems {
		c.res.Problems = append(c.res.Problems, fmt.Sprintf(format, args...))
	}
}

// number gives every detection a number of its own.
func (c *checker) number() {
	if c.dets = c.Detections; c.dets == nil {
		c.dets = NewDetections(c.Scans)
	}
	c.inTrack, c.inCert = c.nobody(), c.nobody()
}

// nobody is "none" for every detection.
func (c *checker) nobody() []int {
	s := make([]int, c.dets.Base[len(c.dets.Frames)])
	for i := range s {
		s[i] = none
	}
	return s
}

// claims compares what is claimed with what was found.
func (c *checker) claims() {
	for i := range c.Claims {
		claim := &c.Claims[i]
		if !c.res.Certified && !math.IsNaN(claim.Lower) {
			c.problem("%s claims a lower bound of %v, and there is no certificate that proves it", claim.Source, claim.Lower)
		}
		c.compare(claim)
	}
}

// compare reports a claim that goes beyond what was found.
func (c *checker) compare(claim *Claim) {
	if c.above(claim.Lower) {
		c.problem("%s claims a lower bound of %v, the multipliers prove %v", claim.Source, claim.Lower, c.res.LowerBound)
	}
	if !math.IsNaN(claim.Upper) && c.res.Certified && !(math.Abs(claim.Upper-c.res.UpperBound) <= c.rounding()) {
		c.problem("%s claims a cost of %v, the assignment costs %v", claim.Source, claim.Upper, c.res.UpperBound)
	}
}

// above says whether a lower bound is claimed that is not proved.
func (c *checker) above(lower float64) bool {
	return !math.IsNaN(lower) && c.res.Certified && !(lower-c.res.LowerBound <= c.rounding())
}

// rounding is how much the program that claims may be off: a part in 1e9 of the
// objective, and one in 1e11 of the costs that the assignment adds up. Multipliers, which
// may be anything, do not widen it.
func (c *checker) rounding() float64 {
	return 1e-9*math.Abs(c.res.UpperBound) + 1e-11*c.cost.mass
}
