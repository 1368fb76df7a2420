package sensor

import (
	"fmt"
	"math"

	"mtt"
)

// This file converts ranges, bearings, elevations and range rates.
//
// Measured are r = r₀ + ε, θ = θ₀ + α and φ = φ₀ + β with independent Gaussian errors
// of deviations σr, σθ, σφ. On average noise of an angle pulls a converted position
// towards the sensor: E cos(θ₀+α) = λθ cos θ₀ with λθ = exp(−σθ²/2). Divided by that,
//
//	x = r cos θ cos φ/(λθ λφ),  y = r sin θ cos φ/(λθ λφ),  z = r sin φ/λφ
//
// have errors of mean zero. Their second moments, given the measurement, are in closed
// form [1]. We write them along the horizontal line of sight h, across it (t) and
// upwards (z), where bearing and the rest do not mix, with c = cos φ, s = sin φ,
// a = σθ², b = σφ² and E(u) = e^u − 1:
//
//	Rhh = r²·(c²E(a+b) + ½(E(−2b)(2c²−1) + c²E(−2a)) + ¼E(−2a)E(−2b)(2c²−1)) + ¼σr²(2+E(−2a))·g
//	Rtt = −¼(r²+σr²)·E(−2a)·g
//	Rzz = r²·(s²E(b) − ½E(−2b)(2c²−1)) + ½σr²(2−g)
//	Rhz = r²cs·(e^{a/2}E(b) + e^{−a/2}E(−2b)) + σr²cs·e^{−a/2−2b}
//	g   = 1 + e^{−2b}cos 2φ
//
// which is the same as [1] but loses no digits to r² − r² where noise is small.
// Positions are unbiased and, over all measurements, as uncertain as their covariance
// says, for bearings as coarse as .5° at 20 km and beyond: TestPolar.
//
// The range rate is the velocity along the line of sight u; nothing is known of it
// across. That is a velocity ρ·u with the covariance
//
//	(σρ² + V²τ²)·u·uᵀ + w²·(I − u·uᵀ),   w = 1000·V,
//
// for targets of typical speed V, with τ² = σθ² in the plane and (σθ²+σφ²)/2 in space:
// what of the speed across shows up along a line of sight that is itself measured. With w a thousand
// times the speed, the measurement takes 10⁻⁶ of a prior deviation V from what is across,
// and the ratio of the two variances, some 10⁸, leaves eight digits to a filter.
//
// [1] Longbin, Xiaoquan, Yiyu, Kang, Bar-Shalom. Unbiased converted measurements for
// tracking. IEEE Transactions on Aerospace and Electronic Systems 34(3), 1998. Its
// covariance is that given the measurement.

// Across is the deviation that a range rate leaves to the speed across the line of sight,
// in typical speeds.
const Across = 1000

// A Polar converts measurements of range and direction, as of a radar, sonar or lidar.
type Polar struct {
	Place []float64 // m: where the sensor stands; len 2: in the plane, 3: in space

	RangeNoise     float64 // m, standard deviation; above 0
	BearingNoise   float64 // rad; above 0, at most 0.5
	ElevationNoise float64 // rad; in space above 0, at most 0.5
	RateNoise      float64 // m/s; 0: range rates are not measured

	// Speed is the typical speed of targets, m/s; needed where range rates are measured.
	Speed float64

	// Compass counts bearings clockwise from the y axis (north); else they count from
	// the x axis to the y axis. Elevations count upwards from the horizon.
	Compass bool
}

// newPolar is the converter of a description. Its typical speed is the noise of the role
// "speed".
func newPolar(s *Sensor) (Converter, error) {
	p := &Polar{Place: s.Place, RateNoise: s.Noise["range_rate"], Speed: s.Noise["speed"]}
	if p.Place == nil {
		p.Place = []float64{0, 0}
	}
	if err := s.only("range", "bearing", "elevation", "range_rate", "speed"); err != nil {
		return nil, err
	}
	var err error
	if p.RangeNoise, err = s.noise("range"); err != nil {
		return nil, err
	}
	if p.BearingNoise, err = s.noise("bearing"); err != nil {
		return nil, err
	}
	if len(p.Place) == 3 {
		if p.ElevationNoise, err = s.noise("elevation"); err != nil {
			return nil, err
		}
	}
	return p, p.Validate()
}

// Validate returns an error that names the first field with an impossible value, or nil.
// It wraps [ErrSensor].
func (p *Polar) Validate() error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("sensor: %w: %s", ErrSensor, fmt.Sprintf(format, args...))
	}
	dim := len(p.Place)
	if dim != 2 && dim != 3 {
		return wrong("Place has %d numbers; want 2 or 3", dim)
	}
	for _, x := range p.Place {
		if !(math.Abs(x) <= mtt.Largest) {
			return wrong("Place holds %v", x)
		}
	}
	for _, f := range []struct {
		name   string
		value  float64
		needed bool
		most   float64
	}{
		{"RangeNoise", p.RangeNoise, true, mtt.Largest},
		{"BearingNoise", p.BearingNoise, true, 0.5},
		{"ElevationNoise", p.ElevationNoise, dim == 3, 0.5},
		{"RateNoise", p.RateNoise, false, mtt.Largest},
		{"Speed", p.Speed, p.RateNoise > 0, mtt.Largest},
	} {
		if !(f.value >= 0) || f.needed && f.value == 0 || f.value > f.most {
			return wrong("%s is %v; want a number above 0, at most %g", f.name, f.value, f.most)
		}
	}
	return nil
}

// Roles implements [Converter].
func (p *Polar) Roles() []string {
	roles := []string{"range", "bearing"}
	if len(p.Place) == 3 {
		roles = append(roles, "elevation")
	}
	if p.RateNoise > 0 {
		roles = append(roles, "range_rate")
	}
	return roles
}

// Append implements [Converter]: range in m, bearing and elevation in rad, range rate in
// m/s.
func (p *Polar) Append(s *mtt.Scan, z []float64) error {
	roles := p.Roles()
	if err := check(roles, z); err != nil {
		return err
	}
	if z[0] <= 0 {
		return fmt.Errorf("sensor: %w: range is %v, want more than 0", ErrMeasurement, z[0])
	}
	dim := len(p.Place)
	elevation := 0.0
	if dim == 3 {
		elevation = z[2]
		if math.Abs(elevation) > math.Pi/2 {
			return fmt.Errorf("sensor: %w: elevation is %v, want -π/2 to π/2; are these degrees?", ErrMeasurement, elevation)
		}
	}
	sin, cos := math.Sincos(z[1])
	if p.Compass {
		sin, cos = cos, sin
	}
	s.Dim = dim
	sinUp, cosUp := math.Sincos(elevation)
	p.position(s, z[0], cos, sin, cosUp, sinUp)
	if p.RateNoise > 0 {
		p.velocity(s, z[len(z)-1], []float64{cos * cosUp, sin * cosUp, sinUp}[:dim])
	}
	return nil
}

// position appends the position of a measurement with the given range, cosine and sine
// of the bearing, c and d, and of the elevation, cu and su.
func (p *Polar) position(s *mtt.Scan, r, c, d, cu, su float64) {
	a, b := p.BearingNoise*p.BearingNoise, 0.0
	if s.Dim == 3 {
		b = p.ElevationNoise * p.ElevationNoise
	}
	h := r * cu * math.Exp((a+b)/2)
	s.Pos = append(s.Pos, p.Place[0]+h*c, p.Place[1]+h*d)

	ea, eb := math.Expm1(-2*a), math.Expm1(-2*b)
	cos2 := 2*cu*cu - 1
	g := 1 + (1+eb)*cos2
	r2, v := r*r, p.RangeNoise*p.RangeNoise
	hh := r2*(cu*cu*math.Expm1(a+b)+(eb*cos2+cu*cu*ea)/2+ea*eb*cos2/4) + v*(2+ea)*g/4
	tt := -(r2 + v) * ea * g / 4
	s.Cov = append(s.Cov, hh*c*c+tt*d*d, (hh-tt)*c*d, hh*d*d+tt*c*c)
	if s.Dim == 3 {
		s.Pos = append(s.Pos, p.Place[2]+r*su*math.Exp(b/2))
		hz := r2*cu*su*(math.Exp(a/2)*math.Expm1(b)+math.Exp(-a/2)*eb) + v*cu*su*math.Exp(-a/2-2*b)
		zz := r2*(su*su*math.Expm1(b)-eb*cos2/2) + v*(2-g)/2
		s.Cov = append(s.Cov, hz*c, hz*d, zz)
	}
}

// velocity appends the velocity of a range rate along the unit vector u.
func (p *Polar) velocity(s *mtt.Scan, rate float64, u []float64) {
	tilt := p.BearingNoise * p.BearingNoise
	if s.Dim == 3 {
		tilt = (tilt + p.ElevationNoise*p.ElevationNoise) / 2
	}
	along := p.RateNoise*p.RateNoise + p.Speed*p.Speed*tilt
	across := Across * Across * p.Speed * p.Speed
	for i := range u {
		s.Vel = append(s.Vel, rate*u[i])
		for j := range i + 1 {
			v := (along - across) * u[i] * u[j]
			if i == j {
				v += across
			}
			s.VelCov = append(s.VelCov, v)
		}
	}
}

// Measure sets dst to the measurement, without noise, of a target at x that moves with
// velocity v, and returns it; a nil dst is made. v is read only where range rates are
// measured.
func (p *Polar) Measure(dst, x, v []float64) []float64 {
	var d [3]float64
	for k := range p.Place {
		d[k] = x[k] - p.Place[k]
	}
	flat := math.Hypot(d[0], d[1])
	r := math.Hypot(flat, d[2])
	bearing := math.Atan2(d[1], d[0])
	if p.Compass {
		bearing = math.Atan2(d[0], d[1])
	}
	dst = append(dst[:0], r, bearing)
	if len(p.Place) == 3 {
		dst = append(dst, math.Atan2(d[2], flat))
	}
	if p.RateNoise > 0 {
		rate := 0.0
		for k := range p.Place {
			rate += d[k] / r * v[k]
		}
		dst = append(dst, rate)
	}
	return dst
}
