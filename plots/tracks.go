package plots

// This file draws a scene from above: detections, true trajectories, estimated
// tracks and where they disagree.

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"mtt"
)

// TracksOptions say how Tracks draws. The zero value is good.
type TracksOptions struct {
	// Unit is that of positions, for the axis labels. Empty: not known, the labels have none.
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
// sides name detections; the note says when they cannot be. When most of the
// errors are close together, a second panel shows that place larger.
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
	if o.MaxHits <= 0 {
		o.MaxHits = 15_000
	}
	sc, err := newScene(truth, tracks, scans)
	if err != nil {
		return nil, err
	}
	sc.judge()
	shown := sc.choose(o.MaxHits)
	outside := shown.frame()

	f := &Figure{Equal: true}
	overview := newPanel(axis("x", o.Unit), axis("y", o.Unit))
	bold := vg.Length(1)
	if len(shown.dots) < 2*500 {
		bold = 1.5
	}
	for _, l := range shown.layers(bold) {
		if xmin, xmax, _, _ := l.DataRange(); xmin <= xmax {
			overview.Add(l)
			overview.points++
			f.Legend = append(f.Legend, Entry{l.name, []plot.Thumbnailer{l}})
		}
	}
	fit(&overview.X, 0.03)
	fit(&overview.Y, 0.03)
	f.Title = headline(title, sc.outcome())
	f.Note = sc.note(shown, outside)
	f.finish(overview)

	width := figureWidth
	if box, ok := shown.errors(overview.Plot); ok {
		detail := newPanel(axis("x", o.Unit), axis("y", o.Unit))
		for _, l := range shown.layers(max(bold, 1.2)) {
			detail.Add(l)
		}
		detail.X.Min, detail.X.Max, detail.Y.Min, detail.Y.Max = box.xmin, box.xmax, box.ymin, box.ymax
		overview.Add(outline{box})
		f.Panels = append(f.Panels, detail.Plot)
		f.Beside = true
		f.Width = 1.35 * figureWidth
		f.Note = strings.TrimPrefix(f.Note+"; right: the box on the left, where most errors are", "; ")
		width = f.Width / 2
	}
	// The panel takes the shape of the scene, within what suits a page.
	const axes, lowest, highest = 60, 130, 420
	height := float64(width-axes) * (overview.Y.Max - overview.Y.Min) / (overview.X.Max - overview.X.Min)
	f.PanelHeight = vg.Length(min(max(height, lowest), highest)) + axes/2
	if o.YDown {
		for _, p := range f.Panels {
			p.Y.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}}
		}
	}
	return f, nil
}

// layers are what is drawn, from the lowest upwards, in lines and dots that are
// bold times as thick as in a large scene.
func (s *selection) layers(bold vg.Length) []layer {
	red := []color.Color{wrongInk}
	return []layer{
		{"true trajectory", &paths{lines: s.truth, stride: s.stride, width: 2.4 * bold, colours: []color.Color{truthInk}}},
		{"detection", &dots{at: s.dots, colour: dotInk, size: 1.2 * bold * bold}},
		{"track", &paths{lines: s.tracks, stride: s.stride, width: 0.9 * bold, colours: trackColors}},
		{"missing link", &paths{lines: s.missing, width: 0.8 * bold, dashes: []vg.Length{2, 1.5}, colours: red}},
		{"wrong link", &paths{lines: s.wrong, width: 1.4 * bold, colours: red}},
	}
}

// errors is a box of the shape of p around most of the wrong and missing links;
// not ok when there are none, or when they are all over p.
func (s *selection) errors(p *plot.Plot) (box extent, ok bool) {
	var x, y []float64
	for _, lines := range [][]path{s.wrong, s.missing} {
		for _, l := range lines {
			for _, h := range []int{0, len(l.pos) - l.dim} {
				if finite(l.pos[h]) && finite(l.pos[h+1]) {
					x, y = append(x, l.pos[h]), append(y, l.pos[h+1])
				}
			}
		}
	}
	if len(x) == 0 {
		return box, false
	}
	const tail, room, most = 20, 2, 0.4 // a twentieth at each end is left out
	slices.Sort(x)
	slices.Sort(y)
	lo, hi := len(x)/tail, len(x)-1-len(x)/tail
	width, height := p.X.Max-p.X.Min, p.Y.Max-p.Y.Min
	share := room * max((x[hi]-x[lo])/width, (y[hi]-y[lo])/height)
	if share == 0 || share > most {
		return box, false
	}
	cx, cy := (x[lo]+x[hi])/2, (y[lo]+y[hi])/2
	return extent{cx - share*width/2, cx + share*width/2, cy - share*height/2, cy + share*height/2}, true
}

// outcome counts what was found, for the title.
func (s *scene) outcome() string {
	switch {
	case s.judged && len(s.tracks) > 0:
		return fmt.Sprintf("%s, %s of %s true ones missing", count(len(s.wrong), "wrong link"),
			grouped(strconv.Itoa(len(s.missing))), grouped(strconv.Itoa(s.links)))
	case len(s.tracks) > 0:
		return count(len(s.tracks), "track")
	case len(s.truth) > 0:
		return count(len(s.truth), "target")
	}
	return ""
}

// note says what the figure leaves out.
func (s *scene) note(sel *selection, outside int) string {
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
	preferred := ""
	if len(s.missing) > 0 {
		preferred = ", those with missing links first,"
	}
	switch {
	case sel.targets < sel.allTargets:
		add(fmt.Sprintf("drawn: %d of %s%s with their tracks and detections", sel.targets, count(sel.allTargets, "target"), preferred))
	case sel.kept < sel.allTracks:
		add(fmt.Sprintf("drawn: %d of %s with their detections", sel.kept, count(sel.allTracks, "track")))
	case 2*len(s.target) > len(sel.dots) && len(s.scans) > 0 && len(s.truth)+len(s.tracks) == 0:
		add(fmt.Sprintf("drawn: %s of %s", grouped(strconv.Itoa(len(sel.dots)/2)), count(len(s.target), "detection")))
	}
	if sel.stride > 1 {
		add(fmt.Sprintf("one in %d of their hits", sel.stride))
	}
	if outside > 0 {
		add(count(outside, "detection") + " outside the picture")
	}
	if !s.judged && len(s.truth) > 0 && len(s.tracks) > 0 {
		add("links are not judged: truth or tracks do not name detections")
	}
	return note
}

// axis is the label of an axis; without a unit it is the name alone.
func axis(name, unit string) string {
	if unit == "" {
		return name
	}
	return name + ", " + strings.Replace(unit, "um", "µm", 1)
}
