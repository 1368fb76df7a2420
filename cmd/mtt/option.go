package main

// This file defines options: the flags of a command, each bound to the field of
// the options struct that holds its value. The value that the field has when
// the option is made is the default.

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// An option is one flag. Its value is parsed by set and printed by get, so that
// the command line, the environment, configuration files and run.toml agree.
type option struct {
	name   string
	alias  string // one letter, or ""
	usage  string // with unit; the placeholder for the value stands in backquotes
	isBool bool
	common bool // an option of every command; it never changes a result file
	set    func(text string) error
	get    func() any // bool, int64, uint64, float64, string, []float64
}

// aboveZero is the least bound of a number that may not be 0.
const aboveZero = math.SmallestNonzeroFloat64

// number binds a flag to an int, uint64 or float64 in lo…hi.
func number[T int | uint64 | float64](dst *T, name string, lo, hi float64, usage string) option {
	set := func(text string) error {
		v, err := parseNumber[T](text)
		switch {
		case err != nil:
			return err
		case float64(v) < lo && lo == aboveZero:
			return fmt.Errorf("%s is not above 0", text)
		case float64(v) < lo && math.IsInf(hi, 1):
			return fmt.Errorf("%s is below %v", text, lo)
		case float64(v) < lo || float64(v) > hi:
			return fmt.Errorf("%s lies outside %v…%v", text, lo, hi)
		}
		*dst = v
		return nil
	}
	return option{name: name, usage: usage, set: set, get: func() any { return any(*dst) }}
}

// parseNumber reads a finite number of type T.
func parseNumber[T int | uint64 | float64](text string) (T, error) {
	var zero T
	switch any(zero).(type) {
	case float64:
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return zero, fmt.Errorf("%q is not a finite number", text)
		}
		return T(v), nil
	case uint64:
		v, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return zero, fmt.Errorf("%q is not a whole number from 0 to 2^64-1", text)
		}
		return T(v), nil
	}
	v, err := strconv.Atoi(text)
	if err != nil {
		return zero, fmt.Errorf("%q is not a whole number", text)
	}
	return T(v), nil
}

// numberOr binds a whole number of at least 0, or a word in its place, for which
// dst is -1.
func numberOr(dst *int, name, word, usage string) option {
	return option{
		name:  name,
		usage: usage,
		set: func(text string) error {
			if text == word {
				*dst = -1
				return nil
			}
			v, err := strconv.Atoi(text)
			if err != nil || v < 0 {
				return fmt.Errorf("%q is neither %s nor a whole number", text, word)
			}
			*dst = v
			return nil
		},
		get: func() any {
			if *dst < 0 {
				return word
			}
			return *dst
		},
	}
}

// numbers binds a flag to a list of finite numbers above lo, separated by commas.
func numbers(dst *[]float64, name string, lo float64, usage string) option {
	set := func(text string) error {
		var list []float64
		for part := range strings.SplitSeq(text, ",") {
			v, err := parseNumber[float64](strings.TrimSpace(part))
			if err != nil {
				return err
			}
			if v <= lo {
				return fmt.Errorf("%v is not above %v", v, lo)
			}
			list = append(list, v)
		}
		*dst = list
		return nil
	}
	return option{name: name, usage: usage, set: set, get: func() any { return *dst }}
}

// text binds a flag to a string.
func text(dst *string, name, usage string) option {
	set := func(text string) error { *dst = text; return nil }
	return option{name: name, usage: usage, set: set, get: func() any { return *dst }}
}

// choice binds a flag to one of the given words.
func choice(dst *string, name string, words []string, usage string) option {
	set := func(text string) error {
		for _, w := range words {
			if text == w {
				*dst = w
				return nil
			}
		}
		return usagef("%q is not one of %s", text, strings.Join(words, ", ")).hinted("%s", didYouMean(text, "", words))
	}
	return option{name: name, usage: usage, set: set, get: func() any { return *dst }}
}

// boolean binds a flag to a switch that is off unless given.
func boolean(dst *bool, name, usage string) option {
	set := func(text string) error {
		v, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", text)
		}
		*dst = v
		return nil
	}
	return option{name: name, usage: usage, isBool: true, set: set, get: func() any { return *dst }}
}

// value prints the current value of o as the command line takes it.
func (o *option) value() string {
	switch v := o.get().(type) {
	case []float64:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = strconv.FormatFloat(x, 'g', -1, 64)
		}
		return strings.Join(parts, ",")
	default:
		return fmt.Sprint(v)
	}
}

// takes reports whether the flag with this name or alias is o.
func (o *option) takes(name string) bool {
	return name == o.name || o.alias != "" && name == o.alias
}

// find is the option with this name or alias, or nil.
func find(options []option, name string) *option {
	for i := range options {
		if options[i].takes(name) {
			return &options[i]
		}
	}
	return nil
}

// names lists the names of the options.
func names(options []option) []string {
	list := make([]string, len(options))
	for i := range options {
		list[i] = options[i].name
	}
	return list
}
