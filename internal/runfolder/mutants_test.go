package runfolder

// This file reads run.toml with random faults.

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mtt/internal/mutant"
	"mtt/internal/nightly"
	"mtt/sensor"
)

// TestMutants: a run.toml with random faults opens a run, with scans that are possible and that are
// written and read again as they are, or is refused in time with an error that names the file.
// MTT_TRIALS is how many, MTT_TIME for how long, MTT_SEED says which.
func TestMutants(t *testing.T) {
	noise := 0.1
	m := Meta{
		Version: "0.1", Command: "import", Seed: 7, Inputs: []string{"a.csv", "b c.csv"},
		Scans: Scans{
			Step: 1, Count: 9, Interval: 0.04, Dim: 2, Unit: "m", Start: 1.5e9, Uneven: true, EmptyFrames: []int{3}, EmptyTimes: []float64{0.25}, UnseenFrames: []int{5, 6}, Scale: 0.5,
			Origin: []float64{8.5, 47.25}, Image: []int{640, 480}, Noise: &noise,
		},
		Sensors: []sensor.Sensor{{}},
		Options: map[string]map[string]any{"import": {"unit": "m", "fps": 25.0, "gate": []float64{1, 2.5}, "ids": true, "every": 2}},
	}
	var whole bytes.Buffer
	if err := m.encode(&whole); err != nil {
		t.Fatal(err)
	}
	if err := new(Meta).decode(whole.String()); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	seed := nightly.Seed(15)
	rng := rand.New(rand.NewPCG(uint64(seed), 8))
	trials := nightly.Trials(nightly.Or(500, 200_000))
	tried, refused := 0, 0
	for range nightly.Start().Rounds(trials, 0, 1) {
		tried++
		data, what, _ := mutant.Several(rng, whole.Bytes())
		if err := os.WriteFile(filepath.Join(dir, RunFile), data, 0o666); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		read, err := readMeta(dir)
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("seed %d: %s takes %v: %q", seed, what, took, data)
		}
		if err != nil {
			if refused++; !bytes.Contains([]byte(err.Error()), []byte(RunFile)) && !errors.Is(err, ErrNotRunFolder) {
				t.Errorf("seed %d: %s: error %v (%T): %q", seed, what, err, err, data)
			}
			continue
		}
		if err := read.Scans.check(); err != nil {
			t.Errorf("seed %d: %s is read, and %v: %q", seed, what, err, data)
		}
		var once, twice bytes.Buffer
		again := new(Meta)
		if err := read.encode(&once); err != nil {
			t.Errorf("seed %d: %s: written again: %v: %q", seed, what, err, data)
		} else if err := again.decode(once.String()); err != nil {
			t.Errorf("seed %d: %s: written and read again: %v: %q of %q", seed, what, err, once.Bytes(), data)
		} else if err := again.encode(&twice); err != nil || !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Errorf("seed %d: %s: written twice: %v, %q and %q", seed, what, err, once.Bytes(), twice.Bytes())
		}
	}
	t.Logf("seed %d: %d files with faults, %d refused", seed, tried, refused)
}
