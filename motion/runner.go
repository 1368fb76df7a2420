package motion

import (
	"math"

	"mtt"
)

// This file runs filters over steps whose kind is not known.

// Memory is the number of steps after which a filter has forgotten where it began.
const Memory = 10

// A Runner is a filter along tracks that takes each step as smooth, as a manoeuvre, as a smooth one
// to an outlier, as a jump or as a bounce, whichever is likelier given the detection that it leads
// to. It holds the states of all, and is no more safe for concurrent use than its filter.
// [NewRunner] makes one.
type Runner[S, E any] struct {
	Filter[S, E]
	wide    Filter[S, E] // for outliers; nil: there are none
	odds    float64      // log of the probability of an outlier over that of another detection
	peak    float64      // by how much −2·log of the peak of its density is more: information leaves it out
	jumps   float64      // log of the probability of a jump over that of another step; −Inf: there are none
	mirrors float64      // log of the probability of a bounce over that of another step; −Inf: there are none
	hit     S            // after a bounce
	most    float64      // log of what all kinds are together over a smooth step, where each is at its peak and the peaks are alike
	ahead   Ahead[S]
}

// NewRunner makes a runner of a filter, which Fork or a function of this package has made.
func NewRunner[S, E any](f Filter[S, E], p *Params) Runner[S, E] {
	r := Runner[S, E]{Filter: f, wide: f.Wide(), jumps: math.Log(p.JumpProb / (1 - p.JumpProb)), mirrors: math.Log(p.BounceProb / (1 - p.BounceProb))}
	if r.wide != nil {
		r.odds = math.Log(p.OutlierProb / (1 - p.OutlierProb))
		r.peak = 2 * float64(p.Dim) * math.Log(p.OutlierTimes)
	}
	r.most = math.Exp(r.Mixture().Odds) + math.Exp(r.jumps) + math.Exp(r.mirrors)
	if r.wide != nil {
		r.most += math.Exp(r.odds)
	}
	r.most = math.Log1p(r.most)
	return r
}

// Outliers reports whether there are any.
func (r *Runner[S, E]) Outliers() bool { return r.wide != nil }

// Jumps reports whether there are any.
func (r *Runner[S, E]) Jumps() bool { return r.jumps > math.Inf(-1) }

// Bounces reports whether there are any.
func (r *Runner[S, E]) Bounces() bool { return r.mirrors > math.Inf(-1) }

// Plain reports whether all steps are smooth.
func (r *Runner[S, E]) Plain() bool {
	return !r.Mixture().Any() && r.wide == nil && !r.Jumps() && !r.Bounces()
}

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

// Return is Retreat in a step of a kind to detection i of b.
func (r *Runner[S, E]) Return(e *E, dt float64, b *mtt.Scan, i, kind int) {
	if kind != Bounce || !r.Rebound(e, dt, b, i) {
		r.Retreat(e, dt, kind)
	}
}

// Advance predicts s for detection i of b, dt seconds later, and says by which kind of
// step.
func (r *Runner[S, E]) Advance(s *S, dt float64, b *mtt.Scan, i int) (kind int) {
	if r.Plain() {
		r.Predict(s, dt, Smooth)
		return Smooth
	}
	_, kind = r.Price(s, dt, b, i)
	return kind
}

// An Ahead is a state predicted by each kind of step, by others than smooth ones when somebody asks.
type Ahead[S any] struct {
	from, calm, wild, off S
	dt                    float64
	knows                 [Jump + 1]bool
}

// Look sets dst to what s is predicted to be dt seconds later.
func (r *Runner[S, E]) Look(dst *Ahead[S], s *S, dt float64) {
	dst.from, dst.calm, dst.dt, dst.knows = *s, *s, dt, [Jump + 1]bool{}
	r.Predict(&dst.calm, dt, Smooth)
}

// wildOf is the state after a manoeuvre, offOf that after a jump.
func (r *Runner[S, E]) wildOf(x *Ahead[S]) *S { return r.of(x, &x.wild, Manoeuvre) }
func (r *Runner[S, E]) offOf(x *Ahead[S]) *S  { return r.of(x, &x.off, Jump) }

func (r *Runner[S, E]) of(x *Ahead[S], s *S, kind int) *S {
	if !x.knows[kind] {
		x.knows[kind], *s = true, x.from
		r.Predict(s, x.dt, kind)
	}
	return s
}

// Price is Advance, and the negative log density of the detection under all kinds
// together, as [Mixture.Price] has it: the probabilities that it is no outlier and no jump are left out, too.
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
		wild := r.Innovation(r.wildOf(x), b, i)
		price = m.Price(calm, wild)
		if gain = m.Gain(calm, wild); gain > 0 {
			s0, kind = &x.wild, Manoeuvre
		}
	}
	best := max(gain, 0)
	if r.wide != nil && matters(calm, r.odds) {
		wide := r.wide.Innovation(&x.calm, b, i)
		price = either(price, wide, r.odds)
		if gain = rarely(calm, wide, r.odds); gain > best {
			s0, kind, best = &x.calm, Outlier, gain
		}
	}
	if matters(calm, r.jumps) {
		off := r.Innovation(r.offOf(x), b, i)
		price = either(price, off, r.jumps)
		if gain = rarely(calm, off, r.jumps); gain > best {
			s0, kind, best = &x.off, Jump, gain
		}
	}
	if matters(calm, r.mirrors) {
		if fit, ok := r.Bounce(&r.hit, &x.from, x.dt, b, i); ok {
			price = either(price, fit, r.mirrors)
			if rarely(calm, fit, r.mirrors) > best {
				s0, kind = &r.hit, Bounce
			}
		}
	}
	*s = *s0
	return price, kind
}

// matters says whether something rarer, at these odds, may explain what fits a smooth step so: else
// the price would be as good as the same.
func matters(calm Fit, odds float64) bool { return calm.D2/2+odds > -10 }

// rarely is the log of the likelihood of something rarer over that of a smooth step to another
// detection, odds included.
func rarely(calm, other Fit, odds float64) float64 {
	return odds + (calm.D2+calm.Base-other.D2-other.Base)/2
}

// either is a price where it may be something rarer instead.
func either(price float64, rare Fit, odds float64) float64 {
	other := (rare.D2+rare.Base)/2 - odds
	return min(price, other) - math.Log1p(math.Exp(-math.Abs(price-other)))
}

// Onward is the price of information that goes on dt seconds after state s, under all kinds of step
// together; s stays as it is. wide is what the information would be if its first detection was an
// outlier; nil where there is none.
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
		price = m.Price(calm, r.Join(r.wildOf(x), e))
	}
	if wide != nil && matters(calm, r.odds) {
		fit := r.Join(&x.calm, wide)
		fit.Base += r.peak
		price = either(price, fit, r.odds)
	}
	if matters(calm, r.jumps) {
		price = either(price, r.Join(r.offOf(x), e), r.jumps)
	}
	if matters(calm, r.mirrors) {
		if fit, ok := r.BounceOnto(&x.from, x.dt, e); ok {
			price = either(price, fit, r.mirrors)
		}
	}
	return price
}

// SmoothAhead is no less than the price of PriceAhead: that of a smooth step alone. It sets s. It
// is false where the detection may be reached by a step of another kind.
func (r *Runner[S, E]) SmoothAhead(s *S, x *Ahead[S], b *mtt.Scan, i int) (price float64, ok bool) {
	calm := r.Innovation(&x.calm, b, i)
	if !r.smooth(calm) {
		return 0, false
	}
	*s = x.calm
	return (calm.D2 + calm.Base) / 2, true
}

// smooth says whether a detection that fits a smooth step so is likelier reached by that than by any other.
func (r *Runner[S, E]) smooth(calm Fit) bool {
	return calm.D2/2+r.Mixture().Odds <= 0 && !(r.wide != nil && matters(calm, r.odds)) && !matters(calm, r.jumps) && !matters(calm, r.mirrors)
}

// SmoothOnward is no less than OnwardAhead: the price of a smooth step alone.
func (r *Runner[S, E]) SmoothOnward(x *Ahead[S], e *E) float64 {
	calm := r.Join(&x.calm, e)
	return (calm.D2 + calm.Base) / 2
}

// LeastAhead is no more than the price of PriceAhead, for less work where steps may be manoeuvres:
// it asks only how well the detection fits a smooth step, and takes it to fit others as well as any
// could.
func (r *Runner[S, E]) LeastAhead(x *Ahead[S], b *mtt.Scan, i int) float64 {
	least, _ := r.BoundsAhead(x, b, i)
	return least
}

// BoundsAhead are LeastAhead, and the price of SmoothAhead; +Inf where that is false.
func (r *Runner[S, E]) BoundsAhead(x *Ahead[S], b *mtt.Scan, i int) (least, most float64) {
	calm := r.Innovation(&x.calm, b, i)
	if most = (calm.D2 + calm.Base) / 2; !r.smooth(calm) {
		most = math.Inf(1)
	}
	p := pile{price: (calm.D2 + calm.Base) / 2}
	if m := r.Mixture(); m.Any() {
		p.add(r.Innovation(r.wildOf(x), b, i).Base, m.Odds)
	}
	if r.wide != nil && matters(calm, r.odds) {
		p.add(r.wide.Innovation(&x.calm, b, i).Base, r.odds)
	}
	if matters(calm, r.jumps) {
		p.add(r.Innovation(r.offOf(x), b, i).Base, r.jumps)
	}
	if matters(calm, r.mirrors) {
		if fit, ok := r.Bounce(&r.hit, &x.from, x.dt, b, i); ok {
			p.add(fit.D2+fit.Base, r.mirrors)
		}
	}
	return p.least(), most
}

// LeastOnward is LeastAhead of OnwardAhead.
func (r *Runner[S, E]) LeastOnward(x *Ahead[S], e, wide *E) float64 {
	calm := r.Join(&x.calm, e)
	p := pile{price: (calm.D2 + calm.Base) / 2}
	if m := r.Mixture(); calm.D2/2+m.Odds > -10 {
		p.add(r.Peak(r.wildOf(x), e), m.Odds)
	}
	if wide != nil && matters(calm, r.odds) {
		p.add(r.Peak(&x.calm, wide)+r.peak, r.odds)
	}
	if matters(calm, r.jumps) {
		p.add(r.Peak(r.offOf(x), e), r.jumps)
	}
	if matters(calm, r.mirrors) {
		if fit, ok := r.BounceOnto(&x.from, x.dt, e); ok {
			p.add(fit.D2+fit.Base, r.mirrors)
		}
	}
	return p.least()
}

// LeastFollowing is LeastOnward where LeastAhead of the first detection is known: −Inf where that
// tells nothing.
func (r *Runner[S, E]) LeastFollowing(least float64, e *E) float64 {
	if r.wide != nil || r.Jumps() || r.Bounces() {
		return math.Inf(-1)
	}
	return least + r.Rest(e)/2
}

// LeastFrom is no more than Onward of any state.
func (r *Runner[S, E]) LeastFrom(e, wide *E) float64 {
	best := r.Peak(nil, e)
	if wide != nil {
		best = min(best, r.Peak(nil, wide)+r.peak)
	}
	if r.Bounces() {
		best = min(best, r.BouncePeak(e))
	}
	return best/2 - r.most
}

// A pile is of prices of what may be together: their densities add up to no more than as many times
// the largest.
type pile struct {
	price float64 // the least
	more  int
}

// add puts one on it whose −2·log density is base at least, at these odds.
func (p *pile) add(base, odds float64) {
	p.price, p.more = min(p.price, base/2-odds), p.more+1
}

// least is no more than the price of all.
func (p *pile) least() float64 {
	return p.price - [...]float64{0, math.Ln2, 1.0986122886681098, 2 * math.Ln2, 1.6094379124341003}[p.more]
}
