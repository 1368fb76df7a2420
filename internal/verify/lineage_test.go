package verify

// This file forges tracks that divide: what tracks.csv, solve.json and graph.npz say of each other
// must agree.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mtt"
	"mtt/trackgraph"
	"mtt/trackgraph/graphfile"
)

// family is a cell that divides into two, one of which goes on: the files of its run.
func family(t *testing.T) (*Input, *trackgraph.Graph, *trackgraph.Result) {
	t.Helper()
	g := &trackgraph.Graph{
		Frame: []int{0, 1, 1, 2}, Birth: []float64{0, 4, 4, 4}, End: []float64{3, 3, 3, 0}, False: []float64{3, 5, 5, 4},
		Tail: []int32{0, 0, 1}, Head: []int32{1, 2, 3}, Cost: []float64{1, 2, 0.5}, Divisions: []trackgraph.Division{{First: 0, Second: 1, Cost: -1}},
	}
	res, err := trackgraph.Solve(context.Background(), g, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(res.Answer.Chosen, []bool{true, true, true}) {
		t.Fatalf("the answer is %+v", res.Answer)
	}
	scans := []mtt.Scan{{Frame: 5, Dim: 2, Pos: []float64{0, 0}}, {Frame: 6, Time: 1, Dim: 2, Pos: []float64{-1, 0, 1, 0}}, {Frame: 7, Time: 2, Dim: 2, Pos: []float64{-1, 1}}}
	track := func(id, parent int, hits ...mtt.Hit) mtt.Track {
		tr := mtt.Track{ID: id, Parent: parent, Dim: 2}
		for _, h := range hits {
			tr.Append(&scans[h.Frame-5], h.Det)
		}
		return tr
	}
	n := func(x int) *int { return &x }
	in := &Input{
		Scans: scans,
		Tracks: []mtt.Track{track(1, 0, mtt.Hit{Frame: 5}), track(2, 1, mtt.Hit{Frame: 6}, mtt.Hit{Frame: 7}),
			track(3, 1, mtt.Hit{Frame: 6, Det: 1})},
		Solve: &Solve{Status: "optimal", Lower: res.LowerBound, Certified: res.Certified, Upper: res.UpperBound, Proof: ByPrices,
			Arcs: n(3), Triplets: n(0), Tracks: n(3), RefinedLinks: n(0)},
	}
	save(t, in, g, res)
	return in, g, res
}

// save writes graph.npz of the run, with its sum in solve.json.
func save(t *testing.T, in *Input, g *trackgraph.Graph, res *trackgraph.Result) {
	t.Helper()
	in.Graph = &GraphInput{File: filepath.Join(t.TempDir(), "graph.npz")}
	f, err := os.Create(in.Graph.File)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	margins := trackgraph.NewMargins(g, res.Prices, res.Answer)
	if err := graphfile.WriteNPZ(f, g, res.Answer, res.Prices, margins); err != nil {
		t.Fatal(err)
	}
	if len(margins.Arc) == 3 {
		m := margins
		in.Margins = &Margins{Hits: [][]float64{{m.Birth[0]}, {m.Arc[0], m.Arc[2]}, {m.Arc[1]}}, Links: 1, Min: m.Arc[2], Median: m.Arc[2]}
	}
	data, err := os.ReadFile(in.Graph.File)
	if err != nil {
		t.Fatal(err)
	}
	in.GraphSum = sha256.Sum256(data)
	zero := hex.EncodeToString(make([]byte, sha256.Size))
	in.Solve.Sums = Sums{Detections: zero, Tracks: zero, Graph: hex.EncodeToString(in.GraphSum[:])}
}

func TestLineages(t *testing.T) {
	in, _, res := family(t)
	got, err := Check(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	if !got.Valid || math.Abs(got.UpperBound-res.UpperBound) > 1e-9 || math.Abs(got.LowerBound-res.UpperBound) > 1e-9 || got.Links != 1 || got.Margins != 15 || got.MarginsProved != 15 || got.Status() != "optimal" {
		t.Fatalf("%+v", got)
	}
	for _, tt := range []struct {
		name, want string
		forge      func(in *Input, g *trackgraph.Graph, res *trackgraph.Result)
	}{
		{"no parent", "has another parent", func(in *Input, _ *trackgraph.Graph, _ *trackgraph.Result) { in.Tracks[2].Parent = 0 }},
		{"another parent", "has another parent", func(in *Input, _ *trackgraph.Graph, _ *trackgraph.Result) { in.Tracks[2].Parent = 2 }},
		{"a parent more", "differ by 1 daughters", func(in *Input, _ *trackgraph.Graph, _ *trackgraph.Result) { in.Tracks[0].Parent = 3 }},
		{"another link", "goes on with", func(in *Input, _ *trackgraph.Graph, _ *trackgraph.Result) {
			in.Tracks[1], in.Tracks[2] = in.Tracks[1].Between(6, 6), mtt.Track{ID: 3, Parent: 1, Dim: 2, Hits: []mtt.Hit{{Frame: 6, Det: 1}, {Frame: 7}}, Pos: []float64{1, 0, -1, 1}}
		}},
		{"a bound too high", "the multipliers prove", func(in *Input, _ *trackgraph.Graph, _ *trackgraph.Result) { in.Solve.Certified += 0.01 }},
		{"a price too low", "the assignment costs", func(in *Input, _ *trackgraph.Graph, _ *trackgraph.Result) { in.Solve.Upper -= 0.01 }},
		{"another graph", "graph.npz as they are", func(in *Input, _ *trackgraph.Graph, _ *trackgraph.Result) { in.GraphSum[0]++ }},
		{"a margin too high", "graph.npz does not say so", func(in *Input, _ *trackgraph.Graph, _ *trackgraph.Result) { in.Margins.Hits[1][0] += 0.1 }},
		{"the least margin", "solve.json says margins of", func(in *Input, _ *trackgraph.Graph, _ *trackgraph.Result) { in.Margins.Min += 0.1 }},
		{"arcs", "says 4 arcs", func(in *Input, _ *trackgraph.Graph, _ *trackgraph.Result) { *in.Solve.Arcs = 4 }},
		{"a detection less", "detections.csv has 4", func(in *Input, g *trackgraph.Graph, res *trackgraph.Result) {
			g.Frame, g.Birth, g.End, g.False = g.Frame[:3], g.Birth[:3], g.End[:3], g.False[:3]
			g.Tail, g.Head, g.Cost = g.Tail[:2], g.Head[:2], g.Cost[:2]
			res.Answer = &trackgraph.Answer{Used: []bool{true, true, true}, Chosen: []bool{true, true}}
			res.Prices = &trackgraph.Prices{Link: res.Prices.Link[:2]}
			save(t, in, g, res)
		}},
		{"other scans", "is of scan", func(in *Input, g *trackgraph.Graph, res *trackgraph.Result) {
			g.Frame = []int{0, 1, 2, 3}
			save(t, in, g, res)
		}},
		{"a second mother", "graph.npz: ", func(in *Input, g *trackgraph.Graph, res *trackgraph.Result) {
			g.Tail, g.Head, g.Cost = append(g.Tail, 2), append(g.Head, 3), append(g.Cost, 1)
			res.Answer.Chosen, res.Prices.Link = append(res.Answer.Chosen, true), append(res.Prices.Link, 0)
			save(t, in, g, res)
		}},
		{"no file", "no such file", func(in *Input, _ *trackgraph.Graph, _ *trackgraph.Result) { in.Graph.File += "x" }},
	} {
		in, g, res := family(t)
		tt.forge(in, g, res)
		got, err := Check(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		if got.Valid || !strings.Contains(strings.Join(got.Problems, "\n"), tt.want) {
			t.Errorf("%s: valid %v, problems %q, want %q", tt.name, got.Valid, got.Problems, tt.want)
		}
	}
}
