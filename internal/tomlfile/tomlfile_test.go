package tomlfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"
)

// TestLimits refuses what would take the parser long, in no time, and reads the rest.
func TestLimits(t *testing.T) {
	deep := strings.Repeat("a.", 20000) + "a"
	many := strings.Repeat("[", 100000)
	tests := []struct {
		name, text, want string // want "": fine
		line             int
	}{
		{"table", "x = 1\n[" + deep + "]\n", "a key of more than 32 parts", 2},
		{"key", deep + " = 1\n", "a key of more than 32 parts", 1},
		{"quoted key", "\n\n" + strings.Repeat(`"a".`, 40) + "a = 1\n", "a key of more than 32 parts", 3},
		{"key in a table in line", "a = { " + deep + " = 1 }\n", "a key of more than 32 parts", 1},
		{"arrays", "a = " + many, "more than 32 brackets", 1},
		{"tables in line", "a = " + strings.Repeat("{a=", 100000), "more than 32 brackets", 1},
		{"after strings", "a = \"\\\"#[\"\nb = '\\'\nc = \"\"\"\n\n\"\"\"\"\"\nd = " + many, "more than 32 brackets", 6},
		{"size", strings.Repeat("\n", MaxBytes+1), "the file has more than 4194304 bytes", 1},
		{"numbers", "a = [" + strings.Repeat("1.5, ", 1000) + "]\n", "", 0},
		{"dots in strings", "a = '" + deep + "' # " + deep + many + "\n\"" + deep + "\" = 1\n", "", 0},
		{"quotes in strings", "a = \"\"\"\"\"x\"\"\"\"\"\nb = '''''x'''''\nc = \"\\\\\"\n", "", 0},
		{"many tables", func() string {
			var b strings.Builder
			for b.Len() < MaxBytes/8 {
				b.WriteString("[[a]]\nx.y=1\n")
			}
			return b.String()
		}(), "", 0},
	}
	for _, tt := range tests {
		var v map[string]any
		began := time.Now()
		_, err := Decode(tt.text, &v)
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s: took %v", tt.name, took)
		}
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		parse, ok := err.(toml.ParseError)
		if !ok || !strings.Contains(parse.Message, tt.want) || parse.Position.Line != tt.line {
			t.Errorf("%s: error %v, want one with %q at line %d", tt.name, err, tt.want, tt.line)
		}
	}
}

// TestDecodeFile reads files and refuses folders.
func TestDecodeFile(t *testing.T) {
	dir := t.TempDir()
	var v map[string]any
	if _, err := DecodeFile(dir, &v); err == nil {
		t.Errorf("a folder: error %v", err)
	}
	name := filepath.Join(dir, "a.toml")
	if err := os.WriteFile(name, []byte("a = 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := DecodeFile(name, &v); err != nil || v["a"] != int64(1) {
		t.Errorf("read %v, %v", v, err)
	}
}

// FuzzDecode: what the parser reads with small depth, so do we.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{"a = 1\n", "[a.b]\nc = '''x'''\n", "a = [1.5, {b = \"\\\"\"}] # x\n", "\"a\".'b'.c = \"\"\"\n\"\"\"\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.Count(s, ".") >= MaxDepth || strings.Count(s, "[")+strings.Count(s, "{") > MaxDepth {
			return // may be refused
		}
		var v, w map[string]any
		_, err := Decode(s, &v)
		if _, want := toml.Decode(s, &w); (err == nil) != (want == nil) {
			t.Errorf("error %v, the parser says %v", err, want)
		}
	})
}
