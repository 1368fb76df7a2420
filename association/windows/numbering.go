package windows

import (
	"cmp"
	"slices"

	"mtt"
	"mtt/association/chain"
	"mtt/internal/slab"
)

// This file numbers tracks as their windows come.

// A Numbering numbers tracks from 1, by first scan, then first detection. Its memory is that of the
// detections to which settled links lead beyond the last window. The zero value has seen no window.
type Numbering struct {
	Count int // of tracks so far
	Loose int // detections in no track so far

	First int       // scan that comes next
	Next  [][]int32 // of detections of that scan and those after it: the number of their track; 0, or missing: none so far

	own, spare []int32 // memory of the scan at hand, and of the one before it, for a scan that is yet to come
}

// A Place is a detection in a track.
type Place struct {
	Track int // its number
	Det   int
}

// Add hands the tracked detections of each scan of a window to each, by track. The
// slice is reused. An error of each ends it.
func (k *Numbering) Add(w *Window, each func(s *mtt.Scan, places []Place) error) error {
	var places []Place
	var at []int32 // of each track from the first on that a scan has: its detection, from 1; 0: none
	for t := range w.Scans {
		s := &w.Scans[t]
		own := k.take()
		places = places[:0]
		for i := range s.Len() {
			id, next := int32(0), w.Next[t][i]
			if i < len(own) {
				id = own[i]
			}
			if id == 0 {
				if next == chain.None && !w.Single {
					k.Loose++
					continue
				}
				k.Count++
				id = int32(k.Count)
			}
			places = append(places, Place{int(id), i})
			if next != chain.None {
				k.put(int(next.T), int(next.Det), id)
			}
		}
		places, at = byTrack(places, at)
		if err := each(s, places); err != nil {
			return err
		}
	}
	return nil
}

// byTrack puts the places of a scan, each of another track, into the order of their tracks. Where
// tracks that have ended are not many times as many as those that go on, each place is put where it
// belongs. at is workspace.
func byTrack(places []Place, at []int32) ([]Place, []int32) {
	if len(places) == 0 {
		return places, at
	}
	first, last := places[0].Track, places[0].Track
	for _, p := range places {
		first, last = min(first, p.Track), max(last, p.Track)
	}
	if last-first >= 8*len(places) {
		slices.SortFunc(places, func(a, b Place) int { return cmp.Compare(a.Track, b.Track) })
		return places, at
	}
	at = slab.Grow(at, last-first+1)
	clear(at)
	for _, p := range places {
		at[p.Track-first] = int32(p.Det) + 1
	}
	places = places[:0]
	for k, det := range at {
		if det > 0 {
			places = append(places, Place{first + k, int(det) - 1})
		}
	}
	return places, at
}

// take is what is known of the scan that comes next.
func (k *Numbering) take() (own []int32) {
	k.First++
	k.own, k.spare = nil, k.own
	if len(k.Next) > 0 {
		k.own = k.Next[0]
		k.Next = slices.Delete(k.Next, 0, 1)
	}
	return k.own
}

// put notes the track of a detection of scan t, which is yet to come.
func (k *Numbering) put(t, det int, id int32) {
	for len(k.Next) <= t-k.First {
		k.Next, k.spare = append(k.Next, k.spare[:0]), nil
	}
	own := &k.Next[t-k.First]
	if more := det + 1 - len(*own); more > 0 {
		*own = append(*own, make([]int32, more)...)
	}
	(*own)[det] = id
}
