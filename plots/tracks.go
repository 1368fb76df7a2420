package plots

// This file draws a scene from above: detections, true trajectories, estimated
// tracks and where they disagree.

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"mtt"
)

// TracksOptions say how Tracks draws. The zero value is good.
type TracksOptions struct {
	// Unit is that of positions, for the axis labels. Empty means "m".
	Unit string

	// YDown lets y grow downwards, as pixels of images do.
	YDown bool

	// MaxHits is about how many hits of true trajectories are drawn. A larger
	// scene is thinned to whole targets, evenly chosen, with their tracks and
	// detections; the note says how many. 0 means 15 000, less than 1 MB of SVG.
	MaxHits int
}

// Tracks draws the scene in the x-y plane, both axes to the same scale:
// detections as dots, true trajectories as broad grey lines and estimated
// tracks as thin coloured lines on top of them, so that a grey line without a
// colour is a target without a track.
//
// A link joins two consecutive detections of a track. It is wrong, and drawn
// red, unless both come from the same target. A true link that no track has is
// drawn as a red dashed line. The title counts both. Links are judged when both
// sides name detections; the note says when they cannot be.
//
// Each of the three lists may be empty. The slices are read again when the
// figure is drawn, and must not change before. Positions that are not finite
// interrupt a line. An error says which track and frame name a detection that
// is not there, or one that belongs to two targets.
func Tracks(title string, truth, tracks []mtt.Track, scans []mtt.Scan, opts *TracksOptions) (*Figure, error) {
	o := TracksOptions{}
	if opts != nil {
		o = *opts
	}
	if o.Unit == "" {
		o.Unit = "m"
	}
	if o.MaxHits <= 0 {
		o.MaxHits = 15_000
	}
	sc, err := newScene(truth, tracks, scans)
	if err != nil {
		return nil, err
	}
	sc.judge()
	shown := sc.choose(o.MaxHits)

	p := newPanel("x, "+o.Unit, "y, "+o.Unit)
	f := &Figure{Equal: true}
	entry := func(name string, l layer) {
		if xmin, xmax, _, _ := l.DataRange(); xmin <= xmax {
			p.Add(l)
			p.points++
			f.Legend = append(f.Legend, Entry{name, []plot.Thumbnailer{l}})
		}
	}
	entry("detection", &dots{at: shown.dots, colour: dotInk, size: 1.2})
	entry("true trajectory", &paths{lines: shown.truth, width: 2.4, colours: []color.Color{truthInk}})
	entry("track", &paths{lines: shown.tracks, width: 0.9, colours: trackColors})
	entry("missing link", &paths{lines: shown.missing, width: 0.9, dashes: []vg.Length{2, 1.5}, colours: []color.Color{wrongInk}})
	entry("wrong link", &paths{lines: shown.wrong, width: 1.8, colours: []color.Color{wrongInk}})

	f.Title = headline(title, sc.outcome())
	f.Note = sc.note(shown)
	fit(&p.X, 0.03)
	fit(&p.Y, 0.03)
	if o.YDown {
		p.Y.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}}
	}
	// The panel takes the shape of the scene, within what suits a page.
	const axes, lowest, highest = 60, 130, 420
	height := float64(figureWidth-axes) * (p.Y.Max - p.Y.Min) / (p.X.Max - p.X.Min)
	f.PanelHeight = vg.Length(min(max(height, lowest), highest)) + axes/2
	return f.finish(p), nil
}

// A scene knows for each detection the target and the track it belongs to.
// Detections have one number through all frames: offset[frame] + det.
type scene struct {
	truth, tracks []mtt.Track
	scans         []mtt.Scan
	dim           int
	offset        map[int]int32
	target        []int32 // index of the true trajectory of each detection, -1: none
	track         []int32 // index of a track that holds it, -1: none
	next          []int32 // the detection after it in its trajectory, -1: none

	judged         bool
	links          int   // true links
	wrong, missing []seg // links
}

// A seg is the part of a track, estimated or true, from one hit to a later one.
type seg struct{ track, from, to int32 }

const badTrack = "plots: the slices of a track differ in length"

func newScene(truth, tracks []mtt.Track, scans []mtt.Scan) (*scene, error) {
	s := &scene{truth: truth, tracks: tracks, scans: scans, offset: make(map[int]int32)}
	for _, list := range [][]mtt.Track{truth, tracks} {
		for i := range list {
			tr := &list[i]
			if len(tr.Pos) != len(tr.Hits)*tr.Dim {
				panic(badTrack)
			}
			s.dim = max(s.dim, tr.Dim)
		}
	}

	// Without scans, the largest index in each frame tells how many there were.
	size := make(map[int]int32)
	var order []int
	grow := func(frame int, n int32) {
		old, seen := size[frame]
		if !seen {
			order = append(order, frame)
		}
		size[frame] = max(old, n)
	}
	for i := range scans {
		sc := &scans[i]
		s.dim = max(s.dim, sc.Dim)
		grow(sc.Frame, int32(sc.Len()))
	}
	for _, list := range []struct {
		what   string
		tracks []mtt.Track
	}{{"true trajectory", truth}, {"track", tracks}} {
		for i := range list.tracks {
			for _, h := range list.tracks[i].Hits {
				if len(scans) == 0 {
					grow(h.Frame, int32(h.Det+1))
				} else if n := size[h.Frame]; h.Det >= int(n) {
					return nil, fmt.Errorf("plots: %s %d, frame %d: detection %d is out of range, the frame has %s; do tracks and detections come from the same run?",
						list.what, list.tracks[i].ID, h.Frame, h.Det, count(int(n), "detection"))
				}
			}
		}
	}
	var n int32
	for _, frame := range order {
		s.offset[frame] = n
		n += size[frame]
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
func (s *scene) number(h mtt.Hit) int32 { return s.offset[h.Frame] + int32(h.Det) }

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
	s.judged = names(s.truth) && (names(s.tracks) || len(s.tracks) == 0)
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
}

// choose keeps whole targets, evenly spaced in their list, so that about
// maxHits hits remain, the tracks that hold any of their detections, and the
// same share of what belongs to no target. Without truth it keeps tracks.
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
	// The i-th of a list is kept when the share of the list up to it reaches
	// another whole number; the first always is.
	keep := func(i int) bool {
		return share >= 1 || math.Ceil(float64(i+1)*share) > math.Ceil(float64(i)*share)
	}

	sel := &selection{allTargets: len(s.truth), allTracks: len(s.tracks)}
	keepTarget := make([]bool, len(s.truth))
	keepTrack := make([]bool, len(s.tracks))
	for i := range s.truth {
		if keep(i) {
			keepTarget[i] = true
			sel.targets++
			sel.truth = append(sel.truth, pathOf(&s.truth[i]))
		}
	}
	for i := range s.tracks {
		t := &s.tracks[i]
		// A track without any known target counts as one of the rest.
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
	rest := 0
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
			if show {
				at := sc.At(j)
				sel.dots = append(sel.dots, at[0], at[1])
			}
		}
	}
	return sel
}

// outcome counts what was found, for the title.
func (s *scene) outcome() string {
	switch {
	case s.judged && len(s.tracks) > 0:
		return fmt.Sprintf("%s and %s among %s",
			count(len(s.wrong), "wrong link"), count(len(s.missing), "missing link"), count(s.links, "true link"))
	case len(s.tracks) > 0:
		return count(len(s.tracks), "track")
	case len(s.truth) > 0:
		return count(len(s.truth), "target")
	}
	return ""
}

// note says what the figure leaves out.
func (s *scene) note(sel *selection) string {
	note := ""
	add := func(s string) {
		if note != "" {
			note += "; "
		}
		note += s
	}
	if s.dim == 3 {
		add("projection on the x-y plane")
	}
	switch {
	case sel.targets < sel.allTargets:
		add(fmt.Sprintf("drawn: %d of %s with their tracks and detections", sel.targets, count(sel.allTargets, "target")))
	case sel.kept < sel.allTracks:
		add(fmt.Sprintf("drawn: %d of %s with their detections", sel.kept, count(sel.allTracks, "track")))
	case 2*len(s.target) > len(sel.dots) && len(s.scans) > 0 && len(s.truth)+len(s.tracks) == 0:
		add(fmt.Sprintf("drawn: %s of %s", grouped(fmt.Sprint(len(sel.dots)/2)), count(len(s.target), "detection")))
	}
	if !s.judged && len(s.truth) > 0 && len(s.tracks) > 0 {
		add("links are not judged: truth or tracks do not name detections")
	}
	return note
}

// A path is a polyline, a view into the positions of a track.
type path struct {
	pos []float64
	dim int
}

func pathOf(t *mtt.Track) path { return path{t.Pos, t.Dim} }

func (p path) cut(l seg) path {
	return path{p.pos[int(l.from)*p.dim : (int(l.to)+1)*p.dim], p.dim}
}

// A layer is one kind of thing on the map.
type layer interface {
	plot.Plotter
	plot.DataRanger
	plot.Thumbnailer
}

// paths are polylines that take turns in colours.
type paths struct {
	lines   []path
	width   vg.Length
	dashes  []vg.Length
	colours []color.Color
}

func (p *paths) style(i int) draw.LineStyle {
	return draw.LineStyle{Color: nth(p.colours, i), Width: p.width, Dashes: p.dashes}
}

// DataRange implements plot.DataRanger.
func (p *paths) DataRange() (xmin, xmax, ymin, ymax float64) {
	r := newExtent()
	for _, l := range p.lines {
		for h := 0; h+1 < len(l.pos); h += l.dim {
			r.add(l.pos[h], l.pos[h+1])
		}
	}
	return r.xmin, r.xmax, r.ymin, r.ymax
}

// Plot implements plot.Plotter.
func (p *paths) Plot(c draw.Canvas, plt *plot.Plot) {
	trX, trY := plt.Transforms(&c)
	var run []vg.Point
	for i, l := range p.lines {
		flush := func() {
			if len(run) > 1 {
				c.StrokeLines(p.style(i), c.ClipLinesXY(run)...)
			}
			run = run[:0]
		}
		for h := 0; h+1 < len(l.pos); h += l.dim {
			x, y := l.pos[h], l.pos[h+1]
			if !finite(x) || !finite(y) {
				flush()
				continue
			}
			at := vg.Point{X: tenth(trX(x)), Y: tenth(trY(y))}
			if last := h+l.dim >= len(l.pos); len(run) > 1 && !last && near(run[len(run)-1], at) {
				continue
			}
			run = append(run, at)
		}
		flush()
	}
}

// Thumbnail implements plot.Thumbnailer: a line in up to three of the colours.
func (p *paths) Thumbnail(c *draw.Canvas) {
	n := min(3, len(p.colours))
	w := (c.Max.X - c.Min.X) / vg.Length(n)
	for i := range n {
		x := c.Min.X + vg.Length(i)*w
		c.StrokeLine2(p.style(i), x, c.Center().Y, x+w, c.Center().Y)
	}
}

// tenth rounds to a tenth of a point, a thirtieth of a millimetre: what the eye
// does not see, the file need not hold.
func tenth(v vg.Length) vg.Length { return vg.Length(math.Round(float64(v)*10) / 10) }

// near reports whether two points look like one.
func near(a, b vg.Point) bool {
	const limit = 0.3 // pt
	dx, dy := a.X-b.X, a.Y-b.Y
	return dx*dx+dy*dy < limit*limit
}

// dots are square points of one size. Each is a stroke as long as it is wide,
// the shortest thing that SVG can say.
type dots struct {
	at     []float64 // x, y of each
	colour color.Color
	size   vg.Length
}

// DataRange implements plot.DataRanger.
func (d *dots) DataRange() (xmin, xmax, ymin, ymax float64) {
	r := newExtent()
	for i := 0; i < len(d.at); i += 2 {
		r.add(d.at[i], d.at[i+1])
	}
	return r.xmin, r.xmax, r.ymin, r.ymax
}

// Plot implements plot.Plotter.
func (d *dots) Plot(c draw.Canvas, plt *plot.Plot) {
	const chunk = 256 // the time of a PNG grows with the square of a path's length
	trX, trY := plt.Transforms(&c)
	c.SetLineStyle(draw.LineStyle{Color: d.colour, Width: d.size})
	p := make(vg.Path, 0, 2*chunk)
	for i := 0; i < len(d.at); i += 2 {
		if !finite(d.at[i]) || !finite(d.at[i+1]) {
			continue
		}
		at := vg.Point{X: tenth(trX(d.at[i])), Y: tenth(trY(d.at[i+1]))}
		if !c.Contains(at) {
			continue
		}
		p.Move(vg.Point{X: at.X - d.size/2, Y: at.Y})
		p.Line(vg.Point{X: at.X + d.size/2, Y: at.Y})
		if len(p) == 2*chunk {
			c.Stroke(p)
			p = p[:0]
		}
	}
	if len(p) > 0 {
		c.Stroke(p)
	}
}

// Thumbnail implements plot.Thumbnailer.
func (d *dots) Thumbnail(c *draw.Canvas) {
	style := draw.LineStyle{Color: d.colour, Width: d.size}
	y := c.Center().Y
	for _, f := range []vg.Length{0.2, 0.5, 0.8} {
		x := c.Min.X + f*(c.Max.X-c.Min.X)
		c.StrokeLine2(style, x-d.size/2, y, x+d.size/2, y)
	}
}

// An extent is the smallest rectangle around finite points.
type extent struct{ xmin, xmax, ymin, ymax float64 }

func newExtent() extent {
	return extent{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)}
}

func (e *extent) add(x, y float64) {
	if !finite(x) || !finite(y) {
		return
	}
	e.xmin, e.xmax = min(e.xmin, x), max(e.xmax, x)
	e.ymin, e.ymax = min(e.ymin, y), max(e.ymax, y)
}
