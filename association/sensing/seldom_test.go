package sensing_test

// This file tracks targets that are missed more often than detected.

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/association/chain/chaintest"
)

// TestSeldomSeen: a sensor that looks in every first to fourth scan, and says nothing in the
// others, makes a miss after a detection likelier than a detection; links over misses then cost
// less than links without, and are made all the same.
func TestSeldomSeen(t *testing.T) {
	t.Parallel()
	const targets = 3
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 8))
		var x, v [targets][2]float64
		for i := range x {
			x[i], v[i] = [2]float64{60 * rng.Float64(), 60 * rng.Float64()}, [2]float64{rng.NormFloat64(), rng.NormFloat64()}
		}
		scans := make([]mtt.Scan, 90)
		seen := 0
		for f, next := 0, 0; f < len(scans); f++ {
			s := &scans[f]
			*s = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			for i := range x {
				for k := range v[i] {
					v[i][k] += .05 * rng.NormFloat64()
					x[i][k] += v[i][k]
				}
				if f == next && rng.IntN(20) > 0 {
					s.Pos = append(s.Pos, x[i][0]+.2*rng.NormFloat64(), x[i][1]+.2*rng.NormFloat64())
					seen++
				}
			}
			if f == next {
				next += 1 + rng.IntN(4)
			}
		}
		res, err := association.Track(t.Context(), scans, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Tracks) > targets+1 || res.LeftOut > seen/20 {
			t.Errorf("seed %d: %d targets are %d tracks, %d of %d detections are left out; detected %.2f, missed again %.2f",
				seed, targets, len(res.Tracks), res.LeftOut, seen, res.Levels.Rates.Detect, res.Levels.Rates.Hidden)
		}
	}
}

// TestReportsOneByOne: ships report every five to fifteen seconds, each at times of its own, in
// scans of one second. Next to no report is followed by one of the same ship in the next scan. Of
// four ships most scans hold one or none.
func TestReportsOneByOne(t *testing.T) {
	t.Parallel()
	const seconds, noise = 200, 3.0
	for k := range 4 {
		vel, ships := k%2 == 0, []int{20, 4}[k/2]
		rng := rand.New(rand.NewPCG(7, 8))
		scans := make([]mtt.Scan, seconds)
		for f := range scans {
			scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
		}
		for range ships {
			x, v := [2]float64{2e4 * rng.Float64(), 2e4 * rng.Float64()}, [2]float64{5 * rng.NormFloat64(), 5 * rng.NormFloat64()}
			every := 6 + 7*rng.Float64()
			for at := every * rng.Float64(); at < seconds; at += every * (.9 + .2*rng.Float64()) {
				s := &scans[int(at)]
				for k := range x {
					s.Pos = append(s.Pos, x[k]+v[k]*s.Time+noise*rng.NormFloat64())
					if vel {
						s.Vel = append(s.Vel, v[k]+.05*rng.NormFloat64())
					}
				}
			}
		}
		res, err := association.Track(t.Context(), scans, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(res.Tracks); n != ships || res.LeftOut > 0 || res.Levels.Sigma > 2*noise {
			t.Errorf("velocities %v: %d ships are %d tracks, %d reports are left out, noise %.3g", vel, ships, n, res.LeftOut, res.Levels.Sigma)
		}
	}
}

// TestReportsInTurn: ships report every twenty seconds, each always at the same second of these, so
// that the same ones come one after another.
func TestReportsInTurn(t *testing.T) {
	t.Parallel()
	const ships, every, rounds = 15, 20, 40
	rng := rand.New(rand.NewPCG(9, 8))
	scans := make([]mtt.Scan, every*rounds)
	for f := range scans {
		scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
	}
	for i := range ships {
		x, v := [2]float64{2e4 * rng.Float64(), 2e4 * rng.Float64()}, [2]float64{8 * rng.NormFloat64(), 8 * rng.NormFloat64()}
		for f := i * 37 % 11; f < len(scans); f += every {
			if s := &scans[f]; rng.IntN(20) > 0 {
				s.Pos = append(s.Pos, x[0]+v[0]*s.Time+10*rng.NormFloat64(), x[1]+v[1]*s.Time+10*rng.NormFloat64())
			}
		}
	}
	res, err := association.Track(t.Context(), scans, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(res.Tracks); n != ships || res.LeftOut > ships || res.Levels.Sigma > 20 {
		t.Errorf("%d ships are %d tracks, %d reports are left out, noise %.3g", ships, n, res.LeftOut, res.Levels.Sigma)
	}
}

// TestReportsFarApart: ships report every twenty to forty seconds, in scans of one second: links
// pass over that many scans, which most of the links of other scenes never do.
func TestReportsFarApart(t *testing.T) {
	const seconds, ships, noise, side = 600, 16, 3.0, 4000
	for _, seed := range []uint64{1} {
		rng := rand.New(rand.NewPCG(seed, 21))
		scans := make([]mtt.Scan, seconds)
		who := make([][]int, seconds)
		for f := range scans {
			scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
		}
		reports := 0
		for ship := range ships {
			x, v := [2]float64{side * rng.Float64(), side * rng.Float64()}, [2]float64{5 * rng.NormFloat64(), 5 * rng.NormFloat64()}
			every := 20 + 20*rng.Float64()
			for at := every * rng.Float64(); at < seconds; at += every * (.9 + .2*rng.Float64()) {
				f := int(at)
				for k := range x {
					scans[f].Pos = append(scans[f].Pos, x[k]+v[k]*scans[f].Time+noise*rng.NormFloat64())
				}
				who[f] = append(who[f], ship)
				reports++
			}
		}
		res, err := association.Track(t.Context(), scans, nil)
		if err != nil {
			t.Fatal(err)
		}
		right, _ := chaintest.Right(res.Tracks, who)
		if links := reports - ships; 10*right < 9*links {
			t.Errorf("seed %d: %d tracks of %d ships have %d of their %d links; noise %.3g", seed, len(res.Tracks), ships, right, links, res.Levels.Sigma)
		}
	}
}

// TestReportsAlone: ships report some ten seconds apart, at random, each at a time of its own and
// so in a scan of its own, which passes for one target in all scans; or two reports in some scans.
// Of harbours some ships stand.
func TestReportsAlone(t *testing.T) {
	t.Parallel()
	const ships, noise = 40, 10.0
	for _, grid := range []float64{0, 0.5} { // s, to which times are rounded; 0: none
		rng := rand.New(rand.NewPCG(3, 22))
		scans, of := chaintest.Reports(rng, ships, 300, noise, grid, func(k int) chaintest.Ship {
			s := chaintest.Ship{At: [2]float64{2e4 * rng.Float64(), 2e4 * rng.Float64()}, Speed: [2]float64{6 * rng.NormFloat64(), 6 * rng.NormFloat64()}}
			if k%5 == 0 {
				s.At, s.Speed = [2]float64{9e3 + 200*float64(k/5), 1e4}, [2]float64{}
			}
			s.First, s.Wait = 10*rng.Float64(), func() float64 { return 2 + 8*rng.ExpFloat64() }
			return s
		})
		res, err := association.Track(t.Context(), scans, nil)
		if err != nil {
			t.Fatal(err)
		}
		right, _ := chaintest.Right(res.Tracks, of)
		if links := len(slices.Concat(of...)) - ships; len(res.Tracks) != ships || right < links-links/200 || res.Levels.Sigma > 1.5*noise {
			t.Errorf("times rounded to %v: %d tracks of %d ships have %d of their %d links; noise %.3g", grid, len(res.Tracks), ships, right, links, res.Levels.Sigma)
		}
	}
}

// TestFewReports: ships report each at times of its own, in a scan of its own, and forty reports or
// a hundred are all there is. Every scan has one detection, or one of them two, and that is no
// evidence for one target.
func TestFewReports(t *testing.T) {
	t.Parallel()
	for seed, want := range [...]struct{ ships, reports int }{{8, 45}, {8, 80}, {3, 90}} {
		rng := rand.New(rand.NewPCG(uint64(seed), 12))
		scans, of := chaintest.Reports(rng, want.ships, 600, 8, 0, func(int) chaintest.Ship { return chaintest.Sailing(rng, 15_000, 8, 8) })
		scans, of = scans[:want.reports], of[:want.reports]
		if want.ships == 3 { // two at once
			scans[30].Pos, of[30] = append(scans[30].Pos, scans[31].Pos...), append(of[30], of[31]...)
			scans, of = slices.Delete(scans, 31, 32), slices.Delete(of, 31, 32)
			for f := range scans {
				scans[f].Frame = f
			}
		}
		res, err := association.Track(t.Context(), scans, nil)
		if err != nil {
			t.Fatal(err)
		}
		right, wrong := chaintest.Right(res.Tracks, of)
		if least := want.reports - want.ships; wrong > 0 || right < least-2 {
			t.Errorf("%d reports of %d ships: %d links are right of %d, %d wrong; %d tracks", want.reports, want.ships, right, least, wrong, len(res.Tracks))
		}
	}
}

// TestSeldomSeenStanding: targets that stand, at exact positions, are as near to what was seen of
// them before as can be, and go at some speed all the same, or no gate were wide enough.
func TestSeldomSeenStanding(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 9))
		scans := make([]mtt.Scan, 20)
		for f := range scans {
			scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			for i := range 3 {
				if f == 0 || rng.IntN(3) > 0 {
					scans[f].Pos = append(scans[f].Pos, 5*float64(i), 5*float64(i))
				}
			}
		}
		res, err := association.Track(t.Context(), scans, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Tracks) != 3 || res.LeftOut > 0 {
			t.Errorf("seed %d: %d tracks, %d detections are left out", seed, len(res.Tracks), res.LeftOut)
		}
	}
}
