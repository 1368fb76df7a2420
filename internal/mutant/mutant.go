// Package mutant puts random faults into files, for tests of their readers.
package mutant

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
)

// oddities take the place of numbers.
var oddities = []string{
	"", "nan", "NaN", "inf", "-Infinity", "1e400", "-1e308", "1e-320", "0x1F", "1,5", "1.5.2", "--1", "+1", "1e", "9223372036854775807", "9223372036854775808",
	"-9223372036854775809", "1e18", "0", "-0", "-1", "1_000", "\"", "\"1", "null", "true", "[]", "{}", "1 2", "\x00", "\xff\xfe", "é", "１", "None", "NA", "#", ";", "\t", "\r", "1e5000000000",
}

var number = regexp.MustCompile(`[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?`)

// Of returns b, which is not empty, with a random fault, and says what that is, and whether it is a
// number alone that is another or none: then a reader of text finds as much as before, or says what
// it misses.
func Of(rng *rand.Rand, b []byte) (c []byte, what string, value bool) {
	c = slices.Clone(b)
	at := rng.IntN(len(c))
	end := min(len(c), at+1+rng.IntN(1<<rng.IntN(8)))
	switch kind := rng.IntN(9); kind {
	case 0:
		c[at] ^= 1 << rng.IntN(8)
		return c, fmt.Sprintf("a bit of byte %d", at), false
	case 1:
		c[at] = byte(rng.IntN(256))
		return c, fmt.Sprintf("byte %d is %q", at, c[at]), false
	case 2:
		return slices.Delete(c, at, end), fmt.Sprintf("without bytes %d to %d", at, end), false
	case 3:
		return slices.Insert(c, at, b[at:end]...), fmt.Sprintf("bytes %d to %d twice", at, end), false
	case 4:
		return c[:at], fmt.Sprintf("cut at %d", at), false
	case 5:
		lines := bytes.SplitAfter(c, []byte("\n"))
		i, j := rng.IntN(len(lines)), rng.IntN(len(lines))
		lines[i], lines[j] = lines[j], lines[i]
		return slices.Concat(lines...), fmt.Sprintf("lines %d and %d change places", i+1, j+1), false
	default:
		tokens := number.FindAllIndex(c, -1)
		if len(tokens) == 0 {
			return c[at:], fmt.Sprintf("without the first %d bytes", at), false
		}
		k := tokens[rng.IntN(len(tokens))]
		odd := oddities[rng.IntN(len(oddities))]
		if kind == 8 {
			odd = fmt.Sprint(rng.NormFloat64() * 1000)
		}
		return slices.Concat(c[:k[0]], []byte(odd), c[k[1]:]), fmt.Sprintf("%q for %q at %d", odd, c[k[0]:k[1]], k[0]), odd != "#" // which begins a comment
	}
}

// Several is Of with a further fault now and then, when a number alone is no longer all.
func Several(rng *rand.Rand, b []byte) (c []byte, what string, value bool) {
	c, what, value = Of(rng, b)
	for rng.IntN(4) == 0 && len(c) > 0 {
		var more string
		c, more, _ = Of(rng, c)
		what, value = what+"; "+more, false
	}
	return c, what, value
}

// Member is a zip archive like b, with a fault in one member of it, packed anew: with checksums
// that are right, so that what is inside is read.
func Member(rng *rand.Rand, b []byte) (c []byte, what string, err error) {
	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, "", err
	}
	odd := rng.IntN(len(r.File))
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for k, f := range r.File {
		in, err := f.Open()
		if err != nil {
			return nil, "", err
		}
		data, err := io.ReadAll(in)
		if err != nil {
			return nil, "", err
		}
		if k == odd && len(data) > 0 {
			data, what, _ = Several(rng, data)
			what = f.Name + ": " + what
		}
		m, err := w.CreateHeader(&zip.FileHeader{Name: f.Name, Method: zip.Store})
		if err != nil {
			return nil, "", err
		}
		if _, err := m.Write(data); err != nil {
			return nil, "", err
		}
	}
	err = w.Close()
	return out.Bytes(), what, err
}
