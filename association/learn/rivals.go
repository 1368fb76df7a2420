package learn

import (
	"context"

	"mtt/costgen"
	"mtt/motion"
)

// This file compares what was learnt with what is learnt anew from elsewhere.
//
// Problem. Whatever levels the first tracks suggest, tracks of these levels confirm. So many files
// of this package begin once more elsewhere where something speaks for it, and the likelier of both
// is taken: how they compare should be the same for all.
//
// Idea. A learner yields its place to another under which all that was detected is likelier, by
// more than is asked for.

// over is by how many nats all that was detected is likelier under l than under another.
func (l *learner) over(ctx context.Context, other *learner) (nats float64, err error) {
	less, err := other.evidence(ctx)
	if err != nil {
		return 0, err
	}
	nats, err = l.evidence(ctx)
	return nats - less, err
}

// yields has another learn anew, from levels under motion m, and gives it the place of l where all
// that was detected is likelier under it, by more than least: who finds no tracks takes none, as
// these say nothing of levels.
func (l *learner) yields(ctx context.Context, other *learner, levels *costgen.Levels, m motion.Model, least float64) (taken bool, err error) {
	if _, err := l.evidence(ctx); err != nil { // before levels change that both have
		return false, err
	}
	if err := other.again(ctx, levels, m); err != nil || len(other.tracks) == 0 {
		return false, err
	}
	nats, err := other.over(ctx, l)
	if taken = err == nil && nats > least; taken {
		*l = *other
	}
	return taken, err
}

// again takes a course from levels.
func (l *learner) again(ctx context.Context, levels *costgen.Levels, m motion.Model) error {
	l.levels = levels
	return l.course(ctx, m)
}
