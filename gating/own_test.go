package gating_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
	"mtt/gating"
)

// This file tests gates that are not of the package.

// ellipses is a gate of one's own: along x targets move ten times as far as along y.
type ellipses struct{ reach float64 }

func (g *ellipses) String() string { return fmt.Sprintf("ellipses:%g", g.reach) }

func (g *ellipses) Between(a, b *mtt.Scan) (gating.Region, error) {
	if a.Dim == 3 {
		return nil, fmt.Errorf("%w: ellipses lie in the plane", gating.ErrGate)
	}
	return &ellipse{g.reach * (b.Time - a.Time), a, b}, nil
}

type ellipse struct {
	reach float64
	a, b  *mtt.Scan
}

func (e *ellipse) Around(i int) (centre [3]float64, radius float64) {
	copy(centre[:], e.a.At(i))
	return centre, e.reach
}

func (e *ellipse) Accepts(i, j int) (statistic float64, ok bool) {
	p, q := e.a.At(i), e.b.At(j)
	x, y := (q[0]-p[0])/e.reach, 10*(q[1]-p[1])/e.reach
	statistic = x*x + y*y
	return statistic, statistic < 1
}

func cloud(r *rand.Rand, frame, n int) mtt.Scan {
	s := mtt.Scan{Frame: frame, Time: 0.5 * float64(frame), Dim: 2}
	for range 2 * n {
		s.Pos, s.Vel = append(s.Pos, 10*r.Float64()), append(s.Vel, r.NormFloat64())
	}
	return s
}

func TestOwnGate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	scans := []mtt.Scan{cloud(r, 0, 200), cloud(r, 1, 150), cloud(r, 2, 180)}
	g := &ellipses{6}
	chain, err := gating.Chain(context.Background(), scans, g, nil)
	if err != nil {
		t.Fatal(err)
	}
	for k := range chain {
		region, _ := g.Between(&scans[k], &scans[k+1])
		for i := range scans[k].Len() {
			var want []int32
			for j := range scans[k+1].Len() {
				if _, ok := region.Accepts(i, j); ok {
					want = append(want, int32(j))
				}
			}
			if got := chain[k].Row(i); !slices.Equal(got, want) {
				t.Fatalf("row %d of gap %d is %v, want %v", i, k, got, want)
			}
		}
	}
	if gating.Count(chain).Arcs == 0 {
		t.Fatal("the gate lets nothing pass")
	}
	capped, err := gating.Chain(context.Background(), scans, g, &gating.Options{K: 2})
	if err != nil || gating.Count(capped).Arcs >= gating.Count(chain).Arcs {
		t.Errorf("a cap keeps %d arcs of %d, %v", gating.Count(capped).Arcs, gating.Count(chain).Arcs, err)
	}
	var large *gating.TooLargeError
	_, err = gating.Chain(context.Background(), scans, g, &gating.Options{Budget: gating.Budget{Bytes: 1000}})
	if !errors.As(err, &large) || large.Fits != nil {
		t.Errorf("a gate that keeps too much: %v", err)
	}
	space := []mtt.Scan{{Time: 0, Dim: 3, Pos: make([]float64, 3)}, {Frame: 1, Time: 1, Dim: 3, Pos: make([]float64, 3)}}
	if _, err := gating.Chain(context.Background(), space, g, nil); !errors.Is(err, gating.ErrGate) {
		t.Errorf("a gate that does not suit the scans: %v", err)
	}
}

// wrapped hides a gate of the package.
type wrapped struct{ gating.Gate }

// renewing is ellipses that come in place of old ones.
type renewing struct{ ellipses }

func (g *renewing) Renew(old gating.Region, a, b *mtt.Scan) (gating.Region, error) {
	e, ok := old.(*ellipse)
	if !ok {
		return g.Between(a, b)
	}
	*e = ellipse{g.reach * (b.Time - a.Time), a, b}
	return e, nil
}

// TestRenewed: a gate that renews its regions has the pairs of one that does not, whatever gate was
// there before, and takes no memory for scans of a detection each.
func TestRenewed(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	scans := []mtt.Scan{cloud(r, 0, 200), cloud(r, 1, 1), cloud(r, 2, 1), cloud(r, 5, 180), cloud(r, 6, 200)}
	plain, g := &ellipses{6}, &renewing{ellipses{6}}
	want, err := gating.Chain(context.Background(), scans, plain, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := gating.Chain(context.Background(), scans, g, nil)
	if err != nil {
		t.Fatal(err)
	}
	var f gating.Finder
	for k := range got {
		one, err := f.Neighbors(nil, &scans[k], &scans[k+1], g)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []*gating.CSR{&got[k], one} {
			if !slices.Equal(c.Ptr, want[k].Ptr) || !slices.Equal(c.Col, want[k].Col) {
				t.Errorf("scan %d: %v, want %v", k, *c, want[k])
			}
		}
		if _, err := f.Neighbors(nil, &scans[k], &scans[k+1], gating.Ball{Radius: 1}); err != nil {
			t.Fatal(err)
		}
	}
	var pairs gating.CSR
	if n := testing.AllocsPerRun(100, func() { f.Neighbors(&pairs, &scans[1], &scans[2], g) }); n > 0 {
		t.Errorf("%v allocations for two scans of a detection", n)
	}
}

// TestRegion: a gate of the package gives the same pattern through its Region.
func TestRegion(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	a, b := cloud(r, 0, 300), cloud(r, 1, 300)
	for _, g := range []gating.Gate{
		gating.Ball{Radius: 1}, gating.Disc{Epsilon: 2, Margin: 0.1}, gating.Mahalanobis{Sigma: 0.1, SigmaV: 0.5, Noise: 0.3},
	} {
		for _, k := range []int{0, 3} {
			f := gating.Finder{K: k}
			want, err := f.Neighbors(nil, &a, &b, g)
			if err != nil {
				t.Fatal(err)
			}
			got, err := f.Neighbors(nil, &a, &b, wrapped{g})
			if err != nil || !slices.Equal(got.Col, want.Col) || !slices.Equal(got.Ptr, want.Ptr) {
				t.Errorf("%v, cap %d: %d entries through its region, want %d; %v", g, k, got.NNZ(), want.NNZ(), err)
			}
		}
	}
}

// A counting gate accepts whatever is near, and counts what it is asked.
type counting struct{ asked int }

func (g *counting) String() string { return "counting" }
func (g *counting) Between(a, b *mtt.Scan) (gating.Region, error) {
	return &countingRegion{g, a, b}, nil
}

type countingRegion struct {
	*counting
	a, b *mtt.Scan
}

func (r *countingRegion) Around(i int) ([3]float64, float64) {
	return [3]float64{r.a.At(i)[0], r.a.At(i)[1]}, 1
}
func (r *countingRegion) Accepts(i, j int) (float64, bool) {
	r.asked++
	return math.Abs(r.b.At(j)[0] - r.a.At(i)[0]), true
}

// TestTwins gates a thousand detections at each of two places: a gate is asked once for each row
// and place, not for each of a million pairs, and every row keeps as many as it may.
func TestTwins(t *testing.T) {
	a := &mtt.Scan{Dim: 2}
	for i := range 1000 {
		x := 0.0
		if i >= 500 {
			x = 0.5
		}
		a.Pos = append(a.Pos, x, 0)
	}
	b := &mtt.Scan{Dim: 2, Frame: 1, Time: 1, Pos: a.Pos}
	g := &counting{}
	f := gating.Finder{K: 4}
	got, err := f.Neighbors(nil, a, b, g)
	if err != nil {
		t.Fatal(err)
	}
	if g.asked > 10*a.Len() {
		t.Errorf("the gate was asked %d times for %d detections", g.asked, a.Len())
	}
	for i := range got.Rows {
		row := got.Row(i)
		if len(row) < f.K || len(row) > 2*f.K {
			t.Fatalf("row %d keeps %v", i, row)
		}
		for _, j := range row {
			if a.At(i)[0] != b.At(int(j))[0] {
				t.Fatalf("row %d keeps %d, which is at the other place", i, j)
			}
		}
	}
	b.Conf = make([]float64, b.Len())
	for j := range b.Conf {
		b.Conf[j] = float64(j)
	}
	g.asked = 0
	if _, err := f.Neighbors(nil, a, b, g); err != nil || g.asked < 1_000_000 {
		t.Errorf("of detections that differ the gate was asked for %d pairs, %v", g.asked, err)
	}
}
