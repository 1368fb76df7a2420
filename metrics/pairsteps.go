package metrics

// This file holds the loops of a step of the relaxation in file pairrelax.go: their Go, which is
// what the assembly beside it equals. It takes fours; what is left over is done here.

// A pull is by what a step of Halpern's draws doubled steps back to where they began.
type pull struct{ share, rest float64 }

// stepWeights moves weights, given where ties, and prices at places of both slots, were: to where a
// plain step leads, twice as far, and drawn back.
func stepWeights(weight, begun, ahead, next, own, step, tie []float64, first, second []int32, price []float64, length float64, p pull) {
	before, k := 0.0, 0
	if n := len(weight); n > 4 {
		k = 1 + (n-1)&^3
		stepWeightsGo(weight[:1], begun, ahead, next, own, step, tie, first, second, price, length, p, 0)
		stepWeightsFours(weight[1:k], begun[1:k], ahead[1:k], next[1:k], own[1:k], step[1:k], tie[:k], first[1:k], second[1:k], price, length, p.share, p.rest)
		before = tie[k-1]
	}
	stepWeightsGo(weight[k:], begun[k:], ahead[k:], next[k:], own[k:], step[k:], tie[k:], first[k:], second[k:], price, length, p, before)
}

func stepWeightsGo(weight, begun, ahead, next, own, step, tie []float64, first, second []int32, price []float64, length float64, p pull, before float64) {
	for k, w := range weight {
		y := tie[k]
		to := max(0, min(1, w-step[k]*length*(own[k]+price[first[k]]+price[second[k]]+y-before)))
		before = y
		ahead[k], next[k] = to, 2*to-w
		weight[k] = p.share*next[k] + p.rest*begun[k]
	}
}

// stepTies moves ties, given twice moved weights on both sides. There is one more of these.
func stepTies(tie, begun, ahead, wide, next []float64, length float64, p pull) {
	k := len(tie) &^ 3
	if k > 0 {
		stepTiesFours(tie[:k], begun[:k], ahead[:k], wide[:k], next[:k+1], length, p.share, p.rest)
	}
	stepTiesGo(tie[k:], begun[k:], ahead[k:], wide[k:], next[k:], length, p)
}

func stepTiesGo(tie, begun, ahead, wide, next []float64, length float64, p pull) {
	for k, y := range tie {
		to := clamp(y+length*(next[k]-next[k+1]), wide[k])
		ahead[k] = to
		tie[k] = p.share*(2*to-y) + p.rest*begun[k]
	}
}

// stepPrices moves prices of slots, given what weights add up to, and clears that.
func stepPrices(price, begun, ahead, pace, room, sum []float64, length float64, p pull) {
	k := len(price) &^ 3
	if k > 0 {
		stepPricesFours(price[:k], begun[:k], ahead[:k], pace[:k], room[:k], sum[:k], length, p.share, p.rest)
	}
	stepPricesGo(price[k:], begun[k:], ahead[k:], pace[k:], room[k:], sum[k:], length, p)
}

func stepPricesGo(price, begun, ahead, pace, room, sum []float64, length float64, p pull) {
	for s, x := range price {
		to := max(0, x+pace[s]*length*(sum[s]-room[s]))
		sum[s], ahead[s] = 0, to
		price[s] = p.share*(2*to-x) + p.rest*begun[s]
	}
}
