package association_test

import (
	"testing"

	"mtt"
	"mtt/association"
	"mtt/costgen"
	"mtt/motion"
)

// This file tests that people keep their track behind others.

// passing is somebody who walks past another one, who stands, from left to right at 4 px a frame,
// and is missed for 24 frames where the two are at one place. The box of who stands ends so many px
// lower than that of the other.
func passing(lower float64) (scans []mtt.Scan) {
	for t := range 100 {
		s := mtt.Scan{Frame: t, Time: float64(t), Dim: 2, Pos: []float64{200, 150 + lower}, Size: []float64{100, 200}}
		if x := 4 * float64(t); x < 152 || x > 248 {
			s.Pos, s.Size = append(s.Pos, x, 150), append(s.Size, 60, 200)
		}
		scans = append(scans, s)
	}
	return scans
}

// TestBehind: a gap of 24 frames is closed where others cover the one who is missed, and not where
// they are behind, where it is not known what that says, or where all stand apart.
func TestBehind(t *testing.T) {
	occlusion := &costgen.Occlusion{First: []costgen.Rise{{Miss: 0.01}, {At: 0.5, Miss: 0.8}}, Again: []costgen.Rise{{Miss: 0.3}, {At: 0.5, Miss: 0.97}}}
	for _, c := range []struct {
		what      string
		occlusion *costgen.Occlusion
		lower     float64
		tracks    int
	}{
		{"behind", occlusion, 10, 2},
		{"in front", occlusion, -10, 3},
		{"behind, all misses alike", nil, 10, 3},
		{"far behind", occlusion, 300, 3},
	} {
		levels := &costgen.Levels{
			Sigma: 2, SpeedStd: 4, Accel: 0.05, Motion: motion.Velocity{}, Dim: 2, Interval: 1, PositionsOnly: true, MaxSpeed: 20,
			Occlusion: c.occlusion,
			Rates:     costgen.Rates{Detect: 0.99, Hidden: 0.3, Survive: 0.98, Births: 0.1, Targets: 3, Clutter: 0.1, Volume: 1e5},
		}
		res, err := association.Track(t.Context(), passing(c.lower), &association.Options{Levels: levels, NoStates: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Tracks) != c.tracks {
			t.Errorf("%s: %d tracks, want %d", c.what, len(res.Tracks), c.tracks)
		}
	}
}
