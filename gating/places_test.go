package gating

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPlaces: points are found in balls as a Finder finds them, spread evenly, in clusters far
// apart, and at one place.
func TestPlaces(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for dim := 2; dim <= 3; dim++ {
		for name, spread := range map[string]func() float64{
			"even":     func() float64 { return 20 * random.Float64() },
			"clusters": func() float64 { return float64(random.IntN(3))*1e6 + random.Float64() },
			"one":      func() float64 { return 5 },
		} {
			points, centres := make([]float64, 300*dim), make([]float64, 200*dim)
			for k := range points {
				points[k] = spread()
			}
			for k := range centres {
				centres[k] = spread() + 0.1*random.Float64()
			}
			radii := make([]float64, 200)
			for i := range radii {
				radii[i] = 4 * random.Float64() * random.Float64()
			}
			want, err := new(Finder).Within(nil, dim, centres, radii, points)
			if err != nil {
				t.Fatal(err)
			}
			var p Places
			found := 0
			for range 2 { // the memory of before
				p.Set(dim, points, 1)
				for i, r := range radii {
					var centre [3]float64
					copy(centre[:], centres[i*dim:(i+1)*dim])
					got := p.Near([]int32{-1}, &centre, r)[1:]
					if found += len(got); !slices.Equal(got, want.Row(i)) {
						t.Fatalf("%s, %d dimensions: ball %d has %v, want %v", name, dim, i, got, want.Row(i))
					}
				}
			}
			if found == 0 {
				t.Errorf("%s, %d dimensions: nothing is near anything", name, dim)
			}
		}
	}
	var none Places
	none.Set(2, nil, 1)
	if got := none.Near(nil, &[3]float64{}, 1); len(got) > 0 {
		t.Errorf("of no points %v are near", got)
	}
}
