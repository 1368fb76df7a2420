package motion

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
)

// TestOutliers: detections that are outliers are priced, and change states and information, as
// those that tell so much larger a covariance themselves.
func TestOutliers(t *testing.T) {
	for _, dim := range []int{2, 3} {
		for _, positions := range []bool{false, true} {
			p := &Params{Dim: dim, Sigma: 0.5, SigmaV: 0.3, PositionsOnly: positions, Accel: 0.1, SpeedStd: 2,
				ManoeuvreProb: 0.05, ManoeuvreAccel: 1, OutlierProb: 0.1, OutlierTimes: 6}
			t.Run(fmt.Sprintf("%d positions only %v", dim, positions), func(t *testing.T) {
				outliers(t, NewAxes(p), p)
			})
			t.Run(fmt.Sprintf("%d positions only %v, told", dim, positions), func(t *testing.T) { outliers(t, NewFull(p), p) })
		}
	}
}

func outliers[S, E any](t *testing.T, filter Filter[S, E], p *Params) {
	rng := rand.New(rand.NewPCG(1, uint64(p.Dim)))
	r, kinds := NewRunner(filter, p), [3]int{}
	usual := *p
	usual.OutlierProb = 0
	told := NewFull(&usual)
	for range 300 {
		path := randomPath(rng, p, 3, false)
		first, last := &path.scans[0], &path.scans[2]
		dt := last.Time - first.Time
		for n := range last.Pos {
			last.Pos[n] = first.Pos[n] + 5*rng.NormFloat64()
		}
		if !p.PositionsOnly {
			copy(last.Vel, first.Vel)
		}
		wide := *last
		for r := range p.Dim {
			for range r {
				wide.Cov = append(wide.Cov, 0)
			}
			wide.Cov = append(wide.Cov, 9) // (6 · 0.5)²
		}

		// The likelihood of three kinds, written down.
		var state FullState
		told.Start(&state, first, 0)
		density := func(kind int, s *mtt.Scan) (float64, Fit) {
			at := state
			told.Predict(&at, dt, kind)
			f := told.Innovation(&at, s, 0)
			return (f.D2 + f.Base) / 2, f
		}
		calm, smooth := density(Smooth, last)
		_, turn := density(Manoeuvre, last)
		far, _ := density(Smooth, &wide)
		likely := [3]float64{math.Exp(-calm), math.Exp(told.Mixture().Gain(smooth, turn) - calm), math.Exp(-far) / 9}
		want, likeliest := -math.Log(likely[0]+likely[1]+likely[2]), 0
		for k, x := range likely {
			if x > likely[likeliest] {
				likeliest = k
			}
		}
		kinds[likeliest]++

		var s S
		r.Start(&s, first, 0)
		from := s
		price, kind := r.Price(&s, dt, last, 0)
		if math.Abs(price-want) > 1e-4 || kind != likeliest {
			t.Fatalf("price %.9g, want %.9g; kind %d, want %d (%v)", price, want, kind, likeliest, likely)
		}

		// What a detection says by itself is the same as information, but for the peak of its density.
		var e, far2 E
		r.Inform(&e, last, 0, Smooth)
		r.Inform(&far2, last, 0, Outlier)
		peak := float64(p.Dim) * math.Log(2*math.Pi*p.Sigma*p.Sigma) / 2
		if !p.PositionsOnly {
			peak += float64(p.Dim) * math.Log(2*math.Pi*p.SigmaV*p.SigmaV) / 2
		}
		// Manoeuvres have tails in what is left of either: compared where they cannot matter.
		if likely[1] < 1e-6*likely[0]+1e-6*likely[2] {
			if got := r.Onward(&from, dt, &e, &far2) + peak; math.Abs(got-price) > 1e-3 {
				t.Fatalf("as information %.9g, as a detection %.9g", got, price)
			}
		}

		// The state after it.
		r.Take(&s, last, 0, kind)
		step, seen := kind, last
		if kind == Outlier {
			step, seen = Smooth, &wide
		}
		told.Predict(&state, dt, step)
		told.Update(&state, seen, 0)
		var got, after Estimate
		r.Estimate(&got, &s, nil)
		told.Estimate(&after, &state, nil)
		for k := range 2 * p.Dim {
			if math.Abs(got.X[k]-after.X[k]) > 1e-6*(1+math.Abs(after.X[k])) || math.Abs(got.Cov(k, k)-after.Cov(k, k)) > 1e-6*after.Cov(k, k) {
				t.Fatalf("kind %d: state %v, want %v", kind, got.X, after.X)
			}
		}
	}
	if kinds[Smooth] == 0 || kinds[Outlier] == 0 {
		t.Errorf("of each kind there are %v", kinds)
	}
}
