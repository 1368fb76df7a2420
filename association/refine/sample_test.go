package refine

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"mtt"
	"mtt/association/chain"
	"mtt/costgen"
	"mtt/internal/slab"
	"mtt/motion"
)

// Chains of few draws of a link that is in doubt do not agree, those of many do; links that are
// sure say nothing either way.
func TestAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	count := func(n int, p float64) tally {
		x := tally{tries: n}
		for range n {
			if r.Float64() < p {
				x.after++
			}
		}
		return x
	}
	for _, tt := range []struct {
		draws int
		agree bool
	}{{10, false}, {50, false}, {400, true}, {10_000, true}} { // the noise of two is a share 1/(2·draws) of the score
		var one, two []tally
		for range 400 {
			one, two = append(one, count(tt.draws, 0.3)), append(two, count(tt.draws, 0.3))
		}
		for range 4000 {
			one, two = append(one, tally{stays: tt.draws}), append(two, tally{stays: tt.draws})
		}
		if got := agree(one, two); got != tt.agree {
			t.Errorf("%d draws: agree %v, want %v", tt.draws, got, tt.agree)
		}
	}
	if !agree(nil, nil) {
		t.Error("chains without links do not agree")
	}
}

// Two chains that agree, but have left the tracks that they began with in their second half only,
// do not agree with that.
func TestWithout(t *testing.T) {
	var before, now []tally
	for range 400 {
		first := tally{tries: 2000, stays: 1900, after: 100}
		second := tally{tries: 2000, stays: 1400, after: 600}
		all := first
		all.add(&second)
		before, now = append(before, first), append(now, all)
		if got := without([]tally{all}, []tally{first})[0]; got != second {
			t.Fatalf("%+v is left, want %+v", got, second)
		}
	}
	if agree(before, without(now, before)) {
		t.Error("halves agree that say .05 and .3")
	}
}

// crowdOf has targets side by side, with candidates of all their detections in the first so many frames.
func crowdOf(frames, until int) (*chain.Links, []mtt.Scan, []Candidate, *costgen.Levels) {
	const targets = 6
	random := rand.New(rand.NewPCG(7, 1))
	levels := &costgen.Levels{
		Sigma: 0.3, Accel: 0.2, SpeedStd: 1, Interval: 1, Dim: 2, PositionsOnly: true,
		Rates: costgen.Rates{Detect: 0.95, Hidden: 0.05, Survive: 0.99, Births: 0.1, Targets: targets, Clutter: 0.5, Volume: 50},
	}
	scans := make([]mtt.Scan, frames)
	for f := range scans {
		scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
		for k := range targets {
			scans[f].Pos = append(scans[f].Pos, float64(f)+0.3*random.NormFloat64(), 0.5*float64(k)+0.3*random.NormFloat64())
		}
	}
	links := chain.New(scans)
	var candidates []Candidate
	for f := 1; f < frames; f++ {
		for i := range targets {
			links.Link(chain.At(f-1, i), chain.At(f, i))
			for j := 0; j < targets && f < until; j++ {
				candidates = append(candidates, Candidate{chain.At(f-1, i), chain.At(f, j), true})
			}
		}
	}
	return links, scans, candidates, levels
}

// What a move led to when it was priced last is what it leads to, or something that its price
// depends on is known to have changed.
func TestPricedMoves(t *testing.T) {
	links, scans, candidates, levels := crowdOf(12, 12)
	params := levels.Params(2)
	testPricedMoves(t, motion.NewPlane(params), params, links, scans, candidates, &costgen.Gaussian{Levels: *levels})
}

func testPricedMoves[S comparable, E any](t *testing.T, filter motion.Filter[S, E], params *motion.Params, links *chain.Links, scans []mtt.Scan, candidates []Candidate, model costgen.Leveled) {
	r := newRefiner(t.Context(), filter, params, links, scans, nil, model, &Options{Workers: 1})
	r.backward()
	none := slab.Parts[int32](len(scans), func(t int) int { return scans[t].Len() })
	for t := range none {
		slab.Fill(none[t], -1)
	}
	var trials []trial
	for _, x := range r.listRivals(t.Context(), candidates, 1) {
		e, _ := r.exchangeOf(&x)
		if more := r.movers[0].dearer(&e, x.last); math.Abs(more-x.more) > 1e-9 {
			t.Fatalf("rival %+v costs %v by itself", x, more)
		}
		if math.Exp(-x.more) >= notable {
			trials = append(trials, trial{x, [4]int32{-1, -1, -1, -1}})
		}
	}
	s := &sampler[S, E]{mover: r.movers[0], of: none, priced: make([]pricedMove, len(trials)), random: rand.New(rand.NewPCG(1, 1))}
	s.clock++
	as, anew := 0, 0
	for range 20 {
		for k := range trials {
			s.move(&trials[k], &s.priced[k], 1)
			if k%16 > 0 {
				continue
			}
			for i := range trials {
				e, ok := s.exchangeOf(&trials[i].rival)
				switch p := &s.priced[i]; {
				case !ok || p.clock == 0:
				case s.changedSince(&e, p.clock):
					anew++
				default:
					as++
					if odds := min(math.Exp(-s.dearer(&e, trials[i].last)), 1); odds != p.odds {
						t.Fatalf("move %d leads to odds of %v, and is said to lead to %v as before", i, odds, p.odds)
					}
				}
			}
		}
	}
	if as < 1000 || anew < 1000 {
		t.Errorf("%d moves as before, %d to be priced anew: too few of one kind", as, anew)
	}
}

// States that nobody reads are left as they were, and draws are the same, to the last bit.
func TestLeftStates(t *testing.T) {
	const frames = 40
	links, scans, candidates, levels := crowdOf(frames, 6)
	none := slab.Parts[int32](len(scans), func(t int) int { return scans[t].Len() })
	for t := range none {
		slab.Fill(none[t], -1)
	}
	var trials []trial
	begun := func() *sampler[motion.PlaneState, motion.PlaneInformation] {
		r := newRefiner(t.Context(), motion.NewPlane(levels.Params(2)), levels.Params(2), links.Clone(), scans, nil, &costgen.Gaussian{Levels: *levels}, &Options{Workers: 1})
		r.backward()
		if trials == nil {
			for _, x := range r.listRivals(t.Context(), candidates, 1) {
				if math.Exp(-x.more) >= notable {
					trials = append(trials, trial{x, [4]int32{-1, -1, -1, -1}})
				}
			}
		}
		s := &sampler[motion.PlaneState, motion.PlaneInformation]{mover: r.movers[0], of: none, priced: make([]pricedMove, len(trials)), random: rand.New(rand.NewPCG(1, 1))}
		s.clock++
		return s
	}
	all, some := begun(), begun()
	some.watch(links, trials)
	left := 0
	for draw := range 60 {
		for k := range trials {
			all.move(&trials[k], &all.priced[k], 1)
			some.move(&trials[k], &some.priced[k], 1)
			if all.priced[k].odds != some.priced[k].odds {
				t.Fatalf("draw %d: move %d has odds of %v where all states are renewed, of %v where some are", draw, k, all.priced[k].odds, some.priced[k].odds)
			}
		}
		if !reflect.DeepEqual(all.Next, some.Next) {
			t.Fatalf("draw %d: other links", draw)
		}
		for f := range scans {
			for i := range all.states[f] {
				switch {
				case all.states[f][i] == some.states[f][i]:
				case some.ahead[f][i] == 0:
					t.Fatalf("draw %d: the state of %d in scan %d, where a move leaves, is another one", draw, i, f)
				default:
					left++
				}
			}
		}
	}
	if left < 20 {
		t.Errorf("%d states were left as they were", left)
	}
}

// What is seldom drawn is said by the odds of moves, as many times too large as what is often drawn
// shows them to be, and in the mean nothing is off.
func TestPool(t *testing.T) {
	const tries, times = 400, 3
	r := rand.New(rand.NewPCG(4, 3))
	draw := func(truth []float64) (list []tally) {
		for _, p := range truth {
			x := tally{tries: tries, stays: tries}
			for range tries {
				if r.Float64() < p {
					x.after++
				}
			}
			x.odds = times * p / (1 - p) * tries * math.Exp(0.2*r.NormFloat64())
			list = append(list, x)
		}
		return list
	}
	var truth []float64
	for range 3000 {
		truth = append(truth, 1/(1+math.Exp(1+6*r.Float64())))
	}
	one, two := draw(truth), draw(truth)
	p, all := pooled(one, two), added(one, two)
	mean, log, square, counted := 0.0, 0.0, 0.0, 0.0
	for k, want := range truth {
		odds := p.otherwise(&all[k])
		mean += (probability(odds) - want) / float64(len(truth))
		square += (probability(odds) - want) * (probability(odds) - want)
		counted += (all[k].share() - want) * (all[k].share() - want)
		log += math.Abs(math.Log(odds*(1-want)/want)) / float64(len(truth))
	}
	t.Logf("%+v: off by %.5f in the mean, by a factor of %.3f, mean square %.3f of that of counts", *p, mean, math.Exp(log), square/counted)
	if math.Abs(mean) > 5e-4 || log > 0.25 || square > 0.7*counted {
		t.Errorf("%+v: off by %.5f in the mean, by a factor of %.3f, mean square %.3f of that of counts", *p, mean, math.Exp(log), square/counted)
	}
}
