package dataset

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

// jsonLines reads text as a table with some columns, by the decoder alone or not.
func jsonLines(r io.Reader, decoder bool) (table string, decoded bool, err error) {
	keys := []string{"x", "y", "p.x", "p.0", "id", "ä.b.0.c"}
	column := make(map[string]int)
	for c, key := range keys {
		column[key] = c
	}
	t := newPlainTable("rows.jsonl", r, keys, column)
	if decoder {
		t.plain = nil
		t.d = newJSONTable("rows.jsonl", r).d
	}
	text, err := io.ReadAll(t)
	return string(text), t.plain == nil, err
}

// compareJSON wants the lines and the fault that the decoder finds.
func compareJSON(t *testing.T, text string) (decoded bool) {
	t.Helper()
	want, _, fault := jsonLines(strings.NewReader(text), true)
	got, decoded, err := jsonLines(iotest.HalfReader(strings.NewReader(text)), false)
	if got != want || fmt.Sprint(err) != fmt.Sprint(fault) {
		t.Errorf("%.300q: %.300q, %v; the decoder has %.300q, %v", text, got, err, want, fault)
	}
	return decoded
}

var jsonTexts = []string{
	``, ` `, `[`, `[]`, `{}`, `[{}]`, `[{}, ]`, `[{}}`, `{},{}`, `{}{"x":1}`, `[{"x":1},{"x":2}]junk`, `[{"x":1}`, `{"x":1`, `5`, `{"x":1} 5`,
	`{"x":1,"y":-2.5e+3,"p":{"x":true,"z":[{},[]]},"id":null}`, `{"y":1,"x":2,"x":null}`, `{"p":["a,b","q\"\u00e4"],"id":"ä\n"}`, `{"ä":{"b":[{"c":0}]}}`,
	`{"x":01}`, `{"x":-}`, `{"x":1.}`, `{"x":1e}`, `{"x":.5}`, `{"x":nul}`, `{"x":truex}`, `{"x" 1}`, `{"x":1,}`, `{x:1}`, `{"x":"a` + "\n" + `"}`, `{"x":"\q"}`, "{\"x\":\"\xff\"}",
	strings.Repeat(`{"a":`, 12) + "1" + strings.Repeat(`}`, 12), strings.Repeat(`{"x":[`, 5) + strings.Repeat(`]}`, 5), "\ufeff{}", "{\"x\":1}\x00", `{"a.b.c.d.e.f.g.h.i.j":[1]}`,
	`{"x":"` + strings.Repeat("long", mostPlain/4) + `"} {"y":2}`,
}

// TestPlainJSON: objects have the lines, and faults the words, that the decoder of the standard library has for them, wherever
// what is read at once ends; and the decoder is not asked about what is right.
func TestPlainJSON(t *testing.T) {
	for _, text := range jsonTexts {
		compareJSON(t, text)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	right := []string{jsonTexts[9], jsonTexts[15], jsonTexts[16], jsonTexts[17], jsonTexts[18], `{"x":12,"y":0.25,"id":"a"}`, ` { "x" : 12 , "y" : [ ] } `}
	for trial := range 12 {
		var text strings.Builder
		between := "\n"
		if trial%2 == 0 {
			between = ", \n"
			text.WriteString(" [ ")
		}
		for n := 0; text.Len() < 3*plainWindow; n++ {
			if n > 0 {
				text.WriteString(between)
			}
			k := 1 + rng.IntN(len(right)-1) // the first are two objects
			text.WriteString(right[k])
		}
		if trial%2 == 0 {
			text.WriteString("\n] ")
		}
		whole := text.String()
		if compareJSON(t, whole) {
			t.Errorf("trial %d: the decoder was asked", trial)
		}
		if t.Failed() {
			return
		}
		broken, at := []byte(whole), rng.IntN(len(whole))
		broken[at] = "{}[],:\"\\ 1xé\x00"[rng.IntN(13)]
		compareJSON(t, string(broken))
		compareJSON(t, whole[:rng.IntN(len(whole))])
	}
}

// FuzzPlainJSON compares any text.
func FuzzPlainJSON(f *testing.F) {
	for _, text := range jsonTexts[:len(jsonTexts)-1] {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { compareJSON(t, text) })
}
