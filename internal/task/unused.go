package task

// This file finds options of a scene that say something to no effect.

import (
	"slices"
	"strings"

	"mtt/internal/cli"
	"mtt/scenario"
)

// flying are the scenes whose targets have speeds.
var flying = []scenario.Kind{scenario.Burst, scenario.Arena, scenario.Cross, scenario.Steer, scenario.Drift, scenario.Reverting, scenario.Turn, scenario.Bounce}

// uses says of options what they need: one of these scenes, or something else that is the case.
var uses = []struct {
	options string
	scenes  []scenario.Kind             // nil: any
	when    func(*SimulateOptions) bool // nil: always
	seen    bool                        // a sensor that is described looks as far, whatever the scene
	without string                      // what it says that is not the case
}{
	{options: "degree a0", scenes: []scenario.Kind{scenario.Burst, scenario.Arena, scenario.Cross}},
	{options: "speed-min speed-max fast", scenes: flying},
	{options: "fast-min fast-max", scenes: flying, when: func(o *SimulateOptions) bool { return o.Fast > 0 }, without: "without --fast"},
	{options: "drift-accel", scenes: []scenario.Kind{scenario.Drift}},
	{options: "step", scenes: []scenario.Kind{scenario.Walk, scenario.Flow, scenario.Cells}},
	{options: "cycle apart", scenes: []scenario.Kind{scenario.Cells}},
	{options: "revert", scenes: []scenario.Kind{scenario.Reverting}},
	{options: "turn-rate turn-walk", scenes: []scenario.Kind{scenario.Turn}},
	{options: "near", scenes: []scenario.Kind{scenario.Drift, scenario.Reverting, scenario.Turn}},
	{options: "far", scenes: []scenario.Kind{scenario.Drift, scenario.Reverting, scenario.Turn}, seen: true},
	{options: "range-noise bearing-noise range-rate-noise", when: func(o *SimulateOptions) bool { return o.sensor != scenario.Presets()[0] }, without: "with --sensor position"},
	{options: "velocity-noise", when: func(o *SimulateOptions) bool { return !o.NoVelocity && !o.wanders() || o.velocity() == o.Noise }, without: "where no velocity is measured"},
	{options: "miss-run", when: func(o *SimulateOptions) bool { return o.Miss > 0 }, without: "without --miss"},
	{options: "clutter-radius", when: func(o *SimulateOptions) bool { return o.Clutter > 0 }, without: "without --clutter"},
	{options: "feature-noise", when: func(o *SimulateOptions) bool { return o.Features > 0 }, without: "without --features"},
	{options: "confusion", when: func(o *SimulateOptions) bool { return o.Classes > 1 }, without: "without --classes"},
}

// wanders reports whether targets have no velocity.
func (o *SimulateOptions) wanders() bool {
	return o.scene == string(scenario.Walk) || o.scene == string(scenario.Cells)
}

// An Unused is an option that says something to no effect.
type Unused struct{ Option, Why string }

func (u Unused) String() string { return "--" + u.Option + " has no use " + u.Why }

// Unused lists the options that are not as they would be unsaid, to no effect.
func (o *SimulateOptions) Unused() []Unused {
	c, err := scenario.Preset(o.sensor)
	if err != nil {
		return nil // it is said elsewhere
	}
	base := (&SimulateOptions{}).bind(c)
	var all []Unused
	for _, u := range uses {
		why := u.without
		switch {
		case u.seen && o.sensor != scenario.Presets()[0]:
			continue
		case u.scenes != nil && !slices.Contains(u.scenes, scenario.Kind(o.scene)):
			why = "with --scene " + o.scene
		case u.when == nil || u.when(o):
			continue
		}
		for name := range strings.FieldsSeq(u.options) {
			if o.given[name] && cli.Find(o.bound, name).Value() != cli.Find(base, name).Value() {
				all = append(all, Unused{name, why})
			}
		}
	}
	return all
}

// warnUnused warns of options to no effect.
func (o *SimulateOptions) warnUnused(s *cli.Session) {
	for _, u := range o.Unused() {
		s.Log.Warn(u.String())
	}
}
