package online

import (
	"fmt"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/costgen"
	"mtt/internal/nightly"
	"mtt/motion"
	"mtt/scenario"
	"mtt/sensor"
)

// pairLevels are the levels of a scene of PairConfig of so many targets.
func pairLevels(sensors []sensor.Sensor, targets float64) *costgen.Levels {
	return &costgen.Levels{
		Sigma: 0.35, Motion: motion.Reverting{}, Accel: 0.6, SpeedStd: 0.93, Revert: 0.2, Interval: 0.5, Dim: 2, PositionsOnly: true, MaxSpeed: 5,
		Rates:   costgen.Rates{Detect: 0.9, Survive: 0.999, Births: 0.05, Targets: targets, Clutter: 2, Volume: 1500},
		Sensing: &costgen.Sensing{Sensors: sensors, Detect: []float64{0.9, 0.9}, Clutter: []float64{2, 2}, Volume: []float64{2000, 1300}},
	}
}

// TestSensors: of a radar that turns and a camera that sees a third of the field, scans that cannot
// see a target do not stand between its detections: together as alone, a lag finds nearly the links
// that all frames do.
func TestSensors(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("tracks a scene nine times")
	}
	var online, whole, late [2]int // errors among the links of the radar and of the camera: alone, together
	for seed := range uint64(nightly.Or(1, 6)) {
		c := scenario.PairConfig()
		c.Targets, c.Frames, c.Seed = 30, 50, 1+seed
		scene, err := scenario.Simulate(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		levels := pairLevels(c.Describe(), 30)
		o := &association.Options{Levels: levels, NoStates: true}
		var alone [2][]mtt.Scan
		for _, s := range scene.Scans {
			alone[s.Sensor] = append(alone[s.Sensor], s)
		}
		for _, scans := range [][]mtt.Scan{alone[0], alone[1], scene.Scans} {
			count := func(sum *[2]int, tracks []mtt.Track) {
				if len(scans) < len(scene.Scans) {
					sum[0] += errorsOf(scene.Truth, tracks, scans)
					return
				}
				for _, own := range alone {
					sum[1] += errorsOf(scene.Truth, tracks, own)
				}
			}
			frames, err := association.Track(t.Context(), scans, o)
			if err != nil {
				t.Fatal(err)
			}
			count(&whole, frames.Tracks)
			for lag, sum := range map[int]*[2]int{3: &online, 12: &late} {
				res, err := Track(t.Context(), scans, Of(o, lag))
				if err != nil {
					t.Fatal(err)
				}
				count(sum, res.Tracks)
			}
		}
	}
	said := fmt.Sprintf("errors alone and together: all frames %d, lag 12 %d, lag 3 %d", whole, late, online)
	t.Log(said)
	for together := range 2 {
		if 10*late[together] > 12*whole[together] || 10*online[together] > 15*whole[together] {
			t.Error(said)
		}
	}
}

// errorsOf counts those links of the sensor with the given scans that are not in tracks: from one of its
// detections of a target to the next, whatever the other sees in between.
func errorsOf(truth, tracks []mtt.Track, own []mtt.Scan) (wrong int) {
	by := make(map[int]bool)
	for t := range own {
		by[own[t].Frame] = true
	}
	each := func(tracks []mtt.Track, do func(a, b mtt.Hit)) {
		for i := range tracks {
			last := mtt.Hit{Det: -1}
			for _, h := range tracks[i].Hits {
				if h.Det < 0 || !by[h.Frame] {
					continue
				}
				if last.Det >= 0 {
					do(last, h)
				}
				last = h
			}
		}
	}
	next := make(map[mtt.Hit]mtt.Hit)
	each(tracks, func(a, b mtt.Hit) { next[a] = b })
	each(truth, func(a, b mtt.Hit) {
		if next[a] != b {
			wrong++
		}
	})
	return wrong
}

// TestOutOfView: a target that was seen to leave the view is believed to be there; one that is in
// view and not detected any more is not.
func TestOutOfView(t *testing.T) {
	camera := sensor.Sensor{View: &sensor.View{Min: []float64{-50, -50}, Max: []float64{50, 50}}}
	levels := &costgen.Levels{
		Sigma: 0.1, Accel: 0.1, SpeedStd: 2, Dim: 2, PositionsOnly: true, MaxSpeed: 10,
		Rates:   costgen.Rates{Detect: 0.9, Survive: 0.99, Births: 0.1, Targets: 2, Clutter: 0.1, Volume: 1e4},
		Sensing: &costgen.Sensing{Sensors: []sensor.Sensor{camera}, Detect: []float64{0.9}, Clutter: []float64{0.1}, Volume: []float64{1e4}},
	}
	existence := func(from float64) float64 {
		k, err := NewTracker(&Options{Levels: levels})
		if err != nil {
			t.Fatal(err)
		}
		for s := range 14 {
			scan := mtt.Scan{Frame: s, Time: float64(s), Dim: 2}
			if x := from + 3*float64(s); s < 8 {
				scan.Pos = []float64{x, 0}
			}
			if err := k.Step(t.Context(), &scan); err != nil {
				t.Fatal(err)
			}
		}
		targets := k.Targets(nil)
		if len(targets) != 1 || targets[0].Missed != 6 {
			t.Fatalf("%d targets: %+v", len(targets), targets)
		}
		return targets[0].Existence
	}
	if p := existence(28); p < 0.8 { // at x = 49 when it was seen last
		t.Errorf("a target that left the view is there with probability %v", p)
	}
	if p := existence(-20); p > 0.01 {
		t.Errorf("a target that was missed 6 times is there with probability %v", p)
	}
}
