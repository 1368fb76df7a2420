package cli

import (
	"context"
	"errors"
	"testing"
)

// TestAwait waits for what reads at once, and not for what hangs when its context ends.
func TestAwait(t *testing.T) {
	want := errors.New("no such file")
	if got, err := Await(t.Context(), func() (int, error) { return 3, want }); got != 3 || err != want {
		t.Errorf("got %d, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	pipe := make(chan int)
	defer close(pipe)
	got, err := Await(ctx, func() (int, error) {
		cancel()
		return <-pipe, nil
	})
	if got != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("got %d, %v after the end of the context", got, err)
	}
}
