package dataset

// This file writes tracks for programs of microscopy: TrackMate's XML and the graph exchange
// file format.

import (
	"encoding/binary"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mtt"
)

// trackMate writes a model whose spots are all detections, numbered from 0 in order of frames. Its
// tracks have the numbers of ours less one; what a track divides into is part of it.
func (a *Answer) trackMate(w io.Writer) error {
	of := mtt.ByFrame(a.Scans)
	first := make([]int, len(a.Scans)) // spot of detection 0 of a scan
	spots := 0
	for k := range a.Scans {
		first[k] = spots
		spots += a.Scans[k].Len()
	}
	unit := map[string]string{"um": "micron", "px": "pixel", "": "pixel"}[a.Unit]
	if unit == "" {
		unit = a.Unit
	}
	var quoted strings.Builder
	xml.EscapeText(&quoted, []byte(unit))
	fmt.Fprintf(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<TrackMate version=\"7.11.1\">\n  <Model spatialunits=\"%s\" timeunits=\"sec\">\n    <AllSpots nspots=\"%d\">\n", quoted.String(), spots)
	for k := range a.Scans {
		s := &a.Scans[k]
		if s.Len() == 0 {
			continue
		}
		fmt.Fprintf(w, "      <SpotsInFrame frame=\"%d\">\n", s.Frame)
		for i := range s.Len() {
			z, quality, radius := 0.0, 1.0, 1.0
			if s.Dim == 3 {
				z = s.At(i)[2]
			}
			if s.Conf != nil {
				quality = s.Conf[i]
			}
			if s.Size != nil {
				radius = (s.Size[2*i] + s.Size[2*i+1]) / 4
			}
			id := first[k] + i
			if _, err := fmt.Fprintf(w, "        <Spot ID=\"%d\" name=\"ID%d\" QUALITY=\"%v\" POSITION_X=\"%v\" POSITION_Y=\"%v\" POSITION_Z=\"%v\" POSITION_T=\"%v\" FRAME=\"%d\" RADIUS=\"%v\" VISIBILITY=\"1\" />\n",
				id, id, quality, s.At(i)[0], s.At(i)[1], z, a.Start+s.Time, s.Frame, radius); err != nil {
				return err
			}
		}
		io.WriteString(w, "      </SpotsInFrame>\n")
	}
	io.WriteString(w, "    </AllSpots>\n    <AllTracks>\n")
	err := a.links(of, first, func(track int, ends [][2]int) error {
		fmt.Fprintf(w, "      <Track name=\"Track_%d\" TRACK_ID=\"%d\" NUMBER_SPOTS=\"%d\">\n", track-1, track-1, len(ends)+1)
		for _, e := range ends {
			fmt.Fprintf(w, "        <Edge SPOT_SOURCE_ID=\"%d\" SPOT_TARGET_ID=\"%d\" />\n", e[0], e[1])
		}
		_, err := io.WriteString(w, "      </Track>\n")
		return err
	})
	if err != nil {
		return err
	}
	io.WriteString(w, "    </AllTracks>\n    <FilteredTracks>\n")
	if err := a.links(of, first, func(track int, _ [][2]int) error {
		_, err := fmt.Fprintf(w, "      <TrackID TRACK_ID=\"%d\" />\n", track-1)
		return err
	}); err != nil {
		return err
	}
	_, err = io.WriteString(w, "    </FilteredTracks>\n  </Model>\n</TrackMate>\n")
	return err
}

// links calls each for every track of two or more detections with the links between them, by
// the numbers of detections. A track and those that it divides into are one, with the number of the first,
// and links to the daughters.
func (a *Answer) links(of map[int]int, first []int, each func(track int, ends [][2]int) error) error {
	index := make(map[int]int, len(a.Tracks))
	for i := range a.Tracks {
		index[a.Tracks[i].ID] = i
	}
	all := make([][][2]int, len(a.Tracks)) // of each tree, at its root
	last := slices.Repeat([]int{-1}, len(a.Tracks))
	roots := a.roots()
	for i := range a.Tracks {
		before := -1
		var ends [][2]int
		if p, ok := index[a.Tracks[i].Parent]; ok && a.Tracks[i].Parent != 0 {
			before = last[p]
		}
		for _, h := range a.Tracks[i].Hits {
			k, ok := of[h.Frame]
			if h.Det < 0 {
				continue
			}
			if !ok || h.Det >= a.Scans[k].Len() {
				return fmt.Errorf("dataset: track %d names detection %d of frame %d, which is not there: %w", a.Tracks[i].ID, h.Det, h.Frame, ErrNotThat)
			}
			at := first[k] + h.Det
			if before >= 0 {
				ends = append(ends, [2]int{before, at})
			}
			before = at
		}
		last[i] = before
		all[roots[i]] = append(all[roots[i]], ends...)
	}
	for i, ends := range all {
		if len(ends) > 0 {
			if err := each(a.Tracks[i].ID, ends); err != nil {
				return err
			}
		}
	}
	return nil
}

// roots are, for each track, the number in the list of the one that it descends from. Parents stand
// before their daughters, which begin later.
func (a *Answer) roots() []int {
	index, roots := make(map[int]int, len(a.Tracks)), make([]int, len(a.Tracks))
	for i := range a.Tracks {
		index[a.Tracks[i].ID], roots[i] = i, i
		if p, ok := index[a.Tracks[i].Parent]; ok && a.Tracks[i].Parent != 0 {
			roots[i] = roots[p]
		}
	}
	return roots
}

// divides reports whether a track has a parent.
func (a *Answer) divides() bool {
	return slices.ContainsFunc(a.Tracks, func(t mtt.Track) bool { return t.Parent != 0 })
}

// ctc writes the table of tracks of the Cell Tracking Challenge: label, first frame, last frame and
// the label of the parent, 0 for none.
func (a *Answer) ctc(w io.Writer) error {
	for i := range a.Tracks {
		t := &a.Tracks[i]
		if _, err := fmt.Fprintf(w, "%d %d %d %d\n", t.ID, t.Hits[0].Frame, t.Hits[len(t.Hits)-1].Frame, t.Parent); err != nil {
			return err
		}
	}
	return nil
}

// WriteFolder writes the answer as a folder of the kind of that name: geff, a group in Zarr
// (version 2, not compressed) whose nodes are all detections and whose edges are links. The folder must not
// be there.
func (a *Answer) WriteFolder(dir, name string) error {
	if name != "geff" {
		return fmt.Errorf("dataset: no folder is of the kind %q: %w", name, ErrNotThat)
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	ids, err := a.trackOf()
	if err != nil {
		return err
	}
	first := make([]int, len(a.Scans))
	var nodes, frames, tracks []int64
	var times []float64
	dim := ColumnsOf(a.Scans).Dim
	pos := make([][]float64, dim)
	for k := range a.Scans {
		s := &a.Scans[k]
		first[k] = len(nodes)
		for i := range s.Len() {
			nodes, frames, tracks = append(nodes, int64(len(nodes))), append(frames, int64(s.Frame)), append(tracks, int64(ids[k][i]))
			times = append(times, a.Start+s.Time)
			for c := range dim {
				pos[c] = append(pos[c], s.At(i)[c])
			}
		}
	}
	var edges []int64
	if err := a.links(mtt.ByFrame(a.Scans), first, func(_ int, ends [][2]int) error {
		for _, e := range ends {
			edges = append(edges, int64(e[0]), int64(e[1]))
		}
		return nil
	}); err != nil {
		return err
	}

	roots, trackOf := a.roots(), make(map[int]int64, len(a.Tracks)) // tracks by number → that of their tree
	for i, r := range roots {
		trackOf[a.Tracks[i].ID] = int64(a.Tracks[r].ID)
	}
	trees := make([]int64, len(tracks))
	for k, id := range tracks {
		trees[k] = trackOf[int(id)]
	}

	type object = map[string]any
	property := func(name, kind, about string) object {
		return object{"identifier": name, "dtype": kind, "varlength": false, "name": about}
	}
	props := object{"t": property("t", "int64", "frame"), "time": property("time", "float64", "time, s"), "track": property("track", "int64", "track, 0: none")}
	columns := object{"tracklet": "track"}
	if a.divides() {
		props["lineage"] = property("lineage", "int64", "the track that this one descends from, 0: none")
		columns["lineage"] = "lineage"
	}
	axes := []object{{"name": "t", "type": "time"}}
	z := zarr{dir: dir}
	for c := dim - 1; c >= 0; c-- {
		name := string("xyz"[c])
		props[name] = property(name, "float64", "position")
		axis := object{"name": name, "type": "space"}
		if u := map[string]string{"m": "meter", "um": "micrometer", "px": "pixel"}[a.Unit]; u != "" {
			axis["unit"] = u
		}
		axes = append(axes, axis)
		z.floats("nodes/props/"+name+"/values", pos[c])
	}
	z.integers("nodes/ids", nodes, 1)
	z.integers("nodes/props/t/values", frames, 1)
	z.floats("nodes/props/time/values", times)
	z.integers("nodes/props/track/values", tracks, 1)
	if a.divides() {
		z.integers("nodes/props/lineage/values", trees, 1)
	}
	z.integers("edges/ids", edges, 2)
	for _, group := range []string{"nodes", "nodes/props", "edges", "edges/props"} {
		z.group(group, nil)
	}
	for name := range props {
		z.group("nodes/props/"+name, nil)
	}
	z.group(".", object{"geff": object{
		"geff_version": "1.1.0", "directed": true, "axes": axes, "node_props_metadata": props, "edge_props_metadata": object{},
		"track_node_props": columns,
	}})
	return z.err
}

// A zarr writes groups and arrays of one chunk; the first error stays.
type zarr struct {
	dir string
	err error
}

// file writes a file of the group or array.
func (z *zarr) file(path, name string, data []byte) {
	if z.err != nil {
		return
	}
	dir := filepath.Join(z.dir, filepath.FromSlash(path))
	if z.err = os.MkdirAll(dir, 0o777); z.err == nil {
		z.err = os.WriteFile(filepath.Join(dir, name), data, 0o666)
	}
}

// meta writes a file in JSON.
func (z *zarr) meta(path, name string, v any) {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil && z.err == nil {
		z.err = err
	}
	z.file(path, name, append(data, '\n'))
}

func (z *zarr) group(path string, attributes map[string]any) {
	z.meta(path, ".zgroup", map[string]any{"zarr_format": 2})
	if attributes != nil {
		z.meta(path, ".zattrs", attributes)
	}
}

// array writes an array of one chunk of n rows.
func (z *zarr) array(path, kind string, n, width int, data []byte) {
	shape, name := []int{n}, "0"
	if width > 1 {
		shape, name = []int{n, width}, "0.0"
	}
	chunk := append([]int(nil), shape...)
	chunk[0] = max(chunk[0], 1)
	z.meta(path, ".zarray", map[string]any{"zarr_format": 2, "shape": shape, "chunks": chunk, "dtype": kind, "order": "C", "compressor": nil, "filters": nil, "fill_value": 0})
	if n > 0 {
		z.file(path, name, data)
	}
}

func (z *zarr) integers(path string, v []int64, width int) {
	data := make([]byte, 0, 8*len(v))
	for _, x := range v {
		data = binary.LittleEndian.AppendUint64(data, uint64(x))
	}
	z.array(path, "<i8", len(v)/width, width, data)
}

func (z *zarr) floats(path string, v []float64) {
	data := make([]byte, 0, 8*len(v))
	for _, x := range v {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
	}
	z.array(path, "<f8", len(v), 1, data)
}
