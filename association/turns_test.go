package association

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
	"mtt/metrics"
)

// TestByTurns: targets of which a sensor sees every second are said to be followed two scans later,
// and neither those that are missed at random nor false alarms are, nor two of many.
func TestByTurns(t *testing.T) {
	for _, c := range []struct {
		what  string
		later int
		loose int // targets that no track has
		seen  func(r *rand.Rand, frame, target int) bool
	}{
		{"by turns", 2, 30, func(_ *rand.Rand, f, i int) bool { return (f+i)%2 == 0 }},
		{"three turns", 3, 30, func(_ *rand.Rand, f, i int) bool { return (f+i)%3 == 0 }},
		{"always", 0, 0, func(*rand.Rand, int, int) bool { return true }},
		{"at random", 0, 0, func(r *rand.Rand, _, _ int) bool { return r.IntN(2) == 0 }},
		{"never", 0, 0, func(*rand.Rand, int, int) bool { return false }},
		{"two by turns", 0, 2, func(_ *rand.Rand, f, i int) bool { return i > 1 || (f+i)%2 == 0 }},
	} {
		r := rand.New(rand.NewPCG(2, 9))
		var scans []mtt.Scan
		var x, y [30]float64
		for i := range x {
			x[i], y[i] = 100*r.Float64(), 100*r.Float64()
		}
		tracks := make([]mtt.Track, 30)
		for f := range 40 {
			s := mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			for range 3 {
				s.Pos = append(s.Pos, 100*r.Float64(), 100*r.Float64())
			}
			for i := range tracks {
				if c.seen(r, f, i) {
					s.Pos = append(s.Pos, x[i]+0.3*float64(f)+0.1*r.NormFloat64(), y[i]+0.1*r.NormFloat64())
					if tracks[i].Dim = 2; i >= c.loose {
						tracks[i].Append(&s, s.Len()-1)
					}
				}
			}
			scans = append(scans, s)
		}
		if later, n := byTurns(scans, tracks, nil); (n > 0) != (c.later > 0) || n > 0 && later != c.later {
			t.Errorf("%s: followed %d scans later, %.0f of them", c.what, later, n)
		}
	}
}

// TestFlooded: false alarms by the hundred in a few scans are no targets seen by turns.
func TestFlooded(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 4))
		var scans []mtt.Scan
		tracks := []mtt.Track{{ID: 1, Dim: 2}}
		for f := range 80 {
			s := mtt.Scan{Frame: f, Time: float64(f), Dim: 2, Pos: []float64{50 + 0.3*float64(f), 50}}
			tracks[0].Append(&s, 0)
			alarms := r.IntN(3)
			if f == 20 || f == 23 || f == 61 || f == 64 {
				alarms = 150
			}
			for range alarms {
				s.Pos = append(s.Pos, 100*r.Float64(), 100*r.Float64())
			}
			scans = append(scans, s)
		}
		if later, n := byTurns(scans, tracks, nil); n > 0 {
			t.Errorf("seed %d: %.0f of %d false alarms are followed %d scans later", seed, n, alone(scans, tracks), later)
		}
	}
}

// TestTurnsLearnt: targets of which a sensor sees every second or third, by turns, are tracked with
// nothing said, as those that it always sees are; whether there are as many in each turn or not.
func TestTurnsLearnt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		targets, turn int
		seed          uint64
	}{
		{10, 3, 4}, // 4, 3, 3, 4, … detections
		{24, 2, 1},
		{24, 3, 2},
		{24, 2, 5}, // of each turn some lie beside those of the other
	} {
		r := rand.New(rand.NewPCG(c.seed, 7))
		x, y, vx, vy := make([]float64, c.targets), make([]float64, c.targets), make([]float64, c.targets), make([]float64, c.targets)
		for i := range x {
			x[i], y[i], vx[i], vy[i] = 80*r.Float64(), 80*r.Float64(), 0.5*r.NormFloat64(), 0.5*r.NormFloat64()
			if c.seed == 5 && i%2 == 1 && i < 12 {
				x[i], y[i], vx[i], vy[i] = x[i-1]+1, y[i-1]+1, vx[i-1], vy[i-1]
			}
		}
		var scans []mtt.Scan
		truth := make([]mtt.Track, c.targets)
		for f := range 30 {
			s := mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			for i := f % c.turn; i < c.targets; i += c.turn {
				truth[i].ID, truth[i].Dim = i+1, 2
				s.Pos = append(s.Pos, x[i]+0.1*r.NormFloat64(), y[i]+0.1*r.NormFloat64())
				truth[i].Append(&s, s.Len()-1)
			}
			for i := range x {
				vx[i], vy[i] = vx[i]+0.05*r.NormFloat64(), vy[i]+0.05*r.NormFloat64()
				x[i], y[i] = x[i]+vx[i], y[i]+vy[i]
			}
			scans = append(scans, s)
		}
		res, err := Track(t.Context(), scans, &Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		score, err := metrics.Score(truth, res.Tracks, &metrics.Options{Only: metrics.Links})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Tracks) != c.targets || score.MMEP > 3 || len(res.Warnings) > 0 {
			t.Errorf("%d tracks of %d targets by turns of %d, %.3g %% of the links wrong, warnings %q", len(res.Tracks), c.targets, c.turn, score.MMEP, res.Warnings)
		}
	}
}

// TestFloodsNamed: the frames that false alarms flood are named, and nothing that lies in them is
// taken for targets seen by turns; of even ones none is.
func TestFloodsNamed(t *testing.T) {
	for seed := range uint64(5) {
		for _, flood := range []int{0, 150} {
			r := rand.New(rand.NewPCG(seed, 4))
			var scans []mtt.Scan
			var want []int
			for f := range 80 {
				s := mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
				n := r.IntN(4)
				if f%9 == 3 || f%9 == 6 {
					if n += flood; flood > 0 {
						want = append(want, f)
					}
				}
				for range n {
					s.Pos = append(s.Pos, 300*r.Float64(), 200*r.Float64())
				}
				scans = append(scans, s)
			}
			if frames, most, usual := floods(scans); !slices.Equal(frames, want) || flood > 0 && (most < flood || usual > 3) {
				t.Errorf("seed %d: frames %v with up to %d, others with %d, are flooded; want %v", seed, frames, most, usual, want)
			}
			if later, n := byTurns(scans, nil, nil); n > 0 {
				t.Errorf("seed %d: %.0f are followed %d scans later", seed, n, later)
			}
		}
	}
	if got := listed([]int{1, 2, 3, 4, 5, 6, 7, 9}); got != "1, 2, 3, 4, 5, 6 and 2 more" {
		t.Errorf("listed %q", got)
	}
}

// TestSeldomTurn: thirty targets that come and go, five of which turn once, far from the others.
// Turns had to add .02 nat for each detection, and a track ended at each of these.
func TestSeldomTurn(t *testing.T) {
	t.Parallel()
	const targets, scansN, lives, side = 30, 120, 70, 150.0
	rng := rand.New(rand.NewPCG(7, 31))
	scans := make([]mtt.Scan, scansN)
	for f := range scans {
		scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
	}
	for i := range targets {
		x, y, way := side*rng.Float64(), side*rng.Float64(), 2*math.Pi*rng.Float64()
		first := rng.IntN(scansN - lives)
		for f := first; f < first+lives; f++ {
			if i%6 == 0 && f == first+lives/2 {
				way += 2
			}
			if rng.IntN(20) > 0 {
				scans[f].Pos = append(scans[f].Pos, x+0.1*rng.NormFloat64(), y+0.1*rng.NormFloat64())
			}
			x, y, way = x+0.6*math.Cos(way), y+0.6*math.Sin(way), way+0.01*rng.NormFloat64()
		}
	}
	res, err := Track(t.Context(), scans, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Tracks) != targets {
		t.Errorf("%d targets are %d tracks, with turns of %v", targets, len(res.Tracks), res.Levels.ManoeuvreProb)
	}
}
