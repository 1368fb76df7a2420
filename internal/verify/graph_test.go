package verify

// This file forges margins on given costs: what graph.npz and answer.csv claim beyond the truth is
// refused, or listed as unproved.

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mtt/internal/nightly"
	"mtt/trackgraph"
	"mtt/trackgraph/graphfile"
)

// cells is a random graph of three frames with two detections each, which may divide; in some there are
// merges, and in others triplets.
func cells(rng *rand.Rand) *trackgraph.Graph {
	g := &trackgraph.Graph{}
	kind := rng.IntN(3)
	for t := range 3 {
		for range 2 {
			g.Frame = append(g.Frame, t)
			g.Use = append(g.Use, rng.NormFloat64()-2)
			g.Birth, g.End = append(g.Birth, 2*rng.Float64()), append(g.End, 2*rng.Float64())
			divide, merge := math.Inf(1), math.Inf(1)
			if kind < 2 {
				divide = rng.NormFloat64()
			}
			if kind == 1 {
				merge = rng.NormFloat64()
			}
			g.Divide, g.Merge = append(g.Divide, divide), append(g.Merge, merge)
		}
	}
	for i := range 4 {
		for j := range 2 {
			g.Tail, g.Head = append(g.Tail, int32(i)), append(g.Head, int32(i/2*2+2+j))
			g.Cost = append(g.Cost, rng.NormFloat64()-1)
		}
	}
	for a := range g.Cost {
		for b := range g.Cost {
			if kind == 2 && g.Head[a] == g.Tail[b] {
				g.Triplets = append(g.Triplets, trackgraph.Triplet{In: int32(a), Out: int32(b), Cost: rng.NormFloat64()})
			}
		}
	}
	return g
}

// flips are what the best answer costs more in which an arc is otherwise, or that a detection is
// born, ends, is not used.
func flips(g *trackgraph.Graph, of *trackgraph.Answer) *trackgraph.Margins {
	never := func(n int) []float64 { return slices.Repeat([]float64{math.Inf(1)}, n) }
	n := len(g.Frame)
	m := &trackgraph.Margins{Arc: never(len(g.Cost)), Birth: never(n), End: never(n), Unused: never(n)}
	state := func(a *trackgraph.Answer) (birth, end []bool) {
		birth, end = slices.Clone(a.Used), slices.Clone(a.Used)
		for k, yes := range a.Chosen {
			if yes {
				birth[g.Head[k]], end[g.Tail[k]] = false, false
			}
		}
		return birth, end
	}
	birth, end := state(of)
	cost := g.Price(of)
	a := &trackgraph.Answer{Used: make([]bool, n), Chosen: make([]bool, len(g.Cost))}
	for set := range 1 << (n + len(g.Cost)) {
		for k := range a.Chosen {
			a.Chosen[k] = set>>k&1 == 1
		}
		for d := range a.Used {
			a.Used[d] = set>>(len(g.Cost)+d)&1 == 1
		}
		more := g.Price(a) - cost
		if math.IsInf(more, 1) {
			continue
		}
		lower := func(to []float64, was, is []bool) {
			for k := range to {
				if was[k] != is[k] {
					to[k] = min(to[k], more)
				}
			}
		}
		b, e := state(a)
		lower(m.Arc, of.Chosen, a.Chosen)
		lower(m.Birth, birth, b)
		lower(m.End, end, e)
		lower(m.Unused, of.Used, a.Used)
	}
	return m
}

// verdict is what Graph says of the file of in, into which g is written with what r found, and margins.
func verdict(t *testing.T, in *GraphInput, g *trackgraph.Graph, r *trackgraph.Result, m *trackgraph.Margins) *Result {
	t.Helper()
	var b bytes.Buffer
	if err := graphfile.WriteNPZ(&b, g, r.Answer, r.Prices, m); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in.File, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	res, err := Graph(in)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestGraphMargins(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 3))
	refused, accepted, unproved := 0, 0, 0
	for range nightly.Or(8, 1000) {
		g := cells(rng)
		r, err := trackgraph.Solve(context.Background(), g, &trackgraph.Options{Effort: math.Inf(1)})
		if err != nil {
			t.Fatal(err)
		}
		truth := flips(g, r.Answer)
		by := trackgraph.NewMargins(g, r.Prices, r.Answer)
		in := &GraphInput{File: filepath.Join(t.TempDir(), "graph.npz")}
		verdict := func(m *trackgraph.Margins) *Result { return verdict(t, in, g, r, m) }
		if res := verdict(by); !res.Valid || res.MarginsProved != res.Margins || res.Margins != len(g.Cost)+3*len(g.Frame) {
			t.Fatalf("honest margins are refused: %d of %d, %q", res.MarginsProved, res.Margins, res.Problems)
		}
		for range 20 {
			m := &trackgraph.Margins{Arc: slices.Clone(by.Arc), Birth: slices.Clone(by.Birth), End: slices.Clone(by.End), Unused: slices.Clone(by.Unused)}
			k := rng.IntN(4)
			list := [][]float64{m.Arc, m.Birth, m.End, m.Unused}[k]
			e := rng.IntN(len(list))
			most := [][]float64{truth.Arc, truth.Birth, truth.End, truth.Unused}[k][e]
			list[e] = rng.NormFloat64() * 3
			in.BySearch = rng.IntN(4) == 0
			res := verdict(m)
			switch lie := list[e] > most+1e-6; {
			case !res.Valid:
				refused++
			case !lie:
				accepted++
			case len(res.Unproved) > 0 && in.BySearch:
				unproved++
			default:
				t.Fatalf("a margin of %v was accepted, it is %v\n%+v", list[e], most, g)
			}
			in.BySearch = false
		}
		// answer.csv says no more than graph.npz, and the tracks of its answer.
		in.Track, in.Margin = make([]float64, len(g.Frame)), slices.Repeat([]float64{math.NaN()}, len(g.Frame))
		for d, used := range r.Answer.Used {
			if used {
				in.Track[d] = float64(d + 1)
			}
		}
		linked := slices.Contains(r.Answer.Chosen, true)
		outs := make([]int, len(g.Frame))
		ins := slices.Clone(outs)
		for a, yes := range r.Answer.Chosen {
			if yes {
				outs[g.Tail[a]]++
				ins[g.Head[a]]++
			}
		}
		for a, yes := range r.Answer.Chosen { // arcs are in order of time
			if i, j := g.Tail[a], g.Head[a]; yes && outs[i] == 1 && ins[j] == 1 {
				in.Track[j] = in.Track[i]
			}
		}
		if res := verdict(by); !res.Valid {
			t.Fatalf("the right tracks are refused: %q", res.Problems)
		}
		d := rng.IntN(len(g.Frame))
		in.Margin[d] = 1e9
		if res := verdict(by); res.Valid {
			t.Fatal("a margin that graph.npz does not have was accepted")
		}
		in.Margin[d] = math.NaN()
		if in.Track[d]++; linked && verdict(by).Valid && slices.Index(in.Track, in.Track[d]) != d {
			t.Fatalf("tracks %v were accepted\n%+v", in.Track, r.Answer)
		}
	}
	t.Logf("%d refused, %d accepted, %d listed as unproved", refused, accepted, unproved)
}

// TestGraphForbidden: where births, ends or what is not used are forbidden, honest margins are proved,
// infinite ones among them; an answer with what is forbidden is none, whatever is claimed, and neither
// are prices without a sum.
func TestGraphForbidden(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 11))
	in := &GraphInput{File: filepath.Join(t.TempDir(), "graph.npz")}
	for k := range 60 {
		g := cells(rng)
		if k%4 == 0 { // nothing costs anything
			clear(g.Use)
			clear(g.Birth)
			clear(g.End)
			clear(g.Cost)
			g.Divide, g.Merge, g.Triplets = nil, nil, nil
		}
		g.False = make([]float64, len(g.Frame))
		for d := range g.Frame {
			if rng.IntN(2) > 0 {
				[][]float64{g.Birth, g.End, g.False}[rng.IntN(3)][d] = math.Inf(1)
			}
		}
		r, err := trackgraph.Solve(context.Background(), g, &trackgraph.Options{Effort: math.Inf(1)})
		if err != nil {
			continue // there may be no answer
		}
		m := trackgraph.NewMargins(g, r.Prices, r.Answer)
		in.Claims = []Claim{{Source: "solve.json", Lower: r.Certified, Upper: r.UpperBound}}
		if res := verdict(t, in, g, r, m); !res.Valid || res.MarginsProved != res.Margins {
			t.Fatalf("honest margins are refused: %d of %d, %q\n%+v", res.MarginsProved, res.Margins, res.Problems, g)
		}
		for d, used := range r.Answer.Used { // what the answer has is forbidden afterwards
			list := &g.Use
			if !used {
				list = &g.False
			}
			was := (*list)[d]
			(*list)[d] = math.Inf(1)
			in.Claims = []Claim{{Source: "solve.json", Lower: 7, Upper: 7}}
			if res := verdict(t, in, g, r, m); res.Valid {
				t.Fatalf("an answer that is forbidden was accepted: %+v", res)
			}
			in.Claims, (*list)[d] = nil, was
		}
		for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e308} {
			if len(g.Triplets) == 0 {
				break
			}
			was := g.Triplets[0].Cost
			g.Triplets[0].Cost = x
			if res := verdict(t, in, g, r, nil); res.Valid {
				t.Errorf("a triplet that costs %v was accepted", x)
			}
			g.Triplets[0].Cost = was
		}
	}
}
