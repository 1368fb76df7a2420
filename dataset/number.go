package dataset

// This file reads and writes numbers, exactly: what is not of a common form is left to
// package strconv.

import (
	"math"
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
	f, ok := parseFloat(b)
	if !ok || f != math.Trunc(f) || math.Abs(f) > maxInt {
		return 0, false
	}
	return int(f), true
}

// powers are the powers of ten that a float64 holds exactly, and that matter here.
var powers = [16]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// parseFloat reads a finite decimal number. Of up to 15 digits it is the quotient of two
// numbers that a float64 holds exactly, and so rounded once, as it should be.
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
	if digits == 0 || digits > 15 {
		return parseAnyFloat(b)
	}
	f := float64(m)
	if point >= 0 {
		f /= powers[digits-point]
	}
	if b[0] == '-' {
		f = -f
	}
	return f, true
}

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
