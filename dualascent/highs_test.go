package dualascent_test

// This file compares the engine with an exact solver of the integer programme:
// HiGHS, by way of Python and scipy.
//
// What HiGHS found is kept in testdata/exact.jsonl, so that the comparison takes
// a second and needs no Python. Where the costs of scenes have changed since, as they
// do with the model of costs, the test fails until -update has solved them anew, which
// takes a minute and Python.

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"mtt/dualascent"
	"mtt/internal/golden"
	"mtt/scenario"
)

// An exact is what HiGHS says of the instance of a scene.
type exact struct {
	Scene          string
	Arcs, Triplets int
	Sum            float64 // of all finite costs: with the counts, tells whether the instance is still the same

	LP     float64 // optimum of the linear relaxation
	MILP   float64 // cost of the best assignment found
	Proven float64 // lower bound of the integer programme; MILP when that is the optimum
}

// same reports whether x is about this instance.
func (x *exact) same(y *exact) bool {
	return x.Scene == y.Scene && x.Arcs == y.Arcs && x.Triplets == y.Triplets && math.Abs(x.Sum-y.Sum) < 1e-9*math.Abs(y.Sum)
}

func describe(s *scene, inst *dualascent.Instance) exact {
	inst = stored(inst)
	x := exact{Scene: s.String(), Arcs: inst.Arcs(), Triplets: inst.Triplets()}
	add := func(costs []float64) {
		for _, c := range costs {
			if c < inf {
				x.Sum += c
			}
		}
	}
	for p := range inst.Pairs {
		add(inst.Pairs[p].Cost)
		add(inst.Pairs[p].RowMiss)
		add(inst.Pairs[p].ColMiss)
	}
	for p := range inst.Blocks {
		add(inst.Blocks[p].D)
	}
	return x
}

// exactScenes are small scenes, crowded enough to be hard.
func exactScenes() []scene {
	var list []scene
	costs := []string{"nll", "trapezoid", "paper"}
	noises := []float64{0.05, 0.1, 0.2, 0.3}
	spreads := []float64{1, 1.5, 2.5}
	kinds := []scenario.Kind{scenario.Burst, scenario.Cross}
	for i := range 132 {
		s := scene{
			kind:    kinds[i%2],
			cost:    costs[i/2%3],
			noise:   noises[i/6%4],
			spread:  spreads[i/24%3],
			targets: 5 + i*7%16,
			frames:  5 + i*5%8,
			seed:    uint64(i),
		}
		if i%4 == 3 {
			n := float64(s.targets)
			s.miss, s.clutter, s.births = 0.1, n/10, n/20
		}
		s.positions = i%11 == 5 && s.cost == "nll"
		list = append(list, s)
	}
	return list
}

const exactFile = "exact.jsonl"

// exactly returns what HiGHS says of each instance.
func exactly(t *testing.T, scenes []scene, list []*dualascent.Instance) []exact {
	t.Helper()
	kept := readLines[exact](t, filepath.Join("testdata", exactFile))
	results := make([]exact, len(list))
	var open []int
	for i, inst := range list {
		results[i] = describe(&scenes[i], inst)
		if i < len(kept) && kept[i].same(&results[i]) {
			results[i] = kept[i]
		} else {
			open = append(open, i)
		}
	}
	if len(open) > 0 && !golden.Update() {
		t.Fatalf("%d of %d instances are not in testdata/%s; HiGHS solves them with: go test ./dualascent -run TestAgainstHiGHS -update",
			len(open), len(list), exactFile)
	}
	if len(open) > 0 {
		solveExactly(t, results, list, open)
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		for i := range results {
			if err := e.Encode(&results[i]); err != nil {
				t.Fatal(err)
			}
		}
		golden.Equal(t, exactFile, b.Bytes())
	}
	return results
}

// solveExactly fills results[i] of each i of open from list[i].
func solveExactly(t *testing.T, results []exact, list []*dualascent.Instance, open []int) {
	t.Helper()
	const seconds = "120" // for each instance; the hardest takes 30
	python := findPython(t)
	path := filepath.Join(t.TempDir(), "instances.jsonl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(file)
	for _, i := range open {
		if err := writeInstance(w, list[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, filepath.Join("testdata", "highs.py"), path, seconds)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, out, 0o666); err != nil {
		t.Fatal(err)
	}
	found := readLines[struct {
		LP, MILP, Proven float64
		Infeasible       bool
	}](t, path)
	if len(found) != len(open) {
		t.Fatalf("%d results for %d instances", len(found), len(open))
	}
	for k, i := range open {
		if found[k].Infeasible {
			t.Fatalf("%s: HiGHS finds no solution", results[i].Scene)
		}
		results[i].LP, results[i].MILP, results[i].Proven = found[k].LP, found[k].MILP, found[k].Proven
	}
}

// findPython finds a Python with scipy.optimize.milp, or skips the test.
func findPython(t *testing.T) string {
	t.Helper()
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(python, "-c", "from scipy.optimize import milp").Run() == nil {
			return python
		}
	}
	t.Skip("no python3 with scipy 1.9 or later here to solve them")
	return ""
}

// readLines reads a file of one JSON value on each line; none when it is missing.
func readLines[T any](t *testing.T, path string) []T {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var list []T
	for line := range bytes.Lines(data) {
		var x T
		if err := json.Unmarshal(line, &x); err != nil {
			t.Fatalf("%s: %v in %q", path, err, line)
		}
		list = append(list, x)
	}
	return list
}

// writeInstance writes inst as one line of JSON for testdata/highs.py, null for
// +Inf.
func writeInstance(w *bufio.Writer, inst *dualascent.Instance) error {
	type gap struct {
		Ptr     []int      `json:"ptr"`
		Col     []int32    `json:"col"`
		Cost    []*float64 `json:"cost"`
		RowMiss []*float64 `json:"rowmiss"`
		ColMiss []*float64 `json:"colmiss"`
	}
	type block struct {
		Ptr []int      `json:"ptr"`
		D   []*float64 `json:"d"`
	}
	costs := func(s []float64) []*float64 {
		t := make([]*float64, len(s))
		for i := range s {
			if s[i] < inf {
				t[i] = &s[i]
			}
		}
		return t
	}
	var v struct {
		Gaps   []gap   `json:"gaps"`
		Blocks []block `json:"blocks"`
	}
	for p := range inst.Pairs {
		g := &inst.Pairs[p]
		v.Gaps = append(v.Gaps, gap{g.Ptr, g.Col, costs(g.Cost), costs(g.RowMiss), costs(g.ColMiss)})
	}
	for _, b := range stored(inst).Blocks {
		v.Blocks = append(v.Blocks, block{b.Ptr, costs(b.D)})
	}
	return json.NewEncoder(w).Encode(&v) // ends the line
}

// A tally counts, over instances, what came out.
type tally struct {
	instances int
	integral  int // the linear relaxation has the optimum of the integer programme
	relaxed   int // what our prices prove is the optimum of the linear relaxation, to 1e-5
	optimal   int // our answer is the optimum
	proven    int // and our bound says so
}

func (c *tally) add(d tally) {
	c.instances += d.instances
	c.integral += d.integral
	c.relaxed += d.relaxed
	c.optimal += d.optimal
	c.proven += d.proven
}

func TestAgainstHiGHS(t *testing.T) {
	scenes := exactScenes()
	list := make([]*dualascent.Instance, len(scenes))
	for i := range scenes {
		list[i] = scenes[i].instance(t)
	}
	truth := exactly(t, scenes, list)

	rows := []string{"nll", "nll positions", "trapezoid", "paper", "all"}
	counts := make(map[string]*tally)
	for _, name := range rows {
		counts[name] = new(tally)
	}
	one := func(yes bool) int {
		if yes {
			return 1
		}
		return 0
	}
	var worstAnswer, worstBound float64
	for i, inst := range list {
		s, x := &scenes[i], &truth[i]
		res, err := dualascent.Solve(context.Background(), inst, nil)
		if err != nil {
			t.Fatalf("%v: %v", s, err)
		}
		scale := max(math.Abs(x.MILP), 1)
		if res.Certified > x.LP+1e-6*scale {
			t.Errorf("%v: prices prove %v, more than the optimum of the linear relaxation, %v", s, res.Certified, x.LP)
		}
		if res.LowerBound > x.MILP+1e-6*scale {
			t.Errorf("%v: bound %v is above the optimum, %v", s, res.LowerBound, x.MILP)
		}
		if res.UpperBound < x.Proven-1e-6*scale {
			t.Errorf("%v: answer costs %v, less than the optimum, %v", s, res.UpperBound, x.Proven)
		}
		d := tally{
			instances: 1,
			integral:  one(x.MILP-x.LP < 1e-6*scale),
			relaxed:   one(x.LP-res.Certified < 1e-5*scale),
			optimal:   one(res.UpperBound-x.MILP < 1e-6*scale),
			proven:    one(res.Status == dualascent.Optimal),
		}
		if d.proven > d.optimal {
			t.Errorf("%v: %v is called optimal, the optimum is %v", s, res.UpperBound, x.MILP)
		}
		name := s.cost
		if s.positions {
			name += " positions"
		}
		counts[name].add(d)
		counts["all"].add(d)
		excess := 100 * (res.UpperBound - x.MILP) / scale
		if d.optimal == 0 {
			t.Logf("%v: answer %.3f %% above the optimum", s, excess)
		}
		worstAnswer = max(worstAnswer, excess)
		worstBound = max(worstBound, 100*(x.LP-res.Certified)/scale)
	}
	t.Logf("%-14s %9s %11s %8s %8s %6s", "cost", "instances", "LP integral", "bound=LP", "optimal", "proven")
	for _, name := range rows {
		c := counts[name]
		t.Logf("%-14s %9d %11d %8d %8d %6d", name, c.instances, c.integral, c.relaxed, c.optimal, c.proven)
	}
	t.Logf("worst answer %.3f %% above the optimum, worst bound %.3f %% below the linear relaxation", worstAnswer, worstBound)
	if all := counts["all"]; 100*all.proven < 99*all.instances {
		t.Errorf("%d of %d answers are proved optimal, want 99 %%", all.proven, all.instances)
	}
}

// TestInstanceLine keeps the file format that testdata/highs.py reads.
func TestInstanceLine(t *testing.T) {
	inst := &dualascent.Instance{
		Pairs: []dualascent.FramePair{
			{Rows: 1, Cols: 1, Ptr: []int{0, 1}, Col: []int32{0}, Cost: []float64{1.5}, RowMiss: []float64{inf}, ColMiss: []float64{2}},
			{Rows: 1, Cols: 0, Ptr: []int{0, 0}, Col: []int32{}, Cost: []float64{}, RowMiss: []float64{3}, ColMiss: []float64{}},
		},
		Blocks: []dualascent.Block{{Ptr: []int{0, 2}, D: []float64{4, inf}}},
	}
	if err := inst.Validate(); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	if err := writeInstance(w, inst); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	const want = `{"gaps":[{"ptr":[0,1],"col":[0],"cost":[1.5],"rowmiss":[null],"colmiss":[2]},` +
		`{"ptr":[0,0],"col":[],"cost":[],"rowmiss":[3],"colmiss":[]}],"blocks":[{"ptr":[0,2],"d":[4,null]}]}` + "\n"
	if b.String() != want {
		t.Errorf("got  %swant %s", b.String(), want)
	}
}
