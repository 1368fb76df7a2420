package sensor_test

import (
	"fmt"
	"math"

	"mtt"
	"mtt/sensor"
)

// A radar at (100, 0) sees something 10 km away, north-east: well known along the line of
// sight, much less so across it.
func ExamplePolar() {
	radar := &sensor.Polar{Place: []float64{100, 0}, RangeNoise: 10, BearingNoise: 0.5 * math.Pi / 180}
	var s mtt.Scan
	if err := radar.Append(&s, []float64{10e3, math.Pi / 4}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("at %.1f\n", s.At(0))
	cov := s.CovAt(0)
	along, across := (cov[0]+cov[2])/2+cov[1], (cov[0]+cov[2])/2-cov[1]
	fmt.Printf("%.1f m along, %.1f m across\n", math.Sqrt(along), math.Sqrt(across))
	// Output:
	// at [7171.3 7071.3]
	// 10.0 m along, 87.3 m across
}

// A GPS track on the plane about its start, and back.
func ExamplePlane() {
	plane, err := sensor.NewPlane(48.137, 11.575)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, y := plane.Forward(48.150, 11.600)
	fmt.Printf("%.2f m east, %.2f m north\n", x, y)
	lat, lon := plane.Reverse(x, y)
	fmt.Printf("%.6f %.6f\n", lat, lon)
	// Output:
	// 1860.22 m east, 1445.81 m north
	// 48.150000 11.600000
}

// A camera that looks north from (0, 10), by 60 degrees and as far as 30 m.
func ExampleSensor_Sees() {
	camera := sensor.Sensor{
		Name: "camera", Place: []float64{0, 10}, Detect: 0.95, Clutter: 0.5,
		View: &sensor.View{Range: []float64{0, 30}, Bearing: []float64{math.Pi / 3, 2 * math.Pi / 3}},
	}
	fmt.Println(camera.Validate(), camera.Sees([]float64{5, 30}), camera.Sees([]float64{5, 5}), camera.Sees([]float64{0, 50}))
	// Output: <nil> true false false
}

// sonar is a sensor of one's own: the time that a sound takes there and back, and the
// side it comes from, −1 for port to 1 for starboard, as the sine of an angle.
type sonar struct {
	speed               float64 // m/s, of sound
	timeNoise, sinNoise float64
}

// Roles implements [sensor.Converter].
func (sonar) Roles() []string { return []string{"delay", "side"} }

// Append implements [sensor.Converter], to first order in the noise.
func (n sonar) Append(s *mtt.Scan, z []float64) error {
	r, sin := z[0]*n.speed/2, z[1]
	if r <= 0 || math.Abs(sin) >= 1 {
		return fmt.Errorf("%w: delay %v, side %v", sensor.ErrMeasurement, z[0], z[1])
	}
	cos := math.Sqrt(1 - sin*sin)
	s.Dim = 2
	s.Pos = append(s.Pos, r*sin, r*cos)
	// The derivatives of the position by range and side, times their deviations.
	sr, ss := n.speed/2*n.timeNoise, n.sinNoise
	a := [2][2]float64{{sin * sr, r * ss}, {cos * sr, -r * sin / cos * ss}}
	s.Cov = append(s.Cov, a[0][0]*a[0][0]+a[0][1]*a[0][1], a[0][0]*a[1][0]+a[0][1]*a[1][1], a[1][0]*a[1][0]+a[1][1]*a[1][1])
	return nil
}

// A sensor of one's own is a type with two methods.
func ExampleConverter() {
	var own sensor.Converter = sonar{speed: 1500, timeNoise: 1e-3, sinNoise: 0.01}
	s := mtt.Scan{Frame: 7}
	for _, z := range [][]float64{{0.4, 0}, {0.4, -0.6}} {
		if err := own.Append(&s, z); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(own.Roles(), s.Validate())
	for i := range s.Len() {
		fmt.Printf("%.1f ± %.2f, %.2f\n", s.At(i), math.Sqrt(s.CovAt(i)[0]), math.Sqrt(s.CovAt(i)[2]))
	}
	// Output:
	// [delay side] <nil>
	// [0.0 300.0] ± 3.00, 0.75
	// [-180.0 240.0] ± 3.03, 2.33
}
