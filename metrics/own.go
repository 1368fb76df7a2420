package metrics

import "fmt"

// This file decides which hits of truth and tracks are the same detection.

// An ownership relates the hits of both sides: for each hit, the hit of the
// other side that is the same detection, none or skip.
type ownership struct {
	truth  []int32 // len truth hits: track hit, none or skip
	tracks []int32 // len track hits: truth hit, none or skip
}

const (
	none = -1 // the other side has no such detection
	skip = -2 // not a detection
)

// maxDet bounds detection numbers, since a table of that length is made.
const maxDet = 1 << 26

// ownByDetection relates hits with the same frame and detection number.
//
// One table, detection → track hit, is filled and cleared again for each
// frame, so time and memory are linear.
func ownByDetection(s *scene) (*ownership, error) {
	if len(s.frames) == 0 {
		return &ownership{}, nil
	}
	own := &ownership{truth: make([]int32, s.truth.hits()), tracks: make([]int32, s.tracks.hits())}
	tableT, err := newDetTable(&s.truth, "truth", s.frames[0])
	if err != nil {
		return nil, err
	}
	tableK, err := newDetTable(&s.tracks, "tracks", s.frames[0])
	if err != nil {
		return nil, err
	}
	for t := range s.frames {
		rows := s.truth.frame(t)
		cols := s.tracks.frame(t)
		if err := tableT.fill(rows, s.frames[t]); err != nil {
			return nil, err
		}
		if err := tableK.fill(cols, s.frames[t]); err != nil {
			return nil, err
		}
		for _, hit := range rows {
			own.truth[hit] = tableK.same(s.truth.det(hit))
		}
		for _, hit := range cols {
			own.tracks[hit] = tableT.same(s.tracks.det(hit))
		}
		tableT.clear(rows)
		tableK.clear(cols)
	}
	return own, nil
}

// A detTable finds the hit of a detection of the current frame.
type detTable struct {
	side *side
	name string
	hit  []int32 // detection → hit+1, 0 for none
}

// newDetTable makes the table of a side; frame is the one of which it is, if it is of one.
func newDetTable(s *side, name string, frame int) (*detTable, error) {
	most, beyond := -1, func(id, frame, det int) error {
		return fmt.Errorf("metrics: %s, track %d, frame %d: detection number %d: they count from 0 in each frame; is another column in its place?", name, id, frame, det)
	}
	for k := range s.of {
		for _, h := range s.of[k].Hits {
			if h.Det > maxDet {
				return nil, beyond(s.of[k].ID, h.Frame, h.Det)
			}
			most = max(most, h.Det)
		}
	}
	if s.one != nil {
		for i, det := range s.one.Det {
			if det > maxDet {
				return nil, beyond(s.one.ID[i], frame, det)
			}
			most = max(most, det)
		}
	}
	return &detTable{side: s, name: name, hit: make([]int32, most+1)}, nil
}

// fill enters the hits of a frame.
func (d *detTable) fill(hits []int32, frame int) error {
	for _, hit := range hits {
		det := d.side.det(hit)
		if det < 0 {
			continue
		}
		if other := d.hit[det]; other != 0 {
			return fmt.Errorf("metrics: %s, frame %d: tracks %d and %d both hold detection %d: "+
				"a detection belongs to one of them", d.name, frame,
				d.side.id(other-1), d.side.id(hit), det)
		}
		d.hit[det] = hit + 1
	}
	return nil
}

// same is the hit of detection det.
func (d *detTable) same(det int) int32 {
	switch {
	case det < 0:
		return skip
	case det >= len(d.hit):
		return none
	}
	return d.hit[det] - 1
}

// clear removes the hits of a frame.
func (d *detTable) clear(hits []int32) {
	for _, hit := range hits {
		if det := d.side.det(hit); det >= 0 {
			d.hit[det] = 0
		}
	}
}

// ownByMatching relates hits that CLEAR MOT matched. Where the truth says that
// some hits were not detected, these and their matches are skipped.
func ownByMatching(s *scene, matched []int32) *ownership {
	own := &ownership{truth: make([]int32, s.truth.hits()), tracks: make([]int32, s.tracks.hits())}
	for hit := range own.tracks {
		own.tracks[hit] = none
	}
	someDet := s.truth.hasDet()
	for hit, held := range matched {
		undetected := someDet && s.truth.det(int32(hit)) < 0
		own.truth[hit] = held
		if undetected {
			own.truth[hit] = skip
		}
		switch {
		case held < 0:
		case undetected:
			own.tracks[held] = skip
		default:
			own.tracks[held] = int32(hit)
		}
	}
	return own
}
