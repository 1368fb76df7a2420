package verify

import (
	"testing"

	"mtt"
)

// TestTelling has scans tell a covariance, if it is one of theirs.
func TestTelling(t *testing.T) {
	scans := []mtt.Scan{{Frame: 1}, {Frame: 2, Dim: 2, Pos: []float64{1, 2, 3, 4}}}
	told := telling(scans, []float64{2, 1, 1}, nil)
	if told == nil || len(told[1].Cov) != 6 || told[1].CovAt(1)[0] != 2 || scans[1].Cov != nil {
		t.Fatal(told)
	}
	if told := telling(scans, []float64{2, 1, 1}, map[int]float64{2: 3}); told[1].CovAt(1)[1] != 9 || told[1].CovAt(0)[0] != 18 {
		t.Error(told)
	}
	for _, cov := range [][]float64{{2, 1}, {1, 1, 1}, {-1, 0, -1}, {1, 0, 1, 0, 0, 1}} {
		if telling(scans, cov, nil) != nil {
			t.Errorf("%v is no covariance of these", cov)
		}
	}
	if telling(told, []float64{2, 1, 1}, nil) != nil {
		t.Error("these tell their own")
	}
	for _, c := range []struct {
		cov []float64
		ok  bool
	}{{[]float64{2, 1, 2, 1, 1, 2}, true}, {[]float64{2, 1, 2, 1, 1, 0.5}, false}, {[]float64{1, 0, 1, 0, 0, -1}, false}} {
		if positive(c.cov) != c.ok {
			t.Errorf("%v: positive is %t", c.cov, !c.ok)
		}
	}
}
