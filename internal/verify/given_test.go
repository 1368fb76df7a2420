package verify

// This file compares graph.npz with the files that its costs are from, and changes single numbers.

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mtt/trackgraph"
	"mtt/trackgraph/graphfile"
)

// asText writes a graph in CSV or JSON lines.
func asText(g *trackgraph.Graph, csv bool) string {
	var b strings.Builder
	for d := range g.Frame {
		form := `{"detection":"n%d","frame":%d,"use":%v,"birth":%v,"end":%v,"false":0`
		args := []any{d, g.Frame[d], g.Use[d], g.Birth[d], g.End[d]}
		if csv {
			form, args = "detection,n%d,%d,%v,%v,%v,,%v,%v", append(args, g.Divide[d], g.Merge[d])
			fmt.Fprintf(&b, form+"\n", args...)
			continue
		}
		for k, x := range [2]float64{g.Divide[d], g.Merge[d]} {
			if x < 1e300 {
				form, args = form+`,"`+[2]string{"divide", "merge"}[k]+`":%v`, append(args, x)
			}
		}
		fmt.Fprintf(&b, form+"}\n", args...)
	}
	relation := func(kind string, cost float64, nodes ...int32) {
		names := make([]string, len(nodes))
		for k, d := range nodes {
			names[k] = fmt.Sprintf("n%d", d)
		}
		if csv {
			fmt.Fprintf(&b, "%s, %s,%v\n", kind, strings.Join(names, ","), cost)
		} else {
			fmt.Fprintf(&b, `{"%s":["%s"],"cost":%v}`+"\n", kind, strings.Join(names, `","`), cost)
		}
	}
	for a, c := range g.Cost {
		relation("arc", c, g.Tail[a], g.Head[a])
	}
	for _, x := range g.Triplets {
		relation("triplet", x.Cost, g.Tail[x.In], g.Head[x.In], g.Head[x.Out])
	}
	for _, x := range g.Divisions {
		relation("division", x.Cost, g.Tail[x.First], g.Head[x.First], g.Head[x.Second])
	}
	return b.String()
}

func TestGiven(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 4))
	dir := t.TempDir()
	name := filepath.Join(dir, "graph.npz")
	changed := 0
	for trial := range 24 {
		g := cells(rng)
		if g.Triplets == nil {
			for k := range int32(4) {
				g.Divisions = append(g.Divisions, trackgraph.Division{First: 2 * k, Second: 2*k + 1, Cost: rng.NormFloat64()})
			}
		}
		given := filepath.Join(dir, "given")
		if err := os.WriteFile(given, []byte(asText(g, trial%2 == 0)), 0o666); err != nil {
			t.Fatal(err)
		}
		read, err := graphfile.Read(given)
		if err != nil {
			t.Fatal(err)
		}
		r, err := trackgraph.Solve(t.Context(), &read.Graph, nil)
		if err != nil {
			t.Fatal(err)
		}
		check := func(given string) *Result {
			t.Helper()
			f, err := os.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := graphfile.WriteNPZ(f, &read.Graph, r.Answer, r.Prices, nil); err != nil {
				t.Fatal(err)
			}
			f.Close()
			res, err := Graph(&GraphInput{File: name, Given: given})
			if err != nil {
				t.Fatal(err)
			}
			return res
		}
		want := 8*len(g.Frame) - len(g.Frame) + 3*len(g.Cost) + 3*(len(g.Triplets)+len(g.Divisions))
		if res := check(given); !res.Valid || res.NotRecomputed != "" || res.Recomputed != want || res.RecomputedWorst != 0 {
			t.Fatalf("trial %d: %+v, want %d numbers", trial, res, want)
		}
		for _, list := range [][]float64{read.Use, read.Birth, read.End, read.False, read.Divide, read.Merge, read.Cost} {
			k := rng.IntN(len(list))
			was := list[k]
			list[k] = rng.Float64()
			if res := check(given); res.Valid || res.Recomputed != want {
				t.Fatalf("trial %d: a price of %v in place of %v: %+v", trial, list[k], was, res)
			}
			list[k] = was
			changed++
		}
		if len(read.Divisions) > 0 {
			read.Divisions[1].Cost += 1e-9
		} else if len(read.Triplets) > 0 {
			read.Triplets[1].Cost += 1e-9
		}
		if res := check(given); res.Valid {
			t.Fatalf("trial %d: a pair that costs more: %+v", trial, res)
		}
		if res := check(filepath.Join(dir, "gone")); !res.Valid || !strings.Contains(res.NotRecomputed, "no longer there") || res.Recomputed != 0 {
			t.Fatalf("trial %d: the file is gone: %+v", trial, res)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "given"), []byte("Minimize\n obj: x\nEnd\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if res, err := Graph(&GraphInput{File: name, Given: filepath.Join(dir, "given"), Sums: []Sum{{"graph.npz", "1", "2"}}}); err != nil || res.Valid || !strings.Contains(res.NotRecomputed, "CSV, JSON lines and npz only") {
		t.Errorf("a programme: %+v, %v", res, err)
	}
	t.Logf("%d prices changed", changed)
}
