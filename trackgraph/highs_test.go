package trackgraph_test

// This file compares Solve with HiGHS on the .lp files that this package writes.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"mtt/internal/nightly"
	"mtt/trackgraph"
)

func TestHiGHS(t *testing.T) {
	if testing.Short() {
		t.Skip("starts HiGHS, which takes seconds")
	}
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import scipy.optimize").Run(); err != nil {
		t.Skip("no python with scipy: ", err)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	dir := t.TempDir()
	args := []string{filepath.Join("testdata", "highs.py")}
	var graphs []*trackgraph.Graph
	add := func(g *trackgraph.Graph) {
		var b bytes.Buffer
		if err := g.WriteLP(&b); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, fmt.Sprintf("%d.lp", len(graphs)))
		if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		graphs, args = append(graphs, g), append(args, name)
	}
	for seed := range nightly.Or[uint64](8, 16) {
		add(colony(seed, 10+2*int(seed), 10))
	}
	for range nightly.Or(7, 14) {
		for _, k := range kinds {
			add(random(rng, k, 25, 60))
		}
	}
	c := exec.Command(python, args...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	weaker := 0
	for k, g := range graphs {
		var want struct{ LP, IP *float64 }
		if err := dec.Decode(&want); err != nil {
			t.Fatal(err)
		}
		r, err := trackgraph.Solve(context.Background(), g, &trackgraph.Options{Effort: inf})
		if err != nil {
			if want.IP != nil {
				t.Errorf("graph %d: %v; HiGHS: %v", k, err, *want.IP)
			}
			continue
		}
		if want.IP == nil || math.Abs(*want.IP-r.UpperBound) > 1e-6*(1+math.Abs(r.UpperBound)) || r.Status != trackgraph.Optimal {
			t.Errorf("graph %d: %v, %v to %v; HiGHS: %v", k, r.Status, r.LowerBound, r.UpperBound, want.IP)
		}
		if r.Certified < *want.LP-1e-6*(1+math.Abs(*want.LP)) {
			weaker++
		}
	}
	t.Logf("%d graphs; in %d the prices prove less than the linear relaxation", len(graphs), weaker)
}
