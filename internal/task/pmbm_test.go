package task

import (
	"testing"

	"mtt"
	"mtt/association/pmbm"
	"mtt/costgen"
)

// TestSureLevels: where nothing was ever missed, false, born or dead, a target that is suddenly
// elsewhere is one target a few scans later, not one there and one where it would have gone.
func TestSureLevels(t *testing.T) {
	g := &costgen.Levels{Sigma: 0.01, Accel: 0.01, SpeedStd: 1, PositionsOnly: true, Rates: costgen.Rates{
		Detect: 1 - 1e-16, Hidden: 1e-300, Survive: 1, Births: 1e-300, Clutter: 1e-300, Targets: 1, Volume: 100,
	}}
	scans := make([]mtt.Scan, 16)
	for k := range scans {
		x := 0.1 * float64(k)
		if k >= 8 {
			x = 8
		}
		scans[k] = mtt.Scan{Frame: k, Time: float64(k), Dim: 2, Pos: []float64{x, 0.05 * float64(k)}}
	}
	f, err := pmbm.New(&pmbm.Options{Model: LevelsModel(g, scans)})
	if err != nil {
		t.Fatal(err)
	}
	run := &FilterRun{}
	if err := run.Filter(t.Context(), f, scans, nil); err != nil {
		t.Fatal(err)
	}
	if e := f.Estimates(); len(e) != 1 || e[0].Det != 0 {
		t.Errorf("%d targets: %+v", len(e), e)
	}
}

// TestEchoesAreAlarms: the filter, which knows no echoes, has them among its false alarms.
func TestEchoesAreAlarms(t *testing.T) {
	scans := []mtt.Scan{{Dim: 2, Pos: make([]float64, 2*30)}, {Frame: 1, Time: 1, Dim: 2, Pos: make([]float64, 2*50)}}
	g := &costgen.Levels{Dim: 2, Rates: costgen.Rates{Detect: 0.9, Clutter: 1.5}, Echoes: &costgen.Echoes{Sigma: 1, Share: 0.25}}
	if m := LevelsModel(g, scans); m.Clutter != 11.5 {
		t.Errorf("%v false alarms in a scan, want 1.5 and a quarter of 40", m.Clutter)
	}
}
