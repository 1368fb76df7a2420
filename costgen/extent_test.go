package costgen

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
)

// field are scans of points that lie evenly in a square of side(t), fewer in the middle of them, none in one.
func field(rng *rand.Rand, n int, side func(t int) float64) []mtt.Scan {
	scans := make([]mtt.Scan, 40)
	for t := range scans {
		scans[t] = mtt.Scan{Frame: t, Time: float64(t), Dim: 2}
		k := n
		if t > 10 && t < 20 {
			k = n / 3
		}
		for ; k > 0 && t != 15; k-- {
			scans[t].Pos = append(scans[t].Pos, side(t)*rng.Float64(), -side(t)*rng.Float64())
		}
	}
	return scans
}

// TestExtents: of a field that stays the same the boxes of scans say no other, but by chance in one of twenty scenes; of one that grows a thousandfold they say how large it is.
func TestExtents(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 11))
	varied := 0
	for range 200 {
		if extents(field(rng, 12, func(int) float64 { return 30 }), 0.1) != nil {
			varied++
		}
	}
	if varied > 10 {
		t.Errorf("%d of 200 fields that stay the same vary", varied)
	}
	side := func(t int) float64 { return 3 * math.Pow(1000, float64(t)/78) }
	var sum float64
	for range 20 {
		scans := field(rng, 12, side)
		of := extents(scans, 0.1)
		if of == nil {
			t.Fatal("a field that grows stays the same")
		}
		for f, v := range of {
			d := v - 2*math.Log(side(f))
			if sum += d; math.Abs(d) > 1 {
				t.Errorf("scan %d: log volume %.2f off", f, d)
			}
		}
	}
	if mean := sum / 800; math.Abs(mean) > 0.05 {
		t.Errorf("log volumes are %.3f off on average", mean)
	}
}

// TestClutterInTime: false alarms that lie in a field that grows are as dense in each scan as there; of as many in each scan of the same field there is no map.
func TestClutterInTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 27))
	side := func(t int) float64 { return 3 * math.Pow(1000, float64(t)/78) }
	scans := field(rng, 30, side)
	const volume, box = 100, 95 * 95
	m, nats := FitClutter(scans, nil, 0.1, volume)
	if m == nil || math.Abs(nats) > 110 { // a tenth may be anywhere: log .9 for each of a thousand
		t.Fatalf("%.3g nat too likely", nats)
	}
	var all float64
	for f := range scans {
		all += float64(scans[f].Len())
	}
	for f := range scans {
		if scans[f].Len() == 0 {
			continue
		}
		const far = 1e3 // a density in time holds anywhere
		want := math.Log(0.9*float64(scans[f].Len())*40/all*volume/(side(f)*side(f)) + 0.1*volume/box)
		if got := m.At([]float64{far, far, float64(f)}); math.Abs(got-want) > 0.7 {
			t.Errorf("scan %d: log density %.2f, want %.2f", f, got, want)
		}
	}
}
