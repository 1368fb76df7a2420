package pmbm

import (
	"errors"
	"fmt"
	"math"

	"mtt/motion"
)

// This file defines what the filter is told about targets and sensor.

// A Model says how targets live and move and what the sensor sees of them.
// Probabilities and numbers that count "in a scan" refer to consecutive frames.
type Model struct {
	Motion motion.Model // how targets move; nil: motion.Velocity{}
	Dim    int          // of space, 2 or 3; 0: 2; motion.Turn: 2

	// The sensor.
	Sigma   float64 // m: standard deviation of a measured position, per axis; above 0
	SigmaV  float64 // m/s: of a measured velocity; 0: velocities are not read, as of motion.Walk
	Detect  float64 // probability that a target is detected in a scan, below 1; 0: 0.9
	Clutter float64 // mean number of false alarms in a scan; above 0
	Volume  float64 // m² or m³: where false alarms are uniform; above 0

	// The targets.
	Accel       float64 // root of the spectral density of process noise: m/s^1.5; of motion.Walk m/s^0.5
	Revert      float64 // 1/s: rate at which velocities fall back to 0, of motion.Reverting
	Sway        float64 // m/s^0.5: root of the spectral density of the walk on top of a velocity, of motion.Swaying
	TurnWalk    float64 // rad/s^1.5: root of the spectral density of changes of the turn rate, of motion.Turn
	AccelRevert float64 // 1/s: rate at which accelerations fall back to 0, of motion.Singer
	Survive     float64 // probability that a target is still there one scan later; 0: 0.99
	Births      float64 // mean number of targets that appear in a scan
	Targets     float64 // mean number of targets before the first scan

	// Where targets appear: a Gaussian. BirthStd must be above 0 along all axes.
	BirthMean, BirthStd [3]float64 // m
	SpeedStd            float64    // m/s: of each component of the velocity; above 0, and unread of motion.Walk
	TurnStd             float64    // rad/s: of the turn rate, of motion.Turn
	AccelStd            float64    // m/s²: of each component of the acceleration, of motion.Singer
}

// ErrModel marks a model that makes no sense.
var ErrModel = errors.New("unusable model")

// complete checks m and fills in the defaults.
func (m *Model) complete() error {
	if m.Motion == nil {
		m.Motion = motion.Velocity{}
	}
	walks := m.Motion == motion.Model(motion.Walk{})
	if walks {
		m.SpeedStd = 1 // of what moves nothing, and is 0
	}
	if m.Dim == 0 {
		m.Dim = 2
	}
	if m.Detect == 0 {
		m.Detect = 0.9
	}
	if m.Survive == 0 {
		m.Survive = 0.99
	}
	switch {
	case m.Dim != 2 && m.Dim != 3:
		return fmt.Errorf("pmbm: %w: Dim is %d; want 2 or 3", ErrModel, m.Dim)
	case m.Motion == motion.Model(motion.Turn{}) && m.Dim != 2:
		return fmt.Errorf("pmbm: %w: a coordinated turn lies in a plane; Dim is %d", ErrModel, m.Dim)
	case walks && m.SigmaV > 0:
		return fmt.Errorf("pmbm: %w: a random walk has no velocity that could be measured; SigmaV is %v", ErrModel, m.SigmaV)
	}
	type field struct {
		name     string
		value    float64
		positive bool
		most     float64
	}
	inf := math.Inf(1)
	fields := []field{
		{"Sigma", m.Sigma, true, inf}, {"SigmaV", m.SigmaV, false, inf},
		{"Detect", m.Detect, true, 1 - 1e-9}, {"Survive", m.Survive, true, 1},
		{"Clutter", m.Clutter, true, inf}, {"Volume", m.Volume, true, inf},
		{"Accel", m.Accel, false, inf}, {"TurnWalk", m.TurnWalk, false, inf},
		{"Revert", m.Revert, false, inf}, {"Sway", m.Sway, false, inf},
		{"Births", m.Births, false, inf}, {"Targets", m.Targets, false, inf},
		{"SpeedStd", m.SpeedStd, true, inf}, {"TurnStd", m.TurnStd, false, inf},
		{"AccelStd", m.AccelStd, false, inf}, {"AccelRevert", m.AccelRevert, false, inf},
	}
	for a := range m.Dim {
		fields = append(fields, field{"BirthStd", m.BirthStd[a], true, inf})
		if math.IsNaN(m.BirthMean[a]) || math.IsInf(m.BirthMean[a], 0) {
			return fmt.Errorf("pmbm: %w: BirthMean is %v", ErrModel, m.BirthMean)
		}
	}
	for _, f := range fields {
		if !(f.value >= 0) || f.positive && f.value == 0 || f.value > f.most || math.IsInf(f.value, 1) {
			return fmt.Errorf("pmbm: %w: %s is %v; want a number %s", ErrModel, f.name, f.value, rangeText(f.positive, f.most))
		}
	}
	return nil
}

// rangeText says in words which numbers are allowed.
func rangeText(positive bool, most float64) string {
	s := "of at least 0"
	if positive {
		s = "above 0"
	}
	if most < math.Inf(1) {
		s += fmt.Sprintf(", at most %g", most)
	}
	return s
}

// params is the model as package motion has it.
func (m *Model) params() *motion.Params {
	return &motion.Params{
		Model: m.Motion, Dim: m.Dim, Sigma: m.Sigma, SigmaV: m.SigmaV, PositionsOnly: m.SigmaV == 0, Accel: m.Accel,
		SpeedStd: m.SpeedStd, Revert: m.Revert, Sway: m.Sway, TurnStd: m.TurnStd, TurnWalk: m.TurnWalk,
		AccelStd: m.AccelStd, AccelRevert: m.AccelRevert,
	}
}

// newborn is the Gaussian of targets that appear.
func (m *Model) newborn() gaussian {
	var g gaussian
	for a := range m.Dim {
		v := m.Dim + a
		g.X[a] = m.BirthMean[a]
		g.P[packed(a, a)] = m.BirthStd[a] * m.BirthStd[a]
		g.P[packed(v, v)] = m.SpeedStd * m.SpeedStd
	}
	if curved, ok := m.Motion.(motion.Curved); ok {
		p := m.params()
		own := make([]float64, curved.States(p)-2*m.Dim)
		curved.Prior(p, own)
		for k, variance := range own {
			g.P[packed(2*m.Dim+k, 2*m.Dim+k)] = variance
		}
	}
	return g
}
