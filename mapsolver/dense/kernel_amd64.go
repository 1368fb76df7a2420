//go:build amd64 && !noasm

package dense

import "golang.org/x/sys/cpu"

// This file chooses between the loops of kernel.go and their AVX2 or AVX-512
// assembly, which is generated: see _gen.

//go:generate go -C _gen run . -out ../kernel_amd64.s -stubs ../zkernel_amd64.go -pkg dense

var (
	haveAVX2   = cpu.X86.HasAVX2
	haveAVX512 = cpu.X86.HasAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL
)

func reduce(d, c, v []float64) float64 {
	if !haveAVX2 {
		return reduceGo(d, c, v)
	}
	_, _ = d[:len(c)], v[:len(c)]
	if haveAVX512 {
		return reduceAVX512(d, c, v)
	}
	return reduceAVX2(d, c, v)
}

func relax(d, c, v []float64, pred []int32, delta float64, row int32) float64 {
	if !haveAVX2 {
		return relaxGo(d, c, v, pred, delta, row)
	}
	_, _, _ = d[:len(c)], v[:len(c)], pred[:len(c)]
	if haveAVX512 {
		return relaxAVX512(d, c, v, pred, delta, row)
	}
	return relaxAVX2(d, c, v, pred, delta, row)
}

func index(d []float64, x float64) int {
	if !haveAVX2 {
		return indexGo(d, x)
	}
	return indexAVX2(d, x)
}

func twoLeast(d, c, v []float64) (least, second float64) {
	if !haveAVX2 {
		return twoLeastGo(d, c, v)
	}
	_, _ = d[:len(c)], v[:len(c)]
	return twoLeastAVX2(d, c, v)
}

func columns(least, second, c []float64, u float64) {
	if !haveAVX2 {
		columnsGo(least, second, c, u)
		return
	}
	_, _ = least[:len(c)], second[:len(c)]
	columnsAVX2(least, second, c, u)
}

func lower(v, c, bar []float64, u float64) {
	if !haveAVX2 {
		lowerGo(v, c, bar, u)
		return
	}
	_, _ = v[:len(c)], bar[:len(c)]
	lowerAVX2(v, c, bar, u)
}

func magnitude(c []float64, limit float64) (most float64, ok bool) {
	if !haveAVX2 {
		return magnitudeGo(c, limit)
	}
	return magnitudeAVX2(c, limit)
}

func cheapest(v, c []float64, pred []int32, row int32, limit float64) (most float64, ok bool) {
	if !haveAVX2 {
		return cheapestGo(v, c, pred, row, limit)
	}
	_, _ = v[:len(c)], pred[:len(c)]
	return cheapestAVX2(v, c, pred, row, limit)
}

func widen(d []float64, c []float32) {
	if !haveAVX2 {
		widenGo(d, c)
		return
	}
	_ = d[:len(c)]
	widenAVX2(d, c)
}

func below(dst []int32, c, v []float64, limit float64) int {
	if !haveAVX2 {
		return belowGo(dst, c, v, limit)
	}
	_, _ = v[:len(c)], dst[:len(c)]
	return belowAVX2(dst, c, v, limit)
}
