package learn

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
)

// This file tests that crowds of false alarms are known for what they are where chance has a hard time of it.

// falseAlarms are scans of so many of them, anywhere in a square.
func falseAlarms(seed uint64, scans, each int) []mtt.Scan {
	r := rand.New(rand.NewPCG(77, seed))
	list := make([]mtt.Scan, scans)
	for k := range list {
		list[k] = mtt.Scan{Frame: k, Time: float64(k), Dim: 2}
		for range each {
			list[k].Pos = append(list[k].Pos, 1000*r.Float64(), 1000*r.Float64())
		}
	}
	return list
}

// TestChanceErrors: in tiles that overlap numbers of pairs differ by no more than their standard
// errors say. Of a hundred seeds 52 is the one by more than five when pairs with one end in another
// tile were counted, too.
func TestChanceErrors(t *testing.T) {
	var tiles []tile
	for _, at := range [][2]float64{{400, 400}, {600, 450}, {450, 600}, {550, 550}} {
		tiles = append(tiles, tile{[]float64{at[0] - 350, at[1] - 350}, []float64{at[0] + 350, at[1] + 350}})
	}
	for seed := range uint64(3) {
		if err := chanceIn(t.Context(), falseAlarms(51+seed, 8, 1200), tiles, math.Inf(1)); !errors.Is(err, ErrChance) {
			t.Errorf("seed %d: a crowd of false alarms is no chance: %v", 51+seed, err)
		}
	}
}

// TestNoJumps: false alarms do not pass for those of a sensor that pans, though the difference by
// which most have another in the next scan is the best of very many. The seed is one for which few
// lay at the opposite of it.
func TestNoJumps(t *testing.T) {
	v, err := voted(t.Context(), falseAlarms(10, 2, 5000), 2)
	if err != nil {
		t.Fatal(err)
	}
	if v.jumps() {
		t.Error("a sensor that stands still pans")
	}
}
