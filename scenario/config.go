package scenario

// This file defines Config, its defaults and its checks.

import (
	"fmt"
	"math"
)

// A Config says what to simulate. The zero value is ready to use.
//
// The fields that shape the scene have no useful zero, so there zero means the
// default. The fields of the sensor and of the population mean what they say:
// zero noise, zero misses, zero births.
type Config struct {
	Scene    Kind    // how targets move; "" means Burst
	Targets  int     // targets in the first frame; 0 means 100
	Frames   int     // frames; 0 means 50
	Seed     uint64  // equal seeds give equal bytes
	Dim      int     // 2 or 3; 0 means 2
	Interval float64 // s, between frames; 0 means 1

	// The curves of Burst, Arena and Cross: y = Σ a_k x^k.
	Degree int     // 3 or 4; 0 means that each target flips a coin
	A0     float64 // m, |a_k| < A0/16^k; 0 means 1

	// Spread is the length that sets how crowded the scene is, see [Kind]; m;
	// 0 means 2.5.
	Spread float64

	// Accel is the square root of the spectral density of the acceleration in
	// Drift; m/s^1.5; 0 means √0.02.
	Accel float64

	// Each target keeps one speed (in Drift: starts with it), uniform in [SpeedMin, SpeedMax]; m/s. When
	// both are 0 they are 1 and 2.
	SpeedMin, SpeedMax float64

	// Fast is the share of targets, 0…1, that have a speed uniform in [FastMin, FastMax]
	// instead; m/s. When both are 0 they are 10 and 20.
	Fast             float64
	FastMin, FastMax float64

	Cycle float64 // Intervals from a cell's birth to its division in Cells, on average; 0 means 20
	Apart float64 // m, between the daughters of a cell when they appear; 0 means half of Spread

	// Step is how far particles of Walk, Flow and Cells go from frame to frame: the median
	// distance in one Interval over the mean distance to the nearest neighbour; 0 means
	// 0.5.
	Step float64

	Revert   float64 // 1/s, rate at which velocities of Reverting fall back; 0 means 0.5
	TurnStd  float64 // rad/s, standard deviation of a turn rate at the start, of Turn; 0 means 0.1
	TurnWalk float64 // rad/s^1.5, root of the spectral density of its changes; 0 means 0.02

	// In the first Still frames nobody moves.
	Still int

	// Near and Far are the distances from the origin between which targets of Drift,
	// Reverting and Turn start, uniformly, in place of the square; m. In space they
	// start up to a tenth of Far above it. 0: in the square.
	Near, Far float64

	// Uneven makes intervals uniform in Interval·(1 ± Uneven), 0…0.9; Jitter then moves
	// each frame by up to ±Jitter intervals. Together they leave frames in order.
	Uneven float64
	Jitter float64

	// The one sensor is Shake beside its place in each frame, and its place Carry from that of the
	// frame before: m, standard deviation along each axis. Detections and truth are as it sees
	// them. 0: it stands still. Velocities cannot be measured then.
	Shake, Carry float64

	// Features is the number of features of identity that each detection has: those of
	// its target, each drawn once from the standard normal distribution, with noise of
	// standard deviation FeatureNoise. False alarms have features of their own.
	Features     int
	FeatureNoise float64

	// Classes is the number of classes of targets, equally frequent; 0: detections have none. Each
	// is taken for what its target is but with probability Confusion, and then, as false alarms
	// are, for any, this one too.
	Classes   int
	Confusion float64

	// Sensors are the sensors; nil means one, as the fields below say, which sees
	// everything. With Sensors Noise, VelocityNoise, Miss, Clutter and
	// MergeWithin must be 0.
	Sensors []Sensor

	// The sensor.
	Noise         float64 // m, standard deviation of each measured coordinate
	VelocityNoise float64 // m/s, standard deviation of each measured velocity component
	Stretch       float64 // by which the noise of the last coordinate of a position is larger than that of the others; 0: it is not
	NoVelocity    bool    // the sensor measures positions only
	Miss          float64 // probability that a target is not detected in a frame, 0…1
	MissRun       int     // a miss lasts 1 to MissRun frames, all equally likely; 0 means 1
	Clutter       float64 // mean number of false alarms in a frame (Poisson)

	// MergeWithin is the distance below which the sensor does not resolve two
	// targets; m. Groups of detected targets that chains of true distances below
	// it hold together cause one detection, the mean of those they would have
	// caused. It is that of the oldest of them; the others have none.
	MergeWithin float64

	// ClutterRadius places false alarms: uniformly within this distance of the
	// true position of a random target; m. Where it is 0 they are uniform over
	// the bounding box of the targets of the frame, enlarged by Spread on
	// every side; in Drift, Walk, Bounce, Flow and Cells, over the square of the scene.
	ClutterRadius float64

	// Births is the mean number of targets that appear in each frame after the
	// first (Poisson), at most Targets. Before, each living target disappears
	// with probability Births/Targets, which keeps the mean population at
	// Targets.
	Births float64
}

// DefaultConfig is the scene that the command simulates when told nothing
// else, with every value written out: the zero Config with seed 1, seen by a
// sensor with a noise of 0.1 m and 0.1 m/s, and false alarms (should there be
// any) within 4 m of targets.
func DefaultConfig() *Config {
	c := (&Config{Seed: 1, Noise: 0.1, VelocityNoise: 0.1, ClutterRadius: 4}).withDefaults()
	return &c
}

// withDefaults is c with the zeros that mean a default filled in.
func (c *Config) withDefaults() Config {
	d := *c
	if d.Scene == "" {
		d.Scene = Burst
	} else if k, err := ParseScene(string(d.Scene)); err == nil {
		d.Scene = k
	}
	if d.Targets == 0 {
		d.Targets = 100
	}
	if d.Frames == 0 {
		d.Frames = 50
	}
	if d.Dim == 0 {
		d.Dim = 2
	}
	if d.Interval == 0 {
		d.Interval = 1
	}
	if d.A0 == 0 {
		d.A0 = 1
	}
	if d.Accel == 0 {
		d.Accel = math.Sqrt(0.02)
	}
	if d.MissRun == 0 {
		d.MissRun = 1
	}
	if d.Spread == 0 {
		d.Spread = 2.5
	}
	if d.SpeedMin == 0 && d.SpeedMax == 0 {
		d.SpeedMin, d.SpeedMax = 1, 2
	}
	if d.FastMin == 0 && d.FastMax == 0 {
		d.FastMin, d.FastMax = 10, 20
	}
	for _, f := range []struct {
		field   *float64
		instead float64
	}{{&d.Step, 0.5}, {&d.Revert, 0.5}, {&d.TurnStd, 0.1}, {&d.TurnWalk, 0.02}} {
		if *f.field == 0 {
			*f.field = f.instead
		}
	}
	if d.Cycle == 0 {
		d.Cycle = 20
	}
	if d.Apart == 0 {
		d.Apart = d.Spread / 2
	}
	if d.Scene.wanders() {
		d.NoVelocity = true
	}
	d.withSensors()
	return d
}

// limit bounds every length, time and speed of a Config, so that no product of
// them overflows and coordinates keep digits for the noise.
const limit = 1e6

// maxFeatures is the most features of a detection, and the most classes.
const maxFeatures = 1024

// Validate returns an error that names the first field with an impossible
// value, or nil.
func (c *Config) Validate() error {
	d := c.withDefaults()
	if _, err := ParseScene(string(d.Scene)); err != nil {
		return err
	}
	switch {
	case d.Targets < 0:
		return fmt.Errorf("scenario: Targets is %d; want 1 or more", d.Targets)
	case d.Frames < 0:
		return fmt.Errorf("scenario: Frames is %d; want 1 or more", d.Frames)
	case d.Dim != 2 && d.Dim != 3:
		return fmt.Errorf("scenario: Dim is %d; want 2 or 3", d.Dim)
	case d.MissRun < 0:
		return fmt.Errorf("scenario: MissRun is %d; want 1 or more", d.MissRun)
	case d.Still < 0:
		return fmt.Errorf("scenario: Still is %d; want 0 or more frames", d.Still)
	case d.Features < 0 || d.Features > maxFeatures:
		return fmt.Errorf("scenario: Features is %d; want 0 to %d", d.Features, maxFeatures)
	case d.Classes < 0 || d.Classes > maxFeatures:
		return fmt.Errorf("scenario: Classes is %d; want 0 to %d", d.Classes, maxFeatures)
	case d.Degree != 0 && d.Degree != 3 && d.Degree != 4:
		return fmt.Errorf("scenario: Degree is %d; want 3, 4, or 0 for a mixture", d.Degree)
	}
	for _, f := range []struct {
		name   string
		value  float64
		lo, hi float64
	}{
		{"Interval", d.Interval, 1 / limit, limit},
		{"A0", d.A0, 0, limit},
		{"Spread", d.Spread, 0, limit},
		{"Accel", d.Accel, 0, limit},
		{"SpeedMin", d.SpeedMin, 0, limit},
		{"SpeedMax", d.SpeedMax, 0, limit},
		{"Noise", d.Noise, 0, limit},
		{"VelocityNoise", d.VelocityNoise, 0, limit},
		{"Miss", d.Miss, 0, 1},
		{"Clutter", d.Clutter, 0, limit},
		{"MergeWithin", d.MergeWithin, 0, limit},
		{"ClutterRadius", d.ClutterRadius, 0, limit},
		{"Births", d.Births, 0, limit},
		{"Fast", d.Fast, 0, 1},
		{"FastMin", d.FastMin, 0, limit},
		{"FastMax", d.FastMax, 0, limit},
		{"Step", d.Step, 0, limit},
		{"Cycle", d.Cycle, 2, limit},
		{"Apart", d.Apart, 0, limit},
		{"Revert", d.Revert, 1 / limit, limit},
		{"TurnStd", d.TurnStd, 0, limit},
		{"TurnWalk", d.TurnWalk, 0, limit},
		{"Near", d.Near, 0, limit},
		{"Far", d.Far, 0, limit},
		{"Uneven", d.Uneven, 0, 0.9},
		{"Jitter", d.Jitter, 0, 0.45},
		{"Shake", d.Shake, 0, limit},
		{"Carry", d.Carry, 0, limit},
		{"Stretch", d.Stretch, 0, limit},
		{"FeatureNoise", d.FeatureNoise, 0, limit}, {"Confusion", d.Confusion, 0, 1},
	} {
		if math.IsNaN(f.value) || f.value < f.lo || f.value > f.hi {
			return fmt.Errorf("scenario: %s is %g; want %g to %g", f.name, f.value, f.lo, f.hi)
		}
	}
	if d.SpeedMax < d.SpeedMin {
		return fmt.Errorf("scenario: SpeedMax is %g, below SpeedMin, which is %g", d.SpeedMax, d.SpeedMin)
	}
	if d.FastMax < d.FastMin {
		return fmt.Errorf("scenario: FastMax is %g, below FastMin, which is %g", d.FastMax, d.FastMin)
	}
	if d.Near != 0 && d.Far <= d.Near {
		return fmt.Errorf("scenario: Far is %g, not above Near, which is %g", d.Far, d.Near)
	}
	if d.Scene == Cells && float64(d.Frames) > 20*d.Cycle {
		return fmt.Errorf("scenario: %d frames are more than 20 times Cycle, %g: there would be a million cells of each", d.Frames, d.Cycle)
	}
	if 2*d.Jitter >= 1-d.Uneven {
		return fmt.Errorf("scenario: Jitter is %g; with Uneven %g frames stay in order below %g", d.Jitter, d.Uneven, (1-d.Uneven)/2)
	}
	if (d.Shake > 0 || d.Carry > 0) && (!d.NoVelocity || len(d.Sensors) > 0) {
		return fmt.Errorf("scenario: Shake and Carry are of one sensor that measures no velocities: want NoVelocity, and no Sensors")
	}
	if d.Stretch > 0 && len(d.Sensors) > 0 {
		return fmt.Errorf("scenario: Stretch is of the one sensor that sees everything: want no Sensors")
	}
	if err := d.validateSensors(); err != nil {
		return err
	}
	if d.Births > float64(d.Targets) {
		return fmt.Errorf("scenario: Births is %g a frame, more than the %d targets it should replace", d.Births, d.Targets)
	}
	return nil
}
