package refine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
	"mtt/association/chain"
	"mtt/costgen"
	"mtt/motion"
)

// This file tests that rivals are listed once, and that none that matters is left out.

// TestListedRivals compares the rivals of crowds, amid misses and false alarms, with those that each
// candidate makes by itself, told apart by the links that they lead to.
func TestListedRivals(t *testing.T) {
	const targets, frames = 5, 10
	random := rand.New(rand.NewPCG(3, 9))
	for trial := range 12 {
		levels := &costgen.Levels{
			Sigma: 0.3, Accel: 0.2, SpeedStd: 1, Interval: 1, Dim: 2, PositionsOnly: true,
			Rates: costgen.Rates{Detect: 0.9, Hidden: 0.1, Survive: 0.99, Births: 0.1, Targets: targets, Clutter: 1, Volume: 50},
		}
		scans := make([]mtt.Scan, frames)
		tracks := make([][]chain.Node, targets)
		for f := range scans {
			scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			for k := range targets + 1 {
				if random.Float64() < 0.1 {
					continue
				}
				if k < targets {
					tracks[k] = append(tracks[k], chain.At(f, scans[f].Len()))
				}
				apart := 0.5 + float64(trial%3)
				scans[f].Pos = append(scans[f].Pos, float64(f)+0.3*random.NormFloat64(), apart*float64(k)+0.3*random.NormFloat64())
			}
		}
		links := chain.New(scans)
		for _, track := range tracks {
			for k := 1; k < len(track); k++ {
				links.Link(track[k-1], track[k])
			}
		}
		var candidates []Candidate
		for f := range scans {
			for g := f + 1; g <= min(f+2, frames-1); g++ {
				for i := range scans[f].Len() {
					for j := range scans[g].Len() {
						candidates = append(candidates, Candidate{chain.At(f, i), chain.At(g, j), random.Float64() < 0.7})
					}
				}
			}
		}
		random.Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })
		r := newRefiner(t.Context(), motion.NewPlane(levels.Params(2)), levels.Params(2), links, scans, nil, &costgen.Gaussian{Levels: *levels}, &Options{Workers: 1})
		r.backward()
		r.priceCourses(t.Context())
		m := r.movers[0]
		var each []rival
		for _, c := range candidates {
			if x, ok := r.rivalOf(c); ok {
				m.list(&each, x)
				if e, ok := m.exchangeOf(&x); ok {
					if least, more := m.leastMore(&x), m.dearerAtHome(&e, x.last); least > more+1e-9 {
						t.Errorf("trial %d: %v costs %v, at least %v", trial, x, more, least)
					}
				}
				if c.Near {
					m.forSome(&each, x)
				}
			}
		}
		for f := range scans {
			for i, a := range r.Prev[f] {
				if a != chain.None {
					b := chain.At(f, i)
					part := rival{a: a, b: chain.None, x: b, y: chain.None, last: -1}
					without := rival{a: a, b: chain.None, x: b, y: chain.None, last: int32(f)}
					for k, x := range [2]*rival{&part, &without} {
						if e, ok := m.exchangeOf(x); ok && (k == 0 || r.Next[f][i] != chain.None) {
							least, more := m.leastParted(a, b), m.dearerAtHome(&e, x.last)
							if k > 0 {
								least = m.leastWithout(a, b)
							}
							if least > more+1e-9 {
								t.Errorf("trial %d: %v costs %v, at least %v", trial, x, more, least)
							}
						}
					}
					m.cuts(&each, a, chain.At(f, i), math.Inf(1))
				}
			}
		}
		leadsTo := func(x *rival) string {
			e, _ := r.exchangeOf(x)
			var list []string
			for _, h := range e.arrivals(x.last) {
				if h.at != chain.None {
					list = append(list, fmt.Sprint(h))
				}
			}
			slices.Sort(list)
			return fmt.Sprint(list)
		}
		want := make(map[string]float64)
		for k := range each {
			want[leadsTo(&each[k])] = each[k].more
		}
		odds := func(list []rival) [][]float64 {
			w := &weighing[motion.PlaneState, motion.PlaneInformation]{mover: m, against: nothing(scans)}
			for k := range list {
				w.count(&list[k])
			}
			return w.against
		}
		all := r.listRivals(t.Context(), candidates, math.Inf(1))
		got := make(map[string]float64)
		for k := range all {
			key := leadsTo(&all[k])
			if _, twice := got[key]; twice {
				t.Errorf("trial %d: listed twice: %s", trial, key)
			}
			if got[key] = all[k].more; math.Abs(got[key]-want[key]) > 1e-9 {
				t.Errorf("trial %d: %s costs %v, by itself %v", trial, key, got[key], want[key])
			}
		}
		if len(got) != len(want) {
			t.Errorf("trial %d: %d rivals, want %d", trial, len(got), len(want))
		}
		r.limits = nil
		some := r.listRivals(t.Context(), candidates, 1)
		if len(some) > len(all)*9/10 {
			t.Errorf("trial %d: %d of %d rivals matter", trial, len(some), len(all))
		}
		less, full := odds(some), odds(all)
		for f := range full {
			for i, x := range full[f] {
				if x != less[f][i] && math.Abs(x-less[f][i]) > 1e-7 {
					t.Errorf("trial %d: log odds of %v where all count, of %v where those do that matter", trial, x, less[f][i])
				}
			}
		}
	}
}

// TestCertain: of targets that are far apart, and can neither come nor go, no link is said to be surer
// than certain, and nothing is priced in vain; of what nothing else can be before nothing is said.
func TestCertain(t *testing.T) {
	const frames = 6
	scans := make([]mtt.Scan, frames)
	levels := &costgen.Levels{
		Sigma: 0.3, Accel: 0.2, SpeedStd: 1, Interval: 1, Dim: 2, PositionsOnly: true,
		Rates: costgen.Rates{Detect: 1 - 1e-15, Hidden: 1e-60, Survive: 1, Births: 1e-60, Targets: 2, Clutter: 1e-60, Volume: 1e4},
	}
	for f := range scans {
		scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2, Pos: []float64{float64(f), 0, float64(f), 40}}
	}
	links := chain.New(scans)
	var candidates []Candidate
	for f := 1; f < frames; f++ {
		for i := range 2 {
			links.Link(chain.At(f-1, i), chain.At(f, i))
			candidates = append(candidates, Candidate{chain.At(f-1, i), chain.At(f, 1-i), true})
		}
	}
	odds, err := NewOdds(t.Context(), links, scans, candidates, &costgen.Gaussian{Levels: *levels}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for f, of := range odds.Against {
		want := -float64(certain)
		if f == 0 {
			want = math.Inf(-1)
		}
		for i, got := range of {
			if got != want {
				t.Errorf("log odds of something else before detection %d of scan %d are %v, want %v", i, f, got, want)
			}
		}
	}
}
