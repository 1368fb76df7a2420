package metrics

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mtt"
)

// This file turns truth and tracks into one scene that can be walked frame by
// frame and track by track.

const (
	badPos  = "metrics: len(Pos) of a track is not len(Hits)·Dim"
	badSize = "metrics: len(Size) of a track is not 2·len(Hits)"
)

// A scene is truth and tracks over their common list of frames.
type scene struct {
	frames        []int // ascending: every frame in which there is a hit
	truth, tracks side
	dim           int
	boxes         bool // compare boxes, not points
}

// A side is truth or tracks. Its hits are numbered track after track: hit h of
// track k is base[k]+h. A slot is a place in the list of hits sorted by frame,
// then track: the hits of frame t are byFrame[ptr[t]:ptr[t+1]].
type side struct {
	of      []mtt.Track // sorted by content; nil: the hits are those of a frame
	one     *Hits       // these, each of another track; base is not there, and track counts from the first frame of all
	order   []int       // len tracks: where each was in the input
	live    int         // tracks with at least one hit
	base    []int32     // len tracks+1
	track   []int32     // len hits: the track of each hit
	byFrame []int32     // len hits: slot → hit
	ptr     []int       // len frames+1
}

func (s *side) hits() int { return len(s.track) }

// frame is the list of hits of frame t.
func (s *side) frame(t int) []int32 { return s.byFrame[s.ptr[t]:s.ptr[t+1]] }

// det is the detection of a hit, -1 for none.
func (s *side) det(hit int32) int {
	if s.one != nil {
		return s.one.Det[hit]
	}
	k := s.track[hit]
	return s.of[k].Hits[hit-s.base[k]].Det
}

// id is the ID of the track of a hit.
func (s *side) id(hit int32) int {
	if s.one != nil {
		return s.one.ID[hit]
	}
	return s.of[s.track[hit]].ID
}

// hasDet is whether the hits say which detections they are: at least one does,
// or there are none.
func (s *side) hasDet() bool {
	for k := range s.of {
		for _, h := range s.of[k].Hits {
			if h.Det >= 0 {
				return true
			}
		}
	}
	return s.hits() == 0
}

// newScene checks and indexes truth and tracks.
func newScene(truth, tracks []mtt.Track, points bool) (*scene, error) {
	s := &scene{boxes: !points}
	for _, side := range []struct {
		name string
		of   []mtt.Track
	}{{"truth", truth}, {"tracks", tracks}} {
		for i := range side.of {
			if err := s.admit(side.name, &side.of[i]); err != nil {
				return nil, err
			}
		}
	}
	s.boxes = s.boxes && s.dim == 2
	s.truth.sort(truth)
	s.tracks.sort(tracks)
	s.frames = frameList(nil, s.truth.of)
	s.frames = frameList(s.frames, s.tracks.of)
	s.truth.index(s.frames)
	s.tracks.index(s.frames)
	return s, nil
}

// admit checks one track and notes what it means for the scene.
func (s *scene) admit(side string, t *mtt.Track) error {
	if len(t.Hits) == 0 {
		return nil
	}
	if t.Dim != 2 && t.Dim != 3 {
		return fmt.Errorf("metrics: %s, track %d: Dim is %d, want 2 or 3", side, t.ID, t.Dim)
	}
	if s.dim == 0 {
		s.dim = t.Dim
	}
	if t.Dim != s.dim {
		return fmt.Errorf("metrics: %s, track %d has %d dimensions, others have %d: "+
			"are truth and tracks of the same scene?", side, t.ID, t.Dim, s.dim)
	}
	if len(t.Pos) != len(t.Hits)*t.Dim {
		panic(badPos)
	}
	if t.Size != nil && len(t.Size) != 2*len(t.Hits) {
		panic(badSize)
	}
	for h, hit := range t.Hits {
		if h > 0 && hit.Frame <= t.Hits[h-1].Frame {
			return fmt.Errorf("metrics: %s, track %d: frame %d comes after frame %d: "+
				"hits must be sorted by frame, one in each", side, t.ID, hit.Frame, t.Hits[h-1].Frame)
		}
	}
	if i := notFinite(t.Pos); i >= 0 {
		return fmt.Errorf("metrics: %s, track %d, frame %d: position is %v",
			side, t.ID, t.Hits[i/t.Dim].Frame, t.Pos[i])
	}
	if i := notFinite(t.Size); i >= 0 {
		return fmt.Errorf("metrics: %s, track %d, frame %d: box size is %v",
			side, t.ID, t.Hits[i/2].Frame, t.Size[i])
	}
	if t.Size == nil {
		s.boxes = false
	}
	return nil
}

func notFinite(v []float64) int {
	return slices.IndexFunc(v, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

// sort takes over tracks, sorted by their first hits, so that neither
// numbering nor order of the input decides anything.
func (s *side) sort(tracks []mtt.Track) {
	s.order = make([]int, len(tracks))
	for k := range s.order {
		s.order[k] = k
	}
	slices.SortStableFunc(s.order, func(a, b int) int { return compareTracks(&tracks[a], &tracks[b]) })
	s.of = make([]mtt.Track, len(tracks))
	for k, from := range s.order {
		s.of[k] = tracks[from]
	}
}

// compareTracks compares the hits of a and b in order. Tracks that compare
// equal score the same.
func compareTracks(a, b *mtt.Track) int {
	for h := range min(len(a.Hits), len(b.Hits)) {
		c := cmp.Or(
			cmp.Compare(a.Hits[h].Frame, b.Hits[h].Frame),
			cmp.Compare(a.Hits[h].Det, b.Hits[h].Det),
			slices.Compare(a.At(h), b.At(h)),
		)
		if c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(len(a.Hits), len(b.Hits)), slices.Compare(a.Size, b.Size))
}

// frameList adds the frames of tracks to the ascending list frames.
//
// Frames not yet listed wait until they are as many as the list is long, so
// each is sorted a few times only and the usual case, tracks that share their
// frames, sorts next to nothing.
func frameList(frames []int, tracks []mtt.Track) []int {
	var wait []int
	merge := func() {
		frames = append(frames, wait...)
		slices.Sort(frames)
		frames = slices.Compact(frames)
		wait = wait[:0]
	}
	for k := range tracks {
		i := 0
		for _, h := range tracks[k].Hits {
			if i >= len(frames) || frames[i] != h.Frame {
				var ok bool
				if i, ok = slices.BinarySearch(frames, h.Frame); !ok {
					wait = append(wait, h.Frame)
					continue
				}
			}
			i++
		}
		if len(wait) > len(frames) {
			merge()
		}
	}
	merge()
	return frames
}

// index numbers the hits and lists them by frame.
func (s *side) index(frames []int) {
	s.base = make([]int32, len(s.of)+1)
	n := 0
	for k := range s.of {
		n += len(s.of[k].Hits)
		if n > math.MaxInt32 {
			panic("metrics: more than 2³¹−1 hits")
		}
		s.base[k+1] = int32(n)
		if len(s.of[k].Hits) > 0 {
			s.live++
		}
	}
	s.track = make([]int32, n)
	s.ptr = make([]int, len(frames)+1)
	rank := make([]int32, n) // hit → frame
	for k := range s.of {
		i := 0
		for h, hit := range s.of[k].Hits {
			if frames[min(i, len(frames)-1)] != hit.Frame {
				i, _ = slices.BinarySearch(frames, hit.Frame)
			}
			id := int(s.base[k]) + h
			s.track[id] = int32(k)
			rank[id] = int32(i)
			s.ptr[i+1]++
			i++
		}
	}
	for t := range frames {
		s.ptr[t+1] += s.ptr[t]
	}
	next := slices.Clone(s.ptr)
	s.byFrame = make([]int32, n)
	for id, t := range rank {
		s.byFrame[next[t]] = int32(id)
		next[t]++
	}
}

// The measures of distance.
const (
	byDistance = "euclidean"
	byIoU      = "1-iou"
)

// measure names the distance.
func (s *scene) measure() string {
	if s.boxes {
		return byIoU
	}
	return byDistance
}
