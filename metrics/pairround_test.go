package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt/dualascent"
)

// costs are what whole weights cost, from the definition, and whether they fit.
func (r *relaxation) costs(one func(k int32) bool) (sum float64, fit bool) {
	taken := make([]bool, len(r.price))
	fit = true
	for c := range len(r.chain) - 1 {
		for k := r.chain[c]; k < r.chain[c+1]; k++ {
			if k > r.chain[c] && one(k) != one(k-1) {
				sum += r.h
			}
			if !one(k) {
				continue
			}
			sum += r.cost[k]
			for side := range r.slot {
				fit = fit && !taken[r.slot[side][k]]
				taken[r.slot[side][k]] = true
			}
		}
	}
	return sum, fit
}

// What a relaxation is rounded to fits, costs as much as is said, no less than the best answer and
// not much more.
func TestImprove(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 4))
	between, more := 0, 0.0 // in h
	for range 10 {
		r := relaxed(t, rng, 34+rng.IntN(8), 4+rng.IntN(3))
		chosen := make([]bool, slices.Max(r.option)+1)
		less, err := r.improve(t.Context(), chosen)
		if err != nil {
			t.Fatal(err)
		}
		cost, fit := r.costs(func(k int32) bool { return chosen[r.option[k]] })
		if !fit || math.Abs(cost+less) > 1e-9*less {
			t.Fatalf("an answer that costs %v less costs %v; it fits: %v", less, cost, fit)
		}
		bound := r.survey()
		least, better, err := r.whole(t.Context(), chosen, cost, 1e-6)
		if err != nil || least < cost-better-1e-5 {
			t.Fatalf("%v is proved of %v; %v", least, cost-better, err)
		}
		if cost < least-1e-6 || cost > 0.97*bound {
			t.Errorf("an answer of %v, where the best costs %v and the relaxed form %v", cost, least, bound)
		}
		if least > bound+1e-3 {
			between++
			more += better / r.h
		}
	}
	t.Logf("%d whose forms differ, %v h above the best in all", between, more)
	if between < 5 || more > 2*float64(between) {
		t.Errorf("%d whose forms differ, %v h above the best in all: more than a switch each", between, more)
	}
}

// Any weights of a cluster cost in the part that is posed what they cost in it.
func TestPosed(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 17))
	held := 0
	for range 40 {
		r := relaxed(t, rng, 14+rng.IntN(12), 3+rng.IntN(4))
		for s := range r.room { // as if others had taken it
			if rng.IntN(6) == 0 {
				r.room[s] = 0
			}
		}
		for i := range r.clusters {
			c := &r.clusters[i]
			q := r.posed(c)
			if len(q.list) == 0 {
				continue
			}
			inst, err := q.instance(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			res, err := dualascent.Solve(t.Context(), inst, &dualascent.Options{Workers: 1, Whole: true})
			if err != nil {
				t.Fatal(err)
			}
			weight := make([]float64, len(r.at))
			q.each(res, func(x int32) { weight[x] = 1 })
			if cost := r.spent(c, weight); !r.fits(c, weight) || math.Abs(cost-res.UpperBound) > 1e-9*(1+math.Abs(cost)) {
				t.Errorf("%d options cost %v, in the part %v; they fit: %v", c.to-c.from, cost, res.UpperBound, r.fits(c, weight))
			}
			for x := c.from; x < c.to; x++ {
				if r.tied[x] && (r.room[r.of[0][x]]+r.room[r.of[1][x]] < 2) != (r.room[r.of[0][x+1]]+r.room[r.of[1][x+1]] < 2) {
					held++
				}
			}
		}
	}
	if held < 100 {
		t.Errorf("%d ties between open and taken options: this tests little", held)
	}
}

// Where little is open nodes come before more rings, and these where nodes have had as many looks;
// what is proved on the way is no more than the best answer costs.
func TestTurns(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 4))
	turns := 0
	for range 10 {
		r := relaxed(t, rng, 34+rng.IntN(8), 4+rng.IntN(3))
		chosen := make([]bool, slices.Max(r.option)+1)
		_, better, err := r.whole(t.Context(), chosen, 0, 1e-6)
		if err != nil {
			t.Fatal(err)
		}
		for k, x := range r.option {
			r.one[k] = chosen[x]
		}
		now, value := r.survey(), -better
		if value-now < 1e-2*r.h || value-now > few*r.h {
			continue
		}
		o, rest := r.open(value - now)
		b := &branching{
			r: o, best: slices.Clone(o.one), value: value - rest, upper: value - rest, rounding: 1e-6,
			open: math.Inf(1), rung: 1e-9, dived: true, most: mostLooks,
		}
		least, again, err := b.search(t.Context(), now-rest)
		if err != nil || least > b.value+1e-6 || b.value < value-rest-1e-5 {
			t.Fatalf("%v is proved of %v, known to be %v; %v", least, b.value, value-rest, err)
		}
		if !again || !b.tried {
			continue
		}
		turns++
		if least, again, err = b.search(t.Context(), least); err != nil || !again || b.tried || least > b.value+1e-6 {
			t.Errorf("after nodes no rings: again %v, %v is proved of %v; %v", again, least, b.value, err)
		}
	}
	if turns < 3 {
		t.Errorf("%d searches took turns: this tests little", turns)
	}
}
