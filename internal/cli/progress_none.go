//go:build js

package cli

// This file stands in where there is no terminal: progress is not drawn.

import "context"

// A Progress draws nothing.
type Progress struct{}

// StartProgress returns nil.
func (s *Session) StartProgress(context.Context, string, int) *Progress { return nil }

// Set does nothing.
func (p *Progress) Set(int, string) {}

// Done does nothing.
func (p *Progress) Done() {}
