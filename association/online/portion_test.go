package online

import (
	"slices"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/association/chain"
	"mtt/association/instance"
	"mtt/costgen"
	"mtt/gating"
)

// This file tests what is taken out of an instance.

// TestPortion: a portion has the open detections, the pairs and the links between them, and the
// others keep their links when it is put back.
func TestPortion(t *testing.T) {
	scans := make([]mtt.Scan, 3)
	for s := range scans {
		scans[s] = mtt.Scan{Frame: s, Time: float64(s), Dim: 2, Pos: []float64{0, float64(s), 1, float64(s), 2, float64(s)}}
	}
	all := gating.CSR{Rows: 3, Cols: 3, Ptr: []int{0, 3, 6, 9}, Col: []int32{0, 1, 2, 0, 1, 2, 0, 1, 2}}
	inst := &instance.Instance{Scans: scans, Gates: []gating.CSR{all, all}}
	links := chain.New(scans)
	for _, l := range [][2]chain.Node{{chain.At(0, 0), chain.At(2, 2)}, {chain.At(0, 2), chain.At(1, 0)}, {chain.At(0, 1), chain.At(1, 1)}, {chain.At(1, 1), chain.At(2, 1)}} {
		links.Link(l[0], l[1])
	}
	p := newPortion(inst, [][]bool{{true, false, true}, {true, false, false}, {true, false, true, true}})
	for s, want := range [][]float64{{0, 0, 2, 0}, {0, 1}, {0, 2, 2, 2}} {
		if !slices.Equal(p.scans[s].Pos, want) {
			t.Errorf("scan %d has positions %v, want %v", s, p.scans[s].Pos, want)
		}
	}
	for s, want := range [][]int32{{0, 0}, {0, 1}} {
		if g := &p.gates[s]; !slices.Equal(g.Col, want) || g.Rows != len(p.dets[s]) || g.Cols != len(p.dets[s+1]) {
			t.Errorf("pairs of scan %d: %+v, want columns %v", s, *g, want)
		}
	}
	part := p.of(links)
	if got := [2]chain.Node{part.Next[0][0], part.Next[0][1]}; got != [2]chain.Node{chain.At(2, 1), chain.At(1, 0)} {
		t.Errorf("links of the portion lead to %v", got)
	}
	part.Unlink(chain.At(0, 0))
	part.Link(chain.At(1, 0), chain.At(2, 0))
	p.put(links, part)
	want := [][]chain.Node{{chain.None, chain.At(1, 1), chain.At(1, 0)}, {chain.At(2, 0), chain.At(2, 1), chain.None}, {chain.None, chain.None, chain.None}}
	for s := range want {
		if !slices.Equal(links.Next[s], want[s]) {
			t.Errorf("links of scan %d lead to %v, want %v", s, links.Next[s], want[s])
		}
	}
}

// TestBetter: what is open is solved anew, and the rest is as it was, though it could be better.
func TestBetter(t *testing.T) {
	levels := costgen.Levels{
		Sigma: 0.1, Accel: 0.1, SpeedStd: 1, Dim: 2, Interval: 1, PositionsOnly: true,
		Rates: costgen.Rates{Detect: 0.95, Survive: 0.99, Births: 0.1, Targets: 4, Clutter: 0.1, Volume: 1e4},
	}
	scans := make([]mtt.Scan, 6)
	for s := range scans {
		x := float64(s)
		scans[s] = mtt.Scan{Frame: s, Time: x, Dim: 2, Pos: []float64{x, x - 2.5, x, 2.5 - x, 100 + x, x - 2.5, 100 + x, 2.5 - x}}
	}
	gates, err := gating.Chain(t.Context(), scans, gating.Ball{Radius: 3}, &gating.Options{})
	if err != nil {
		t.Fatal(err)
	}
	model := &costgen.Gaussian{Levels: levels}
	inst, links, open := instance.New(scans, gates, model), chain.New(scans), make([][]bool, len(scans))
	for s := range scans {
		open[s] = []bool{true, true, false, false}
		for i := range int32(4) {
			if s == 2 {
				links.Link(chain.At(2, i), chain.At(3, i^1)) // as if they turned back where they meet
			} else if s+1 < len(scans) {
				links.Link(chain.At(int32(s), i), chain.At(int32(s)+1, i))
			}
		}
	}
	k := &Tracker{model: &association.Result{Model: model, MaxSpeed: 3}}
	if err := k.better(t.Context(), links, inst, open, 0); err != nil {
		t.Fatal(err)
	}
	if got, want := links.Next[2], []chain.Node{chain.At(3, 0), chain.At(3, 1), chain.At(3, 3), chain.At(3, 2)}; !slices.Equal(got, want) {
		t.Errorf("links lead to %v, want %v", got, want)
	}
}
