package runfolder

// This file defines the content of run.toml.

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"mtt/internal/shell"
	"mtt/internal/tomlfile"
	"mtt/sensor"
)

// A Meta says how a run was made: enough to make it again.
type Meta struct {
	Version string   `toml:"version"`
	Command string   `toml:"command"`
	Seed    uint64   `toml:"seed"`
	Inputs  []string `toml:"inputs,omitempty"` // files that were imported, as named
	Scans   Scans    `toml:"scans"`

	// Sensors describe the sensors, in the order of their numbers; nil: not known.
	Sensors []sensor.Sensor `toml:"sensors,omitempty"`

	// Options holds, for each command that left its mark, every option that can
	// change a result with the value used, as bool, int, uint64, float64, string
	// or []float64.
	Options map[string]map[string]any `toml:"-"`
}

// Scans is the table [scans]: what the detections file cannot say itself.
type Scans struct {
	First         int       `toml:"first"`                    // first frame
	Step          int       `toml:"step"`                     // frames from one scan to the next
	Count         int       `toml:"count"`                    // frames, empty ones and unseen ones included
	Interval      float64   `toml:"interval"`                 // s from one scan to the next, on average
	Dim           int       `toml:"dim"`                      // 2 or 3
	Unit          string    `toml:"unit"`                     // of positions: m, px, um, …; "": not known
	Start         float64   `toml:"start,omitzero"`           // s, the first scan by the clock of the files that were imported
	Uneven        bool      `toml:"uneven,omitempty"`         // whether the detections file has the times of scans, which come at odd times
	EmptyFrames   []int     `toml:"empty_frames,omitempty"`   // of uneven scans: frames without a detection
	EmptyTimes    []float64 `toml:"empty_times,omitempty"`    // s, their times
	UnseenFrames  []int     `toml:"unseen_frames,omitempty"`  // ascending frames that nobody looked at: there is no scan
	BlankFrames   []int     `toml:"blank_frames,omitempty"`   // frames without a detection of other sensors than number 0
	BlankSensors  []int     `toml:"blank_sensors,omitempty"`  // their sensors
	Scale         float64   `toml:"scale,omitzero"`           // unit for each unit of the files that were imported; 0: 1
	Origin        []float64 `toml:"origin,omitempty"`         // longitude and latitude of the origin, degrees
	Image         []int     `toml:"image,omitempty"`          // width and height of the image, pixels
	Noise         *float64  `toml:"noise,omitempty"`          // unit, standard deviation of a coordinate; nil: not known
	VelocityNoise *float64  `toml:"velocity_noise,omitempty"` // unit per second; nil: not known
}

// Keys are the keys of run.toml at its top that name no option.
var Keys = []string{"version", "command", "inputs", "scans", "sensors"}

// encode writes m as TOML: how it was made, the table [scans], then one table for
// each command with its options in alphabetical order.
func (m *Meta) encode(w io.Writer) error {
	again := shell.Join(append([]string{"mtt", m.Command}, m.Inputs...))
	_, err := fmt.Fprintf(w, "# How this run was made. To make it again:\n# %s --config run.toml -o FOLDER\n\n", again)
	if err != nil {
		return err
	}
	e := toml.NewEncoder(w)
	e.Indent = ""
	named := *m
	named.Inputs = nil
	for _, name := range m.Inputs {
		named.Inputs = append(named.Inputs, strings.ToValidUTF8(name, "\ufffd")) // TOML has no other bytes
	}
	if err := e.Encode(named); err != nil {
		return err
	}
	for _, command := range slices.Sorted(maps.Keys(m.Options)) {
		if err := e.Encode(map[string]any{command: m.Options[command]}); err != nil {
			return err
		}
	}
	return nil
}

// decode reads what encode wrote. With an error for impossible values m holds what the
// file says, with others nothing.
func (m *Meta) decode(text string) error {
	var read Meta
	meta, err := tomlfile.Decode(text, &read)
	if err != nil {
		return err
	}
	for _, key := range []string{"version", "command", "scans"} {
		if !meta.IsDefined(key) {
			return fmt.Errorf("it does not say %q: %w", key, ErrNotRunFolder)
		}
	}
	var tree map[string]any
	if _, err := tomlfile.Decode(text, &tree); err != nil {
		return err
	}
	*m = read
	m.Options = make(map[string]map[string]any)
	for key, value := range tree {
		if table, ok := value.(map[string]any); ok && key != "scans" {
			m.Options[key] = table
		}
	}
	if m.Seed > math.MaxInt64 { // as which the parser takes what is below 0
		return fmt.Errorf("the seed %d is below 0", int64(m.Seed))
	}
	for k := range m.Sensors {
		if err := m.Sensors[k].Validate(); err != nil {
			return err
		}
	}
	return m.Scans.check()
}

// Seen is the number of scans: of frames that were looked at.
func (s *Scans) Seen() int { return s.Count - len(s.UnseenFrames) }

// check is the error for values that no run has.
func (s *Scans) check() error {
	const most = 1 << 53 // frames are whole numbers that a float holds
	positive := func(x float64) bool { return x > 0 && !math.IsInf(x, 1) }
	noise := func(x *float64) bool { return x == nil || *x == 0 || positive(*x) }
	switch {
	case s.Step < 1 || s.Step > most:
		return fmt.Errorf("the table [scans] is impossible: step = %d", s.Step)
	case s.First < -most || s.First > most:
		return fmt.Errorf("the table [scans] is impossible: first = %d", s.First)
	case s.Count < 0 || s.Count > most/s.Step:
		return fmt.Errorf("the table [scans] is impossible: count = %d", s.Count)
	case !positive(s.Interval):
		return fmt.Errorf("the table [scans] is impossible: interval = %v", s.Interval)
	case s.Dim != 2 && s.Dim != 3:
		return fmt.Errorf("the table [scans] is impossible: dim = %d", s.Dim)
	case !noise(s.Noise):
		return fmt.Errorf("the table [scans] is impossible: noise = %v", *s.Noise)
	case len(s.EmptyFrames) != len(s.EmptyTimes):
		return fmt.Errorf("the table [scans] is impossible: %d empty_frames and %d empty_times", len(s.EmptyFrames), len(s.EmptyTimes))
	case !noise(s.VelocityNoise):
		return fmt.Errorf("the table [scans] is impossible: velocity_noise = %v", *s.VelocityNoise)
	case len(s.EmptyFrames) != len(s.EmptyTimes):
		return fmt.Errorf("the table [scans] is impossible: %d empty_frames, %d empty_times", len(s.EmptyFrames), len(s.EmptyTimes))
	case len(s.UnseenFrames) > s.Count || slices.ContainsFunc(s.UnseenFrames, func(f int) bool {
		return f < s.First || f > s.First+(s.Count-1)*s.Step || (f-s.First)%s.Step != 0
	}) || !slices.IsSortedFunc(s.UnseenFrames, func(a, b int) int { return cmp.Or(cmp.Compare(a, b), -1) }):
		return fmt.Errorf("the table [scans] is impossible: unseen_frames are not ascending frames of the run")
	case len(s.BlankFrames) != len(s.BlankSensors) || slices.ContainsFunc(s.BlankSensors, func(k int) bool { return k < 0 || k > math.MaxInt32 }):
		return fmt.Errorf("the table [scans] is impossible: blank_frames = %v, blank_sensors = %v", s.BlankFrames, s.BlankSensors)
	case slices.ContainsFunc(s.EmptyTimes, notFinite) || slices.ContainsFunc([]float64{s.Start, s.Scale}, notFinite):
		return fmt.Errorf("the table [scans] is impossible: start, scale or empty_times are not finite")
	case len(s.Origin) != 0 && (len(s.Origin) != 2 || slices.ContainsFunc(s.Origin, notFinite)):
		return fmt.Errorf("the table [scans] is impossible: origin = %v", s.Origin)
	case len(s.Image) != 0 && (len(s.Image) != 2 || slices.Min(s.Image) < 1):
		return fmt.Errorf("the table [scans] is impossible: image = %v", s.Image)
	}
	return nil
}

func notFinite(x float64) bool { return x-x != 0 }
