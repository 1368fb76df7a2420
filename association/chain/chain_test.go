package chain_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"mtt"
	"mtt/association/chain"
	"mtt/association/chain/chaintest"
)

// TestTracks wants the tracks that a walk along each chain finds, and of tracks that links before
// had as well, their memory.
func TestTracks(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 7))
		scans := chaintest.Scans(rng, 1+rng.IntN(30), 6, 2, seed%2 == 0)
		before := chaintest.Links(rng, scans, rng.IntN(4))
		links := before.Clone()
		for range rng.IntN(4) { // break some
			s := rng.IntN(len(scans))
			if n := scans[s].Len(); n > 0 {
				links.Unlink(chain.At(s, rng.IntN(n)))
			}
		}
		single := seed%3 == 0
		known := before.Tracks(scans, single)
		got, want := links.TracksSince(before, known, scans, single), walked(links, scans, single)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: got %v, want %v", seed, got, want)
		}
		at := make(map[mtt.Hit]*mtt.Track)
		for k := range known {
			at[known[k].Hits[0]] = &known[k]
		}
		for k := range got {
			old := at[got[k].Hits[0]]
			same := old != nil && reflect.DeepEqual(old.Hits, got[k].Hits)
			if shared := old != nil && &old.Hits[0] == &got[k].Hits[0]; shared != same {
				t.Fatalf("seed %d: track %d shares memory: %v, want %v", seed, k+1, shared, same)
			}
		}
	}
}

// walked are the tracks of links, one walked after another.
func walked(links *chain.Links, scans []mtt.Scan, single bool) (list []mtt.Track) {
	for s := range scans {
		for i := range links.Prev[s] {
			if links.Prev[s][i] != chain.None || !single && links.Next[s][i] == chain.None {
				continue
			}
			tr := mtt.Track{ID: len(list) + 1, Dim: scans[s].Dim}
			for at := chain.At(s, i); at != chain.None; at = links.Next[at.T][at.Det] {
				tr.Append(&scans[at.T], int(at.Det))
			}
			list = append(list, tr)
		}
	}
	return list
}

// TestBetween checks links of an excerpt: those within it, by their scans there, and no others.
func TestBetween(t *testing.T) {
	scans := make([]mtt.Scan, 6)
	for f := range scans {
		scans[f] = mtt.Scan{Frame: f, Dim: 1, Pos: make([]float64, 2)}
	}
	c := chain.New(scans)
	for _, l := range [][2]chain.Node{{chain.At(0, 0), chain.At(2, 1)}, {chain.At(1, 0), chain.At(2, 0)}, {chain.At(2, 0), chain.At(4, 1)}, {chain.At(4, 1), chain.At(5, 0)}} {
		c.Link(l[0], l[1])
	}
	c.Prev[1][1] = chain.Past
	before := c.Clone()
	part := c.Between(1, 5)
	want := chain.New(scans[1:5])
	want.Link(chain.At(0, 0), chain.At(1, 0))
	want.Link(chain.At(1, 0), chain.At(3, 1))
	want.Prev[0][1] = chain.Past
	if !reflect.DeepEqual(part, want) {
		t.Errorf("%v, want %v", part, want)
	}
	if !reflect.DeepEqual(c, before) {
		t.Error("the links that it is of have changed")
	}
}
