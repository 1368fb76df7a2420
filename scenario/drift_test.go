package scenario

import (
	"math"
	"testing"
)

// TestDrift compares what is new in each step with the covariance of white
// acceleration.
func TestDrift(t *testing.T) {
	const q, dt = 0.3 * 0.3, 2.0
	s := simulate(t, Config{Scene: Drift, Targets: 200, Frames: 100, Interval: dt, Accel: 0.3, Dim: 3})
	var xx, xv, vv, n float64
	for _, k := range s.Truth {
		for h := 1; h < len(k.Hits); h++ {
			for d := range 3 {
				v := k.Vel[3*(h-1)+d]
				x := k.At(h)[d] - k.At(h - 1)[d] - dt*v
				v = k.Vel[3*h+d] - v
				xx, xv, vv, n = xx+x*x, xv+x*v, vv+v*v, n+1
			}
		}
	}
	// The relative standard deviation of a variance is √(2/n).
	tolerance := 5 * math.Sqrt(2/n)
	near(t, "variance of position", xx/n/(q*dt*dt*dt/3), 1, tolerance)
	near(t, "covariance", xv/n/(q*dt*dt/2), 1, tolerance)
	near(t, "variance of velocity", vv/n/(q*dt), 1, tolerance)
}
