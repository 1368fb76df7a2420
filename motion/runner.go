package motion

import (
	"math"

	"mtt"
)

// This file runs filters over steps whose kind is not known.

// Memory is the number of steps after which a filter has forgotten where it began.
const Memory = 10

// A Runner is a filter along tracks that takes each step as smooth, as a manoeuvre or as a smooth one to an
// outlier, whichever is likelier given the detection that it leads to. It holds the states of
// all, and is no more safe for concurrent use than its filter. [NewRunner] makes one.
type Runner[S, E any] struct {
	Filter[S, E]
	wide  Filter[S, E] // for outliers; nil: there are none
	odds  float64      // log of the probability of an outlier over that of another detection
	peak  float64      // by how much −2·log of the peak of its density is more: information leaves it out
	ahead Ahead[S]
}

// NewRunner makes a runner of a filter, which Fork or a function of this package has made.
func NewRunner[S, E any](f Filter[S, E], p *Params) Runner[S, E] {
	r := Runner[S, E]{Filter: f, wide: f.Wide()}
	if r.wide != nil {
		r.odds = math.Log(p.OutlierProb / (1 - p.OutlierProb))
		r.peak = 2 * float64(p.Dim) * math.Log(p.OutlierTimes)
	}
	return r
}

// Outliers reports whether there are any.
func (r *Runner[S, E]) Outliers() bool { return r.wide != nil }

// Take is Update for a detection that a step of a kind leads to.
func (r *Runner[S, E]) Take(s *S, b *mtt.Scan, i, kind int) {
	if kind == Outlier {
		r.wide.Update(s, b, i)
		return
	}
	r.Update(s, b, i)
}

// Inform is Observe for a detection that a step of a kind leads to.
func (r *Runner[S, E]) Inform(e *E, s *mtt.Scan, i, kind int) {
	if kind == Outlier {
		r.wide.Observe(e, s, i)
		return
	}
	r.Observe(e, s, i)
}

// Advance predicts s for detection i of b, dt seconds later, and says by which kind of
// step.
func (r *Runner[S, E]) Advance(s *S, dt float64, b *mtt.Scan, i int) (kind int) {
	if !r.Mixture().Any() && r.wide == nil {
		r.Predict(s, dt, Smooth)
		return Smooth
	}
	_, kind = r.Price(s, dt, b, i)
	return kind
}

// An Ahead is a state predicted by both kinds of step.
type Ahead[S any] struct{ calm, wild S }

// Look sets dst to what s is predicted to be dt seconds later.
func (r *Runner[S, E]) Look(dst *Ahead[S], s *S, dt float64) {
	dst.calm = *s
	r.Predict(&dst.calm, dt, Smooth)
	if r.Mixture().Any() {
		dst.wild = *s
		r.Predict(&dst.wild, dt, Manoeuvre)
	}
}

// Price is Advance, and the negative log density of the detection under all kinds
// together, as [Mixture.Price] has it: the probability that it is no outlier is left out, too.
func (r *Runner[S, E]) Price(s *S, dt float64, b *mtt.Scan, i int) (price float64, kind int) {
	r.Look(&r.ahead, s, dt)
	return r.PriceAhead(s, &r.ahead, b, i)
}

// PriceAhead is Price of the state that x was predicted from; it sets s.
func (r *Runner[S, E]) PriceAhead(s *S, x *Ahead[S], b *mtt.Scan, i int) (price float64, kind int) {
	m := r.Mixture()
	calm := r.Innovation(&x.calm, b, i)
	s0, gain := &x.calm, 0.0
	price = (calm.D2 + calm.Base) / 2
	if m.Any() {
		wild := r.Innovation(&x.wild, b, i)
		price = m.Price(calm, wild)
		if gain = m.Gain(calm, wild); gain > 0 {
			s0, kind = &x.wild, Manoeuvre
		}
	}
	if r.outlying(calm) {
		wide := r.wide.Innovation(&x.calm, b, i)
		price = r.either(price, wide)
		if r.gain(calm, wide) > max(gain, 0) {
			s0, kind = &x.calm, Outlier
		}
	}
	*s = *s0
	return price, kind
}

// outlying says whether what fits a smooth step so may be an outlier: else the price would be as good as the same.
func (r *Runner[S, E]) outlying(calm Fit) bool { return r.wide != nil && calm.D2/2+r.odds > -10 }

// gain is the log of an outlier's likelihood over that of another detection, odds included.
func (r *Runner[S, E]) gain(calm, wide Fit) float64 {
	return r.odds + (calm.D2+calm.Base-wide.D2-wide.Base)/2
}

// either is a price where there may be an outlier instead.
func (r *Runner[S, E]) either(price float64, wide Fit) float64 {
	other := (wide.D2+wide.Base)/2 - r.odds
	return min(price, other) - math.Log1p(math.Exp(-math.Abs(price-other)))
}

// Onward is the price of information that goes on dt seconds after state s, under
// all kinds of step together; s stays as it is. wide is what the information would be if its first detection was an outlier; nil where
// there is none.
func (r *Runner[S, E]) Onward(s *S, dt float64, e, wide *E) float64 {
	r.Look(&r.ahead, s, dt)
	return r.OnwardAhead(&r.ahead, e, wide)
}

// OnwardAhead is Onward of the state that x was predicted from.
func (r *Runner[S, E]) OnwardAhead(x *Ahead[S], e, wide *E) float64 {
	m := r.Mixture()
	calm := r.Join(&x.calm, e)
	price := (calm.D2 + calm.Base) / 2
	if calm.D2/2+m.Odds > -10 { // a manoeuvre can matter
		price = m.Price(calm, r.Join(&x.wild, e))
	}
	if wide != nil && r.outlying(calm) {
		fit := r.Join(&x.calm, wide)
		fit.Base += r.peak
		price = r.either(price, fit)
	}
	return price
}
