// Package cell writes cells of tables in text, for readers of tables that are no text.
package cell

import (
	"math"
	"strconv"
	"strings"
)

// AppendReal appends x in the shortest form that reads back to the same bits of a float of size
// bits, 32 or 64.
func AppendReal(b []byte, x float64, size int) []byte {
	if math.IsNaN(x) {
		return append(b, "nan"...)
	}
	return strconv.AppendFloat(b, x, 'g', -1, size)
}

// AppendWord appends a word, in quotes where it needs them; quotes in it become ', ends of lines blanks.
func AppendWord(b []byte, word string) []byte {
	if !strings.ContainsAny(word, ",\"\r\n;\t #%") {
		return append(b, word...)
	}
	word = strings.Map(func(c rune) rune {
		switch c {
		case '"':
			return '\''
		case '\r', '\n':
			return ' '
		}
		return c
	}, word)
	return append(append(append(b, '"'), word...), '"')
}
