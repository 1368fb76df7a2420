package dataset

// This file tests NaN and Infinity in JSON.

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"mtt"
)

// TestNumberWords: words become strings where they stand, wherever what is read at once ends, and
// text in quotes is text.
func TestNumberWords(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"x":NaN,"y":[Infinity,-Infinity,-1,NaN]}`, `{"x":"" ,"y":["Infinity","-Infinity",-1,"" ]}`},
		{`{"NaN":"-Infinity \" NaN","a\\":NaN}`, `{"NaN":"-Infinity \" NaN","a\\":"" }`},
		{`NaN`, `"" `}, {`Na`, `Na`}, {`-`, `-`}, {`Infinit`, `Infinit`}, {`"\`, `"\`}, {``, ``}, {`-NaN`, `-"" `},
	} {
		for _, r := range []io.Reader{strings.NewReader(tt.text), iotest.OneByteReader(strings.NewReader(tt.text)), iotest.DataErrReader(strings.NewReader(tt.text))} {
			got, err := io.ReadAll(&numberWords{r: r})
			if string(got) != tt.want || err != nil {
				t.Errorf("%s: %s and %v, want %s", tt.text, got, err, tt.want)
			}
		}
		if got := withWords([]byte(tt.text)); string(got) != tt.want {
			t.Errorf("a line %s: %s, want %s", tt.text, got, tt.want)
		}
	}
}

// TestNotANumber: NaN, as Python writes it into JSON, is missing as null is, in a file and in a
// stream; an infinity is no number.
func TestNotANumber(t *testing.T) {
	want := []string{"0 [1 2]", "1 []", "2 [3 4]"}
	for name, text := range map[string]string{
		"rows":   `{"time":0,"x":1,"y":2,"note":NaN}` + "\n" + `{"time":1,"x":NaN,"y":NaN,"note":-Infinity}` + "\n" + `{"time":2,"x":3,"y":4,"note":"NaN"}`,
		"scans":  `{"time":0,"detections":[{"x":1,"y":2}]}` + "\n" + `{"time":1,"detections":[{"x":NaN,"y":0}]}` + "\n" + `{"time":2,"detections":[{"x":3,"y":4}]}`,
		"points": `{"time":0,"points":[[1,2]]}` + "\n" + `{"time":1,"points":[[NaN,NaN]]}` + "\n" + `{"time":2,"points":[[3,4]]}`,
	} {
		scans, err := readAll(text, "auto", nil)
		if err != io.EOF {
			t.Errorf("%s, as a stream: %v", name, err)
		}
		file := filepath.Join(t.TempDir(), "points.jsonl")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		d, err := Read([]string{file}, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, got := range [][]mtt.Scan{scans, d.Scans} {
			var said []string
			for k := range got {
				said = append(said, fmt.Sprint(got[k].Time, " ", got[k].Pos))
			}
			if fmt.Sprint(said) != fmt.Sprint(want) {
				t.Errorf("%s: %v, want %v", name, said, want)
			}
		}
	}
	text := `{"time":0,"x":1,"y":Infinity}` + "\n"
	_, err := readAll(text, "auto", nil)
	if err == nil || !strings.Contains(err.Error(), `y is "Infinity", not a finite number`) {
		t.Errorf("an infinite place in a stream: %v", err)
	}
	file := filepath.Join(t.TempDir(), "points.jsonl")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Read([]string{file}, nil); err == nil || !strings.Contains(err.Error(), `y is "Infinity", not a finite number`) {
		t.Errorf("an infinite place: %v", err)
	}
}
