// Package tomlfile reads TOML within limits, so that no file of a few kilobytes takes
// gigabytes: the parser behind it needs time and memory that grow with the square of
// the depth of a key.
package tomlfile

import (
	"fmt"
	"io"
	"os"

	"github.com/BurntSushi/toml"
)

// Limits of a file. What mtt writes has some kilobytes, or as many numbers as there are
// scans without a detection, and keys of two parts.
const (
	MaxBytes = 4 << 20
	MaxDepth = 32 // parts of a key; brackets within each other
)

// DecodeFile reads the file name into v; see [Decode].
func DecodeFile(name string, v any) (toml.MetaData, error) {
	f, err := os.Open(name)
	if err != nil {
		return toml.MetaData{}, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return toml.MetaData{}, err
	}
	return Decode(string(text), v)
}

// Decode reads text into v as toml.Decode does, but refuses what is beyond the limits
// with a toml.ParseError.
func Decode(text string, v any) (toml.MetaData, error) {
	if len(text) > MaxBytes {
		return toml.MetaData{}, refusal(1, "the file has more than %d bytes", MaxBytes)
	}
	if err := checkDepth(text); err != nil {
		return toml.MetaData{}, err
	}
	return toml.Decode(text, v)
}

// refusal is the error for a line.
func refusal(line int, format string, args ...any) error {
	return toml.ParseError{Message: fmt.Sprintf(format, args...), Position: toml.Position{Line: line}}
}

// checkDepth looks for keys of too many parts and for brackets too deep within each
// other. It knows no more of TOML than where strings and comments end; what it takes for
// something else than the parser does comes after an error that the parser finds.
func checkDepth(text string) error {
	line, parts, depth := 1, 1, 0
	for at := 0; at < len(text); at++ {
		switch c := text[at]; c {
		case '"', '\'':
			end := skipString(text[at:])
			for _, b := range []byte(text[at : at+end]) {
				if b == '\n' {
					line++
				}
			}
			at += end - 1
		case '#':
			for at+1 < len(text) && text[at+1] != '\n' {
				at++
			}
		case '.':
			if parts++; parts > MaxDepth {
				return refusal(line, "a key of more than %d parts", MaxDepth)
			}
		case '[', '{':
			parts = 1
			if depth++; depth > MaxDepth {
				return refusal(line, "more than %d brackets within each other", MaxDepth)
			}
		case ']', '}':
			parts, depth = 1, max(0, depth-1)
		case ',', '=':
			parts = 1
		case '\n':
			line, parts = line+1, 1
		}
	}
	return nil
}

// skipString is the length of the string at the beginning of s, quotes included: to
// its end, or that of the line or text where it has none.
func skipString(s string) int {
	quote := s[0]
	long := len(s) >= 3 && s[1] == quote && s[2] == quote
	at := 1
	if long {
		at = 3
	}
	for ; at < len(s); at++ {
		switch {
		case s[at] == '\\' && quote == '"':
			at++
		case s[at] == '\n' && !long:
			return at
		case s[at] == quote && !long:
			return at + 1
		case s[at] == quote && at+2 < len(s) && s[at+1] == quote && s[at+2] == quote:
			for at += 3; at < len(s) && s[at] == quote; at++ { // up to two quotes may end the content
			}
			return at
		}
	}
	return len(s)
}
