package cuda

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"mtt/costgen"
	"mtt/dualascent"
	"mtt/gating"
	"mtt/scenario"
)

// repeated is a list of n cards, each of which may stand for several.
func repeated(t *testing.T, n int) []*card {
	t.Helper()
	all, err := allCards()
	if err != nil {
		t.Fatal(err)
	}
	var list []*card
	for k := range n {
		list = append(list, all[k%len(all)])
	}
	return list
}

// sameBounds makes passes on one card and on several, and wants the same bounds to the last bit.
func sameBounds(t *testing.T, one *Ascent, several *Split) {
	t.Helper()
	ctx := context.Background()
	for pass := range 12 {
		share := 0.0
		if pass > 1 && pass < 9 {
			share = momentum
		}
		want, err := one.Pass(ctx, share)
		if err != nil {
			t.Fatal(err)
		}
		got, err := several.Pass(ctx, share)
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Fatalf("pass %d: %d cards prove %v, one %v", pass, several.Parts(), got, want)
		}
	}
	want, err := one.Prove()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := several.Prove(); err != nil || math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
		t.Errorf("%d cards add up to %v, one to %v: %v", several.Parts(), got, want, err)
	}
}

// TestSplit compares problems on several cards with the same on one, instances of all kinds and
// such as the cards make of scans.
func TestSplit(t *testing.T) {
	needCard(t)
	for _, tt := range trials(t) {
		for _, n := range []int{2, 3} {
			t.Run(fmt.Sprintf("%s/%d", tt.name, n), func(t *testing.T) {
				one, err := New(tt.inst)
				if err != nil {
					t.Fatal(err)
				}
				defer one.Free()
				several, err := splitInstance(tt.inst, repeated(t, n))
				if err != nil {
					t.Fatal(err)
				}
				defer several.Free()
				sameBounds(t, one, several)
				want, err := one.Prices(tt.inst)
				if err != nil {
					t.Fatal(err)
				}
				got, err := several.Prices(tt.inst)
				if err != nil {
					t.Fatal(err)
				}
				for p := range want {
					a, b := &want[p], &got[p]
					if !slices.Equal(a.U, b.U) || !slices.Equal(a.V, b.V) || !slices.Equal(a.Birth, b.Birth) || !slices.Equal(a.Death, b.Death) || !slices.Equal(a.Col, b.Col) {
						t.Errorf("gap %d has other prices on %d cards", p, several.Parts())
					}
				}
			})
		}
	}
	scans := simulate(t, &scenario.Config{Scene: scenario.Steer, Targets: 15, Frames: 11, Noise: 0.1, VelocityNoise: 0.1, Miss: 0.1, Clutter: 2})
	gate := gating.Disc{Epsilon: 3, Margin: 0.4}
	for name, s := range map[string]*source{
		"paper": paperSource(scans, gate, &costgen.Paper{Prices: costgen.Ends{Birth: 3, Death: 2, Clutter: 4, First: 1}}),
		"nll":   gaussianSource(scans, gate, gaussian(0.1)),
	} {
		t.Run(name, func(t *testing.T) {
			one, err := single(s)
			if err != nil {
				t.Fatal(err)
			}
			defer one.Free()
			several, err := s.splitAmong(repeated(t, 4))
			if err != nil {
				t.Fatal(err)
			}
			defer several.Free()
			if several.Parts() != 4 {
				t.Errorf("%d parts", several.Parts())
			}
			sameBounds(t, one, several)
		})
	}
}

// TestCutGaps wants runs that begin at odd gaps and are much as heavy as each other.
func TestCutGaps(t *testing.T) {
	for _, tt := range []struct {
		weight []int
		n      int
		want   []int
	}{
		{[]int{1}, 2, []int{0, 1}},
		{[]int{1, 1}, 2, []int{0, 1, 2}},
		{[]int{1, 1, 1, 1, 1, 1}, 2, []int{0, 3, 6}},
		{[]int{1, 1, 1, 1, 1, 1}, 1, []int{0, 6}},
		{slices.Repeat([]int{2}, 12), 3, []int{0, 5, 9, 12}},
		{[]int{9, 1, 1, 1, 1, 1}, 2, []int{0, 1, 6}},
		{[]int{0, 0, 0, 0}, 3, []int{0, 1, 3, 4}},
	} {
		if got := cutGaps(tt.weight, tt.n); !slices.Equal(got, tt.want) {
			t.Errorf("%v in %d: %v, want %v", tt.weight, tt.n, got, tt.want)
		}
	}
}

// TestSplitRaise wants several cards to come as far as one, and the host to go on from there.
func TestSplitRaise(t *testing.T) {
	needCard(t)
	ctx := context.Background()
	inst := trials(t)[2].inst
	one, err := New(inst)
	if err != nil {
		t.Fatal(err)
	}
	defer one.Free()
	several, err := NewSplit(inst, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer several.Free()
	want, err := one.Raise(ctx, 40)
	if err != nil {
		t.Fatal(err)
	}
	got, err := several.Raise(ctx, 40)
	if err != nil || got != want {
		t.Errorf("two cards prove %v, one %v: %v", got, want, err)
	}
	prices, err := several.Prices(inst)
	if err != nil {
		t.Fatal(err)
	}
	res, err := dualascent.Solve(ctx, inst, &dualascent.Options{Prices: prices})
	if err != nil || res.Status != dualascent.Optimal || res.LowerBound < got-1e-9*math.Abs(got) {
		t.Errorf("from there the host proves %v: %v", res, err)
	}
}
