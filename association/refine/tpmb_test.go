package refine

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mtt"
	"mtt/association/chain"
	"mtt/costgen"
	"mtt/motion"
)

// This file compares prices with the density of a trajectory PMB.

// density is the log density of scans and their association: target by target the sum over all
// frames in which it may have been born and may have died, of Poisson births, survival, detection,
// misses in runs, and the joint normal distribution of the positions of a random walk; Poisson
// false alarms. What is the same for all associations is left out. A detection by itself is a
// target or a false alarm, whatever is likelier.
func density(c *chain.Links, scans []mtt.Scan, l *costgen.Levels) (sum float64) {
	r := &l.Rates
	for t := range scans {
		for i, before := range c.Prev[t] {
			if before != chain.None {
				continue
			}
			var path []chain.Node
			seen := make(map[int]bool)
			for at := chain.At(t, i); at != chain.None; at = c.Next[at.T][at.Det] {
				path = append(path, at)
				seen[int(at.T)] = true
			}
			last := int(path[len(path)-1].T)
			lives := 0.0
			for born := 0; born <= t; born++ {
				for dies := last; dies < len(scans); dies++ {
					p, missed := r.Births, false
					if born == 0 {
						p = r.Targets
					}
					for f := born; f <= dies; f++ {
						miss := 1 - r.Detect
						if missed {
							miss = r.Hidden
						}
						if missed = !seen[f]; missed {
							p *= miss
						} else {
							p *= 1 - miss
						}
						if f < dies {
							p *= r.Survive
						}
					}
					if dies+1 < len(scans) {
						p *= 1 - r.Survive
					}
					lives += p
				}
			}
			target := math.Log(lives/r.Volume) + walk(path, scans, l)
			if alarm := math.Log(r.Clutter / r.Volume); len(path) == 1 {
				target = max(target, alarm)
			}
			sum += target
		}
	}
	return sum
}

// walk is the log density of the positions of a random walk, given the first.
func walk(path []chain.Node, scans []mtt.Scan, l *costgen.Levels) (sum float64) {
	n := len(path) - 1
	if n == 0 {
		return 0
	}
	at := func(k int) (float64, []float64) { s := &scans[path[k].T]; return s.Time, s.At(int(path[k].Det)) }
	start, from := at(0)
	cov := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			first, _ := at(i + 1)
			v := l.Accel*l.Accel*(first-start) + l.Sigma*l.Sigma
			if i == j {
				v += l.Sigma * l.Sigma
			}
			cov.SetSym(i, j, v)
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(cov) {
		panic("no covariance")
	}
	for axis := range 2 {
		d := mat.NewVecDense(n, nil)
		for k := range n {
			_, x := at(k + 1)
			d.SetVec(k, x[axis]-from[axis])
		}
		var solved mat.VecDense
		if err := chol.SolveVecTo(&solved, d); err != nil {
			panic(err)
		}
		sum -= (mat.Dot(d, &solved) + chol.LogDet() + float64(n)*math.Log(2*math.Pi)) / 2
	}
	return sum
}

// TestTrajectoryPMB: all sets of tracks of small scenes have a density of exp(−price); and so they
// have with the cost nll, up to the targets that are born where none was missed.
func TestTrajectoryPMB(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	for scene := range 12 {
		levels := costgen.Levels{
			Sigma: 0.3, Accel: 0.5, Motion: motion.Walk{}, Interval: 1, Dim: 2, PositionsOnly: true,
			Rates: costgen.Rates{Detect: 0.5 + 0.4*random.Float64(), Hidden: random.Float64(), Survive: 0.7 + 0.2*random.Float64(), Births: 0.3, Targets: 2, Clutter: 0.5, Volume: 20},
		}
		scans := make([]mtt.Scan, 4)
		for f := range scans {
			scans[f] = mtt.Scan{Frame: 3 * f, Time: float64(f), Dim: 2}
			for range 1 + (f+scene)%2 {
				scans[f].Pos = append(scans[f].Pos, 2*random.NormFloat64(), 2*random.NormFloat64())
			}
		}
		gaussian := &costgen.Gaussian{Levels: levels}
		model := costgen.NewTrajectoryPMB(gaussian, scans)
		sets := 0
		each(scans, func(c *chain.Links) {
			sets++
			if sum := Price(c, scans, model) + density(c, scans, &levels); math.Abs(sum) > 1e-9 {
				t.Fatalf("scene %d, set %d: the price is %v more than −log of the density", scene, sets, sum)
			}
			late := 0 // tracks that begin after the first scan
			for f := 1; f < len(scans); f++ {
				for _, before := range c.Prev[f] {
					if before == chain.None {
						late++
					}
				}
			}
			if more := Price(c, scans, gaussian) - Price(c, scans, model); more < -1e-9 || late == 0 && more > 1e-9 {
				t.Fatalf("scene %d, set %d: nll is %v more, %d tracks begin late", scene, sets, more, late)
			}
		})
		if sets < 30 {
			t.Errorf("scene %d has %d sets of tracks", scene, sets)
		}
	}
}
