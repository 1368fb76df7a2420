// Package shell writes command lines that a user can paste into a shell.
package shell

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Join joins words so that a shell reads them back: those that need it are quoted as
// POSIX says. A word with control characters or with bytes that are no text is quoted
// as $'…' (bash, zsh, ksh and POSIX from 2024 on), so that the result is one line of
// text and does nothing to a terminal.
func Join(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return strings.Join(quoted, " ")
}

// quote quotes a word where it must be.
func quote(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,+%@"
	switch {
	case !utf8.ValidString(word) || strings.ContainsFunc(word, hidden):
		return escape(word)
	case word == "" || strings.Trim(word, plain) != "":
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

// hidden says whether a character should not be printed: it moves the cursor, or changes
// how others are shown.
func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

// escape quotes a word as $'…', bytes that should not be printed as \ooo: three digits
// end where others follow, as two of \x may not.
func escape(word string) string {
	var b strings.Builder
	b.WriteString("$'")
	for len(word) > 0 {
		r, n := utf8.DecodeRuneInString(word)
		switch {
		case r == '\'' || r == '\\':
			b.WriteString(`\` + word[:n])
		case r == utf8.RuneError && n == 1 || hidden(r):
			for _, c := range []byte(word[:n]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteString(word[:n])
		}
		word = word[n:]
	}
	return b.String() + "'"
}
