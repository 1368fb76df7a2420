package refine

import (
	"math/rand/v2"
	"testing"

	"mtt/association/chain"
	"mtt/association/chain/chaintest"
	"mtt/costgen"
)

// This file tests what is looked at again once joins over gaps may take linked detections.

// TestLooser: only what may be joined is looked at again then, as a detection has no other
// places than it had: a second look with nothing in it that changes weighs fewer pairs.
func TestLooser(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	levels := refineLevels(false, 2)
	scans := chaintest.Scans(rng, 8, 6, 2, false)
	gates := chaintest.Gate(t, scans, chaintest.Everything)
	c := chaintest.Links(rng, scans, 1)
	looks := func() (list []int) {
		_, err := Links(t.Context(), c, scans, gates, &costgen.Gaussian{Levels: levels}, &Options{
			Misses: 2, Speed: 100, Sweeps: 20, Workers: 1, Weighed: func(pairs int) { list = append(list, pairs) },
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	looks()
	before := clone(c)
	list := looks()
	if !equalLinks(before, c) || len(list) != 2 {
		t.Fatalf("links that have been refined change in %d looks", len(list))
	}
	if list[1] >= list[0] {
		t.Errorf("%d pairs are weighed, then %d", list[0], list[1])
	}
}

func equalLinks(a, b *chain.Links) bool {
	for t := range a.Next {
		for i := range a.Next[t] {
			if a.Next[t][i] != b.Next[t][i] {
				return false
			}
		}
	}
	return true
}
