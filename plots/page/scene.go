package page

// This file writes the scene of a page: numbers as JSON, arrays in base64.

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"mtt"
)

// A Scene is what the picture shows. The page has all of it, at some 20 bytes for each
// detection: up to two millions of them open at ease.
type Scene struct {
	Unit          string     // of positions; empty: not known
	YDown         bool       // whether y grows downwards, as pixels of images do
	Scans         []mtt.Scan // in order; frames differ
	Tracks, Truth []mtt.Track

	// Margins says, for each hit of each track, how much dearer, at least, every answer
	// is that decides otherwise there, in nat; NaN: not known. Nil: for none.
	Margins [][]float64

	// Odds says likewise how sure the link before each hit is, by its log odds: what is least sure
	// heads the list of doubtful links. Nil: not known, and that list goes by margins.
	Odds [][]float64
}

// none is the detection of a hit that has none.
const none = math.MaxUint32

// write writes the scene as script elements that hold data.
//
// Points are the detections of all scans in order, then the positions of hits without a
// detection. x, y and z are relative to the origin that the head names, in single
// precision; ptr has the first detection of each scan; extra has the scans of the points
// after the detections. A track is a range of hits, from trackPtr, and a hit is a point.
// It asks ctx between arrays and scans.
func (s *Scene) write(ctx context.Context, w *bufio.Writer) error {
	first, n := make(map[int]scanAt, len(s.Scans)), 0
	ptr := make([]uint32, 1, len(s.Scans)+1)
	frames, times := make([]int32, len(s.Scans)), make([]float64, len(s.Scans))
	dim, boxes := 2, true
	for k := range s.Scans {
		scan := &s.Scans[k]
		if _, seen := first[scan.Frame]; seen {
			return fmt.Errorf("page: two scans of frame %d", scan.Frame)
		}
		first[scan.Frame] = scanAt{k, n, scan.Len()}
		frames[k], times[k] = int32(scan.Frame), scan.Time
		n += scan.Len()
		if n >= none/2 {
			return fmt.Errorf("page: %d detections are too many", n)
		}
		ptr = append(ptr, uint32(n))
		if scan.Len() > 0 {
			dim, boxes = max(dim, scan.Dim), boxes && scan.Size != nil
		}
	}
	p := &points{origin: make([]float64, dim), columns: make([][]float32, dim)}
	p.centre(s.Scans)
	for k := range s.Scans {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := range s.Scans[k].Len() {
			p.add(s.Scans[k].At(i))
		}
	}
	tracks, err := p.paths(ctx, s.Tracks, [2][][]float64{s.Margins, s.Odds}, "track", first)
	if err != nil {
		return err
	}
	truth, err := p.paths(ctx, s.Truth, [2][][]float64{}, "target", first)
	if err != nil {
		return err
	}
	head, err := json.Marshal(struct {
		Unit   string    `json:"unit"`
		YDown  bool      `json:"yDown"`
		Dim    int       `json:"dim"`
		Origin []float64 `json:"origin"`
		Truth  bool      `json:"truth"`
	}{s.Unit, s.YDown, dim, p.origin, s.Truth != nil})
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	fmt.Fprintf(w, "<script type=\"application/json\" id=\"scene\">%s</script>\n", head)
	put(w, "frame", "i4", frames)
	put(w, "time", "f8", times)
	put(w, "ptr", "u4", ptr)
	for k, c := range p.columns {
		put(w, "xyz"[k:k+1], "f4", c)
	}
	put(w, "extra", "u4", p.extra)
	if boxes && n > 0 {
		width, height := make([]float32, 0, n), make([]float32, 0, n)
		for k := range s.Scans {
			for i := range s.Scans[k].Len() {
				width, height = append(width, float32(s.Scans[k].Size[2*i])), append(height, float32(s.Scans[k].Size[2*i+1]))
			}
		}
		put(w, "w", "f4", width)
		put(w, "h", "f4", height)
	}
	tracks.put(w, "track")
	if s.Truth != nil {
		truth.put(w, "truth")
	}
	for k, name := range [2]string{"margin", "odds"} {
		if [2][][]float64{s.Margins, s.Odds}[k] != nil {
			put(w, name, "f4", tracks.doubts[k])
		}
	}
	return nil
}

// A scanAt is a scan: its number, its first detection and how many it has.
type scanAt struct{ k, first, n int }

// points are positions relative to an origin.
type points struct {
	origin  []float64
	columns [][]float32 // x, y, z
	extra   []uint32    // scan of each point that is no detection
}

// centre puts the origin into the middle of the detections.
func (p *points) centre(scans []mtt.Scan) {
	for c := range p.origin {
		lo, hi := math.Inf(1), math.Inf(-1)
		for k := range scans {
			if dim := scans[k].Dim; c < dim {
				for i := c; i < len(scans[k].Pos); i += dim {
					lo, hi = min(lo, scans[k].Pos[i]), max(hi, scans[k].Pos[i])
				}
			}
		}
		if lo <= hi {
			p.origin[c] = math.Round((lo + hi) / 2)
		}
	}
}

// add appends a point.
func (p *points) add(pos []float64) {
	for c := range p.columns {
		x := 0.0
		if c < len(pos) {
			x = pos[c] - p.origin[c]
		}
		p.columns[c] = append(p.columns[c], float32(x))
	}
}

// paths are tracks as ranges of points.
type paths struct {
	id       []int32
	ptr, hit []uint32
	doubts   [2][]float32 // of each hit: margin, odds; nil: not known
}

// paths makes points of hits that have no detection. Hits in frames without a scan are
// left out. Doubts are margins and odds of all hits.
func (p *points) paths(ctx context.Context, tracks []mtt.Track, doubts [2][][]float64, what string, first map[int]scanAt) (*paths, error) {
	out := &paths{ptr: []uint32{0}}
	for i := range tracks {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t := &tracks[i]
		for _, of := range doubts {
			if of != nil && len(of[i]) != len(t.Hits) {
				panic("page: margins, or odds, and hits differ in number")
			}
		}
		for h, hit := range t.Hits {
			at, ok := first[hit.Frame]
			switch {
			case hit.Det >= 0 && (!ok || hit.Det >= at.n):
				return nil, fmt.Errorf("page: %s %d, frame %d: there is no detection %d; do tracks and detections come from the same run?", what, t.ID, hit.Frame, hit.Det)
			case hit.Det >= 0:
				out.hit = append(out.hit, uint32(at.first+hit.Det))
			case ok:
				out.hit = append(out.hit, uint32(len(p.columns[0])))
				p.add(t.At(h))
				p.extra = append(p.extra, uint32(at.k))
			default:
				continue
			}
			for k, of := range doubts {
				if of != nil {
					out.doubts[k] = append(out.doubts[k], float32(of[i][h]))
				}
			}
		}
		out.id, out.ptr = append(out.id, int32(t.ID)), append(out.ptr, uint32(len(out.hit)))
	}
	return out, nil
}

func (p *paths) put(w *bufio.Writer, name string) {
	put(w, name+"Id", "i4", p.id)
	put(w, name+"Ptr", "u4", p.ptr)
	put(w, name+"Hit", "u4", p.hit)
}

// put writes an array of numbers of a kind, little endian.
func put[E int32 | uint32 | float32 | float64](w *bufio.Writer, name, kind string, a []E) {
	fmt.Fprintf(w, "<script type=\"text/plain\" id=\"scene-%s\" data-kind=\"%s\">", name, kind)
	enc := base64.NewEncoder(base64.StdEncoding, w)
	var buf []byte
	for chunk := range slices.Chunk(a, 4096) {
		buf, _ = binary.Append(buf[:0], binary.LittleEndian, chunk)
		enc.Write(buf)
	}
	enc.Close()
	io.WriteString(w, "</script>\n")
}
