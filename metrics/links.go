package metrics

// This file counts wrong links: MMEP, ITCP and false links.

// LinkScores are the scores of links.
//
// Only detected hits count. A true link joins two consecutive detected hits of
// one target, whatever frames were missed between them; it is right when one
// track holds both detections, one directly after the other. With L true
// links, of which R are right, and N targets with at least one detection, of
// which B are bad,
//
//	MMEP = 100 · (L − R) / L        ITCP = 100 · B / N
//
// where L = Σ over targets of (detected hits − 1). A target is bad when one of
// its links is not right, or when a track that holds one of its detections
// also holds a detection of another target or of no target (clutter). Without
// misses and clutter L = N·(T−1) for N targets in T frames, L − R is the sum of
// mismatch errors ΣMME with each counted once, and ITCP is the share of
// trajectories with at least one wrong assignment: the definitions of [1].
//
// A link that is not right is wrong when the track that holds its first
// detection goes on to another detection, missing when that track ends there
// or no track holds it. Apart from that a false link is a link of a track
// that joins detections of different targets, or a detection of a target or of
// clutter with clutter.
//
// [1] Kawtikwar, Nagi. Multi-target tracking with GPU-accelerated data
// association engine, section V-B.
type LinkScores struct {
	ITCP         float64 `json:"itcp"` // %
	MMEP         float64 `json:"mmep"` // %
	FalseLinks   int     `json:"false_links"`
	TrueLinks    int     `json:"true_links"`
	WrongLinks   int     `json:"wrong_links"`
	MissingLinks int     `json:"missing_links"`
	TrackLinks   int     `json:"track_links"`  // links of the tracks, right or not
	LinkTargets  int     `json:"link_targets"` // targets with at least one detection
	BadTargets   int     `json:"bad_targets"`  // of these: not perfect

	// LinksBy says how detections of truth and tracks were compared:
	// LinksByDetection, LinksByMatching or LinksMixed.
	LinksBy string `json:"links_by"`
}

// The ways to compare detections.
const (
	// LinksByDetection: hits are the same when frame and detection number are.
	LinksByDetection = "detection"

	// LinksByMatching: truth or tracks carry no detection numbers, and hits
	// are the same when CLEAR MOT matches them. Every true hit counts as
	// detected, unless the truth says which are not.
	LinksByMatching = "matching"

	// LinksMixed: a merged report of both.
	LinksMixed = "mixed"
)

// finish computes the rates from the counts.
func (l *LinkScores) finish() {
	l.MMEP = percent(l.WrongLinks+l.MissingLinks, l.TrueLinks)
	l.ITCP = percent(l.BadTargets, l.LinkTargets)
}

// add adds the counts of m.
func (l *LinkScores) add(m *LinkScores) {
	l.FalseLinks += m.FalseLinks
	l.TrueLinks += m.TrueLinks
	l.WrongLinks += m.WrongLinks
	l.MissingLinks += m.MissingLinks
	l.TrackLinks += m.TrackLinks
	l.LinkTargets += m.LinkTargets
	l.BadTargets += m.BadTargets
	if l.LinksBy != m.LinksBy {
		l.LinksBy = LinksMixed
	}
}

// scoreLinks counts links.
func scoreLinks(s *scene, own *ownership, byDetection bool) *LinkScores {
	l := &LinkScores{LinksBy: LinksByMatching}
	if byDetection {
		l.LinksBy = LinksByDetection
	}
	next := nextDetected(&s.tracks, own.tracks)
	bad := make([]bool, len(s.truth.of))
	l.countTracks(s, own, next, bad)
	l.countTargets(s, own, next, bad)
	return l
}

// countTracks counts the links of tracks and marks targets whose tracks are
// shared.
func (l *LinkScores) countTracks(s *scene, own *ownership, next []int32, bad []bool) {
	owner := func(hit int32) int32 {
		if g := own.tracks[hit]; g >= 0 {
			return s.truth.track[g]
		}
		return none
	}
	for k := range s.tracks.of {
		shared := false
		from, to := s.tracks.base[k], s.tracks.base[k+1]
		for hit := from; hit < to; hit++ {
			if own.tracks[hit] == skip || next[hit] == none {
				continue
			}
			l.TrackLinks++
			a, b := owner(hit), owner(next[hit])
			if a != b || a == none {
				l.FalseLinks++
			}
			if a != b {
				shared = true
			}
		}
		for hit := from; shared && hit < to; hit++ {
			if own.tracks[hit] != skip && owner(hit) != none {
				bad[owner(hit)] = true
			}
		}
	}
}

// countTargets counts the true links and the targets that are not perfect.
func (l *LinkScores) countTargets(s *scene, own *ownership, next []int32, bad []bool) {
	for g := range s.truth.of {
		last, detected := int32(none), 0
		for hit := s.truth.base[g]; hit < s.truth.base[g+1]; hit++ {
			held := own.truth[hit]
			if held == skip {
				continue
			}
			if detected++; detected > 1 {
				l.TrueLinks++
				switch {
				case last == none || next[last] == none:
					l.MissingLinks++
					bad[g] = true
				case next[last] != held:
					l.WrongLinks++
					bad[g] = true
				}
			}
			last = held
		}
		if detected > 0 {
			l.LinkTargets++
			if bad[g] {
				l.BadTargets++
			}
		}
	}
}

// nextDetected is, for each detected hit of a side, the next one of the same
// track, none at its end.
func nextDetected(s *side, same []int32) []int32 {
	next := make([]int32, s.hits())
	for k := range s.of {
		last := int32(none)
		for hit := s.base[k+1] - 1; hit >= s.base[k]; hit-- {
			next[hit] = last
			if same[hit] != skip {
				last = hit
			}
		}
	}
	return next
}
