package task

// This file says what mtt pmbm tells its filter: the model behind a simulated
// scene, and the one estimated from data.

import (
	"context"
	"math"

	"mtt"
	"mtt/association"
	"mtt/association/pmbm"
	"mtt/costgen"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/scenario"
)

// LargeScene is the scene of mtt pmbm: one target for each 100 m × 100 m.
func LargeScene(targets, frames int) scenario.Config {
	return scenario.Config{
		Scene: scenario.Drift, Targets: targets, Frames: frames, Spread: 100,
		Noise: 1, NoVelocity: true, Miss: 0.1, Clutter: float64(targets) / 2,
	}
}

// LargeModel is the model of a large scene. Targets are all there from the
// beginning; births are rare, as in the public demonstration of the filter
// (García-Fernández et al. 2018), and spread over the square by a Gaussian.
func LargeModel(c *scenario.Config) pmbm.Model {
	side := c.Spread * math.Sqrt(float64(c.Targets))
	half := [3]float64{side / 2, side / 2, side / 2}
	return pmbm.Model{
		Sigma: c.Noise, Detect: 1 - c.Miss, Clutter: c.Clutter, Volume: side * side,
		Accel: c.Accel, Survive: 0.99, Births: 0.005, Targets: float64(c.Targets),
		BirthMean: half, BirthStd: half, SpeedStd: c.SpeedMax / 2,
	}
}

// model is the model of a run folder: noise as run.toml says it, the rest
// estimated with a Kalman filter for each track.
func (o *PMBMOptions) model(ctx context.Context, s *cli.Session, folder *runfolder.Folder, sc *Scene) (*pmbm.Options, error) {
	opts := association.Options{
		Engine: association.GNN, Accel: o.accel,
		IgnoreVelocity: o.noVelocity, Workers: s.Common.Workers,
		FixedSensor: true, Isotropic: true, // as the filter has it
	}
	var err error
	if opts.Motion, err = namedMotion(o.motion); err != nil {
		return nil, err
	}
	if said := (costgen.Rates{Detect: o.detect, Survive: min(o.survive, 1-1e-9), Births: o.births, Clutter: o.clutter}); said != (costgen.Rates{}) {
		opts.Rates = &said
	}
	opts.Sigma = knownLevel(o.noise, folder.Meta.Scans.Noise)
	opts.SigmaV = knownLevel(o.velocityNoise, folder.Meta.Scans.VelocityNoise)
	res, err := association.Track(ctx, sc.Scans, &opts)
	if err != nil {
		return nil, TrackFault(err)
	}
	if told := estimated(&opts, res, folder.Meta.Scans.Unit); told != "" {
		s.Note("estimated: %s", told)
	}
	return o.filter(LevelsModel(res.Levels, sc.Scans), s.Common.Workers), nil
}

// LevelsModel is the model of estimated levels. Where targets manoeuvre now and
// then, the acceleration is that of both kinds of steps together; where misses come
// in runs, the probability of detection is that of all frames together. What never
// happened may: half an event in all that was seen. A target that surely survived and
// was surely detected would be taken to be there for ever, wherever it went. Echoes are false alarms like others.
func LevelsModel(g *costgen.Levels, scans []mtt.Scan) pmbm.Model {
	accel := math.Sqrt((1-g.ManoeuvreProb)*g.Accel*g.Accel + g.ManoeuvreProb*g.ManoeuvreAccel*g.ManoeuvreAccel)
	seen, found := g.Rates.Detect, 1-g.Rates.Again() // after a detection, after a miss
	mean, half, dim := extent(scans)
	steps, all := float64(len(scans)), 0.0
	for t := range scans {
		all += float64(scans[t].Len())
	}
	surely := 1 - 0.5/(all+1)
	m := pmbm.Model{
		Motion: g.Motion, Dim: dim, Sigma: g.Sigma, Accel: accel, SpeedStd: g.SpeedStd, Revert: g.Revert, Sway: g.Sway, TurnStd: g.TurnStd, TurnWalk: g.TurnWalk,
		AccelStd: g.AccelStd, AccelRevert: g.AccelRevert,
		Detect: min(found/(found+1-seen), surely), Survive: min(g.Rates.Survive, surely), Clutter: max(g.Rates.Clutter+g.Echoes.Expected(scans)/steps, 0.5/steps), Volume: g.Rates.Volume,
		Births: max(g.Rates.Births, 0.5/steps), Targets: g.Rates.Targets, BirthMean: mean, BirthStd: half,
	}
	if !g.PositionsOnly && g.VelMap == [9]float64{} { // which scans do not know
		m.SigmaV = g.SigmaV
	}
	return m
}

// extent is the centre and half the size of the box around all detections, at
// least a millionth in each direction, and the dimension.
func extent(scans []mtt.Scan) (mean, half [3]float64, dim int) {
	dim = 2
	lo, hi := [3]float64{}, [3]float64{}
	first := true
	for i := range scans {
		for d := range scans[i].Len() {
			dim = scans[i].Dim
			for a, x := range scans[i].At(d) {
				if first || x < lo[a] {
					lo[a] = x
				}
				if first || x > hi[a] {
					hi[a] = x
				}
			}
			first = false
		}
	}
	for a := range mean {
		mean[a], half[a] = (lo[a]+hi[a])/2, max((hi[a]-lo[a])/2, 1e-6)
	}
	return mean, half, dim
}
