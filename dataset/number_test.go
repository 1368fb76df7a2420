package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
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

// TestDecimal compares with strconv: where it answers, and how often it does not.
func TestDecimal(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	const trials = 300_000
	silent := 0
	check := func(m uint64, places int) {
		got, ok := decimal(m, places)
		if !ok {
			silent++
			return
		}
		text := fmt.Sprintf("%de-%d", m, places)
		want, err := strconv.ParseFloat(text, 64)
		if err != nil || got != want {
			t.Fatalf("decimal(%d, %d) = %v, want %v", m, places, got, want)
		}
	}
	for range trials {
		check(rng.Uint64()%1e19>>rng.IntN(64), rng.IntN(20))
		check(uint64(1)<<rng.IntN(63)+uint64(rng.IntN(3)), rng.IntN(20)) // near what is exact
		// What is written of a float64: shortest and with all digits.
		x := rng.Float64() * math.Pow(10, float64(rng.IntN(6)))
		digits := strings.Replace(strconv.FormatFloat(x, 'f', -1, 64), ".", "", 1)
		if m, err := strconv.ParseUint(digits, 10, 64); err == nil && len(digits) <= 19 {
			places := len(strconv.FormatFloat(x, 'f', -1, 64)) - 1 - strings.IndexByte(strconv.FormatFloat(x, 'f', -1, 64), '.')
			check(m, places)
			// Half way to the next number.
			check(m*2+1, min(places, 18)+1)
		}
	}
	if silent > trials/20 { // of numbers half way between two, mostly
		t.Errorf("%d of about %d are left to strconv", silent, 4*trials)
	}
	for k := range tenths {
		if got, want := floorLog2(k), int(math.Floor(-float64(k)*math.Log2(10))); got != want {
			t.Errorf("floorLog2(%d) = %d, want %d", k, got, want)
		}
	}
}

// TestNumerals: what is at hand is what would be written anew, whatever came between.
func TestNumerals(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	some := []float64{0, math.Copysign(0, -1), 1, -1.2345678901234567e-300, -math.MaxFloat64, math.SmallestNonzeroFloat64}
	for range 1000 {
		some = append(some, rng.NormFloat64()*math.Pow(10, float64(rng.IntN(40)-20)))
	}
	var n numerals
	for range 100_000 {
		x := some[rng.IntN(len(some))]
		fine := true
		got, want := string(n.append(nil, x, &fine, appendFloat)), string(appendFloat(nil, x, &fine))
		if got != want || !fine {
			t.Fatalf("%v is written %q, want %q", x, got, want)
		}
	}
	for range 2 {
		fine := true
		if n.append(nil, math.NaN(), &fine, appendFloat); fine {
			t.Error("NaN is fine")
		}
	}
}
