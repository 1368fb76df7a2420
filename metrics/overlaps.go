package metrics

import "slices"

// This file lists which target and track ever come near each other, so that
// sequence-wide scores never need a targets × tracks table.

// overlaps is a sparse pattern targets × tracks: target g overlaps the tracks
// track[ptr[g]:ptr[g+1]], ascending. of[e] is the overlap to which entry e of
// the pairs of the frames belongs.
type overlaps struct {
	ptr   []int   // len targets+1
	track []int32 // len overlaps
	of    []int32 // len entries of pairs
}

// newOverlaps collects the overlaps of near. Time O(entries + overlaps·log).
func newOverlaps(s *scene, near *pairs) *overlaps {
	v := &overlaps{
		ptr: make([]int, 1, len(s.truth.of)+1),
		of:  make([]int32, len(near.col)),
	}
	row := make([]int32, s.truth.hits()) // true hit → row of near
	track := make([]int32, len(near.col))
	for t := range s.frames {
		cols := s.tracks.frame(t)
		for r := s.truth.ptr[t]; r < s.truth.ptr[t+1]; r++ {
			row[s.truth.byFrame[r]] = int32(r)
			for e := near.ptr[r]; e < near.ptr[r+1]; e++ {
				track[e] = s.tracks.track[cols[near.col[e]]]
			}
		}
	}
	seen := make([]int32, len(s.tracks.of)) // track → overlap of the current target + 1
	for g := range s.truth.of {
		start := len(v.track)
		for hit := s.truth.base[g]; hit < s.truth.base[g+1]; hit++ {
			for e := near.ptr[row[hit]]; e < near.ptr[row[hit]+1]; e++ {
				if k := track[e]; seen[k] == 0 {
					seen[k] = 1
					v.track = append(v.track, k)
				}
			}
		}
		slices.Sort(v.track[start:])
		for i, k := range v.track[start:] {
			seen[k] = int32(start + i)
		}
		for hit := s.truth.base[g]; hit < s.truth.base[g+1]; hit++ {
			for e := near.ptr[row[hit]]; e < near.ptr[row[hit]+1]; e++ {
				v.of[e] = seen[track[e]]
			}
		}
		for _, k := range v.track[start:] {
			seen[k] = 0
		}
		v.ptr = append(v.ptr, len(v.track))
	}
	return v
}

// find is the overlap of target g and track k, which must exist.
func (v *overlaps) find(g int, k int32) int {
	i, _ := slices.BinarySearch(v.track[v.ptr[g]:v.ptr[g+1]], k)
	return v.ptr[g] + i
}
