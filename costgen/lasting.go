package costgen

import "math"

// This file tells misses that last from those that do not.
//
// Problem. A detector misses a target now and then, in one frame; behind a pillar it is missed for
// a second, in thirty. With one probability of being missed again both are priced wrongly, and
// thirty misses as no target has them: tracks end at each pillar.
//
// Idea. A run of misses is of one of two kinds, and of each kind it goes on with a probability of
// its own: lengths of runs are a mixture of two geometric distributions, as of a channel with two
// states [1]. Its three numbers are the likeliest for the runs of tracks (expectation
// maximisation), with half an event added to each count.
//
// Invariant. Prices of runs are those of [Rates] where there is one kind. Two kinds are believed
// where lengths are likelier by more than Schwarz's criterion asks of two more numbers [2].
//
// Cost. The number of different lengths for each of a hundred steps.
//
// [1] Gilbert. Capacity of a burst-noise channel. Bell System Technical Journal 39(5), 1960.
// [2] Schwarz. Estimating the dimension of a model. Annals of Statistics 6(2), 1978.

// Lasting says that runs of misses are of two kinds, those that are over soon and those that last.
type Lasting struct {
	Share float64 // of all runs of misses, those that last; 0: there is one kind, whose lengths are as Rates say
	Brief float64 // probability that a target is missed again in a run that does not last
	Long  float64 // and in one that does
}

// of is the probability that a run of misses has at least so many, one being the least.
func (l *Lasting) of(misses int) float64 {
	return (1-l.Share)*math.Pow(l.Brief, float64(misses-1)) + l.Share*math.Pow(l.Long, float64(misses-1))
}

// again is the probability of another miss after so many, at least one.
func (m *Levels) again(misses int) float64 {
	switch r := &m.Rates; {
	case m.Lasting.Share > 0:
		l := &m.Lasting
		if all := l.of(misses); all > 1e-290 {
			return l.of(misses+1) / all
		}
		return max(l.Brief, l.Long) // as good as no run is so long
	case r.Uneven > 0:
		return r.StillMissed(misses) / r.StillMissed(misses-1)
	}
	return m.Rates.Again()
}

// MissRun is [Rates.MissRun] where runs of misses may be of two kinds.
func (m *Levels) MissRun(misses int) float64 {
	if m.Lasting.Share == 0 || misses == 0 {
		return m.Rates.MissRun(misses)
	}
	l := &m.Lasting
	return -float64(misses+1)*math.Log(m.Rates.Survive) - math.Log1p(-m.Rates.Detect) - math.Log(l.of(misses)-l.of(misses+1))
}

// FitLasting finds the kinds of runs of misses: runs[k] have k+1 misses each. Share is 1 where two
// kinds are not believed, and Long what the mean says. It reports how many runs there are.
func FitLasting(runs []int) (l Lasting, n float64) {
	misses := 0.
	for k, of := range runs {
		n += float64(of)
		misses += float64(of * (k + 1))
	}
	one := Lasting{Share: 1, Long: (misses - n + 0.5) / (misses + 1)}
	l = Lasting{Share: 0.5, Brief: one.Long / 2, Long: (1 + one.Long) / 2}
	for range 100 {
		var lasting, long, again float64 // runs that last, their misses, and those of them that follow others
		for k, of := range runs {
			if of == 0 {
				continue
			}
			a := (1 - l.Share) * (1 - l.Brief) * math.Pow(l.Brief, float64(k))
			b := l.Share * (1 - l.Long) * math.Pow(l.Long, float64(k))
			w := float64(of) * b / (a + b)
			lasting += w
			long += w * float64(k+1)
			again += w * float64(k)
		}
		l = Lasting{
			Share: (lasting + 0.5) / (n + 1),
			Brief: (misses - n - again + 0.5) / (misses - long + 1),
			Long:  (again + 0.5) / (long + 1),
		}
	}
	nats := -math.Log(max(n, 1))
	for k, of := range runs {
		if of > 0 {
			nats += float64(of) * math.Log((l.of(k+1)-l.of(k+2))/(one.of(k+1)-one.of(k+2)))
		}
	}
	if nats <= 0 {
		return one, n
	}
	return l, n
}
