package learn

import (
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/costgen"
)

// TestCorners: targets that cross a corner of a tile are seen there in two scans and are in no track. Of
// what is left over inside nothing is followed.
func TestCorners(t *testing.T) {
	const side, margin = 60., 5. // of a tile, and how far targets get in two steps
	rng := rand.New(rand.NewPCG(1, 2))
	scans := make([]mtt.Scan, 12)
	for k := range scans {
		scans[k] = mtt.Scan{Frame: k, Time: float64(k), Dim: 2}
	}
	for k := range scans {
		for range 20 { // false alarms
			scans[k].Pos = append(scans[k].Pos, side*rng.Float64(), side*rng.Float64())
		}
		for range 10 {
			if x, y := 2*rng.Float64(), side*rng.Float64(); k+1 < len(scans) {
				scans[k].Pos = append(scans[k].Pos, x, y)
				scans[k+1].Pos = append(scans[k+1].Pos, x+0.2, y+0.2)
			}
		}
	}
	l := &learner{
		Options: &Options{tiles: []tile{{lo: []float64{0, 0}, hi: []float64{side, side}}}},
		part:    scans, speed: margin / 2, levels: &costgen.Levels{Dim: 2, Interval: 1},
	}
	if _, errors := l.followedOf(nil); errors >= suspect {
		t.Errorf("what is left over of a tile seems to be followed, by %.1f standard errors", errors)
	}
	l.Options = &Options{}
	if _, errors := l.followedOf(nil); errors < shown {
		t.Errorf("of whole scans it does not seem to be followed: %.1f standard errors", errors)
	}
}
