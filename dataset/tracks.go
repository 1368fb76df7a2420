package dataset

// This file reads and writes truth.csv and tracks.csv of a run folder.

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"mtt"
	"mtt/internal/text"
)

// WriteTruth writes truth.csv: the velocities and sizes are written when every
// track has them. Rows are in order of frames and, in a frame, of the tracks.
//
// It returns an error for numbers that are not finite, and panics for tracks
// whose slices do not fit together. It takes O(tracks) memory and visits each
// track once for each frame between its first and its last.
func WriteTruth(w io.Writer, truth []mtt.Track) error {
	return writeTracks(w, truth, "id", true, nil)
}

// WriteTracks writes tracks.csv. It is WriteTruth with the columns of estimated
// tracks: no velocities, det before the position. More columns follow.
func WriteTracks(w io.Writer, tracks []mtt.Track, more ...TrackColumn) error {
	return writeTracks(w, tracks, "track", false, more)
}

// A TrackColumn is a further column of tracks.csv.
type TrackColumn struct {
	Name string

	// Of is the value at a hit of a track, numbered as in the list of tracks; nothing
	// is written where it is not finite.
	Of func(track, hit int) float64

	Exact bool // whether the values are written to the last bit; else with six digits
}

func writeTracks(w io.Writer, tracks []mtt.Track, ident string, truth bool, more []TrackColumn) error {
	dim, vel, size := 2, truth && len(tracks) > 0, len(tracks) > 0
	for i := range tracks {
		t := &tracks[i]
		if i == 0 {
			dim = t.Dim
		}
		if t.Dim != dim || dim != 2 && dim != 3 {
			panic(badDim)
		}
		n := len(t.Hits)
		if len(t.Pos) != n*dim || t.Vel != nil && len(t.Vel) != n*dim || t.Size != nil && len(t.Size) != 2*n {
			panic(badShape)
		}
		if !slices.IsSortedFunc(t.Hits, func(a, b mtt.Hit) int {
			if a.Frame == b.Frame {
				panic(badOrder)
			}
			return a.Frame - b.Frame
		}) {
			panic(badOrder)
		}
		vel = vel && t.Vel != nil
		size = size && t.Size != nil
	}
	b := make([]byte, 0, flushAt+1<<10)
	b = append(b, "frame,"+ident+","...)
	if !truth {
		b = append(b, "det,"...)
	}
	b = append(b, axes("xyz", dim)...)
	if vel {
		b = append(b, ","+velAxes(dim)...)
	}
	if size {
		b = append(b, ",w,h"...)
	}
	if truth {
		b = append(b, ",det"...)
	}
	for _, c := range more {
		b = append(append(b, ','), c.Name...)
	}
	b = append(b, '\n')

	var fail error
	for f, h := range byFrame(tracks) {
		t := &tracks[h.track]
		i := h.hit
		ok := true
		b = strconv.AppendInt(b, int64(f), 10)
		b = append(b, ',')
		b = strconv.AppendInt(b, int64(t.ID), 10)
		if !truth {
			b = append(b, ',')
			b = strconv.AppendInt(b, int64(t.Hits[i].Det), 10)
		}
		b = appendFloats(b, t.Pos[i*dim:(i+1)*dim], &ok)
		if vel {
			b = appendFloats(b, t.Vel[i*dim:(i+1)*dim], &ok)
		}
		if size {
			b = appendFloats(b, t.Size[2*i:2*i+2], &ok)
		}
		if truth {
			b = append(b, ',')
			b = strconv.AppendInt(b, int64(t.Hits[i].Det), 10)
		}
		for _, c := range more {
			b = append(b, ',')
			switch x := c.Of(h.track, i); {
			case math.IsNaN(x) || math.IsInf(x, 0):
			case c.Exact:
				b = strconv.AppendFloat(b, x, 'f', -1, 64)
			default:
				b = strconv.AppendFloat(b, x, 'g', 6, 64)
			}
		}
		b = append(b, '\n')
		if !ok {
			return fmt.Errorf("dataset: %s %d, frame %d: %w", ident, t.ID, f, ErrNotFinite)
		}
		if len(b) >= flushAt {
			if _, fail = w.Write(b); fail != nil {
				return fail
			}
			b = b[:0]
		}
	}
	_, fail = w.Write(b)
	return fail
}

// A spot is hit number hit of track number track.
type spot struct{ track, hit int }

// byFrame yields the hits of all tracks, with their frames, in order of frames
// and, in a frame, of the tracks. Between two frames it visits the tracks that
// have begun and not ended.
func byFrame(tracks []mtt.Track) func(yield func(int, spot) bool) {
	return func(yield func(int, spot) bool) {
		begin := make([]int, 0, len(tracks)) // tracks in order of their first frames
		for i := range tracks {
			if len(tracks[i].Hits) > 0 {
				begin = append(begin, i)
			}
		}
		slices.SortStableFunc(begin, func(a, b int) int { return tracks[a].Hits[0].Frame - tracks[b].Hits[0].Frame })
		var live []spot // in order of tracks; hit is the next one
		for len(begin) > 0 || len(live) > 0 {
			f := 0
			if len(begin) > 0 {
				f = tracks[begin[0]].Hits[0].Frame
			} else {
				f = tracks[live[0].track].Hits[live[0].hit].Frame
			}
			for _, p := range live {
				if g := tracks[p.track].Hits[p.hit].Frame; g < f {
					f = g
				}
			}
			born := false
			for len(begin) > 0 && tracks[begin[0]].Hits[0].Frame == f {
				live = append(live, spot{begin[0], 0})
				begin = begin[1:]
				born = true
			}
			if born {
				slices.SortFunc(live, func(a, b spot) int { return a.track - b.track })
			}
			kept := live[:0]
			for _, p := range live {
				if tracks[p.track].Hits[p.hit].Frame == f {
					if !yield(f, p) {
						return
					}
					p.hit++
				}
				if p.hit < len(tracks[p.track].Hits) {
					kept = append(kept, p)
				}
			}
			live = kept
		}
	}
}

// Tracks is what a truth or tracks file holds.
type Tracks struct {
	Tracks []mtt.Track // ascending ID
	Notes  []string    // what was understood, worth showing

	// Of MOT16 ground truth, what is not to be found: Ignored holds the boxes of what
	// is easily taken for a pedestrian (classes 2, 7, 8 and 12, of MOT20 also 6),
	// Others the rest.
	Ignored, Others []mtt.Track
}

// ReadTracks reads truth.csv or tracks.csv. The columns frame, id (or track), x
// and y are needed; det, z, vx, vy, vz, w and h are read when the header names
// them, in any order, and other columns are ignored with a note. Without a det
// column every Det is -1. Rows may come in any order.
//
// The slices of the tracks share memory. File names the source in errors, which
// are *SyntaxError unless r fails.
func ReadTracks(r io.Reader, file string) (*Tracks, error) {
	lr := text.NewLines(r, file)
	l, notes, err := runHeader(lr, "frame", "id", "x", "y")
	if err != nil {
		return nil, err
	}
	t, err := readRows(lr, l, 0)
	if err != nil {
		return nil, err
	}
	for i, d := range t.det {
		if d < -1 {
			return nil, &SyntaxError{File: file, Line: int(t.line[i]), Col: 1, Msg: fmt.Sprintf("det is %d", d),
				Hint: "detections count from 0, and -1 says that the target was missed"}
		}
	}
	tracks, err := group(t, file, nil)
	if err != nil {
		return nil, err
	}
	return &Tracks{Tracks: tracks, Notes: notes}, nil
}

// byID is the order of the rows by id, without those that have none; rows with equal ids
// as they stand. It takes O(n + k log k) time for n rows with k identities.
func (t *rows) byID() []int {
	number, ids := t.numbers()
	next := make([]int, len(ids)+1) // where the next row of an identity goes
	total := 0
	for _, id := range t.id {
		if id != noID {
			next[number(id)+1]++
			total++
		}
	}
	for k := range ids {
		next[k+1] += next[k]
	}
	order := make([]int, total)
	for i, id := range t.id {
		if id != noID {
			k := number(id)
			order[next[k]] = i
			next[k]++
		}
	}
	return order
}

// numbers lists the identities in ascending order and numbers them: by a table where they
// lie close together, else by a map.
func (t *rows) numbers() (number func(id int) int, ids []int) {
	low, high := math.MaxInt, math.MinInt
	for _, id := range t.id {
		if id != noID {
			low, high = min(low, id), max(high, id)
		}
	}
	if low > high {
		return func(int) int { return 0 }, nil
	}
	if high-low >= 0 && high-low < 4*t.n {
		table := make([]int32, high-low+1)
		for _, id := range t.id {
			if id != noID {
				table[id-low] = 1
			}
		}
		for k, used := range table {
			if used != 0 {
				table[k] = int32(len(ids))
				ids = append(ids, low+k)
			}
		}
		return func(id int) int { return int(table[id-low]) }, ids
	}
	of := make(map[int]int)
	for _, id := range t.id {
		if _, ok := of[id]; !ok && id != noID {
			of[id] = 0
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for k, id := range ids {
		of[id] = k
	}
	return func(id int) int { return of[id] }, ids
}

// group makes one track of the rows with the same id, in order of ids. It
// reorders the rows. A track that is twice in a frame is an error, or, where twice
// is not nil, only there in the first of its rows; the others are counted.
func group(t *rows, file string, twice *int) ([]mtt.Track, error) {
	t.sortBy(nil)
	order := t.byID()
	kept := order[:0]
	for k, i := range order {
		if last := len(kept) - 1; k > 0 && t.id[i] == t.id[kept[last]] && t.frame[i] == t.frame[kept[last]] {
			if twice == nil {
				return nil, &SyntaxError{File: file, Line: int(t.line[i]), Col: 1,
					Msg:  fmt.Sprintf("%d is twice in frame %d, first in line %d", t.id[i], t.frame[i], t.line[kept[last]]),
					Hint: "a track is at one place in a frame"}
			}
			*twice++
			continue
		}
		kept = append(kept, i)
	}
	t.take(kept)
	var tracks []mtt.Track
	for lo := 0; lo < t.n; {
		hi := lo + 1
		for hi < t.n && t.id[hi] == t.id[lo] {
			hi++
		}
		hits := make([]mtt.Hit, hi-lo)
		for k := range hits {
			hits[k] = mtt.Hit{Frame: t.frame[lo+k], Det: -1}
			if t.det != nil {
				hits[k].Det = t.det[lo+k]
			}
		}
		tracks = append(tracks, mtt.Track{ID: t.id[lo], Dim: t.dim, Hits: hits,
			Pos: window(t.pos, lo, hi, t.dim), Vel: window(t.vel, lo, hi, t.dim), Size: window(t.size, lo, hi, 2)})
		lo = hi
	}
	return tracks, nil
}
