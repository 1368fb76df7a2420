// Package text is what the readers of tables have in common: the error that says
// where a file is wrong, files opened plain or decompressed, lines, and the likely
// mistakes behind what is not a number.
package text

// This file defines the error that readers return for files that do not say what
// they should, and the hints that several of them give.

import (
	"fmt"
	"regexp"
)

// A SyntaxError says where a file is wrong, what is wrong there and, when that
// can be guessed, which mistake led to it.
type SyntaxError struct {
	File string
	Line int    // from 1; 0 when the file as a whole is meant
	Col  int    // in bytes, from 1; 0 when the line as a whole is meant
	Msg  string // what is wrong
	Hint string // the likely mistake; "" when there is no good guess

	Empty bool // whether it is that nothing is in the file
	Twice bool // whether it is that an identity is in a frame twice
}

// Error is "file:line:column: what; likely mistake", without the parts that are
// not known.
func (e *SyntaxError) Error() string {
	s := e.File
	if e.Line > 0 {
		s += fmt.Sprintf(":%d", e.Line)
		if e.Col > 0 {
			s += fmt.Sprintf(":%d", e.Col)
		}
	}
	s += ": " + e.Msg
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// Hints that more than one reader gives.
const (
	DecimalPoints = "write decimal points, not decimal commas"
	NoThousands   = "write digits without separators of thousands, and a decimal point"
	NotPlain      = "the file is not plain text"
	SaveAsUTF8    = "if it is text in UTF-16 (Excel's \"Unicode text\"), save it as UTF-8"
)

// thousands is a number whose thousands are separated by commas, points, apostrophes or blanks.
var thousands = regexp.MustCompile(`^[-+]?\d{1,3}([,.'’ \x{a0}\x{202f}]\d{3})+([.,]\d*)?$`)

// Grouped says whether word is a number with separators of thousands.
func Grouped(word string) bool { return thousands.MatchString(word) }
