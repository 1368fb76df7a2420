package task

// This file tracks problems on given costs: mtt track --arcs.

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"mtt/dataset"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/text"
	"mtt/internal/verify"
	"mtt/internal/version"
	"mtt/trackgraph"
	"mtt/trackgraph/graphfile"
)

// TrackArcs solves the graph in a file and writes the answer into a new run folder.
func TrackArcs(ctx context.Context, s *cli.Session, c *cli.Command, o *TrackOptions) error {
	began := time.Now()
	defer debug.SetGCPercent(debug.SetGCPercent(25)) // long arrays without pointers: cheap to look through, dear to keep
	f, err := cli.Await(ctx, func() (*graphfile.File, error) { return graphfile.Read(o.Arcs) })
	if errors.Is(err, fs.ErrNotExist) {
		return cli.Usagef("%s does not exist", o.Arcs)
	}
	if err != nil {
		if _, ok := errors.AsType[*text.SyntaxError](err); ok {
			return cli.BadInput(err)
		}
		return err
	}
	if err := o.writeProgramme(ctx, &f.Graph); err != nil {
		return err
	}
	read := time.Since(began)
	opts := &trackgraph.Options{Gap: o.gap / 100}
	if o.engine == "exact" {
		opts.Effort = math.Inf(1)
	}
	line := s.StartProgress(ctx, "closing the gap", 100)
	opts.Progress = func(lower, upper float64) {
		line.Set(0, fmt.Sprintf("bound %.6g gap %.2g %%", lower, 100*(upper-lower)/math.Abs(upper)))
	}
	solving := time.Now()
	res, err := trackgraph.Solve(ctx, &f.Graph, opts)
	line.Done()
	if errors.Is(err, trackgraph.ErrInfeasible) {
		return &cli.Fault{Status: cli.ExitInfeasible, Err: err}
	}
	if res == nil {
		return err
	}
	if res.Complete(&f.Graph); res.Answer == nil {
		return err
	}
	solved := time.Since(solving)
	dir := s.Common.Out
	if dir == "" {
		dir = runfolder.Default
	}
	folder, failed := createRun(dir, &runfolder.Meta{
		Version: version.Version, Command: c.Name, Seed: s.Common.Seed, Inputs: []string{o.Arcs},
		Scans: runfolder.Scans{Dim: 2, Step: 1, Interval: 1}, // there are none
	})
	if failed != nil {
		return failed
	}
	defer folder.Discard()
	track := lineages(&f.Graph, res.Answer)
	margins, failed := o.arcMargins(ctx, &f.Graph, res)
	if failed != nil && margins == nil {
		return failed
	}
	err = errors.Join(err, failed)
	if failed := folder.WriteFile(runfolder.AnswerFile, func(w io.Writer) error { return writeAnswer(w, f, res.Answer, track, margins) }); failed != nil {
		return failed
	}
	if failed := folder.WriteFile(runfolder.GraphFile, func(w io.Writer) error {
		return graphfile.WriteNPZ(w, &f.Graph, res.Answer, res.Prices, margins.all())
	}); failed != nil {
		return failed
	}
	sums, failed := arcSums(context.WithoutCancel(ctx), folder, o.Arcs)
	if failed != nil {
		return failed
	}
	r := arcsRecord(folder.Dir, f, res, track)
	if margins != nil {
		r.Add("margins", marginRecord([][]float64{margins.links}, margins.proof, margins.seconds))
	}
	r.Add("seconds", cli.Record{{Key: "read", Value: read.Seconds()}, {Key: "solve", Value: solved.Seconds()}, {Key: "total", Value: time.Since(began).Seconds()}})
	inFile := append(slices.Clip(r), cli.Field{Key: "sha256", Value: sums})
	if failed := writeRecord(folder, runfolder.SolveFile, s, c, inFile); failed != nil {
		return failed
	}
	if failed := Finish(folder, nil); failed != nil {
		return failed
	}
	return errors.Join(err, s.Out.Print(r))
}

// ArcSums are the SHA-256 of the files of a problem on given costs, in solve.json.
type ArcSums struct {
	Given  string `json:"given"` // that the costs are from; "": it cannot be read twice
	Graph  string `json:"graph"`
	Answer string `json:"answer"`
}

// arcSums are those of a run folder, and of the file given.
func arcSums(ctx context.Context, folder *runfolder.Folder, given string) (s ArcSums, err error) {
	sum := func(name string) string {
		x, failed := FileSum(ctx, name)
		err = errors.Join(err, failed)
		return hex.EncodeToString(x[:])
	}
	s = ArcSums{Graph: sum(folder.Path(runfolder.GraphFile)), Answer: sum(folder.Path(runfolder.AnswerFile))}
	if info, failed := os.Stat(given); failed == nil && info.Mode().IsRegular() {
		s.Given = sum(given)
	}
	return s, err
}

// Compare lists what solve.json says beside what files have now; given is "" where that file is not
// to be looked at. Of a file that is gone nothing is said.
func (s *ArcSums) Compare(ctx context.Context, folder *runfolder.Folder, given string) (list []verify.Sum, err error) {
	if s == nil {
		return nil, nil // an older mtt wrote it
	}
	now, err := arcSums(ctx, folder, given)
	list = []verify.Sum{{File: runfolder.GraphFile, Said: s.Graph, Is: now.Graph}, {File: runfolder.AnswerFile, Said: s.Answer, Is: now.Answer}}
	if s.Given != "" && now.Given != "" {
		list = append(list, verify.Sum{File: given, Said: s.Given, Is: now.Given})
	}
	return list, err
}

// ProgrammeAlone says that a programme is asked for, and no graph given.
func (o *TrackOptions) ProgrammeAlone() bool { return o.programme != "" && o.Arcs == "" }

// writeProgramme writes a graph as an integer programme, in the format that the end of the file's name says.
func (o *TrackOptions) writeProgramme(ctx context.Context, g *trackgraph.Graph) error {
	if o.programme == "" {
		return nil
	}
	write := g.WriteLP
	switch filepath.Ext(o.programme) {
	case ".lp":
	case ".mps":
		write = g.WriteMPS
	default:
		return cli.Usagef("--programme %s: the name ends in neither .lp nor .mps", o.programme)
	}
	return runfolder.WriteFile(o.programme, func(w io.Writer) error {
		in, out := io.Pipe()
		defer in.Close()
		defer context.AfterFunc(ctx, func() { in.Close() })() // leaves write behind, which does not look at ctx
		go func() { out.CloseWithError(write(out)) }()
		_, err := io.Copy(w, in)
		if err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	})
}

// arcsRecord says what was found.
func arcsRecord(dir string, f *graphfile.File, res *trackgraph.Result, track []int) cli.Record {
	tracks, unused, links, divisions, merges := 0, 0, 0, 0, 0
	for d, k := range track {
		tracks = max(tracks, k)
		if !res.Answer.Used[d] {
			unused++
		}
	}
	outs, ins := make([]int, len(track)), make([]int, len(track))
	for a, yes := range res.Answer.Chosen {
		if yes {
			links++
			outs[f.Tail[a]]++
			ins[f.Head[a]]++
		}
	}
	for d := range track {
		divisions += max(0, outs[d]-1)
		merges += max(0, ins[d]-1)
	}
	return cli.Record{
		{Key: "run", Value: dir}, {Key: "status", Value: res.Status.String()},
		{Key: "lower_bound", Value: res.LowerBound}, {Key: "upper_bound", Value: res.UpperBound},
		{Key: "gap_percent", Value: 100 * res.Gap(), Unit: "%"}, {Key: "certified_bound", Value: res.Certified},
		{Key: "detections", Value: len(track)}, {Key: "arcs", Value: len(f.Cost)},
		{Key: "tracks", Value: tracks}, {Key: "links", Value: links}, {Key: "left_out", Value: unused, Note: "detections that are not used"},
		{Key: "divisions", Value: divisions}, {Key: "merges", Value: merges},
		{Key: "parts", Value: res.Parts, Note: "solved apart"}, {Key: "format", Value: f.Format},
	}
}

// lineages numbers the tracks: 0 for a detection that is not used; a track ends where it
// divides or merges, and others begin there. Numbers ascend with the first detection.
func lineages(g *trackgraph.Graph, a *trackgraph.Answer) []int {
	n := g.Detections()
	outs, ins, from := make([]int, n), make([]int, n), make([]int, n)
	for d := range from {
		from[d] = -1
	}
	for k, yes := range a.Chosen {
		if yes {
			outs[g.Tail[k]]++
			ins[g.Head[k]]++
			from[g.Head[k]] = int(g.Tail[k])
		}
	}
	track, next := make([]int, n), 0
	number := func(d int) int {
		for path := []int(nil); ; {
			if track[d] == 0 && ins[d] == 1 && outs[from[d]] == 1 {
				path = append(path, d)
				d = from[d]
				continue
			}
			if track[d] == 0 {
				next++
				track[d] = next
			}
			for _, x := range path {
				track[x] = track[d]
			}
			return track[d]
		}
	}
	for d := range n {
		if a.Used[d] {
			number(d)
		}
	}
	return track
}

// arcMargins are the margins of a problem on given costs.
type arcMargins struct {
	*trackgraph.Margins
	of      []float64 // of each detection: of the links before it, or of its birth, or of not being used
	links   []float64 // of the chosen arcs
	proof   string
	seconds float64
}

func (m *arcMargins) all() *trackgraph.Margins {
	if m == nil {
		return nil
	}
	return m.Margins
}

// arcMargins computes the margins that are asked for; nil: none. When ctx ends it returns what is
// known, and an error.
func (o *TrackOptions) arcMargins(ctx context.Context, g *trackgraph.Graph, res *trackgraph.Result) (_ *arcMargins, ended error) {
	if o.margins == noMargins {
		return nil, nil
	}
	began := time.Now()
	m := &arcMargins{proof: verify.ByPrices}
	if o.margins == exactMargins {
		if m.Margins, ended = trackgraph.ExactMargins(ctx, g, res, nil); ended != nil && ctx.Err() == nil {
			return nil, ended
		}
		m.proof = verify.BySearch
	} else {
		m.Margins = trackgraph.NewMargins(g, res.Prices, res.Answer)
	}
	if known := res.LowerBound - res.UpperBound; res.LowerBound > res.Certified { // the search knows more
		m.proof = verify.BySearch
		for _, list := range [][]float64{m.Arc, m.Birth, m.End, m.Unused} {
			for k := range list {
				list[k] = max(list[k], known)
			}
		}
	}
	m.of = make([]float64, len(m.Birth))
	for d, used := range res.Answer.Used {
		if m.of[d] = m.Birth[d]; !used {
			m.of[d] = m.Unused[d]
		}
	}
	born := make([]bool, len(m.of))
	for a, yes := range res.Answer.Chosen {
		if !yes {
			continue
		}
		j := g.Head[a]
		m.links = append(m.links, lessDigits(orZero(m.Arc[a], res.UpperBound)))
		if !born[j] || m.Arc[a] < m.of[j] {
			born[j], m.of[j] = true, m.Arc[a]
		}
	}
	for d := range m.of {
		m.of[d] = orZero(m.of[d], res.UpperBound)
	}
	m.seconds = time.Since(began).Seconds()
	return m, ended
}

// writeAnswer writes a line for each detection: its track, 0 where it is not used, the tracks that
// this one comes from where it begins at a division or a merge, and its margin where there are
// some.
func writeAnswer(w io.Writer, f *graphfile.File, a *trackgraph.Answer, track []int, margins *arcMargins) error {
	parents := make(map[int32][]int32)
	for k, yes := range a.Chosen {
		if yes && track[f.Tail[k]] != track[f.Head[k]] {
			parents[f.Head[k]] = append(parents[f.Head[k]], f.Tail[k])
		}
	}
	b := bufio.NewWriter(w)
	b.WriteString("detection,frame,track,parent,other_parent")
	if margins != nil {
		b.WriteString(",margin")
	}
	b.WriteByte('\n')
	for d := range track {
		name := f.Name(d)
		if strings.ContainsAny(name, "\",") {
			name = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
		fmt.Fprintf(b, "%s,%d,%d", name, f.Frame[d], track[d])
		for k := range 2 {
			b.WriteByte(',')
			if p := parents[int32(d)]; k < len(p) {
				b.WriteString(strconv.Itoa(track[p[k]]))
			}
		}
		if margins != nil {
			b.WriteByte(',')
			if x := lessDigits(margins.of[d]); !math.IsInf(x, 0) {
				b.WriteString(strconv.FormatFloat(x, 'g', -1, 64))
			}
		}
		b.WriteByte('\n')
	}
	return b.Flush()
}

// AnswerIn reads tracks and margins of answer.csv; nil where it has no such column.
func AnswerIn(folder *runfolder.Folder) (track, margin []float64, err error) {
	name := folder.Path(runfolder.AnswerFile)
	read := func(column string) (x []float64) {
		if err == nil {
			err = ReadFile(name, func(r io.Reader) error {
				columns, err := dataset.ReadColumns(r, name, column)
				if columns != nil {
					x = columns[0]
				}
				return err
			})
		}
		return x
	}
	track, margin = read("track"), read("margin")
	return track, margin, err
}
