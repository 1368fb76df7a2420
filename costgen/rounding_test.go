package costgen

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
)

// walkers are tracks of nearly constant velocity of some tenths of a metre a second, from an
// offset, each value as change leaves it.
func walkers(seed uint64, n, frames int, offset, noise float64, change func(x float64) float64) (tracks []mtt.Track) {
	r := rand.New(rand.NewPCG(seed, 7))
	for id := range n {
		t := mtt.Track{ID: id + 1, Dim: 2}
		x, v := [2]float64{200 * r.Float64(), 200 * r.Float64()}, [2]float64{0.3 * r.NormFloat64(), 0.3 * r.NormFloat64()}
		for f := range frames {
			t.Hits = append(t.Hits, mtt.Hit{Frame: f})
			for d := range x {
				v[d] += 0.02 * r.NormFloat64()
				x[d] += v[d]
				t.Pos = append(t.Pos, offset+change(x[d]+noise*r.NormFloat64()))
			}
		}
		tracks = append(tracks, t)
	}
	return tracks
}

func seconds(frame int) float64 { return float64(frame) }

func to(q float64) func(x float64) float64 {
	return func(x float64) float64 { return q * math.Round(x/q) }
}

func TestRounding(t *testing.T) {
	exact := func(x float64) float64 { return x }
	lanes := []mtt.Track{{Dim: 2}, {Dim: 2}}
	for k := range lanes {
		for f := range 30 {
			lanes[k].Hits = append(lanes[k].Hits, mtt.Hit{Frame: f})
			lanes[k].Pos = append(lanes[k].Pos, 3*float64(f), 10*float64(k))
		}
	}
	for _, tt := range []struct {
		name   string
		tracks []mtt.Track
		want   float64 // of the quantum
	}{
		{"whole pixels", walkers(1, 10, 40, 0, 0.1, to(1)), 1},
		{"half pixels", walkers(2, 10, 40, 0.25, 0.1, to(0.5)), 0.5},
		{"feet", walkers(3, 10, 40, 0, 0.1, to(0.3048)), 0.3048},
		{"centimetres far from the origin", walkers(4, 10, 40, 5.4e6, 0.1, to(0.01)), 0.01},
		{"not rounded", walkers(5, 10, 40, 0, 0.1, exact), 0},
		{"not rounded, far from the origin", walkers(6, 10, 40, 5.4e6, 0.1, exact), 0},
		{"two lanes without noise", lanes, 0},
		{"few hits", walkers(7, 1, 5, 0, 0.1, exact), 0},
		{"nothing", nil, 0},
	} {
		got := Rounding(&Levels{PositionsOnly: true}, tt.tracks, seconds)
		for d := range 2 {
			if q := math.Sqrt(12) * got[d]; math.Abs(q-tt.want) > 1e-3*tt.want+1e-5 {
				t.Errorf("%s: axis %d is rounded to %g, want %g", tt.name, d, q, tt.want)
			}
		}
	}
}

// Among few values that were not rounded some are nearly multiples of one length by chance.
func TestRoundingChance(t *testing.T) {
	for seed := range uint64(2000) {
		tracks := walkers(seed, 1, 3+int(seed%4), 0, 0.1, func(x float64) float64 { return x })
		if got := Rounding(&Levels{PositionsOnly: true}, tracks, seconds); got[0] > 1e-5 || got[1] > 1e-5 {
			t.Fatalf("seed %d: %d hits are rounded by %g", seed, len(tracks[0].Hits), got)
		}
	}
}

// Targets that are often seen at the same place twice because positions are rounded have no noise
// of nearly nothing.
func TestFitRounded(t *testing.T) {
	for seed := range uint64(5) {
		m := Levels{PositionsOnly: true}
		if !Fit(&m, walkers(seed, 20, 60, 0, 0.1, to(1)), seconds) {
			t.Fatal("nothing was fitted")
		}
		if want := math.Hypot(0.1, 1/math.Sqrt(12)); m.Sigma < 0.9*want || m.Sigma > 1.3*want {
			t.Errorf("seed %d: noise %.3g, want some %.3g", seed, m.Sigma, want)
		}
	}
}

func TestGrid(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	scans := make([]mtt.Scan, 10)
	for f := range scans {
		scans[f].Dim = 3
		for range 20 {
			scans[f].Pos = append(scans[f].Pos, 100*rng.Float64(), 0.25+to(0.5)(100*rng.Float64()), to(5)(100*rng.Float64()))
		}
	}
	got := Grid(scans)
	if got[0] > 1e-9 || math.Abs(got[1]-0.5) > 1e-9 || math.Abs(got[2]-5) > 1e-9 {
		t.Errorf("positions that are not rounded, in halves and in fives have a grid of %v", got)
	}
	if got := Grid(scans[:0]); got != [3]float64{} {
		t.Errorf("no positions have a grid of %v", got)
	}
}
