package cli

// This file defines options: the flags of a command, each bound to the field of
// the options struct that holds its value. The value that the field has when
// the option is made is the default.

import (
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
)

// An Option is one flag. Its value is parsed by set and printed by get, so that
// the command line, the environment, configuration files and run.toml agree.
type Option struct {
	Name   string
	alias  string // one letter, or ""
	Usage  string // with unit; the placeholder for the value stands in backquotes
	IsBool bool
	Common bool // an option of every command; it never changes a result file
	Set    func(text string) error
	Get    func() any // bool, int64, uint64, float64, string, []float64
	Values []string   // words that it takes, for completion

	group    string            // of the help; "": none
	formerly map[string]string // what values in files of earlier versions are now
}

// AboveZero is the least bound of a number that may not be 0.
const AboveZero = math.SmallestNonzeroFloat64

// Number binds a flag to an int, uint64 or float64 in lo…hi.
func Number[T int | uint64 | float64](dst *T, name string, lo, hi float64, usage string) Option {
	set := func(text string) error {
		v, err := ParseNumber[T](text)
		switch {
		case err != nil:
			return err
		case float64(v) < lo && lo == AboveZero:
			return fmt.Errorf("%s is not above 0", text)
		case float64(v) > hi && lo == AboveZero:
			return fmt.Errorf("%s lies outside 0…%v", text, hi)
		case float64(v) < lo && math.IsInf(hi, 1):
			return fmt.Errorf("%s is below %v", text, lo)
		case float64(v) < lo || float64(v) > hi:
			return fmt.Errorf("%s lies outside %v…%v", text, lo, hi)
		}
		*dst = v
		return nil
	}
	return Option{Name: name, Usage: usage, Set: set, Get: func() any { return any(*dst) }}
}

// ParseNumber reads a finite number of type T.
func ParseNumber[T int | uint64 | float64](text string) (T, error) {
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

// NumberOr binds a number in lo…hi, or a word in its place that stands for a value of
// dst outside that range.
func NumberOr[T int | uint64 | float64](dst *T, name, word string, means T, lo, hi float64, usage string) Option {
	o := Number(dst, name, lo, hi, usage)
	inRange := o.Set
	o.Set = func(text string) error {
		if text == word {
			*dst = means
			return nil
		}
		err := inRange(text)
		if err == nil {
			return nil
		}
		nor := "nor"
		if !strings.Contains(err.Error(), " not ") {
			nor = "and not"
		}
		fault := Usagef("%w, %s the word %s", err, nor, word)
		if v, e := strconv.ParseFloat(text, 64); e == nil && lo == AboveZero { // of a rate or a probability 0 and 1 are never certain
			switch {
			case v == 0:
				fault.Hinted("1e-9 says next to none, %s leaves it to the data", word)
			case v > hi && v <= 1:
				fault.Hinted("%v says next to always, %s leaves it to the data", hi, word)
			}
		}
		return fault
	}
	o.Get = func() any {
		if *dst == means {
			return word
		}
		return *dst
	}
	o.Values = []string{word}
	return o
}

// Formerly has the value old, in files that earlier versions wrote, mean now.
func (o Option) Formerly(old, now string) Option {
	o.formerly = maps.Clone(o.formerly)
	if o.formerly == nil {
		o.formerly = make(map[string]string)
	}
	o.formerly[old] = now
	return o
}

// SetSaved sets o from the text of a file, which an earlier version may have written.
func (o *Option) SetSaved(text string) error {
	if now, ok := o.formerly[text]; ok {
		text = now
	}
	return o.Set(text)
}

// In puts options into a group of the help.
func In(group string, options []Option) []Option {
	for i := range options {
		options[i].group = group
	}
	return options
}

// Numbers binds a flag to a list of finite numbers above lo, separated by commas.
func Numbers(dst *[]float64, name string, lo float64, usage string) Option {
	set := func(text string) error {
		var list []float64
		for part := range strings.SplitSeq(text, ",") {
			v, err := ParseNumber[float64](strings.TrimSpace(part))
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
	return Option{Name: name, Usage: usage, Set: set, Get: func() any { return *dst }}
}

// Text binds a flag to a string.
func Text(dst *string, name, usage string) Option {
	set := func(text string) error { *dst = text; return nil }
	return Option{Name: name, Usage: usage, Set: set, Get: func() any { return *dst }}
}

// Choice binds a flag to one of the given words.
func Choice(dst *string, name string, words []string, usage string) Option {
	set := func(text string) error {
		for _, w := range words {
			if text == w {
				*dst = w
				return nil
			}
		}
		return Usagef("%q is not one of %s", text, strings.Join(words, ", ")).Hinted("%s", DidYouMean(text, "", words))
	}
	return Option{Name: name, Usage: usage, Set: set, Get: func() any { return *dst }, Values: words}
}

// Boolean binds a flag to a switch that is off unless given.
func Boolean(dst *bool, name, usage string) Option {
	set := func(text string) error {
		v, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", text)
		}
		*dst = v
		return nil
	}
	return Option{Name: name, Usage: usage, IsBool: true, Set: set, Get: func() any { return *dst }}
}

// Value prints the current value of o as the command line takes it.
func (o *Option) Value() string {
	switch v := o.Get().(type) {
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
func (o *Option) takes(name string) bool {
	return name == o.Name || o.alias != "" && name == o.alias
}

// Find is the option with this name or alias, or nil.
func Find(options []Option, name string) *Option {
	for i := range options {
		if options[i].takes(name) {
			return &options[i]
		}
	}
	return nil
}

// Names lists the names of the options.
func Names(options []Option) []string {
	list := make([]string, len(options))
	for i := range options {
		list[i] = options[i].Name
	}
	return list
}
