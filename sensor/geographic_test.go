package sensor

import (
	"math"
	"testing"

	"mtt"
	"mtt/internal/rng"
)

// On the plane and back: within a millionth of a metre over 50 km, anywhere on Earth.
func TestPlaneRoundTrip(t *testing.T) {
	r := rng.Stream(1, "test/plane")
	for range 20000 {
		lat, lon := rng.Uniform(r, -88, 88), rng.Uniform(r, -180, 180)
		p, err := NewPlane(lat, lon)
		if err != nil {
			t.Fatal(err)
		}
		x, y := rng.Uniform(r, -50e3, 50e3), rng.Uniform(r, -50e3, 50e3)
		a, b := p.Reverse(x, y)
		if x2, y2 := p.Forward(a, b); math.Hypot(x2-x, y2-y) > 1e-6 {
			t.Fatalf("plane at %v, %v: (%v, %v) comes back as (%v, %v)", lat, lon, x, y, x2, y2)
		}
	}
}

// The plane has the two properties that there is one transverse Mercator projection of:
// true to scale on the meridian of its origin, and conformal everywhere. Lengths on the
// ellipsoid come from its radii of curvature. The scale is 1 + x²/2R² away from it.
func TestPlaneIsTransverseMercator(t *testing.T) {
	for lat := -85.0; lat <= 85; lat += 5 {
		p, err := NewPlane(lat, 30)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []float64{0, 10e3, -50e3, 400e3} {
			a, b := p.Reverse(x, 7e3)
			const h = 1e-3 // degrees
			x1, y1 := p.Forward(a-h, b)
			x2, y2 := p.Forward(a+h, b)
			x3, y3 := p.Forward(a, b-h)
			x4, y4 := p.Forward(a, b+h)
			sin := math.Sin(radians(a))
			n := equator / math.Sqrt(1-eccentricity2*sin*sin)
			m := n * (1 - eccentricity2) / (1 - eccentricity2*sin*sin)
			up, east := 2*radians(h)*m, 2*radians(h)*n*math.Cos(radians(a))
			ux, uy, ex, ey := (x2-x1)/up, (y2-y1)/up, (x4-x3)/east, (y4-y3)/east
			north, west := math.Hypot(ux, uy), math.Hypot(ex, ey)
			want := 1 + x*x/(2*m*n)
			if math.Abs(north/west-1) > 1e-8 || math.Abs(ux*ex+uy*ey) > 1e-8 {
				t.Errorf("at %v: scales %.10f and %.10f with product %.2g: not conformal", a, north, west, ux*ex+uy*ey)
			}
			if tol := 1e-8 + math.Pow(x/6.3e6, 4); math.Abs(north-want) > tol {
				t.Errorf("at %v, %v m east: scale %.10f, want %.10f", a, x, north, want)
			}
		}
	}
}

// The length of a quarter of a meridian of WGS-84 is 10,001,965.729 m.
func TestMeridian(t *testing.T) {
	p, err := NewPlane(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, y := p.Forward(90, 0); math.Abs(y-10001965.7293) > 1e-4 {
		t.Errorf("from equator to pole %.4f m", y)
	}
}

// In space: there and back, and the frame is Cartesian: distances are those through the
// Earth, whatever the frame.
func TestTangent(t *testing.T) {
	r := rng.Stream(1, "test/tangent")
	for range 20000 {
		lat, lon, height := rng.Uniform(r, -90, 90), rng.Uniform(r, -180, 180), rng.Uniform(r, -400, 9000)
		f, err := NewTangent(lat, lon, height)
		if err != nil {
			t.Fatal(err)
		}
		x := [3]float64{rng.Uniform(r, -50e3, 50e3), rng.Uniform(r, -50e3, 50e3), rng.Uniform(r, -5e3, 30e3)}
		a, b, c := f.Reverse(x[0], x[1], x[2])
		x2, y2, z2 := f.Forward(a, b, c)
		if d := math.Hypot(math.Hypot(x2-x[0], y2-x[1]), z2-x[2]); d > 1e-6 {
			t.Fatalf("at %v, %v, %v: %v comes back %g m off", lat, lon, height, x, d)
		}
		g, h := geocentric(a, b, c), geocentric(lat, lon, height)
		d := math.Sqrt((g[0]-h[0])*(g[0]-h[0]) + (g[1]-h[1])*(g[1]-h[1]) + (g[2]-h[2])*(g[2]-h[2]))
		if want := math.Sqrt(x[0]*x[0] + x[1]*x[1] + x[2]*x[2]); math.Abs(d-want) > 1e-6 {
			t.Fatalf("distance %v, want %v", d, want)
		}
	}
	// East, north and up are where they should be.
	f, _ := NewTangent(50, 8, 100)
	if x, y, z := f.Forward(50, 8.001, 100); x < 70 || math.Abs(y) > 0.01 || math.Abs(z) > 0.01 {
		t.Errorf("east is (%v, %v, %v)", x, y, z)
	}
	if x, y, z := f.Forward(50.001, 8, 100); y < 110 || math.Abs(x) > 1e-9 || math.Abs(z) > 0.01 {
		t.Errorf("north is (%v, %v, %v)", x, y, z)
	}
	if x, y, z := f.Forward(50, 8, 101); math.Abs(z-1) > 1e-8 || math.Abs(x)+math.Abs(y) > 1e-8 {
		t.Errorf("up is (%v, %v, %v)", x, y, z)
	}
}

// Near the origin plane and frame agree.
func TestPlaneAndTangent(t *testing.T) {
	for lat := -80.0; lat <= 80; lat += 20 {
		p, _ := NewPlane(lat, 100)
		f, _ := NewTangent(lat, 100, 0)
		a, b := lat+0.005, 100.005
		x, y := p.Forward(a, b)
		x2, y2, _ := f.Forward(a, b, 0)
		if math.Hypot(x-x2, y-y2) > 1e-3 {
			t.Errorf("at %v: (%v, %v) and (%v, %v)", lat, x, y, x2, y2)
		}
	}
}

func TestGeographicRefuses(t *testing.T) {
	for _, place := range [][]float64{nil, {91, 0}, {0, 400}, {math.NaN(), 0}, {1}} {
		if _, err := NewGeographic(place, 0); err == nil {
			t.Errorf("place %v is taken", place)
		}
	}
	g, err := NewGeographic([]float64{48, 11, 500}, 3)
	if err != nil {
		t.Fatal(err)
	}
	var s mtt.Scan
	if g.Append(&s, []float64{95, 0, 0}) == nil || g.Append(&s, []float64{math.Inf(1), 0, 0}) == nil {
		t.Error("a place that there is not is taken")
	}
	if err := g.Append(&s, []float64{48, 11, 510}); err != nil || s.Validate() != nil || math.Abs(s.Pos[2]-10) > 1e-6 || s.Cov[5] != 9 {
		t.Errorf("%v: %+v", err, s)
	}
}
