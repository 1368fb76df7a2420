package task

// This file tells the noise levels and rates that a solution rests on.

import (
	"fmt"
	"strings"

	"mtt/association"
	"mtt/costgen"
	"mtt/gating"
	"mtt/internal/cli"
)

// modelFields list what the model was, given or estimated, as it is printed.
// Positions are in the given unit, "" when it is not known.
func modelFields(res *association.Result, unit string) cli.Record {
	r := cli.Record{{Key: "gate", Value: GateText(res.Gate)}}
	if d, ok := res.Gate.(gating.Disc); ok {
		r = append(r, cli.Field{Key: "gate_margin", Value: d.Margin, Unit: unit})
		if d.MaxSpeed > 0 {
			r = append(r, cli.Field{Key: "gate_speed", Value: d.MaxSpeed, Unit: per(unit, "s")})
		}
	}
	if g := res.Levels; g != nil {
		levels := cli.Record{{Key: "noise", Value: g.Sigma, Unit: unit}}
		if !g.PositionsOnly {
			levels = append(levels, cli.Field{Key: "velocity_noise", Value: g.SigmaV, Unit: per(unit, "s")})
		}
		r.Add("levels", append(levels, cli.Record{
			{Key: "accel", Value: g.Accel, Unit: per(unit, "s^1.5")},
			{Key: "manoeuvre_prob", Value: g.ManoeuvreProb},
			{Key: "manoeuvre_accel", Value: g.ManoeuvreAccel, Unit: per(unit, "s^1.5")},
			{Key: "speed_std", Value: g.SpeedStd, Unit: per(unit, "s")},
		}...))
		r.Add("rates", cli.Record{
			{Key: "detect", Value: g.Rates.Detect}, {Key: "hidden", Value: g.Rates.Hidden}, {Key: "survive", Value: g.Rates.Survive},
			{Key: "births", Value: g.Rates.Births}, {Key: "targets", Value: g.Rates.Targets},
			{Key: "clutter", Value: g.Rates.Clutter}, {Key: "volume", Value: g.Rates.Volume},
		})
	}
	if res.Coasts && res.Instance != nil {
		r = append(r, cli.Field{Key: "misses_passed", Value: res.Instance.Misses()}, cli.Field{Key: "links_left", Value: res.Left})
	}
	return append(r, cli.Record{
		{Key: "max_speed", Value: res.MaxSpeed, Unit: per(unit, "s")},
		{Key: "coasts", Value: res.Coasts},
		{Key: "cap", Value: res.Cap},
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
