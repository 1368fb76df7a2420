package motion

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
)

// TestBounce: a step in which a target bounces is taken for one, the velocity afterwards is the
// true one, and what the step costs is the same whether the track is followed over it or what was
// before it is joined to what comes after.
func TestBounce(t *testing.T) {
	for _, dim := range []int{2, 3} {
		r := rand.New(rand.NewPCG(3, 4))
		const size, noise, frames = 5, 0.03, 200
		p := &Params{Dim: dim, Sigma: noise, Accel: 0.005, SpeedStd: 1, ManoeuvreProb: 0.02, ManoeuvreAccel: 1.4, BounceProb: 0.2, PositionsOnly: true}
		f := NewRunner[State, Information](NewAxes(p), p)
		x, v := []float64{1, 2, 3}[:dim], []float64{0.8, 0.6, -0.35}[:dim]
		scans, hit, velocity := make([]mtt.Scan, frames), make([]int, frames), make([][]float64, frames)
		for k := range scans {
			scans[k] = mtt.Scan{Dim: dim, Time: float64(k)}
			for i := range x {
				if k > 0 {
					x[i] += v[i]
				}
				if y := min(max(x[i], 0), size); y != x[i] {
					x[i], v[i] = 2*y-x[i], -v[i]
					hit[k]++
				}
				scans[k].Pos = append(scans[k].Pos, x[i]+noise*r.NormFloat64())
			}
			velocity[k] = append([]float64(nil), v...)
		}
		follow := func(from, to int) (price float64, s State, kinds []int) {
			kinds = make([]int, frames)
			f.Start(&s, &scans[from], 0)
			for k := from + 1; k < to; k++ {
				c, kind := f.Price(&s, 1, &scans[k], 0)
				f.Take(&s, &scans[k], 0, kind)
				price, kinds[k] = price+c, kind
			}
			return price, s, kinds
		}
		all, _, kinds := follow(0, frames)
		var e Information
		var bounces, found int
		var differences []float64
		for k := frames - 1; k > 2; k-- {
			f.Observe(&e, &scans[k], 0)
			if hit[k] == 1 {
				bounces++
			}
			if hit[k] == 1 && kinds[k] == Bounce {
				_, s, _ := follow(0, k+1)
				off := 0.0
				for i := range velocity[k] {
					off = math.Hypot(off, s.V[i]-velocity[k][i])
				}
				if off < 0.3 {
					found++
				}
				before, s, _ := follow(0, k)
				after, _, then := follow(k, frames)
				if n := k + 1; n+2 < frames && hit[n] == 0 && hit[n+1] == 0 && then[n+1] == Smooth {
					differences = append(differences, math.Abs(all-before-after-f.Onward(&s, 1, &e, nil)+f.Open(&e)/2))
				}
			}
			f.Return(&e, 1, &scans[k-1], 0, kinds[k])
		}
		slices.Sort(differences)
		if n := len(differences); n < 5 || differences[n*3/4] > 1 {
			t.Errorf("%d dimensions: what following costs and joining differ by %.2f", dim, differences)
		}
		if found < bounces*2/3 {
			t.Errorf("%d dimensions: of %d bounces %d were found", dim, bounces, found)
		}
	}
}
