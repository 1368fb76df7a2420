package mapsolver

import (
	"math"
	"slices"
	"testing"
)

func TestClampPrices(t *testing.T) {
	inf := math.Inf(1)
	p := &Problem{
		Rows: 1, Cols: 3, Ptr: []int{0, 2}, Col: []int32{0, 1}, Cost: []float64{4, -5},
		ColMiss: []float64{2, inf, 0},
	}
	tests := []struct {
		name    string
		v, want []float64
		useful  bool
	}{
		{"within bounds", []float64{1, -7, -1}, []float64{1, -7, -1}, true},
		{"above bounds", []float64{3, 9, 0.5}, []float64{2, 9, 0}, true},
		{"not finite", []float64{inf, math.NaN(), -inf}, []float64{0, 0, 0}, true},
		{"as large as a path may need", []float64{0, 20, 0}, []float64{0, 20, 0}, true},
		{"larger", []float64{0, 21, 0}, []float64{0, 21, 0}, false},
	}
	for _, tt := range tests {
		v := slices.Clone(tt.v)
		if useful := p.ClampPrices(v); useful != tt.useful || !slices.Equal(v, tt.want) {
			t.Errorf("%s: ClampPrices(%v) = %v, %v, want %v, %v", tt.name, tt.v, v, useful, tt.want, tt.useful)
		}
	}
	if none := (&Problem{Ptr: []int{0}}); !none.ClampPrices(nil) {
		t.Error("no prices for no columns are not worth using")
	}
}
