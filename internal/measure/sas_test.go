package measure

import (
	"context"
	"errors"
	"testing"

	"mtt/mapsolver/fpga/cycle"
)

// TestProblemsEnd draws and counts nothing once the context has ended.
func TestProblemsEnd(t *testing.T) {
	l, b := Level{N: 20, K: 4}, &Run{Options: Options{Seeds: 1}}
	list, err := l.Problems(t.Context(), b)
	if err != nil || len(list) != problemsPerSeed(l.N) {
		t.Fatal(len(list), err)
	}
	core := cycle.Core{PE: 8, Timing: cycle.Article}
	if n, err := Counts(t.Context(), core, list); err != nil || n.Cycles == 0 {
		t.Fatal(n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Problems(ctx, b); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if n, err := Counts(ctx, core, list); !errors.Is(err, context.Canceled) || n.Cycles != 0 {
		t.Error(n, err)
	}
}
