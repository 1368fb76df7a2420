//go:build amd64 && !noasm

package metrics

import "golang.org/x/sys/cpu"

// haveAVX2 is made false by tests.
var haveAVX2 = cpu.X86.HasAVX2

func stepWeightsFours(weight, begun, ahead, next, own, step, tie []float64, first, second []int32, price []float64, length, share, rest float64) {
	if !haveAVX2 {
		stepWeightsGo(weight, begun, ahead, next, own, step, tie[1:], first, second, price, length, pull{share, rest}, tie[0])
		return
	}
	stepWeightsAVX2(weight, begun, ahead, next, own, step, tie, first, second, price, length, share, rest)
}

func stepTiesFours(tie, begun, ahead, wide, next []float64, length, share, rest float64) {
	if !haveAVX2 {
		stepTiesGo(tie, begun, ahead, wide, next, length, pull{share, rest})
		return
	}
	stepTiesAVX2(tie, begun, ahead, wide, next, length, share, rest)
}

func stepPricesFours(price, begun, ahead, pace, room, sum []float64, length, share, rest float64) {
	if !haveAVX2 {
		stepPricesGo(price, begun, ahead, pace, room, sum, length, pull{share, rest})
		return
	}
	stepPricesAVX2(price, begun, ahead, pace, room, sum, length, share, rest)
}

// These take as many as the first of their lists has, a multiple of four.

//go:noescape
func stepWeightsAVX2(weight, begun, ahead, next, own, step, tie []float64, first, second []int32, price []float64, length, share, rest float64)

//go:noescape
func stepTiesAVX2(tie, begun, ahead, wide, next []float64, length, share, rest float64)

//go:noescape
func stepPricesAVX2(price, begun, ahead, pace, room, sum []float64, length, share, rest float64)
