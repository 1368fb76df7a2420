package sensor

import (
	"mtt"
)

// This file takes positions as they are, with the noise that their sensor tells.

// A Position converts coordinates in a plane or in space, and velocities where they are
// measured. The zero value measures positions in the plane and says nothing of noise.
type Position struct {
	Space    bool    // x, y, z; else x, y
	Velocity bool    // velocities as well
	Sigma    float64 // m: standard deviation of each coordinate; 0: not told, to be learnt
	SigmaV   float64 // m/s: of each velocity component
}

// newPosition is the converter of a description.
func newPosition(s *Sensor) (Converter, error) {
	if err := s.only("position", "velocity"); err != nil {
		return nil, err
	}
	for _, role := range []string{"position", "velocity"} {
		if _, told := s.Noise[role]; told {
			if _, err := s.noise(role); err != nil {
				return nil, err
			}
		}
	}
	return &Position{Space: len(s.Place) == 3, Velocity: s.Noise["velocity"] > 0, Sigma: s.Noise["position"], SigmaV: s.Noise["velocity"]}, nil
}

// Roles implements [Converter].
func (p *Position) Roles() []string {
	dim := p.dim()
	roles := []string{"x", "y", "z"}[:dim:dim]
	if p.Velocity {
		roles = append(roles, []string{"vx", "vy", "vz"}[:dim]...)
	}
	return roles
}

// Append implements [Converter].
func (p *Position) Append(s *mtt.Scan, z []float64) error {
	if err := check(p.Roles(), z); err != nil {
		return err
	}
	s.Dim = p.dim()
	s.Pos = append(s.Pos, z[:s.Dim]...)
	s.Vel = append(s.Vel, z[s.Dim:]...)
	s.Cov = appendIsotropic(s.Cov, p.Sigma, s.Dim)
	if p.Velocity {
		s.VelCov = appendIsotropic(s.VelCov, p.SigmaV, s.Dim)
	}
	return nil
}

func (p *Position) dim() int {
	if p.Space {
		return 3
	}
	return 2
}

// appendIsotropic appends the covariance σ²·I, packed; nothing where sigma is 0.
func appendIsotropic(cov []float64, sigma float64, dim int) []float64 {
	if sigma == 0 {
		return cov
	}
	for i := range dim {
		for range i {
			cov = append(cov, 0)
		}
		cov = append(cov, sigma*sigma)
	}
	return cov
}
