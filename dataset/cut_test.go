package dataset

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// This file tests how rows become scans.

// TestCutPieces: scans of long files, which goroutines make piece by piece, have the rows of their
// frames, and of several faults the first one is told, whichever pieces they are in.
func TestCutPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, count := range []int{0, 1, 4096, 4097, 13_000} {
		g, in := &Grid{First: 7, Step: 3, Count: count, Interval: 0.5}, &rows{dim: 2}
		want := make([][]float64, count)
		for k := range count {
			for range rng.IntN(3) {
				at := []float64{rng.Float64(), float64(k)}
				want[k] = append(want[k], at...)
				in.pos = append(in.pos, at...)
				in.frame, in.row, in.line = append(in.frame, g.First+k*g.Step), append(in.row, int32(in.n)), append(in.line, int32(in.n+2))
				in.sensor, in.time = append(in.sensor, 1), append(in.time, float64(k))
				in.n++
			}
		}
		scans, numbers, err := cut(in, g, "a.csv")
		if err != nil || len(scans) != count || len(numbers) != count {
			t.Fatalf("%d scans, %d lists of numbers of %d frames, %v", len(scans), len(numbers), count, err)
		}
		row := int32(0)
		for k := range scans {
			s := &scans[k]
			if s.Frame != g.First+3*k || !slices.Equal(s.Pos, want[k]) || s.Len() > 0 && s.Time != float64(k) {
				t.Fatalf("%d frames, scan %d: frame %d at %v s with %v, want %v", count, k, s.Frame, s.Time, s.Pos, want[k])
			}
			for _, n := range numbers[k] {
				if n != row {
					t.Fatalf("%d frames, scan %d: row %d, want %d", count, k, n, row)
				}
				row++
			}
		}
		if count < 13_000 {
			continue
		}
		double := func(from int) int { // the first row that has another of its frame behind it
			for in.frame[from] != in.frame[from+1] {
				from++
			}
			return from
		}
		first, second := double(in.n/4), double(3*in.n/4)
		for _, tt := range []struct {
			name, want      string
			sensors, clocks int // rows at which a sensor, a time is another
		}{
			{"a sensor before a time", "of sensor", first, second},
			{"a time before a sensor", "s and at", second, first},
			{"both at once", "of sensor", first, first},
		} {
			in.sensor[tt.sensors], in.time[tt.clocks] = 2, in.time[tt.clocks]+0.25
			if _, _, err := cut(in, g, "a.csv"); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want one that has %q", tt.name, err, tt.want)
			}
			in.sensor[tt.sensors], in.time[tt.clocks] = 1, in.time[tt.clocks]-0.25
		}
	}
}
