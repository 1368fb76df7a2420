package dataset

// This file writes states.csv of a run folder.

import (
	"fmt"
	"io"
	"strings"

	"mtt"
)

// WriteStates writes states.csv: frame,time,track,det, then position and velocity, then
// their covariance: that of the position and that of the velocity, as detections.csv
// names them, and that of both (sx_vx is of x with vx). Rows are in order of frames and,
// in a frame, of the tracks.
//
// It returns an error for numbers that are not finite, and panics for states whose slices
// do not fit together.
func WriteStates(w io.Writer, states []mtt.States) error {
	dim := 2
	tracks := make([]mtt.Track, len(states)) // for their order
	for i := range states {
		s := &states[i]
		if i == 0 {
			dim = s.Dim
		}
		n := len(s.Hits)
		if s.Dim != dim || dim != 2 && dim != 3 {
			panic(badDim)
		}
		if len(s.Time) != n || len(s.Mean) != 2*dim*n || len(s.Cov) != mtt.Packed(2*dim)*n {
			panic(badShape)
		}
		tracks[i].Hits = s.Hits
	}
	names, at := covariances(dim)
	head := "frame,time,track,det," + axes("xyz", dim) + "," + velAxes(dim) + "," + strings.Join(names, ",")
	return writeHits(w, head, tracks, func(b []byte, n *numerals, h spot) ([]byte, error) {
		s, ok := &states[h.track], true
		hit := s.Hits[h.hit]
		b = appendInt(b, hit.Frame)
		b = n.append(b, s.Time[h.hit], &ok)
		b = append(b, ',')
		b = appendInt(b, s.ID)
		b = append(b, ',')
		b = appendInt(b, hit.Det)
		mean, cov := s.At(h.hit)
		b = appendFloats(b, mean, &ok)
		for _, k := range at {
			b = n.append(b, cov[k], &ok)
		}
		if !ok {
			return b, fmt.Errorf("dataset: state of track %d, frame %d: %w", s.ID, hit.Frame, ErrNotFinite)
		}
		return append(b, '\n'), nil
	})
}

// covariances lists the columns of a covariance of position and velocity, and where each
// is in the packed matrix.
func covariances(dim int) (names []string, at []int) {
	add := func(format string, r, c int) {
		names = append(names, fmt.Sprintf(format, "xyz"[c%dim:c%dim+1], "xyz"[r%dim:r%dim+1]))
		at = append(at, mtt.Packed(r)+c)
	}
	for from, format := range []string{"s%s%s", "sv%s%s"} {
		for r := range dim {
			for c := range r + 1 {
				add(format, from*dim+r, from*dim+c)
			}
		}
	}
	for c := range dim {
		for r := range dim {
			add("s%s_v%s", dim+r, c)
		}
	}
	return names, at
}
