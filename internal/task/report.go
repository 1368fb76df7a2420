package task

// This file gathers what is known of a run for its page, report.html.

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"mtt"
	"mtt/dataset"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/workers"
	"mtt/metrics"
	"mtt/plots"
	"mtt/plots/page"
)

// quickScores are what a page shows of a run that was only tracked: what takes longer than a part
// of the tracking is left to mtt score. That are the distances of trajectories, and, from some
// number of detections on, all but the links.
func quickScores(sc *Scene) metrics.Group {
	const many = 50_000 // detections: the others take a tenth of a second then
	if sc.detections() > many {
		return metrics.Links
	}
	return metrics.All &^ metrics.Trajectories
}

// Illustrate writes figures and report.html of a run that was tracked, with its errors where the
// folder has the truth and the page shows all frames; a truth that cannot be read is as good as
// none.
func Illustrate(ctx context.Context, s *cli.Session, folder *runfolder.Folder, sc *Scene, tracks []mtt.Track) error {
	if sc.Truth == nil && folder.Has(runfolder.TruthFile) && sc.detections() <= mostPoints {
		known := *sc
		var err error
		if known.Truth, err = LoadTracks(folder.Path(runfolder.TruthFile)); err != nil {
			s.Log.Warn(fmt.Sprintf("%s shows no errors: %v", runfolder.ReportFile, err))
		} else {
			sc = &known
		}
	}
	figures, err := FiguresOf(folder, sc, tracks, nil, nil)
	if err != nil {
		return err
	}
	var p *page.Page
	var faults [2]error
	workers.Each(workers.Count(s.Common.Workers), 2, func(_, job int) {
		if job == 0 {
			p, faults[job] = ReportOf(ctx, folder, sc, tracks, quickScores(sc), nil)
		} else {
			faults[job] = saveFigures(folder, figures, false, s.Common.Workers)
		}
	})
	if err := cmp.Or(faults[1], faults[0]); err != nil {
		return err
	}
	return writeReport(ctx, folder, p)
}

// ReportOf is the page of a run, with the given scores where its truth is known. The picture
// shows the given frames; nil: as many as it can hold.
func ReportOf(ctx context.Context, folder *runfolder.Folder, sc *Scene, tracks []mtt.Track, scores metrics.Group, frames *FrameRange) (*page.Page, error) {
	if sc.Truth == nil {
		return pageOf(ctx, folder, sc, tracks, nil, nil, frames)
	}
	defer collectOften(sc.Truth)()
	report, err := metrics.ScoreContext(ctx, sc.Truth, tracks, &metrics.Options{Only: scores, Series: true})
	if err != nil {
		return nil, cli.BadInput(err)
	}
	var scored struct {
		Gates []GateRow `json:"gates"`
	}
	if err := ReadJSON(folder, runfolder.ScoreFile, &scored); err != nil {
		return nil, err
	}
	return pageOf(ctx, folder, sc, tracks, report, scored.Gates, frames)
}

// writeReport writes report.html of a run.
func writeReport(ctx context.Context, folder *runfolder.Folder, p *page.Page) error {
	return folder.WriteFile(runfolder.ReportFile, func(w io.Writer) error { return page.WriteContext(ctx, w, p) })
}

// pageOf is the page of a run. Report, rows and frames may be nil.
func pageOf(ctx context.Context, folder *runfolder.Folder, sc *Scene, tracks []mtt.Track, report *metrics.Report, rows []GateRow, frames *FrameRange) (*page.Page, error) {
	var solved record
	if err := ReadJSON(folder, runfolder.SolveFile, &solved); err != nil {
		return nil, err
	}
	var margins, odds [][]float64
	if _, err := cli.Await(ctx, func() (_ any, err error) {
		if margins, err = linkColumn(folder, tracks, "margin"); margins != nil {
			odds, err = linkColumn(folder, tracks, "log_odds")
		}
		return nil, err
	}); err != nil {
		return nil, err
	}
	scans := &folder.Meta.Scans
	p := &page.Page{
		Title:    sc.Title(&folder.Meta),
		Warnings: solved.words("warnings"),
		Scene: &page.Scene{
			Unit: scans.Unit, YDown: scans.Unit == "px", Scans: sc.Scans, Tracks: tracks, Truth: sc.Truth, Margins: margins, Odds: odds,
		},
		Footer: Provenance(&folder.Meta),
	}
	if note := showFrames(p.Scene, frames); note != "" {
		p.Warnings = append(p.Warnings, note)
	}
	var counts cli.Record
	sc.Counts(&counts)
	for _, f := range counts {
		if f.Value != nil {
			p.Facts = append(p.Facts, page.Fact{Name: f.Key, Value: cli.Brief(f)})
		}
	}
	p.Facts = append(p.Facts, page.Fact{Name: "tracks", Value: strconv.Itoa(len(tracks))})
	for _, row := range solved.rows(headLines, scans) {
		p.Facts = append(p.Facts, page.Fact{Name: row[0], Value: row[1]})
	}
	if x, ok := solved.at("seconds.total").(float64); ok {
		p.Facts = append(p.Facts, page.Fact{Name: "seconds", Value: strconv.FormatFloat(x, 'g', 3, 64)})
	}
	if report != nil {
		for _, key := range []string{"mmep", "itcp", "mota", "idf1", "hota"} {
			for _, row := range report.Rows() {
				if row.Key == key {
					p.Facts = append(p.Facts, page.Fact{Name: strings.ToUpper(key), Value: number(row.Value, 4) + " %"})
				}
			}
		}
	}
	charts, err := chartsOf(folder, sc, report, rows)
	if err != nil {
		return nil, err
	}
	figure := func(name string) (list []*plots.Figure) {
		for _, f := range charts {
			if f.Name == name {
				list = append(list, f.Figure)
			}
		}
		return list
	}
	add := func(s page.Section) {
		if len(s.Rows)+len(s.Table)+len(s.Figures) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
	bounds := figure("bounds")
	if steps, _ := solved["trace"].([]any); len(steps) < 2 {
		bounds = nil // two dots say no more than the rows do
	}
	add(page.Section{Title: "Answer", Rows: solved.rows(answerLines, scans), Figures: bounds})
	add(page.Section{Title: "Model", Rows: solved.rows(modelLines, scans)})
	if report != nil {
		var scores cli.Record
		AddReport(&scores, report)
		table := [][]string{{"score", "value", "what it is"}}
		for _, f := range scores {
			table = append(table, []string{f.Key, cli.Brief(f), f.Note})
		}
		add(page.Section{Title: "Scores", Table: table})
		add(page.Section{Title: "Distance to the truth", Figures: figure("gospa")})
		add(page.Section{Title: "Gates", Figures: figure("gating")})
	}
	add(page.Section{Title: "Time", Table: solved.timings()})
	for _, s := range optionSections(&folder.Meta, solved) {
		add(s)
	}
	return p, nil
}

// A FrameRange is a range of frames, both ends included.
type FrameRange struct{ First, Last int }

// FramesOption binds the range to an option, which leaves it nil where it is not given.
func FramesOption(dst **FrameRange) cli.Option {
	var word string
	o := cli.Text(&word, "frames", "`FROM:TO`, the frames that the picture shows (default: all, of large runs the first)")
	set := o.Set
	o.Set = func(text string) error {
		*dst = nil
		if text != "" {
			from, to, ok := strings.Cut(text, ":")
			first, err := strconv.Atoi(from)
			last, err2 := strconv.Atoi(to)
			switch {
			case !ok || err != nil || err2 != nil:
				return fmt.Errorf("%q is not FROM:TO, two numbers of frames such as 100:200", text)
			case last < first:
				return fmt.Errorf("%q ends before it begins: FROM:TO, such as 100:200", text)
			}
			*dst = &FrameRange{first, last}
		}
		return set(text)
	}
	return o
}

// mostPoints is how many detections a page shows: some 40 MB, and four seconds to open.
const mostPoints = 2_000_000

// showFrames leaves in the scene the given frames, or of nil as many of the first as a page
// can hold, and says what it left out.
func showFrames(s *page.Scene, frames *FrameRange) string {
	n, points := 0, 0
	begin := 0
	for k := range s.Scans {
		scan := &s.Scans[k]
		if frames != nil && scan.Frame < frames.First {
			begin = k + 1
			continue
		}
		if frames != nil && scan.Frame > frames.Last || points+scan.Len() > mostPoints && n > 0 {
			break
		}
		n, points = n+1, points+scan.Len()
	}
	if n == len(s.Scans) {
		return ""
	}
	all := s.Scans
	s.Scans = all[begin : begin+n]
	if n == 0 {
		s.Tracks, s.Truth, s.Margins, s.Odds = nil, nil, nil, nil
		return fmt.Sprintf("there are no frames from %d to %d; the run has %d to %d", frames.First, frames.Last, all[0].Frame, all[len(all)-1].Frame)
	}
	first, last := s.Scans[0].Frame, s.Scans[n-1].Frame
	_, s.Odds = between(s.Tracks, s.Odds, first, last)
	s.Tracks, s.Margins = between(s.Tracks, s.Margins, first, last)
	s.Truth, _ = between(s.Truth, nil, first, last)
	return fmt.Sprintf("the picture shows frames %d to %d of %d to %d; mtt report --frames FROM:TO shows others", first, last, all[0].Frame, all[len(all)-1].Frame)
}

// between are the parts of tracks in some frames, with the margins, or odds, there.
func between(tracks []mtt.Track, margins [][]float64, first, last int) (parts []mtt.Track, kept [][]float64) {
	if tracks != nil {
		parts = []mtt.Track{}
	}
	for i := range tracks {
		part := tracks[i].Between(first, last)
		if len(part.Hits) == 0 {
			continue
		}
		parts = append(parts, part)
		if margins != nil {
			skipped := slices.IndexFunc(tracks[i].Hits, func(h mtt.Hit) bool { return h.Frame >= first })
			kept = append(kept, margins[i][skipped:skipped+len(part.Hits)])
		}
	}
	return parts, kept
}

// optionSections list the options of every step.
func optionSections(meta *runfolder.Meta, solved record) []page.Section {
	steps := maps.Clone(meta.Options)
	if steps == nil {
		steps = make(map[string]map[string]any)
	}
	if options, ok := solved["options"].(map[string]any); ok {
		if name, _ := solved["command"].(string); name != "" && steps[name] == nil {
			steps[name] = options
		}
	}
	var list []page.Section
	for _, command := range slices.Sorted(maps.Keys(steps)) {
		s := page.Section{Title: "Options of mtt " + command, Folded: true}
		for _, name := range slices.Sorted(maps.Keys(steps[command])) {
			if value := fmt.Sprint(steps[command][name]); value != "" && value != "[]" {
				s.Rows = append(s.Rows, [2]string{"--" + name, value})
			}
		}
		list = append(list, s)
	}
	return list
}

// A line is a value of solve.json: where it is, how people call it and its unit, in which
// U stands for that of positions.
type line struct{ key, name, unit string }

var headLines = []line{{"left_out", "in no track", ""}, {"status", "status", ""}, {"gap_percent", "gap", "%"}, {"motion", "motion", ""}}

var answerLines = []line{
	{"status", "status", ""}, {"upper_bound", "cost of the answer", "$"}, {"lower_bound", "lower bound on any answer", "$"},
	{"gap_percent", "gap", "%"}, {"certified_bound", "bound that certificate.bin proves", "$"}, {"proof", "proof", ""},
	{"sha256.certificate", "certificate.bin, SHA-256", ""},
	{"tracks", "tracks", ""}, {"left_out", "detections in no track", ""}, {"merged", "detections of two targets", ""}, {"refined_links", "links changed by refinement", ""},
	{"margins.min", "least margin of a link", "nat"}, {"margins.median", "median margin", "nat"},
	{"engine", "engine", ""}, {"solver", "assignment solver", ""}, {"rounds", "rounds", ""}, {"arcs", "arcs", ""}, {"triplets", "triplets", ""},
}

var modelLines = []line{
	{"motion", "motion", ""}, {"cost", "cost", ""},
	{"levels.noise", "noise of a coordinate", "U"}, {"noise_axes", "noise by direction, least first", "U"}, {"noise_along", "direction in which it is largest", ""}, {"blurred_scans", "scans in which positions are less precise", ""}, {"blurred_times", "noise there, times that of the others, at most", ""}, {"levels.velocity_noise", "noise of a velocity", "U/s"},
	{"levels.accel", "acceleration", ""}, {"levels.manoeuvre_prob", "share of steps with a manoeuvre", ""}, {"levels.manoeuvre_accel", "acceleration in these", ""},
	{"levels.speed_std", "spread of velocities", "U/s"}, {"levels.revert", "velocity falls back at", "1/s"},
	{"levels.turn_std", "spread of turning rates", "rad/s"}, {"levels.turn_walk", "walk of turning rates", "rad/s^1.5"},
	{"levels.accel_std", "spread of accelerations that last", "U/s²"}, {"levels.accel_revert", "they fall back at", "1/s"},
	{"steered.motion", "motion of whole tracks", ""}, {"steered.turn_std", "spread of their turning rates", "rad/s"}, {"steered.accel_std", "spread of their accelerations", "U/s²"},
	{"rates.detect", "probability of detection", ""}, {"rates.hidden", "probability to be missed again after a miss", ""},
	{"jumps.share", "share of steps in which positions jump", ""}, {"jumps.size", "how far, along an axis", "U"},
	{"outliers.share", "share of positions that are far off", ""}, {"outliers.times", "their noise over that of the others", ""}, {"outliers.noise", "noise of the others", "U"},
	{"echoes.share", "share of detections that have an echo", ""}, {"echoes.offset", "where it is from them", "U"}, {"echoes.noise", "noise of that", "U"},
	{"lasting.share", "share of runs of misses that last", ""}, {"lasting.long", "probability to be missed again in these", ""},
	{"rates.survive", "probability to stay for another frame", ""}, {"rates.births", "births in a frame", ""},
	{"rates.clutter", "false alarms in a frame", ""}, {"rates.targets", "targets at a time", ""}, {"rates.volume", "volume that is watched", "U^dim"},
	{"gate", "gate", ""}, {"gate_margin", "gate, margin", "U"}, {"gate_speed", "gate, speed", "U/s"}, {"max_speed", "greatest speed", "U/s"},
	{"misses_passed", "misses in a row that a link may pass", ""}, {"resolution", "closer targets have one detection", "U"},
}

// A record is a JSON object.
type record map[string]any

// at is the value at a path of keys, nil where there is none.
func (r record) at(path string) any {
	var v any = map[string]any(r)
	for key := range strings.SplitSeq(path, ".") {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return v
}

// words is a list of strings.
func (r record) words(path string) []string {
	var words []string
	list, _ := r.at(path).([]any)
	for _, v := range list {
		words = append(words, fmt.Sprint(v))
	}
	return words
}

// text is the value of a line with its unit; empty where there is none.
func (r record) text(l line, scans *runfolder.Scans) string {
	s := ""
	switch v := r.at(l.key).(type) {
	case nil:
		return ""
	case float64:
		s = number(v, 6)
	default:
		s = fmt.Sprint(v)
	}
	unit := l.unit
	switch {
	case unit == "$" && (r["cost"] == "nll" || r["cost"] == "tpmb"):
		unit = "nat"
	case unit == "$" || strings.HasPrefix(unit, "U") && scans.Unit == "":
		unit = ""
	case unit == "U^dim":
		unit = fmt.Sprintf("%s^%d", scans.Unit, scans.Dim)
	default:
		unit = strings.Replace(unit, "U", scans.Unit, 1)
	}
	return strings.TrimSpace(s + " " + unit)
}

// number is x with some digits, and grouped where it is a whole number.
func number(x float64, digits int) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return grouped(x)
	}
	return strconv.FormatFloat(x, 'g', digits, 64)
}

// rows are the lines that the record has.
func (r record) rows(lines []line, scans *runfolder.Scans) [][2]string {
	var rows [][2]string
	for _, l := range lines {
		if v := r.text(l, scans); v != "" {
			rows = append(rows, [2]string{l.name, v})
		}
	}
	return rows
}

// timings are the seconds of each part of the work.
func (r record) timings() [][]string {
	seconds, _ := r["seconds"].(map[string]any)
	total, ok := seconds["total"].(float64)
	if !ok {
		return nil
	}
	table := [][]string{{"part", "seconds", "%"}}
	for _, name := range []string{"read", "estimate", "gate", "cost", "solve", "write", "total"} {
		if s, ok := seconds[name].(float64); ok {
			table = append(table, []string{name, strconv.FormatFloat(s, 'f', 3, 64), strconv.FormatFloat(100*s/cmp.Or(total, 1), 'f', 1, 64)})
		}
	}
	if mb, ok := r["peak_rss_mb"].(float64); ok {
		table = append(table, []string{"memory at most, MB", strconv.FormatFloat(mb, 'f', 1, 64), "–"})
	}
	return table
}

// linkColumn reads a column of numbers of tracks.csv, by track; nil where it has none of that name.
func linkColumn(folder *runfolder.Folder, tracks []mtt.Track, column string) ([][]float64, error) {
	name := folder.Path(runfolder.TracksFile)
	var columns [][]float64
	err := ReadFile(name, func(r io.Reader) (err error) {
		columns, err = dataset.ReadColumns(r, name, "frame", "track", column)
		return err
	})
	if err != nil || columns == nil {
		return nil, err
	}
	of := make(map[int]int, len(tracks))
	list := make([][]float64, len(tracks))
	for i := range tracks {
		of[tracks[i].ID] = i
	}
	for row := range columns[0] { // in order of frames
		if i, ok := of[int(columns[1][row])]; ok {
			list[i] = append(list[i], columns[2][row])
		}
	}
	return list, nil
}
