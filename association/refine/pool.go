package refine

import "math"

// This file makes odds of what a sampler has counted.
//
// How often something else came before a detection is right in the mean, but says little of what is seldom
// drawn. The odds of moves to it have far less noise, but they are the sum, over what else there is, of its
// odds times the number of moves that lead back from there: more than one where tracks may trade for good and
// for some frames, less where no single move leads there. That is alike for links that are alike. So a
// logistic regression of the counts on the logarithms of those odds, over all links, makes probabilities of
// these that are right in the mean. They are the means of a prior, which is worth some counts of something
// else, and what was counted comes on top: where something else is unlikely, the posterior mean of a Gamma
// prior. What the prior is worth is what predicts best, from what one chain counted, what another did: it
// covers by how much links differ, and how few draws of a chain are independent.

// A prior is worth usualWorth counts where there is no other chain; else it is tried from the least
// worth on, twice as much each time.
const usualWorth, leastWorth, mostWorth = 16, 1. / 8, 256

// A pool says how to make odds of tallies.
type pool struct {
	offset, slope float64 // the log odds of the prior are offset + slope times the log odds of moves
	worth         float64 // of the prior, in counts of something else
}

// pooled makes the pool of what two sets of chains have counted; two may be nil.
func pooled(one, two []tally) *pool {
	p := &pool{0, 1, usualWorth}
	if two == nil {
		p.regress(one)
		return p
	}
	p.regress(added(one, two))
	best, least := p.worth, math.Inf(1)
	for p.worth = leastWorth; p.worth <= mostWorth; p.worth *= 2 {
		if off := p.mispredicted(one, two) + p.mispredicted(two, one); off < least {
			best, least = p.worth, off
		}
	}
	p.worth = best
	return p
}

// mispredicted is by how much what is said after one differs from what others have counted, as a
// sum of squares.
func (p *pool) mispredicted(one, others []tally) (sum float64) {
	for k := range others {
		if x := &others[k]; x.tries > 0 {
			d := probability(p.otherwise(&one[k])) - x.after/float64(x.tries)
			sum += d * d
		}
	}
	return sum
}

// regress finds offset and slope by Newton's method. As a prior the offset is 0 within 1, and the
// slope 1 within a quarter.
func (p *pool) regress(tallies []tally) {
	const precise = 16 // of the slope: 1/variance
	for range 20 {
		g0, g1 := -p.offset, precise*(1-p.slope)
		h00, h01, h11 := 1.0, 0.0, float64(precise)
		for k := range tallies {
			x := &tallies[k]
			if x.tries == 0 || !x.moved() {
				continue
			}
			odds, n := x.moves(), float64(x.tries)
			q := probability(math.Exp(p.offset + p.slope*odds))
			w := n / (1 + n*q*(1-q)/usualWorth) // counts have their noise, and links differ
			d, v := w*(x.after/n-q), w*q*(1-q)
			g0, g1 = g0+d, g1+d*odds
			h00, h01, h11 = h00+v, h01+v*odds, h11+v*odds*odds
		}
		det := h00*h11 - h01*h01
		by, turn := (h11*g0-h01*g1)/det, (h00*g1-h01*g0)/det
		p.offset += max(min(by, 1), -1)
		p.slope += max(min(turn, 0.25), -0.25)
		if math.Abs(by)+math.Abs(turn) < 1e-6 {
			break
		}
	}
}

// otherwise are the odds of something else.
func (p *pool) otherwise(x *tally) float64 {
	after, not := x.after, max(float64(x.tries)-x.after, 0.5)
	if x.moved() {
		odds := math.Exp(p.offset + p.slope*x.moves())
		after, not = after+p.worth*(1+odds), not+p.worth*(1+1/odds)
	}
	return after / not
}

// moved says whether odds of moves are known.
func (x *tally) moved() bool { return x.stays > 0 && x.odds+x.first > 0 }

// moves are the log odds of moves to something else, from what is in the tracks.
func (x *tally) moves() float64 { return math.Log((x.odds + x.first) / float64(x.stays+1)) }

// probability is that of odds.
func probability(odds float64) float64 { return 1 / (1 + 1/odds) }
