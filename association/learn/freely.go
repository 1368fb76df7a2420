package learn

import (
	"cmp"
	"context"

	"mtt"
)

// This file begins without the rate of false alarms that is said.
//
// Problem. Where next to no detection is said to be false, the first pilot links all that its
// rough levels do not explain as well, to whatever lies nearest, and what is learnt from such
// links confirms them. Where most detections are followed in the next scan these are few. Where
// targets report now and then, they are most.
//
// Idea. As many false alarms as are counted leave out what is not explained yet. So all is learnt
// without that rate, too, and a course from there with it; what comes of it is taken where all
// detections together are likelier for it.
//
// Cost. Learning takes twice as long where the rate is said and less than half of the detections
// are followed in the next scan; else a self part.

// freely begins without the rate of false alarms that is said, and takes what comes of it where all
// detections together are likelier for it. begin is what l was before it saw tracks.
func (l *learner) freely(ctx context.Context, scans []mtt.Scan, begin *learner) error {
	known := begin.known.Rates.Clutter
	if l.Hasty || l.spent() || known == 0 || begin.all() || len(l.Sensors) > 0 || followedNext(l.part) >= 0.5 {
		return nil
	}
	other, err := begin.learntWith(ctx, scans, 0)
	if err != nil {
		return err
	}
	other.Options, other.known.Rates.Clutter = begin.Options, known
	levels := *other.levels
	levels.Rates.Clutter = known
	_, err = l.yields(ctx, other, &levels, cmp.Or(levels.Motion, other.candidates()[0]), 0)
	return err
}
