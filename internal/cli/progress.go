//go:build !js

package cli

// This file draws progress on a terminal.

import (
	"context"
	"sync/atomic"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// A Progress is one line on the terminal: name, count, what is known so far,
// and the time it will still take. A nil progress draws nothing, so callers
// need not ask whether there is a terminal.
type Progress struct {
	lines *mpb.Progress
	bar   *mpb.Bar
	state atomic.Value // string
}

// StartProgress begins a line for total steps, or returns nil where none may be
// drawn. The caller calls done on every path.
func (s *Session) StartProgress(ctx context.Context, name string, total int) *Progress {
	if !s.onTerminal() {
		return nil
	}
	p := &Progress{lines: mpb.NewWithContext(ctx, mpb.WithOutput(s.stderr), mpb.WithWidth(32))}
	p.state.Store("")
	p.bar = p.lines.AddBar(int64(total),
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(name+" "), decor.CountersNoUnit("%d/%d ")),
		mpb.AppendDecorators(
			decor.Any(func(decor.Statistics) string { return p.state.Load().(string) + " " }),
			decor.Name("ETA "), decor.AverageETA(decor.ET_STYLE_GO),
		))
	return p
}

// Set says how many steps are done, and in state what is known: a bound, a gap.
func (p *Progress) Set(done int, state string) {
	if p == nil {
		return
	}
	p.state.Store(state)
	p.bar.SetCurrent(int64(done))
}

// Done removes the line.
func (p *Progress) Done() {
	if p == nil {
		return
	}
	p.bar.Abort(true)
	p.lines.Wait()
}
