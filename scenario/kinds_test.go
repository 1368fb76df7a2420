package scenario

// These tests compare the kinds of motion with what is said of them.

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"mtt/internal/rng"
)

// Steps of Brownian particles: the median step over the mean distance to the nearest
// neighbour is the ratio that was asked for; steps are independent of each other, and
// their square grows as time does.
func TestWalk(t *testing.T) {
	for _, dim := range []int{2, 3} {
		for _, ratio := range []float64{0.3, 0.65} {
			c := Config{Scene: Walk, Dim: dim, Targets: 1500, Frames: 30, Step: ratio, Spread: 3, Interval: 0.5}
			s := simulate(t, c)
			if s.Truth[0].Vel != nil || s.Scans[0].Vel != nil {
				t.Fatal("Brownian particles have velocities")
			}
			var steps []float64
			var before, product, square, far float64
			n := 0.0
			for i := range s.Truth {
				k := &s.Truth[i]
				for h := 1; h < len(k.Hits); h++ {
					steps = append(steps, distance(k.At(h), k.At(h-1)))
					dx := k.At(h)[0] - k.At(h - 1)[0]
					if h > 1 {
						product += before * dx
					}
					square += dx * dx
					before = dx
					n++
				}
				far += (k.At(4)[0] - k.At(0)[0]) * (k.At(4)[0] - k.At(0)[0]) / float64(c.Targets)
			}
			slices.Sort(steps)
			// Walls and the edge of the scene add some percent.
			got := steps[len(steps)/2] / nearestNeighbour(s.Scans[20].Pos, dim)
			near(t, fmt.Sprintf("dim %d: ratio", dim), got, ratio, 0.05*ratio)
			near(t, "correlation of consecutive steps", product/square, 0, 0.06)
			near(t, "growth in four steps", far/(square/n), 4, 0.7)
			for _, x := range s.Scans[29].Pos {
				if side := sceneSize(&s.Config); x < 0 || x > side {
					t.Fatalf("a particle at %g, outside 0…%g", x, side)
				}
			}
		}
	}
}

// Steps of uneven intervals are as large as these say.
func TestWalkUneven(t *testing.T) {
	s := simulate(t, Config{Scene: Walk, Targets: 3000, Frames: 12, Uneven: 0.7, Spread: 50})
	for f := 1; f < len(s.Scans); f++ {
		sum := 0.0
		for i := range s.Truth {
			d := s.Truth[i].At(f)[1] - s.Truth[i].At(f - 1)[1]
			sum += d * d / 3000
		}
		dt := s.Scans[f].Time - s.Scans[f-1].Time
		near(t, fmt.Sprintf("frame %d: variance over time", f), sum/dt/math.Pow(s.Config.stepSize(), 2), 1, 5*math.Sqrt(2./3000))
	}
}

// Velocities of Ornstein and Uhlenbeck: their variance stays, they forget at the rate that
// was asked for, and positions are their integral: the variance of a displacement is
// 2s²(θt − 1 + e^(−θt))/θ².
func TestReverting(t *testing.T) {
	for _, theta := range []float64{1e-3, 0.3, 5} {
		const n, v = 20000, 3.0
		s := simulate(t, Config{Scene: Reverting, Targets: n, Frames: 5, Revert: theta, SpeedMin: v, SpeedMax: v, Uneven: 0.5})
		s2 := v * v / 2
		var first, last, both, moved float64
		for i := range s.Truth {
			k := &s.Truth[i]
			a, b := k.Vel[0], k.Vel[2*4]
			first += a * a / n
			last += b * b / n
			both += a * b / n
			moved += math.Pow(k.At(4)[0]-k.At(0)[0], 2) / n
		}
		u := theta * (s.Scans[4].Time - s.Scans[0].Time)
		near(t, "variance at first", first/s2, 1, 5*math.Sqrt(2./n))
		near(t, "variance at last", last/s2, 1, 5*math.Sqrt(2./n))
		near(t, "correlation", both/s2, math.Exp(-u), 5*math.Sqrt(2./n))
		want := 2 * s2 * (u + math.Expm1(-u)) / (theta * theta)
		near(t, "displacement", moved/want, 1, 5*math.Sqrt(2./n))
	}
	for _, u := range []float64{0, 1e-12, 0.3, 0.5, 3, 800, 1e12} {
		near(t, "decay", decay(u), -math.Expm1(-u), 4e-15)
	}
}

// Turns: the velocity turns by rate times time, and positions follow: the chord has the
// direction half way between, and the length of a circle's.
func TestTurnScene(t *testing.T) {
	const n = 4000
	s := simulate(t, Config{Scene: Turn, Targets: n, Frames: 10, TurnStd: 0.3, TurnWalk: 0.05, Interval: 2})
	var first, last float64
	for i := range s.Truth {
		k := &s.Truth[i]
		for h := 1; h < len(k.Hits); h++ {
			a, b := k.Vel[2*h-2:2*h], k.Vel[2*h:2*h+2]
			angle := math.Atan2(a[0]*b[1]-a[1]*b[0], a[0]*b[0]+a[1]*b[1])
			x := []float64{k.At(h)[0] - k.At(h - 1)[0], k.At(h)[1] - k.At(h - 1)[1]}
			chord := math.Hypot(x[0], x[1])
			if math.Abs(angle) < 1.5 { // else it may have been more than half a turn
				if want := length(a) * 2 * math.Sin(angle/2) / (angle / 2); math.Abs(chord-want) > 1e-9*want {
					t.Fatalf("chord %g, want %g", chord, want)
				}
				half := math.Atan2(a[0]*x[1]-a[1]*x[0], a[0]*x[0]+a[1]*x[1])
				near(t, "direction of the chord", half, angle/2, 1e-9)
			}
			if h == 1 {
				first += angle * angle / n
			}
			if h == 9 {
				last += angle * angle / n
			}
		}
	}
	near(t, "deviation of the first turn", math.Sqrt(first), 0.6, 5*0.6/math.Sqrt(2*n))
	want := math.Sqrt(0.36 + 4*0.05*0.05*16)
	near(t, "deviation of the last turn", math.Sqrt(last), want, 5*want/math.Sqrt(2*n))
}

// Billiard balls stay on the table, at their speeds; between walls they fly straight.
func TestBounce(t *testing.T) {
	for _, dim := range []int{2, 3} {
		s := simulate(t, Config{Scene: Bounce, Dim: dim, Targets: 40, Frames: 300, SpeedMax: 3})
		side := sceneSize(&s.Config)
		bounces := 0
		for i := range s.Truth {
			k := &s.Truth[i]
			for h := 1; h < len(k.Hits); h++ {
				for d := range dim {
					x, v, before := k.At(h)[d], k.Vel[h*dim+d], k.Vel[(h-1)*dim+d]
					want := k.At(h - 1)[d] + before
					switch {
					case want < 0:
						want = -want
						bounces++
					case want > side:
						want = 2*side - want
						bounces++
					}
					if x < 0 || x > side || math.Abs(x-want) > 1e-12*side || math.Abs(v) != math.Abs(before) {
						t.Fatalf("from %g with %g to %g, want %g in 0…%g", k.At(h - 1)[d], before, x, want, side)
					}
				}
			}
		}
		if bounces < 500 {
			t.Errorf("only %d bounces", bounces)
		}
	}
	for x, want := range map[float64]float64{-1: 1, 11: 9, 21: 1, -12: 8, 3: 3, 45: 5} {
		if got, _ := fold(x, 10); got != want {
			t.Errorf("fold(%v) = %v, want %v", x, got, want)
		}
	}
}

// The flow has no divergence, the strength that was asked for, and particles in it are
// where it carries them: a finer integration ends at the same places.
func TestFlow(t *testing.T) {
	for _, dim := range []int{2, 3} {
		const n, ratio = 4000, 0.9
		c := Config{Scene: Flow, Dim: dim, Targets: n, Frames: 6, Step: ratio, Spread: 2}
		s := simulate(t, c)
		cfg := s.Config
		w := newWorld(&cfg)
		r := rng.Stream(1, "test/flow")
		const h = 1e-4
		for range 200 {
			x := inBox(r, dim, w.size)
			var div, scale float64
			for d := range dim {
				a, b := x, x
				a[d] -= h
				b[d] += h
				va, vb := w.flow.at(&a, 3), w.flow.at(&b, 3)
				div += (vb[d] - va[d]) / (2 * h)
				scale += math.Abs(vb[d]-va[d]) / (2 * h)
			}
			if math.Abs(div) > 1e-5*(1e-3+scale) {
				t.Fatalf("dim %d: divergence %g of %g at %v", dim, div, scale, x)
			}
		}
		var steps []float64
		entered := 0
		for i := range s.Truth {
			k := &s.Truth[i]
			if k.Hits[0].Frame > 0 {
				entered++
			}
			for h := 1; h < len(k.Hits); h++ {
				steps = append(steps, distance(k.At(h), k.At(h-1)))
			}
		}
		slices.Sort(steps)
		// Edges add some percent to the distances, curved ways take some off the steps.
		near(t, fmt.Sprintf("dim %d: ratio", dim), steps[len(steps)/2]/nearestNeighbour(s.Scans[5].Pos, dim), ratio, 0.08*ratio)
		if entered < 50 {
			t.Errorf("dim %d: only %d particles entered", dim, entered)
		}
		for f := range s.Scans {
			if s.Scans[f].Len() != n {
				t.Fatalf("frame %d has %d particles, want %d", f, s.Scans[f].Len(), n)
			}
		}
		worst := 0.0
		for i := range 200 {
			k := &s.Truth[i]
			if len(k.Hits) < 2 {
				continue
			}
			var x [3]float64
			copy(x[:], k.At(0))
			const fine = 400
			for j := range fine { // midpoints
				dt := cfg.Interval / fine
				v := w.flow.at(&x, float64(j)*dt)
				m := x
				for d := range m {
					m[d] += dt / 2 * v[d]
				}
				v = w.flow.at(&m, float64(j)*dt+dt/2)
				for d := range x {
					x[d] += dt * v[d]
				}
			}
			worst = max(worst, distance(x[:dim], k.At(1)))
		}
		if worst > 1e-3*cfg.stepSize() {
			t.Errorf("dim %d: a step is off by %g", dim, worst)
		}
	}
}

// In frames that stand still, nobody moves; then all go their way.
func TestStill(t *testing.T) {
	for _, k := range Kinds() {
		s := simulate(t, Config{Scene: k, Targets: 5, Frames: 30, Still: 20, Noise: 0.1, VelocityNoise: 0})
		for i := range s.Truth {
			g := &s.Truth[i]
			if g.Hits[0].Frame > 0 { // entered later, in Flow
				continue
			}
			for h := 1; h < 20; h++ {
				if !slices.Equal(g.At(h), g.At(0)) || g.Vel != nil && (g.Vel[2*h] != 0 || g.Vel[2*h+1] != 0) {
					t.Fatalf("%s: target %d moves in frame %d", k, i+1, h)
				}
			}
			if len(g.Hits) > 25 && slices.Equal(g.At(20), g.At(19)) {
				t.Fatalf("%s: target %d does not move in frame 20", k, i+1)
			}
		}
	}
}

// The share of fast targets is exact, and both groups have their speeds.
func TestFast(t *testing.T) {
	for _, share := range []float64{0, 0.25, 0.5, 1} {
		s := simulate(t, Config{Scene: Steer, Targets: 40, Frames: 2, SpeedMin: 0.2, SpeedMax: 0.4, Fast: share, FastMin: 5, FastMax: 10})
		fast := 0
		for i := range s.Truth {
			switch v := length(s.Truth[i].Vel[:2]); {
			case v >= 5-1e-9 && v <= 10+1e-9:
				fast++
			case v < 0.2-1e-9 || v > 0.4+1e-9:
				t.Errorf("speed %g", v)
			}
		}
		if fast != int(40*share) {
			t.Errorf("%d fast targets, want %g", fast, 40*share)
		}
	}
}

// Uneven intervals are uniform in their range, jitter stays in its own; the motion takes
// the time that passed.
func TestTimes(t *testing.T) {
	s := simulate(t, Config{Scene: Bounce, Spread: 1e5, Targets: 3, Frames: 4000, Interval: 2, Uneven: 0.7})
	sum, sum2 := 0.0, 0.0
	for f := 1; f < len(s.Scans); f++ {
		dt := s.Scans[f].Time - s.Scans[f-1].Time
		if dt < 0.6 || dt > 3.4 {
			t.Fatalf("interval %g", dt)
		}
		sum += dt / 3999
		sum2 += (dt - 2) * (dt - 2) / 3999
		if k := &s.Truth[0]; f < 1000 && math.Abs(distance(k.At(f), k.At(f-1))-dt*length(k.Vel[:2])) > 1e-9*(1+k.At(f)[0]) && k.Vel[2*f] == k.Vel[2*f-2] && k.Vel[2*f+1] == k.Vel[2*f-1] {
			t.Fatalf("frame %d: moved by %g in %g s", f, distance(k.At(f), k.At(f-1)), dt)
		}
	}
	near(t, "mean interval", sum, 2, 5*1.4/math.Sqrt(3*3999))
	near(t, "variance of intervals", sum2, 1.4*1.4/3, 0.05)
	s = simulate(t, Config{Targets: 1, Frames: 1000, Interval: 0.5, Jitter: 0.2})
	for f := range s.Scans {
		if off := s.Scans[f].Time - 0.5*float64(f); math.Abs(off) > 0.1 {
			t.Fatalf("frame %d is %g s off", f, off)
		}
	}
}

// Classes are those of the targets but where the sensor says any.
func TestClasses(t *testing.T) {
	const n, confusion = 4, 0.2
	for _, within := range []float64{0, 0.5} {
		s := simulate(t, Config{Scene: Steer, Targets: 400, Frames: 50, Miss: 0.1, Clutter: 10, Classes: n, Confusion: confusion, MergeWithin: within})
		var count [n]float64
		same, links, all, alarms := 0., 0., 0., 0.
		for i := range s.Truth {
			last := int32(0)
			for _, hit := range s.Truth[i].Hits {
				if hit.Det < 0 {
					continue
				}
				class := s.Scans[hit.Frame].Class[hit.Det]
				if count[class-1]++; last > 0 {
					links++
					if class == last {
						same++
					}
				}
				last = class
			}
		}
		for f := range s.Scans {
			for d, clutter := range isClutter(s, f) {
				if clutter {
					all++
					if s.Scans[f].Class[d] == 2 {
						alarms++
					}
				}
			}
		}
		agree := (1-confusion)*(1-confusion) + (1-(1-confusion)*(1-confusion))/n
		near(t, "agreement", same/links, agree, 5*math.Sqrt(agree*(1-agree)/400)) // of targets that are 400
		near(t, "share of a class", count[0]/(count[0]+count[1]+count[2]+count[3]), 1./n, 5*math.Sqrt(1./n*(1-1./n)/400))
		near(t, "share of a class among false alarms", alarms/all, 1./n, 5*math.Sqrt(1./n*(1-1./n)/all))
	}
}

// Features tell targets apart as well as their noise lets them.
func TestFeatures(t *testing.T) {
	const n, sigma = 3, 0.4
	s := simulate(t, Config{Scene: Steer, Targets: 400, Frames: 50, Miss: 0.1, Clutter: 10, Features: n, FeatureNoise: sigma})
	var within, among, count, alarms, alarm2 float64
	for i := range s.Truth {
		var last []float64
		for _, hit := range s.Truth[i].Hits {
			if hit.Det < 0 {
				continue
			}
			feat := s.Scans[hit.Frame].FeatAt(hit.Det)
			if last != nil {
				within += math.Pow(feat[1]-last[1], 2)
				among += feat[0] * feat[0]
				count++
			}
			last = feat
		}
	}
	for f := range s.Scans {
		for d, clutter := range isClutter(s, f) {
			if clutter {
				alarms++
				alarm2 += math.Pow(s.Scans[f].FeatAt(d)[2], 2)
			}
		}
	}
	near(t, "noise", math.Sqrt(within/count/2), sigma, 5*sigma/math.Sqrt(count))
	near(t, "variance of a feature", among/count, 1+sigma*sigma, 5*math.Sqrt(2./400)*1.2)
	near(t, "variance of a false one", alarm2/alarms, 1+sigma*sigma, 5*1.2*math.Sqrt(2/alarms))
}

// Cells divide at the ages that are said: a cell has two daughters or none, which begin in the
// frame after its last, as far from each other as it was old, around where it goes; the others
// wander as particles do.
func TestCells(t *testing.T) {
	for _, dim := range []int{2, 3} {
		c := Config{Scene: Cells, Dim: dim, Targets: 300, Frames: 60, Cycle: 15, Apart: 0.8, Step: 0.3, Spread: 4}
		s := simulate(t, c)
		daughters := make(map[int][]int)
		for i := range s.Truth {
			if p := s.Truth[i].Parent; p != 0 {
				daughters[p] = append(daughters[p], i)
			}
		}
		var apart, ages, centre, steps, n, whole float64
		for p, list := range daughters {
			mother := &s.Truth[p-1]
			last := len(mother.Hits) - 1
			if len(list) != 2 {
				t.Fatalf("cell %d has %d daughters", p, len(list))
			}
			a, b := &s.Truth[list[0]], &s.Truth[list[1]]
			if a.Hits[0].Frame != mother.Hits[last].Frame+1 || b.Hits[0] == a.Hits[0] || b.Hits[0].Frame != a.Hits[0].Frame {
				t.Fatalf("cell %d ends at %v, its daughters begin at %v and %v", p, mother.Hits[last], a.Hits[0], b.Hits[0])
			}
			apart += distance(a.At(0), b.At(0))
			for k := range dim {
				d := (a.At(0)[k]+b.At(0)[k])/2 - mother.At(last)[k]
				centre += d * d / float64(dim)
			}
			n++
			if mother.Parent != 0 {
				ages += float64(len(mother.Hits))
				whole++
			}
		}
		square := 0.0
		for i := range s.Truth {
			k := &s.Truth[i]
			for h := 1; h < len(k.Hits); h++ {
				dx := k.At(h)[0] - k.At(h - 1)[0]
				square += dx * dx
				steps++
			}
		}
		// Walls throw some back. Of cells whose whole life is seen, the short are more.
		near(t, "distance of daughters", apart/n, 0.8, 0.04)
		near(t, "variance of their centre over that of a step", centre/n/(square/steps), 1, 0.12)
		near(t, "age at division", ages/whole, 15, 0.6)
		near(t, "cells in the end", float64(s.Scans[59].Len()), 300*16, 300*16*0.15)
	}
}
