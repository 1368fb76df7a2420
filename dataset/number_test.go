package dataset

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestNumbers: the short ways of reading and writing numbers give what strconv gives, bit for bit
// and byte for byte.
func TestNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	check := func(text string) {
		t.Helper()
		want, err := strconv.ParseFloat(text, 64)
		got, ok := parseFloat([]byte(text))
		if ok != (err == nil) || ok && math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("parseFloat(%q) = %v, %v; want %v, %v", text, got, ok, want, err)
		}
		if !ok {
			return
		}
		fine := true
		if s := string(appendFloat(nil, got, &fine)[1:]); s != strconv.FormatFloat(got, 'g', -1, 64) || !fine {
			t.Fatalf("appendFloat(%v) = %s, want %s", got, s, strconv.FormatFloat(got, 'g', -1, 64))
		}
	}
	for _, text := range []string{"", "-", "+", ".", "-.", "0", "-0", "+0", "0.", ".5", "-.5", "1..2", "1.2.3", "1e5", "999999.999999", "999999.9999999", "1000000", "999999", "0.0001", "0.00009",
		"123456789012345", "1234567890123456", "0.1234567890123456", "00000000000000000001", "9007199254740993", "1e400", "--1", "1-", "5e-324", "0.000001", "0.3", "2.675"} {
		check(text)
	}
	for range 200_000 {
		decimals := rng.IntN(9)
		check(strconv.FormatFloat((rng.Float64()-0.5)*math.Pow10(rng.IntN(9)), 'f', decimals, 64))
		check(strconv.FormatFloat(rng.NormFloat64(), 'g', -1, 64))
	}
}

// TestWholeNumbers: appendUint writes what strconv writes, with room and without.
func TestWholeNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 5))
	check := func(v uint64) {
		t.Helper()
		want := "x" + strconv.FormatUint(v, 10)
		for _, b := range [][]byte{append(make([]byte, 0, 64), 'x'), {'x'}} {
			if got := string(appendUint(b, v)); got != want {
				t.Fatalf("appendUint(%d) = %s", v, got)
			}
		}
	}
	for p := uint64(1); ; p *= 10 {
		check(p - 1)
		check(p)
		check(p + 1)
		if p > math.MaxUint64/10 {
			break
		}
	}
	check(math.MaxUint64)
	for range 100_000 {
		check(rng.Uint64() >> rng.IntN(64))
	}
}
