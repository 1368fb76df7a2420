package dualascent_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"mtt/dualascent"
)

// TestFreeEnergy compares with the sum over all assignments, tried one by one.
func TestFreeEnergy(t *testing.T) {
	const problems = 400
	forests := 0
	for k := range kinds {
		if kinds[k].end == 1 {
			continue // all is forced there, which makes cycles of certainties
		}
		rng := rand.New(rand.NewPCG(3, uint64(k)))
		var off, added float64 // nat, in all: by which it is off, and by which the sum is below the best assignment
		for range problems {
			d := random(rng, kinds[k], append(sizes(rng, kinds[k]), 1)...)
			if len(d.nodes) < 2 {
				continue
			}
			sum, best := 0.0, inf
			d.each(func(to [][]int) {
				sum += math.Exp(-d.cost(to))
				best = min(best, d.cost(to))
			})
			got, err := dualascent.FreeEnergy(t.Context(), d.instance(), nil, 1)
			if err != nil {
				t.Fatal(err)
			}
			if sum == 0 {
				continue
			}
			exact := forest(d)
			if exact {
				forests++
			}
			if exact && math.Abs(got+math.Log(sum)) > 1e-9 {
				t.Errorf("%s, %v nodes: %v, want %v", kinds[k].name, d.nodes, got, -math.Log(sum))
			}
			off += math.Abs(got + math.Log(sum))
			added += best + math.Log(sum)
		}
		t.Logf("%s: off by %.3f of %.3f nat", kinds[k].name, off/problems, added/problems)
		if off > added/8 {
			t.Errorf("%s: off by %v of %v nat", kinds[k].name, off/problems, added/problems)
		}
	}
	if forests < 100 {
		t.Errorf("%d problems have no cycles", forests)
	}
}

// TestFreeEnergyOfDearEnds: ends that nobody can pay force everything, and prices are where
// messages have to go. Without, the sums were up to 700 nat off.
func TestFreeEnergyOfDearEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for range 200 {
		n := 2 + rng.IntN(3)
		d := random(rng, kinds[0], n, n, n)
		for p := range d.arc {
			for i := range n {
				d.death[p][i], d.birth[p][i] = 345, 345
			}
		}
		sum := 0.0
		d.each(func(to [][]int) { sum += math.Exp(-d.cost(to)) })
		inst := d.instance()
		res, err := dualascent.Solve(t.Context(), inst, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := dualascent.FreeEnergy(t.Context(), inst, res.Prices, 1)
		if most := float64(3*n) * math.Ln2 / 2; err != nil || math.Abs(got+math.Log(sum)) > most {
			t.Errorf("%d nodes: %v, %v, want %v to within %v", n, got, err, -math.Log(sum), most)
		}
	}
}

// forest says whether the arcs of d form no cycle.
func forest(d *dense) bool {
	parent := make(map[[2]int][2]int)
	var root func(v [2]int) [2]int
	root = func(v [2]int) [2]int {
		if up, ok := parent[v]; ok {
			return root(up)
		}
		return v
	}
	for p := range d.arc {
		for i := range d.arc[p] {
			for j, c := range d.arc[p][i] {
				u, v := root([2]int{p, i}), root([2]int{p + 1, j})
				switch {
				case c == inf:
				case u == v:
					return false
				default:
					parent[u] = v
				}
			}
		}
	}
	return true
}

// Costs that differ by more than numbers hold, nodes without a choice and an ended context.
func TestFreeEnergyAtTheEdges(t *testing.T) {
	far := &dense{nodes: []int{1, 1, 1}, arc: [][][]float64{{{-900}}, {{-900}}}, death: [][]float64{{0}, {0}}, birth: [][]float64{{0}, {0}},
		block: [][][][]float64{nil, {{{3000, 1}, {1, 5000}}}}}
	// The likeliest arcs do not go together: one of them, and the other end free.
	want := -900 + 1 - math.Log(2)
	if got, err := dualascent.FreeEnergy(t.Context(), far.instance(), nil, 1); err != nil || math.Abs(got-want) > 1e-9 {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	none := &dense{nodes: []int{1, 1}, arc: [][][]float64{{{inf}}}, death: [][]float64{{inf}}, birth: [][]float64{{0}}}
	if got, err := dualascent.FreeEnergy(t.Context(), none.instance(), nil, 1); err != nil || got != inf {
		t.Errorf("%v, %v, want +Inf", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := dualascent.FreeEnergy(ctx, far.instance(), nil, 1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestFreeEnergyOfManyNodes: however many goroutines share the nodes of a frame, the sum is the
// same to the bit.
func TestFreeEnergyOfManyNodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	inst := &dualascent.Instance{}
	const n, reach = 1000, 5
	for range 3 {
		g := dualascent.FramePair{Rows: n, Cols: n, Ptr: []int{0}, RowMiss: make([]float64, n), ColMiss: make([]float64, n)}
		for i := range n {
			for j := max(0, i-reach); j <= min(n-1, i+reach); j++ {
				g.Col, g.Cost = append(g.Col, int32(j)), append(g.Cost, 3*rng.NormFloat64())
			}
			g.Ptr = append(g.Ptr, len(g.Col))
		}
		inst.Pairs = append(inst.Pairs, g)
	}
	for p := 1; p < len(inst.Pairs); p++ {
		in := make([]int, n) // arcs
		for _, j := range inst.Pairs[p-1].Col {
			in[j]++
		}
		b := dualascent.Block{Ptr: []int{0}}
		for j := range n {
			out := inst.Pairs[p].Ptr[j+1] - inst.Pairs[p].Ptr[j]
			for range (in[j] + 1) * (out + 1) {
				b.D = append(b.D, rng.NormFloat64())
			}
			b.Ptr = append(b.Ptr, len(b.D))
		}
		inst.Blocks = append(inst.Blocks, b)
	}
	one, err := dualascent.FreeEnergy(t.Context(), inst, nil, 1)
	if err != nil || math.IsNaN(one) || math.IsInf(one, 0) {
		t.Fatal(one, err)
	}
	for _, goroutines := range []int{0, 2, 7} {
		if got, err := dualascent.FreeEnergy(t.Context(), inst, nil, goroutines); err != nil || got != one {
			t.Errorf("%d goroutines: %v, %v, want %v", goroutines, got, err, one)
		}
	}
}
