package online

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"mtt"
)

// straight are scans of n targets on straight lines, of which those that seen does not take are
// missed; who each detection is of is told as well. walked is for how many scans a target has been
// moving.
func straight(seed uint64, n, scans int, walked func(target, scan int) int, seen func(target, scan int) bool) (list []mtt.Scan, who [][]int) {
	rng := rand.New(rand.NewPCG(seed, 90))
	p, v := make([]float64, 2*n), make([]float64, 2*n)
	for k := range p {
		p[k], v[k] = 100*rng.Float64(), rng.NormFloat64()
	}
	for t := range scans {
		s, of := mtt.Scan{Frame: t, Time: float64(t), Dim: 2}, []int(nil)
		for i := range n {
			at := float64(walked(i, t))
			x, y := p[2*i]+at*v[2*i]+0.1*rng.NormFloat64(), p[2*i+1]+at*v[2*i+1]+0.1*rng.NormFloat64()
			if seen(i, t) {
				s.Pos, of = append(s.Pos, x, y), append(of, i)
			}
		}
		list, who = append(list, s), append(who, of)
	}
	return list, who
}

// always is of targets that move all the time.
func always(_, scan int) int { return scan }

// broken is the number of links from a detection of a target to its next one that tracks of
// straight scans do not have.
func broken(t *testing.T, seed uint64, n, steps int, walked func(target, scan int) int, seen func(target, scan int) bool) (links int) {
	t.Helper()
	scans, who := straight(seed, n, steps, walked, seen)
	res, err := Track(t.Context(), scans, nil)
	if err != nil {
		t.Fatal(err)
	}
	tracks := make([][]int, len(scans))
	for s := range scans {
		tracks[s] = make([]int, scans[s].Len())
	}
	for i := range res.Tracks {
		for _, h := range res.Tracks[i].Hits {
			tracks[h.Frame][h.Det] = res.Tracks[i].ID
		}
	}
	last := map[int]int{}
	for s := range scans {
		for d, target := range who[s] {
			if before, ok := last[target]; ok && (before != tracks[s][d] || before == 0) {
				links++
			}
			last[target] = tracks[s][d]
		}
	}
	return links
}

// That nobody was missed so far does not say that nobody ever will be: the first misses break no
// track, one target's, all targets', nor those of one that is alone.
func TestFirstMiss(t *testing.T) {
	for _, n := range []int{1, 8} {
		for name, seen := range map[string]func(i, t int) bool{
			"one":         func(i, t int) bool { return i != 0 || t != 33 },
			"one thrice":  func(i, t int) bool { return i != 0 || t < 33 || t > 35 },
			"one later":   func(i, t int) bool { return i != 0 || t != 66 },
			"all":         func(i, t int) bool { return t != 33 },
			"all by turn": func(i, t int) bool { return t != 30+i },
		} {
			t.Run(fmt.Sprint(n, " ", name), func(t *testing.T) {
				t.Parallel()
				if links := broken(t, uint64(n), n, 80, always, seen); links > 0 {
					t.Errorf("%d links are broken", links)
				}
			})
		}
	}
}

// Targets that have been standing all set out: their tracks go on, also where levels were just
// being learnt as scheduled.
func TestSetOut(t *testing.T) {
	for _, at := range []int{40, 50} {
		if links := broken(t, 2, 8, 80, func(_, t int) int { return max(0, t-at) }, func(int, int) bool { return true }); links > 0 {
			t.Errorf("at scan %d: %d links are broken", at, links)
		}
	}
}

// That nobody stopped so far does not say that nobody ever will: each target stops for twenty
// scans, one after the other, then goes on, and no track is broken.
func TestFirstStop(t *testing.T) {
	walked := func(i, t int) int {
		stops := 30 + 4*i
		return min(t, stops) + max(0, t-stops-20)
	}
	for name, seen := range map[string]func(i, t int) bool{
		"all":  func(int, int) bool { return true },
		"some": func(i, t int) bool { return (3*t+5*i)%19 != 0 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if links := broken(t, 3, 12, 110, walked, seen); links > 0 {
				t.Errorf("%d links are broken", links)
			}
		})
	}
}

// Targets of which nobody has moved set out one after the other: how fast they get nobody knows,
// and no track is broken.
func TestFirstStart(t *testing.T) {
	walked := func(i, t int) int { return max(0, t-30-4*i) }
	if links := broken(t, 3, 8, 80, walked, func(i, t int) bool { return (3*t+5*i)%19 != 0 }); links > 0 {
		t.Errorf("%d links are broken", links)
	}
}
