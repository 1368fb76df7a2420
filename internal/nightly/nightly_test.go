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

func TestNumbers(t *testing.T) {
	for name, number := range map[string]func(int) int{"MTT_TRIALS": Trials, "MTT_SEED": Seed} {
		for value, want := range map[string]int{"": 7, "none": 7, "0": 0, "123": 123} {
			t.Setenv(name, value)
			if got := number(7); got != want {
				t.Errorf("%s=%q: %d, want %d", name, value, got, want)
			}
		}
	}
}
