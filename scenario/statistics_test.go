package scenario

// These tests compare scenes with what is expected of them. Seeds are fixed, so
// they pass or fail for good; tolerances are five standard errors, or say where
// they come from.

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.4g, want %.4g ± %.2g", what, got, want, tolerance)
	}
}

// nearestNeighbour is the mean distance to the nearest other point.
func nearestNeighbour(pos []float64, dim int) float64 {
	sum, n := 0.0, len(pos)/dim
	for i := range n {
		best := math.Inf(1)
		for j := range n {
			d := 0.0
			for k := range dim {
				d += (pos[i*dim+k] - pos[j*dim+k]) * (pos[i*dim+k] - pos[j*dim+k])
			}
			if i != j && d < best {
				best = d
			}
		}
		sum += math.Sqrt(best)
	}
	return sum / float64(n)
}

// How crowded scenes are: the mean distance to the nearest neighbour measured
// with an independent prototype of the same reading of the paper. Its numbers
// come from few seeds, so they are met within 15 %, with 20 targets 25 %.
func TestCrowding(t *testing.T) {
	frames := []int{0, 5, 10, 20, 40, 80, 299}
	tests := []struct {
		config    Config
		want      []float64 // m, in those frames
		tolerance float64
	}{
		{Config{Scene: Burst, Targets: 20}, []float64{0.32, 1.66, 3.60, 8.3, 15, 32, 117}, 0.25},
		{Config{Scene: Burst, Targets: 100}, []float64{0.17, 0.81, 1.56, 3.0, 5.8, 11, 47}, 0.15},
		{Config{Scene: Burst, Targets: 300}, []float64{0.10, 0.51, 0.98, 1.9, 3.3, 6.7, 26}, 0.15},
		{Config{Scene: Arena, Targets: 300}, []float64{1.30, 1.55, 2.02, 3.1, 4.5, 7.7, 27}, 0.15},
		{Config{Scene: Steer, Targets: 300, Spread: 1.5}, []float64{0.75, 1.09, 1.41, 1.76, 1.51, 2.02, 1.94}, 0.15},
	}
	const seeds = 6
	for _, tt := range tests {
		got := make([]float64, len(frames))
		for seed := range uint64(seeds) {
			tt.config.Frames, tt.config.Seed = 300, seed
			s := simulate(t, tt.config)
			for i, f := range frames {
				got[i] += nearestNeighbour(s.Scans[f].Pos, 2) / seeds
			}
		}
		for i, f := range frames {
			if math.Abs(got[i]/tt.want[i]-1) > tt.tolerance {
				t.Errorf("%s, %d targets, frame %d: nearest neighbours are %.2f m apart, want %.2f", tt.config.Scene, tt.config.Targets, f, got[i], tt.want[i])
			}
		}
	}
}

// In the frame where they are meant to be, targets fill their square, cube, disc
// or ball evenly: one per Spread^Dim, whatever their number.
func TestDensity(t *testing.T) {
	for _, k := range []Kind{Arena, Cross, Steer} {
		for _, dim := range []int{2, 3} {
			c := Config{Scene: k, Dim: dim, Targets: 3000, Frames: 41, Spread: 2}
			frame := 0
			if k == Cross {
				frame = 20
			}
			// A Poisson process of unit intensity has mean nearest neighbour
			// distance Γ(1+1/d)/κ^(1/d), κ the volume of the unit ball; edges add
			// some percent.
			want := 2 * map[int]float64{2: 0.5, 3: 0.55396}[dim]
			got := nearestNeighbour(simulate(t, c).Scans[frame].Pos, dim)
			if got < 0.98*want || got > 1.1*want {
				t.Errorf("%s in %d dimensions: nearest neighbours are %.3f m apart, want %.3f", k, dim, got, want)
			}
		}
	}
}

// Turns per step with the default coefficients: 0.8° on average over 100
// frames, 0.3° over 300 (prototype). The largest of a scene is mostly 6° to 7°; a
// rare curve turns by more.
func TestTurns(t *testing.T) {
	for _, tt := range []struct {
		frames    int
		mean, tol float64
	}{{100, 0.8, 0.1}, {300, 0.3, 0.04}} {
		const seeds = 8
		sum, n := 0.0, 0
		largest := make([]float64, seeds)
		for seed := range largest {
			for _, k := range simulate(t, Config{Frames: tt.frames, Seed: uint64(seed)}).Truth {
				for h := 1; h < len(k.Hits); h++ {
					a, b := k.Vel[2*h-2:2*h], k.Vel[2*h:2*h+2]
					turn := math.Abs(math.Atan2(a[0]*b[1]-a[1]*b[0], a[0]*b[0]+a[1]*b[1])) * 180 / math.Pi
					sum += turn
					largest[seed] = max(largest[seed], turn)
					n++
				}
			}
		}
		slices.Sort(largest)
		near(t, "mean turn in degrees", sum/float64(n), tt.mean, tt.tol)
		near(t, "median of the largest turns in degrees", largest[seeds/2], 6.5, 0.7)
	}
}

// Speeds, orientations and shifts are uniform: mean and variance over targets.
func TestStart(t *testing.T) {
	const n = 20000
	for _, dim := range []int{2, 3} {
		s := simulate(t, Config{Targets: n, Frames: 1, Dim: dim, A0: 1e-9})
		var speed, speed2 float64
		heading, shift, shift2 := make([]float64, dim), make([]float64, dim), make([]float64, dim)
		for i := range s.Truth {
			k := &s.Truth[i]
			v := length(k.Vel)
			speed += v / n
			speed2 += (v - 1.5) * (v - 1.5) / n
			for d := range dim {
				heading[d] += k.Vel[d] / v / n
				shift[d] += k.Pos[d] / n
				shift2[d] += (k.Pos[d] - 1.25) * (k.Pos[d] - 1.25) / n
			}
		}
		near(t, "mean speed", speed, 1.5, 5*math.Sqrt(1./12/n))
		near(t, "variance of speed", speed2, 1./12, 5*math.Sqrt(1./180/n))
		for d := range dim {
			near(t, "mean heading", heading[d], 0, 5*math.Sqrt(1/float64(dim)/n))
			near(t, "mean shift", shift[d], 1.25, 5*2.5*math.Sqrt(1./12/n))
			near(t, "variance of shift", shift2[d], 2.5*2.5/12, 5*2.5*2.5*math.Sqrt(1./180/n))
		}
	}
}

// Errors of positions and velocities have mean zero, the given deviation, and
// nothing to do with each other.
func TestNoise(t *testing.T) {
	for _, dim := range []int{2, 3} {
		s := simulate(t, Config{Targets: 500, Frames: 40, Dim: dim, Noise: 0.3, VelocityNoise: 0.05, Miss: 0.2, Clutter: 10})
		var sum, sum2, vsum, vsum2, cross, both, n float64
		for i := range s.Truth {
			k := &s.Truth[i]
			for h, hit := range k.Hits {
				if hit.Det < 0 {
					continue
				}
				scan := &s.Scans[hit.Frame]
				var e, v [3]float64
				for d := range dim {
					e[d] = scan.At(hit.Det)[d] - k.At(h)[d]
					v[d] = scan.VelAt(hit.Det)[d] - k.Vel[h*dim+d]
					sum += e[d]
					sum2 += e[d] * e[d]
					vsum += v[d]
					vsum2 += v[d] * v[d]
					cross += e[d] * v[d]
					n++
				}
				both += e[dim-1] * e[0] * float64(dim)
			}
		}
		near(t, "mean position error", sum/n, 0, 5*0.3/math.Sqrt(n))
		near(t, "position noise", math.Sqrt(sum2/n), 0.3, 5*0.3/math.Sqrt(2*n))
		near(t, "mean velocity error", vsum/n, 0, 5*0.05/math.Sqrt(n))
		near(t, "velocity noise", math.Sqrt(vsum2/n), 0.05, 5*0.05/math.Sqrt(2*n))
		near(t, "covariance of position and velocity", cross/n, 0, 5*0.3*0.05/math.Sqrt(n))
		near(t, "covariance of coordinates", both/n, 0, 5*0.3*0.3*math.Sqrt(float64(dim)/n))
	}
}

func TestMisses(t *testing.T) {
	s := simulate(t, Config{Targets: 200, Frames: 100, Miss: 0.1})
	missed, runs := 0.0, 0.0
	for _, k := range s.Truth {
		for h, hit := range k.Hits {
			if hit.Det < 0 {
				missed++
				if h > 0 && k.Hits[h-1].Det < 0 {
					runs++
				}
			}
		}
	}
	near(t, "share missed", missed/20000, 0.1, 5*math.Sqrt(0.09/20000))
	near(t, "share missed twice running", runs/19800, 0.01, 5*math.Sqrt(0.01/19800))
}

// Misses in runs: as many in all, all lengths of a run equally often, but for runs
// that follow one another at once.
func TestMissRuns(t *testing.T) {
	s := simulate(t, Config{Targets: 400, Frames: 200, Miss: 0.1, MissRun: 3})
	var missed float64
	var runs [10]float64
	for _, k := range s.Truth {
		length := 0
		for _, hit := range k.Hits {
			if hit.Det < 0 {
				missed++
				length++
				continue
			}
			runs[min(length, 9)]++
			length = 0
		}
	}
	near(t, "share missed", missed/80000, 0.1, 0.006)
	begin := 0.1 / (2*0.9 + 0.1)
	for n, want := range map[int]float64{1: (1 - begin) / 3, 2: (1 - begin) * (1 + begin/3) / 3, 3: (1 - begin) * (1 + 2*begin/3 + begin*begin/9) / 3} {
		near(t, fmt.Sprintf("share of runs of %d", n), runs[n]/(runs[1]+runs[2]+runs[3]+runs[4]+runs[5]+runs[6]), want, 0.035)
	}
}

// isClutter tells which detections of frame f no target caused.
func isClutter(s *Scene, f int) []bool {
	clutter := make([]bool, s.Scans[f].Len())
	for d := range clutter {
		clutter[d] = true
	}
	for _, k := range s.Truth {
		for _, hit := range k.Hits {
			if hit.Frame == f && hit.Det >= 0 {
				clutter[hit.Det] = false
			}
		}
	}
	return clutter
}

// The number of false alarms is Poisson; they lie near targets, evenly in the
// disc or ball, and move like targets in random directions.
func TestClutterNearTargets(t *testing.T) {
	for _, dim := range []int{2, 3} {
		const frames, mean, radius = 400, 6, 4
		s := simulate(t, Config{Dim: dim, Targets: 1, Frames: frames, Clutter: mean, ClutterRadius: radius})
		var number, number2, n, depth float64
		var drift [3]float64
		for f := range s.Scans {
			count := 0.0
			for d, clutter := range isClutter(s, f) {
				if !clutter {
					continue
				}
				count++
				distance := 0.0
				for k := range dim {
					distance = math.Hypot(distance, s.Scans[f].At(d)[k]-s.Truth[0].At(f)[k])
					drift[k] += s.Scans[f].VelAt(d)[k]
				}
				if distance > radius {
					t.Fatalf("false alarm at %g m of the only target, want at most %d", distance, radius)
				}
				if v := length(s.Scans[f].VelAt(d)); v < 1-1e-12 || v > 2+1e-12 {
					t.Fatalf("false alarm with speed %g, want 1 to 2", v)
				}
				depth += math.Pow(distance/radius, float64(dim)) // uniform in [0, 1]
			}
			n += count
			number += count / frames
			number2 += (count - mean) * (count - mean) / frames
		}
		near(t, "mean number", number, mean, 5*math.Sqrt(mean/float64(frames)))
		near(t, "variance of number", number2, mean, 5*math.Sqrt((mean+2*mean*mean)/float64(frames)))
		near(t, "mean share of the ball nearer to the target", depth/n, 0.5, 5*math.Sqrt(1./12/n))
		for k := range dim {
			near(t, "mean drift", drift[k]/n, 0, 5*math.Sqrt(7./3/float64(dim)/n))
		}
	}
}

// Without a radius false alarms fill the box of the targets and a margin of
// Spread around it.
func TestClutterInBox(t *testing.T) {
	s := simulate(t, Config{Scene: Steer, Targets: 30, Frames: 200, Clutter: 10, Spread: 3})
	var sum, n float64
	for f := range s.Scans {
		var lo, hi [2]float64
		for i := range s.Truth {
			for d, x := range s.Truth[i].At(f) {
				if i == 0 || x < lo[d] {
					lo[d] = x
				}
				if i == 0 || x > hi[d] {
					hi[d] = x
				}
			}
		}
		for det, clutter := range isClutter(s, f) {
			for d := range 2 {
				if u := (s.Scans[f].At(det)[d] - lo[d] + 3) / (hi[d] - lo[d] + 6); clutter {
					if u < 0 || u > 1 {
						t.Fatalf("frame %d: false alarm at %v, outside the box", f, s.Scans[f].At(det))
					}
					sum += u
					n++
				}
			}
		}
	}
	near(t, "mean place in the box", sum/n, 0.5, 5*math.Sqrt(1./12/n))
}

// Births keep the population at its mean, and lives last Targets/Births frames.
func TestBirths(t *testing.T) {
	for _, k := range Kinds() {
		const targets, births, frames = 100, 4, 400
		c := Config{Scene: k, Targets: targets, Births: births, Frames: frames, Miss: 0.5, Cycle: 1e6}
		var population, born, life, ended float64
		s := simulate(t, c)
		for _, track := range s.Truth {
			first, last := track.Hits[0].Frame, track.Hits[len(track.Hits)-1].Frame
			population += float64(len(track.Hits)) / frames
			if first > 0 {
				born++
			}
			if first > 0 && first < frames/2 { // nearly all of these end before the last frame
				life += float64(last - first + 1)
				ended++
			}
		}
		// The population is an autoregression with variance targets and memory of
		// targets/births frames: 2·25 frames count as one.
		near(t, "mean population", population, targets, 5*math.Sqrt(targets*2*(targets/births)/float64(frames)))
		if k == Flow {
			continue // where some enter as others leave besides
		}
		near(t, "births per frame", born/(frames-1), births, 5*math.Sqrt(births/float64(frames)))
		near(t, "mean life", life/ended, targets/births, 5*targets/births/math.Sqrt(ended))
	}
}

// The order of detections is a uniform permutation of the targets, new in each
// frame: chi-square of 24 orders, whose 0.9999 quantile is 55, and of the pairs
// of places of one target in consecutive frames (15 degrees of freedom: 44).
func TestOrder(t *testing.T) {
	const frames = 12000
	s := simulate(t, Config{Scene: Steer, Targets: 4, Frames: frames})
	count := map[[4]int]float64{}
	var pair [4][4]float64
	for f := range frames {
		var order [4]int
		for i := range order {
			order[i] = s.Truth[i].Hits[f].Det
		}
		count[order]++
		if f > 0 {
			pair[s.Truth[0].Hits[f-1].Det][order[0]]++
		}
	}
	chi2 := float64(24-len(count)) * frames / 24
	for _, c := range count {
		chi2 += (c - frames/24) * (c - frames/24) / (frames / 24)
	}
	if chi2 > 55 {
		t.Errorf("chi-square of the orders = %.1f, want below 55", chi2)
	}
	chi2 = 0
	for _, row := range pair {
		for _, c := range row {
			chi2 += (c - frames/16) * (c - frames/16) / (frames / 16)
		}
	}
	if chi2 > 44 {
		t.Errorf("chi-square of consecutive places = %.1f, want below 44", chi2)
	}
}

// Each knob of the sensor leaves the truth alone, and what the other knobs draw.
func TestKnobsAreIndependent(t *testing.T) {
	base := Config{Scene: Arena, Targets: 20, Frames: 10, Noise: 0.1, VelocityNoise: 0.1, Births: 1}
	// errorOf is the error of target i in hit h; nil when it was missed.
	errorOf := func(s *Scene, i, h int) []float64 {
		k := &s.Truth[i]
		if k.Hits[h].Det < 0 {
			return nil
		}
		p := s.Scans[k.Hits[h].Frame].At(k.Hits[h].Det)
		return []float64{p[0] - k.At(h)[0], p[1] - k.At(h)[1]}
	}
	want := simulate(t, base)
	for name, change := range map[string]func(*Config){
		"Noise":         func(c *Config) { c.Noise *= 2 },
		"VelocityNoise": func(c *Config) { c.VelocityNoise = 3 },
		"NoVelocity":    func(c *Config) { c.NoVelocity = true },
		"Miss":          func(c *Config) { c.Miss = 0.3 },
		"Clutter":       func(c *Config) { c.Clutter = 5 },
		"ClutterRadius": func(c *Config) { c.Clutter, c.ClutterRadius = 5, 4 },
	} {
		c := base
		change(&c)
		got := simulate(t, c)
		for i := range want.Truth {
			for h := range want.Truth[i].Pos {
				if got.Truth[i].Pos[h] != want.Truth[i].Pos[h] || got.Truth[i].Vel[h] != want.Truth[i].Vel[h] {
					t.Fatalf("%s changes the way of target %d", name, i+1)
				}
			}
			for h := range want.Truth[i].Hits {
				e, f := errorOf(want, i, h), errorOf(got, i, h)
				for d := range f { // nothing to compare where the target is missed now
					if math.Abs(f[d]-e[d]*c.Noise/base.Noise) > 1e-13 {
						t.Fatalf("%s changes the error of target %d, hit %d, from %v to %v", name, i+1, h, e, f)
					}
				}
			}
		}
	}
	// More misses are the same misses and some more.
	some, more := base, base
	some.Miss, more.Miss = 0.2, 0.4
	a, b := simulate(t, some), simulate(t, more)
	for i := range a.Truth {
		for h := range a.Truth[i].Hits {
			if a.Truth[i].Hits[h].Det < 0 && b.Truth[i].Hits[h].Det >= 0 {
				t.Fatalf("target %d, hit %d is missed with Miss 0.2 but not with 0.4", i+1, h)
			}
		}
	}
}

// A burst of more targets begins with those of fewer.
func TestMoreTargets(t *testing.T) {
	few, many := simulate(t, Config{Targets: 10}), simulate(t, Config{Targets: 30})
	for i := range few.Truth {
		for h := range few.Truth[i].Pos {
			if few.Truth[i].Pos[h] != many.Truth[i].Pos[h] {
				t.Fatalf("target %d moves otherwise among 30 than among 10", i+1)
			}
		}
	}
}
