package sensing_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/sensor"
)

// This file tests that range rates help.

// radar are scans of a radar: eight targets that keep their velocities, a tenth of their detections
// missed, and false alarms anywhere whose range rates lie in a width about 0; index of a target, or
// −1, for each detection.
func radar(t *testing.T, seed uint64, width float64, p *sensor.Polar) (scans []mtt.Scan, truth [][]int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	const far, dt, alarms, frames = 30_000.0, 4.0, 6, 16
	var x, v [8][]float64
	for i := range x {
		speed, sin, cos := 80+170*r.Float64(), 0.0, 0.0
		sin, cos = math.Sincos(r.Float64() * 2 * math.Pi)
		x[i], v[i] = []float64{far * (r.Float64() - 0.5), far * (r.Float64() - 0.5)}, []float64{speed * cos, speed * sin}
	}
	for f := range frames {
		s := mtt.Scan{Frame: f, Time: dt * float64(f), Dim: 2}
		var of []int
		see := func(who int, z []float64) {
			if err := p.Append(&s, z); err != nil {
				t.Fatal(err)
			}
			of = append(of, who)
		}
		rate := func(v float64) []float64 { return []float64{v + r.NormFloat64()}[:len(p.Roles())-2] }
		for i := range x {
			z := (&sensor.Polar{Place: p.Place, RateNoise: 1}).Measure(nil, x[i], v[i])
			noisy := append([]float64{z[0] + 30*r.NormFloat64(), z[1] + 0.003*r.NormFloat64()}, rate(z[2])...)
			for d := range x[i] {
				x[i][d] += dt * v[i][d]
			}
			if r.Float64() < 0.9 {
				see(i, noisy)
			}
		}
		for range alarms {
			doppler := width * (r.Float64() - 0.5)
			see(-1, append([]float64{far * math.Sqrt(r.Float64()), 2 * math.Pi * (r.Float64() - 0.5)}, rate(doppler)...))
		}
		scans, truth = append(scans, s), append(truth, of)
	}
	return scans, truth
}

// TestRangeRates: a radar that tells range rates joins fewer false alarms, and no less of its
// targets, than one that does not; of one whose range rates are all noise the tracks are those of
// one that has none. What it leaves open of velocities is no noise.
func TestRangeRates(t *testing.T) {
	t.Parallel()
	widths := []float64{500, 0, 3000} // m/s: as wide as those of targets, narrower, wider
	if testing.Short() {
		widths = widths[:1]
	}
	p := func(noise float64) *sensor.Polar {
		return &sensor.Polar{Place: []float64{0, 0}, RangeNoise: 30, BearingNoise: 0.003, RateNoise: noise, Speed: 150}
	}
	for _, width := range widths {
		var wrong, right [3]int
		var tracks [3][]mtt.Track
		for k, noise := range []float64{0, 1, 1e6} {
			scans, truth := radar(t, 3, width, p(noise))
			res, err := association.Track(t.Context(), scans, &association.Options{NoStates: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, tr := range res.Tracks {
				for h := 1; h < len(tr.Hits); h++ {
					a, b := tr.Hits[h-1], tr.Hits[h]
					if who := truth[a.Frame][a.Det]; who >= 0 && who == truth[b.Frame][b.Det] {
						right[k]++
					} else {
						wrong[k]++
					}
				}
			}
			tracks[k] = res.Tracks
			if sigma := res.Levels.SigmaV; k == 1 && !(sigma > 1 && sigma < 2) {
				t.Errorf("the noise of velocities is %v m/s, and 1.1 along the line of sight", sigma)
			}
		}
		if wrong[1] > wrong[0] || right[1] < right[0] || right[1] == 0 {
			t.Errorf("false alarms %v m/s wide: %d false links and %d right ones with range rates, %d and %d without", width, wrong[1], right[1], wrong[0], right[0])
		}
		if !slices.EqualFunc(tracks[0], tracks[2], func(a, b mtt.Track) bool { return slices.Equal(a.Hits, b.Hits) }) {
			t.Errorf("false alarms %v m/s wide: range rates that are all noise make %d tracks of other detections, %d without them", width, len(tracks[2]), len(tracks[0]))
		}
	}
}
