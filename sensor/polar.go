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
// says, for bearings as coarse as .5° at 20 km and beyond: TestPolar. As the covariance
// depends on what was measured, a filter ends a little too sure: by 3 % of the squared error of
// smoothed states for that radar, by 6 % with range rates (TestNEESRadar of package motion).
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
	if err := check(p.Roles(), z); err != nil {
		return err
	}
	sin, cos := math.Sincos(z[1])
	if p.Compass {
		sin, cos = cos, sin
	}
	u := []float64{cos, sin}
	if len(p.Place) == 3 {
		if math.Abs(z[2]) > math.Pi/2 {
			return fmt.Errorf("sensor: %w: elevation is %v, want -π/2 to π/2; are these degrees?", ErrMeasurement, z[2])
		}
		up, flat := math.Sincos(z[2])
		u = []float64{flat * cos, flat * sin, up}
	}
	return p.AppendAlong(s, z[0], u, z[len(z)-1])
}

// AppendAlong is Append for a direction that is known as a unit vector u of len 2 or 3.
// Where range rates are not measured, rate is not read. Equal arguments give equal bits
// on every machine: products that meet a sum are rounded by an explicit conversion, which
// keeps compilers from fusing them.
func (p *Polar) AppendAlong(s *mtt.Scan, r float64, u []float64, rate float64) error {
	if !(r > 0 && r <= mtt.Largest) {
		return fmt.Errorf("sensor: %w: range is %v, want more than 0", ErrMeasurement, r)
	}
	s.Dim = len(p.Place)
	before := *s
	p.position(s, r, u)
	if p.RateNoise > 0 {
		p.velocity(s, rate, u)
	}
	added := mtt.Scan{Dim: s.Dim, Pos: s.Pos[len(before.Pos):], Cov: s.Cov[len(before.Cov):]}
	if p.RateNoise > 0 {
		added.Vel, added.VelCov = s.Vel[len(before.Vel):], s.VelCov[len(before.VelCov):]
	}
	if added.Validate() != nil {
		*s = before
		return fmt.Errorf("sensor: %w: at range %v noises of %v and %v rad are too small or too different for a covariance: rounding is more",
			ErrMeasurement, r, p.RangeNoise, max(p.BearingNoise, p.ElevationNoise))
	}
	return nil
}

// position appends the position of a measurement.
func (p *Polar) position(s *mtt.Scan, r float64, u []float64) {
	a, b, up := p.BearingNoise*p.BearingNoise, 0.0, 0.0
	if s.Dim == 3 {
		b, up = p.ElevationNoise*p.ElevationNoise, u[2]
	}
	flat := math.Sqrt(float64(u[0]*u[0]) + float64(u[1]*u[1]))
	c, d := 1.0, 0.0 // cosine and sine of the bearing; straight up any will do
	if flat > 0 {
		c, d = u[0]/flat, u[1]/flat
	}
	h := r * flat * (1 + expm1((a+b)/2))
	s.Pos = append(s.Pos, p.Place[0]+float64(h*c), p.Place[1]+float64(h*d))

	ea, eb := expm1(-2*a), expm1(-2*b)
	flat2, up2 := flat*flat, up*up
	cos2 := float64(2*flat2) - 1
	g := 1 + float64((1+eb)*cos2)
	r2, v := r*r, p.RangeNoise*p.RangeNoise
	hh := float64(r2*(float64(flat2*expm1(a+b))+(float64(eb*cos2)+float64(flat2*ea))/2+float64(ea*eb*cos2/4))) + float64(v*(2+ea)*g/4)
	tt := -(float64(r2) + v) * ea * g / 4
	cc, dd := float64(c*c), float64(d*d)
	s.Cov = append(s.Cov, float64(hh*cc)+float64(tt*dd), (hh-tt)*c*d, float64(hh*dd)+float64(tt*cc))
	if s.Dim == 3 {
		s.Pos = append(s.Pos, p.Place[2]+float64(r*up*(1+expm1(b/2))))
		half := expm1(-a / 2)
		hz := flat * up * (float64(r2*(float64((1+expm1(a/2))*expm1(b))+float64((1+half)*eb))) + float64(v*(1+half)*(1+eb)))
		zz := float64(r2*(float64(up2*expm1(b))-float64(eb*cos2/2))) + float64(v*(2-g)/2)
		s.Cov = append(s.Cov, hz*c, hz*d, zz)
	}
}

// expm1 is e^u − 1 for |u| ≤ ½, by Taylor's series to the 17th degree.
func expm1(u float64) float64 {
	sum := 1.0
	for k := 17.0; k > 1; k-- {
		sum = 1 + float64(u*sum/k)
	}
	return u * sum
}

// velocity appends the velocity of a range rate along the unit vector u.
func (p *Polar) velocity(s *mtt.Scan, rate float64, u []float64) {
	tilt := float64(p.BearingNoise * p.BearingNoise)
	if s.Dim == 3 {
		tilt = (tilt + float64(p.ElevationNoise*p.ElevationNoise)) / 2
	}
	along := float64(p.RateNoise*p.RateNoise) + float64(p.Speed*p.Speed*tilt)
	across := Across * Across * p.Speed * p.Speed
	for i := range u {
		s.Vel = append(s.Vel, rate*u[i])
		for j := range i + 1 {
			v := (along - across) * u[i] * u[j]
			if i == j {
				v += float64(across)
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
