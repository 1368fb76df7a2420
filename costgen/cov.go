package costgen

// This file defines the covariance of one axis and what a Kalman filter does to
// it.

// A cov is a symmetric 2×2 matrix over (position, velocity): elements 00, 01, 11.
type cov [3]float64

// predict returns F P Fᵀ + Q after dt seconds of white acceleration with
// spectral density accel².
func (p cov) predict(dt, accel float64) cov {
	q := accel * accel
	return cov{
		p[0] + 2*dt*p[1] + dt*dt*p[2] + q*dt*dt*dt/3,
		p[1] + dt*p[2] + q*dt*dt/2,
		p[2] + q*dt,
	}
}

// plus returns P + R, R being diagonal.
func (p cov) plus(r, rv float64) cov { return cov{p[0] + r, p[1], p[2] + rv} }

// invert returns the inverse and the determinant; with scalar, those of the first
// element alone, the rest of the inverse being 0.
func (p cov) invert(scalar bool) (inv cov, det float64) {
	if scalar {
		return cov{1 / p[0]}, p[0]
	}
	det = p[0]*p[2] - p[1]*p[1]
	f := 1 / det
	return cov{f * p[2], -f * p[1], f * p[0]}, det
}

// A gain is a Kalman gain; without velocities its second column is 0.
type gain [2][2]float64

// gain returns P S⁻¹, given the inverse of S.
func (p cov) gain(inv cov) gain {
	return gain{
		{p[0]*inv[0] + p[1]*inv[1], p[0]*inv[1] + p[1]*inv[2]},
		{p[1]*inv[0] + p[2]*inv[1], p[1]*inv[1] + p[2]*inv[2]},
	}
}

// update returns (I − K) P.
func (p cov) update(k gain) cov {
	return cov{
		p[0] - k[0][0]*p[0] - k[0][1]*p[1],
		p[1] - k[0][0]*p[1] - k[0][1]*p[2],
		p[2] - k[1][0]*p[1] - k[1][1]*p[2],
	}
}
