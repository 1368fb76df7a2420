package dataset

// This file reads and writes numbers, exactly: what is not of a common form is left to
// package strconv.

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// parseInt reads a decimal integer of magnitude at most maxInt. It also takes
// 7.80e+02, as numpy writes integers.
func parseInt(b []byte) (int, bool) {
	s := b
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	if len(s) > 0 && len(s) <= 15 {
		v := 0
		for _, c := range s {
			if c < '0' || c > '9' {
				v = -1
				break
			}
			v = 10*v + int(c-'0')
		}
		if v >= 0 {
			if b[0] == '-' {
				v = -v
			}
			return v, true
		}
	}
	if v, err := strconv.ParseInt(string(b), 10, 64); err == nil { // exactly, as a float64 would not be
		return int(v), -maxInt <= v && v <= maxInt
	}
	f, ok := parseFloat(b)
	if !ok || f != math.Trunc(f) || math.Abs(f) >= maxInt { // at maxInt it may have been rounded
		return 0, false
	}
	return int(f), true
}

// isLong says whether b is a whole number, in digits alone, that is too large for parseInt.
func isLong(b []byte) bool {
	if len(b) < 16 {
		return false
	}
	for i, c := range b {
		if (c < '0' || c > '9') && (i > 0 || c != '-' && c != '+') {
			return false
		}
	}
	_, ok := parseInt(b)
	return !ok
}

// powers are the powers of ten that a float64 holds exactly, and that matter here.
var powers = [16]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// parseFloat reads a finite decimal number. Of up to 15 digits it is the quotient of two
// numbers that a float64 holds exactly, and so rounded once, as it should be; of up to 19 see decimal.
func parseFloat(b []byte) (float64, bool) {
	rest := b
	if len(rest) > 0 && (rest[0] == '-' || rest[0] == '+') {
		rest = rest[1:]
	}
	m, digits, point := uint64(0), 0, -1
	for _, c := range rest {
		if d := c - '0'; d <= 9 {
			m = 10*m + uint64(d)
			digits++
		} else if c == '.' && point < 0 {
			point = digits
		} else {
			return parseAnyFloat(b)
		}
	}
	places := 0
	if point >= 0 {
		places = digits - point
	}
	var f float64
	switch {
	case digits == 0 || digits > 19:
		return parseAnyFloat(b)
	case digits <= 15:
		f = float64(m) / powers[places]
	default:
		var ok bool
		if f, ok = decimal(m, places); !ok {
			return parseAnyFloat(b)
		}
	}
	if b[0] == '-' {
		f = -f
	}
	return f, true
}

// A tenth is a power of ten with a negative exponent: 2 to some power times hi·2⁶⁴ + lo,
// rounded down, of which the highest bit is set.
type tenth struct{ hi, lo uint64 }

// tenths are the powers from 10⁰ down to those of numbers of 19 digits.
var tenths = func() (t [20]tenth) {
	power := big.NewInt(1)
	for k := range t {
		// 128 bits of 1/10^k.
		q := new(big.Int).Lsh(big.NewInt(1), uint(127+power.BitLen()))
		if q.Div(q, power); q.BitLen() > 128 { // 10⁰
			q.Rsh(q, 1)
		}
		t[k] = tenth{new(big.Int).Rsh(q, 64).Uint64(), q.Uint64()}
		power.Mul(power, big.NewInt(10))
	}
	return t
}()

// decimal is m, of up to 19 digits, over 10^places, rounded as IEEE 754 has it; false where
// the first 128 bits of the quotient do not decide that.
//
// It is the algorithm of Eisel and Lemire (Lemire, Number parsing at a gigabyte per second,
// Software: Practice and Experience 51, 2021) for the exponents that measured numbers have:
// m, shifted until its highest bit is set, times 64 bits of the power of ten, and where the bits below
// the 54 that matter are all ones, so that what was rounded off may carry, times the next 64 bits.
func decimal(m uint64, places int) (float64, bool) {
	if m == 0 {
		return 0, true
	}
	const digits = 0x1ff // bits of the high word below the 54 that matter, at least
	shift := bits.LeadingZeros64(m)
	m <<= shift
	power := tenths[places]
	hi, lo := bits.Mul64(m, power.hi)
	if hi&digits == digits && lo+m < m {
		more, least := bits.Mul64(m, power.lo)
		sum := lo + more
		if sum < lo {
			hi++
		}
		if hi&digits == digits && sum+1 == 0 && least+m < least {
			return 0, false
		}
		lo = sum
	}
	top := hi >> 63
	f := hi >> (top + 9) // 54 bits
	if lo == 0 && hi&digits == 0 && f&3 == 1 {
		return 0, false // half way, as far as can be seen
	}
	f = (f + f&1) >> 1
	// 10^-places is power·2^(-128 + 1 + ⌊log₂ 10^-places⌋), of a double word.
	exp := 1023 + 63 - shift + floorLog2(places) + int(top)
	if f>>53 > 0 {
		f >>= 1
		exp++
	}
	return math.Float64frombits(uint64(exp)<<52 | f&(1<<52-1)), true
}

// floorLog2 is ⌊log₂ 10^-places⌋, for up to 19 places.
func floorLog2(places int) int { return (-217706 * places) >> 16 }

// parseAnyFloat is parseFloat for numbers of any form.
func parseAnyFloat(b []byte) (float64, bool) {
	for _, c := range b {
		if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return 0, false
		}
	}
	f, err := strconv.ParseFloat(string(b), 64)
	return f, err == nil
}

// appendFloats appends a comma and the shortest exact form of each number, and
// clears ok when one is not finite.
func appendFloats(b []byte, v []float64, ok *bool) []byte {
	for _, x := range v {
		b = appendFloat(b, x, ok)
	}
	return b
}

// appendFloat is appendFloats for one number. A number of at most six decimals below a
// million is that decimal: two of up to 15 digits are never one float64, so
// none is shorter.
func appendFloat(b []byte, x float64, ok *bool) []byte {
	if x-x != 0 {
		*ok = false
	}
	b = append(b, ',')
	size := math.Abs(x)
	if !(size < 1e6 && size >= 1e-4) {
		return strconv.AppendFloat(b, x, 'g', -1, 64)
	}
	m := uint64(size*1e6 + 0.5)
	if float64(m)/1e6 != size {
		return strconv.AppendFloat(b, x, 'g', -1, 64)
	}
	if x < 0 {
		b = append(b, '-')
	}
	whole, part := m/1e6, uint32(m%1e6)
	b = appendUint(b, whole)
	if part == 0 {
		return b
	}
	high, middle, low := part/10000*2, part/100%100*2, part%100*2
	b = append(b, '.', pairs[high], pairs[high+1], pairs[middle], pairs[middle+1], pairs[low], pairs[low+1])
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	return b
}

// appendSix is appendFloat with six digits.
func appendSix(b []byte, x float64, ok *bool) []byte {
	if x-x != 0 {
		*ok = false
	}
	return strconv.AppendFloat(append(b, ','), x, 'g', 6, 64)
}

// appendRounded is appendFloat of x rounded to so many decimals, up to 9.
func appendRounded(b []byte, x float64, decimals int, ok *bool) []byte {
	if x-x != 0 {
		*ok = false
	}
	size, power := math.Abs(x), powers[decimals]
	if !(size*power < 1<<53) {
		return appendFloat(b, x, ok)
	}
	b = append(b, ',')
	m := uint64(float64(size*power) + 0.5)
	if x < 0 && m > 0 {
		b = append(b, '-')
	}
	whole := m / uint64(power)
	b = appendUint(b, whole)
	part := m - whole*uint64(power)
	if part == 0 {
		return b
	}
	at := len(b)
	b = append(b, ".000000000"[:decimals+1]...)
	for k := at + decimals; part > 0; k-- {
		b[k] += byte(part % 10)
		part /= 10
	}
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	return b
}

// decimals is the number of decimals, from 3 to 9, down to a ten thousandth of the square root of a
// variance.
func decimals(variance float64) int {
	n := 3
	for n < 9 && !(variance*powers[n]*powers[n] >= 1e8) {
		n++
	}
	return n
}

// numerals write numbers that are written again and again, such as covariances, which do not
// depend on what was measured: what was written last of those of one hash is at hand.
type numerals [256]struct {
	bits uint64
	size uint8    // 0: none yet
	text [31]byte // the longest has 25
}

// append is form, appendFloat or another, always the same for one n.
func (n *numerals) append(b []byte, x float64, ok *bool, form func(b []byte, x float64, ok *bool) []byte) []byte {
	bits := math.Float64bits(x)
	known := &n[bits*0x9e3779b97f4a7c15>>56]
	if known.bits == bits && known.size > 0 {
		return append(b, known.text[:known.size]...)
	}
	start := len(b)
	b = form(b, x, ok)
	if x-x == 0 {
		known.bits, known.size = bits, uint8(copy(known.text[:], b[start:]))
	}
	return b
}

// pairs are the numbers from 00 to 99.
var pairs = func() (p [200]byte) {
	for k := range 100 {
		p[2*k], p[2*k+1] = byte('0'+k/10), byte('0'+k%10)
	}
	return p
}()

// appendInt appends v in decimal.
func appendInt(b []byte, v int) []byte {
	if v < 0 {
		return strconv.AppendInt(b, int64(v), 10)
	}
	return appendUint(b, uint64(v))
}

// appendUint appends v in decimal: two digits at a time, in their place.
func appendUint(b []byte, v uint64) []byte {
	n := 1
	for p := uint64(10); n < 20 && v >= p; p *= 10 {
		n++
	}
	if cap(b)-len(b) < n {
		return strconv.AppendUint(b, v, 10)
	}
	b = b[:len(b)+n]
	at := len(b)
	for v >= 100 {
		two := v % 100 * 2
		v /= 100
		at -= 2
		b[at], b[at+1] = pairs[two], pairs[two+1]
	}
	if v >= 10 {
		b[at-2], b[at-1] = pairs[2*v], pairs[2*v+1]
	} else {
		b[at-1] = byte('0' + v)
	}
	return b
}
