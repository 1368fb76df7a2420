package cli

import "context"

// Await is what read returns, or the error of ctx where that ends first: read, which may hang in a
// pipe or take longer to end than a signal should, is left behind then, as the process ends. It may
// not write files, and what it changes may not be used after an error of ctx.
func Await[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := read()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
