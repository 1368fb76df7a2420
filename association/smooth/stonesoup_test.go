package smooth

// This file compares smoothed states with those of Stone Soup.

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"mtt"
	"mtt/costgen"
	"mtt/motion"
)

// TestStoneSoup smooths the tracks that Stone Soup (ec032a9) smoothed with the same parameters of motion and
// sensor: tools/peers/smoothing.py made the file. Linear motions have the same states; the positions of a
// coordinated turn, which misses divide into shorter steps here, are no farther from the truth.
func TestStoneSoup(t *testing.T) {
	data, err := os.ReadFile("testdata/stonesoup.json")
	if err != nil {
		t.Fatal(err)
	}
	var motions []struct {
		Motion              string
		Sigma, Accel, Speed float64
		Revert, Turn        float64
		TurnWalk            float64        `json:"turn_walk"`
		Tracks              [][][]*float64 // time, x and y detected, true, smoothed
	}
	if err := json.Unmarshal(data, &motions); err != nil {
		t.Fatal(err)
	}
	if len(motions) != 4 {
		t.Fatalf("%d motions, want 4", len(motions))
	}
	for _, m := range motions {
		model, err := motion.Named(m.Motion)
		if err != nil {
			t.Fatal(err)
		}
		g := &costgen.Levels{
			Motion: model, Dim: 2, PositionsOnly: true, Sigma: m.Sigma, Accel: m.Accel, SpeedStd: m.Speed,
			Revert: m.Revert, TurnStd: m.Turn, TurnWalk: m.TurnWalk,
		}
		var ours, theirs, apart float64 // squares
		var gaps int
		for _, rows := range m.Tracks {
			scans, tr := make([]mtt.Scan, len(rows)), mtt.Track{Dim: 2}
			for k, row := range rows {
				scans[k] = mtt.Scan{Frame: k, Time: *row[0], Dim: 2}
				if row[1] == nil {
					gaps++
					continue
				}
				scans[k].Pos = []float64{*row[1], *row[2]}
				tr.Append(&scans[k], 0)
			}
			got := Tracks(scans, []mtt.Track{tr}, g, 1).States(1)[0]
			for k, row := range rows {
				if row[1] == nil {
					continue
				}
				x, _ := got.At(k)
				for axis := range 2 {
					truth, said := *row[3+axis], *row[5+axis]
					ours += (x[axis] - truth) * (x[axis] - truth)
					theirs += (said - truth) * (said - truth)
					apart = max(apart, math.Abs(x[axis]-said))
				}
			}
		}
		if len(m.Tracks) != 12 || gaps == 0 {
			t.Errorf("%s: %d tracks with %d misses", m.Motion, len(m.Tracks), gaps)
		}
		ratio := math.Sqrt(ours / theirs)
		t.Logf("%s: RMSE %.5g of Stone Soup's, at most %.3g m apart", m.Motion, ratio, apart)
		if ratio > 1.01 || m.Motion != "turn" && ratio < 0.99 { // whose extended filter is worse where gaps follow on the beginning
			t.Errorf("%s: the RMSE is %v of Stone Soup's", m.Motion, ratio)
		}
		if m.Motion != "turn" && apart > 1e-5 {
			t.Errorf("%s: states are %v m apart", m.Motion, apart)
		}
	}
}
