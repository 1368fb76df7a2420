package online

import (
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association/chain/chaintest"
)

// This file tracks targets that report one by one, along with their reports.

// reported are reports of ships, each in a scan of its own, and whose each is.
func reported(seed uint64, ships int) (scans []mtt.Scan, of [][]int) {
	rng := rand.New(rand.NewPCG(seed, 12))
	return chaintest.Reports(rng, ships, 400, 8, 0, func(int) chaintest.Ship { return chaintest.Sailing(rng, 15_000, 8, 16) })
}

// TestReportsOneByOne: of eight ships twenty reports, the usual warm-up, are two or three of each,
// and taken for those of one ship. It lasts until they tell ships apart, and tracks begin over as
// many scans as lie between the reports of a ship.
func TestReportsOneByOne(t *testing.T) {
	t.Parallel()
	const ships = 8
	scans, of := reported(1, ships)
	res, err := Track(t.Context(), scans, &Options{Lag: 5})
	if err != nil {
		t.Fatal(err)
	}
	right, wrong := chaintest.Right(res.Tracks, of)
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
