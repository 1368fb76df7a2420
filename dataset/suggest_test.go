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
		{"a,b\n1,2\n2,3\n", "its columns are a, b; a table needs frame or time, x and y, or range and bearing", Options{}},
		{"t,ost,nord\n0,10,20.5\n1,12,20.5\n", "its columns are t, ost, nord: say which they are, such as --columns x=ost,y=nord", Options{}},
		{"t,x1,y1,x2\n0,10.5,20.5,1\n1,12.5,20.5,3\n", "its columns are t, x1, y1, x2: say which they are, such as --columns x=x1,y=y1", Options{}},
		{"t,range,look\n0,10.5,1\n1,12,2\n", "its columns are t, range, look: say which they are, such as --columns bearing=look", Options{}},
		{"t,away,az\n0,10.5,1\n1,12,2\n", "its columns are t, away, az: say which they are, such as --columns range=away", Options{}},
		{"t,r,theta,phi\n0,10.5,1,1\n1,12,2,1\n", "its columns are t, r, theta, phi: say which they are, such as --columns range=r,bearing=theta", Options{}},
		{"frame_idx,score,head.x,head.y,head.score\n0,0.9,10.5,20.5,0.8\n", "its columns are frame_idx, score, head.x, head.y, head.score: say which they are, such as --columns x=head.x,y=head.y", Options{}},
		{"t,X1,X2\n0,1.5,2.5\n1,1.6,2.6\n", "its columns are t, X1, X2: say which they are, such as --columns x=X1,y=X2", Options{}},
		{"time,x,x\n0,1.5,2.5\n1,1.6,2.6\n", "its columns are time, x, x: say which they are, such as --columns y=3", Options{}},
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

// TestNamedOnce: of two columns of one name nobody knows which is meant.
func TestNamedOnce(t *testing.T) {
	for _, tt := range []struct {
		file, want string
		o          Options
	}{
		{"frame,x,y,x\n0,1,2,9\n1,2,3,9\n", "table:1:11: columns 2 and 4 are both named x; rename one of them, or say which is meant by its number: --columns x=2", Options{}},
		{"frame,x,y,X \n0,1,2,9\n1,2,3,9\n", "table:1:11: columns 2 and 4 are both named X; rename one of them, or say which is meant by its number: --columns x=2", Options{}},
		{"# units\nFrame;x;y;frame\n0;1;2;9\n1;2;3;9\n", "table:2:11: columns 1 and 4 are both named frame; rename one of them, or say which is meant by its number: --columns frame=1", Options{}},
		{"frame,x,y,x\n0,1,2,9\n1,2,3,9\n", "", Options{Columns: map[string]string{"x": "4"}}},
		{"frame,x,y,note,note\n0,1,2,9,8\n1,2,3,9,8\n", "", Options{}},        // neither is read
		{"frame,x,y,id,id\n0,1,2,9,8\n1,2,3,9,8\n", "", Options{NoIDs: true}}, // likewise
		{"frame,x,y,pos_x\n0,1,2,9\n1,2,3,9\n", "", Options{}},                // names differ
	} {
		_, err := Read([]string{write(t, "table", tt.file)}, &tt.o)
		got := ""
		if err != nil {
			got = err.Error()[strings.LastIndex(err.Error(), "table:"):]
		}
		if got != tt.want {
			t.Errorf("%q: %q, want %q", tt.file, got, tt.want)
		}
	}
	r := NewScanReader(strings.NewReader("frame,x,y,x\n0,1,2,9\n"), "table", "auto", nil)
	if _, err := r.Next(); err == nil || !strings.Contains(err.Error(), "columns 2 and 4 are both named x") {
		t.Errorf("a stream: %v", err)
	}
}
