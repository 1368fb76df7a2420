package trackgraph_test

// This file writes graphs as integer programmes and reads them again: every answer costs the same.

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mtt/internal/nightly"
	"mtt/trackgraph"
	"mtt/trackgraph/graphfile"
)

func TestExchange(t *testing.T) {
	file := filepath.Join(t.TempDir(), "g")
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(23, 5))
			answers := 0
			for trial := range nightly.Or(15, 1000) {
				g := random(rng, k, 5, 7)
				for _, format := range []string{"lp", "mps", "other lp", "other mps"} {
					var b bytes.Buffer
					write := g.WriteLP
					if strings.HasSuffix(format, "mps") {
						write = g.WriteMPS
					}
					if err := write(&b); err != nil {
						t.Fatal(err)
					}
					content := b.String()
					if strings.HasPrefix(format, "other") {
						content = anonymous(content)
					}
					if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
						t.Fatal(err)
					}
					h, err := graphfile.Read(file)
					if err != nil {
						t.Fatalf("trial %d, %s: %v\n%s", trial, format, err, content)
					}
					if len(h.Frame) != len(g.Frame) || len(h.Cost) != len(g.Cost) {
						t.Fatalf("trial %d, %s: %d detections and %d arcs, want %d and %d", trial, format, len(h.Frame), len(h.Cost), len(g.Frame), len(g.Cost))
					}
					everyAnswer(g, func(a *trackgraph.Answer, price float64) {
						answers++
						if got := h.Price(a); math.Abs(got-price) > 1e-9 {
							t.Fatalf("trial %d, %s: an answer costs %v, read again %v\n%s", trial, format, price, got, content)
						}
					})
					everyAnswer(&h.Graph, func(a *trackgraph.Answer, price float64) {
						if got := g.Price(a); math.Abs(got-price) > 1e-9 {
							t.Fatalf("trial %d, %s: an answer that was read costs %v, in truth %v\n%s", trial, format, price, got, content)
						}
					})
				}
			}
			t.Logf("%d answers", answers)
		})
	}
}

// anonymous gives variables names that say nothing, as others do.
func anonymous(content string) string {
	for _, kind := range []string{"u", "x", "b", "e", "q", "m", "y", "z"} {
		content = strings.ReplaceAll(content, " "+kind+"_", " v"+kind+".")
	}
	return content
}

// What HiGHS's own writers make of a problem is read as well: rows in columns, numbers with signs,
// other words.
func TestExchangeOthers(t *testing.T) {
	const flow = `\ by hand
MAXIMIZE
 gain: 5 cell_a + 4cell_b + 4 cell_c - app_a - 2 app_b - 2 app_c
  - dis_a - dis_b - dis_c - .5 split_a + 3 ab + 2.5e0 ac
st
 in_a: app_a - cell_a = 0
 out_a: ab + ac + dis_a - cell_a - split_a = 0
 in_b: 2 ab + 2 app_b - 2 cell_b = 0
 out_b: cell_b - dis_b = 0
 in_c: ac + app_c - cell_c = 0
 out_c: dis_c - cell_c = 0
 split_a - cell_a <= 0
bounds
 0 <= ab <= 1
 -inf <= free_one <= 1
generals
 ab
binaries
 ac cell_a cell_b cell_c
 app_a app_b app_c dis_a dis_b dis_c split_a
END`
	read := func(content string) (*graphfile.File, error) {
		file := filepath.Join(t.TempDir(), "flow.lp")
		if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return graphfile.Read(file)
	}
	if _, err := read(flow); err == nil || !strings.Contains(err.Error(), "variable free_one lies between -Inf and 1") {
		t.Errorf("a variable without bounds: %v", err)
	}
	good := strings.Replace(flow, " -inf <= free_one <= 1\n", "", 1)
	g, err := read(good)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(g.Names, " ") != "a b c" || g.Format != "lp" {
		t.Errorf("detections %v of format %s", g.Names, g.Format)
	}
	r, err := trackgraph.Solve(t.Context(), &g.Graph, nil)
	if want := -(5 + 4 + 4 - 1 - 1 - 1 - .5 + 3 + 2.5); err != nil || r.UpperBound != want {
		t.Errorf("the optimum is %v, want %v: %v", r.UpperBound, want, err)
	}
	for _, tt := range []struct{ old, new, want string }{
		{" split_a - cell_a <= 0\n", "", "nothing says that split_a needs cell_a"},
		{"in_a: app_a - cell_a = 0", "in_a: app_a - 3 cell_a = 0", "row in_a has different coefficients"},
		{"in_a: app_a - cell_a = 0", "in_a: app_a - cell_a = 1", "row in_a is an equation with 1 on the right"},
		{" split_a - cell_a <= 0\n", " split_a - cell_a <= 0\n most: ab + ac + cell_b <= 2\n", "row most is none of those"},
		{"- .5 split_a", "+ 7 split_a", "exclude each other, and both save something"},
		{"- .5 split_a", "- .5 split_a ^ 2", "not linear"},
		{"in_c: ac + app_c", "in_c: ac + ab + app_c", "in three equations"},
		{"END", "", "without the word End"},
		{"st\n", "st\n = 3\n", "row in line 6 cannot hold"},
		{"st\n", "st\n r: ab + 3\n", "stands where a comparison should"},
	} {
		if !strings.Contains(good, tt.old) {
			t.Fatalf("no %q", tt.old)
		}
		_, err := read(strings.Replace(good, tt.old, tt.new, 1))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("with %q: %v, want %s", tt.new, err, tt.want)
		}
	}
}

// A knapsack, an assignment problem and an empty one are no tracking problems.
func TestExchangeRefused(t *testing.T) {
	for _, content := range []string{
		"Maximize\n 3 a + 4 b + 5 c\nSubject To\n 2 a + 3 b + 4 c <= 5\nBinary\n a b c\nEnd\n",
		"Minimize\n a + 2 b + 3 c + 4 d\nSubject To\n a + b = 1\n c + d = 1\n a + c = 1\n b + d = 1\nBinary\n a b c d\nEnd\n",
		"Minimize\n a\nSubject To\n a >= 1\nEnd\n",
		"NAME x\nROWS\n N cost\n L r\nCOLUMNS\n a cost 1 r 2\n b cost 2 r 3\nRHS\n rhs r 4\nENDATA\n",
		"NAME x\nROWS\n N cost\n Q r\nENDATA\n",
		"NAME x\nROWS\n N cost\nCOLUMNS\n a other 1\nENDATA\n",
		"NAME x\nROWS\n N cost\nRANGES\n a other 1\nENDATA\n",
	} {
		file := filepath.Join(t.TempDir(), "p.lp")
		if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if g, err := graphfile.Read(file); err == nil {
			t.Errorf("%q became a graph of %d detections", content, len(g.Frame))
		} else if len(err.Error()) < 40 {
			t.Errorf("%q: %v says little", content, err)
		} else {
			t.Log(err)
		}
	}
}
