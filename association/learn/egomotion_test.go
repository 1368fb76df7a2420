package learn

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/costgen"
)

// wandering are scans at uneven times of n targets on straight lines, seen from a path, and their
// tracks. Every eighth detection is missing.
func wandering(seed uint64, n, frames int, path func(t int) [2]float64) (scans []mtt.Scan, tracks []mtt.Track) {
	r := rand.New(rand.NewPCG(seed, 0))
	pos, vel := make([][2]float64, n), make([][2]float64, n)
	for i := range n {
		for x := range 2 {
			pos[i][x], vel[i][x] = 100*r.Float64(), 3*r.NormFloat64()
		}
	}
	tracks = make([]mtt.Track, n)
	time := 0.0
	for t := range frames {
		s := mtt.Scan{Frame: 3 * t, Time: time, Dim: 2}
		for i := range n {
			tracks[i].ID, tracks[i].Dim = i+1, 2
			if r.IntN(8) == 0 {
				continue
			}
			at := path(t)
			s.Pos = append(s.Pos, pos[i][0]+vel[i][0]*time+at[0], pos[i][1]+vel[i][1]*time+at[1])
			tracks[i].Append(&s, s.Len()-1)
		}
		scans = append(scans, s)
		time += 0.5 + r.Float64()
	}
	return scans, tracks
}

// off is how far shifts are from a path at most, but for a straight line.
func off(s *costgen.Shifts, scans []mtt.Scan, path func(t int) [2]float64) (worst float64) {
	d := &costgen.Shifts{Dim: 2, Frames: s.Frames, Pos: append([]float64(nil), s.Pos...)}
	for t := range scans {
		for x, v := range path(t) {
			d.Pos[2*t+x] -= v
		}
	}
	level(d, scans)
	for _, v := range d.Pos {
		worst = max(worst, math.Abs(v))
	}
	return worst
}

// shaken is white, with a step of its own in each frame.
func shaken(size float64) func(t int) [2]float64 {
	return func(t int) [2]float64 {
		r := rand.New(rand.NewPCG(uint64(t), 7))
		return [2]float64{size * r.NormFloat64(), size * r.NormFloat64()}
	}
}

// TestShiftsOf has the shifts of targets on straight lines, which tell them exactly.
func TestShiftsOf(t *testing.T) {
	for seed := range uint64(20) {
		path := shaken(5)
		scans, tracks := wandering(seed, 15, 40, path)
		all := bends(scans, tracks, 2, false)
		if !moves(all, 2) {
			t.Fatal("the sensor stands still")
		}
		if d := off(shiftsOf(scans, tracks, all, 2, false), scans, path); d > 0.03 { // some of which is that the sensor goes on where few see it
			t.Errorf("seed %d: shifts are off by %v m", seed, d)
		}
	}
}

// TestStandsStill has noise of targets that know nothing of each other: no motion.
func TestStandsStill(t *testing.T) {
	for seed := range uint64(50) {
		scans, tracks := wandering(seed, 12, 30, func(int) [2]float64 { return [2]float64{} })
		r := rand.New(rand.NewPCG(seed, 1))
		for i := range tracks {
			for k := range tracks[i].Pos {
				tracks[i].Pos[k] += 0.3 * r.NormFloat64()
			}
		}
		if moves(bends(scans, tracks, 2, false), 2) {
			t.Errorf("seed %d: the sensor moves", seed)
		}
	}
}

// TestSought finds the shift of a scan in which no track found its detection.
func TestSought(t *testing.T) {
	path := func(t int) [2]float64 {
		if t == 7 {
			return [2]float64{40, -30}
		}
		return [2]float64{}
	}
	scans, tracks := wandering(1, 20, 15, path)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range tracks {
		tr := &tracks[i]
		whole := *tr
		tr.Hits, tr.Pos = nil, nil
		for h, hit := range whole.Hits {
			if hit.Frame != scans[7].Frame {
				tr.Hits, tr.Pos = append(tr.Hits, hit), append(tr.Pos, whole.At(h)...)
			}
		}
		for k := range tr.Pos {
			tr.Pos[k] += 1e-3 * r.NormFloat64() // without noise places agree to the last bit
		}
	}
	all := bends(scans, tracks, 2, false)
	if got := off(shiftsOf(scans, tracks, all, 2, false), scans, path); got > 0.1 {
		t.Errorf("shifts are off by %v m", got)
	}
	if got := len(sought(scans, tracks, all, 2)); got != 1 {
		t.Errorf("%d scans were sought, want 1", got)
	}
}

// TestStitched joins tracks that all break where the sensor jumps and goes on in another direction.
func TestStitched(t *testing.T) {
	path := func(t int) [2]float64 { return [2]float64{} }
	scans, tracks := wandering(2, 20, 20, path)
	path = func(t int) [2]float64 {
		if t < 9 {
			return [2]float64{}
		}
		dt := scans[t].Time - scans[9].Time
		return [2]float64{25 + 2*dt, -10 - dt}
	}
	var halves []mtt.Track
	for _, tr := range tracks {
		for half := range 2 {
			h := mtt.Track{ID: len(halves) + 1, Dim: 2}
			for k, hit := range tr.Hits {
				if (hit.Frame >= scans[9].Frame) == (half == 1) {
					d := path(hit.Frame / 3)
					h.Hits, h.Pos = append(h.Hits, hit), append(h.Pos, tr.At(k)[0]+d[0], tr.At(k)[1]+d[1])
				}
			}
			halves = append(halves, h)
		}
	}
	for u := range scans {
		for k := range scans[u].Pos {
			scans[u].Pos[k] += path(u)[k%2]
		}
	}
	if !confused(scans, halves, &costgen.Levels{Dim: 2, Rates: costgen.Rates{Volume: 1e4}}) {
		t.Error("that all tracks break says nothing")
	}
	s := stitched(scans, halves, 0.5, 2)
	if s == nil {
		t.Fatal("tracks stay broken")
	}
	if d := off(s, scans, path); d > 1e-6 {
		t.Errorf("shifts are off by %v m", d)
	}
}

// TestLastLeftOut finds where the sensor is in a first or last scan that all tracks leave out, as
// it is far from where it should be; where nothing was detected in it nothing is amiss.
func TestLastLeftOut(t *testing.T) {
	for _, out := range []int{0, 19} {
		path := func(t int) [2]float64 {
			if t == out {
				return [2]float64{25, -10}
			}
			return [2]float64{}
		}
		scans, tracks := wandering(2, 20, 20, path)
		for i := range tracks {
			tr := &tracks[i]
			switch last := len(tr.Hits) - 1; scans[out].Frame {
			case tr.Hits[0].Frame:
				tr.Hits, tr.Pos = tr.Hits[1:], tr.Pos[2:]
			case tr.Hits[last].Frame:
				tr.Hits, tr.Pos = tr.Hits[:last], tr.Pos[:2*last]
			}
		}
		levels := &costgen.Levels{Dim: 2, Rates: costgen.Rates{Volume: 1e4}}
		if !confused(scans, tracks, levels) {
			t.Errorf("that no track has scan %d says nothing", out)
		}
		s := stitched(scans, tracks, 0.5, 2)
		if s == nil {
			t.Fatalf("scan %d stays out", out)
		}
		if d := off(s, scans, path); d > 0.1 {
			t.Errorf("shifts are off by %v m", d)
		}
		scans[out].Pos = nil
		if confused(scans, tracks, levels) {
			t.Errorf("empty scan %d confuses", out)
		}
	}
}

// TestRegistered finds the jump of a sensor that sees slow targets, with no tracks; and none of one
// that stands still.
func TestRegistered(t *testing.T) {
	for _, jump := range []float64{0, 60} {
		path := func(t int) [2]float64 {
			if t < 6 {
				return [2]float64{}
			}
			return [2]float64{jump, jump / 2}
		}
		scans, _ := wandering(3, 40, 12, path)
		for u := range scans { // nobody gets far
			for k := range scans[u].Pos {
				scans[u].Pos[k] -= path(u)[k%2]
			}
		}
		slow, _ := wandering(3, 40, 1, path)
		for u := range scans {
			scans[u].Pos = nil
			for k, v := range slow[0].Pos {
				scans[u].Pos = append(scans[u].Pos, v+0.2*math.Sin(float64(3*k+u*u))+path(u)[k%2])
			}
		}
		s, err := registered(t.Context(), scans, 2)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case jump == 0 && s != nil:
			t.Error("a sensor that stands still jumps")
		case jump > 0 && s == nil:
			t.Error("a jump is not found")
		case jump > 0:
			if d := off(s, scans, path); d > 0.5 {
				t.Errorf("shifts are off by %v m", d)
			}
		}
	}
}

// TestSteps has the shifts of targets that walk, a straight line among them, and none of a sensor
// that stands still.
func TestSteps(t *testing.T) {
	for seed := range uint64(20) {
		shake := shaken(1)
		for name, path := range map[string]func(t int) [2]float64{
			"drift": func(t int) [2]float64 {
				s := shake(t)
				return [2]float64{s[0] + 0.7*float64(t), s[1] - 0.4*float64(t)}
			},
			"rest": func(int) [2]float64 { return [2]float64{} },
		} {
			r := rand.New(rand.NewPCG(seed, 3))
			tracks := make([]mtt.Track, 30)
			scans := make([]mtt.Scan, 40)
			var pos [30][2]float64
			for f := range scans {
				s, at := &scans[f], path(f)
				*s = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
				for i := range tracks {
					tracks[i].ID, tracks[i].Dim = i+1, 2
					for x := range 2 {
						pos[i][x] += r.NormFloat64()
					}
					if r.IntN(8) > 0 {
						s.Pos = append(s.Pos, pos[i][0]+at[0], pos[i][1]+at[1])
						tracks[i].Append(s, s.Len()-1)
					}
				}
			}
			all := bends(scans, tracks, 2, true)
			if got, want := moves(all, 2), name == "drift"; got != want {
				t.Errorf("seed %d, %s: a sensor that moves: %t", seed, name, got)
			}
			// Medians of 26 steps of deviation 1 are off by a quarter, which adds up.
			s, a, b := shiftsOf(scans, tracks, all, 2, true), path(0), path(39)
			for x := range 2 {
				if d := s.At(39)[x] - s.At(0)[x] - (b[x] - a[x]); math.Abs(d) > 4*0.25*math.Sqrt(39) {
					t.Errorf("seed %d, %s: the shifts of the last scan are %v off those of the first", seed, name, d)
				}
			}
		}
	}
}

// TestStraighter tells targets on straight lines from those that walk by the tracks, whatever carries them.
func TestStraighter(t *testing.T) {
	for seed := range uint64(20) {
		scans, tracks := wandering(seed, 20, 30, shaken(1))
		r := rand.New(rand.NewPCG(seed, 5))
		for _, walk := range []bool{false, true} {
			for i := range tracks {
				var at [2]float64
				for k := range tracks[i].Pos {
					if at[k%2] += 3 * r.NormFloat64(); walk {
						tracks[i].Pos[k] = at[k%2] + float64(k)
					}
				}
			}
			steps, turns := typical(bends(scans, tracks, 2, true)), typical(bends(scans, tracks, 2, false))
			if got := straighter*turns < steps; got == walk {
				t.Errorf("seed %d, targets walk: %t, variance of steps %v, of bends %v", seed, walk, steps, turns)
			}
		}
	}
}
