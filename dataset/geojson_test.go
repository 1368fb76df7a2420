package dataset

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestGeoJSON: points, lines whose places have times, and features one on a line are the same two targets.
func TestGeoJSON(t *testing.T) {
	point := func(id, k int) string {
		return fmt.Sprintf(`{"type":"Feature","geometry":{"type":"Point","coordinates":[%v,54.%d,0]},"properties":{"time":"2024-03-01T00:00:%02dZ","mmsi":%d}}`, 10.1+.001*float64(k), id, 10*k, id)
	}
	var points []string
	var lines []string
	for id := range 2 {
		var places, times []string
		for k := range 3 {
			points = append(points, point(id, k))
			places = append(places, fmt.Sprintf("[%v,54.%d]", 10.1+.001*float64(k), id))
			times = append(times, fmt.Sprintf(`"2024-03-01T00:00:%02dZ"`, 10*k))
		}
		lines = append(lines, fmt.Sprintf(`{"type":"Feature","id":%d,"geometry":{"type":"LineString","coordinates":[%s]},"properties":{"coordTimes":[%s],"times":[1,2,3]}}`,
			id, strings.Join(places, ","), strings.Join(times, ",")))
	}
	collection := func(features []string) string {
		return `{"type":"FeatureCollection","name":"ships","features":[` + strings.Join(features, ",\n") + `]}`
	}
	want := ""
	for _, tt := range []struct{ name, text string }{
		{"points", collection(points)}, {"a feature on a line", strings.Join(points, "\n")}, {"lines", collection(lines)},
		{"no place", collection(append([]string{`{"type":"Feature","geometry":null,"properties":{}}`}, points...))},
	} {
		d := read(t, "ships.geojson", tt.text, nil)
		got := ""
		for k := range d.Scans {
			got += fmt.Sprintf("%.3f %.6f; ", d.Scans[k].Time, d.Scans[k].Pos)
		}
		if want == "" {
			want = got
		}
		if got != want || len(d.Scans) != 3 || len(d.Scans[0].Pos) != 4 || d.Truth == nil || len(d.Truth) != 2 || d.Origin == nil {
			t.Errorf("%s: %s, want %s", tt.name, got, want)
		}
	}
	for _, tt := range []struct{ text, err string }{
		{collection([]string{`{"type":"Feature","geometry":{"type":"Polygon","coordinates":[]},"properties":{}}`}), "whose geometry is a Polygon"},
		{collection([]string{`{"type":"Feature","geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]},"properties":{}}`}), "whose places have no times"},
		{collection([]string{`{"type":"Feature","geometry":{"type":"Point","coordinates":[1]},"properties":{}}`}), "a place of 1 coordinates"},
	} {
		if _, err := parse("a.geojson", strings.NewReader(tt.text), 0, new(Options)); err == nil || !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%v, want %s", err, tt.err)
		}
	}
}

// TestGeoJSONBack: what export writes is read.
func TestGeoJSONBack(t *testing.T) {
	a, _ := answerOf(t, "gps.csv")
	d, err := parse("back.geojson", bytes.NewReader([]byte(export(t, a, "geojson"))), 0, new(Options))
	if err != nil {
		t.Fatal(err)
	}
	hits := 0
	for i := range a.Tracks {
		hits += len(a.Tracks[i].Hits)
	}
	if d.rows.n != hits {
		t.Errorf("%d rows of %d hits", d.rows.n, hits)
	}
}
