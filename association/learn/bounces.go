package learn

import (
	"context"

	"mtt/costgen"
	"mtt/motion"
)

// This file settles whether targets bounce, off the walls of a box or off each other.
//
// Problem. Priced as manoeuvres, which leave open where a target flies to afterwards, bounces are
// so dear that a death and a birth are likelier, and lives are learnt that are too short.
//
// Idea. Tracks tell at once whether what turns in them keeps its speed, and leaves its line along
// the change of its velocity (motion.Bounce): of 55 scenes drawn by lot true tracks of 24 of the 25
// that bounce are likelier for it, by 7 to 866 nats, of the others not at all. Then all is learnt
// again with it, and once more as if nobody that ends where another begins comes or goes.
//
// Invariant. What comes of it is taken where all that was detected is likelier by more than [learner.doubt].
//
// Cost. A filter along the tracks; where it shows, up to two courses more.

// bouncing gives targets bounces where all detections are likelier for it. first is what was learnt
// of the default motion.
func (l *learner) bouncing(ctx context.Context, first *learner, m motion.Model) error {
	if l.known.Accel > 0 || l.told || len(l.Sensors) > 0 || m != motion.Model(motion.Velocity{}) {
		return nil
	}
	begin := *l
	if l.levels.Motion != m {
		begin = *first
	}
	tracks, turned := begin.tracks, begin.levels
	if turned.ManoeuvreProb == 0 {
		tracks = begin.mended()
		if turned = begin.rare(m, tracks); turned == nil {
			return nil
		}
	}
	fresh, gain := costgen.FitBounces(turned, tracks, Times(l.part))
	if fresh == nil || gain < max(worth*float64(hits(tracks)), 5) {
		return nil
	}
	begin.mirrors, begin.estimate = true, costgen.FitRare
	try := func(begin learner, levels *costgen.Levels) error {
		if err := begin.again(ctx, levels, m); err != nil || len(begin.tracks) == 0 {
			return err
		}
		nats, err := begin.over(ctx, l)
		if err == nil && begin.levels.BounceProb > 0 && nats > begin.doubt() {
			begin.motions = l.motions
			*l = begin
		}
		return err
	}
	if err := try(begin, fresh); err != nil || l.steady || l.all() || l.spent() {
		return err
	}
	if l.mirrors {
		begin = *l
		fresh = l.levels
	}
	if r := begin.lasting(begin.mended()); r != nil {
		g := *fresh
		g.Rates = *r
		return try(begin, &g)
	}
	return nil
}
