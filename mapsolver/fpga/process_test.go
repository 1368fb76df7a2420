package fpga

import (
	"strings"
	"testing"
)

// TestProcessErrors wants errors, not hangs or panics, from programs that do not
// speak the language.
func TestProcessErrors(t *testing.T) {
	need(t, "sh")
	if _, err := StartProcess("./no-such-program"); err == nil {
		t.Error("StartProcess starts a program that is not there")
	}
	tests := []struct{ name, script, want string }{
		{"nonsense", "read line; echo hello", "says"},
		{"nothing", "read line", "does not answer"},
		{"no number", "read line; echo = xyz", "invalid syntax"},
		{"two numbers", "read line; echo = 1 2", "answers with 2 words"},
		{"none", "read line; echo =", "answers with 0 words"},
	}
	for _, tt := range tests {
		p, err := StartProcess("sh", "-c", tt.script)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.ReadRegister(RegSignature); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
		_ = p.Close() // it may have gone
	}
	p, err := StartProcess("sh", "-c", "read line; echo = 1 2 3; read line; echo = 1 2 g")
	if err != nil {
		t.Fatal(err)
	}
	words := make([]uint64, 4)
	if err := p.ReadMemory(words, 0); err == nil || !strings.Contains(err.Error(), "3 words, want 4") {
		t.Errorf("three words for four: error %v", err)
	}
	if err := p.ReadMemory(words[:3], 0); err == nil {
		t.Error("a word that is no number is read")
	}
	_ = p.Close()
}
