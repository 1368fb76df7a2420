package reproduce

// This file repeats tables with small problems.

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mtt/internal/measure"
	"mtt/internal/nightly"
)

// tinyReproduction has few rows in all problems.
func tinyReproduction(workers int) *measure.Run {
	return &measure.Run{
		Options: measure.Options{Seeds: 2}, First: 1, Workers: workers, Rows: 20,
		Note: func(string, ...any) {}, Step: func(string) {},
	}
}

// TestReproduceTable1 wants a row for every count of the paper that is repeated,
// and a line through them.
func TestReproduceTable1(t *testing.T) {
	rows, figure, err := reproduceTable1(t.Context(), tinyReproduction(2))
	if err != nil {
		t.Fatal(err)
	}
	if want := All[0].Cases; len(rows) != want {
		t.Errorf("%d rows, want %d", len(rows), want)
	}
	if len(figure.Panels) != 2 || len(figure.Legend) != len(measure.Table1.Priced.Columns)-1 {
		t.Errorf("%d panels and %d names, want 2 and %d", len(figure.Panels), len(figure.Legend), len(measure.Table1.Priced.Columns)-1)
	}
	if err := figure.Encode(io.Discard, "svg"); err != nil {
		t.Error(err)
	}
	cube := []measure.ScanCount{{N: 10, Published: 40}, {N: 20, Published: 320}, {N: 40, Published: 2560}}
	if power := growthPower(cube, func(c *measure.ScanCount) float64 { return c.Published }); !(math.Abs(power-3) <= 1e-12) {
		t.Errorf("the power of 40, 320, 2560 at 10, 20, 40 is %v, want 3", power)
	}
}

// TestTables repeats tables with tiny problems and scenes, and the times of a card that the program
// carries.
func TestTables(t *testing.T) {
	for _, r := range All {
		b := tinyReproduction(1)
		switch {
		case strings.HasPrefix(r.Name, "lopes"), strings.HasPrefix(r.Name, "kcg"):
			b.Sizes = []float64{512}
		case strings.HasPrefix(r.Name, "map"):
			b.Targets, b.Frames = 8, 6
		case strings.HasPrefix(r.Name, "alg1015") && r.Name != "alg1015-table1":
			b.Rows = 40
		case r.Name == "sas-fig5":
		case r.Name == "sas-fig12c" && nightly.Is():
			b.Seeds = 1
		default:
			continue
		}
		rows, figure, err := r.Run(t.Context(), b)
		if err != nil || len(rows) == 0 {
			t.Fatalf("%s: %d rows, %v", r.Name, len(rows), err)
		}
		if (figure != nil) != (r.File != "") {
			t.Errorf("%s: figure %v, file %q", r.Name, figure != nil, r.File)
		}
		for _, row := range rows {
			for _, f := range row {
				onCard := strings.HasPrefix(r.Name, "map") && strings.HasPrefix(f.Key, "card_") // of sizes that are carried
				unknown := strings.HasPrefix(f.Key, "published")                                // of some rows
				if x, ok := f.Value.(float64); ok && !(x >= 0) && !onCard && !unknown {
					t.Errorf("%s: %s is %v", r.Name, f.Key, x)
				}
			}
		}
	}
	if n := len(carried()); n < 200 {
		t.Errorf("the program carries %d times of a card", n)
	}
}

// TestPapers wants docs/papers.md to name what there is, no more, and to leave no cell empty.
func TestPapers(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "papers.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{"all": true}
	for _, r := range All {
		named[r.Name] = true
		if !strings.Contains(string(text), "mtt reproduce "+r.Name) {
			t.Errorf("docs/papers.md does not name %s", r.Name)
		}
	}
	for _, m := range regexp.MustCompile("mtt reproduce ([a-z0-9-]*)").FindAllStringSubmatch(string(text), -1) {
		if !named[m[1]] && !strings.HasPrefix(m[1], "--") {
			t.Errorf("docs/papers.md names %s, which there is not", m[1])
		}
	}
	for i, line := range strings.Split(string(text), "\n") {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		cells := strings.Split(strings.ReplaceAll(line, "\\|", ""), "|")
		if len(cells) != 7 {
			t.Errorf("line %d has %d cells, want 5", i+1, len(cells)-2)
		}
		for _, cell := range cells[1 : len(cells)-1] {
			if strings.TrimSpace(cell) == "" {
				t.Errorf("line %d has an empty cell", i+1)
			}
		}
	}
}

// TestTable1 compares the published counts with the exponents of the fits that
// stand below them in the paper, up to n = 32000 and with more weight on large n.
func TestTable1(t *testing.T) {
	for name, part := range map[string]struct {
		table measure.Table
		power []float64
	}{
		"epsilon": {measure.Table1.Priced, []float64{1, 1.300, 1.283, 1.360, 1.028, 1.343, 1.246, 1.223}},
		"none":    {measure.Table1.Plain, []float64{2, 1.515, 1.494, 2.003, 2, 2.001, 1.978, 1.840}},
	} {
		for k, class := range part.table.Columns[1:] {
			var counts []measure.ScanCount
			for _, row := range part.table.Rows {
				counts = append(counts, measure.ScanCount{N: int(row[0]), Published: row[1+k]})
			}
			if got := growthPower(counts, func(c *measure.ScanCount) float64 { return c.Published }); math.Abs(got-part.power[k]) > 0.1 {
				t.Errorf("%s, %s: power %.3f, the paper fits %v", name, class, got, part.power[k])
			}
		}
	}
}
