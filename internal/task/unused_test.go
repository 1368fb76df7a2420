package task

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"mtt/internal/cli"
	"mtt/scenario"
)

// TestUnused gives every option of a scene another value, in every scene: it changes what is simulated, or is said to have
// no use; with sensors that are described, not both. What other options ask for comes first.
func TestUnused(t *testing.T) {
	values := map[string]string{
		"degree": "3", "a0": "3", "spread": "7", "speed-min": "1.5", "speed-max": "5", "fast": "0.5", "fast-min": "5", "fast-max": "30", "drift-accel": "1", "step": "2",
		"cycle": "4", "apart": "0.01", "revert": "3", "turn-rate": "1", "turn-walk": "1", "still": "3", "near": "20", "far": "30", "interval": "2", "uneven": "0.3", "jitter": "0.3",
		"dim": "3", "noise": "0.5", "velocity-noise": "2", "stretch": "3", "range-noise": "99", "bearing-noise": "5", "range-rate-noise": "3", "miss": "0.3",
		"miss-run": "4", "merge-within": "2", "clutter": "3", "clutter-radius": "9", "births": "0.5", "features": "1", "feature-noise": "2", "classes": "3", "confusion": "0.7",
	}
	first := map[string]string{"miss-run": "miss", "clutter-radius": "clutter", "fast-min": "fast", "fast-max": "fast", "feature-noise": "features", "confusion": "classes", "near": "far"}
	said := func(t *testing.T, words ...string) (made any, unused []Unused) {
		o := &SimulateOptions{}
		options := o.Bind()
		for i := 0; i < len(words); i += 2 {
			if err := cli.Find(options, words[i]).Set(words[i+1]); err != nil {
				t.Fatal(err)
			}
		}
		cfg, err := o.Scenario(1)
		if err != nil {
			return nil, nil
		}
		s, err := scenario.Simulate(context.Background(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		return []any{s.Scans, s.Truth}, o.Unused()
	}
	for _, sensor := range scenario.Presets() {
		for _, kind := range scenario.Kinds() {
			base := []string{"sensor", sensor, "scene", string(kind), "targets", "5", "frames", "12"}
			for name, value := range values {
				for _, before := range slices.Compact([]string{"", first[name]}) {
					words := slices.Clone(base)
					if before != "" {
						words = append(words, before, values[before])
					}
					without, _ := said(t, words...)
					with, unused := said(t, append(words, name, value)...)
					if with == nil || without == nil {
						continue // refused
					}
					changes := !reflect.DeepEqual(with, without)
					warned := slices.ContainsFunc(unused, func(u Unused) bool { return u.Option == name })
					if changes && warned || !changes && !warned && sensor == scenario.Presets()[0] { // others may see all there is, or no velocities
						t.Errorf("%v --%s %s: changes the scene: %v, said to have no use: %v", words, name, value, changes, warned)
					}
				}
			}
		}
	}
}
