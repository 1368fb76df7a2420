package dataset

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTabs reads tables that tabs separate, and in which names, words and dates have blanks: as the same with semicolons.
func TestTabs(t *testing.T) {
	for _, text := range []string{
		"time;x;y\n2024-01-01 12:00:00;1;2\n2024-01-01 12:00:01;1.5;2\n2024-01-01 12:00:02;2;2\n",
		"cell name;frame;x;y\nred cell;0;1;2\nred dwarf;0;5;6\nred cell;1;1.5;2\nred dwarf;1;5.5;6\n",
		"frame;x;y;label\n0;1;2;a\n0;5;6;b c\n1;1.5;2;a\n1;5.5;6;b c\n",
	} {
		want, got := read(t, "a.csv", text, nil), read(t, "a.tsv", strings.ReplaceAll(text, ";", "\t"), nil)
		got.Notes[0] = strings.Replace(got.Notes[0], "tab", "semicolon", 1)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
	// A field may be empty at the end of a line, too.
	for _, text := range []string{
		"frame;x;y;score\n0;1;2;\n1;1.5;2;0.5\n2;2;2;\n",
		"frame;x;y;note\r\n0;1;2;\r\n1;1.5;2;\r\n2;2;2;\r\n",
		"frame;x;y\n0;1;2\n1;1.5;\n2;2;2\n2;;\n",
		"frame;note;x;y;z;score;more\n0;;1;2;3;;\n1;a;1.5;2;3;;\n2;;2;2;4;0.5;\n",
		"frame;x1;y1;x2;y2\n0;1;2;;\n1;1.5;2;5;5\n2;2;2;5;\n3;2;2;5;5\n",
	} {
		for _, o := range []*Options{nil, {Where: map[string]string{"3": "2"}}} {
			want, got := read(t, "a.csv", text, o), read(t, "a.tsv", strings.ReplaceAll(text, ";", "\t"), o)
			got.Notes[0] = strings.Replace(got.Notes[0], "tab", "semicolon", 1)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%q: %s", text, d)
			}
		}
	}
	short := write(t, "a.tsv", "frame\tx\ty\tscore\n0\t1\t2\t1\n1\t1\t\n")
	if _, err := Read([]string{short}, nil); err == nil || !strings.Contains(err.Error(), "a.tsv:3:4: 3 fields, not 4") {
		t.Errorf("a line cut short: %v", err)
	}
	// Numbers that either of both separates are of a column each.
	data := read(t, "a.txt", "1 102\t150.5 683.25\t170.5\n1 103\t150.5 675.25\t170.5\n", nil)
	if data.Format != "hermes" {
		t.Errorf("read as %s", data.Format)
	}
	// Of a stream the names have to tell.
	if got := separator([]byte("time\tx\ty\tcell name")); got != '\t' {
		t.Errorf("separated by %q", got)
	}
}
