package online

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
)

// This file tracks targets that report one by one, along with their reports.

// reported are reports of ships, each in a scan of its own, and whose each is.
func reported(seed uint64, ships int) (scans []mtt.Scan, of []int) {
	const side = 15_000
	rng := rand.New(rand.NewPCG(seed, 12))
	type report struct {
		time float64
		ship int
		at   []float64
	}
	var all []report
	for i := range ships {
		x, v := [2]float64{side * rng.Float64(), side * rng.Float64()}, [2]float64{5 * rng.NormFloat64(), 5 * rng.NormFloat64()}
		every := 8 + 16*rng.Float64()
		for at := every * rng.Float64(); at < 400; at += every * (0.9 + 0.2*rng.Float64()) {
			all = append(all, report{at, i, []float64{x[0] + v[0]*at + 8*rng.NormFloat64(), x[1] + v[1]*at + 8*rng.NormFloat64()}})
		}
	}
	slices.SortFunc(all, func(a, b report) int { return cmp.Compare(a.time, b.time) })
	for f, r := range all {
		scans, of = append(scans, mtt.Scan{Frame: f, Time: r.time, Dim: 2, Pos: r.at}), append(of, r.ship)
	}
	return scans, of
}

// TestReportsOneByOne: of eight ships twenty reports, the usual warm-up, are two or three of each, and taken for those of one ship. It lasts until they tell ships apart, and
// tracks begin over as many scans as lie between the reports of a ship.
func TestReportsOneByOne(t *testing.T) {
	const ships = 8
	scans, of := reported(1, ships)
	res, err := Track(t.Context(), scans, &Options{Lag: 5})
	if err != nil {
		t.Fatal(err)
	}
	right, wrong := 0, 0
	for _, tr := range res.Tracks {
		for h, hit := range tr.Hits[1:] {
			if of[tr.Hits[h].Frame] == of[hit.Frame] {
				right++
			} else {
				wrong++
			}
		}
	}
	if most := len(scans) - ships; wrong > 0 || right < most-5 {
		t.Errorf("%d reports: %d links are right of %d, %d wrong", len(scans), right, most, wrong)
	}
}

// TestOneReports: who reports alone is seen in the next scan, and the warm-up is as long as ever.
func TestOneReports(t *testing.T) {
	scans, _ := reported(2, 1)
	k, err := NewTracker(nil)
	if err != nil {
		t.Fatal(err)
	}
	for f := range 25 {
		if err := k.Step(t.Context(), &scans[f]); err != nil {
			t.Fatal(err)
		}
	}
	if k.opts.WarmUp != 20 {
		t.Errorf("a warm-up of %d scans, want 20", k.opts.WarmUp)
	}
	if err := k.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}
