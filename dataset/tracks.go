package dataset

// This file reads and writes truth.csv and tracks.csv of a run folder.

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"mtt"
	"mtt/internal/text"
)

// WriteTruth writes truth.csv: the velocities and sizes are written when every track has them, the
// parents, in the last column, when any track has one. Rows are in order of frames and, in a frame,
// of the tracks.
//
// It returns an error for numbers that are not finite, and panics for tracks
// whose slices do not fit together. It takes O(tracks) memory and visits each
// track once for each frame between its first and its last.
func WriteTruth(w io.Writer, truth []mtt.Track) error {
	return writeTracks(w, truth, "id", true, nil)
}

// WriteTracks writes tracks.csv. It is WriteTruth with the columns of estimated
// tracks: no velocities, det before the position. More columns follow, then the parents.
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
	dim, vel, size, parents := 2, truth && len(tracks) > 0, len(tracks) > 0, false
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
		parents = parents || t.Parent != 0
	}
	head := hitHeader(ident, dim, truth, vel, size)
	for _, c := range more {
		head += "," + c.Name
	}
	if parents {
		head += parentHead
	}
	table := &hitTable{
		tracks: len(tracks), hits: func(track int) int { return len(tracks[track].Hits) },
		frame: func(h spot) int { return tracks[h.track].Hits[h.hit].Frame },
	}
	return writeHits(w, head, table, func(b []byte, _ *memory, h spot) ([]byte, error) {
		t, i := &tracks[h.track], h.hit
		at := hitValues{pos: t.Pos[i*dim : (i+1)*dim]}
		if vel {
			at.vel = t.Vel[i*dim : (i+1)*dim]
		}
		if size {
			at.size = t.Size[2*i : 2*i+2]
		}
		b, ok := appendHit(b, t.Hits[i], t.ID, truth, at)
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
		if parents {
			b = appendInt(append(b, ','), t.Parent)
		}
		if !ok {
			return b, fmt.Errorf("dataset: %s %d, frame %d: %w", ident, t.ID, t.Hits[i].Frame, ErrNotFinite)
		}
		return append(b, '\n'), nil
	})
}

// parentHead names the last column of files of tracks that divide.
const parentHead = ",parent"

// hitHeader is the first line of a file of tracks, without further columns.
func hitHeader(ident string, dim int, truth, vel, size bool) string {
	head := "frame," + ident + ","
	if !truth {
		head += "det,"
	}
	head += axes("xyz", dim)
	if vel {
		head += "," + velAxes(dim)
	}
	if size {
		head += ",w,h"
	}
	if truth {
		head += ",det"
	}
	return head
}

// hitValues are what a row of a file of tracks says of where a target is; nil: there is no such column.
type hitValues struct{ pos, vel, size []float64 }

// appendHit appends the row of a hit, in the columns of hitHeader and without an end; false where a number
// is not finite.
func appendHit(b []byte, hit mtt.Hit, id int, truth bool, at hitValues) (row []byte, ok bool) {
	ok = true
	b = appendInt(append(appendInt(b, hit.Frame), ','), id)
	if !truth {
		b = appendInt(append(b, ','), hit.Det)
	}
	b = appendFloats(b, at.pos, &ok)
	b = appendFloats(b, at.vel, &ok)
	b = appendFloats(b, at.size, &ok)
	if truth {
		b = appendInt(append(b, ','), hit.Det)
	}
	return b, ok
}

// Tracks is what a truth or tracks file holds.
type Tracks struct {
	Tracks []mtt.Track // ascending ID
	Notes  []string    // what was understood, worth showing
	Unit   string      // of positions; "" where the file does not say

	// Of MOT16 ground truth, what is not to be found: Ignored holds the boxes of what
	// is easily taken for a pedestrian (classes 2, 7, 8 and 12, of MOT20 also 6),
	// Others the rest.
	Ignored, Others []mtt.Track

	origin, sky *place          // of a plane that only this file has, see source; nil: there is none
	clock       map[int]float64 // s: when the frames were, by the clock of the file; nil: it says no times
	framed      bool            // whether frames have numbers of their own beside
}

// Align moves positions in the plane about the middle of one file, be they of longitude and
// latitude or of directions, to that of another, so that distances between the two are right. It
// does nothing where they have no such planes. Frames of files that say times, one of them
// no frames, are numbered anew in both, by their times, as one file may begin before the other.
func (t *Tracks) Align(to *Tracks) {
	t.synchronize(to)
	for _, list := range [][]mtt.Track{t.Tracks, t.Ignored, t.Others} {
		for i := range list {
			r := rows{n: len(list[i].Hits), dim: list[i].Dim, pos: list[i].Pos}
			if t.origin != nil && to.origin != nil {
				r.move(*t.origin, *to.origin)
			}
			if t.sky != nil && to.sky != nil {
				r.turn(*t.sky, *to.sky)
			}
		}
	}
}

// TracksIn are tracks of a run with those scans, of which the first was at start by the clock of the
// file that was imported, 0 where that says none, and the origin at that longitude and latitude, nil where
// it has none, as Data has them.
func TracksIn(tracks []mtt.Track, scans []mtt.Scan, start float64, origin []float64) *Tracks {
	t := &Tracks{Tracks: tracks, framed: true}
	if len(origin) == 2 {
		t.origin = &place{origin[0], origin[1]}
	}
	if start != 0 {
		t.clock = clockOf(scans, start)
	}
	return t
}

// clockOf is when the frames of scans were, the first scan at start.
func clockOf(scans []mtt.Scan, start float64) map[int]float64 {
	clock := make(map[int]float64, len(scans))
	for k := range scans {
		clock[scans[k].Frame] = start + scans[k].Time - scans[0].Time
	}
	return clock
}

// synchronize numbers the frames of both by their times, where both have them and half of these meet, of
// those in the time that both have: frames are one where they are nearer than half of the shorter step.
func (t *Tracks) synchronize(to *Tracks) {
	if len(t.clock) == 0 || len(to.clock) == 0 || t.framed && to.framed {
		return
	}
	type tick struct {
		time  float64
		frame int
		of    *Tracks
	}
	var ticks []tick
	for _, of := range []*Tracks{t, to} {
		for f, time := range of.clock {
			ticks = append(ticks, tick{time, f, of})
		}
	}
	slices.SortFunc(ticks, func(a, b tick) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.frame, b.frame))
	})
	step := math.Inf(1)
	before := map[*Tracks]float64{t: math.Inf(-1), to: math.Inf(-1)}
	for _, k := range ticks {
		step = min(step, k.time-before[k.of])
		before[k.of] = k.time
	}
	number := map[*Tracks]map[int]int{t: make(map[int]int), to: make(map[int]int)}
	n, met := -1, 0
	for k, a := range ticks {
		if k > 0 && a.of != ticks[k-1].of && a.time-ticks[k-1].time < step/2 {
			met++
		} else {
			n++
		}
		number[a.of][a.frame] = n
	}
	if 2*met < max(1, min(within(t.clock, to.clock, step/2), within(to.clock, t.clock, step/2))) {
		return
	}
	for _, of := range []*Tracks{t, to} {
		for _, list := range [][]mtt.Track{of.Tracks, of.Ignored, of.Others} {
			for i := range list {
				for h := range list[i].Hits {
					hit := &list[i].Hits[h]
					hit.Frame = number[of][hit.Frame]
				}
			}
		}
	}
}

// within is how many times of a are between the first and the last of b, or nearer than margin.
func within(a, b map[int]float64, margin float64) int {
	first, last := math.Inf(1), math.Inf(-1)
	for _, t := range b {
		first, last = min(first, t), max(last, t)
	}
	n := 0
	for _, t := range a {
		if t > first-margin && t < last+margin {
			n++
		}
	}
	return n
}

// ReadTracks reads truth.csv or tracks.csv. The columns frame, id (or track), x
// and y are needed; det, z, vx, vy, vz, w and h are read when the header names
// them, in any order, and other columns are ignored with a note. Without a det
// column every Det is -1. A column parent names, in all rows of a track alike, the one that
// divided into it and another, 0 for none, which ended before. Rows may come in any order.
//
// The slices of the tracks share memory. File names the source in errors, which
// are *SyntaxError unless r fails.
func ReadTracks(r io.Reader, file string) (*Tracks, error) {
	lr := text.NewLines(r, file)
	l, notes, err := runHeader(lr, "frame", "id", "x", "y")
	if err != nil {
		return nil, err
	}
	t, err := readRows(lr, l, expected(r, lr))
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
	if t.mother != nil {
		if err := descend(tracks, t, file); err != nil {
			return nil, err
		}
	}
	return &Tracks{Tracks: tracks, Notes: notes}, nil
}

// descend gives the tracks their parents.
func descend(tracks []mtt.Track, t *rows, file string) error {
	type member struct {
		*mtt.Track
		line int32 // of its first row; 0: not seen yet
	}
	of := make(map[int]*member, len(tracks))
	for k := range tracks {
		of[tracks[k].ID] = &member{&tracks[k], 0}
	}
	for i, id := range t.id {
		m := of[id]
		switch {
		case m == nil: // a row without an identity
		case m.line == 0:
			m.Parent, m.line = t.mother[i], t.line[i]
		case m.Parent != t.mother[i]:
			return &SyntaxError{File: file, Line: int(t.line[i]), Col: 1, Msg: fmt.Sprintf("track %d has the parents %d and %d", id, m.Parent, t.mother[i]),
				Hint: "all rows of a track have the same parent, 0 where it has none"}
		}
	}
	for k := range tracks {
		tr := &tracks[k]
		if tr.Parent == 0 {
			continue
		}
		if from := of[tr.Parent]; from == nil || from.Hits[len(from.Hits)-1].Frame >= tr.Hits[0].Frame {
			return &SyntaxError{File: file, Line: int(of[tr.ID].line), Col: 1, Msg: fmt.Sprintf("the parent of track %d is %d, which is no track that ends before", tr.ID, tr.Parent),
				Hint: "a parent is a track of the same file that ends before its daughters begin; 0 says that there is none"}
		}
	}
	return nil
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
//
// It takes O(n + k log k) time for n rows in order of frames with k identities.
func group(t *rows, file string, twice *int) ([]mtt.Track, error) {
	t.sortBy(nil)
	number, ids := t.numbers()
	begin := make([]int, len(ids)+1) // where the rows of an identity stand in what follows
	for _, id := range t.id {
		if id != noID {
			begin[number(id)+1]++
		}
	}
	for k := range ids {
		begin[k+1] += begin[k]
	}
	total := begin[len(ids)]
	hits, latest, end := make([]mtt.Hit, total), make([]int32, len(ids)), slices.Clone(begin[:len(ids)])
	columns := []struct {
		from, to []float64
		width    int
	}{{from: t.pos, width: t.dim}, {from: t.vel, width: t.dim}, {from: t.size, width: 2}}
	for c := range columns {
		if columns[c].from != nil {
			columns[c].to = make([]float64, total*columns[c].width)
		}
	}
	for i, id := range t.id {
		if id == noID {
			continue
		}
		k := number(id)
		at := end[k]
		if at > begin[k] && hits[at-1].Frame == t.frame[i] {
			if twice == nil {
				return nil, &SyntaxError{File: file, Line: int(t.line[i]), Col: 1,
					Msg:  fmt.Sprintf("%d is twice in frame %d, first in line %d", id, t.frame[i], t.line[latest[k]]),
					Hint: "a track is at one place in a frame", Twice: true}
			}
			*twice++
			if t.line[i] > t.line[latest[k]] {
				continue
			}
			at--
		}
		latest[k], end[k] = int32(i), at+1
		hits[at] = mtt.Hit{Frame: t.frame[i], Det: -1}
		if t.det != nil {
			hits[at].Det = t.det[i]
		}
		for _, c := range columns {
			if c.from != nil {
				copy(c.to[at*c.width:], c.from[i*c.width:(i+1)*c.width])
			}
		}
	}
	tracks := make([]mtt.Track, len(ids))
	for k, id := range ids {
		lo, hi := begin[k], end[k]
		tracks[k] = mtt.Track{ID: id, Dim: t.dim, Hits: slices.Clip(hits[lo:hi]),
			Pos: window(columns[0].to, lo, hi, t.dim), Vel: window(columns[1].to, lo, hi, t.dim), Size: window(columns[2].to, lo, hi, 2)}
	}
	return tracks, nil
}
