package gating

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"mtt"
)

var testGates = []Gate{
	Ball{Radius: 0},
	Ball{Radius: 2},
	Ball{Radius: math.MaxFloat64},
	Disc{Epsilon: 2, Margin: 0.4},
	Disc{},
	Disc{MaxSpeed: 1.5, Margin: 0.1},
	Mahalanobis{Sigma: 0.5, SigmaV: 0.4, Noise: 0.1, SpeedStd: 1},
	Mahalanobis{G: 4, Sigma: 0.1, SigmaV: 2, SpeedStd: 0.5},
}

// TestNeighborsBrute compares with all pairs: layouts × velocities × gates ×
// dimensions × caps.
func TestNeighborsBrute(t *testing.T) {
	speeds := []struct {
		name  string
		scale func(rng *rand.Rand) float64
	}{
		{"still", func(rng *rand.Rand) float64 { return 0 }},
		{"walking", func(rng *rand.Rand) float64 { return 1 }},
		{"from crawling to light", func(rng *rand.Rand) float64 { return math.Exp(8 * rng.NormFloat64()) }},
	}
	for _, dim := range []int{2, 3} {
		for _, lay := range layouts {
			for _, speed := range speeds {
				t.Run(fmt.Sprintf("%dD/%s/%s", dim, lay.name, speed.name), func(t *testing.T) {
					rng := rand.New(rand.NewPCG(1, uint64(dim)))
					vel := func(i, d int) float64 { return speed.scale(rng) * rng.NormFloat64() }
					a := scanOf(45, dim, 2, lay.pos(rng), vel)
					b := scanOf(60, dim, 2.5, lay.pos(rng), vel)
					var f Finder
					for _, g := range testGates {
						for _, k := range []int{0, 1, 3} {
							f.K = k
							got, err := f.Neighbors(nil, a, b, g)
							if err != nil {
								t.Fatal(err)
							}
							want := brute(a, b, g, k) // a difference is printed by cmp, which takes its time
							if got.Rows != want.Rows || got.Cols != want.Cols || !slices.Equal(got.Ptr, want.Ptr) || !slices.Equal(got.Col, want.Col) {
								t.Errorf("%v, K=%d: differs from all pairs (-want +got):\n%s", g, k, cmp.Diff(want, got, cmpopts.EquateEmpty()))
							}
						}
					}
				})
			}
		}
	}
}

// TestNeighborsLarge compares a scene large enough for numbered, widened and
// hashed cells, and checks that each of them is met.
func TestNeighborsLarge(t *testing.T) {
	tests := []struct {
		name   string
		pos    func(rng *rand.Rand) func(i, d int) float64
		radius float64
		dense  bool
		wide   bool // cells wider than the radius
	}{
		{"numbered", layouts[0].pos, 1.5, true, false},
		{"widened", layouts[0].pos, 0.05, true, true},
		{"hashed", layouts[2].pos, 0.3, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 4))
			a, b := scanOf(1500, 2, 0, tt.pos(rng), nil), scanOf(1500, 2, 1, tt.pos(rng), nil)
			var f Finder
			got, err := f.Neighbors(nil, a, b, Ball{tt.radius})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(brute(a, b, Ball{tt.radius}, 0), got); diff != "" {
				t.Errorf("differs from all pairs (-want +got):\n%s", diff)
			}
			c := &f.levels[0].cells
			if wide := 1/c.inv > 1.01*tt.radius; c.dense != tt.dense || wide != tt.wide {
				t.Errorf("dense = %v, wide = %v, want %v, %v", c.dense, wide, tt.dense, tt.wide)
			}
		})
	}
}

// TestMemoryIsLinear checks that no layout makes the grids larger than a few
// numbers for each detection.
func TestMemoryIsLinear(t *testing.T) {
	const n = 1000
	for _, lay := range layouts {
		for _, dim := range []int{2, 3} {
			rng := rand.New(rand.NewPCG(5, 6))
			a, b := scanOf(n, dim, 0, lay.pos(rng), nil), scanOf(n, dim, 1, lay.pos(rng), nil)
			for _, radius := range []float64{1e-200, 1e-6, 1, 1e6} {
				var f Finder
				if _, err := f.Neighbors(nil, a, b, Ball{radius}); err != nil {
					t.Fatal(err)
				}
				for _, l := range f.levels {
					if len(l.start) > cellsPerPoint*n+65 || len(l.points) != n {
						t.Errorf("%s, %dD, radius %v: %d cells for %d points", lay.name, dim, radius, len(l.start), n)
					}
				}
			}
		}
	}
}

// TestLevels checks that a few fast rows do not make every row search far: all
// radii are served by a grid of at most twice theirs.
func TestLevels(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	pos := func(i, d int) float64 { return 1e4 * rng.Float64() }
	a := scanOf(300, 2, 0, pos, func(i, d int) float64 { return math.Pow(10, float64(i%5)) })
	var f Finder
	if _, err := f.Neighbors(nil, a, scanOf(300, 2, 1, pos, nil), Disc{}); err != nil {
		t.Fatal(err)
	}
	if len(f.levels) != 5 {
		t.Fatalf("%d levels for 5 speeds", len(f.levels))
	}
	for _, r := range f.radius {
		if !slices.ContainsFunc(f.levels, func(l level) bool { return r <= l.reach && r >= l.reach/levelRatio }) {
			t.Errorf("no level for radius %v", r)
		}
	}
}

func TestNeighborsEmpty(t *testing.T) {
	some := &mtt.Scan{Time: 1, Dim: 2, Pos: []float64{1, 2, 3, 4}}
	later := &mtt.Scan{Time: 2, Dim: 2, Pos: []float64{1, 2, 3, 4}}
	tests := []struct {
		name string
		a, b *mtt.Scan
		want CSR
	}{
		{"no rows", &mtt.Scan{}, some, CSR{Rows: 0, Cols: 2, Ptr: []int{0}}},
		{"no columns", some, &mtt.Scan{Time: 2}, CSR{Rows: 2, Cols: 0, Ptr: []int{0, 0, 0}}},
		{"neither", &mtt.Scan{}, &mtt.Scan{Time: 1, Dim: 3}, CSR{Ptr: []int{0}}},
		{"no rows of three dimensions", &mtt.Scan{Dim: 3}, some, CSR{Rows: 0, Cols: 2, Ptr: []int{0}}},
		{"zero radius", some, later, CSR{Rows: 2, Cols: 2, Ptr: []int{0, 0, 0}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, k := range []int{0, 2} {
				f := Finder{K: k}
				got, err := f.Neighbors(nil, tt.a, tt.b, Ball{})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(&tt.want, got, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

// TestNeighborsReuse checks that a used dst leaves no trace in the result.
func TestNeighborsReuse(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	var f Finder
	dst := new(CSR)
	for _, n := range []int{50, 3, 0, 80} {
		a, b := arena(rng, n, 0.1)
		got, err := f.Neighbors(dst, a, b, Disc{})
		if err != nil {
			t.Fatal(err)
		}
		if got != dst {
			t.Fatal("dst is not returned")
		}
		if diff := cmp.Diff(brute(a, b, Disc{}, 0), got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("n = %d (-want +got):\n%s", n, diff)
		}
	}
}

func TestNeighborsErrors(t *testing.T) {
	a := mtt.Scan{Frame: 3, Time: 3, Dim: 2, Pos: []float64{1, 2, 3, 4}, Vel: []float64{1, 0, 0, 1}}
	b := mtt.Scan{Frame: 4, Time: 4, Dim: 2, Pos: []float64{1, 2, 3, 4}, Vel: []float64{1, 0, 0, 1}}
	ok := Mahalanobis{Sigma: 1, SigmaV: 1, SpeedStd: 1}
	tests := []struct {
		name string
		edit func(a, b *mtt.Scan) Gate
		want error
		text string
	}{
		{"NaN position", func(a, b *mtt.Scan) Gate { a.Pos[3] = math.NaN(); return ok }, ErrNotFinite, "frame 3, detection 1: position [3 NaN]"},
		{"infinite position", func(a, b *mtt.Scan) Gate { b.Pos[0] = math.Inf(1); return ok }, ErrNotFinite, "frame 4, detection 0: position [+Inf 2]"},
		{"absurd position", func(a, b *mtt.Scan) Gate { b.Pos[1] = -1e200; return ok }, ErrNotFinite, "frame 4, detection 0: position [1 -1e+200]"},
		{"NaN velocity", func(a, b *mtt.Scan) Gate { b.Vel[2] = math.NaN(); return ok }, ErrNotFinite, "frame 4, detection 1: velocity [NaN 1]"},
		{"same time", func(a, b *mtt.Scan) Gate { b.Time = 3; return ok }, ErrTime, "frame 4 at 3 s is not later than frame 3 at 3 s"},
		{"earlier", func(a, b *mtt.Scan) Gate { b.Time = 2; return ok }, ErrTime, "out of order"},
		{"NaN time", func(a, b *mtt.Scan) Gate { b.Time = math.NaN(); return ok }, ErrTime, "NaN s"},
		{"ball", func(a, b *mtt.Scan) Gate { return Ball{-1} }, ErrGate, "Ball.Radius is -1"},
		{"ball without end", func(a, b *mtt.Scan) Gate { return Ball{math.Inf(1)} }, ErrGate, "Ball.Radius is +Inf"},
		{"disc factor", func(a, b *mtt.Scan) Gate { return Disc{Epsilon: -2} }, ErrGate, "Disc.Epsilon is -2"},
		{"disc margin", func(a, b *mtt.Scan) Gate { return Disc{Margin: math.NaN()} }, ErrGate, "Disc.Margin is NaN"},
		{"disc speed", func(a, b *mtt.Scan) Gate { return Disc{MaxSpeed: -1} }, ErrGate, "Disc.MaxSpeed is -1"},
		{"disc without velocities", func(a, b *mtt.Scan) Gate { a.Vel = nil; return Disc{} }, ErrGate, "frame 3 has no velocities, so Disc needs MaxSpeed"},
		{"ellipse threshold", func(a, b *mtt.Scan) Gate { return Mahalanobis{G: -1, Sigma: 1, SigmaV: 1} }, ErrGate, "Mahalanobis.G is -1"},
		{"ellipse without noise", func(a, b *mtt.Scan) Gate { return Mahalanobis{} }, ErrGate, "Mahalanobis.Sigma must be above 0"},
		{"ellipse without velocity noise", func(a, b *mtt.Scan) Gate { return Mahalanobis{Sigma: 1} }, ErrGate, "SigmaV or Noise must be above 0"},
		{"ellipse without velocities", func(a, b *mtt.Scan) Gate { a.Vel, b.Vel = nil, nil; return Mahalanobis{Sigma: 1} }, ErrGate, "frame 3 has no velocities, so Mahalanobis needs SpeedStd"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := a, b
			a.Pos, a.Vel, b.Pos, b.Vel = slices.Clone(a.Pos), slices.Clone(a.Vel), slices.Clone(b.Pos), slices.Clone(b.Vel)
			g := tt.edit(&a, &b)
			got, err := Neighbors(nil, &a, &b, g)
			if got != nil || !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) || !strings.HasPrefix(err.Error(), "gating: ") {
				t.Errorf("Neighbors = %v, %q, want an error that wraps %q and says %q", got, err, tt.want, tt.text)
			}
		})
	}
}

func TestNeighborsPanics(t *testing.T) {
	good := func() *mtt.Scan { return &mtt.Scan{Time: 1, Dim: 2, Pos: []float64{1, 2, 3, 4, 5, 6}} }
	tests := []struct {
		name string
		k    int
		edit func(a *mtt.Scan)
	}{
		{"dimension differs", 0, func(a *mtt.Scan) { a.Dim = 3 }},
		{"dimension 1", 0, func(a *mtt.Scan) { a.Dim = 1 }},
		{"ragged positions", 0, func(a *mtt.Scan) { a.Pos = a.Pos[:5] }},
		{"short velocities", 0, func(a *mtt.Scan) { a.Vel = a.Pos[:4] }},
		{"negative cap", -1, func(a *mtt.Scan) {}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := good(), good()
			a.Time = 0
			tt.edit(a)
			defer func() {
				if msg, _ := recover().(string); !strings.HasPrefix(msg, "gating: ") {
					t.Errorf("recovered %q, want a message of the package", msg)
				}
			}()
			f := Finder{K: tt.k}
			f.Neighbors(nil, a, b, Ball{1})
		})
	}
}

func TestNeighborsAllocatesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	a, b := arena(rng, 500, 0.1)
	for _, g := range []Gate{Ball{3}, Disc{Margin: 0.5}, Mahalanobis{Sigma: 0.1, SigmaV: 0.1}} {
		for _, k := range []int{0, 2} {
			f := Finder{K: k}
			var dst CSR
			allocs := testing.AllocsPerRun(10, func() {
				if _, err := f.Neighbors(&dst, a, b, g); err != nil {
					t.Fatal(err)
				}
			})
			if allocs != 0 {
				t.Errorf("%v, K = %d: %v allocations", g, k, allocs)
			}
		}
	}
}

// drawScans draws two scans whose coordinates are small multiples of 1/64, so
// that sums with other such numbers are exact.
func drawScans(t *rapid.T) (a, b *mtt.Scan) {
	dim := rapid.IntRange(2, 3).Draw(t, "dim")
	scan := func(name string, time float64) *mtt.Scan {
		n := rapid.IntRange(0, 25).Draw(t, name+" size")
		grid := rapid.IntRange(-640, 640)
		s := scanOf(n, dim, time,
			func(i, d int) float64 { return float64(grid.Draw(t, name)) / 64 },
			func(i, d int) float64 { return float64(grid.Draw(t, name+" velocity")) / 256 })
		return s
	}
	return scan("a", 1), scan("b", 1.5)
}

func mustNeighbors(t *rapid.T, a, b *mtt.Scan, g Gate, k int) *CSR {
	f := Finder{K: k}
	got, err := f.Neighbors(nil, a, b, g)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func drawGate(t *rapid.T) Gate { return rapid.SampledFrom(testGates).Draw(t, "gate") }

// TestTranslation moves both scans by one shift; no rounding, no change.
func TestTranslation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawScans(t)
		g, k := drawGate(t), rapid.IntRange(0, 3).Draw(t, "K")
		want := mustNeighbors(t, a, b, g, k)
		shift := float64(rapid.IntRange(-1<<30, 1<<30).Draw(t, "shift"))
		for _, s := range []*mtt.Scan{a, b} {
			for k := range s.Pos {
				s.Pos[k] += shift
			}
		}
		if diff := cmp.Diff(want, mustNeighbors(t, a, b, g, k)); diff != "" {
			t.Fatalf("changed by a shift of %v (-before +after):\n%s", shift, diff)
		}
	})
}

// TestPermutation renumbers the detections of both scans: the same pairs under
// new numbers.
func TestPermutation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawScans(t)
		g := drawGate(t)
		before := mustNeighbors(t, a, b, g, 0)
		a2, to := permute(t, a)
		b2, from := permute(t, b)
		after := mustNeighbors(t, a2, b2, g, 0)
		if before.NNZ() != after.NNZ() {
			t.Fatalf("%d pairs became %d", before.NNZ(), after.NNZ())
		}
		for i := range before.Rows {
			for _, j := range before.Row(i) {
				if after.Entry(to[i], from[j]) < 0 {
					t.Fatalf("pair %d, %d is lost as %d, %d", i, j, to[i], from[j])
				}
			}
		}
	})
}

// permute renumbers the detections: i becomes to[i].
func permute(t *rapid.T, s *mtt.Scan) (renumbered *mtt.Scan, to []int) {
	to = make([]int, s.Len())
	for i := range to {
		to[i] = i
	}
	to = rapid.Permutation(to).Draw(t, "permutation")
	c := *s
	c.Pos, c.Vel = slices.Clone(s.Pos), slices.Clone(s.Vel)
	for i, k := range to {
		copy(c.At(k), s.At(i))
		copy(c.VelAt(k), s.VelAt(i))
	}
	return &c, to
}

// TestGrowing grows the gate: no pair is lost.
func TestGrowing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawScans(t)
		g := drawGate(t)
		small := mustNeighbors(t, a, b, g, 0)
		large := mustNeighbors(t, a, b, sizedOf(g).resize(min(sizedOf(g).size()*rapid.Float64Range(1, 4).Draw(t, "factor"), math.MaxFloat64)), 0)
		for i := range small.Rows {
			for _, j := range small.Row(i) {
				if large.Entry(i, int(j)) < 0 {
					t.Fatalf("%v keeps pair %d, %d, a larger gate does not", g, i, j)
				}
			}
		}
	})
}

// TestRim places one detection on the rim of the gate, a few roundings in or
// out: the search and the statistic must agree on which side it is.
func TestRim(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	inside := 0
	const n = 2000
	for range n {
		a := &mtt.Scan{Dim: 2, Pos: []float64{0, 0}} // where coordinates are finest
		b := &mtt.Scan{Dim: 2, Time: 1, Pos: []float64{0, 0}}
		g := Mahalanobis{G: 100 * rng.Float64(), Sigma: rng.Float64(), SpeedStd: rng.Float64()}
		r, err := newRule(a, b, g, nil)
		if err != nil {
			t.Fatal(err)
		}
		b.Pos[0] = a.Pos[0] + r.radius(a, 0)*(1+1e-16*float64(rng.IntN(9)-4))
		want := 0
		if r.statistic(r.centre(a, 0), a, b, 0, 0) < r.limit {
			want = 1
		}
		got, err := Neighbors(nil, a, b, g)
		if err != nil {
			t.Fatal(err)
		}
		if got.NNZ() != want {
			t.Fatalf("%+v from %v to %v: %d pairs, want %d", g, a.Pos, b.Pos, got.NNZ(), want)
		}
		inside += want
	}
	if inside < n/10 || inside > 9*n/10 {
		t.Errorf("%d of %d pairs are inside; the test is not about the rim", inside, n)
	}
}

// TestFinderWorkers: many goroutines list the pairs that one does, crowds included.
func TestFinderWorkers(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 1))
	for _, dense := range []float64{1, 30} { // with 30, rows are longer than the cap
		scans := make([]mtt.Scan, 2)
		for s := range scans {
			scans[s] = mtt.Scan{Frame: s, Time: float64(s), Dim: 2}
			for range 3 * partRows {
				scans[s].Pos = append(scans[s].Pos, 100*random.Float64(), 100*random.Float64())
			}
		}
		gate := Ball{Radius: math.Sqrt(3 * dense)}
		one, many := Finder{K: 20}, Finder{K: 20, Workers: 3}
		for range 2 { // the workspace as well
			want, err := one.Neighbors(nil, &scans[0], &scans[1], gate)
			if err != nil {
				t.Fatal(err)
			}
			got, err := many.Neighbors(nil, &scans[0], &scans[1], gate)
			if err != nil {
				t.Fatal(err)
			}
			if !cmp.Equal(want, got) {
				t.Errorf("%g: three goroutines list %d pairs, one %d", dense, got.NNZ(), want.NNZ())
			}
			if crowded := slices.ContainsFunc(many.shares, func(s share) bool { return s.crowded }); len(many.shares) == 0 || crowded != (dense > 1) {
				t.Errorf("%g: %d shares, crowded: %v", dense, len(many.shares), crowded)
			}
		}
	}
}
