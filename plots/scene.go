package plots

// This file compares true trajectories with tracks, detection by detection, and
// chooses what of a large scene is drawn.

import (
	"fmt"
	"math"

	"mtt"
)

// A scene knows for each detection the target and the track it belongs to.
// Detections have one number through all frames.
type scene struct {
	truth, tracks []mtt.Track
	scans         []mtt.Scan
	dim           int
	offset        map[int]int32     // frame → number of its first detection; with scans
	numbers       map[mtt.Hit]int32 // in order of appearance; without scans
	target        []int32           // index of the true trajectory of each detection, -1: none
	track         []int32           // index of a track that holds it, -1: none
	next          []int32           // the detection after it in its trajectory, -1: none

	judged         bool
	links          int   // true links
	wrong, missing []seg // links
}

// A seg is the part of a track, estimated or true, from one hit to a later one.
type seg struct{ track, from, to int32 }

const (
	badTrack = "plots: the slices of a track differ in length"
	badDim   = "plots: a track or scan has neither 2 nor 3 dimensions"
)

func newScene(truth, tracks []mtt.Track, scans []mtt.Scan) (*scene, error) {
	s := &scene{truth: truth, tracks: tracks, scans: scans}
	sees := func(dim int) {
		if dim != 2 && dim != 3 {
			panic(badDim)
		}
		s.dim = max(s.dim, dim)
	}
	var n int32
	if len(scans) == 0 {
		s.numbers = make(map[mtt.Hit]int32)
	}
	s.offset = make(map[int]int32, len(scans))
	size := make(map[int]int, len(scans))
	for i := range scans {
		frame, detections := scans[i].Frame, scans[i].Len()
		if _, seen := size[frame]; seen {
			return nil, fmt.Errorf("plots: two scans of frame %d", frame)
		}
		if detections > 0 {
			sees(scans[i].Dim)
		}
		s.offset[frame], size[frame] = n, detections
		n += int32(detections)
	}
	for _, list := range []struct {
		what   string
		tracks []mtt.Track
	}{{"true trajectory", truth}, {"track", tracks}} {
		for i := range list.tracks {
			t := &list.tracks[i]
			if len(t.Pos) != len(t.Hits)*t.Dim {
				panic(badTrack)
			}
			if len(t.Hits) > 0 {
				sees(t.Dim)
			}
			for _, h := range t.Hits {
				switch {
				case h.Det < 0:
				case len(scans) == 0:
					if _, seen := s.numbers[h]; !seen {
						s.numbers[h] = n
						n++
					}
				case h.Det >= size[h.Frame]:
					return nil, fmt.Errorf("plots: %s %d, frame %d: detection %d is out of range, the frame has %s; do tracks and detections come from the same run?",
						list.what, t.ID, h.Frame, h.Det, count(size[h.Frame], "detection"))
				}
			}
		}
	}
	s.target, s.track, s.next = filled(n), filled(n), filled(n)
	for i := range truth {
		last := int32(-1)
		for _, h := range truth[i].Hits {
			if h.Det < 0 {
				continue
			}
			d := s.number(h)
			if other := s.target[d]; other >= 0 {
				return nil, fmt.Errorf("plots: frame %d: detection %d belongs to true trajectories %d and %d",
					h.Frame, h.Det, truth[other].ID, truth[i].ID)
			}
			s.target[d] = int32(i)
			if last >= 0 {
				s.next[last] = d
			}
			last = d
		}
	}
	for i := range tracks {
		for _, h := range tracks[i].Hits {
			if h.Det >= 0 {
				s.track[s.number(h)] = int32(i)
			}
		}
	}
	return s, nil
}

// filled has n elements, all -1.
func filled(n int32) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = -1
	}
	return s
}

// number is that of the detection of h, which has one.
func (s *scene) number(h mtt.Hit) int32 {
	if s.numbers != nil {
		return s.numbers[h]
	}
	return s.offset[h.Frame] + int32(h.Det)
}

// eachLink calls do for each link of t: hits from and to, their detections a
// and b, none between them.
func (s *scene) eachLink(t *mtt.Track, do func(from, to, a, b int32)) {
	from, a := int32(-1), int32(-1)
	for h, hit := range t.Hits {
		if hit.Det < 0 {
			continue
		}
		b := s.number(hit)
		if from >= 0 {
			do(from, int32(h), a, b)
		}
		from, a = int32(h), b
	}
}

// judge finds the wrong and the missing links.
func (s *scene) judge() {
	names := func(list []mtt.Track) bool {
		for i := range list {
			for _, h := range list[i].Hits {
				if h.Det >= 0 {
					return true
				}
			}
		}
		return false
	}
	s.judged = names(s.truth) && names(s.tracks)
	if !s.judged {
		return
	}
	found := make([]bool, len(s.next)) // the true link that starts here is in a track
	for i := range s.tracks {
		s.eachLink(&s.tracks[i], func(from, to, a, b int32) {
			switch {
			case s.target[a] < 0 || s.target[a] != s.target[b]:
				s.wrong = append(s.wrong, seg{int32(i), from, to})
			case s.next[a] == b:
				found[a] = true
			}
		})
	}
	for i := range s.truth {
		s.eachLink(&s.truth[i], func(from, to, a, b int32) {
			s.links++
			if !found[a] {
				s.missing = append(s.missing, seg{int32(i), from, to})
			}
		})
	}
}

// A selection is the part of the scene that is drawn.
type selection struct {
	truth, tracks, wrong, missing []path
	dots                          []float64 // x, y of each

	targets, allTargets int // 0 of 0 without truth
	kept, allTracks     int
	stride              int // of the hits of a track, only one in stride is drawn
}

// choose keeps whole targets, so that about maxHits hits remain, the tracks that
// hold any of their detections, and the same share of what belongs to no target.
// Without truth it keeps tracks. Half of the places go to targets with missing
// links, as far as there are any; apart from that the choice is even.
func (s *scene) choose(maxHits int) *selection {
	list := s.truth
	if len(list) == 0 {
		list = s.tracks
	}
	hits := 0
	for i := range list {
		hits += len(list[i].Hits)
	}
	if len(list) == 0 {
		hits = len(s.target)
	}
	share := 1.0
	if hits > maxHits {
		share = float64(maxHits) / float64(hits)
	}
	// keep decides about the rest: the i-th is kept when the share of the list
	// up to it reaches another whole number; the first always is.
	keep := func(i int) bool {
		return share >= 1 || math.Ceil(float64(i+1)*share) > math.Ceil(float64(i)*share)
	}

	sel := &selection{allTargets: len(s.truth), allTracks: len(s.tracks)}
	flawed := make([]bool, len(s.truth))
	for _, l := range s.missing {
		flawed[l.track] = true
	}
	keepTarget := pick(flawed, max(1, int(share*float64(len(s.truth)))))
	keepTrack := make([]bool, len(s.tracks))
	for i := range s.truth {
		if keepTarget[i] {
			sel.targets++
			sel.truth = append(sel.truth, pathOf(&s.truth[i]))
		}
	}
	for i := range s.tracks {
		t := &s.tracks[i]
		known := false
		for _, h := range t.Hits {
			if h.Det < 0 {
				continue
			}
			if target := s.target[s.number(h)]; target >= 0 {
				known = true
				keepTrack[i] = keepTrack[i] || keepTarget[target]
			}
		}
		if !known {
			keepTrack[i] = keep(i)
		}
		if keepTrack[i] {
			sel.kept++
			sel.tracks = append(sel.tracks, pathOf(t))
		}
	}
	kept := 0
	for _, lines := range [][]path{sel.truth, sel.tracks} {
		n := 0
		for _, l := range lines {
			n += len(l.pos) / max(1, l.dim)
		}
		kept = max(kept, n)
	}
	sel.stride = max(1, (kept+maxHits/2)/maxHits) // more than one for a few very long tracks
	for _, l := range s.wrong {
		if keepTrack[l.track] {
			sel.wrong = append(sel.wrong, pathOf(&s.tracks[l.track]).cut(l))
		}
	}
	for _, l := range s.missing {
		if keepTarget[l.track] {
			sel.missing = append(sel.missing, pathOf(&s.truth[l.track]).cut(l))
		}
	}
	rest, own := 0, 0
	for i := range s.scans {
		sc := &s.scans[i]
		base := s.offset[sc.Frame]
		for j := range sc.Len() {
			d := base + int32(j)
			target, track := s.target[d], s.track[d]
			show := target >= 0 && keepTarget[target] || track >= 0 && keepTrack[track]
			if target < 0 && track < 0 {
				show = keep(rest)
				rest++
			}
			if show && (target >= 0 || track >= 0) {
				show = own%sel.stride == 0
				own++
			}
			if show {
				at := sc.At(j)
				sel.dots = append(sel.dots, at[0], at[1])
			}
		}
	}
	return sel
}

// pick keeps about m of the elements of first, evenly spaced, but up to half of
// the m among those that are true.
func pick(first []bool, m int) []bool {
	keep := make([]bool, len(first))
	if m >= len(first) {
		for i := range keep {
			keep[i] = true
		}
		return keep
	}
	var yes, no []int
	for i, f := range first {
		if f {
			yes = append(yes, i)
		} else {
			no = append(no, i)
		}
	}
	k := min(len(yes), (m+1)/2)
	evenly := func(list []int, k int) {
		for i := range min(k, len(list)) {
			keep[list[i*len(list)/k]] = true
		}
	}
	evenly(yes, k)
	evenly(no, m-k)
	return keep
}

// frame drops the detections that lie far from all trajectories and tracks, and
// returns their number: clutter shall not decide how large the rest is drawn.
func (s *selection) frame() (outside int) {
	view := newExtent()
	for _, lines := range [][]path{s.truth, s.tracks} {
		for _, l := range lines {
			l.extend(&view)
		}
	}
	room := 0.08 * max(view.xmax-view.xmin, view.ymax-view.ymin)
	if !(room > 0) {
		return 0
	}
	near := s.dots[:0]
	for i := 0; i < len(s.dots); i += 2 {
		x, y := s.dots[i], s.dots[i+1]
		switch {
		case !finite(x) || !finite(y):
		case x < view.xmin-room || x > view.xmax+room || y < view.ymin-room || y > view.ymax+room:
			outside++
		default:
			near = append(near, x, y)
		}
	}
	s.dots = near
	return outside
}
