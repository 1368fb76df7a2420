package cli

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestAsking reads and writes until the context ends.
func TestAsking(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var out strings.Builder
	r, w := Reader(ctx, strings.NewReader("abcdef")), Writer(ctx, &out)
	if n, err := io.CopyN(w, r, 3); n != 3 || err != nil {
		t.Fatalf("%d bytes, %v", n, err)
	}
	cancel()
	if n, err := r.Read(make([]byte, 3)); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("read %d bytes, %v after the end of the context", n, err)
	}
	if n, err := w.Write([]byte("x")); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("wrote %d bytes, %v after the end of the context", n, err)
	}
	if out.String() != "abc" {
		t.Errorf("%q is written", &out)
	}
}
