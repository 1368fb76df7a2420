package sensor

import (
	"fmt"
	"math"

	"mtt"
)

// This file lays a plane, or a frame in space, over the ellipsoid of WGS-84.
//
// The plane is a transverse Mercator projection about the meridian of its origin, with
// scale 1 there, by Krüger's series in the third flattening to its fourth power: its
// error is below a micrometre within 2,000 km [1]. It is conformal, so that noise that
// is alike in all directions stays so. Distances come out too long by x²/2R²: by
// 3·10⁻⁵ at x = 50 km east or west, 1.5 m in 50 km; none north or south.
//
// The frame in space is the tangent one: east, north and up at its origin. It is
// Cartesian, and exact. Latitude and height come back from it by Bowring's formula [2],
// improved until it stands.
//
// [1] Karney. Transverse Mercator with an accuracy of a few nanometers. Journal of
// Geodesy 85, 2011, equations 7 to 12, 14, 35 and 36.
// [2] Bowring. Transformation from spatial to geographical coordinates. Survey Review
// 23(181), 1976.

// The ellipsoid of WGS-84: equatorial radius in m, flattening, square of the eccentricity
// and third flattening.
const (
	equator       = 6378137.0
	flattening    = 1 / 298.257223563
	eccentricity2 = flattening * (2 - flattening)
	third         = flattening / (2 - flattening)
)

// The length of a quarter of a meridian is π/2 times this radius.
const meridian = equator / (1 + third) * (1 + third*third/4 + third*third*third*third/64)

// Krüger's coefficients: from the sphere to the plane, and back.
var (
	alpha = [4]float64{
		third * (1./2 + third*(-2./3+third*(5./16+third*(41./180)))),
		third * third * (13./48 + third*(-3./5+third*(557./1440))),
		third * third * third * (61./240 - third*(103./140)),
		third * third * third * third * (49561. / 161280),
	}
	beta = [4]float64{
		third * (1./2 + third*(-2./3+third*(37./96-third*(1./360)))),
		third * third * (1./48 + third*(1./15-third*(437./1440))),
		third * third * third * (17./480 - third*(37./840)),
		third * third * third * third * (4397. / 161280),
	}
)

// A Plane is a map of the surroundings of a point: metres east and north of it.
type Plane struct {
	lon    float64 // rad: the meridian of the origin
	offset float64 // m: from the equator to the origin
}

// NewPlane is the plane with its origin at the given degrees of latitude and longitude.
func NewPlane(lat, lon float64) (*Plane, error) {
	if err := checkPlace(lat, lon); err != nil {
		return nil, err
	}
	p := &Plane{lon: radians(lon)}
	_, p.offset = p.Forward(lat, lon)
	return p, nil
}

// checkPlace refuses what is no place on Earth.
func checkPlace(lat, lon float64) error {
	if !(math.Abs(lat) <= 90) || !(math.Abs(lon) <= 360) {
		return fmt.Errorf("sensor: %w: latitude %v, longitude %v: no such place", ErrMeasurement, lat, lon)
	}
	return nil
}

// Forward is the place x metres east and y metres north of the origin that has the given
// degrees of latitude and longitude.
func (p *Plane) Forward(lat, lon float64) (x, y float64) {
	sin, cos := math.Sincos(math.Remainder(radians(lon)-p.lon, 2*math.Pi))
	tau := conformal(math.Tan(radians(lat)))
	xi := math.Atan2(tau, cos)
	eta := math.Asinh(sin / math.Hypot(tau, cos))
	dxi, deta := series(&alpha, xi, eta)
	return meridian * (eta + deta), meridian*(xi+dxi) - p.offset
}

// Reverse is the inverse of Forward. Longitudes lie within ±180.
func (p *Plane) Reverse(x, y float64) (lat, lon float64) {
	xi, eta := (y+p.offset)/meridian, x/meridian
	dxi, deta := series(&beta, xi, eta)
	xi, eta = xi-dxi, eta-deta
	sin, cos := math.Sincos(xi)
	sinh := math.Sinh(eta)
	tau := geodetic(sin / math.Hypot(sinh, cos))
	return degrees(math.Atan(tau)), degrees(math.Remainder(p.lon+math.Atan2(sinh, cos), 2*math.Pi))
}

// series is Σ k_j sin 2jξ cosh 2jη and Σ k_j cos 2jξ sinh 2jη.
func series(k *[4]float64, xi, eta float64) (dxi, deta float64) {
	for j, c := range k {
		n := float64(2 * (j + 1))
		sin, cos := math.Sincos(n * xi)
		dxi += c * sin * math.Cosh(n*eta)
		deta += c * cos * math.Sinh(n*eta)
	}
	return dxi, deta
}

// conformal is the tangent of the conformal latitude of the latitude with tangent tau.
func conformal(tau float64) float64 {
	e := math.Sqrt(eccentricity2)
	sec := math.Hypot(1, tau)
	sigma := math.Sinh(e * math.Atanh(e*tau/sec))
	return tau*math.Hypot(1, sigma) - sigma*sec
}

// geodetic is the inverse of conformal, by Newton's method.
func geodetic(conf float64) float64 {
	tau := conf
	for range 6 { // each doubles the digits; three are enough
		got := conformal(tau)
		slope := (1 + (1-eccentricity2)*tau*tau) / ((1 - eccentricity2) * math.Hypot(1, got) * math.Hypot(1, tau))
		step := (conf - got) * slope
		if tau += step; !(math.Abs(step) > 1e-16*math.Abs(tau)) {
			break
		}
	}
	return tau
}

// A Tangent is a Cartesian frame at a point: metres east, north and up.
type Tangent struct {
	origin                         [3]float64 // geocentric
	sinLat, cosLat, sinLon, cosLon float64
}

// NewTangent is the frame with its origin at the given degrees of latitude and longitude
// and metres of height above the ellipsoid.
func NewTangent(lat, lon, height float64) (*Tangent, error) {
	if err := checkPlace(lat, lon); err != nil {
		return nil, err
	}
	f := &Tangent{origin: geocentric(lat, lon, height)}
	f.sinLat, f.cosLat = math.Sincos(radians(lat))
	f.sinLon, f.cosLon = math.Sincos(radians(lon))
	return f, nil
}

// Forward is the place that has the given degrees of latitude and longitude and metres of
// height above the ellipsoid.
func (f *Tangent) Forward(lat, lon, height float64) (x, y, z float64) {
	g := geocentric(lat, lon, height)
	for k := range g {
		g[k] -= f.origin[k]
	}
	out := f.cosLon*g[0] + f.sinLon*g[1] // away from the axis of the Earth
	return f.cosLon*g[1] - f.sinLon*g[0], f.cosLat*g[2] - f.sinLat*out, f.cosLat*out + f.sinLat*g[2]
}

// Reverse is the inverse of Forward.
func (f *Tangent) Reverse(x, y, z float64) (lat, lon, height float64) {
	out := f.cosLat*z - f.sinLat*y
	g := [3]float64{
		f.origin[0] + f.cosLon*out - f.sinLon*x,
		f.origin[1] + f.sinLon*out + f.cosLon*x,
		f.origin[2] + f.sinLat*z + f.cosLat*y,
	}
	const polar = equator * (1 - flattening)
	p := math.Hypot(g[0], g[1])
	sin, cos := unit(g[2]*equator, p*polar) // of the parametric latitude
	var sinLat, cosLat float64
	for range 4 { // the first is right to a micrometre near the surface
		sinLat, cosLat = unit(g[2]+eccentricity2/(1-eccentricity2)*polar*sin*sin*sin, p-eccentricity2*equator*cos*cos*cos)
		sin, cos = unit((1-flattening)*sinLat, cosLat)
	}
	height = p*cosLat + g[2]*sinLat - equator*math.Sqrt(1-eccentricity2*sinLat*sinLat)
	return degrees(math.Atan2(sinLat, cosLat)), degrees(math.Atan2(g[1], g[0])), height
}

// unit is (y, x) at length one.
func unit(y, x float64) (sin, cos float64) {
	r := math.Hypot(x, y)
	return y / r, x / r
}

// geocentric are the Cartesian coordinates of a place, from the centre of the Earth.
func geocentric(lat, lon, height float64) [3]float64 {
	sinLat, cosLat := math.Sincos(radians(lat))
	sinLon, cosLon := math.Sincos(radians(lon))
	n := equator / math.Sqrt(1-eccentricity2*sinLat*sinLat)
	return [3]float64{(n + height) * cosLat * cosLon, (n + height) * cosLat * sinLon, (n*(1-eccentricity2) + height) * sinLat}
}

func radians(degrees float64) float64 { return degrees * (math.Pi / 180) }
func degrees(radians float64) float64 { return radians * (180 / math.Pi) }

// A Geographic converts latitudes, longitudes and heights.
type Geographic struct {
	Sigma   float64  // m: standard deviation of each coordinate; 0: not told, to be learnt
	Plane   *Plane   // nil: in space
	Tangent *Tangent // nil: in the plane
}

// NewGeographic is a converter to the plane about a place, degrees of latitude and
// longitude, or to the tangent frame of a place with a height in metres as its third
// number.
func NewGeographic(place []float64, sigma float64) (*Geographic, error) {
	g := &Geographic{Sigma: sigma}
	var err error
	switch len(place) {
	case 2:
		g.Plane, err = NewPlane(place[0], place[1])
	case 3:
		g.Tangent, err = NewTangent(place[0], place[1], place[2])
	default:
		err = fmt.Errorf("sensor: %w: a plane needs the latitude and longitude of its origin", ErrSensor)
	}
	if err != nil {
		return nil, err
	}
	return g, nil
}

// newGeographic is the converter of a description.
func newGeographic(s *Sensor) (Converter, error) {
	if err := s.only("position"); err != nil {
		return nil, err
	}
	sigma := 0.0
	if _, told := s.Noise["position"]; told {
		var err error
		if sigma, err = s.noise("position"); err != nil {
			return nil, err
		}
	}
	return NewGeographic(s.Place, sigma)
}

// Roles implements [Converter].
func (g *Geographic) Roles() []string {
	if g.Tangent != nil {
		return []string{"latitude", "longitude", "height"}
	}
	return []string{"latitude", "longitude"}
}

// Append implements [Converter]: degrees of latitude and longitude, and in space metres
// of height.
func (g *Geographic) Append(s *mtt.Scan, z []float64) error {
	if err := check(g.Roles(), z); err != nil {
		return err
	}
	if err := checkPlace(z[0], z[1]); err != nil {
		return err
	}
	if g.Tangent != nil {
		s.Dim = 3
		x, y, up := g.Tangent.Forward(z[0], z[1], z[2])
		s.Pos = append(s.Pos, x, y, up)
	} else {
		s.Dim = 2
		x, y := g.Plane.Forward(z[0], z[1])
		s.Pos = append(s.Pos, x, y)
	}
	s.Cov = appendIsotropic(s.Cov, g.Sigma, s.Dim)
	return nil
}
