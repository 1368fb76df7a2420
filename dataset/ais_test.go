package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestReporting: ships that report one by one, without identities, are put into frames of the
// shortest time between two reports of one ship; where all are seen together, and where nothing
// says how they move, they are not.
func TestReporting(t *testing.T) {
	type report struct {
		at   float64
		line string
	}
	fleet := func(period func(ship int) float64, columns string) string {
		var all []report
		for ship := range 9 {
			speed := 4 + float64(ship) // m/s, east; 2 km from lane to lane
			for k := range 40 {
				at := period(ship) * float64(k)
				lon := 10 + speed*at/(111_320*math.Cos(55*math.Pi/180))
				line := fmt.Sprintf("%.1f,%.6f,%.6f", at, 55+0.02*float64(ship), lon)
				if strings.Contains(columns, "sog") {
					line += fmt.Sprintf(",%.2f,90", speed/knot)
				}
				all = append(all, report{at, line})
			}
		}
		slices.SortStableFunc(all, func(a, b report) int { return cmp.Compare(a.at, b.at) })
		var b strings.Builder
		b.WriteString(columns + "\n")
		for _, r := range all {
			b.WriteString(r.line + "\n")
		}
		return b.String()
	}
	turns := func(ship int) float64 { return 6 + 4*float64(ship%2) - 0.1*float64(ship%3) } // 5.8 to 10 s
	const moving = "time,latitude,longitude,sog,cog"
	for _, c := range []struct {
		name, text string
		want       float64 // s a frame; 0: scans as they come
	}{
		{"one by one", fleet(turns, moving), 5.8},
		{"together", fleet(func(int) float64 { return 10 }, moving), 0},
		{"one by one, no course", fleet(turns, "time,latitude,longitude"), 0},
	} {
		s, err := parse("fleet.csv", strings.NewReader(c.text), 0, &Options{})
		if err != nil {
			t.Fatal(err)
		}
		if s.every != c.want {
			t.Errorf("%s: frames of %v s, want %v", c.name, s.every, c.want)
		}
	}
}
