//go:build !amd64 || noasm

package metrics

func stepWeightsFours(weight, begun, ahead, next, own, step, tie []float64, first, second []int32, price []float64, length, share, rest float64) {
	stepWeightsGo(weight, begun, ahead, next, own, step, tie[1:], first, second, price, length, pull{share, rest}, tie[0])
}

func stepTiesFours(tie, begun, ahead, wide, next []float64, length, share, rest float64) {
	stepTiesGo(tie, begun, ahead, wide, next, length, pull{share, rest})
}

func stepPricesFours(price, begun, ahead, pace, room, sum []float64, length, share, rest float64) {
	stepPricesGo(price, begun, ahead, pace, room, sum, length, pull{share, rest})
}
