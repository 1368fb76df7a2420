// Command gen writes the AVX2 and AVX-512 loops of package dense; run it by go generate.
package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/gotypes"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Each loop takes as many columns as fill two vectors of four, then one at a
// time with the same instructions on single numbers. Its Go counterpart in
// kernel.go says what it computes. Minima do not depend on the order in which
// they are taken, as no operand is NaN, so the results are equal bit for bit,
// but for the sign of zero.

func main() {
	ConstraintExpr("amd64,!noasm")
	reduce()
	relax()
	index()
	twoLeast()
	columns()
	lower()
	magnitude()
	cheapest()
	widen()
	below()
	reduce512()
	relax512()
	Generate()
}

// at is the place of column j, of size bytes each, k columns further.
func at(base Register, j Register, size uint8, k int) Mem {
	return Mem{Base: base, Index: j, Scale: size, Disp: k * int(size)}
}

func ptr(name string) Register { return Load(Param(name).Base(), GP64()) }

// each emits a loop over n columns: wide for eight columns from j, then single
// for one.
func each(name string, n Register, wide, single func(j Register)) {
	eachOf(8, name, "_eight", n, wide, single)
}

// eachOf is each for another width, a power of two; label is added to the name of the wide loop.
func eachOf(width int, name, label string, n Register, wide, single func(j Register)) {
	j, end := GP64(), GP64()
	XORQ(j, j)
	MOVQ(n, end)
	ANDQ(I32(-width), end)
	JMP(LabelRef(name + label + "_test"))
	Label(name + label)
	wide(j)
	ADDQ(U8(width), j)
	Label(name + label + "_test")
	CMPQ(j, end)
	JLT(LabelRef(name + label))
	JMP(LabelRef(name + "_one_test"))
	Label(name + "_one")
	single(j)
	INCQ(j)
	Label(name + "_one_test")
	CMPQ(j, n)
	JLT(LabelRef(name + "_one"))
}

// Legacy instructions on vector registers, such as avo's Load and Store of a
// float64, are slow while the upper halves are in use: only VEX ones are used.

// ahead fetches what the loop will read from base in some iterations. The
// hardware does so too, but begins anew at every page of 4 KiB.
func ahead(base, j Register) { PREFETCHT0(at(base, j, 8, 128)) }

// broadcast fills a vector with a constant.
func broadcast(bits uint64) VecVirtual {
	g, x, y := GP64(), XMM(), YMM()
	MOVQ(U64(bits), g)
	VMOVQ(g, x)
	VBROADCASTSD(x, y)
	return y
}

// address is the place of an argument or result.
func address(c Component) Mem {
	b, err := c.Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// spread fills a vector with a float64 argument.
func spread(name string) VecVirtual {
	y := YMM()
	VBROADCASTSD(address(Param(name)), y)
	return y
}

// result stores the first lane of a vector.
func result(i int, x VecVirtual) { VMOVSD(x.AsX(), address(ReturnIndex(i))) }

// least leaves the least of two vectors in the first lane of the first.
func least(a, b VecVirtual) VecVirtual {
	x := XMM()
	VMINPD(a, b, a)
	VEXTRACTF128(U8(1), a, x)
	VMINPD(x, a.AsX(), a.AsX())
	VPERMILPD(U8(1), a.AsX(), x)
	VMINSD(x, a.AsX(), a.AsX())
	return a
}

// leave ends the use of wide registers.
func leave() {
	VZEROUPPER()
	RET()
}

var inf = math.Float64bits(math.Inf(1))

func reduce() {
	TEXT("reduceAVX2", NOSPLIT, "func(d, c, v []float64) float64")
	Pragma("noescape")
	d, c, v, n := ptr("d"), ptr("c"), ptr("v"), Load(Param("c").Len(), GP64())
	a, b := broadcast(inf), broadcast(inf)
	each("reduce", n, func(j Register) {
		ahead(c, j)
		for k, acc := range []VecVirtual{a, b} {
			x := YMM()
			VMOVUPD(at(c, j, 8, 4*k), x)
			VSUBPD(at(v, j, 8, 4*k), x, x)
			VMOVUPD(x, at(d, j, 8, 4*k))
			VMINPD(acc, x, acc)
		}
	}, func(j Register) {
		x := XMM()
		VMOVSD(at(c, j, 8, 0), x)
		VSUBSD(at(v, j, 8, 0), x, x)
		VMOVSD(x, at(d, j, 8, 0))
		VBROADCASTSD(x, x.AsY())
		VMINPD(a, x.AsY(), a)
	})
	result(0, least(a, b))
	leave()
}

// narrow makes of the masks of eight numbers of 64 bits one of 32 bits each.
func narrow(masks [2]VecVirtual) VecVirtual {
	mask := YMM()
	VSHUFPS(U8(0x88), masks[1], masks[0], mask)
	VPERMQ(U8(0xd8), mask, mask)
	return mask
}

func relax() {
	TEXT("relaxAVX2", NOSPLIT, "func(d, c, v []float64, pred []int32, delta float64, row int32) float64")
	Pragma("noescape")
	d, c, v, pred, n := ptr("d"), ptr("c"), ptr("v"), ptr("pred"), Load(Param("c").Len(), GP64())
	delta := spread("delta")
	row, rows := GP32(), YMM()
	Load(Param("row"), row)
	VMOVD(row, rows.AsX())
	VPBROADCASTD(rows.AsX(), rows)
	a, b := broadcast(inf), broadcast(inf)
	each("relax", n, func(j Register) {
		ahead(c, j)
		var nearer [2]VecVirtual
		for k, acc := range []VecVirtual{a, b} {
			h, x := YMM(), YMM()
			nearer[k] = YMM()
			VMOVUPD(at(c, j, 8, 4*k), h)
			VSUBPD(at(v, j, 8, 4*k), h, h)
			VADDPD(delta, h, h)
			VMOVUPD(at(d, j, 8, 4*k), x)
			VCMPPD(U8(1), x, h, nearer[k]) // h < x
			VMINPD(x, h, x)
			VMOVUPD(x, at(d, j, 8, 4*k))
			VMINPD(acc, x, acc)
		}
		mask, old := narrow(nearer), YMM()
		VMOVUPS(at(pred, j, 4, 0), old)
		VBLENDVPS(mask, rows, old, old)
		VMOVUPS(old, at(pred, j, 4, 0))
	}, func(j Register) {
		h, x := XMM(), XMM()
		VMOVSD(at(c, j, 8, 0), h)
		VSUBSD(at(v, j, 8, 0), h, h)
		VADDSD(delta.AsX(), h, h)
		VMOVSD(at(d, j, 8, 0), x)
		VUCOMISD(h, x) // x-h > 0
		JBE(LabelRef("relax_keep"))
		VMOVSD(h, at(d, j, 8, 0))
		MOVL(row, at(pred, j, 4, 0))
		VMOVAPD(h, x)
		Label("relax_keep")
		VBROADCASTSD(x, x.AsY())
		VMINPD(a, x.AsY(), a)
	})
	result(0, least(a, b))
	leave()
}

func index() {
	TEXT("indexAVX2", NOSPLIT, "func(d []float64, x float64) int")
	Pragma("noescape")
	d, n := ptr("d"), Load(Param("d").Len(), GP64())
	x := spread("x")
	bits := GP32()
	found, place := GP64(), GP64()
	each("index", n, func(j Register) {
		a, b := YMM(), YMM()
		VCMPPD(U8(0), at(d, j, 8, 0), x, a)
		VCMPPD(U8(0), at(d, j, 8, 4), x, b)
		VORPD(a, b, b)
		VMOVMSKPD(b, bits)
		TESTL(bits, bits)
		JZ(LabelRef("index_none"))
		VMOVMSKPD(a, bits)
		VCMPPD(U8(0), at(d, j, 8, 4), x, b)
		high := GP32()
		VMOVMSKPD(b, high)
		SHLL(U8(4), high)
		ORL(high, bits)
		BSFL(bits, bits)
		MOVL(bits, place.As32())
		LEAQ(Mem{Base: j, Index: place, Scale: 1}, found)
		JMP(LabelRef("index_found"))
		Label("index_none")
	}, func(j Register) {
		VUCOMISD(at(d, j, 8, 0), x.AsX())
		JNE(LabelRef("index_differs"))
		MOVQ(j, found)
		JMP(LabelRef("index_found"))
		Label("index_differs")
	})
	MOVQ(n, found)
	Label("index_found")
	Store(found, ReturnIndex(0))
	leave()
}

func twoLeast() {
	TEXT("twoLeastAVX2", NOSPLIT, "func(d, c, v []float64) (least, second float64)")
	Pragma("noescape")
	d, c, v, n := ptr("d"), ptr("c"), ptr("v"), Load(Param("c").Len(), GP64())
	one := []VecVirtual{broadcast(inf), broadcast(inf)}
	two := []VecVirtual{broadcast(inf), broadcast(inf)}
	// keep puts x among the two least of each lane.
	keep := func(k int, x VecVirtual) {
		t := YMM()
		VMAXPD(one[k], x, t)
		VMINPD(two[k], t, two[k])
		VMINPD(one[k], x, one[k])
	}
	each("two", n, func(j Register) {
		ahead(c, j)
		for k := range one {
			x := YMM()
			VMOVUPD(at(c, j, 8, 4*k), x)
			VSUBPD(at(v, j, 8, 4*k), x, x)
			VMOVUPD(x, at(d, j, 8, 4*k))
			keep(k, x)
		}
	}, func(j Register) {
		// The other lanes get +Inf.
		x, all := XMM(), YMM()
		VMOVSD(at(c, j, 8, 0), x)
		VSUBSD(at(v, j, 8, 0), x, x)
		VMOVSD(x, at(d, j, 8, 0))
		VBROADCASTSD(x, x.AsY())
		VMOVAPD(broadcast(inf), all)
		VBLENDPD(U8(1), x.AsY(), all, all)
		keep(0, all)
	})
	// merge joins the two least of each lane of both.
	merge := func(a, a2, b, b2 VecVirtual) {
		t := YMM()
		VMAXPD(a, b, t)
		VMINPD(a, b, a)
		VMINPD(a2, b2, a2)
		VMINPD(a2, t, a2)
	}
	merge(one[0], two[0], one[1], two[1])
	for _, swap := range []func(x, y VecVirtual){
		func(x, y VecVirtual) { VPERM2F128(U8(1), x, x, y) },
		func(x, y VecVirtual) { VPERMILPD(U8(5), x, y) },
	} {
		swap(one[0], one[1])
		swap(two[0], two[1])
		merge(one[0], two[0], one[1], two[1])
	}
	result(0, one[0])
	result(1, two[0])
	leave()
}

func columns() {
	TEXT("columnsAVX2", NOSPLIT, "func(least, second, c []float64, u float64)")
	Pragma("noescape")
	least, second, c, n := ptr("least"), ptr("second"), ptr("c"), Load(Param("c").Len(), GP64())
	u := spread("u")
	each("columns", n, func(j Register) {
		for k := range 2 {
			x, a, b := YMM(), YMM(), YMM()
			VMOVUPD(at(c, j, 8, 4*k), x)
			VSUBPD(u, x, x)
			VMOVUPD(at(least, j, 8, 4*k), a)
			VMAXPD(a, x, b)
			VMINPD(a, x, a)
			VMINPD(at(second, j, 8, 4*k), b, b)
			VMOVUPD(a, at(least, j, 8, 4*k))
			VMOVUPD(b, at(second, j, 8, 4*k))
		}
	}, func(j Register) {
		x, a, b := XMM(), XMM(), XMM()
		VMOVSD(at(c, j, 8, 0), x)
		VSUBSD(u.AsX(), x, x)
		VMOVSD(at(least, j, 8, 0), a)
		VMAXSD(a, x, b)
		VMINSD(a, x, a)
		VMINSD(at(second, j, 8, 0), b, b)
		VMOVSD(a, at(least, j, 8, 0))
		VMOVSD(b, at(second, j, 8, 0))
	})
	leave()
}

func lower() {
	TEXT("lowerAVX2", NOSPLIT, "func(v, c, bar []float64, u float64)")
	Pragma("noescape")
	v, c, bar, n := ptr("v"), ptr("c"), ptr("bar"), Load(Param("c").Len(), GP64())
	u := spread("u")
	each("lower", n, func(j Register) {
		for k := range 2 {
			x := YMM()
			VMOVUPD(at(c, j, 8, 4*k), x)
			VSUBPD(u, x, x)
			VADDPD(at(bar, j, 8, 4*k), x, x)
			VMINPD(at(v, j, 8, 4*k), x, x)
			VMOVUPD(x, at(v, j, 8, 4*k))
		}
	}, func(j Register) {
		x := XMM()
		VMOVSD(at(c, j, 8, 0), x)
		VSUBSD(u.AsX(), x, x)
		VADDSD(at(bar, j, 8, 0), x, x)
		VMINSD(at(v, j, 8, 0), x, x)
		VMOVSD(x, at(v, j, 8, 0))
	})
	leave()
}

func magnitude() {
	TEXT("magnitudeAVX2", NOSPLIT, "func(c []float64, limit float64) (most float64, ok bool)")
	Pragma("noescape")
	c, n := ptr("c"), Load(Param("c").Len(), GP64())
	limit := spread("limit")
	sign := broadcast(1<<63 - 1)
	most, above := YMM(), YMM()
	VXORPD(most, most, most)
	VXORPD(above, above, above)
	each("magnitude", n, func(j Register) {
		ahead(c, j)
		for k := range 2 {
			x, y := YMM(), YMM()
			VANDPD(at(c, j, 8, 4*k), sign, x)
			VCMPPD(U8(6), limit, x, y) // not x ≤ limit
			VORPD(y, above, above)
			VMAXPD(most, x, most)
		}
	}, func(j Register) {
		x, y := XMM(), YMM()
		VMOVSD(at(c, j, 8, 0), x)
		VBROADCASTSD(x, x.AsY())
		VANDPD(sign, x.AsY(), x.AsY())
		VCMPPD(U8(6), limit, x.AsY(), y)
		VORPD(y, above, above)
		VMAXPD(most, x.AsY(), most)
	})
	magnitudes(most, above)
	leave()
}

// magnitudes leaves the results of magnitude: the greatest lane of most, and
// whether no lane of above is set.
func magnitudes(most, above VecVirtual) {
	x, bits, ok := XMM(), GP32(), GP8()
	VEXTRACTF128(U8(1), most, x)
	VMAXPD(x, most.AsX(), most.AsX())
	VPERMILPD(U8(1), most.AsX(), x)
	VMAXSD(x, most.AsX(), most.AsX())
	result(0, most)
	VMOVMSKPD(above, bits)
	TESTL(bits, bits)
	SETEQ(ok)
	Store(ok, ReturnIndex(1))
}

func cheapest() {
	TEXT("cheapestAVX2", NOSPLIT, "func(v, c []float64, pred []int32, row int32, limit float64) (most float64, ok bool)")
	Pragma("noescape")
	v, c, pred, n := ptr("v"), ptr("c"), ptr("pred"), Load(Param("c").Len(), GP64())
	limit := spread("limit")
	row, rows := GP32(), YMM()
	Load(Param("row"), row)
	VMOVD(row, rows.AsX())
	VPBROADCASTD(rows.AsX(), rows)
	sign := broadcast(1<<63 - 1)
	most, above := YMM(), YMM()
	VXORPD(most, most, most)
	VXORPD(above, above, above)
	each("cheapest", n, func(j Register) {
		ahead(c, j)
		var less [2]VecVirtual
		for k := range less {
			x, y := YMM(), YMM()
			less[k] = YMM()
			VMOVUPD(at(c, j, 8, 4*k), x)
			VMOVUPD(at(v, j, 8, 4*k), y)
			VCMPPD(U8(1), y, x, less[k]) // x < y
			VBLENDVPD(less[k], x, y, y)
			VMOVUPD(y, at(v, j, 8, 4*k))
			VANDPD(sign, x, x)
			VCMPPD(U8(6), limit, x, y) // not x ≤ limit
			VORPD(y, above, above)
			VMAXPD(most, x, most)
		}
		mask, old := narrow(less), YMM()
		VMOVUPS(at(pred, j, 4, 0), old)
		VBLENDVPS(mask, rows, old, old)
		VMOVUPS(old, at(pred, j, 4, 0))
	}, func(j Register) {
		x, y := XMM(), YMM()
		VMOVSD(at(c, j, 8, 0), x)
		VMOVSD(at(v, j, 8, 0), y.AsX())
		VUCOMISD(x, y.AsX()) // y-x > 0
		JBE(LabelRef("cheapest_keep"))
		VMOVSD(x, at(v, j, 8, 0))
		MOVL(row, at(pred, j, 4, 0))
		Label("cheapest_keep")
		VBROADCASTSD(x, x.AsY())
		VANDPD(sign, x.AsY(), x.AsY())
		VCMPPD(U8(6), limit, x.AsY(), y)
		VORPD(y, above, above)
		VMAXPD(most, x.AsY(), most)
	})
	magnitudes(most, above)
	leave()
}

func widen() {
	TEXT("widenAVX2", NOSPLIT, "func(d []float64, c []float32)")
	Pragma("noescape")
	d, c, n := ptr("d"), ptr("c"), Load(Param("c").Len(), GP64())
	each("widen", n, func(j Register) {
		for k := range 2 {
			x := YMM()
			VCVTPS2PD(at(c, j, 4, 4*k), x)
			VMOVUPD(x, at(d, j, 8, 4*k))
		}
	}, func(j Register) {
		x := XMM()
		VMOVSS(at(c, j, 4, 0), x)
		VCVTSS2SD(x, x, x)
		VMOVSD(x, at(d, j, 8, 0))
	})
	leave()
}

func below() {
	TEXT("belowAVX2", NOSPLIT, "func(dst []int32, c, v []float64, limit float64) int")
	Pragma("noescape")
	dst, c, v, n := ptr("dst"), ptr("c"), ptr("v"), Load(Param("c").Len(), GP64())
	limit := spread("limit")
	count := GP64()
	XORQ(count, count)
	each("below", n, func(j Register) {
		ahead(c, j)
		var less [2]VecVirtual
		for k := range less {
			x := YMM()
			less[k] = YMM()
			VMOVUPD(at(c, j, 8, 4*k), x)
			VSUBPD(at(v, j, 8, 4*k), x, x)
			VCMPPD(U8(1), limit, x, less[k]) // x < limit
		}
		any, bits, high := YMM(), GP32(), GP32()
		VORPD(less[0], less[1], any)
		VMOVMSKPD(any, bits)
		TESTL(bits, bits)
		JZ(LabelRef("below_none"))
		VMOVMSKPD(less[0], bits)
		VMOVMSKPD(less[1], high)
		SHLL(U8(4), high)
		ORL(high, bits)
		place, rest := GP32(), GP32()
		Label("below_next")
		BSFL(bits, place)
		ADDL(j.(GPVirtual).As32(), place)
		MOVL(place, at(dst, count, 4, 0))
		INCQ(count)
		LEAL(Mem{Base: bits, Disp: -1}, rest)
		ANDL(rest, bits)
		JNZ(LabelRef("below_next"))
		Label("below_none")
	}, func(j Register) {
		x := XMM()
		VMOVSD(at(c, j, 8, 0), x)
		VSUBSD(at(v, j, 8, 0), x, x)
		VUCOMISD(x, limit.AsX()) // limit-x > 0
		JBE(LabelRef("below_not"))
		MOVL(j.(GPVirtual).As32(), at(dst, count, 4, 0))
		INCQ(count)
		Label("below_not")
	})
	Store(count, ReturnIndex(0))
	leave()
}
