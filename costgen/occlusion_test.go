package costgen_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/costgen"
	"mtt/motion"
)

// This file tests what is learnt of targets behind others.

// queue is a picture in which people pass one who stands in front, at 2 px a frame, one after the
// other, from left to right; somebody of whose box a share above the given one is covered is missed
// with probability miss, else with rarely. Tracks end where people vanish for longer than longest
// frames, and others begin where they come back.
func queue(rng *rand.Rand, above, miss, rarely float64, longest int) (scans []mtt.Scan, tracks []mtt.Track) {
	const frames, people = 900, 30
	scans = make([]mtt.Scan, frames)
	for t := range scans {
		// The one in front: from 170 to 230, and ends lower.
		scans[t] = mtt.Scan{Frame: t, Time: float64(t), Dim: 2, Pos: []float64{200, 160}, Size: []float64{60, 200}, Conf: []float64{1}}
	}
	front := mtt.Track{Dim: 2}
	for t := range scans {
		front.Append(&scans[t], 0)
	}
	tracks = append(tracks, front)
	for p := range people {
		tr := mtt.Track{Dim: 2}
		for x, t := 100.0, 20*p; x < 300 && t < frames; x, t = x+2, t+1 {
			cover := max(0, min(x+20, 230)-max(x-20, 170)) / 40
			if p := rng.Float64(); cover > above && p < miss || p < rarely {
				continue
			}
			s := &scans[t]
			s.Pos, s.Size, s.Conf = append(s.Pos, x, 150), append(s.Size, 40, 160), append(s.Conf, 1)
			if n := len(tr.Hits); n > 0 && t-tr.Hits[n-1].Frame > longest {
				tracks, tr = append(tracks, tr), mtt.Track{Dim: 2}
			}
			tr.Append(s, s.Len()-1)
		}
		tracks = append(tracks, tr)
	}
	return scans, tracks
}

func queueLevels() *costgen.Levels {
	return &costgen.Levels{
		Sigma: 1, SpeedStd: 3, Accel: 0.05, Motion: motion.Velocity{}, Dim: 2, Interval: 1, PositionsOnly: true,
		Rates: costgen.Rates{Detect: 0.95, Hidden: 0.3, Survive: 0.98, Births: 0.1, Targets: 3, Clutter: 0.1, Volume: 1e5},
	}
}

// value is what a function says of a cover.
func value(f []costgen.Rise, cover float64) (miss float64) {
	for _, r := range f {
		if r.At <= cover {
			miss = r.Miss
		}
	}
	return miss
}

// TestFitOcclusion: how often somebody is missed who is covered is found within .1, whether tracks
// go on behind others or break there.
func TestFitOcclusion(t *testing.T) {
	for _, longest := range []int{1000, 3} {
		for seed := range uint64(3) {
			scans, tracks := queue(rand.New(rand.NewPCG(seed, 7)), 0.6, 0.9, 0.02, longest)
			o := costgen.FitOcclusion(queueLevels(), scans, tracks)
			for _, f := range [][]costgen.Rise{o.First, o.Again} {
				for k := 1; k < len(f); k++ {
					if f[k].At <= f[k-1].At || f[k].Miss < f[k-1].Miss {
						t.Errorf("seed %d: falls: %v", seed, f)
					}
				}
			}
			for _, c := range []struct {
				of          string
				f           []costgen.Rise
				cover, want float64
			}{{"first", o.First, 0, 0.02}, {"first", o.First, 0.55, 0.02}, {"first", o.First, 0.95, 0.9}, {"again", o.Again, 0.95, 0.9}} {
				if got := value(c.f, c.cover); math.Abs(got-c.want) > 0.1 {
					t.Errorf("tracks that break after %d misses, seed %d: %s at cover %v: missed with probability %.3f, want %v", longest, seed, c.of, c.cover, got, c.want)
				}
			}
		}
	}
}

// TestFitOcclusionNot: without boxes, with positions in space, and with several sensors there is
// nothing to learn.
func TestFitOcclusionNot(t *testing.T) {
	change := map[string]func(m *costgen.Levels, s *mtt.Scan){
		"points":  func(_ *costgen.Levels, s *mtt.Scan) { s.Size = nil },
		"sensors": func(m *costgen.Levels, _ *mtt.Scan) { m.Sensing = &costgen.Sensing{} },
	}
	for name, change := range change {
		m := queueLevels()
		scans, tracks := queue(rand.New(rand.NewPCG(1, 7)), 0.6, 0.9, 0.02, 3)
		change(m, &scans[5])
		if o := costgen.FitOcclusion(m, scans, tracks); o != nil {
			t.Errorf("%s: learnt %v", name, o)
		}
	}
}

// TestBoxRun: a run of misses in the open costs what rates say, if that is what was learnt; behind
// somebody whose box ends lower each frame costs what its cover says, and behind one whose box ends
// higher, or who is likelier false, it does not.
func TestBoxRun(t *testing.T) {
	m := queueLevels()
	r := &m.Rates
	m.Occlusion = &costgen.Occlusion{
		First: []costgen.Rise{{Miss: 1 - r.Detect}, {At: 0.5, Miss: 0.8}}, Again: []costgen.Rise{{Miss: r.Hidden}, {At: 0.5, Miss: 0.9}}, Least: 0.3,
	}
	open := []float64{1 - r.Detect, r.Hidden, r.Hidden}
	for _, c := range []struct {
		what          string
		x, bottom, cf float64 // of another box, as wide and high as that of the target, in all three frames between
		miss          []float64
	}{
		{"nobody near", 1000, 200, 1, open},
		{"behind", 100, 101, 1, []float64{0.8, 0.9, 0.9}},
		{"in front", 100, 99, 1, open},
		{"a doubtful box", 100, 101, 0.2, open},
		{"less and less", 75, 101, 1, []float64{0.8, r.Hidden, r.Hidden}}, // the middle of the target is at 90, 100, 110
	} {
		scans := make([]mtt.Scan, 5)
		for k := range scans {
			scans[k] = mtt.Scan{Frame: k, Time: float64(k), Dim: 2, Pos: []float64{c.x, c.bottom - 30}, Size: []float64{40, 60}, Conf: []float64{c.cf}}
		}
		scans[0].Pos, scans[4].Pos = []float64{80, 70}, []float64{120, 70}
		want := -4*math.Log(r.Survive) - math.Log(1-r.Hidden)
		for _, p := range c.miss {
			want -= math.Log(p)
		}
		got := m.BoxRun(scans, 0, 0, math.Inf(1))
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: a run of 3 costs %v, want %v", c.what, got, want)
		}
		if c.what == "nobody near" && math.Abs(got-r.MissRun(3)) > 1e-12 {
			t.Errorf("in the open a run of 3 costs %v, by rates %v", got, r.MissRun(3))
		}
		for _, most := range []float64{0, got / 2, got, got + 1} {
			if part := m.BoxRun(scans, 0, 0, most); part > got || part < min(most, got) {
				t.Errorf("%s: a run of 3 costs %v, where %v is enough %v", c.what, got, most, part)
			}
		}
		if least := m.LeastRun(3); least > got+1e-12 || c.what == "behind" && math.Abs(least-got) > 1e-12 {
			t.Errorf("%s: a run of 3 costs %v, at least %v", c.what, got, least)
		}
	}
}
