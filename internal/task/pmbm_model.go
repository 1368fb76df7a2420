package task

// This file says what mtt pmbm tells its filter: the model behind a simulated
// scene, and the one estimated from data.

import (
	"context"
	"math"
	"slices"

	"mtt"
	"mtt/association"
	"mtt/association/pmbm"
	"mtt/costgen"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/motion"
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
	if slices.ContainsFunc(sc.Scans, func(s mtt.Scan) bool { return s.Size != nil }) { // else they sway, which the filter does not know
		opts.Motion = motion.Velocity{}
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
// in runs, the probability of detection is that of all frames together.
func LevelsModel(g *costgen.Levels, scans []mtt.Scan) pmbm.Model {
	accel := math.Sqrt((1-g.ManoeuvreProb)*g.Accel*g.Accel + g.ManoeuvreProb*g.ManoeuvreAccel*g.ManoeuvreAccel)
	seen, found := g.Rates.Detect, 1-g.Rates.Again() // after a detection, after a miss
	mean, half, dim := extent(scans)
	m := pmbm.Model{
		Dim: dim, Sigma: g.Sigma, Accel: accel, SpeedStd: g.SpeedStd,
		Detect: min(found/(found+1-seen), 1-1e-6), Survive: min(g.Rates.Survive, 1), Clutter: g.Rates.Clutter, Volume: g.Rates.Volume,
		Births: g.Rates.Births, Targets: g.Rates.Targets, BirthMean: mean, BirthStd: half,
	}
	if !g.PositionsOnly {
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
