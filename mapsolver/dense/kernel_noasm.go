//go:build !amd64 || noasm

package dense

// This file names the loops of kernel.go where there is no assembly.

func reduce(d, c, v []float64) float64 { return reduceGo(d, c, v) }

func relax(d, c, v []float64, pred []int32, delta float64, row int32) float64 {
	return relaxGo(d, c, v, pred, delta, row)
}

func index(d []float64, x float64) int { return indexGo(d, x) }

func twoLeast(d, c, v []float64) (least, second float64) { return twoLeastGo(d, c, v) }

func columns(least, second, c []float64, u float64) { columnsGo(least, second, c, u) }

func lower(v, c, bar []float64, u float64) { lowerGo(v, c, bar, u) }

func magnitude(c []float64, limit float64) (most float64, ok bool) { return magnitudeGo(c, limit) }

func cheapest(v, c []float64, pred []int32, row int32, limit float64) (most float64, ok bool) {
	return cheapestGo(v, c, pred, row, limit)
}

func widen(d []float64, c []float32) { widenGo(d, c) }

func below(dst []int32, c, v []float64, limit float64) int { return belowGo(dst, c, v, limit) }
