package learn

import (
	"math/rand/v2"
	"testing"

	"mtt"
)

// TestJumped: pieces of the tracks of targets that rest and jump are seen to belong together, and
// neither are those of targets that are replaced by others somewhere, nor by others that come in at
// the door through which they went, later.
func TestJumped(t *testing.T) {
	for _, c := range []struct {
		name  string
		jumps bool
		next  func(r *rand.Rand, x []float64) (y []float64, pause int)
	}{
		{"jumps", true, func(r *rand.Rand, x []float64) ([]float64, int) {
			return []float64{x[0] + 10*r.NormFloat64(), x[1] + 10*r.NormFloat64()}, 0
		}},
		{"replaced", false, func(r *rand.Rand, _ []float64) ([]float64, int) {
			return []float64{100 * r.Float64(), 100 * r.Float64()}, 0
		}},
		{"a door", false, func(r *rand.Rand, _ []float64) ([]float64, int) {
			return []float64{5 * r.NormFloat64(), 5 * r.NormFloat64()}, r.IntN(10)
		}},
	} {
		for seed := range uint64(5) {
			r := rand.New(rand.NewPCG(seed, 3))
			scans := make([]mtt.Scan, 60)
			for f := range scans {
				scans[f] = mtt.Scan{Frame: 2 * f, Time: float64(f), Dim: 2}
			}
			var tracks []mtt.Track
			for range 25 {
				x := []float64{100 * r.Float64(), 100 * r.Float64()}
				tr := mtt.Track{ID: len(tracks) + 1, Dim: 2}
				for f := 0; f < len(scans); f++ {
					scans[f].Pos = append(scans[f].Pos, x[0]+0.1*r.NormFloat64(), x[1]+0.1*r.NormFloat64())
					tr.Append(&scans[f], scans[f].Len()-1)
					if r.Float64() < 0.1 {
						tracks = append(tracks, tr)
						tr = mtt.Track{ID: len(tracks) + 1, Dim: 2}
						var pause int
						x, pause = c.next(r, x)
						f += pause
					}
				}
				if len(tr.Hits) > 0 {
					tracks = append(tracks, tr)
				}
			}
			if n, errors, within := Jumped(scans, tracks); (errors > 5) != c.jumps || c.jumps && (n < 50 || within < 10 || within > 40) {
				t.Errorf("%s, seed %d: %.0f of %d tracks go on, by %.2g standard errors, within %.3g", c.name, seed, n, len(tracks), errors, within)
			}
		}
	}
	if n, _, _ := Jumped(nil, nil); n != 0 {
		t.Errorf("%v jumps of nothing", n)
	}
}

// TestJumpsOfACrowd: no more targets jump than tracks end, though each may have gone on as any of a crowd.
func TestJumpsOfACrowd(t *testing.T) {
	const crowd = 50
	r := rand.New(rand.NewPCG(15, 129))
	scans := make([]mtt.Scan, 4)
	tracks := make([]mtt.Track, 2*crowd+1)
	for k := range scans {
		s := &scans[k]
		*s = mtt.Scan{Frame: k, Time: float64(k), Dim: 2}
		for range crowd {
			s.Pos = append(s.Pos, r.Float64(), r.Float64())
		}
		s.Pos = append(s.Pos, 1000, 1000)
		for i := range crowd {
			tracks[k/2*crowd+i].Dim = 2
			tracks[k/2*crowd+i].Append(s, i)
		}
		if lone := &tracks[2*crowd]; k > 0 { // who begins in the second scan
			lone.Dim = 2
			lone.Append(s, crowd)
		}
	}
	if n, errors, _ := Jumped(scans, tracks); n > crowd || errors < 5 {
		t.Errorf("%.0f of %d tracks jump, by %.2g standard errors", n, crowd, errors)
	}
}

// TestJumpsOfFew: twenty tracks that each break once in the middle of the field are seen to go on,
// and those of which the second part begins somewhere else are not.
func TestJumpsOfFew(t *testing.T) {
	for _, c := range []struct {
		far   float64
		jumps bool
	}{{2, true}, {100, false}} {
		for seed := range uint64(20) {
			const n, frames = 20, 50
			r := rand.New(rand.NewPCG(seed, 21))
			scans := make([]mtt.Scan, frames)
			for f := range scans {
				scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			}
			var tracks []mtt.Track
			for range n {
				x, breaks := []float64{100 * r.Float64(), 100 * r.Float64()}, 2+r.IntN(frames-4)
				for f := range scans {
					if f == 0 || f == breaks {
						tracks = append(tracks, mtt.Track{ID: len(tracks) + 1, Dim: 2})
					}
					if f == breaks {
						x = []float64{x[0] + c.far*r.NormFloat64(), x[1] + c.far*r.NormFloat64()}
					}
					scans[f].Pos = append(scans[f].Pos, x...)
					tracks[len(tracks)-1].Append(&scans[f], scans[f].Len()-1)
				}
			}
			if jumps, errors, _ := Jumped(scans, tracks); (errors > 5) != c.jumps || c.jumps && (jumps < n/2 || jumps > n) {
				t.Errorf("%v away, seed %d: %.3g of %d tracks go on, by %.2g standard errors", c.far, seed, jumps, n, errors)
			}
		}
	}
}
