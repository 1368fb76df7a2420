package nightly

import "testing"

func TestOr(t *testing.T) {
	for value, want := range map[string]int{"": 2, "1": 9, "10000000": 9} {
		t.Setenv("MTT_NIGHTLY", value)
		if got := Or(2, 9); got != want || Is() != (want == 9) {
			t.Errorf("MTT_NIGHTLY=%q: %d, want %d", value, got, want)
		}
	}
}
