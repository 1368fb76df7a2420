package main

// This file tells the noise levels and rates that a solution rests on.

import (
	"fmt"
	"strings"

	"mtt/association"
	"mtt/costgen"
	"mtt/gating"
)

// modelFields list what the model was, given or estimated, as it is printed.
// Positions are in the given unit, "" when it is not known.
func modelFields(res *association.Result, unit string) record {
	r := record{{key: "gate", value: gateText(res.Gate)}}
	if d, ok := res.Gate.(gating.Disc); ok {
		r = append(r, field{key: "gate_margin", value: d.Margin, unit: unit})
		if d.MaxSpeed > 0 {
			r = append(r, field{key: "gate_speed", value: d.MaxSpeed, unit: per(unit, "s")})
		}
	}
	if g := res.Levels; g != nil {
		levels := record{{key: "noise", value: g.Sigma, unit: unit}}
		if !g.PositionsOnly {
			levels = append(levels, field{key: "velocity_noise", value: g.SigmaV, unit: per(unit, "s")})
		}
		r.add("levels", append(levels, record{
			{key: "accel", value: g.Accel, unit: per(unit, "s^1.5")},
			{key: "manoeuvre_prob", value: g.ManoeuvreProb},
			{key: "manoeuvre_accel", value: g.ManoeuvreAccel, unit: per(unit, "s^1.5")},
			{key: "speed_std", value: g.SpeedStd, unit: per(unit, "s")},
		}...))
		r.add("rates", record{
			{key: "detect", value: g.Rates.Detect}, {key: "hidden", value: g.Rates.Hidden}, {key: "survive", value: g.Rates.Survive},
			{key: "births", value: g.Rates.Births}, {key: "targets", value: g.Rates.Targets},
			{key: "clutter", value: g.Rates.Clutter}, {key: "volume", value: g.Rates.Volume},
		})
	}
	if res.Coasts && res.Instance != nil {
		r = append(r, field{key: "misses_passed", value: res.Instance.Misses()}, field{key: "links_left", value: res.Left})
	}
	return append(r, record{
		{key: "max_speed", value: res.MaxSpeed, unit: per(unit, "s")},
		{key: "coasts", value: res.Coasts},
		{key: "cap", value: res.Cap},
	}...)
}

// per is the unit "unit/by"; "" when unit is.
func per(unit, by string) string {
	if unit == "" {
		return ""
	}
	return unit + "/" + by
}

// estimated says in words which levels were estimated, and their values; "" when
// the model has none, all were given, or there was nothing to estimate from.
func estimated(opts *association.Options, res *association.Result, unit string) string {
	links := 0
	for i := range res.Tracks {
		links += len(res.Tracks[i].Hits) - 1
	}
	if res.Instance != nil {
		links += res.Instance.Arcs()
	}
	g := res.Levels
	if g == nil || opts.Levels != nil || links == 0 {
		return ""
	}
	var parts []string
	tell := func(name string, v float64, unit string) {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s %.3g %s", name, v, unit)))
	}
	if opts.Sigma == 0 {
		tell("noise", g.Sigma, unit)
	}
	if opts.SigmaV == 0 && !g.PositionsOnly {
		tell("velocity noise", g.SigmaV, per(unit, "s"))
	}
	if opts.Accel == 0 {
		tell("acceleration", g.Accel, per(unit, "s^1.5"))
		if g.ManoeuvreProb > 0 {
			tell(fmt.Sprintf("in %.2g %% of steps", 100*g.ManoeuvreProb), g.ManoeuvreAccel, per(unit, "s^1.5"))
		}
	}
	if opts.MaxSpeed == 0 && g.PositionsOnly {
		tell("greatest speed", res.MaxSpeed, per(unit, "s"))
	}
	if opts.Rates == nil && res.Coasts {
		parts = append(parts, ratesText(&g.Rates))
	}
	return strings.Join(parts, ", ")
}

// ratesText says what rates mean.
func ratesText(r *costgen.Rates) string {
	return fmt.Sprintf("detected %.3g %%, missed again %.2g %%, staying %.3g %%, in a frame %.2g births and %.2g false alarms",
		100*r.Detect, 100*r.Hidden, 100*r.Survive, r.Births, r.Clutter)
}
