package plots

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mtt/internal/golden"
)

func testReport(t testing.TB) *ReportData {
	all := figures(t)
	return &ReportData{
		Title:    "arena, 4 targets",
		Subtitle: "dual: optimal after 4 passes",
		Warnings: []string{"the gate loses 3 of 4900 true links <b>"},
		Sections: []Section{
			{Title: "Scores", Rows: [][2]string{{"MMEP", "1.2 %"}, {"status", "optimal"}}, Figures: []*Figure{all["tracks"]}},
			{Title: "Bounds", Text: "Lower & upper.", Figures: []*Figure{all["bounds"]}},
			{Title: "Gates", Table: [][]string{{"gate, m", "method", "MMEP, %", "triplets"}, {"1.5", "dual", "9", "4 556"}, {"2", "greedy", "–", "14 400"}}},
		},
		Footer: "mtt test, seed 1\n--scene arena",
	}
}

func TestReport(t *testing.T) {
	var a, b bytes.Buffer
	if err := Report(&a, testReport(t)); err != nil {
		t.Fatal(err)
	}
	if err := Report(&b, testReport(t)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("equal data give different reports")
	}
	golden.Equal(t, "report.html", a.Bytes())

	html := a.String()
	for _, want := range []string{
		"3 of 4900 true links &lt;b&gt;",
		`<td class="n">14 400</td>`, `<th scope="col" class="n">triplets</th>`,
		`<td>greedy</td>`, `<th scope="col">method</th>`,
		"prefers-color-scheme: dark", "@media print",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("no %s in the report", want)
		}
	}
	if n := strings.Count(html, "<svg "); n != 2 {
		t.Errorf("%d figures, want 2", n)
	}
	// Nothing is fetched from elsewhere: the only address is the SVG name space.
	for _, s := range regexp.MustCompile(`(?i)[a-z]+://[^"' <]*|\b(src|href)=|@import|url\(`).FindAllString(html, -1) {
		if s != "http://www.w3.org/2000/svg" {
			t.Errorf("the report refers to %s", s)
		}
	}
}

func TestNumericColumns(t *testing.T) {
	got := numericColumns([][]string{
		{"name", "int", "mixed", "signed", "percent", "long"},
		{"a", "1 000", "1", "−2.5e3", "10 %", "3"},
		{"b", "–", "x", "+1"},
		{"c"},
	})
	if want := []bool{false, true, false, true, true, true}; !slices.Equal(got, want) {
		t.Errorf("numericColumns = %v, want %v", got, want)
	}
}

func TestReportOfNothing(t *testing.T) {
	var buf bytes.Buffer
	if err := Report(&buf, &ReportData{Sections: []Section{{}, {Table: [][]string{{}}}}}); err != nil {
		t.Fatal(err)
	}
}
