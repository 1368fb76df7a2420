package dataset

import (
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
