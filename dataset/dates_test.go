package dataset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDates: whether day or month comes first, all rows of a table say together.
func TestDates(t *testing.T) {
	newYear := float64(time.Date(2023, 12, 31, 23, 59, 50, 0, time.UTC).Unix())
	for _, tt := range []struct {
		name, times string // of rows, separated by |
		start, last float64
		note        string
	}{
		{"months", "12/31/2023 23:59:50|1/1/2024 00:00:00|1/1/2024 00:00:10", newYear, 20, "the month comes first in dates, as in line 2"},
		{"months, later", "01/01/2024 00:00:00|01/13/2024 00:00:00", newYear + 10, 12 * 86400, "the month comes first in dates, as in line 3"},
		{"half days", "12/31/2023 11:59:50 PM|1/1/2024 12:00:00 AM|1/1/2024 12:00:10 am", newYear, 20, "the month comes first"},
		{"days", "31/12/2023 23:59:50|01/01/2024 00:00:00|01/01/2024 00:00:10", newYear, 20, ""},
		{"points", "31.12.2023 23:59:50|1.1.2024 00:00|01.01.2024 00:00:10", newYear, 20, ""},
		{"either", "1/1/2024 00:00|1/2/2024 00:00|1/3/2024 00:00", newYear + 10, 2 * 86400, "all rows are within 2 days so, else within 60"},
		{"two ways", "2024-01-01 00:00|1/2/2024 00:00|1/3/2024 00:00", newYear + 10, 60 * 86400, ""},
		{"one day", "2/1/2024 00:00|2/1/2024 00:01|2/1/2024 00:02", newYear + 10 + 86400, 120, ""},
		{"universal", "2023-12-31 23:59:50 UTC|2024-01-01 00:00:00+00|2024-01-01 00:00:10 UTC", newYear, 20, ""},
		{"compact", "20231231T235950Z|20240101T000000Z|20240101T010010+0100", newYear, 20, ""},
		{"dates alone", "2024-01-01|2024-01-02|2024-01-03", newYear + 10, 2 * 86400, ""},
	} {
		var b strings.Builder
		b.WriteString("time,x,y\n")
		for i, at := range strings.Split(tt.times, "|") {
			b.WriteString(at)
			b.WriteString(",1," + strings.Repeat("1", i+1) + "\n")
		}
		d := read(t, "points.csv", b.String(), nil)
		if last := d.Scans[len(d.Scans)-1].Time - d.Scans[0].Time; d.Start != tt.start || last != tt.last {
			t.Errorf("%s: from %v, %v s long, want %v and %v", tt.name, d.Start, last, tt.start, tt.last)
		}
		if notes := strings.Join(d.Notes, "; "); !strings.Contains(notes, tt.note) || tt.note == "" && strings.Contains(notes, "month") {
			t.Errorf("%s: notes %s, want %q", tt.name, notes, tt.note)
		}
	}
	_, err := parse("points.csv", strings.NewReader("time,x,y\n13/2/2024 00:00,1,1\n1/13/2024 00:00,2,1\n"), 0, new(Options))
	if err == nil || !strings.Contains(err.Error(), "points.csv:3:1: the month comes first in the date of line 3, the day in that of line 2") {
		t.Errorf("both: %v", err)
	}
	_, err = parse("points.csv", strings.NewReader("time,x,y\n2024-01-02 00:00:00,1,1\n1/13/2024 00:00,2,1\n"), 0, new(Options))
	if err == nil || !strings.Contains(err.Error(), "points.csv:3:1: the month comes first in this date, and line 2 writes its time in another way") {
		t.Errorf("two ways: %v", err)
	}
	for _, word := range []string{"31/31/2024", "30/2/2024", "1/1/24", "1/1/2024 25:00", "2024-13-01", "1/1-2024", "0/1/2024"} {
		if at, ok := parseTime([]byte(word)); ok {
			t.Errorf("%s is read as %v", word, at)
		}
	}
}

// TestStreamDates: a stream cannot look at later rows.
func TestStreamDates(t *testing.T) {
	sr := NewScanReader(strings.NewReader("time,x,y\n1/1/2024 00:00,1,1\n1/13/2024 00:00,2,1\n"), "stdin", "auto", nil)
	for {
		_, err := sr.Next()
		if err != nil {
			if !strings.Contains(err.Error(), "stdin:3:1: the month comes first in a date") {
				t.Errorf("%v", err)
			}
			return
		}
	}
}

// TestDateParts: a date and a time of day may stand in columns of their own.
func TestDateParts(t *testing.T) {
	begin := time.Date(2024, 4, 30, 23, 59, 40, 0, time.UTC)
	for _, tt := range []struct {
		name, titles, form string
		step               time.Duration
		start              time.Time
	}{
		{"two", "date,time", "2006-01-02,15:04:05", 10 * time.Second, begin},
		{"half days, months first", "Date,Time", "01/02/2006,3:04:05 PM", 10 * time.Second, begin},
		{"minutes, days first", "date,time", "02.01.2006,15:04", time.Minute, begin.Truncate(time.Minute)},
		{"digits", "date_utc,time_utc", "20060102,150405", 10 * time.Second, begin},
		{"digits together", "time", "20060102150405", 10 * time.Second, begin},
		{"digits of days", "time", "20060102", day * time.Second, begin.Truncate(day * time.Second)},
		{"days", "date", "2006-01-02", day * time.Second, begin.Truncate(day * time.Second)},
		{"six", "year,month,day,hour,minute,second", "2006,01,02,15,04,05", 10 * time.Second, begin},
		{"seconds", "date,hour,minute,seconds", "2006-01-02,15,04,05", 10 * time.Second, begin},
		{"three", "year,month,day", "2006,1,2", day * time.Second, begin.Truncate(day * time.Second)},
		{"three and time", "year,month,day,time", "2006,1,2,15:04:05", 10 * time.Second, begin},
		{"whole times", "date,datetime", "2006-01-02,2006-01-02T15:04:05Z", 10 * time.Second, begin},
	} {
		var b strings.Builder
		b.WriteString(tt.titles + ",x,y\n")
		for k := range 4 {
			b.WriteString(begin.Add(time.Duration(k) * tt.step).Format(tt.form))
			b.WriteString(",1," + strings.Repeat("1", k+1) + "\n")
		}
		b.WriteString(begin.Add(4*tt.step).Format(tt.form) + ",,\n") // somebody looked
		d := read(t, "points.csv", b.String(), nil)
		last := d.Scans[len(d.Scans)-1]
		if d.Start != float64(tt.start.Unix()) || len(d.Scans) != 5 || last.Time-d.Scans[0].Time != 4*tt.step.Seconds() {
			t.Errorf("%s: from %v, %d scans, the last at %v: %q", tt.name, d.Start, len(d.Scans), last.Time, d.Notes)
		}
		if tt.start == begin && !strings.Contains(tt.form, "01/02") { // a stream knows no month that is first
			sr := NewScanReader(strings.NewReader(b.String()), "stdin", "auto", nil)
			for k := range d.Scans {
				if s, err := sr.Next(); err != nil || s.Time != d.Start+d.Scans[k].Time {
					t.Errorf("%s: scan %d of the stream: %v, %v", tt.name, k, s, err)
					break
				}
			}
		}
	}
	for _, tt := range []struct{ text, want string }{
		{"date,time,x,y\n2024-04-30,23:59,1,1\n2024-04-30,noon,1,1\n", `points.csv:3:12: time is "noon", not a time of day`},
		{"date,time,x,y\n2024-04-30,23:59,1,1\nApril,23:59,1,1\n", `points.csv:3:1: date is "April", not a date`},
		{"year,month,day,x,y\n2024,4,30,1,1\n2024,4,31,1,1\n", "points.csv:3:1: no such date and time"},
		{"year,month,day,hour,x,y\n2024,4,30,25,1,1\n", "points.csv:2:1: no such date and time"},
		{"time,x,y\n" + strings.Repeat("20240430,1,1\n", peekLines+1) + "20240431,1,1\n", `time is "20240431", no date and time in digits`},
		{"date,hour,minute,x,y\n2024-04-30,1,,1,1\n", `points.csv:2:14: minute is empty`},
	} {
		if _, err := parse("points.csv", strings.NewReader(tt.text), 0, new(Options)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %s", tt.text, err, tt.want)
		}
	}
	d := read(t, "points.csv", "date,time,x,y\n2024-04-30,0.5,1,1\n2024-05-01,1,1,2\n2024-05-01,1.5,1,3\n", nil)
	if d.Start != 0.5 || !strings.Contains(strings.Join(d.Notes, "; "), "columns ignored: date") {
		t.Errorf("a date beside seconds is read: %v %q", d.Start, d.Notes)
	}
}

// TestOneScan: it is said that nothing can follow anything.
func TestOneScan(t *testing.T) {
	for text, doubts := range map[string]int{"frame,x,y\n3,1,1\n3,2,2\n": 1, "frame,x,y\n3,1,1\n": 0, "frame,x,y\n3,1,1\n4,2,2\n": 0} {
		name := filepath.Join(t.TempDir(), "points.csv")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		d, err := Read([]string{name}, nil)
		if err != nil || len(d.Doubts) != doubts || doubts > 0 && !strings.Contains(d.Doubts[0], "all 2 detections are in one scan") {
			t.Errorf("%q: %q, %v", text, d.Doubts, err)
		}
	}
}
