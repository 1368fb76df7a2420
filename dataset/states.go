package dataset

// This file writes states.csv of a run folder.

import (
	"fmt"
	"io"
	"strings"

	"mtt"
)

// A StateTable holds states of tracks. Several goroutines read it at once.
type StateTable interface {
	// Len is the number of tracks.
	Len() int

	// Dim is the number of axes, 2 or 3.
	Dim() int

	// Span is the number of a track, and how many states it has.
	Span(track int) (id, states int)

	// Hit is frame and detection of state k of a track, in ascending order of frames; Det is -1
	// where there is no detection.
	Hit(track, k int) mtt.Hit

	// Read sets mean and cov, of 2Dim and Packed(2Dim) values, to those of state k of a track,
	// ordered as in [mtt.States], and returns its time, s.
	Read(mean, cov []float64, track, k int) (time float64)

	// Boxed says whether states have sizes, which Size returns.
	Boxed() bool
	Size(track, k int) (width, height float64)
}

// WriteStates writes states.csv: frame,time,track,det, then position and velocity, then
// their covariance: that of the position and that of the velocity, as detections.csv
// names them, and that of both (sx_vx is of x with vx); of boxes also w,h. Rows are in order of frames and,
// in a frame, of the tracks. Means have the decimals down to a ten thousandth of their
// standard deviation, three to nine; covariances and sizes have six digits.
//
// It returns an error for numbers that are not finite. A row takes half a microsecond of one core; all work.
func WriteStates(w io.Writer, states StateTable) error {
	dim := states.Dim()
	if dim != 2 && dim != 3 {
		panic(badDim)
	}
	names, at := covariances(dim)
	head := "frame,time,track,det," + axes("xyz", dim) + "," + velAxes(dim) + "," + strings.Join(names, ",")
	if states.Boxed() {
		head += ",w,h"
	}
	table := &hitTable{states.Len(), func(track int) int {
		_, n := states.Span(track)
		return n
	}, func(h spot) int { return states.Hit(h.track, h.hit).Frame }}
	return writeHits(w, head, table, func(b []byte, n *memory, h spot) ([]byte, error) {
		mean, cov, ok := n.state[:2*dim], n.state[6:6+mtt.Packed(2*dim)], true
		hit, time := states.Hit(h.track, h.hit), states.Read(mean, cov, h.track, h.hit)
		id, _ := states.Span(h.track)
		b = appendInt(b, hit.Frame)
		b = n.times.append(b, time, &ok, appendFloat)
		b = append(b, ',')
		b = appendInt(b, id)
		b = append(b, ',')
		b = appendInt(b, hit.Det)
		for k, x := range mean {
			b = appendRounded(b, x, decimals(cov[mtt.Packed(k+1)-1]), &ok)
		}
		for _, k := range at {
			b = n.covariances.append(b, cov[k], &ok, appendSix)
		}
		if states.Boxed() {
			width, height := states.Size(h.track, h.hit)
			b = appendSix(appendSix(b, width, &ok), height, &ok)
		}
		if !ok {
			return b, fmt.Errorf("dataset: state of track %d, frame %d: %w", id, hit.Frame, ErrNotFinite)
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
