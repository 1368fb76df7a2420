package learn

import (
	"math"
	"testing"

	"mtt"
)

// TestWithin: of some of the scans maps say too much as well, but no more than their share of it. A
// quarter of them was charged with that of all, so that any levels with maps of their own were
// likelier there.
func TestWithin(t *testing.T) {
	l := &learner{part: make([]mtt.Scan, 8), optimism: 60, nats: -100}
	for f := range l.part {
		l.part[f] = mtt.Scan{Frame: f, Dim: 2, Pos: make([]float64, 2+2*(f%2))}
	}
	if some := l.within(l.part[:2]); some.optimism != 15 || !math.IsNaN(some.nats) || len(some.part) != 2 {
		t.Errorf("a quarter has %v of 60 nat, evidence %v", some.optimism, some.nats)
	}
	if all := l.within(l.part); all.optimism != 60 || all.nats != -100 {
		t.Errorf("all have %v of 60 nat, evidence %v", all.optimism, all.nats)
	}
}
