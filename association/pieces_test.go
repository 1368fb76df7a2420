package association

// This file tests what is said of tracks that are in pieces.

import (
	"math/rand/v2"
	"strings"
	"testing"

	"mtt"
)

// TestPieces: targets that rest and jump are said to jump, unless they divide; where targets go as
// far, as those do that turn at walls among misses and false alarms, tracks are said to break.
func TestPieces(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 3))
	scans := make([]mtt.Scan, 60)
	var x [25][2]float64
	for i := range x {
		x[i] = [2]float64{100 * r.Float64(), 100 * r.Float64()}
	}
	for f := range scans {
		scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
		for i := range x {
			if r.Float64() < 0.1 {
				x[i][0], x[i][1] = x[i][0]+10*r.NormFloat64(), x[i][1]+10*r.NormFloat64()
			}
			if r.Float64() < 0.97 {
				scans[f].Pos = append(scans[f].Pos, x[i][0]+0.1*r.NormFloat64(), x[i][1]+0.1*r.NormFloat64())
			}
		}
	}
	res, err := Track(t.Context(), scans, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		speed float64
		opts  Options
		want  string
	}{
		{"jumps", res.MaxSpeed, Options{}, "targets seem to jump"},
		{"divisions", res.MaxSpeed, Options{Divides: true}, ""},
		{"as far as targets go", 100, Options{}, "no farther than targets go"},
	} {
		res.MaxSpeed = c.speed
		list, _ := res.doubts(t.Context(), scans, nil, &c.opts)
		got := strings.Join(list, "\n")
		if strings.Contains(got, "so tracks are in pieces") != (c.want != "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
