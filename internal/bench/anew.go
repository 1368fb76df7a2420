package bench

// This file runs the engine of all scans anew on the last ones at each step: what can be
// known at the time, at any price.

import (
	"context"

	"mtt"
	"mtt/association"
	"mtt/association/chain"
)

// trackAnew tracks the last scans of each moment, window of them, and settles the links
// into a scan lag scans later, for each of the lags. Whoever goes on from the last
// detection of a track keeps its number.
func trackAnew(ctx context.Context, scans []mtt.Scan, window int, lags []int, opts *association.Options) (map[int][]mtt.Track, error) {
	settled := make(map[int]*settlement)
	for _, lag := range lags {
		settled[lag] = newSettlement(scans)
	}
	for t := 1; t < len(scans); t++ {
		from := max(0, t-window+1)
		res, err := association.Track(ctx, scans[from:t+1], opts)
		if err != nil {
			return nil, err
		}
		links := linksOf(res.Tracks, scans[from:t+1])
		for lag, s := range settled {
			last := t - lag
			if t == len(scans)-1 {
				last = t
			}
			for f := max(1, t-lag); f <= last; f++ {
				s.settle(f, links.Prev[f-from], from)
			}
		}
	}
	found := make(map[int][]mtt.Track)
	for lag, s := range settled {
		found[lag] = s.tracks()
	}
	return found, nil
}

// linksOf are the links of tracks of scans.
func linksOf(tracks []mtt.Track, scans []mtt.Scan) *chain.Links {
	at, links := mtt.ByFrame(scans), chain.New(scans)
	for i := range tracks {
		h := tracks[i].Hits
		for n := 1; n < len(h); n++ {
			links.Link(chain.At(at[h[n-1].Frame], h[n-1].Det), chain.At(at[h[n].Frame], h[n].Det))
		}
	}
	return links
}

// A settlement is what has been settled.
type settlement struct {
	scans []mtt.Scan
	track [][]int // of each detection: its track, from 1; 0: none
	last  []int   // of each track: the scan of its last detection; that of track 0 means nothing
}

func newSettlement(scans []mtt.Scan) *settlement {
	s := &settlement{scans: scans, last: []int{0}}
	for t := range scans {
		s.track = append(s.track, make([]int, scans[t].Len()))
	}
	return s
}

// settle puts the detections of scan t on the tracks of those that they come from, of scans
// counted from the given one.
func (s *settlement) settle(t int, prev []chain.Node, from int) {
	for _, latest := range [2]bool{true, false} {
		for i, p := range prev {
			if p == chain.None || s.track[t][i] != 0 {
				continue
			}
			u := from + int(p.T)
			k := s.track[u][p.Det]
			switch {
			case k == 0:
				k = len(s.last)
				s.last = append(s.last, u)
				s.track[u][p.Det] = k
			case s.last[k] == t, latest && s.last[k] != u:
				continue
			}
			s.track[t][i], s.last[k] = k, t
		}
	}
}

// tracks lists the tracks.
func (s *settlement) tracks() []mtt.Track {
	list := make([]mtt.Track, len(s.last)-1)
	for t := range s.scans {
		for i, k := range s.track[t] {
			if k > 0 {
				list[k-1].ID, list[k-1].Dim = k, s.scans[t].Dim
				list[k-1].Append(&s.scans[t], i)
			}
		}
	}
	return list
}
