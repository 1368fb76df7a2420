package shell

import (
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestJoin(t *testing.T) {
	tests := []struct {
		words []string
		want  string
	}{
		{[]string{"mtt", "track", "--gap=0.5", "runs/a,b"}, "mtt track --gap=0.5 runs/a,b"},
		{[]string{"", "a b", "it's", "$x", "a;b#.csv"}, `'' 'a b' 'it'\''s' '$x' 'a;b#.csv'`},
		{[]string{"a\nb'\\.csv", "\x1b[2J", "\xff1", "höhe", "\u202e"}, `$'a\012b\'\\.csv' $'\033[2J' $'\3771' 'höhe' $'\342\200\256'`},
	}
	for _, tt := range tests {
		if got := Join(tt.words); got != tt.want {
			t.Errorf("Join(%q) = %s, want %s", tt.words, got, tt.want)
		}
	}
}

// TestShellReads lets bash read random words back.
func TestShellReads(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash: ", err)
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
			rapid.StringMatching(`[ '"\\$;#\n0-9x]*`)), 1, 20).Draw(t, "words")
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "\x00", "") // no argument has one
		}
		line := Join(words)
		if strings.ContainsAny(line, "\n\r\x1b") {
			t.Fatalf("%q is not one plain line", line)
		}
		out, err := exec.Command(bash, "-c", `printf '%s\0' `+line).Output()
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if want := strings.Join(words, "\x00") + "\x00"; string(out) != want {
			t.Fatalf("bash reads %s as %q, want %q", line, out, want)
		}
	})
}
