package dataset

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
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

// compareValue wants a text to be a value where the decoder says so, and the parts that it finds.
func compareValue(t *testing.T, text string) {
	t.Helper()
	var names []string
	var values []json.RawMessage
	end := plainValue([]byte(text), 0, 0, func(name, value []byte) {
		names, values = append(names, string(name)), append(values, value)
	})
	is := end >= 0 && space([]byte(text), end) == len(text)
	deep := strings.Count(text, "[")+strings.Count(text, "{") > deepest
	if valid := text != "" && space([]byte(text), 0) == 0 && json.Valid([]byte(text)); is != valid && !deep {
		t.Fatalf("%.300q: a value %v, want %v", text, is, valid)
	}
	if !is || text[0] != '{' && text[0] != '[' {
		return
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.Token()
	for k := range values {
		if text[0] == '{' {
			if name, err := d.Token(); err != nil || name != names[k] {
				t.Fatalf("%.300q: a name %q, want %v, %v", text, names[k], name, err)
			}
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil || string(value) != string(values[k]) {
			t.Fatalf("%.300q: %.300q, want %.300q, %v", text, values[k], value, err)
		}
	}
	if d.More() {
		t.Fatalf("%.300q: more than %d parts", text, len(values))
	}
}

// compareJSON wants the lines and the fault that the decoder finds.
func compareJSON(t *testing.T, text string) (decoded bool) {
	t.Helper()
	compareValue(t, text)
	want, _, fault := jsonLines(strings.NewReader(text), true)
	got, decoded, err := jsonLines(iotest.HalfReader(strings.NewReader(text)), false)
	if got != want || fmt.Sprint(err) != fmt.Sprint(fault) {
		t.Errorf("%.300q: %.300q, %v; the decoder has %.300q, %v", text, got, err, want, fault)
	}
	return decoded
}

var jsonTexts = []string{
	``, ` `, `[`, `[]`, `{}`, `[{}]`, `[{}, ]`, `[{}}`, `{},{}`, `{}{"x":1}`, `[{"x":1},{"x":2}]junk`, `[{"x":1}`, `{"x":1`, `5`, `{"x":1} 5`,
	`{"x":1,"y":-2.5e+3,"p":{"x":true,"z":[{},[]]},"id":null}`, `{"y":1,"x":2,"id":null}`, `{"p":["a,b","q\"\u00e4"],"id":"ä\n"}`, `{"ä":{"b":[{"c":0}]}}`,
	`{"x":01}`, `{"x":-}`, `{"x":1.}`, `{"x":1e}`, `{"x":.5}`, `{"x":nul}`, `{"x":truex}`, `{"x" 1}`, `{"x":1,}`, `{x:1}`, `{"x":"a` + "\n" + `"}`, `{"x":"\q"}`, "{\"x\":\"\xff\"}",
	`{"x":NaN,"y":Infinity,"p":[NaN,-Infinity]} {"x":2}`, `{"x":"NaN","y":-NaN}`, `{"x":NaNs}`, `{"x":Infinit}`,
	strings.Repeat(`{"a":`, 12) + "1" + strings.Repeat(`}`, 12), strings.Repeat(`{"x":[`, 5) + strings.Repeat(`]}`, 5), "\ufeff{}", "{\"x\":1}\x00", `{"x":1,"x":2}`, `{"x":null,"x":null}`,
	`{"x":1} {"x":1,"\u0078":2}`, `{"p":{"x":1},"y":2,"p.x":3}`, `{"a.b.c.d.e.f.g.h.i.j":[1]}`,
	`{"x":"` + strings.Repeat("long", mostPlain/4) + `"} {"y":2}`,
}

// TestPlainJSON: objects have the lines, and faults the words, that the decoder of the standard
// library has for them, wherever what is read at once ends; and the decoder is not asked about what
// is right.
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

// A key that stands twice in an object is no choice of ours: it is refused with its place, in the
// first objects, further on, and where one of the two is null.
func TestJSONKeyTwice(t *testing.T) {
	const one = `{"frame":0,"x":1,"y":2}` + "\n"
	for _, twice := range []string{`{"frame":1,"x":1,"x":5,"y":2}`, `{"frame":1,"x":null,"y":2,"\u0078":5}`} {
		for _, n := range []int{0, 1, 2000} {
			name := filepath.Join(t.TempDir(), "rows.jsonl")
			if err := os.WriteFile(name, []byte(strings.Repeat(one, n)+twice+"\n"+one), 0o666); err != nil {
				t.Fatal(err)
			}
			_, err := Read([]string{name}, nil)
			if want := fmt.Sprintf(`:%d: the key "x" stands twice in one object`, n+1); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%d objects before: %v, want %q", n, err, want)
			}
		}
	}
}

// FuzzPlainJSON compares any text.
func FuzzPlainJSON(f *testing.F) {
	for _, text := range jsonTexts[:len(jsonTexts)-1] {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { compareJSON(t, text) })
}
