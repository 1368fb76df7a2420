package dataset

// This file writes rows of tracks in order of frames.

import (
	"io"
	"math"
	"runtime"
	"slices"

	"mtt/internal/slab"
	"mtt/internal/workers"
)

// A hitTable says which hits tracks have.
type hitTable struct {
	tracks int
	hits   func(track int) int // their number
	frame  func(h spot) int    // ascending in a track
}

// writeHits writes the line head and a row for each of the hits, in order of frames and, in a
// frame, of the tracks. Rows are made on all cores, by several calls of row at once. The first
// error of row ends the file, somewhere before the row.
//
// What is known of a track lies together, so the rows of some frames are made track by track, each
// into the text of its frame: to look up one hit after another, each of another track, would take
// longer than to write it.
func writeHits(w io.Writer, head string, table *hitTable, row func(b []byte, n *memory, h spot) ([]byte, error)) error {
	if _, err := io.WriteString(w, head+"\n"); err != nil {
		return err
	}
	type block struct {
		tile
		text   [][]byte // of each frame
		memory memory
		err    error
	}
	tiles := newTiles(table)
	return workers.Ordered(runtime.GOMAXPROCS(0), func() *block { return new(block) },
		func(b *block) (bool, error) { return tiles.next(&b.tile), nil },
		func(b *block) {
			b.text, b.err = slab.Keep(b.text, b.frames), nil
			for f := range b.text {
				b.text[f] = b.text[f][:0]
			}
			for _, r := range b.runs {
				for h := (spot{r.track, r.from}); h.hit < r.to; h.hit++ {
					text := &b.text[table.frame(h)-b.first]
					if *text, b.err = row(*text, &b.memory, h); b.err != nil {
						return
					}
				}
			}
		},
		func(b *block) error {
			for _, text := range b.text {
				if len(text) > 0 && b.err == nil { // most are empty where frames are far apart
					_, b.err = w.Write(text)
				}
			}
			return b.err
		})
}

// A memory is what the rows of one block after another have in common.
type memory struct {
	times, covariances numerals
	state              [6 + 21]float64 // workspace of one row: the mean and covariance of a state
}

// A spot is hit number hit of track number track.
type spot struct{ track, hit int }

// A tile holds the hits of some tracks in frames from first on, so many; of all tracks where there
// are several frames.
type tile struct {
	first, frames int
	runs          []run // in order of tracks
}

// A run is hits from ≤ hit < to of a track.
type run struct{ track, from, to int }

// tiles go through all hits: frame by frame, and, in a frame, from track to track. Between two they
// visit the tracks that have begun and not ended.
type tiles struct {
	*hitTable
	begin []int     // tracks that have not begun, in order of their first frames
	live  []waiting // in order of tracks
	now   tile      // those of its hits that were not handed out yet
}

// A waiting is the next hit of a track, and its frame.
type waiting struct {
	spot
	frame int
}

// Hits of a tile: few enough for tiles on all cores to fit into memory, and so many that each has
// several of a track.
const (
	tileHits   = 8 << 10  // that are enough
	tileMost   = 64 << 10 // unless they are in one frame
	tileFrames = 8        // that are enough
)

func newTiles(table *hitTable) *tiles {
	o := &tiles{hitTable: table, begin: make([]int, 0, table.tracks)}
	for i := range table.tracks {
		if o.hits(i) > 0 {
			o.begin = append(o.begin, i)
		}
	}
	slices.SortStableFunc(o.begin, func(a, b int) int { return o.frame(spot{a, 0}) - o.frame(spot{b, 0}) })
	return o
}

// next sets dst to the next tile; false after the last.
func (o *tiles) next(dst *tile) bool {
	if len(o.now.runs) == 0 && !o.advance() {
		return false
	}
	n := len(o.now.runs)
	if o.now.frames == 1 {
		n = min(n, tileHits)
	}
	dst.first, dst.frames = o.now.first, o.now.frames
	dst.runs = append(dst.runs[:0], o.now.runs[:n]...)
	o.now.runs = o.now.runs[n:]
	return true
}

// advance goes on to the next frames with a hit; false after the last.
func (o *tiles) advance() bool {
	first := math.MaxInt
	if len(o.begin) > 0 {
		first = o.frame(spot{o.begin[0], 0})
	}
	for _, p := range o.live {
		first = min(first, p.frame)
	}
	if first == math.MaxInt {
		return false
	}
	o.join(first)
	frames := max(1, tileHits/len(o.live), min(tileFrames, tileMost/len(o.live)))
	last := first + frames - 1
	if last < first { // beyond what an int holds
		frames, last = 1, first
	}
	o.join(last)
	kept, runs, end := o.live[:0], o.now.runs[:0], first
	for _, p := range o.live {
		from, n := p.hit, o.hits(p.track)
		if all := from + frames; all <= n && p.frame == first && o.frame(spot{p.track, all - 1}) == last {
			p.hit = all - 1 // it has a hit in each frame
		}
		for p.hit < n && p.frame <= last {
			if p.hit++; p.hit < n {
				p.frame = o.frame(p.spot)
			}
		}
		if p.hit > from {
			runs = append(runs, run{p.track, from, p.hit})
			end = max(end, o.frame(spot{p.track, p.hit - 1}))
		}
		if p.hit < n {
			kept = append(kept, p)
		}
	}
	o.live, o.now = kept, tile{first, end - first + 1, runs} // frames may be far apart
	return true
}

// join makes the tracks live that begin until frame last.
func (o *tiles) join(last int) {
	n := len(o.live)
	for len(o.begin) > 0 && o.frame(spot{o.begin[0], 0}) <= last {
		h := spot{o.begin[0], 0}
		o.live, o.begin = append(o.live, waiting{h, o.frame(h)}), o.begin[1:]
	}
	if len(o.live) > n {
		slices.SortFunc(o.live, func(a, b waiting) int { return a.track - b.track })
	}
}
