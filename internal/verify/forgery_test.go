package verify

// This file forges: what a certificate and solve.json claim is changed at random, with the
// checksums made to fit, and must be refused unless it is still true. What is true is found
// by enumeration.

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
	"mtt/internal/certificate"
	"mtt/internal/nightly"
)

// A dossier is all that a run says about itself.
type dossier struct {
	c       *certificate.Certificate
	scans   []mtt.Scan
	tracks  []mtt.Track
	solve   Solve
	margins *Margins // nil: none
}

// honest is the dossier of a random small problem.
func honest(t *testing.T, rng *rand.Rand) *dossier {
	c := randomInstance(rng, 2+rng.IntN(3), rng.NormFloat64)
	ascend(t, c)
	c.Lower = min(c.Lower, c.Upper)
	d := &dossier{c: c, scans: scansOf(c)}
	d.tracks = tracksOf(c, d.scans)
	res := d.verdict(t)
	gap := 100 * (c.Upper - c.Lower) / math.Abs(c.Upper)
	if c.Upper == c.Lower {
		gap = 0
	}
	d.solve = Solve{Status: "stalled", Lower: c.Lower, Certified: c.Lower, Upper: c.Upper, Gap: gap, Proof: ByPrices,
		Arcs: new(res.Arcs), Triplets: new(res.Triplets), Tracks: new(res.Tracks), RefinedLinks: new(0)}
	if res.Status() == "optimal" {
		d.solve.Status = "optimal"
	}
	d.seal(t)
	d.solve.Sums.Costs = hex.EncodeToString(d.problemSum())
	return d
}

func (d *dossier) problemSum() []byte {
	s := certificate.NewProblemSum(d.c.Detections, d.c.Frames)
	for p := range d.c.Gaps {
		s.Add(&d.c.Gaps[p])
	}
	sum := s.Sum()
	return sum[:]
}

// bytes is the certificate as a file.
func (d *dossier) bytes(t interface{ Fatal(...any) }) []byte {
	var b bytes.Buffer
	if err := certificate.Write(&b, d.c); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// seal makes the sums fit, but for that of the costs.
func (d *dossier) seal(t *testing.T) {
	sum := sha256.Sum256(d.bytes(t))
	d.solve.Sums.Certificate = hex.EncodeToString(sum[:])
	d.solve.Sums.Detections = hex.EncodeToString(d.c.Detections[:])
	d.solve.Sums.Tracks = hex.EncodeToString(d.c.Tracks[:])
}

// verdict is what Check says.
func (d *dossier) verdict(t *testing.T) *Result {
	in := &Input{Scans: d.scans, Tracks: d.tracks, Certificate: bytes.NewReader(d.bytes(t)), DetectionsSum: d.c.Detections, TracksSum: d.c.Tracks, Margins: d.margins}
	if d.solve.Status != "" {
		in.Solve = &d.solve
	}
	res, err := Check(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// clone copies what forgers change.
func (d *dossier) clone() *dossier {
	e := *d
	c := *d.c
	c.Gaps = slices.Clone(c.Gaps)
	for p := range c.Gaps {
		g := &c.Gaps[p]
		for _, list := range []*[]float64{&g.Cost, &g.RowMiss, &g.ColMiss, &g.D, &g.V, &g.Death, &g.U, &g.Birth, &g.Price} {
			*list = slices.Clone(*list)
		}
		g.Next = slices.Clone(g.Next)
	}
	e.c = &c
	return &e
}

// forge changes something.
func (d *dossier) forge(rng *rand.Rand) string {
	g := &d.c.Gaps[rng.IntN(len(d.c.Gaps))]
	change := func(list []float64) {
		if len(list) == 0 {
			return
		}
		x := &list[rng.IntN(len(list))]
		if *x += rng.NormFloat64() * math.Pow(10, float64(rng.IntN(13)-6)); math.IsNaN(*x) {
			*x = 0
		}
	}
	d.seldom(rng)
	switch rng.IntN(9) {
	case 0:
		lists := [][]float64{g.U, g.V, g.Birth, g.Death, g.Price}
		change(lists[rng.IntN(len(lists))])
		return "multiplier"
	case 1: // V2: what cancels
		m := math.Pow(10, float64(rng.IntN(289)))
		for _, list := range [][]float64{g.U, g.Birth, g.Price} {
			for i := range list {
				list[i] += m
			}
		}
		d.claim(d.solve.Upper)
		return "multipliers that cancel"
	case 2: // V1
		d.claim(d.solve.Upper)
		return "claims"
	case 3:
		d.claim(d.solve.Lower + math.Abs(rng.NormFloat64())*math.Pow(10, float64(rng.IntN(10)-6)))
		return "lower bound"
	case 4:
		d.solve.Upper += rng.NormFloat64() * math.Pow(10, float64(rng.IntN(10)-6))
		d.c.Upper = d.solve.Upper
		d.claim(min(d.solve.Lower, d.solve.Upper))
		return "upper bound"
	case 5:
		if i := rng.IntN(max(1, g.Rows)); i < g.Rows {
			g.Next[i] = int32(rng.IntN(len(g.Col)+1)) - 1
		}
		return "choice"
	case 6: // V3
		lists := [][]float64{g.Cost, g.RowMiss, g.ColMiss, g.D}
		if list := lists[rng.IntN(len(lists))]; rng.IntN(2) == 0 {
			change(list)
		} else {
			for p := range d.c.Gaps {
				clear(d.c.Gaps[p].Cost)
				clear(d.c.Gaps[p].D)
			}
			d.solve.Upper, d.c.Upper = 0, 0
			d.claim(0)
		}
		return "costs"
	case 7: // V4
		d.tracks = slices.Clone(d.tracks)
		if rng.IntN(2) == 0 {
			d.tracks = nil
		} else if len(d.tracks) > 0 {
			k := rng.IntN(len(d.tracks))
			tr := &d.tracks[k]
			if n := len(tr.Hits) - 1; n > 0 {
				tr.Hits, tr.Pos = tr.Hits[:n], tr.Pos[:2*n]
			}
		}
		d.c.Refined = rng.IntN(4) > 0
		d.c.Tracks[0]++
		return "tracks"
	}
	n := []**int{&d.solve.Arcs, &d.solve.Triplets, &d.solve.Tracks, &d.solve.RefinedLinks}[rng.IntN(4)]
	*n = new(**n + 1 - 2*rng.IntN(2))
	return "counts"
}

// seldom makes changes that come with others.
func (d *dossier) seldom(rng *rand.Rand) {
	switch rng.IntN(20) {
	case 0:
		d.solve.Proof = BySearch
	case 1:
		d.solve.Proof = ""
	case 2:
		d.c.Refined = true
	case 3:
		d.solve.Status = "within-gap"
	}
}

// claim claims a lower bound in all places, and what goes with it.
func (d *dossier) claim(lower float64) {
	d.solve.Lower, d.solve.Certified, d.c.Lower = lower, lower, lower
	d.solve.Gap = 0
	if d.solve.Upper != lower {
		d.solve.Gap = 100 * (d.solve.Upper - lower) / math.Abs(d.solve.Upper)
	}
	if d.solve.Gap == 0 {
		d.solve.Status = "optimal"
	}
}

// lie says what of an accepted dossier is not true, "" when all is. The problem was the
// one with the sum costs and the least cost best.
func (d *dossier) lie(res *Result, costs string, best *big.Rat) string {
	tolerance := 1e-8 * (math.Abs(d.solve.Upper) + 1)
	least, _ := best.Float64()
	paid := costOf(d.c)
	switch {
	case hex.EncodeToString(d.problemSum()) != costs:
		return "another problem"
	case paid == nil:
		return "a forbidden assignment"
	case exactly(res.LowerBound).Cmp(best) > 0:
		return "a bound above the optimum is proved"
	case exactly(res.UpperBound).Cmp(paid) < 0:
		return "a cost below that of the assignment"
	case d.c.Lower > least+tolerance:
		return "the certificate's bound"
	case d.solve.Lower > res.LowerBound+tolerance && len(res.Unproved) == 0:
		return "a lower bound beyond what is proved"
	case d.solve.Proof == ByPrices && d.solve.Lower > least+tolerance:
		return "a lower bound above the optimum"
	case d.solve.Status == "optimal" && d.solve.Proof == ByPrices && res.UpperBound > least+tolerance:
		return "optimal, and it is not"
	case *d.solve.Tracks != len(d.tracks):
		return "the number of tracks"
	}
	if off, _ := new(big.Rat).Sub(exactly(d.solve.Upper), paid).Float64(); math.Abs(off) > tolerance {
		return "the upper bound"
	}
	follow := tracksOf(d.c, d.scans)
	same := slices.EqualFunc(follow, d.tracks, func(a, b mtt.Track) bool { return slices.Equal(a.Hits, b.Hits) })
	if !same && *d.solve.RefinedLinks == 0 && len(follow) == len(d.tracks) {
		return "other tracks"
	}
	return ""
}

// TestForgeries: none of many forgeries gets away with what is not true. MTT_TRIALS is
// the number of dossiers, MTT_TIME for how long, MTT_SEED says which.
func TestForgeries(t *testing.T) {
	dossiers, each := 60, 30
	if testing.Short() {
		dossiers = 10
	}
	if nightly.Is() {
		dossiers, each = 4000, 50
	}
	dossiers = nightly.Trials(dossiers)
	seed := nightly.Seed(15)
	rng := rand.New(rand.NewPCG(uint64(seed), 0))
	honestly, forged, refused, wrong := 0, 0, map[string]int{}, map[string]int{}
	for range nightly.Start().Rounds(dossiers, 0, 1) {
		honestly++
		right := honest(t, rng)
		if res := right.verdict(t); !res.Valid {
			t.Fatalf("an honest dossier is refused: %q", res.Problems)
		}
		probe := right.clone()
		best := optimum(probe.c)
		for range each {
			d := right.clone()
			what := d.forge(rng)
			for rng.IntN(3) == 0 {
				what = d.forge(rng)
			}
			d.seal(t)
			forged++
			res := d.verdict(t)
			if !res.Valid {
				refused[what]++
				continue
			}
			if lie := d.lie(res, right.solve.Sums.Costs, best); lie != "" {
				if wrong[what+": "+lie]++; wrong[what+": "+lie] == 1 {
					t.Errorf("accepted, %s: %s\n%+v\n%+v", what, lie, d.solve, res)
				}
			}
		}
	}
	t.Logf("seed %d: %d forgeries of %d dossiers, refused %v, of the others wrong %v", seed, forged, honestly, refused, wrong)
}

// TestTracksCost prices tracks that are not the assignment as their own assignment costs.
func TestTracksCost(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 1))
	refined := 0
	for range 300 {
		d := &dossier{c: randomInstance(rng, 2+rng.IntN(3), integer(rng))}
		ascend(t, d.c)
		d.scans = scansOf(d.c)
		other := d.clone()
		count, pick := 0, 0
		forEach(other.c, func() { count++ })
		pick = rng.IntN(count)
		var want *big.Rat
		forEach(other.c, func() {
			if pick--; pick == -1 {
				want = costOf(other.c)
				d.tracks = tracksOf(other.c, d.scans)
			}
		})
		d.c.Refined = true
		res := d.verdict(t)
		if !res.Valid || res.Unpriced != 0 {
			t.Fatalf("%+v", res)
		}
		if res.RefinedLinks > 0 {
			refined++
		}
		if want == nil {
			if !math.IsNaN(res.TracksCost) {
				t.Errorf("forbidden tracks cost %v", res.TracksCost)
			}
		} else if got := exactly(res.TracksCost); got.Cmp(want) != 0 {
			t.Errorf("tracks cost %v, want %v", got, want)
		}
	}
	if refined < 100 {
		t.Errorf("only %d of the tracks differ from the assignment", refined)
	}
}
