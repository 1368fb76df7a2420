package dataset

// This file tests what is said of tables whose columns are not known.

import (
	"errors"
	"strings"
	"testing"
)

// TestSuggestion: who has a table of unknown names is told its columns, and what to write.
func TestSuggestion(t *testing.T) {
	for _, tt := range []struct {
		file, want string
		o          Options
	}{
		{"nummer,ost,nord,size\n1,10.5,20.5,3\n1,11.5,22.5,3\n2,10.6,20.7,3\n", "its columns are nummer, ost, nord, size: say which they are, such as --columns frame=nummer,x=ost,y=nord", Options{}},
		{"1,10.5,20.5\n2,3,4\n", "it has 3 columns without names: say which they are, such as --columns frame=1,x=2,y=3", Options{}},
		{"10.5 20.5 1 7\n3 4.5 1 9\n1 2.5 3 4\n", "it has 4 columns without names: say which they are, such as --columns frame=3,x=1,y=2", Options{}},
		{"when;ost, km;y\n1,5;1,5;2,5\n2,5;2,5;3\n", "its columns are when, ost, km, y: say which they are, such as --columns time=when,x=2", Options{}},
		{"when,range,bearing\n1.1,2,1.2\n2.1,3,2\n", "its columns are when, range, bearing: say which they are, such as --columns time=when", Options{}},
		{"a,b\n1,2\n2,3\n", "its columns are a, b; a table needs frame or time, x and y", Options{}},
		{"name,word\nalpha,beta\ngamma,delta\n", "", Options{}},
		{"n,ost,nord\n1,10.5,20.5\n2,11.5,22.5\n", "its columns are n, ost, nord: say which they are, such as --columns x=ost,frame=n,y=nord", Options{Columns: map[string]string{"x": "ost"}}},
		{"n,ost,nord\n1,10.5,20.5\n2,11.5,22.5\n", "its columns are n, ost, nord: say which they are, such as --columns frame=n,x=ost,y=nord", Options{Format: "points"}},
	} {
		_, err := Read([]string{write(t, "table", tt.file)}, &tt.o)
		got := ""
		if f, ok := errors.AsType[*FormatError](err); ok {
			got = f.Hint
			if first, _, _ := strings.Cut(err.Error(), "\n"); !strings.Contains(first, "a format that is not known; "+f.Hint) {
				t.Errorf("the message begins %q", first)
			}
		} else if s, ok := errors.AsType[*SyntaxError](err); ok {
			got = s.Hint
		}
		if got != tt.want {
			t.Errorf("%q: hint %q (%v), want %q", tt.file, got, err, tt.want)
		}
	}
}
