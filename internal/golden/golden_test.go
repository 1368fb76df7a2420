package golden

import "testing"

func TestFirstDifference(t *testing.T) {
	tests := []struct {
		name, got, want string
		line            int
	}{
		{"equal", "a\nb\n", "a\nb\n", 0},
		{"both empty", "", "", 0},
		{"second line", "a\nb\n", "a\nc\n", 2},
		{"missing newline at the end", "a\nb", "a\nb\n", 2},
		{"missing line", "a\n", "a\nb\n", 2},
		{"nothing written", "", "a", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if line, _, _ := firstDifference([]byte(tt.got), []byte(tt.want)); line != tt.line {
				t.Errorf("firstDifference(%q, %q) = line %d, want %d", tt.got, tt.want, line, tt.line)
			}
		})
	}
}

func TestEqualReadsTestdata(t *testing.T) {
	Equal(t, "hello.txt", []byte("hello\n"))
}
