package graphfile_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mtt/trackgraph"
	"mtt/trackgraph/graphfile"
)

const table = `# two mothers
detection,a,0,-5,4,4
detection,m,0,-5,4,4,0,1
detection,b,1,-5,4,4
detection,c,1,-5,4,4
detection,d,1,-5,4,4,0,inf
arc,a,b,0.5
arc,m,c,0.25
arc,m,d,0.5
arc,m,b,1
division,m,c,d,-1
`

const lines = `{"detection":"a","frame":0,"use":-5,"birth":4,"end":4}
{"detection":"m","frame":0,"use":-5,"birth":4,"end":4,"false":0,"divide":1}
{"detection":"b","frame":1,"use":-5,"birth":4,"end":4}
{"detection":"c","frame":1,"use":-5,"birth":4,"end":4}
{"detection":"d","frame":1,"use":-5,"birth":4,"end":4}
{"arc":["a","b"],"cost":0.5}
{"arc":["m","c"],"cost":0.25}
{"arc":["m","d"],"cost":0.5}
{"arc":["m","b"],"cost":1}
{"division":["m","c","d"],"cost":-1}
`

const hypotheses = `{"segmentationHypotheses":[
{"id":1,"timestep":[0,0],"features":[[9],[0]],"divisionFeatures":[[0],[1]],"appearanceFeatures":[[0],[4]],"disappearanceFeatures":[[0],[4]]},
{"id":2,"timestep":[1,1],"features":[[9],[0]],"appearanceFeatures":[[0],[4]],"disappearanceFeatures":[[0],[4]]},
{"id":3,"timestep":[1,1],"features":[[9],[0]],"appearanceFeatures":[[0],[4]],"disappearanceFeatures":[[0],[4]]}],
"linkingHypotheses":[{"src":1,"dest":2,"features":[[0],[0.5]]},{"src":1,"dest":3,"features":[[1],[0.5]]}]}`

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) *graphfile.File {
	t.Helper()
	f, err := graphfile.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The formats say the same, and an npz of it again.
func TestFormats(t *testing.T) {
	a, b := read(t, write(t, "g.csv", table)), read(t, write(t, "g.jsonl", lines))
	if diff := cmp.Diff(a.Graph, b.Graph); diff != "" {
		t.Error(diff)
	}
	r, err := trackgraph.Solve(context.Background(), &a.Graph, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Both tracks: a→b costs 8−10+0.5; m→c,d 4+4+4−15+0.75−1.
	if want := -1.5 - 3.25; r.UpperBound != want || r.Status != trackgraph.Optimal {
		t.Errorf("%v is %v, want %v", r.UpperBound, r.Status, want)
	}
	var out bytes.Buffer
	if err := graphfile.WriteNPZ(&out, &a.Graph, r.Answer, r.Prices, nil); err != nil {
		t.Fatal(err)
	}
	c := read(t, write(t, "g.npz", out.String()))
	if diff := cmp.Diff(a.Graph, c.Graph); diff != "" {
		t.Error(diff)
	}
}

// One cell that divides: both daughters, 1 for the division, one unused link costs 1.
func TestConservation(t *testing.T) {
	f := read(t, write(t, "g.json", hypotheses))
	r, err := trackgraph.Solve(context.Background(), &f.Graph, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := 4 + 4 + 4 + 0.5 + 0.5 + 1.0; r.UpperBound != want {
		t.Errorf("%v, want %v", r.UpperBound, want)
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct{ content, want string }{
		{"detection,a,0\nlink,a,b,1\n", `:2: the line begins with "link"`},
		{"detection,a,0\narc,a,b,1\n", `:2: no detection is called "b"; detections come before`},
		{"detection,a,1\ndetection,b,0\narc,a,b,1\n", "does not go forward in time"},
		{"detection,a,x\n", `:1: field 3 is "x"`},
		{"detection,a,0,1,nan\n", `:1: field 5 is "nan"`},
		{"detection,a,0\ndetection,a,1\n", `:2: a second detection "a"`},
		{"detection,a,0\ndetection,b,1\narc,a,b,inf\n", "leave out what is forbidden"},
		{`{"detection":1}`, "detection 1 has no frame"},
		{`{"detektion":1}`, "unknown field"},
		{"PK\x03\x04 nothing", ": "},
	} {
		if _, err := graphfile.Read(write(t, "g", tt.content)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %s", tt.content, err, tt.want)
		}
	}
}

const programmeLP = `Minimize
 obj: - 5 u_0 + 4 b_0 + 4 e_0 - 5 u_1 + 4 b_1 + 4 e_1 + 0.5 x_0
Subject To
 c0: + 1 b_0 - 1 u_0 = 0
 c1: + 1 e_0 - 1 u_0 + 1 x_0 = 0
 c2: + 1 b_1 - 1 u_1 + 1 x_0 = 0
 c3: + 1 e_1 - 1 u_1 = 0
Bounds
 b_1 = 0
Binary
 u_0 b_0 e_0 u_1 b_1 e_1 x_0
End
`

const programmeMPS = `NAME one
ROWS
 N obj
 E c0
 E c1
COLUMNS
 MARKER 'MARKER' 'INTORG'
 u_0 obj -5 c0 -1
 u_0 c1 -1
 b_0 obj 4 c0 1
 e_0 obj 4 c1 1
 MARKER 'MARKER' 'INTEND'
RHS
 rhs c0 0
BOUNDS
 BV bnd u_0
ENDATA
`

// The same problem as an integer programme.
func TestProgrammes(t *testing.T) {
	f := read(t, write(t, "g.lp", programmeLP))
	if len(f.Cost) != 1 || f.Format != "lp" || f.Names[1] != "1" || f.Frame[1] != 1 {
		t.Errorf("%+v", f)
	}
	r, err := trackgraph.Solve(context.Background(), &f.Graph, nil)
	if want := -5 - 5 + 4 + 4 + 0.5; err != nil || r.UpperBound != want {
		t.Errorf("%v, want %v: %v", r.UpperBound, want, err)
	}
	if f := read(t, write(t, "g.mps", programmeMPS)); len(f.Frame) != 1 || f.Format != "mps" || f.Use[0] != -5 || f.End[0] != 4 {
		t.Errorf("%+v", f)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{table, lines, hypotheses, "PK\x03\x04", programmeLP, programmeMPS} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "g")
		if os.WriteFile(path, data, 0o666) == nil {
			if g, err := graphfile.Read(path); err == nil && len(g.Cost) < 100 {
				if err := g.Validate(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}
