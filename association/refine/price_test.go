package refine

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
	"mtt/association/chain"
	"mtt/association/chain/chaintest"
	"mtt/costgen"
	"mtt/motion"
)

// This file tests prices of tracks against formulas.

// TestEvidence compares the evidence of a random walk's track, missed once, one of whose detections
// the detector doubts, with its formula: densities by conditioning the joint normal distribution of
// three positions.
func TestEvidence(t *testing.T) {
	levels := costgen.Levels{
		Sigma: 0.3, Accel: 0.5, Motion: motion.Walk{}, Interval: 1, Dim: 2, PositionsOnly: true,
		Rates:      costgen.Rates{Detect: 0.9, Hidden: 0.4, Survive: 0.95, Births: 0.2, Targets: 5, Clutter: 2, Volume: 400},
		Confidence: &costgen.Map{Min: []float64{0}, Max: []float64{1}, Nodes: []costgen.MapNode{{Axis: 0, Lower: 1}, {Axis: -1, Value: 1.5}, {Axis: -1, Value: -0.5}}},
	}
	at := [][2]float64{{1, 1}, {1.4, 0.7}, {2.1, 1.2}}
	conf := []float64{0.9, 0.2, 0.8}
	times := []float64{1, 2, 4}
	scans := make([]mtt.Scan, 6)
	for f := range scans {
		scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
	}
	tr := mtt.Track{ID: 1, Dim: 2}
	for k, f := range times {
		s := &scans[int(f)]
		s.Pos, s.Conf = append(s.Pos, at[k][0], at[k][1]), append(s.Conf, conf[k])
		tr.Append(s, 0)
	}
	r, q, v := &levels.Rates, levels.Accel*levels.Accel, levels.Sigma*levels.Sigma
	// The differences of the positions, on each axis, are normal with covariance a b; b d.
	a, b, d := q*(times[1]-times[0])+2*v, -v, q*(times[2]-times[1])+2*v
	det := a*d - b*b
	want := math.Log(r.Births * r.Detect / r.Volume)
	for k := range 2 {
		x, y := at[1][k]-at[0][k], at[2][k]-at[1][k]
		want -= (d*x*x-2*b*x*y+a*y*y)/det/2 + math.Log(2*math.Pi) + math.Log(det)/2
	}
	want += math.Log(r.Survive*r.Detect) + math.Log(r.Survive*r.Survive*(1-r.Detect)*(1-r.Hidden))
	want += math.Log(1 - r.Survive*r.Detect)                 // gone or missed in the last scan
	want -= 3*math.Log(r.Clutter/r.Volume) + 1.5 - 0.5 - 0.5 // the doubted one is likelier false, the others are not
	got := Evidence([]mtt.Track{tr}, scans, &costgen.Gaussian{Levels: levels})[0]
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("evidence %v nat, the formula says %v", got, want)
	}
}

// TestEvidenceOfRangeRates compares the evidence of two detections whose velocity is known along a
// line of sight only with the log likelihood of the two positions and the two speeds along these
// lines, numbers that know of no direction across: one joint normal distribution of six, for the
// target, and three of two each for false alarms. However vague the speed across is told to be,
// nothing of it is left.
func TestEvidenceOfRangeRates(t *testing.T) {
	const dt, along = 4.0, 1.3
	r := rand.New(rand.NewPCG(12, 1))
	levels := costgen.Levels{
		Sigma: 60, SigmaV: 1.8, Accel: 2, SpeedStd: 90, Interval: dt, Dim: 2,
		Rates: costgen.Rates{Detect: 0.9, Hidden: 0.4, Survive: 0.95, Births: 0.2, Targets: 5, Clutter: 2, Volume: 1e9},
	}
	for trial := range 20 {
		var unit [2][2]float64 // lines of sight
		var at [2][2]float64
		var rate [2]float64
		v := [2]float64{90 * r.NormFloat64(), 90 * r.NormFloat64()}
		for k := range 2 {
			unit[k][1], unit[k][0] = math.Sincos(r.Float64() * 2 * math.Pi)
			for d := range 2 {
				at[k][d] = float64(k)*dt*v[d] + 60*r.NormFloat64()
				rate[k] += unit[k][d] * v[d]
			}
			rate[k] += along * r.NormFloat64()
		}
		// z₂ − z₁ in position, then both rates.
		q, s2, r2, p2 := levels.Accel*levels.Accel, levels.SpeedStd*levels.SpeedStd, along*along, levels.Sigma*levels.Sigma
		x := []float64{at[1][0] - at[0][0], at[1][1] - at[0][1], rate[0], rate[1]}
		dot := unit[0][0]*unit[1][0] + unit[0][1]*unit[1][1]
		far := 2*p2 + s2*dt*dt + q*dt*dt*dt/3
		late := s2*dt + q*dt*dt/2 // of the way with the second velocity
		c := [][]float64{
			{far, 0, s2 * dt * unit[0][0], late * unit[1][0]},
			{0, far, s2 * dt * unit[0][1], late * unit[1][1]},
			{s2 * dt * unit[0][0], s2 * dt * unit[0][1], s2 + r2, s2 * dot},
			{late * unit[1][0], late * unit[1][1], s2 * dot, s2 + q*dt + r2},
		}
		rates := &levels.Rates
		want := math.Log(rates.Births*rates.Detect/rates.Volume) + logNormal(c, x) + math.Log(rates.Survive*rates.Detect) + math.Log(1-rates.Survive*rates.Detect)
		for k := range 2 {
			want -= math.Log(rates.Clutter/rates.Volume) + logNormal([][]float64{{s2 + r2}}, rate[k:k+1])
		}
		for _, across := range []float64{1e4, 1e5, 1e6} {
			scans := []mtt.Scan{{Frame: 0, Dim: 2}, {Frame: 1, Time: dt, Dim: 2}, {Frame: 2, Time: 2 * dt, Dim: 2}, {Frame: 3, Time: 3 * dt, Dim: 2}}
			tr := mtt.Track{ID: 1, Dim: 2}
			for k := range 2 {
				s, u := &scans[k+1], unit[k]
				vague := across * across
				s.Pos, s.Vel = at[k][:], []float64{rate[k] * u[0], rate[k] * u[1]}
				s.Cov = []float64{p2, 0, p2}
				s.VelCov = []float64{vague + (r2-vague)*u[0]*u[0], (r2 - vague) * u[0] * u[1], vague + (r2-vague)*u[1]*u[1]}
				tr.Append(s, 0)
			}
			got := Evidence([]mtt.Track{tr}, scans, &costgen.Gaussian{Levels: levels})[0]
			// What the two know of each other across is there: (90/across)².
			if tol := 2e-3*math.Pow(1e5/across, 2) + 1e-3; math.Abs(got-want) > tol {
				t.Errorf("trial %d, across %g m/s: evidence %v nat, by numbers along the lines of sight %v", trial, across, got, want)
			}
		}
	}
}

// logNormal is the log density of N(0, c) at x, by elimination.
func logNormal(c [][]float64, x []float64) float64 {
	y, sum := slices.Clone(x), 0.0
	for k := range c {
		sum -= (y[k]*y[k]/c[k][k] + math.Log(2*math.Pi*c[k][k])) / 2
		for i := k + 1; i < len(c); i++ {
			f := c[i][k] / c[k][k]
			y[i] -= f * y[k]
			for j := k; j < len(c); j++ {
				c[i][j] -= f * c[k][j]
			}
		}
	}
	return sum
}

// TestPriceAsTracks: what all tracks cost together is what they cost one after the other, to the last bit.
func TestPriceAsTracks(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 12))
	for n := range 40 {
		levels := refineLevels(n%2 == 0, 2+n/2%2)
		scans := chaintest.Scans(rng, 8, 6, levels.Dim, n%2 == 0)
		c := chaintest.Links(rng, scans, n%3)
		model := &costgen.Gaussian{Levels: levels}
		p := newPricer(scans, model)
		want := 0.0
		for f := range scans {
			for i, before := range c.Prev[f] {
				if before != chain.None {
					continue
				}
				var path []chain.Node
				for at := chain.At(f, i); at != chain.None; at = c.Next[at.T][at.Det] {
					path = append(path, at)
				}
				want += p.track(path)
			}
		}
		if got := Price(c, scans, model); got != want {
			t.Errorf("scene %d: %v together, %v one after the other", n, got, want)
		}
	}
}
