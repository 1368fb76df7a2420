package task

// This file says in solve.json what prices were made of, and reads it for "mtt verify --recompute".

import (
	"fmt"
	"math"

	"mtt"
	"mtt/association"
	"mtt/costgen"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/verify"
)

// pricingField is what levels and rates do not say of the prices. There are none of
// costs in metres.
func pricingField(res *association.Result) cli.Field {
	g := res.Levels
	if g == nil {
		return cli.Field{Key: "pricing", Value: cli.Record{}}
	}
	r := cli.Record{
		{Key: "interval", Value: g.Interval, Unit: "s"},
		{Key: "positions_only", Value: g.PositionsOnly},
	}
	if g.Sensing != nil {
		r.Add("sensors", len(g.Sensing.Sensors))
	}
	if a := g.Appearance; a != nil {
		r.Add("features", cli.Record{{Key: "mean", Value: a.Mean}, {Key: "var", Value: a.Var}, {Key: "same", Value: a.Same}})
	}
	if c := g.Classes; c != nil {
		r.Add("classes", cli.Record{{Key: "kinds", Value: c.Kinds}, {Key: "share", Value: c.Share}, {Key: "same", Value: c.Same}})
	}
	if p := g.Places; p != nil {
		r.Add("places", cli.Record{{Key: "births", Value: newMap(p.Births)}, {Key: "deaths", Value: newMap(p.Deaths)}, {Key: "clutter", Value: newMap(p.Clutter)}, {Key: "targets", Value: newMap(p.Targets)}})
	}
	if g.Cov != [6]float64{} {
		r.Add("noise_cov", g.Cov[:mtt.Packed(g.Dim)])
	}
	if g.Blur != nil {
		r.Add("noise_blur", cli.Record{{Key: "frames", Value: g.Blur.Frames}, {Key: "times", Value: g.Blur.Times}})
	}
	if g.Polar != nil {
		r.Add("noise_polar", polarField(g, ""))
	}
	if s := g.Shifts; s != nil {
		r.Add("shifts", cli.Record{{Key: "frames", Value: s.Frames}, {Key: "positions", Value: s.Pos}})
	}
	if g.VelMap != [9]float64{} {
		r.Add("velocity_map", g.VelMap[:g.Dim*g.Dim])
	}
	if g.AlarmSpeed > 0 {
		r.Add("alarm_speed", g.AlarmSpeed)
	}
	if g.Confidence != nil {
		r.Add("confidence", newMap(g.Confidence))
	}
	return cli.Field{Key: "pricing", Value: r}
}

// newMap is m as solve.json has it: nodes are the axis that is halved and the index of
// the lower half, or −1, 0 and the value of a cell.
func newMap(m *costgen.Map) *verify.Map {
	if m == nil {
		return nil
	}
	p := &verify.Map{Min: m.Min, Max: m.Max}
	for _, n := range m.Nodes {
		p.Nodes = append(p.Nodes, [3]float64{float64(n.Axis), float64(n.Lower), n.Value})
	}
	return p
}

// PricingOf is what solve.json says that the costs of a run were made of.
func PricingOf(folder *runfolder.Folder) (*verify.Pricing, error) {
	var file struct {
		Cost, Motion string
		Levels       struct {
			Noise          float64
			VelocityNoise  float64 `json:"velocity_noise"`
			Accel          float64
			ManoeuvreProb  float64  `json:"manoeuvre_prob"`
			ManoeuvreAccel float64  `json:"manoeuvre_accel"`
			TailDOF        *float64 `json:"tail_dof"` // null: infinite
			SpeedStd       float64  `json:"speed_std"`
			Revert, Sway   float64
		}
		Echoes *struct {
			Offset       []float64
			Noise, Share float64
		}
		Rates   struct{ Detect, Hidden, Survive, Births, Targets, Clutter, Volume float64 }
		Pricing *struct {
			Interval      float64
			PositionsOnly bool `json:"positions_only"`
			Sensors       int
			Features      struct{ Mean, Var, Same []float64 }
			Classes       verify.Classes
			NoiseCov      []float64 `json:"noise_cov"`
			NoiseBlur     struct {
				Frames []int
				Times  []float64
			} `json:"noise_blur"`
			NoisePolar []verify.Sight `json:"noise_polar"`
			Shifts     *struct {
				Frames    []int
				Positions []float64
			}
			VelocityMap []float64 `json:"velocity_map"`
			AlarmSpeed  float64   `json:"alarm_speed"`
			Places      struct{ Births, Deaths, Clutter, Targets *verify.Map }
			Confidence  *verify.Map
		}
	}
	if err := ReadJSON(folder, runfolder.SolveFile, &file); err != nil {
		return nil, err
	}
	if file.Pricing == nil {
		return nil, cli.Usagef("%s does not say what its costs were made of", folder.Path(runfolder.SolveFile)).Hinted("an older mtt wrote it; 'mtt track' makes it anew")
	}
	l, r, p := &file.Levels, &file.Rates, file.Pricing
	dof := math.Inf(1)
	if l.TailDOF != nil {
		dof = *l.TailDOF
	}
	if n := len(p.Features.Mean); len(p.Features.Var) != n || len(p.Features.Same) != n {
		return nil, cli.BadInput(fmt.Errorf("%s: pricing: mean, var and same of features differ in length", folder.Path(runfolder.SolveFile)))
	}
	if c := p.Classes; len(c.Kinds) != len(c.Share) || !(c.Same >= 0 && c.Same < 1) {
		return nil, cli.BadInput(fmt.Errorf("%s: pricing: classes have %d kinds, %d shares and agree by %v", folder.Path(runfolder.SolveFile), len(c.Kinds), len(c.Share), c.Same))
	}
	var shifts map[int][]float64
	if s := p.Shifts; s != nil {
		dim := len(s.Positions) / max(1, len(s.Frames))
		if dim*len(s.Frames) != len(s.Positions) {
			return nil, cli.BadInput(fmt.Errorf("%s: pricing: %d coordinates are no shifts of %d frames", folder.Path(runfolder.SolveFile), len(s.Positions), len(s.Frames)))
		}
		shifts = make(map[int][]float64, len(s.Frames))
		for k, frame := range s.Frames {
			shifts[frame] = s.Positions[k*dim : (k+1)*dim]
		}
	}
	b := &p.NoiseBlur
	if len(b.Frames) != len(b.Times) {
		return nil, cli.BadInput(fmt.Errorf("%s: pricing: %d frames are blurred, %d times", folder.Path(runfolder.SolveFile), len(b.Frames), len(b.Times)))
	}
	blur := make(map[int]float64, len(b.Frames))
	for k, frame := range b.Frames {
		blur[frame] = b.Times[k]
	}
	var echoes *verify.Echoes
	if e := file.Echoes; e != nil {
		echoes = &verify.Echoes{Offset: e.Offset, Sigma: e.Noise, Share: e.Share}
	}
	return &verify.Pricing{
		Shifts: shifts, VelMap: p.VelocityMap, Cov: p.NoiseCov, Blur: blur, Sights: p.NoisePolar,
		Cost: file.Cost, Motion: file.Motion, Interval: p.Interval, Sensors: p.Sensors, PositionsOnly: p.PositionsOnly,
		Sigma: l.Noise, SigmaV: l.VelocityNoise, Accel: l.Accel, SpeedStd: l.SpeedStd, Revert: l.Revert, Sway: l.Sway,
		ManoeuvreProb: l.ManoeuvreProb, ManoeuvreAccel: l.ManoeuvreAccel, TailDOF: dof, AlarmSpeed: p.AlarmSpeed,
		Detect: r.Detect, Hidden: r.Hidden, Survive: r.Survive, Births: r.Births, Targets: r.Targets, Alarm: r.Clutter, Volume: r.Volume,
		Mean: p.Features.Mean, Var: p.Features.Var, Same: p.Features.Same, Classes: p.Classes, BirthPlaces: p.Places.Births, DeathPlaces: p.Places.Deaths, AlarmPlaces: p.Places.Clutter, TargetPlaces: p.Places.Targets, Confidence: p.Confidence, Echoes: echoes,
	}, nil
}
