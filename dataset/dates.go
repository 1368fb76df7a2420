package dataset

// This file reads dates and times of day, in one column or in several. Which of two numbers before
// a year is the day, and which the month, all rows of a table say together.

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// clocks are the forms of date and time that parseTime reads, beside seconds and dates whose year is last.
// Times without a zone are in UTC.
var clocks = []string{
	"2006-01-02 15:04:05",
	"2006-01-02T15:04:05",
	"2006-01-02T15:04:05Z07:00",
	"2006-01-02 15:04:05Z07:00",
	"2006/01/02 15:04:05",
	"15:04:05",
	"2006-01-02 15:04:05Z07",
	"2006-01-02 15:04:05Z0700",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02 15:04",
	"2006-01-02T15:04",
	"2006-01-02T15:04Z07:00",
	"2006/01/02 15:04",
	"2006-01-02",
	"20060102T150405",
	"20060102T150405Z07:00",
	"20060102T150405Z0700",
	"15:04:05Z07:00",
	"15:04",
	"3:04:05 PM",
	"3:04 PM",
	"2-Jan-2006 15:04:05", // of MATLAB
	"2-Jan-2006",
}

// timesOfDay follow a date whose year is last.
var timesOfDay = []string{"15:04:05", "15:04", "3:04:05 PM", "3:04 PM", "3:04:05PM", "3:04PM"}

// A dayMonth says how a date is written: of one whose year is last, which of the first two numbers
// is the day.
type dayMonth uint8

const (
	noDayMonth  dayMonth = iota // it is no date, but seconds
	yearFirst                   // or a time of day alone
	eitherFirst                 // it could be both
	dayFirst
	monthFirst
)

// dated says how times are written.
type dated struct {
	line [monthFirst + 1]int32 // where the first stands that is written so; 0: there is none
}

// see takes note of a time.
func (d *dated) see(by dayMonth, line int32) {
	if by != noDayMonth && d.line[by] == 0 {
		d.line[by] = line
	}
}

// join takes note of what comes after.
func (d *dated) join(q *dated) {
	for by, line := range q.line {
		if d.line[by] == 0 {
			d.line[by] = line
		}
	}
}

// A clockForm says how the times of a table are written.
type clockForm uint8

const (
	asWritten clockForm = iota // as parseDate reads them
	inDigits                   // as 20060102150405, all of them
	inParts                    // of the day, with a date in other columns; or all in other columns
)

// digitForms are dates and times in digits alone, by how many there are.
var digitForms = map[int]string{8: "20060102", 12: "200601021504", 14: "20060102150405", 17: "20060102150405.000"}

// parseDigits reads a date and time in digits, of the years from 1900 to 2099.
func parseDigits(b []byte) (t float64, ok bool) {
	word := string(b)
	form := digitForms[len(word)]
	if _, whole := parseInt(b); !whole || form == "" || word[:2] != "19" && word[:2] != "20" {
		return 0, false
	}
	if len(word) == 17 {
		word = word[:14] + "." + word[14:]
	}
	at, err := time.Parse(form, word)
	return float64(at.UnixNano()) * 1e-9, err == nil
}

// parseClock reads a time of day, as 15:04:05 or in digits as 150405, of which the first zeros may
// be lost, as seconds since midnight.
func parseClock(b []byte) (t float64, ok bool) {
	if _, number := parseFloat(b); number {
		at, err := time.Parse("150405", fmt.Sprintf("%06s", b))
		return at.Sub(at.Truncate(24 * time.Hour)).Seconds(), err == nil
	}
	t, _, ok = parseDate(b)
	return t - yearZero, ok && t < latestOfDay
}

// yearZero is when times of day begin that no day is known of: seconds since 1970.
var yearZero = float64(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).Unix())

// parse reads a word of the time or of the date.
func (c clockForm) parse(r role, word []byte) (t float64, by dayMonth, ok bool) {
	switch {
	case r == stamp && c == asWritten:
		return parseDate(word)
	case r == stamp && c == inParts:
		t, ok = parseClock(word)
		return t, noDayMonth, ok
	}
	if t, ok = parseDigits(word); !ok && r == date {
		t, by, ok = parseDate(word)
		return t, by, ok && by != noDayMonth && t >= latestOfDay
	}
	return t, yearFirst, ok
}

// join makes the time of a row of its parts, whose numbers these are; no: there is no such time.
func (l *layout) join(num *[roles]float64, has *[roles]bool) bool {
	at := num[date]
	if !has[date] {
		y, m, d := int(num[year]), time.Month(num[month]), int(num[monthDay])
		day := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
		if at = float64(day.Unix()); float64(y) != num[year] || float64(m) != num[month] || float64(d) != num[monthDay] || day.Month() != m || day.Day() != d {
			return false
		}
	}
	switch {
	case has[hour]:
		num[stamp] = 3600*num[hour] + 60*num[minute] + num[second]
		if !(num[hour] >= 0 && num[hour] <= 24 && num[minute] >= 0 && num[minute] < 60 && num[second] >= 0 && num[second] < 61) {
			return false
		}
	case !slices.Contains(l.roles, stamp): // the date is all
		num[stamp] = 0
	}
	num[stamp] += at
	return true
}

// parts has columns say the time together, where they do: a date and a time of day, or year, month,
// day and what follows. Others of these mean nothing.
func (t *titled) parts() {
	lose := func(rs ...role) {
		for c, r := range t.roles {
			if r != skip && slices.Contains(rs, r) {
				t.roles[c] = skip
			}
		}
	}
	if c := t.column(stamp); c >= 0 && t.has(minute) && strings.HasPrefix(plainName(t.names[c]), "sec") && !t.given[stamp] {
		t.roles[c] = second
	}
	if c := t.column(second); c >= 0 && !slices.ContainsFunc(t.roles, func(r role) bool { return r == frame || r == stamp || r >= date && r < second }) {
		t.roles[c] = stamp
	}
	if t.has(date) || !t.has(year) || !t.has(month) || !t.has(monthDay) {
		lose(year, month, monthDay)
	}
	dated, timed := t.has(date) || t.has(year), t.has(stamp) || t.has(hour)
	if !dated || t.has(stamp) || !t.has(hour) {
		lose(hour, minute, second)
	}
	if !t.has(minute) {
		lose(second)
	}
	switch {
	case !dated:
	case !timed && t.has(frame): // frames say more
		lose(date, year, month, monthDay)
	case !timed && t.has(date):
		t.roles[t.column(date)] = stamp
	default:
		t.clock = inParts
	}
}

// clocks tells by the first lines how times are written. Beside numbers, but for six digits as of
// 150405, and beside whole dates no other date is read.
func (t *titled) clocks(lines []peek) {
	c := t.column(stamp)
	if c < 0 || len(lines) == 0 {
		return
	}
	all := func(is func(word []byte) bool) bool {
		some := false
		for _, p := range lines {
			if c >= len(p.field) || isMissing([]byte(p.field[c])) {
				continue
			}
			if !is([]byte(p.field[c])) {
				return false
			}
			some = true
		}
		return some
	}
	long := false // six digits are no seconds of a day
	isClock := func(word []byte) bool {
		_, ok := parseClock(word)
		long = long || len(word) >= len("150405") || bytes.Contains(word, []byte(":"))
		return ok
	}
	isTime := func(word []byte) bool {
		at, by, ok := parseDate(word)
		return ok && (by == noDayMonth || at >= latestOfDay)
	}
	if t.clock == inParts && all(isTime) && !(all(isClock) && long) {
		t.clock = asWritten
		t.drop(date, year, month, monthDay)
	}
	if t.clock == asWritten && t.unit[stamp] == "" && all(func(word []byte) bool { _, ok := parseDigits(word); return ok }) {
		t.clock = inDigits
	}
}

// parseTime reads seconds, or a date and time as seconds since 1970.
func parseTime(b []byte) (float64, bool) {
	t, _, ok := parseDate(b)
	return t, ok
}

// parseDate is parseTime, and says how a date is written; where its day could be its month, it is
// read as the day.
func parseDate(b []byte) (t float64, by dayMonth, ok bool) {
	if f, ok := parseFloat(b); ok {
		return f, noDayMonth, true
	}
	word := strings.TrimSuffix(strings.TrimSuffix(string(b), " UTC"), " GMT")
	if t, by := yearLast(word); by != noDayMonth {
		return t, by, true
	}
	for _, form := range clocks {
		if at, err := time.Parse(form, word); err == nil {
			return float64(at.Unix()) + 1e-9*float64(at.Nanosecond()), yearFirst, true
		}
	}
	return 0, noDayMonth, false
}

// yearLast reads a date such as 31/12/2023, 12/31/2023 or 31.12.2023, with a time of day or without.
func yearLast(word string) (t float64, by dayMonth) {
	date, clock := word, ""
	if i := strings.IndexAny(word, " T,"); i >= 0 {
		date, clock = word[:i], strings.TrimLeft(word[i:], " T,")
	}
	var first, second, year int
	sep := strings.IndexAny(date, "/.-")
	if sep < 1 || sep > 2 || len(date) < 8 {
		return 0, noDayMonth
	}
	parts := strings.Split(date, date[sep:sep+1])
	if len(parts) != 3 || len(parts[1]) > 2 || len(parts[2]) != 4 {
		return 0, noDayMonth
	}
	for i, to := range []*int{&first, &second, &year} {
		n, ok := parseInt([]byte(parts[i]))
		if !ok || n < 1 {
			return 0, noDayMonth
		}
		*to = n
	}
	day, month := first, second
	switch {
	case first > 12 || date[sep] == '.':
		by = dayFirst
	case second > 12:
		by, day, month = monthFirst, second, first
	default:
		by = eitherFirst
	}
	at := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if at.Day() != day || month > 12 {
		return 0, noDayMonth
	}
	if clock == "" {
		return float64(at.Unix()), by
	}
	for _, form := range timesOfDay {
		if c, err := time.Parse(form, strings.ToUpper(clock)); err == nil {
			since := time.Duration(c.Hour())*time.Hour + time.Duration(c.Minute())*time.Minute + time.Duration(c.Second())*time.Second
			return float64(at.Unix()) + since.Seconds() + 1e-9*float64(c.Nanosecond()), by
		}
	}
	return 0, noDayMonth
}

// dates has months come before days where a row cannot be read otherwise, or, where all can be read
// both ways, if the rows come within a shorter time so.
func (s *source) dates(h *head) error {
	t := s.rows
	d := &t.dated
	months, days := d.line[monthFirst], d.line[dayFirst]
	if months > 0 && days > 0 {
		return &SyntaxError{File: h.name, Line: int(max(months, days)), Col: 1,
			Msg:  fmt.Sprintf("the month comes first in the date of line %d, the day in that of line %d", months, days),
			Hint: "write 2006-01-02 15:04:05.000"}
	}
	other := d.line[yearFirst]
	switch {
	case days > 0, months == 0 && (d.line[eitherFirst] == 0 || other > 0):
		return nil
	case other > 0: // whose days and months are not to be exchanged
		return &SyntaxError{File: h.name, Line: int(months), Col: 1,
			Msg: fmt.Sprintf("the month comes first in this date, and line %d writes its time in another way", other), Hint: "write 2006-01-02 15:04:05.000"}
	}
	var span [2]float64 // of time, with the day first and with the month first
	if months == 0 {
		for k, read := range []func(float64) float64{func(x float64) float64 { return x }, exchanged} {
			lo, hi := math.Inf(1), math.Inf(-1)
			t.eachTime(func(x *float64) { lo, hi = min(lo, read(*x)), max(hi, read(*x)) })
			span[k] = hi - lo
		}
		if span[1] >= span[0] {
			return nil
		}
	}
	t.eachTime(func(x *float64) { *x = exchanged(*x) })
	if months > 0 {
		s.note("the month comes first in dates, as in line %d", months)
	} else {
		s.note("the month is taken to come first in dates: all rows are within %v days so, else within %v; 2006-01-02 leaves no doubt", math.Ceil(span[1]/day), math.Ceil(span[0]/day))
	}
	return nil
}

// eachTime goes through the times of rows, with a position or without.
func (t *rows) eachTime(do func(x *float64)) {
	for i := range t.time {
		do(&t.time[i])
	}
	for i := range t.voids {
		do(&t.voids[i].time)
	}
}

// exchanged is the time on the date whose day and month are the month and the day of another; that
// itself where there is none.
func exchanged(t float64) float64 {
	at := time.Unix(int64(math.Floor(t)), 0).UTC()
	year, month, d := at.Date()
	if d > 12 {
		return t
	}
	from := time.Date(year, month, d, 0, 0, 0, 0, time.UTC)
	return t + time.Date(year, time.Month(d), int(month), 0, 0, 0, 0, time.UTC).Sub(from).Seconds()
}
