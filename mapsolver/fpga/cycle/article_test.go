package cycle

import (
	"math/rand/v2"
	"testing"

	"mtt/internal/nightly"
)

// This file compares with the statements of the article. By default on as many
// problems as take a second; with MTT_NIGHTLY=1 on as many as the means need to
// stand still.

// problems is the number of problems to take means of.
func problems(few, many int) int { return nightly.Or(few, many) }

// total adds up the counters of n problems.
func total(core Core, list []*Problem) Counters {
	var sum Counters
	var s State
	for _, p := range list {
		s.Reset(p.Objects)
		n, _ := core.Run(&s, p)
		sum.Add(n)
	}
	return sum
}

// randoms draws problems of 8-bit rewards.
func randoms(seed uint64, count, n, k int, top uint32) []*Problem {
	rng := rand.New(rand.NewPCG(seed, uint64(n*1000+k)))
	list := make([]*Problem, count)
	for i := range list {
		list[i] = Random(rng, n, n, k, top)
	}
	return list
}

var (
	soa8 = Core{PE: 8, Stall: true, Dense: true, Timing: Short}
	sas8 = Core{PE: 8, Timing: Article}
)

// within checks a ratio against its bar.
func within(t *testing.T, what string, got, least, most float64) {
	t.Helper()
	t.Logf("%s: %.4g, bar %.4g … %.4g", what, got, least, most)
	if !(got >= least && got <= most) {
		t.Errorf("%s is %.4g, want %.4g … %.4g", what, got, least, most)
	}
}

// TestSpeedup is the article's comparison at 600×600: 50 times fewer core cycles
// than SoA at 6 rewards for each agent, core cycles 2 % of the total, which is 1.8
// times less; and the ratios that its figure shows for more rewards.
func TestSpeedup(t *testing.T) {
	const memory = 600*600 + 64 + 2*600 // words in, latency, words out
	list := randoms(1, problems(20, 100), 600, 6, 255)
	soa, sas := total(soa8, list), total(sas8, list)
	n := float64(len(list))
	a, b := float64(soa.Cycles)/n, float64(sas.Cycles)/n
	within(t, "core cycles of SoA over SaS, 6 rewards", a/b, 43, 54)
	within(t, "core share of the total, in %", 100*b/(b+memory), 1.4, 2.1)
	within(t, "total cycles of SoA over SaS", (a+memory)/(b+memory), 1.75, 1.88)
	for _, tt := range []struct {
		k     int
		ratio float64
	}{{12, 17}, {60, 8.4}, {180, 3.4}} {
		list := randoms(1, problems(10, 60), 600, tt.k, 255)
		ratio := float64(total(soa8, list).Cycles) / float64(total(sas8, list).Cycles)
		within(t, "core cycles of SoA over SaS", ratio, 0.8*tt.ratio, 1.2*tt.ratio)
	}
}

// TestPeak is the article's figure 11: the iterations at 50×50 rise with the
// density up to 22 % and fall again to 1/1.445 of that when all is dense.
func TestPeak(t *testing.T) {
	one := Core{PE: 8, Stall: true, Timing: Short}
	count := problems(300, 3000)
	iterations := func(k int) float64 {
		return float64(total(one, randoms(2, count, 50, k, 255)).Iterations) / float64(count)
	}
	best, peak := 0, 0.0
	for k := 5; k <= 20; k++ {
		if x := iterations(k); x > peak {
			best, peak = k, x
		}
	}
	within(t, "rewards of an agent at the peak", float64(best), 9, 13)
	within(t, "iterations at 11 rewards over 50", iterations(11)/iterations(50), 1.38, 1.53)
}

// TestBestPE is the article's figure 12(a): more processing elements pay when agents
// have as many rewards. 16 are better than 8 at exactly 8 rewards in the published
// timing alone, which pads full rows.
func TestBestPE(t *testing.T) {
	tests := []struct{ k, want int }{{4, 8}, {6, 8}, {11, 16}, {14, 16}, {28, 32}, {40, 32}}
	for _, tt := range tests {
		list := randoms(3, problems(120, 400), 100, tt.k, 255)
		best, least := 0, 0
		for _, pe := range []int{8, 16, 32} {
			if n := total(Core{PE: pe, Timing: Published}, list).Cycles; best == 0 || n < least {
				best, least = pe, n
			}
		}
		if best != tt.want {
			t.Errorf("%d rewards: %d processing elements are best, want %d", tt.k, best, tt.want)
		}
	}
}

// TestMissRate is the article's figure 14: equation 13 is above the count everywhere.
func TestMissRate(t *testing.T) {
	for _, n := range []int{10, 20, 50, 100, 600} {
		for _, k := range []int{4, 8, 16, 32} {
			if k > n {
				continue
			}
			list := randoms(4, problems(20, 200), n, k, 255)
			expected := MissRate(n, Unresolved(8, k))
			for _, timing := range []Timing{Published, Article, Short} {
				got := total(Core{PE: 8, Timing: timing}, list)
				if rate := float64(got.Misses) / float64(got.Iterations); rate > expected {
					t.Errorf("%d agents, %d rewards: %.4f of the bids miss, expected %.4f", n, k, rate, expected)
				}
			}
		}
	}
}

// TestScaledExact wants the optimum of every problem when rewards are scaled by the
// number of agents and 1, by the certificate of its prices.
func TestScaledExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for range problems(500, 10_000) {
		n, m := 1+rng.IntN(40), 1+rng.IntN(40)
		p := Random(rng, n, m, 1+rng.IntN(m), []uint32{4, 255}[rng.IntN(2)])
		q := scaled(p, uint32(n+1))
		core := Core{PE: 8, Timing: Short}
		var s State
		core.Run(&s, q)
		checkSlack(t, "scaled", q, &s, 1) // at most n short of an optimum that is a multiple of n+1
	}
}
