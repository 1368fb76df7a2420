package dataset

// This file tests times of day that pass midnight.

import (
	"io"
	"slices"
	"strings"
	"testing"
)

// TestMidnight: times of day go on after midnight, in a file and in a stream; where rows are in no
// order of time, or in that of targets, nothing says that they do.
func TestMidnight(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []float64 // times of scans, from the first on; nil: not asked
		passes     bool
	}{
		{"past midnight", "time,x,y\n23:59:58,1,2\n23:59:59,1,2\n00:00:00,1,2\n00:00:02,,\n00:00:03,1,2\n", []float64{0, 1, 2, 4, 5}, true},
		{"twice", "time,x,y\n12:00:00,1,2\n00:00:00,1,2\n12:00:00,1,2\n00:00:00,1,2\n", nil, false}, // half a day may be either
		{"two nights", "time,x,y\n22:00:00,1,2\n09:00:00,1,2\n20:00:00,1,2\n07:00:00,1,2\n", []float64{0, 39600, 79200, 118800}, true},
		{"by targets", "time,id,x,y\n06:00:00,1,1,2\n19:00:00,1,1,2\n06:00:00,2,5,6\n19:00:00,2,5,6\n", []float64{0, 46800}, false},
		{"in no order", "time,x,y\n19:00:00,1,2\n06:00:00,1,2\n18:00:00,1,2\n12:00:00,1,2\n", []float64{0, 21600, 43200, 46800}, false},
		{"with their days", "time,x,y\n2024-05-02 23:00:00,1,2\n2024-05-02 01:00:00,1,2\n", []float64{0, 79200}, false},
	} {
		d, err := Read([]string{write(t, "in.csv", tt.text)}, nil)
		if err != nil {
			t.Fatal(tt.name, err)
		}
		if got := d.Scans[len(d.Scans)-1].Time; tt.want != nil && got != tt.want[len(tt.want)-1] {
			t.Errorf("%s: the last scan is at %v, want %v", tt.name, got, tt.want)
		}
		said := strings.Contains(strings.Join(d.Notes, "\n"), "begin anew in line")
		if said != tt.passes {
			t.Errorf("%s: midnight is told: %t", tt.name, said)
		}
		if !tt.passes {
			continue
		}
		var times []float64
		scans, err := readAll(tt.text, "csv", nil)
		for k := range scans {
			times = append(times, scans[k].Time-scans[0].Time)
		}
		if err != io.EOF || !slices.Equal(times, tt.want) {
			t.Errorf("%s, as a stream: %v (%v), want %v", tt.name, times, err, tt.want)
		}
	}
}

// TestPrecision: what programs of microscopy say of how well a spot is known is its noise, and how
// wide it is is not.
func TestPrecision(t *testing.T) {
	for text, want := range map[string]float64{
		"frame,x [nm],y [nm],sigma [nm],uncertainty_xy [nm]\n0,1,2,130,20\n": 400,
		"frame,x [nm],y [nm],uncertainty [nm],sigma [nm]\n0,1,2,20,130\n":    400,
		"frame,x,y,sx,sy,lpx,lpy\n0,1,2,1.3,1.3,0.5,0.5\n":                   0.25,
		"frame,x,y,lpx,lpy,sx,sy\n0,1,2,0.5,0.5,1.3,1.3\n":                   0.25,
		"frame,x,y,sigma\n0,1,2,3\n":                                         9,
	} {
		d, err := Read([]string{write(t, "in.csv", text)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Scans[0].Cov; len(got) != 3 || got[0] != want || got[2] != want {
			t.Errorf("%s: covariance %v, want %v", text, got, want)
		}
	}
}
