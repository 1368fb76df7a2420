package motion

import "mtt"

// This file runs filters over steps whose kind is not known.

// Memory is the number of steps after which a filter has forgotten where it began.
const Memory = 10

// A Runner is a filter along tracks that takes each step as smooth or as a manoeuvre,
// whichever is likelier given the detection that it leads to. It holds the states of
// both, and is no more safe for concurrent use than its filter.
type Runner[S, E any] struct {
	Filter[S, E]
	calm, wild S
	ahead      Ahead[S]
}

// Advance predicts s for detection i of b, dt seconds later, and says by which kind of
// step.
func (r *Runner[S, E]) Advance(s *S, dt float64, b *mtt.Scan, i int) (kind int) {
	m := r.Mixture()
	if !m.Any() {
		r.Predict(s, dt, Smooth)
		return Smooth
	}
	r.calm, r.wild = *s, *s
	r.Predict(&r.calm, dt, Smooth)
	r.Predict(&r.wild, dt, Manoeuvre)
	if m.Gain(r.Innovation(&r.calm, b, i), r.Innovation(&r.wild, b, i)) > 0 {
		*s = r.wild
		return Manoeuvre
	}
	*s = r.calm
	return Smooth
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

// Price is Advance, and the negative log density of the detection under both kinds
// together, as [Mixture.Price] has it.
func (r *Runner[S, E]) Price(s *S, dt float64, b *mtt.Scan, i int) float64 {
	r.Look(&r.ahead, s, dt)
	return r.PriceAhead(s, &r.ahead, b, i)
}

// PriceAhead is Price of the state that x was predicted from; it sets s.
func (r *Runner[S, E]) PriceAhead(s *S, x *Ahead[S], b *mtt.Scan, i int) float64 {
	m := r.Mixture()
	*s = x.calm
	calm := r.Innovation(&x.calm, b, i)
	if !m.Any() {
		return (calm.D2 + calm.Base) / 2
	}
	wild := r.Innovation(&x.wild, b, i)
	if m.Gain(calm, wild) > 0 {
		*s = x.wild
	}
	return m.Price(calm, wild)
}

// Onward is the price of information that goes on dt seconds after state s, under
// both kinds of step together; s stays as it is.
func (r *Runner[S, E]) Onward(s *S, dt float64, e *E) float64 {
	r.Look(&r.ahead, s, dt)
	return r.OnwardAhead(&r.ahead, e)
}

// OnwardAhead is Onward of the state that x was predicted from.
func (r *Runner[S, E]) OnwardAhead(x *Ahead[S], e *E) float64 {
	m := r.Mixture()
	calm := r.Join(&x.calm, e)
	if calm.D2/2+m.Odds <= -10 { // a manoeuvre cannot matter
		return (calm.D2 + calm.Base) / 2
	}
	return m.Price(calm, r.Join(&x.wild, e))
}
