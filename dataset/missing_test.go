package dataset

import (
	"strings"
	"testing"
)

// TestNotAvailable: what spreadsheets write for a value that is missing, #N/A, is no remark where a row begins with it.
func TestNotAvailable(t *testing.T) {
	const table = "x,y,frame\n# a remark\n1,2,0\n#N/A,3,0\n1.5,2,1\n#N/A,#N/A,1\n2,2,2\n"
	got := read(t, "a.csv", table, nil)
	want := read(t, "a.csv", strings.ReplaceAll(table, "#N/A", "NaN"), nil)
	if n := strings.Join(got.Notes, "\n"); n != strings.Join(want.Notes, "\n") || !strings.Contains(n, "(empty or NaN): 2, left out") {
		t.Errorf("%s\nwant\n%s", n, strings.Join(want.Notes, "\n"))
	}
	_, err := Read([]string{write(t, "a.csv", "frame,x,y\n0,1,2\n#N/A,3,0\n1,2,2\n")}, nil)
	if err == nil || !strings.Contains(err.Error(), "a.csv:3:1: frame is") {
		t.Errorf("a frame that is missing: %v", err)
	}
}
