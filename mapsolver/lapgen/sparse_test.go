package lapgen

import (
	"math"
	"reflect"
	"testing"

	"mtt/mapsolver"
)

// TestSparse wants valid problems of the size asked for, the same at every call.
func TestSparse(t *testing.T) {
	make := func() []*mapsolver.Problem {
		return []*mapsolver.Problem{Sparse(500, 6, 0, 1), Sparse(500, 6, 10, 1), Tracking(500, 6, 0.3, 1), Tiny(16, 40, 7, 1)}
	}
	list := make()
	for i, p := range list {
		if err := p.Validate(); err != nil {
			t.Errorf("problem %d: %v", i, err)
		}
	}
	for _, p := range list[:3] {
		if d := float64(len(p.Col)) / 500; math.Abs(d-6) > 1.5 {
			t.Errorf("%v entries a row, want about 6", d)
		}
	}
	if p := list[3]; p.Rows != 16 || p.Cols != 40 {
		t.Errorf("a tiny problem of %d×%d, want 16×40", p.Rows, p.Cols)
	}
	if !reflect.DeepEqual(list, make()) {
		t.Error("two calls differ")
	}
}
