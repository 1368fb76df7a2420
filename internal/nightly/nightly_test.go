package nightly

import (
	"testing"
	"time"
)

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

// TestRounds: without a time there are as many rounds as are asked for, with one as many as fit,
// and one in a part whose time is over.
func TestRounds(t *testing.T) {
	rounds := func(c Clock, part, of int) (n int) {
		for k := range c.Rounds(Trials(7), part, of) {
			if n++; k != n-1 {
				t.Fatalf("round %d is %d", n-1, k)
			}
			if n == 20 {
				break
			}
		}
		return n
	}
	late := Clock{time.Now().Add(-time.Hour)}
	for _, c := range []struct {
		time, trials   string
		clock          Clock
		part, of, want int
	}{
		{"", "", Start(), 0, 1, 7},
		{"", "3", late, 0, 1, 3},
		{"0", "", late, 0, 1, 7},
		{"100", "", Start(), 0, 2, 20},
		{"100", "5", Start(), 0, 2, 5},
		{"100", "", late, 0, 1, 1},
		{"7100", "", late, 0, 2, 1}, // 50 s ago
		{"7100", "", late, 1, 2, 20},
	} {
		t.Setenv("MTT_TIME", c.time)
		t.Setenv("MTT_TRIALS", c.trials)
		if got := rounds(c.clock, c.part, c.of); got != c.want {
			t.Errorf("MTT_TIME=%s MTT_TRIALS=%s, part %d of %d: %d rounds, want %d", c.time, c.trials, c.part, c.of, got, c.want)
		}
	}
	t.Setenv("MTT_TIME", "1")
	t.Setenv("MTT_TRIALS", "")
	began, n := time.Now(), 0
	for range Start().Rounds(7, 0, 2) {
		n++
		time.Sleep(time.Millisecond)
	}
	if took := time.Since(began); took < 500*time.Millisecond || n < 2 {
		t.Errorf("%d rounds in %v of half a second", n, took)
	}
}
