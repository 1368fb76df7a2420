package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestInDays: times in days, as spreadsheets and MATLAB count them, are told from seconds.
func TestInDays(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const most = 40
	for _, tt := range []struct {
		name string
		at   func(k int) float64
		want bool
	}{
		{"a spreadsheet, nine decimals, each second", func(k int) float64 { return math.Round((45000.5+float64(k)/86400)*1e9) / 1e9 }, true},
		{"MATLAB, 25 in a second", func(k int) float64 { return 738000.5 + 0.04*float64(k)/86400 }, true},
		{"each half minute", func(k int) float64 { return 45000.123 + 30*float64(k)/86400 }, true},
		{"whole seconds at odd times", func(k int) float64 { return 45000.123 + float64(k+3*(k/7))/86400 }, true},
		{"seconds of a day, 25 in a second", func(k int) float64 { return 45000 + 0.04*float64(k) }, false},
		{"seconds of a day, 30 in a second", func(k int) float64 { return 45000 + float64(k)/30 }, false},
		{"seconds of a day, 240 in a second", func(k int) float64 { return 45000 + float64(k)/240 }, false},
		{"seconds of a day, 1000 in a second", func(k int) float64 { return 45000 + float64(k)/1000 }, false},
		{"seconds of a day, 20000 in a second", func(k int) float64 { return 45000 + float64(k)/20000 }, false},
		{"seconds of a day, 7000 in a second", func(k int) float64 { return 45000 + float64(k)/7000 }, false},
		{"seconds of a day, a thousand in a second at odd times", func(k int) float64 { return 45000 + (float64(k)+0.9*rng.Float64())/1000 }, false},
		{"seconds from 0", func(k int) float64 { return float64(k) / 86400 }, false},
		{"each day", func(k int) float64 { return 45000 + float64(k) }, false},
	} {
		times := make([]float64, most)
		for k := range times {
			times[k] = tt.at(k)
		}
		slices.Sort(times)
		if got := inDays(times); got != tt.want {
			t.Errorf("%s: days %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestDaysNoted: what looks like days is read as seconds, and that is said.
func TestDaysNoted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "days.csv")
	text := "time,x,y\n"
	for k := range 10 {
		text += fmt.Sprintf("%.9f,%d,%d\n", 45000.5+2*float64(k)/86400, k, k%3)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := Read([]string{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(d.Notes, "; "); !strings.Contains(notes, "look like days, as spreadsheets and MATLAB count them, mostly 2 s apart") {
		t.Errorf("notes: %s", notes)
	}
}
