package graphfile_test

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mtt/internal/npz"
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

// TestOdd reads what other programs make of the same files.
func TestOdd(t *testing.T) {
	want := read(t, write(t, "g", table))
	for what, content := range map[string]string{
		"marked":       "\ufeff" + table,
		"Windows":      strings.ReplaceAll(table, "\n", "\r\n"),
		"blanks":       strings.ReplaceAll(table, ",", " , "),
		"spreadsheet":  strings.ReplaceAll(table, ".25\n", ".25,,,,,\n"),
		"quoted":       strings.NewReplacer("detection", `"detection"`, ",a,", `,"a",`, "-5", `"-5"`).Replace(table),
		"fractions":    strings.ReplaceAll(table, ",1,-5", ",1.0,-5"),
		"marked lines": "\ufeff" + strings.ReplaceAll(lines, "\n", "\r\n"),
		"strings":      strings.ReplaceAll(lines, ":0.5}", `:"0.5"}`),
		"list":         strings.ReplaceAll(lines, "}\n", "},\n"),
		"wholes":       strings.ReplaceAll(lines, `"frame":1`, `"frame":1.0`),
	} {
		if diff := cmp.Diff(want.Graph, read(t, write(t, "g", content)).Graph); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	for _, content := range []string{`{"detection":1,"frame":2,"end":Infinity,"use":4}`, `{"detection":1,"frame":2,"end":"inf","use":4}`, "detection,1,2,4,,Inf"} {
		if f := read(t, write(t, "g", content)); !math.IsInf(f.End[0], 1) || f.Use[0] != 4 {
			t.Errorf("%s: %+v", content, f)
		}
	}
	f := read(t, write(t, "g", "detection,\"a, \"\"1\"\"\",1700000000000000001\ndetection,9007199254740993,1700000000000000002\narc,\"a, \"\"1\"\"\",9007199254740993,-1"))
	var out bytes.Buffer
	if err := graphfile.WriteNPZ(&out, &f.Graph, nil, nil, nil); err != nil {
		t.Fatal(err)
	}
	if again := read(t, write(t, "g", out.String())); f.Names[0] != `a, "1"` || f.Names[1] != "9007199254740993" || !slices.Equal(again.Frame, []int{1700000000000000001, 1700000000000000002}) {
		t.Errorf("%+v, again %+v", f, again)
	}
}

func TestErrors(t *testing.T) {
	array := func(names ...string) string {
		var out bytes.Buffer
		z := npz.NewWriter(&out, false)
		for _, name := range names {
			if err := npz.Add(z, name, []int32{1, 2}, 2); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for _, tt := range []struct{ content, want string }{
		{"detection;a;0\n", "fields are separated by commas"},
		{"detection,\"a,0\n", ":1: the quote before field 2 has no other"},
		{"detection,\"a\"b,0\n", `:1: "b" follows the quoted field 2`},
		{"detection,1,0\narc,1.0,1,3\n", `there is one called "1"`},
		{"detection,a,0\narc,a,a,3\n", ":2: an arc from a to itself"},
		{table + "division,m,d,c,-1\n", ":12: a second price of the division m, d, c"},
		{table + "division,m,d,d,-1\n", ":12: a division of m into d and itself"},
		{"arc,a,b\n", ":1: 3 fields, want 4; a line is arc,TAIL,HEAD,COST"},
		{"[{}]", "begins with a JSON list"},
		{`{"detection":1,"frame":0} {"detection":2,"frame":0}`, ":1: another value follows"},
		{`{"detection":1,"frame":0.5}`, ":1: 0.5 is not the number of a frame"},
		{`{"arc":"a","cost":1}`, ":1: arc is a string"},
		{`{"cost":"inf","arc":["a","b"]}`, ":1: the cost is +Inf; leave out"},
		{array("frame", "tail", "head", "cost", "births"), "array births has no meaning; did you mean birth?"},
		{array("frame", "tail", "head", "cost"), "arc 0: from detection 1 of frame 2 to 1 of frame 2: arcs go forward in time; elements of tail"},
		{strings.ReplaceAll(hypotheses, "[[9],[0]]", "[[9],[0],[4]]"), "segmentation hypothesis 1: 3 states of energies, want 2"},
		{hypotheses[:300], ":4: unexpected end of JSON input; the file is cut short"},
		{strings.ReplaceAll(hypotheses, "]}]}", `]}],"exclusions":[[2,3]]}`), "exclusions are not read"},
		{strings.ReplaceAll(hypotheses, `"dest":3`, `"dest":4`), `no detection is called "4"; src and dest are ids`},
		{strings.ReplaceAll(programmeLP, "Binary", "SOS\n s1: S1:: x_0:1\nBinary"), ":10: the section SOS has no place"},
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
