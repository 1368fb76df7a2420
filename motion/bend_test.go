package motion

import (
	"testing"

	"mtt"
)

// A filter of a curved motion that has gone ahead from a state goes ahead from it again, with a
// manoeuvre and after another time, and from another state, as one that never did.
func TestAhead(t *testing.T) {
	p := &Params{Dim: 2, Model: Turn{}, Sigma: 0.3, Accel: 0.1, SpeedStd: 3, TurnStd: 0.4, TurnWalk: 0.01, PositionsOnly: true, ManoeuvreProb: 0.1, ManoeuvreAccel: 2}
	used := NewFull(p)
	scan := &mtt.Scan{Dim: 2, Pos: []float64{1, 2, 3, 5}}
	var one, other FullState
	used.Start(&one, scan, 0)
	used.Start(&other, scan, 1)
	for _, c := range []struct {
		from *FullState
		dt   float64
		kind int
	}{{&one, 1, Smooth}, {&one, 1, Manoeuvre}, {&one, 2, Manoeuvre}, {&one, 2, Smooth}, {&other, 2, Smooth}, {&other, 2, Manoeuvre}, {&one, 2, Manoeuvre}} {
		got, want := *c.from, *c.from
		used.Predict(&got, c.dt, c.kind)
		NewFull(p).Predict(&want, c.dt, c.kind)
		if got != want {
			t.Errorf("after %v s, kind %d: %v, want %v", c.dt, c.kind, got, want)
		}
	}
}

func BenchmarkPredictTurn(b *testing.B) {
	f := NewFull(&Params{Dim: 2, Model: Turn{}, Sigma: 0.3, Accel: 0.1, SpeedStd: 3, TurnStd: 0.4, TurnWalk: 0.01, PositionsOnly: true, ManoeuvreProb: 0.1, ManoeuvreAccel: 2})
	scan := &mtt.Scan{Dim: 2, Pos: []float64{1, 2, 3, 5}}
	var s FullState
	f.Start(&s, scan, 0)
	for b.Loop() {
		smooth, wild := s, s
		f.Predict(&smooth, 1, Smooth)
		f.Predict(&wild, 1, Manoeuvre)
		s.X[0]++
	}
}
