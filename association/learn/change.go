package learn

import (
	"context"
	"math"

	"mtt/costgen"
)

// This file asks whether something has changed since levels were learnt.
//
// Who learns all along learns from a dozen scans where more detections than usual follow nothing.
// It need not be the levels that no longer hold: who comes in groups does that, too. A dozen scans
// tell levels badly, those of all the scans before better, and groups come and go. So levels of a
// dozen scans are to say of these what those before do not.

// newLevels are the numbers that are learnt anew after a change: those of a kind of targets, and of
// [costgen.Rates] how often they are detected and missed again and stay, how many detections are
// false, and where.
const newLevels = ownLevels + 5

// change says by how much likelier what was detected is under m than under what was known before, by
// more than numbers fitted to nothing would make it: half the logarithm of the number of detections
// for each [1]. How many targets come, and were there, says nothing of it: what was known before is
// told that.
//
// [1] G. Schwarz. Estimating the dimension of a model. Annals of Statistics 6, 1978.
func (m *Model) change(ctx context.Context, before *costgen.Levels) error {
	l := m.by
	if m.Changed = math.Inf(1); l == nil || l.Cost != nil || m.Levels == nil || m.Levels.Shifts != nil || m.Unbelieved != "" {
		return nil
	}
	most, err := l.evidence(ctx)
	if err != nil {
		return err
	}
	levels, as := *before, *l
	levels.Rates.Births, levels.Rates.Targets = l.levels.Rates.Births, l.levels.Rates.Targets
	as.levels, as.speed, as.coasts, as.kinds, as.optimism, as.nats = &levels, before.MaxSpeed, true, nil, 0, math.NaN()
	nats, err := as.evidence(ctx)
	m.Changed = most - nats - newLevels/2.*math.Log(count(l.part))
	return err
}
