package refine

import (
	"math"
	"testing"

	"mtt"
	"mtt/costgen"
	"mtt/motion"
)

// This file tests prices of tracks against formulas.

// TestEvidence compares the evidence of a random walk's track, missed once, one of whose detections the detector doubts, with its formula:
// densities by conditioning the joint normal distribution of three positions.
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
