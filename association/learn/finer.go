package learn

import (
	"context"
	"math"
	"slices"

	"mtt/motion"
)

// This file begins with ever shorter links where no track was found.
//
// Problem. How far targets go in a step shows without association (see [selfPart]) where successors
// are many. Of five targets that are seen a dozen times each, among as many false alarms, the
// length that learning begins with is chance; where it is far too long tracks are of anything,
// levels that fit these say that nothing is a target, and no track is left.
//
// Idea. No tracks are no answer. So learning begins again with links half as long, and half of
// that, and what comes of it is taken where all detections are likelier for it than levels that are
// fitted to nothing would make them.
//
// Invariant. Where there is a track nothing is tried.
//
// Cost. Where there is none a first pilot and a course for each length, whose tracks are few.

// halvings is how many times links are halved: after five they are shorter than the noise of most sensors.
const halvings = 5

// finer begins with shorter links where there are no tracks, and takes what comes of it where all
// detections together are likelier for it by as much as levels of their own are worth (see
// [learner.besides]).
func (l *learner) finer(ctx context.Context, begin learner, m motion.Model) error {
	if len(l.tracks) > 0 || l.Hasty || l.steady || l.vel || len(l.Sensors) > 0 {
		return nil
	}
	least := ownLevels / 2. * math.Log(count(l.part))
	begin.own = slices.Clone(begin.own)
	for n := 0; n < halvings && !l.spent(); n++ {
		for k := range begin.own {
			o := &begin.own[k]
			o.length, o.wide = o.length/2, 0
		}
		other := begin
		if _, err := other.first(ctx, m); err != nil {
			return err
		}
		taken, err := l.yields(ctx, &other, other.levels, m, least)
		if err != nil {
			return err
		}
		if taken {
			least = 0
		}
	}
	return nil
}
