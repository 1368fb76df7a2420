package metrics

// These tests compare scores of tracks that divide with examples worked by hand and with py-ctcmetrics.

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"mtt"
)

// line is a track of detections dets, one for each frame from first on, at places that do not matter.
func line(id, parent, first int, dets ...int) mtt.Track {
	t := mtt.Track{ID: id, Parent: parent, Dim: 2}
	for k, d := range dets {
		t.Hits = append(t.Hits, mtt.Hit{Frame: first + k, Det: d})
		t.Pos = append(t.Pos, float64(10*d), 0)
	}
	return t
}

// A cell of four frames divides after the second: six hits, five edges, of which two are to daughters.
func oneCell() []mtt.Track {
	return []mtt.Track{line(1, 0, 0, 0, 0), line(2, 1, 2, 0, 0), line(3, 1, 2, 1, 1)}
}

func TestDivisionsByHand(t *testing.T) {
	for _, tt := range []struct {
		name   string
		tracks []mtt.Track
		want   DivisionScores
	}{
		{"right", oneCell(), DivisionScores{DivisionPrecision: 100, DivisionRecall: 100, BC0: 100, BC1: 100, BC2: 100, BC3: 100, CT: 100, DET: 100, LNK: 100, TRA: 100}},
		// One daughter goes on with the mother's track: an edge of the wrong kind, and one missing.
		// AOGM_A = 1 + 1.5 of 7.5; AOGM_0 = 60 + 7.5. One of three targets is complete, of three
		// and two.
		{"overlooked", []mtt.Track{line(1, 0, 0, 0, 0, 0, 0), line(2, 0, 2, 1, 1)},
			DivisionScores{CT: 100 * 2. / 5, DET: 100, LNK: 100 * (1 - 2.5/7.5), TRA: 100 * (1 - 2.5/67.5)}},
		// Divided a frame late: detection 1 of frame 2 is in no track, and the other goes on with
		// the mother. Vertices: one missing, 10; edges: missing are 1→1 of frames 1, 2 and of 2, 3;
		// the link 0→0 of frames 1, 2 and 2, 3 are of the wrong kind; none is false but the
		// parent's to detection 1 of frame 3. A daughter's first hit after both ended is that of
		// frame 3.
		{"late", []mtt.Track{line(1, 0, 0, 0, 0, 0), line(2, 1, 3, 0), line(3, 1, 3, 1)},
			DivisionScores{BC1: 100, BC2: 100, BC3: 100, DET: 100 * (1 - 10./60), LNK: 100 * (1 - (1+2*1.5+2)/7.5), TRA: 100 * (1 - 16./67.5)}},
		// Three daughters, of which one is false.
		{"threefold", append(oneCell(), line(4, 1, 2, 5)),
			DivisionScores{CT: 100 * 6. / 7, DET: 100 * (1 - 1./60), LNK: 100, TRA: 100 * (1 - 1/67.5)}},
		{"none", nil, DivisionScores{DET: 0, LNK: 0, TRA: 0}},
	} {
		r, err := Score(oneCell(), tt.tracks, &Options{Only: Divisions})
		if err != nil {
			t.Fatal(err)
		}
		d, w := r.DivisionScores, &tt.want
		for _, x := range []struct {
			name      string
			got, want float64
		}{
			{"precision", d.DivisionPrecision, w.DivisionPrecision}, {"recall", d.DivisionRecall, w.DivisionRecall}, {"BC(0)", d.BC0, w.BC0}, {"BC(1)", d.BC1, w.BC1},
			{"BC(2)", d.BC2, w.BC2}, {"BC(3)", d.BC3, w.BC3}, {"CT", d.CT, w.CT}, {"DET", d.DET, w.DET}, {"LNK", d.LNK, w.LNK}, {"TRA", d.TRA, w.TRA},
		} {
			if math.Abs(x.got-x.want) > 1e-9 {
				t.Errorf("%s: %s is %v, want %v (%+v)", tt.name, x.name, x.got, x.want, d.Graph)
			}
		}
	}
}

// A tolerance makes divisions right that are off; scenes add up by counts; without parents there
// are no such scores.
func TestDivisionFrames(t *testing.T) {
	late := []mtt.Track{line(1, 0, 0, 0, 0, 0), line(2, 1, 3, 0), line(3, 1, 3, 1)}
	r, err := Score(oneCell(), late, &Options{DivisionFrames: 1})
	if err != nil || r.DivisionRecall != 100 || r.BC0 != 0 {
		t.Fatalf("%v: recall %v, BC(0) %v", err, r.DivisionRecall, r.BC0)
	}
	right, err := Score(oneCell(), oneCell(), &Options{DivisionFrames: 1})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := Merge(r, right)
	if err != nil || sum.BC0 != 50 || sum.TrueDivisions != 2 || sum.CT != 50 {
		t.Fatalf("%v: %+v", err, sum.DivisionScores)
	}
	plain := []mtt.Track{line(1, 0, 0, 0, 0)}
	none, err := Score(plain, plain, &Options{DivisionFrames: 1})
	if err != nil || none.DivisionScores != nil {
		t.Fatalf("%v: %+v", err, none.DivisionScores)
	}
	if sum, err := Merge(right, none); err != nil || sum.DivisionScores != nil {
		t.Fatalf("%v: %+v", err, sum)
	}
	if _, err := Score(plain, plain, &Options{DivisionFrames: 4}); err == nil {
		t.Error("four frames of tolerance are accepted")
	}
}

// readLabels reads a table of frame, id, det and parent.
func readLabels(t *testing.T, name string) []mtt.Track {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var tracks []mtt.Track
	for _, row := range rows[1:] {
		var x [4]int
		for k := range x {
			x[k], _ = strconv.Atoi(row[k])
		}
		for len(tracks) < x[1] {
			tracks = append(tracks, mtt.Track{ID: len(tracks) + 1, Dim: 2})
		}
		tr := &tracks[x[1]-1]
		tr.Parent = x[3]
		tr.Hits, tr.Pos = append(tr.Hits, mtt.Hit{Frame: x[0], Det: x[2]}), append(tr.Pos, 0, 0)
	}
	return tracks
}

func TestCellTrackingChallenge(t *testing.T) {
	r, err := Score(readLabels(t, "testdata/cells/truth.csv"), readLabels(t, "testdata/cells/tracks.csv"), &Options{Only: Divisions})
	if err != nil {
		t.Fatal(err)
	}
	d := r.DivisionScores
	if want := (graphErrors{Targets: 76, Tracks: 80, Complete: d.Graph.Complete, Vertices: 483, Edges: 477,
		MissingVertices: 5, FalseVertices: 9, MissingEdges: 128, FalseEdges: 116, WrongKind: 22}); d.Graph != want {
		t.Errorf("%+v, want %+v", d.Graph, want)
	}
	for _, x := range []struct {
		name      string
		got, want float64
	}{
		{"TRA", d.TRA, 92.98530339915246}, {"DET", d.DET, 98.77846790890269}, {"LNK", d.LNK, 53.87840670859538}, {"CT", d.CT, 20.512820512820512},
		{"BC(0)", d.BC0, 55.55555555555556}, {"BC(1)", d.BC1, 66.66666666666667}, {"BC(2)", d.BC2, 66.66666666666667}, {"BC(3)", d.BC3, 66.66666666666667},
		{"precision", d.DivisionPrecision, 2000. / 37}, {"recall", d.DivisionRecall, 2000. / 35},
	} {
		if math.Abs(x.got-x.want) > 1e-9 {
			t.Errorf("%s is %v, want %v", x.name, x.got, x.want)
		}
	}
}
