package task

// This file draws the figures of a run.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mtt"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/workers"
	"mtt/metrics"
	"mtt/plots"
)

// A figure is a picture with the name of its file, without the ending.
type figure struct {
	Name string
	*plots.Figure
}

// A solveFile is what the figures read of solve.json.
type solveFile struct {
	Engine string `json:"engine"`
	Trace  []struct {
		Pass  int      `json:"pass"`
		Lower *float64 `json:"lower_bound"`
		Upper *float64 `json:"upper_bound"`
	} `json:"trace"`
}

// ReadJSON reads a JSON file of the folder into v; a file that is not there
// leaves v alone.
func ReadJSON(folder *runfolder.Folder, name string, v any) error {
	if !folder.Has(name) {
		return nil
	}
	data, err := os.ReadFile(folder.Path(name))
	if err != nil {
		return cli.BadInput(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return cli.BadInput(fmt.Errorf("%s: %w", folder.Path(name), err))
	}
	return nil
}

// FiguresOf draws what is known of a run. Report and rows may be nil.
func FiguresOf(folder *runfolder.Folder, sc *Scene, tracks []mtt.Track, report *metrics.Report, rows []GateRow) ([]figure, error) {
	f, err := tracksFigure(folder, sc, tracks)
	if err != nil {
		return nil, err
	}
	list, err := chartsOf(folder, sc, report, rows)
	return append([]figure{f}, list...), err
}

// tracksFigure draws the tracks of a run.
func tracksFigure(folder *runfolder.Folder, sc *Scene, tracks []mtt.Track) (figure, error) {
	f, err := plots.Tracks(sc.Title(&folder.Meta), sc.Truth, tracks, sc.Scans, &plots.TracksOptions{
		Unit: folder.Meta.Scans.Unit, YDown: folder.Meta.Scans.Unit == "px",
	})
	if err != nil {
		return figure{}, cli.BadInput(err)
	}
	f.Meta = Provenance(&folder.Meta)
	return figure{"tracks", f}, nil
}

// chartsOf draws bounds and scores of a run.
func chartsOf(folder *runfolder.Folder, sc *Scene, report *metrics.Report, rows []GateRow) ([]figure, error) {
	title := sc.Title(&folder.Meta)
	var list []figure
	var solved solveFile
	if err := ReadJSON(folder, runfolder.SolveFile, &solved); err != nil {
		return nil, err
	}
	if len(solved.Trace) > 0 {
		list = append(list, figure{"bounds", boundsFigure(title, &solved)})
	}
	if report != nil && report.SetScores != nil {
		unit := folder.Meta.Scans.Unit
		if report.Measure != "euclidean" {
			unit = report.Measure
		}
		list = append(list, figure{"gospa", plots.GOSPA(title, unit, gospaFrames(report.SetScores))})
	}
	if len(rows) > 0 {
		list = append(list, figure{"gating", gatingFigure(title, rows)})
	}
	for i := range list {
		list[i].Meta = Provenance(&folder.Meta)
	}
	return list, nil
}

// gospaFrames is the series of a report as its figure takes it.
func gospaFrames(sets *metrics.SetScores) []plots.GOSPAFrame {
	frames := make([]plots.GOSPAFrame, len(sets.PerFrame))
	for i, f := range sets.PerFrame {
		frames[i] = plots.GOSPAFrame{
			Frame: f.Frame, GOSPA: f.GOSPA,
			Localisation: f.GOSPALocalisation, Missed: f.GOSPAMissed, False: f.GOSPAFalse,
		}
	}
	return frames
}

// saveFigures writes the figures into the folder, which is being edited, as SVG and perhaps as PNG,
// by so many workers, 0: one for each processor.
func saveFigures(folder *runfolder.Folder, figures []figure, png bool, most int) error {
	formats := []string{"svg"}
	if png {
		formats = append(formats, "png")
	}
	faults := make([]error, len(figures)*len(formats))
	workers.Each(workers.Count(most), len(faults), func(_, job int) {
		f, format := figures[job/len(formats)], formats[job%len(formats)]
		name := filepath.Join(runfolder.PlotsDir, f.Name+"."+format)
		faults[job] = folder.WriteFile(name, func(w io.Writer) error { return f.Encode(w, format) })
	})
	return cmp.Or(faults...)
}

// boundsFigure draws the trace of a dual ascent.
func boundsFigure(title string, solved *solveFile) *plots.Figure {
	trace := plots.Trace{Name: solved.Engine}
	for _, step := range solved.Trace {
		trace.Steps = append(trace.Steps, plots.Step{Pass: step.Pass, Lower: orNaN(step.Lower), Upper: orNaN(step.Upper)})
	}
	return plots.BoundTrace(title, trace)
}

// orNaN is *p, or NaN for nil.
func orNaN(p *float64) float64 {
	if p == nil {
		return math.NaN()
	}
	return *p
}

// Title says in a few words what the scene is.
func (sc *Scene) Title(meta *runfolder.Meta) string {
	name := meta.Command
	if kind, ok := meta.Options[meta.Command]["scene"].(string); ok {
		name = kind
	}
	if len(meta.Inputs) > 0 {
		var files []string
		for _, f := range meta.Inputs {
			files = append(files, filepath.Base(f))
		}
		name = strings.Join(files, ", ")
	}
	if sc.Truth == nil {
		return fmt.Sprintf("%s, %d frames", name, len(sc.Scans))
	}
	return fmt.Sprintf("%s, %d targets, %d frames", name, len(sc.Truth), len(sc.Scans))
}

// Provenance is what made a run, on one line.
func Provenance(meta *runfolder.Meta) string {
	parts := []string{"mtt " + meta.Version, meta.Command, fmt.Sprintf("seed %d", meta.Seed)}
	options := meta.Options[meta.Command]
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if name != "seed" {
			parts = append(parts, fmt.Sprintf("%s %v", name, options[name]))
		}
	}
	return strings.Join(parts, ", ")
}
