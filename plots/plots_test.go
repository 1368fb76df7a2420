package plots

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"mtt"
	"mtt/internal/golden"
)

// figures are small figures of every kind, for tests that hold for all of them.
func figures(t testing.TB) map[string]*Figure {
	t.Helper()
	inf, nan := math.Inf(1), math.NaN()
	var gates []GateRow
	for i, g := range []float64{1.5, 2, 3, 5} {
		m := 8 / math.Pow(2, float64(i))
		gates = append(gates,
			GateRow{Method: "dual", Gate: g, MMEP: m, ITCP: 3 * m, MMEPBar: Bar{0.8 * m, 1.3 * m}, Triplets: int64(900 * math.Pow(g, 4)), Seconds: 0.01 * g * g},
			GateRow{Method: "greedy", Gate: g, MMEP: 2 * m, ITCP: 5 * m, Triplets: int64(900 * math.Pow(g, 4))})
	}
	trace := []Step{{1, -260, inf}, {2, -245, -231}, {3, -240.1, -239.9}, {4, -240, -240}}
	paper := []Step{{1, -300, inf}, {2, -280, inf}, {3, -262, -230}, {4, -255, -236}, {5, -250, -238}}
	noise := []Series{
		{"dual", []Point{{0, 0, Bar{}}, {0.1, 1.2, Bar{0.8, 1.9}}, {0.5, 6, Bar{5, 7.5}}}},
		{"greedy", []Point{{0, 0.4, Bar{}}, {0.1, nan, Bar{}}, {0.5, 14, Bar{12, 17}}}},
	}
	gospa := []GOSPAFrame{{0, 5, 3, 4, 0}, {1, 3, 3, 0, 0}, {2, 3.6, 3, 0, 2}, {3, 3.7, 3, 1, 2}}
	speedups := []SpeedupRow{{"50×50", "ssp", 12}, {"50×50", "auction", 0.8}, {"100×50", "ssp", 48}, {"100×50", "auction", 3.2}, {"300×300", "ssp", 0}}
	truth, scans := testScene(4, 12, 10, 0.05, 1, 1)
	tracks, err := Tracks("4 targets, 12 frames", truth, testTracks(truth, scans, 4), scans, nil)
	if err != nil {
		t.Fatal(err)
	}
	wide, scans := testScene(12, 24, 3, 0.05, 1, 2)
	burst, err := Tracks("burst, 12 targets, 24 frames", wide, testTracks(wide, scans, 3), scans, nil)
	if err != nil {
		t.Fatal(err)
	}
	empty, err := Tracks("empty", nil, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	growth := []GrowthPanel{
		{"rows, with ε", []Growth{
			{"random", []Point{{1000, 12700, Bar{}}, {2000, 26000, Bar{}}}, []Point{{1000, 12824, Bar{}}, {2000, 29606, Bar{}}, {4000, 65389, Bar{}}}},
			{"rank 1", []Point{{1000, 2200, Bar{}}, {2000, nan, Bar{}}}, []Point{{1000, 3503, Bar{}}, {2000, 7435, Bar{}}}},
		}},
		{"rows, without", []Growth{
			{"random", nil, []Point{{1000, 23465, Bar{}}, {2000, 64818, Bar{}}}},
			{"rank 1", []Point{{1000, 500500, Bar{}}, {2000, 2001000, Bar{}}}, nil},
		}},
	}
	var filterFrames []FilterFrame
	for k := range 40 {
		x := float64(k)
		filterFrames = append(filterFrames, FilterFrame{
			Frame: k, Problems: 7000 + 900*math.Sin(x/5), Rows: 90 + math.Mod(7*x, 11), Cols: 180 + math.Mod(5*x, 13),
			Density: 1 + 0.1*math.Cos(x/4), Global: 200 - 150/(1+x), Local: 1600 - 1500/(1+x), Tracks: 150 + x, Clusters: 90 + x/2,
		})
	}
	bounds := BoundTrace("arena", Trace{"dual", trace}, Trace{"dual-paper", paper})
	bounds.Meta = "mtt test, --seed 1 <&>"
	return map[string]*Figure{
		"gating":       GatingSensitivity("burst, 100 targets", "gate radius, m", gates),
		"bounds":       bounds,
		"noise":        ScoreAgainstNoise("arena, 10 seeds", "position noise σ, m", "MMEP, %", noise),
		"gospa":        GOSPA("pmbm", "m", gospa),
		"problems":     FilterProblems("pmbm", filterFrames),
		"hypotheses":   FilterHypotheses("pmbm", filterFrames),
		"speedups":     Speedups("block LAP", speedups),
		"growth":       GrowthOf("rows scanned, 5 seeds", "rows and columns", growth),
		"growth-empty": GrowthOf("empty", "n", nil),
		"tracks":       tracks,
		"burst":        burst,
		"tracks-empty": empty,
		"bounds-empty": BoundTrace("empty"),
		"bounds-met":   BoundTrace("at once", Trace{"", []Step{{1, -5, -5}}}),
		"bounds-open":  BoundTrace("no assignment", Trace{"", []Step{{1, -5, inf}, {2, -4, inf}}}),
	}
}

func svg(t testing.TB, f *Figure) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := f.Encode(&buf, "svg"); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestGolden(t *testing.T) {
	for name, f := range figures(t) {
		t.Run(name, func(t *testing.T) { golden.Equal(t, name+".svg", svg(t, f)) })
	}
}

func TestEqualInputEqualBytes(t *testing.T) {
	again := figures(t)
	for name, f := range figures(t) {
		formats := []string{"svg"}
		if name == "tracks" || name == "bounds" {
			formats = append(formats, "png")
		}
		for _, format := range formats {
			var a, b, c bytes.Buffer
			if err := errors.Join(f.Encode(&a, format), f.Encode(&b, format), again[name].Encode(&c, format)); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a.Bytes(), b.Bytes()) {
				t.Errorf("%s: writing the figure as %s twice gives different bytes", name, format)
			}
			if !bytes.Equal(a.Bytes(), c.Bytes()) {
				t.Errorf("%s: making the figure twice gives different %s", name, format)
			}
		}
	}
}

// A textBox is where an SVG file puts a text.
type textBox struct {
	s              string
	x0, y0, x1, y1 float64
	rotated        bool
}

// A failer is a testing.T or a rapid.T.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// readSVG checks that data is well-formed and has no number that is none, and
// returns the page size and the texts.
func readSVG(t failer, data []byte) (width, height float64, texts []textBox) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(data))
	rotated := 0
	var stack []bool
	var text *textBox
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return width, height, texts
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			attr := map[string]string{}
			for _, a := range tok.Attr {
				attr[a.Name.Local] = a.Value
				if a.Name.Local != "aria-label" && (strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf")) {
					t.Fatalf("%s has %s=%q", tok.Name.Local, a.Name.Local, a.Value)
				}
			}
			turn := tok.Name.Local == "g" && strings.Contains(attr["transform"], "rotate")
			stack = append(stack, turn)
			if turn {
				rotated++
			}
			switch tok.Name.Local {
			case "svg":
				fmt.Sscanf(attr["viewBox"], "0 0 %g %g", &width, &height)
			case "text":
				num := func(s string) float64 {
					v, err := strconv.ParseFloat(s, 64)
					if err != nil {
						t.Fatalf("text: %v", err)
					}
					return v
				}
				_, size, _ := strings.Cut(attr["style"], "font-size:")
				size, _, _ = strings.Cut(size, "px")
				em := num(size)
				x, y := num(attr["x"]), height+num(attr["y"])
				texts = append(texts, textBox{x0: x, x1: x + num(attr["textLength"]), y0: y - 0.73*em, y1: y + 0.22*em, rotated: rotated > 0})
				text = &texts[len(texts)-1]
			}
		case xml.EndElement:
			if stack[len(stack)-1] {
				rotated--
			}
			stack = stack[:len(stack)-1]
			text = nil
		case xml.CharData:
			if text != nil {
				text.s += string(tok)
			}
		}
	}
}

// checkTexts fails when a text leaves the page or lies on another one.
func checkTexts(t testing.TB, data []byte) {
	t.Helper()
	width, height, texts := readSVG(t, data)
	for i, a := range texts {
		if a.rotated {
			continue
		}
		if a.x0 < 0 || a.x1 > width+0.01 || a.y0 < 0 || a.y1 > height {
			t.Errorf("%q is cut: it spans %.1f…%.1f × %.1f…%.1f on a page of %.1f × %.1f", a.s, a.x0, a.x1, a.y0, a.y1, width, height)
		}
		for _, b := range texts[:i] {
			if !b.rotated && a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1 {
				t.Errorf("%q lies on %q", a.s, b.s)
			}
		}
	}
}

func TestTextsAreWhole(t *testing.T) {
	all := figures(t)
	all["long"] = BoundTrace(strings.Repeat("a very long title ", 30),
		Trace{strings.Repeat("engine ", 20), []Step{{1, -123456789, -1234567}, {100000, -1e6, -999999}}},
		Trace{strings.Repeat("x", 200), []Step{{1, -123456789, -1234567}}})
	for name, f := range all {
		t.Run(name, func(t *testing.T) { checkTexts(t, svg(t, f)) })
	}
}

func TestNoDataSaysSo(t *testing.T) {
	nan := math.NaN()
	tracks, err := Tracks("", nil, nil, []mtt.Scan{{Dim: 2, Pos: []float64{nan, 1}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]*Figure{
		"gating":      GatingSensitivity("", "", nil),
		"gating, NaN": GatingSensitivity("", "", []GateRow{{Gate: nan}, {Gate: 1, MMEP: nan, ITCP: nan, Triplets: -1}}),
		"bounds":      BoundTrace("", Trace{}),
		"bounds, Inf": BoundTrace("", Trace{"a", []Step{{1, math.Inf(-1), math.Inf(1)}}}),
		"noise":       ScoreAgainstNoise("", "", "", []Series{{}, {"a", []Point{{nan, 1, Bar{}}}}}),
		"gospa":       GOSPA("", "m", nil),
		"problems":    FilterProblems("", nil),
		"hypotheses":  FilterHypotheses("", []FilterFrame{{Frame: 1, Global: nan, Local: nan, Tracks: nan, Clusters: nan}}),
		"speedups":    Speedups("", []SpeedupRow{{"p", "m", nan}, {"p", "m", 0}}),
		"tracks, NaN": tracks,
	} {
		_, _, texts := readSVG(t, svg(t, f))
		found := false
		for _, b := range texts {
			found = found || b.s == "no data"
		}
		if !found || len(f.Panels) != 1 {
			t.Errorf("%s: %d panels with texts %v, want one that says no data", name, len(f.Panels), texts)
		}
	}
}

// anyFloat draws ordinary, tiny, huge and impossible numbers.
func anyFloat() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.Float64Range(-100, 100),
		rapid.Float64(),
		rapid.SampledFrom([]float64{0, 1, -1, 1e-300, 1e150, 1e149, -1e150, 1e308, math.NaN(), math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64}),
	)
}

func TestAnyInputDraws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"", "dual", "a<b>&\x00\xff"})
		bar := rapid.Custom(func(t *rapid.T) Bar { return Bar{anyFloat().Draw(t, "low"), anyFloat().Draw(t, "high")} })
		title := rapid.String().Draw(t, "title")
		var f *Figure
		switch rapid.IntRange(0, 4).Draw(t, "figure") {
		case 0:
			f = GatingSensitivity(title, "gate, m", rapid.SliceOfN(rapid.Custom(func(t *rapid.T) GateRow {
				return GateRow{name.Draw(t, "method"), anyFloat().Draw(t, "gate"), anyFloat().Draw(t, "mmep"), anyFloat().Draw(t, "itcp"),
					bar.Draw(t, "bar"), bar.Draw(t, "bar"), rapid.Int64().Draw(t, "triplets"), anyFloat().Draw(t, "seconds")}
			}), 0, 6).Draw(t, "rows"))
		case 1:
			f = BoundTrace(title, rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Trace {
				tr := Trace{Name: name.Draw(t, "name")}
				for i := range rapid.IntRange(0, 5).Draw(t, "passes") {
					tr.Steps = append(tr.Steps, Step{i, anyFloat().Draw(t, "lower"), anyFloat().Draw(t, "upper")})
				}
				return tr
			}), 0, 3).Draw(t, "traces")...)
		case 2:
			f = ScoreAgainstNoise(title, "σ", "score", rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Series {
				return Series{name.Draw(t, "name"), rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Point {
					return Point{anyFloat().Draw(t, "x"), anyFloat().Draw(t, "y"), bar.Draw(t, "bar")}
				}), 0, 5).Draw(t, "points")}
			}), 0, 6).Draw(t, "series"))
		case 3:
			f = Speedups(title, rapid.SliceOfN(rapid.Custom(func(t *rapid.T) SpeedupRow {
				return SpeedupRow{name.Draw(t, "problem"), name.Draw(t, "method"), anyFloat().Draw(t, "ratio")}
			}), 0, 60).Draw(t, "rows"))
		case 4:
			f = GOSPA(title, "m", rapid.SliceOfN(rapid.Custom(func(t *rapid.T) GOSPAFrame {
				return GOSPAFrame{rapid.IntRange(0, 9).Draw(t, "frame"), anyFloat().Draw(t, "gospa"), anyFloat().Draw(t, "l"), anyFloat().Draw(t, "m"), anyFloat().Draw(t, "f")}
			}), 0, 6).Draw(t, "frames"))
		}
		var buf bytes.Buffer
		if err := f.Encode(&buf, "svg"); err != nil {
			t.Fatal(err)
		}
		readSVG(t, buf.Bytes())
	})
}

func TestSave(t *testing.T) {
	f := figures(t)["bounds-met"]
	dir := t.TempDir()
	for _, name := range []string{"a.svg", "a.PNG"} {
		path := filepath.Join(dir, name)
		if err := Save(path, f); err != nil {
			t.Errorf("Save(%s): %v", name, err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if magic := "\x89PNG"; strings.HasSuffix(name, "PNG") != strings.HasPrefix(string(data), magic) {
			t.Errorf("%s starts with %q", name, data[:8])
		}
	}
	for _, name := range []string{"a.gif", "a", "no/such/folder/a.svg"} {
		if err := Save(filepath.Join(dir, name), f); err == nil {
			t.Errorf("Save(%s) = nil, want an error", name)
		}
	}
}

func TestEqualScale(t *testing.T) {
	all := figures(t)
	for _, name := range []string{"tracks", "burst"} {
		f := all[name]
		width, height := f.Size()
		c := draw.New(vgimg.New(width, height))
		for i, p := range f.Panels {
			cell := c
			cell.Max.X = c.Min.X + (c.Max.X-c.Min.X)*[]vg.Length{0.5, 1, 0.3}[i%3]
			q := equalScale(p, cell)
			data := q.DataCanvas(cell)
			sx := float64(data.Max.X-data.Min.X) / (q.X.Max - q.X.Min)
			sy := float64(data.Max.Y-data.Min.Y) / (q.Y.Max - q.Y.Min)
			if math.Abs(sx/sy-1) > 0.01 {
				t.Errorf("%s, panel %d: %v pt/m in x, %v pt/m in y", name, i, sx, sy)
			}
			const slack = 1e-9 // m
			if q.X.Min > p.X.Min+slack || q.X.Max < p.X.Max-slack || q.Y.Min > p.Y.Min+slack || q.Y.Max < p.Y.Max-slack {
				t.Errorf("%s, panel %d: the range became smaller", name, i)
			}
		}
	}
}

func TestBoundTraceTitle(t *testing.T) {
	inf := math.Inf(1)
	for _, tt := range []struct {
		step Step
		want string
	}{
		{Step{14, -100, -100}, "optimal after 14 passes"},
		{Step{1, -100 - 1e-8, -100}, "optimal after 1 pass"}, // 1e-10 relative: rounding
		{Step{2, -101, -100}, "gap 1\u00a0% after 2 passes"},
		{Step{2, 100, 100.5}, "gap 0.498\u00a0% after 2 passes"}, // 0.5/100.5
		{Step{2, -3, 0}, "gap 3 after 2 passes"},
		{Step{7, -100, inf}, "no assignment after 7 passes"},
	} {
		if got := BoundTrace("", Trace{"", []Step{tt.step}}).Title; got != tt.want {
			t.Errorf("BoundTrace(%v).Title = %q, want %q", tt.step, got, tt.want)
		}
	}
}

func TestSpeedupsTitle(t *testing.T) {
	f := Speedups("LAP", []SpeedupRow{{"a", "", 2}, {"b", "", 8}, {"c", "", math.Inf(1)}})
	if want := "LAP: geometric mean 4×"; f.Title != want {
		t.Errorf("Title = %q, want %q", f.Title, want)
	}
}

// The legend is above every panel: no data can be below it.
func TestLegendAbovePanels(t *testing.T) {
	for name, f := range figures(t) {
		width, height := f.Size()
		h := f.layout(width)
		c := draw.New(vgimg.New(width, height))
		c = draw.Crop(c, margin, -margin, margin, -h.height)
		for _, k := range h.keys {
			if float64(height-k.y) < float64(c.Max.Y) {
				t.Errorf("%s: a legend entry at %v reaches into the panels below %v", name, height-k.y, c.Max.Y)
			}
		}
	}
}
