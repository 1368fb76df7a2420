package learn

import (
	"math"
	"testing"

	"mtt"
	"mtt/costgen"
)

// TestDoubt: where no other track passes beside a detection, in reach of its target, turns need no more than three numbers are worth; where one passes beside each,
// as much as in a crowd.
func TestDoubt(t *testing.T) {
	const frames = 400
	for _, apart := range []float64{100, 1} {
		l := &learner{Options: &Options{}, levels: &costgen.Levels{}, speed: 3, tracks: []mtt.Track{{Dim: 1}, {Dim: 1}}}
		for f := range frames {
			l.part = append(l.part, mtt.Scan{Frame: f, Time: float64(f), Dim: 1, Pos: []float64{float64(f), float64(f) + apart}})
			for i := range l.tracks {
				l.tracks[i].Append(&l.part[f], i)
			}
		}
		want := 1.5 * math.Log(2*frames)
		if apart < l.speed {
			want = worth * 2 * frames
		}
		if got := l.doubt(); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v apart: doubt %v, want %v", apart, got, want)
		}
	}
}
