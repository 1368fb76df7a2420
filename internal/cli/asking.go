package cli

import (
	"context"
	"io"
)

// Reader is r until ctx ends: from then on, every Read returns its error.
func Reader(ctx context.Context, r io.Reader) io.Reader { return &asking{ctx, r, nil} }

// Writer is w until ctx ends: from then on, every Write returns its error. Who writes a file by it
// leaves none that is half written.
func Writer(ctx context.Context, w io.Writer) io.Writer { return &asking{ctx, nil, w} }

// An asking is a stream that asks its context each time.
type asking struct {
	ctx context.Context
	r   io.Reader
	w   io.Writer
}

func (a *asking) Read(p []byte) (int, error) {
	if err := a.ctx.Err(); err != nil {
		return 0, err
	}
	return a.r.Read(p)
}

func (a *asking) Write(p []byte) (int, error) {
	if err := a.ctx.Err(); err != nil {
		return 0, err
	}
	return a.w.Write(p)
}
