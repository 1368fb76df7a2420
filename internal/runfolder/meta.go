package runfolder

// This file defines the content of run.toml.

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// A Meta says how a run was made: enough to make it again.
type Meta struct {
	Version string   `toml:"version"`
	Command string   `toml:"command"`
	Seed    uint64   `toml:"seed"`
	Inputs  []string `toml:"inputs,omitempty"` // files that were imported, as named
	Scans   Scans    `toml:"scans"`

	// Options holds, for each command that left its mark, every option that can
	// change a result with the value used, as bool, int, uint64, float64, string
	// or []float64.
	Options map[string]map[string]any `toml:"-"`
}

// Scans is the table [scans]: what the detections file cannot say itself.
type Scans struct {
	First         int      `toml:"first"`                    // first frame
	Step          int      `toml:"step"`                     // frames from one scan to the next
	Count         int      `toml:"count"`                    // scans, empty ones included
	Interval      float64  `toml:"interval"`                 // s from one scan to the next
	Dim           int      `toml:"dim"`                      // 2 or 3
	Unit          string   `toml:"unit"`                     // of positions: m or px; "": not known
	Noise         *float64 `toml:"noise,omitempty"`          // unit, standard deviation of a coordinate; nil: not known
	VelocityNoise *float64 `toml:"velocity_noise,omitempty"` // unit per second; nil: not known
}

// Keys are the keys of run.toml at its top that name no option.
var Keys = []string{"version", "command", "inputs", "scans"}

// encode writes m as TOML: how it was made, the table [scans], then one table for
// each command with its options in alphabetical order.
func (m *Meta) encode(w io.Writer) error {
	again := append([]string{"mtt", m.Command}, m.Inputs...)
	_, err := fmt.Fprintf(w, "# How this run was made. To make it again:\n# %s --config run.toml -o FOLDER\n\n", strings.Join(again, " "))
	if err != nil {
		return err
	}
	e := toml.NewEncoder(w)
	e.Indent = ""
	if err := e.Encode(m); err != nil {
		return err
	}
	for _, command := range slices.Sorted(maps.Keys(m.Options)) {
		if err := e.Encode(map[string]any{command: m.Options[command]}); err != nil {
			return err
		}
	}
	return nil
}

// decode reads what encode wrote.
func (m *Meta) decode(text string) error {
	meta, err := toml.Decode(text, m)
	if err != nil {
		return err
	}
	for _, key := range []string{"version", "command", "scans"} {
		if !meta.IsDefined(key) {
			return fmt.Errorf("it does not say %q: %w", key, ErrNotRunFolder)
		}
	}
	if m.Scans.Step < 1 || m.Scans.Count < 0 || !(m.Scans.Interval > 0) || m.Scans.Dim != 2 && m.Scans.Dim != 3 {
		return fmt.Errorf("the table [scans] is impossible: %+v", m.Scans)
	}
	var tree map[string]any
	if _, err := toml.Decode(text, &tree); err != nil {
		return err
	}
	m.Options = make(map[string]map[string]any)
	for key, value := range tree {
		if table, ok := value.(map[string]any); ok && key != "scans" {
			m.Options[key] = table
		}
	}
	return nil
}
