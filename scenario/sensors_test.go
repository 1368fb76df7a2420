package scenario

// These tests compare what several sensors report with what is said of them.

import (
	"math"
	"strings"
	"testing"

	"mtt"
	"mtt/sensor"
)

// The radar's detections lie where targets are, as far off as their covariances say; one
// in ten is missed, and 10 are false.
func TestPolarScene(t *testing.T) {
	for _, dim := range []int{2, 3} {
		c := PolarConfig()
		c.Dim, c.Frames, c.Accel = dim, 300, 0.01
		c.Sensors[0].Place = []float64{100, -50, 10}[:dim]
		c.SpeedMin, c.SpeedMax = 0.1, 1
		c.Sensors[0].Noise = map[string]float64{"range": 10, "bearing": degree / 2, "range_rate": 0.5, "speed": 1}
		if dim == 3 {
			c.Sensors[0].Noise["elevation"] = degree
		}
		s := simulate(t, *c)
		var nees, rate, n, missed, alarms float64
		for f := range s.Scans {
			if err := s.Scans[f].Validate(); err != nil {
				t.Fatal(err)
			}
			for _, clutter := range isClutter(s, f) {
				if clutter {
					alarms++
				}
			}
		}
		for i := range s.Truth {
			k := &s.Truth[i]
			start := math.Hypot(k.Pos[0], k.Pos[1])
			if start < 5e3 || start > 20e3 {
				t.Fatalf("target %d starts at %g m", i+1, start)
			}
			for h, hit := range k.Hits {
				if hit.Det < 0 {
					missed++
					continue
				}
				scan := &s.Scans[hit.Frame]
				e, u := make([]float64, dim), make([]float64, dim)
				for d := range dim {
					e[d] = scan.At(hit.Det)[d] - k.At(h)[d]
					u[d] = k.At(h)[d] - c.Sensors[0].Place[d]
				}
				nees += mahalanobis(scan.CovAt(hit.Det), e)
				r := length(u)
				along := 0.0
				for d := range dim {
					along += (scan.VelAt(hit.Det)[d] - k.Vel[h*dim+d]) * u[d] / r
				}
				rate += along * along
				n++
			}
		}
		near(t, "NEES", nees/n, float64(dim), 5*math.Sqrt(2*float64(dim)/n)+0.01)
		near(t, "noise of range rates", math.Sqrt(rate/n), 0.5, 0.02)
		near(t, "share missed", missed/(missed+n), 0.1, 5*math.Sqrt(0.09/(n+missed)))
		near(t, "false alarms", alarms/300, 10, 5*math.Sqrt(10./300))
	}
}

// mahalanobis is eᵀC⁻¹e, by Cholesky's factorization.
func mahalanobis(c, e []float64) (sum float64) {
	n := len(e)
	var l [3][3]float64
	var y [3]float64
	for i := range n {
		for j := range i + 1 {
			v := c[i*(i+1)/2+j]
			for k := range j {
				v -= l[i][k] * l[j][k]
			}
			if i == j {
				l[i][i] = math.Sqrt(v)
			} else {
				l[i][j] = v / l[j][j]
			}
		}
		v := e[i]
		for k := range i {
			v -= l[i][k] * y[k]
		}
		y[i] = v / l[i][i]
		sum += y[i] * y[i]
	}
	return sum
}

// Two sensors take turns by their own clocks. Nobody out of view is detected, in view as
// many as should be; false alarms are in view, too.
func TestPair(t *testing.T) {
	c := PairConfig()
	c.Frames, c.SpeedMin, c.SpeedMax = 600, 0.1, 0.1
	s := simulate(t, *c)
	if err := mtt.ValidateAll(s.Scans); err != nil {
		t.Fatal(err)
	}
	last := [2]float64{math.NaN(), math.NaN()}
	for f := range s.Scans {
		k := s.Scans[f].Sensor
		if step := s.Scans[f].Time - last[k]; math.Abs(step-c.Sensors[k].Period) > 1e-5 {
			t.Fatalf("frame %d: sensor %d after %g s, want %g", f, k, step, c.Sensors[k].Period)
		}
		last[k] = s.Scans[f].Time
	}
	var inView, detected, count, alarms [2]float64
	for f := range s.Scans {
		k := s.Scans[f].Sensor
		count[k]++
		for d, clutter := range isClutter(s, f) {
			if clutter {
				alarms[k]++
				if !c.Sensors[k].Sees(s.Scans[f].At(d)) && k == 1 { // the radar's are off by its noise
					t.Fatalf("frame %d: a false alarm at %v is out of view", f, s.Scans[f].At(d))
				}
			}
		}
		for i := range s.Truth {
			switch sees := s.Config.Sensors[k].Sees(s.Truth[i].At(f)); {
			case sees:
				inView[k]++
				if s.Truth[i].Hits[f].Det >= 0 {
					detected[k]++
				}
			case s.Truth[i].Hits[f].Det >= 0:
				t.Fatalf("frame %d: target %d is out of view and detected", f, i+1)
			}
		}
	}
	for k := range 2 {
		p := c.Sensors[k].Detect
		near(t, "share detected", detected[k]/inView[k], p, 5*math.Sqrt(p*(1-p)/inView[k]))
		near(t, "false alarms", alarms[k]/count[k], c.Sensors[k].Clutter, 5*math.Sqrt(c.Sensors[k].Clutter/count[k]))
	}
	near(t, "share of the scene that the camera sees", inView[1]/count[1]/60, 1./3, 0.1)
}

// Sensors that report at one time follow each other.
func TestSameTime(t *testing.T) {
	plain := sensor.Sensor{Noise: map[string]float64{"position": 0.1}}
	s := simulate(t, Config{Targets: 3, Frames: 30, Sensors: []Sensor{{Sensor: plain}, {Sensor: plain, Period: 2}, {Sensor: plain}}})
	if err := mtt.ValidateAll(s.Scans); err != nil {
		t.Error(err)
	}
	var count [3]int
	for f := range s.Scans {
		count[s.Scans[f].Sensor]++
	}
	if count != [3]int{12, 6, 12} {
		t.Errorf("%v scans", count)
	}
}

func TestValidateSensors(t *testing.T) {
	plain := Sensor{Sensor: sensor.Sensor{Noise: map[string]float64{"position": 0.1}}}
	moving := Sensor{Sensor: sensor.Sensor{Noise: map[string]float64{"position": 0.1, "velocity": 1}}}
	with := func(change func(s *Sensor)) []Sensor {
		s := plain
		change(&s)
		return []Sensor{plain, s}
	}
	for _, tt := range []struct {
		want string
		c    Config
	}{
		{"", Config{Sensors: []Sensor{plain, plain}}},
		{"Miss is 0.1; with Sensors", Config{Miss: 0.1, Sensors: []Sensor{plain}}},
		{"0 Sensors", Config{Sensors: []Sensor{}}},
		{"needs the noise of its position", Config{Sensors: []Sensor{{}}}},
		{`kind "boxes" is not simulated`, Config{Sensors: with(func(s *Sensor) { s.Kind = "boxes" })}},
		{`kind is "eye"`, Config{Sensors: with(func(s *Sensor) { s.Kind = "eye" })}},
		{"sensor 1: Period is -1", Config{Sensors: with(func(s *Sensor) { s.Period = -1 })}},
		{"place has 3 coordinates", Config{Sensors: with(func(s *Sensor) { s.Place = []float64{1, 2, 3} })}},
		{"unlike the first", Config{Sensors: []Sensor{plain, moving}}},
		{"Brownian particles have none", Config{Scene: Walk, Sensors: []Sensor{moving}}},
		{"Jitter is 0.3; with Uneven 0.5", Config{Jitter: 0.3, Uneven: 0.5}},
		{"Far is 3, not above Near, which is 4", Config{Near: 4, Far: 3}},
		{"Features is -1", Config{Features: -1}},
		{"Still is -1", Config{Still: -1}},
		{"FastMax is 3, below FastMin, which is 4", Config{FastMin: 4, FastMax: 3}},
	} {
		err := tt.c.Validate()
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("Validate says %v, want %q", err, tt.want)
		}
	}
	if _, err := Preset("radar"); err == nil || !strings.Contains(err.Error(), "position, polar, pair") {
		t.Errorf("Preset says %v", err)
	}
	for _, name := range Presets() {
		c, err := Preset(name)
		if err != nil || c.Validate() != nil {
			t.Errorf("%s: %v, %v", name, err, c.Validate())
		}
	}
}
