package plots

// This file draws scores against a parameter of the scene, and the sentences
// and numbers that figures share.

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

// ScoreAgainstNoise draws a score against the noise of the scene, one line for
// each method, with error bars. It serves any other parameter as well: the
// labels name both axes with their units, "position noise σ, m" and "MMEP, %".
func ScoreAgainstNoise(title, noise, score string, methods []Series) *Figure {
	p := newPanel(noise, score)
	f := &Figure{PanelHeight: 250}
	bars := false
	for _, m := range methods {
		bars = bars || slices.ContainsFunc(m.Points, Point.hasBar)
	}
	for i, m := range methods {
		s := newSeries(i, m.Points)
		if bars {
			s.shift = 2.5 * vg.Length(2*i-len(methods)+1) / 2
		}
		f.add(p, m.Name, s)
	}
	fit(&p.X, 0.04)
	fitFromZero(&p.Y)
	f.Title = headline(title, atLargest(noise, score, methods))
	return f.finish(p)
}

// atLargest lists the scores of up to four methods at the largest x that all of
// them have.
func atLargest(noise, score string, methods []Series) string {
	value := func(s Series, x float64) (float64, bool) {
		for _, pt := range s.Points {
			if pt.ok() && pt.X == x {
				return pt.Y, true
			}
		}
		return 0, false
	}
	far := math.Inf(-1)
	if n := len(methods); 0 < n && n <= 4 {
		for _, pt := range methods[0].Points {
			common := pt.ok()
			for _, m := range methods {
				_, has := value(m, pt.X)
				common = common && has
			}
			if common {
				far = max(far, pt.X)
			}
		}
	}
	if !finite(far) {
		return ""
	}
	var parts []string
	for _, m := range methods {
		y, _ := value(m, far)
		parts = append(parts, named(m.Name, number(y)))
	}
	name, unit, _ := strings.Cut(score, ", ")
	return fmt.Sprintf("%s %s at %s", name, withUnit(strings.Join(parts, ", "), unit), quantity(noise, far))
}

// missing is a value that is not known.
var missing = math.NaN()

// headline is title, a colon, and the parts that say what came out.
func headline(title string, parts ...string) string {
	parts = slices.DeleteFunc(slices.Clone(parts), func(s string) bool { return s == "" })
	if len(parts) == 0 {
		return title
	}
	result := strings.Join(parts, "; ")
	if title == "" {
		return result
	}
	return title + ": " + result
}

// number is v with three significant digits, for titles and notes.
func number(v float64) string {
	s := strconv.FormatFloat(v, 'g', 3, 64)
	if a := math.Abs(v); a >= 1e3 && a < 1e15 {
		s = grouped(strconv.FormatFloat(v, 'f', 0, 64))
	}
	return strings.Replace(s, "-", "−", 1)
}

// withUnit sets a unit, if there is one, after a value without a line break.
func withUnit(value, unit string) string {
	if unit == "" {
		return value
	}
	return value + "\u00a0" + unit
}

// quantity is the value of what an axis label, "gate radius, m", names: "gate
// radius 12 m".
func quantity(label string, v float64) string {
	name, unit, _ := strings.Cut(label, ", ")
	return name + " " + withUnit(number(v), unit)
}

// count is n and a noun in the number that goes with it: "1 track", "12 000 tracks".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%s %ss", grouped(strconv.Itoa(n)), noun)
}

// grouped sets thin spaces between groups of three digits of a whole number of
// more than four.
func grouped(digits string) string {
	if len(digits) <= 4 {
		return digits
	}
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			b.WriteString("\u2009")
		}
		b.WriteRune(d)
	}
	return b.String()
}
