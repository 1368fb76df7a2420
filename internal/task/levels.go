package task

// This file tells the noise levels and rates that a solution rests on.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"mtt/association"
	"mtt/costgen"
	"mtt/gating"
	"mtt/internal/cli"
	"mtt/motion"
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
		r.Add("motion", g.Params(max(g.Dim, 2)).Name())
		r.Add("levels", motionFields(g, unit))
		rates := cli.Record{
			{Key: "detect", Value: g.Rates.Detect}, {Key: "hidden", Value: g.Rates.Hidden}, {Key: "survive", Value: g.Rates.Survive},
			{Key: "births", Value: g.Rates.Births}, {Key: "targets", Value: g.Rates.Targets},
			{Key: "clutter", Value: g.Rates.Clutter}, {Key: "volume", Value: g.Rates.Volume},
		}
		if g.Rates.Uneven > 0 {
			rates.Add("uneven", g.Rates.Uneven)
		}
		r.Add("rates", rates)
		if l := &g.Lasting; l.Share > 0 {
			r.Add("lasting", cli.Record{{Key: "share", Value: l.Share}, {Key: "brief", Value: l.Brief}, {Key: "long", Value: l.Long}})
		}
		if g.BounceProb > 0 {
			r.Add("bounces", cli.Record{{Key: "share", Value: g.BounceProb}, {Key: "other_manoeuvres", Value: g.OtherProb}})
		}
		if w := g.Whole; w != nil && w.Motion != g.Motion {
			r.Add("steered", append(cli.Record{{Key: "motion", Value: w.Params(max(g.Dim, 2)).Name()}}, motionFields(w, unit)...))
		}
		if w := g.Whole; w != nil && w.JumpProb > 0 {
			r.Add("jumps", cli.Record{{Key: "share", Value: w.JumpProb}, {Key: "size", Value: w.JumpStd, Unit: unit}})
		}
		if w := g.Whole; w != nil && w.OutlierProb > 0 {
			r.Add("outliers", cli.Record{{Key: "share", Value: w.OutlierProb}, {Key: "times", Value: w.OutlierTimes}, {Key: "noise", Value: w.Sigma, Unit: unit}})
		}
	}
	if g := res.Levels; g != nil && g.Echoes != nil {
		e := g.Echoes
		r.Add("echoes", cli.Record{{Key: "offset", Value: e.Offset[:g.Dim], Unit: unit}, {Key: "noise", Value: e.Sigma, Unit: unit}, {Key: "share", Value: e.Share}})
	}
	if g := res.Levels; g != nil && g.Blur != nil {
		r = append(r, cli.Field{Key: "blurred_scans", Value: len(g.Blur.Frames)}, cli.Field{Key: "blurred_times", Value: slices.Max(g.Blur.Times)})
	} else if g != nil && g.Cov != [6]float64{} {
		std, axis := g.NoiseAxes()
		r = append(r, cli.Field{Key: "noise_axes", Value: std, Unit: unit}, cli.Field{Key: "noise_along", Value: axis})
	}
	if g := res.Levels; g != nil && g.Polar != nil {
		r.Add("noise_polar", polarField(g, unit))
	}
	if g := res.Levels; g != nil && g.Shifts != nil {
		r = append(r, cli.Field{Key: "sensor_moves", Value: g.Shifts.RMS(), Unit: unit})
	}
	if g := res.Levels; g != nil && g.Sensing != nil {
		var sensors []cli.Record
		for k, s := range g.Sensing.Sensors {
			r := cli.Record{{Key: "sensor", Value: cmp.Or(s.Name, fmt.Sprint(k))}, {Key: "detect", Value: g.Sensing.Detect[k]}, {Key: "clutter", Value: g.Sensing.Clutter[k]}}
			if g.Sensing.Sigma != nil && g.Sensing.Sigma[k] > 0 {
				r = append(r, cli.Field{Key: "noise", Value: g.Sensing.Sigma[k], Unit: unit})
			}
			sensors = append(sensors, r)
		}
		r.Add("sensors", sensors)
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

// motionFields are the levels of noise and motion.
func motionFields(g *costgen.Levels, unit string) cli.Record {
	params := g.Params(max(g.Dim, 2))
	levels := cli.Record{{Key: "noise", Value: g.Sigma, Unit: unit}}
	if !g.PositionsOnly {
		levels = append(levels, cli.Field{Key: "velocity_noise", Value: g.SigmaV, Unit: per(unit, "s")})
	}
	levels = append(levels, cli.Record{
		{Key: "accel", Value: g.Accel, Unit: per(unit, accelUnit(g))},
		{Key: "manoeuvre_prob", Value: g.ManoeuvreProb},
		{Key: "manoeuvre_accel", Value: g.ManoeuvreAccel, Unit: per(unit, accelUnit(g))},
		{Key: "speed_std", Value: g.SpeedStd, Unit: per(unit, "s")},
	}...)
	if g.ManoeuvreProb > 0 {
		levels.Add("tail_dof", params.Tail())
	}
	switch params.Name() {
	case "reverting":
		levels = append(levels, cli.Field{Key: "revert", Value: g.Revert, Unit: "1/s"})
	case "swaying":
		levels = append(levels, cli.Field{Key: "sway", Value: g.Sway, Unit: per(unit, "s^0.5")})
	case "turn":
		levels = append(levels, cli.Field{Key: "turn_std", Value: g.TurnStd, Unit: "rad/s"}, cli.Field{Key: "turn_walk", Value: g.TurnWalk, Unit: "rad/s^1.5"})
	case "singer":
		levels = append(levels, cli.Field{Key: "accel_std", Value: g.AccelStd, Unit: per(unit, "s^2")}, cli.Field{Key: "accel_revert", Value: g.AccelRevert, Unit: "1/s"})
	}
	return levels
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
	own := g.Sensing != nil && g.Sensing.Sigma != nil
	if opts.Sigma == 0 && !own {
		tell("noise", g.Sigma, unit)
	}
	if opts.SigmaV == 0 && !g.PositionsOnly && !own {
		tell("velocity noise", g.SigmaV, per(unit, "s"))
	}
	for k := range opts.Sensors {
		if !own || g.Sensing.Sigma[k] == 0 {
			continue
		}
		of := " of " + cmp.Or(opts.Sensors[k].Name, fmt.Sprintf("sensor %d", k))
		if tell("noise"+of, g.Sensing.Sigma[k], unit); !g.PositionsOnly {
			tell("velocity noise"+of, g.Sensing.SigmaV[k], per(unit, "s"))
		}
	}
	if opts.Accel == 0 {
		name := "acceleration"
		if accelUnit(g) == "s^0.5" {
			name = "root of twice the diffusion"
		}
		tell(name, g.Accel, per(unit, accelUnit(g)))
		if g.ManoeuvreProb > 0 {
			tell(fmt.Sprintf("in %s %% of steps", percent(g.ManoeuvreProb)), g.ManoeuvreAccel, per(unit, accelUnit(g)))
		}
	}
	if g.Classes != nil {
		parts = append(parts, fmt.Sprintf("classes confused in %s %%", percent(g.Classes.Confusion())))
	}
	if opts.MaxSpeed == 0 && g.PositionsOnly {
		tell("greatest speed", res.MaxSpeed, per(unit, "s"))
	}
	if res.Coasts {
		if told := ratesText(&g.Rates, opts.Rates); told != "" {
			parts = append(parts, told)
		}
		if l := &g.Lasting; l.Share > 0 && l.Share < 0.995 { // else all are of one kind
			parts = append(parts, fmt.Sprintf("%.2g %% of the misses in a row last, %.2g frames on average", 100*l.Share, 1/(1-l.Long)))
		}
	}
	switch e := g.Echoes; {
	case e == nil:
	case e.Around():
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%.2g false alarms for each detection lie around it, %.3g %s away on each axis", e.Share, e.Sigma, unit)))
	default:
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s %% of the detections have an echo %.3g from them %s", percent(e.Share), e.Offset[:g.Dim], unit)))
	}
	if g.BounceProb > 0 {
		parts = append(parts, fmt.Sprintf("targets bounce in %s %% of steps", percent(g.BounceProb)))
	}
	switch w := g.Whole; {
	case w == nil || w.Motion == g.Motion:
	case w.TurnStd > 0:
		tell("whole tracks turn at rates that last, of a spread of", w.TurnStd, "rad/s")
	default:
		tell(fmt.Sprintf("whole tracks accelerate for %.3g s at a time, by", 1/w.AccelRevert), w.AccelStd, per(unit, "s^2"))
	}
	if w := g.Whole; w != nil && w.JumpProb > 0 {
		tell(fmt.Sprintf("in %s %% of steps positions jump by", percent(w.JumpProb)), w.JumpStd, unit)
	}
	if w := g.Whole; w != nil && w.OutlierProb > 0 {
		parts = append(parts, fmt.Sprintf("%.2g %% of the positions are off by %.2g times the noise of the others", 100*w.OutlierProb, w.OutlierTimes))
	}
	return strings.Join(parts, ", ")
}

// ratesText says what rates mean, but for those that were said.
func ratesText(r, said *costgen.Rates) string {
	if said == nil {
		said = &costgen.Rates{}
	}
	var parts, each []string
	if said.Detect == 0 {
		if again := 1 - r.Hidden; r.Uneven == 0 && again < 1 && r.Detect < again/2 { // seldom seen in two scans in a row, as by a sensor that turns: of how many it is, that says nothing
			parts = append(parts, fmt.Sprintf("detected in %.3g %% of the scans, in %.3g %% of those that follow such a one", 100*again/(1+again-r.Detect), 100*r.Detect))
		} else {
			parts = append(parts, fmt.Sprintf("detected %.3g %%, missed again %s %%", 100*r.Detect, percent(r.Hidden)))
		}
	}
	if said.Survive == 0 {
		parts = append(parts, fmt.Sprintf("staying %.3g %%", 100*r.Survive))
	}
	if said.Births == 0 {
		each = append(each, fmt.Sprintf("%.2g births", r.Births))
	}
	if said.Clutter == 0 {
		each = append(each, fmt.Sprintf("%.2g false alarms", r.Clutter))
	}
	if each != nil {
		parts = append(parts, "in a frame "+strings.Join(each, " and "))
	}
	return strings.Join(parts, ", ")
}

// percent is a share in per cent, to two digits but for 100.
func percent(share float64) string {
	if share >= 0.995 {
		return fmt.Sprintf("%.3g", 100*share)
	}
	return fmt.Sprintf("%.2g", 100*share)
}

// accelUnit is what the unit of Accel is divided by.
func accelUnit(g *costgen.Levels) string {
	if g.Motion == motion.Model(motion.Walk{}) {
		return "s^0.5"
	}
	return "s^1.5"
}

// movedText says how the sensor moved, if it did.
func movedText(res *association.Result, unit string) string {
	if res.Levels == nil || res.Levels.Shifts == nil {
		return ""
	}
	told, from := "the sensor moves: ", " from its straight line"
	if res.Levels.Motion == motion.Model(motion.Walk{}) { // which knows no straight line
		told, from = "the sensor moves, or all targets are carried along: ", " from the middle of the way"
	}
	told += strings.TrimSpace(fmt.Sprintf("%.3g %s", res.Levels.Shifts.RMS(), unit)) + from
	if res.Moved > 0 {
		told += fmt.Sprintf(", %s nat likelier than that it stands still", grouped(res.Moved))
	}
	return told
}

// polarField lists the noise of sensors along and across their lines of sight.
func polarField(g *costgen.Levels, unit string) (list []cli.Record) {
	for k, s := range g.Polar.Sensors {
		if s.Range == 0 {
			continue
		}
		r := cli.Record{{Key: "sensor", Value: k}, {Key: "place", Value: s.Place[:g.Dim]}, {Key: "range", Value: s.Range, Unit: unit}, {Key: "bearing", Value: s.Bearing, Unit: "rad"}}
		if g.Dim == 3 {
			r = append(r, cli.Field{Key: "elevation", Value: s.Elevation, Unit: "rad"})
		}
		list = append(list, r)
	}
	return list
}

// polarText says how noisy ranges and bearings are.
func polarText(res *association.Result, unit string) string {
	var all []string
	sensors := res.Levels.Polar.Sensors
	for k, s := range sensors {
		if s.Range == 0 {
			continue
		}
		told := strings.TrimSpace(fmt.Sprintf("%.3g %s", s.Range, unit)) + fmt.Sprintf(" along the line of sight, %.3g rad (%.3g degrees) across it", s.Bearing, s.Bearing*180/math.Pi)
		if s.Elevation > 0 {
			told += fmt.Sprintf(" and %.3g rad upwards", s.Elevation)
		}
		if len(sensors) > 1 {
			told = fmt.Sprintf("sensor %d ", k) + told
		}
		all = append(all, told)
	}
	told := "noise is that of ranges and bearings: " + strings.Join(all, "; ")
	if res.Shaped > 0 {
		told += fmt.Sprintf(", %s nat likelier than the same along all directions", grouped(res.Shaped))
	}
	return told
}

// blurText says in how many scans positions are less precise.
func blurText(res *association.Result) string {
	b := res.Levels.Blur
	var frames []string
	const most = 6
	for _, f := range b.Frames[:min(len(b.Frames), most)] {
		frames = append(frames, fmt.Sprint(f))
	}
	told := fmt.Sprintf("positions are less precise in %d of the scans, up to %.3g times: frames %s", len(b.Frames), slices.Max(b.Times), strings.Join(frames, ", "))
	if more := len(b.Frames) - most; more > 0 {
		told += fmt.Sprintf(" and %d more", more)
	}
	if res.Shaped > 0 {
		told += fmt.Sprintf("; %s nat likelier than that noise is the same in all", grouped(res.Shaped))
	}
	return told
}

// shapedText says how noise differs by direction or by scan, if it does.
func shapedText(res *association.Result, unit string) string {
	if res.Levels != nil && res.Levels.Polar != nil {
		return polarText(res, unit)
	}
	if res.Levels == nil || res.Levels.Cov == [6]float64{} {
		return ""
	}
	if res.Levels.Blur != nil {
		return blurText(res)
	}
	std, axis := res.Levels.NoiseAxes()
	last := len(std) - 1
	var along, parts []string
	for _, x := range axis {
		along = append(along, fmt.Sprintf("%.2g", x+0)) // no −0
	}
	for _, s := range std {
		parts = append(parts, fmt.Sprintf("%.3g", s))
	}
	told := "noise differs by direction: " + strings.TrimSpace(strings.Join(parts[:last], ", ")+" and "+parts[last]+" "+unit) + ", most along (" + strings.Join(along, ", ") + ")"
	if res.Shaped > 0 {
		told += fmt.Sprintf(", %s nat likelier than that it does not", grouped(res.Shaped))
	}
	return told
}

// motionText says which motion was chosen where it is not the default, and how much
// likelier it is; "" where it is, or was given.
func motionText(res *association.Result) string {
	if len(res.Motions) < 2 {
		return ""
	}
	chosen := res.Motions[0]
	for _, m := range res.Motions[1:] {
		if m.Motion == motion.Model(motion.Velocity{}) || m.Motion == motion.Model(motion.Swaying{}) { // of boxes
			if margin := chosen.Nats - m.Nats; math.IsNaN(margin) || math.IsInf(margin, 0) { // one of them explains nothing
				return motionNames[chosen.Motion.Name()]
			}
			return fmt.Sprintf("%s, %s nat likelier than %s", motionNames[chosen.Motion.Name()], grouped(chosen.Nats-m.Nats), motionNames[m.Motion.Name()])
		}
	}
	return ""
}

// motionNames say in words what the names of motions mean.
var motionNames = map[string]string{
	"velocity": "constant velocity", "walk": "random walk", "reverting": "velocity that falls back to zero", "swaying": "constant velocity with errors that last", "turn": "coordinated turn", "singer": "acceleration that lasts",
}

// grouped is a number without decimals, its digits in groups of three.
func grouped(x float64) string {
	s := fmt.Sprintf("%.0f", x)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
