package gating

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mtt"
)

// flight draws frames scans, one second apart, of n targets that fly straight
// in a square of side 2.5·√n. Detection i is target i.
func flight(seed uint64, n, frames int) []mtt.Scan {
	rng := rand.New(rand.NewPCG(seed, 9))
	side := 2.5 * math.Sqrt(float64(n))
	scans := make([]mtt.Scan, frames)
	for t := range scans {
		scans[t] = mtt.Scan{Frame: 10 + t, Time: float64(t), Dim: 2}
	}
	for range n {
		x, y := side*rng.Float64(), side*rng.Float64()
		sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
		for t := range scans {
			scans[t].Pos = append(scans[t].Pos, x+1.5*cos*float64(t)+0.1*rng.NormFloat64(), y+1.5*sin*float64(t)+0.1*rng.NormFloat64())
			scans[t].Vel = append(scans[t].Vel, 1.5*cos+0.1*rng.NormFloat64(), 1.5*sin+0.1*rng.NormFloat64())
		}
	}
	return scans
}

func TestChain(t *testing.T) {
	ctx := context.Background()
	scans := flight(1, 40, 12)
	for _, k := range []int{0, 2} {
		var want []CSR
		for p := range len(scans) - 1 {
			want = append(want, *brute(&scans[p], &scans[p+1], Disc{}, k))
		}
		for _, workers := range []int{0, 1, 2, 5, 50} {
			got, err := Chain(ctx, scans, Disc{}, &Options{K: k, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("K = %d, %d workers (-want +got):\n%s", k, workers, diff)
			}
		}
		size, err := Check(ctx, scans, Disc{}, &Options{K: k})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(Count(want), size); diff != "" {
			t.Errorf("Check, K = %d (-Count +got):\n%s", k, diff)
		}
	}
	for n := range 2 {
		got, err := Chain(ctx, scans[:n], Disc{}, nil)
		if err != nil || len(got) != 0 {
			t.Errorf("Chain of %d scans = %v, %v, want nothing", n, got, err)
		}
		if size, err := Check(ctx, scans[:n], Disc{}, nil); err != nil || size != (Size{}) {
			t.Errorf("Check of %d scans = %v, %v, want nothing", n, size, err)
		}
	}
}

// TestCount compares with all triplets.
func TestCount(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	for range 50 {
		n := []int{rng.IntN(7), rng.IntN(7), rng.IntN(7), rng.IntN(7)}
		var frames []CSR
		var want Size
		for p := range 3 {
			frames = append(frames, *randomCSR(rng, n[p], n[p+1], 0.5))
			want.Arcs += frames[p].NNZ()
			want.AllArcs += float64(n[p] * n[p+1])
		}
		for p := range 2 {
			for i := range n[p] {
				for j := range n[p+1] {
					for k := range n[p+2] {
						want.AllTriplets++
						if frames[p].Entry(i, j) >= 0 && frames[p+1].Entry(j, k) >= 0 {
							want.Triplets++
						}
					}
				}
			}
		}
		if got := Count(frames); got != want {
			t.Fatalf("Count = %+v, want %+v", got, want)
		}
	}
}

func TestFiltered(t *testing.T) {
	arcs, triplets := Size{Arcs: 3, Triplets: 1, AllArcs: 12, AllTriplets: 8}.Filtered()
	if arcs != 75 || triplets != 87.5 {
		t.Errorf("Filtered = %v, %v, want 75, 87.5", arcs, triplets)
	}
	if arcs, triplets := (Size{}).Filtered(); arcs != 0 || triplets != 0 {
		t.Errorf("Filtered of nothing = %v, %v, want 0, 0", arcs, triplets)
	}
}

func TestLost(t *testing.T) {
	// Three frames of two detections; numbers 5, 6 and 9: 6 to 9 is a step
	// like any other, because they are consecutive scans.
	scans := []mtt.Scan{
		{Frame: 5, Dim: 2, Pos: make([]float64, 4)},
		{Frame: 6, Dim: 2, Pos: make([]float64, 4)},
		{Frame: 9, Dim: 2, Pos: make([]float64, 4)},
	}
	frames := []CSR{
		{Rows: 2, Cols: 2, Ptr: []int{0, 1, 2}, Col: []int32{0, 0}},
		{Rows: 2, Cols: 2, Ptr: []int{0, 2, 2}, Col: []int32{0, 1}},
	}
	tests := []struct {
		name      string
		hits      []mtt.Hit
		lost, all int
	}{
		{"kept", []mtt.Hit{{Frame: 5, Det: 0}, {Frame: 6, Det: 0}, {Frame: 9, Det: 1}}, 0, 2},
		{"lost", []mtt.Hit{{Frame: 5, Det: 1}, {Frame: 6, Det: 1}, {Frame: 9, Det: 0}}, 2, 2},
		{"missed between", []mtt.Hit{{Frame: 5, Det: 0}, {Frame: 6, Det: -1}, {Frame: 9, Det: 0}}, 0, 0},
		{"absent between", []mtt.Hit{{Frame: 5, Det: 0}, {Frame: 9, Det: 0}}, 0, 0},
		{"frames without scan", []mtt.Hit{{Frame: 4, Det: 7}, {Frame: 5, Det: 1}, {Frame: 6, Det: 0}, {Frame: 7, Det: 0}, {Frame: 9, Det: 1}}, 0, 1},
		{"no hits", nil, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lost, all, err := Lost(frames, scans, []mtt.Track{{Hits: tt.hits}})
			if err != nil || lost != tt.lost || all != tt.all {
				t.Errorf("Lost = %d, %d, %v, want %d, %d", lost, all, err, tt.lost, tt.all)
			}
		})
	}
	_, _, err := Lost(frames, scans, []mtt.Track{{ID: 8, Hits: []mtt.Hit{{Frame: 6, Det: 2}}}})
	if err == nil || !strings.Contains(err.Error(), "track 8, frame 6: detection 2 of a scan with 2") {
		t.Errorf("error %q does not name the place", err)
	}
}

func TestChainErrors(t *testing.T) {
	ctx := context.Background()
	bad := func(edit func(s []mtt.Scan)) []mtt.Scan {
		s := flight(3, 10, 8)
		edit(s)
		return s
	}
	tests := []struct {
		name  string
		scans []mtt.Scan
		gate  Gate
		want  error
		text  string
	}{
		{"the first of two bad scans", bad(func(s []mtt.Scan) { s[6].Pos[0] = math.NaN(); s[2].Vel[3] = math.Inf(1) }), Disc{}, ErrNotFinite, "frame 12, detection 1: velocity"},
		{"times", bad(func(s []mtt.Scan) { s[5].Time = 4 }), Disc{}, ErrTime, "frame 15 at 4 s is not later than frame 14 at 4 s"},
		{"gate", bad(func(s []mtt.Scan) { s[3].Vel = nil }), Disc{}, ErrGate, "frame 13 has no velocities"},
		{"a bad scan alone", bad(func(s []mtt.Scan) { s[0].Pos[0] = math.NaN() })[:1], Disc{}, ErrNotFinite, "frame 10, detection 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, workers := range []int{1, 4} {
				got, err := Chain(ctx, tt.scans, tt.gate, &Options{Workers: workers})
				if got != nil || !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
					t.Errorf("Chain = %v, %q, want an error that wraps %q and says %q", got, err, tt.want, tt.text)
				}
			}
			if _, err := Check(ctx, tt.scans, tt.gate, nil); !errors.Is(err, tt.want) {
				t.Errorf("Check: %q, want an error that wraps %q", err, tt.want)
			}
		})
	}
}

func TestChainInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	scans := flight(4, 10, 5)
	if got, err := Chain(ctx, scans, Disc{}, nil); got != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("Chain = %v, %v, want context.Canceled", got, err)
	}
	if _, err := Check(ctx, scans, Disc{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Check: %v, want context.Canceled", err)
	}
}

// TestTooLarge checks the refusal: true figures, and a gate that fits while
// one a little larger does not.
func TestTooLarge(t *testing.T) {
	ctx := context.Background()
	scans := flight(5, 60, 10)
	gates := []Gate{Ball{30}, Disc{}, Disc{Epsilon: 3, Margin: 0.2}, Disc{MaxSpeed: 10}, Mahalanobis{G: 900, Sigma: 0.1, SigmaV: 0.3}}
	for _, g := range gates {
		all, err := Check(ctx, scans, g, nil)
		if err != nil {
			t.Fatal(err)
		}
		budget := Budget{PerArc: 50}
		budget.Bytes = budget.Need(all.Arcs, all.Triplets) / 3
		for _, workers := range []int{1, 3} {
			_, err = Chain(ctx, scans, g, &Options{Budget: budget, Workers: workers})
			e, ok := errors.AsType[*TooLargeError](err)
			if !ok {
				t.Fatalf("%v: error %v, want a TooLargeError", g, err)
			}
			if e.Arcs != all.Arcs || e.Triplets != all.Triplets || e.Bytes != budget.Need(all.Arcs, all.Triplets) || e.Limit != budget.Bytes {
				t.Errorf("%v: %+v, want the figures of %+v", g, e, all)
			}
			if e.Fits == nil || sizedOf(e.Fits).size() >= sizedOf(g).size() {
				t.Fatalf("%v: a gate that fits is %v", g, e.Fits)
			}
			if _, err := Chain(ctx, scans, e.Fits, &Options{Budget: budget}); err != nil {
				t.Errorf("%v does not fit: %v", e.Fits, err)
			}
			larger := sizedOf(g).resize(1.02 * sizedOf(e.Fits).size())
			if _, err := Check(ctx, scans, larger, &Options{Budget: budget}); err == nil {
				t.Errorf("%v is said to be the largest that fits, %v fits too", e.Fits, larger)
			}
		}
		// Check agrees with Chain.
		_, err2 := Check(ctx, scans, g, &Options{Budget: budget})
		if diff := cmp.Diff(err, err2); diff != "" {
			t.Errorf("%v: Chain and Check differ (-Chain +Check):\n%s", g, diff)
		}
		// The budget itself is enough.
		budget.Bytes = budget.Need(all.Arcs, all.Triplets)
		if _, err := Chain(ctx, scans, g, &Options{Budget: budget}); err != nil {
			t.Errorf("%v: %v, want no error at its own size", g, err)
		}
	}
}

// TestBudgetOfArcs has arcs only: the budget is met to the byte.
func TestBudgetOfArcs(t *testing.T) {
	scans := flight(8, 30, 2)
	for _, workers := range []int{1, 2} {
		opts := &Options{Workers: workers, Budget: Budget{Bytes: 100 * 30 * 30}}
		if _, err := Chain(context.Background(), scans, Ball{1e3}, opts); err != nil {
			t.Errorf("900 arcs of 100 bytes do not fit 90,000: %v", err)
		}
		opts.Budget.Bytes--
		if _, err := Chain(context.Background(), scans, Ball{1e3}, opts); err == nil {
			t.Error("900 arcs of 100 bytes fit 89,999")
		}
	}
}

func TestTooLargeText(t *testing.T) {
	scans := flight(6, 50, 10)
	tests := []struct {
		gate Gate
		opts Options
		want []string
	}{
		{Disc{}, Options{Budget: Budget{Bytes: 100_000}}, []string{"gating: disc:5 keeps about ", " arcs and ", " triplets, ", " MB; the limit is 100 kB, which disc:", " keeps"}},
		{Disc{Margin: 1e3}, Options{Budget: Budget{Bytes: 1000}}, []string{"about 22.5 thousand arcs and 1 million triplets, 10.2 MB; the limit is 1 kB, which no smaller gate of this kind keeps; a cap"}},
		{Ball{1e3}, Options{K: 5, Budget: Budget{Bytes: 50_000}}, []string{"ball:1000 keeps more than ", "which ball:"}},
		{Disc{Margin: 1e3}, Options{K: 1, Budget: Budget{Bytes: 1000}}, []string{"more than ", "which no smaller gate of this kind keeps"}},
	}
	for _, tt := range tests {
		_, err := Chain(context.Background(), scans, tt.gate, &tt.opts)
		if err == nil {
			t.Errorf("%v: no error", tt.gate)
			continue
		}
		rest := err.Error()
		for _, part := range tt.want {
			var ok bool
			if _, rest, ok = strings.Cut(rest, part); !ok {
				t.Errorf("error %q lacks %q", err, part)
			}
		}
	}
}

// TestTooLargeSampled makes a scene that the sample cannot see whole: the
// estimate is near, and the gate that fits does fit.
func TestTooLargeSampled(t *testing.T) {
	if testing.Short() {
		t.Skip("gates 50,000 detections several times")
	}
	scans := flight(7, 5000, 10)
	all, err := Check(context.Background(), scans, Disc{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	opts := &Options{Budget: Budget{Bytes: 100 << 20}}
	_, err = Check(context.Background(), scans, Disc{}, opts)
	e, ok := errors.AsType[*TooLargeError](err)
	if !ok {
		t.Fatal(err)
	}
	if r := float64(e.Arcs) / float64(all.Arcs); math.Abs(r-1) > 0.1 {
		t.Errorf("%d arcs estimated, %d counted", e.Arcs, all.Arcs)
	}
	if r := float64(e.Triplets) / float64(all.Triplets); math.Abs(r-1) > 0.2 {
		t.Errorf("%d triplets estimated, %d counted", e.Triplets, all.Triplets)
	}
	fit, err := Check(context.Background(), scans, e.Fits, opts)
	if err != nil {
		t.Fatal(err)
	}
	if need := opts.Budget.Need(fit.Arcs, fit.Triplets); need < opts.Budget.Bytes/2 {
		t.Errorf("%v needs %d bytes, less than half of the budget", e.Fits, need)
	}
}

// TestRoundDown checks three digits, never above.
func TestRoundDown(t *testing.T) {
	tests := []struct{ v, want float64 }{{0, 0}, {-1, 0}, {2.319, 2.31}, {1, 1}, {999.9, 999}, {0.0123456, 0.0123}, {123456, 123000}, {5e-324, 0}}
	for _, tt := range tests {
		if got := roundDown(tt.v); math.Abs(got-tt.want) > 1e-15*tt.want || got > tt.v && tt.v > 0 {
			t.Errorf("roundDown(%v) = %v, want %v", tt.v, got, tt.want)
		}
	}
}

// TestChainCrowded: Chain gives up exactly when there are more triplets than wanted, with
// any number of workers.
func TestChainCrowded(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	scans := make([]mtt.Scan, 9)
	for f := range scans {
		scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
		for range 2 * (20 + f) {
			scans[f].Pos = append(scans[f].Pos, 4*rng.Float64())
		}
	}
	gate := Ball{Radius: 1}
	frames, err := Chain(context.Background(), scans, gate, nil)
	if err != nil {
		t.Fatal(err)
	}
	n, most := Count(frames).Triplets, 0
	for t := range frames {
		most = max(most, frames[t].NNZ())
	}
	for _, workers := range []int{1, 2, 7} {
		if _, err := Chain(context.Background(), scans, gate, &Options{Triplets: n, Workers: workers}); err != nil {
			t.Errorf("%d workers: %d triplets, as many as wanted: %v", workers, n, err)
		}
		if _, err := Chain(context.Background(), scans, gate, &Options{Triplets: n - 1, Workers: workers}); !errors.Is(err, ErrCrowded) {
			t.Errorf("%d workers: %d triplets, one too many: %v", workers, n, err)
		}
		if _, err := Chain(context.Background(), scans, gate, &Options{Triplets: n, Arcs: most, Workers: workers}); err != nil {
			t.Errorf("%d workers: %d arcs in a pattern, as many as wanted: %v", workers, most, err)
		}
		if _, err := Chain(context.Background(), scans, gate, &Options{Triplets: n, Arcs: most - 1, Workers: workers}); !errors.Is(err, ErrCrowded) {
			t.Errorf("%d workers: %d arcs in a pattern, one too many: %v", workers, most, err)
		}
	}
}
