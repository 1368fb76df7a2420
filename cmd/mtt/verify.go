package main

// This file is "mtt verify": are the tracks and the bounds of a run right?

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"runtime"

	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/task"
	"mtt/internal/verify"
)

func newVerifyCommand() *cli.Command {
	var recompute bool
	c := &cli.Command{
		Name:    "verify",
		Summary: "checks tracks, bound and gap of a run from its files alone",
		Args:    "[RUN…|FILE…]",
		MaxArgs: -1,
		About: "Checks run folders (default: " + runfolder.Default + ") with no help from the engine: that the tracks\n" +
			"are made of the detections, that the assignment in certificate.bin is one, what it costs,\n" +
			"and which lower bound its multipliers prove. Every sum is rounded to the safe side. Every\n" +
			"headline number of solve.json is computed anew, and the chain of SHA-256 sums is followed\n" +
			"from the detections over the costs to the certificate. What the engine has ruled out by\n" +
			"search is in no file: such claims are listed as unproved. Margins are computed anew from the\n" +
			"multipliers. Where refinement changed the tracks, tracks_cost is what they cost. Engines without bounds write no certificate; then\n" +
			"the tracks alone are checked.\n" +
			"With --recompute every cost in the certificate is made anew from the detections and from the\n" +
			"levels and rates in solve.json, by code of its own: arcs, triplets, births, deaths, misses and\n" +
			"false alarms. It knows the cost nll of the motions but for turn and singer, and says so\n" +
			"where the costs are others. Given costs (mtt track --arcs) are read again from their file. Which pairs are arcs at all, the gate, is not looked at.\n" +
			"The exit status is 1 when something is wrong. A FILE of detections is tracked first, as by mtt track.\n",
		Examples: "mtt verify\nmtt verify runs/latest --recompute --format json\n",
		Options: []cli.Option{
			cli.Boolean(&recompute, "recompute", "make all costs anew from detections, levels and rates"),
		},
	}
	c.Run = func(ctx context.Context, s *cli.Session, args []string) error {
		if len(args) == 0 {
			args = []string{runfolder.Default}
		}
		if files, err := task.AreFiles(args); err != nil {
			return err
		} else if files {
			dir, err := task.RunOfFiles(ctx, s, args, false)
			if err != nil {
				return err
			}
			args = []string{dir}
		}
		return cli.EachInput(ctx, s, args, func(ctx context.Context, dir string) error { return runVerify(ctx, s, dir, recompute) })
	}
	return c
}

// runVerify checks one run folder. What cannot be read is printed as invalid, too.
func runVerify(ctx context.Context, s *cli.Session, dir string, recompute bool) error {
	folder, err := task.OpenRun(dir)
	if err != nil {
		return err
	}
	if folder.Has(runfolder.GraphFile) && !folder.Has(runfolder.TracksFile) {
		return verifyGraph(ctx, s, folder, recompute)
	}
	if !folder.Has(runfolder.TracksFile) {
		return cli.Usagef("%s has no %s", dir, runfolder.TracksFile).Hinted("'mtt track' makes it")
	}
	res, err := cli.Await(ctx, func() (*verify.Result, error) { return verifyFolder(ctx, folder, recompute) })
	if err != nil {
		res = &verify.Result{Problems: []string{err.Error()}, LowerBound: math.NaN(), UpperBound: math.NaN(), GapPercent: math.NaN(), TracksCost: math.NaN()}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := task.Unchanged(folder); err != nil { // what is wrong then is wrong with neither run
		return err
	}
	checked := "tracks"
	if res.Certified {
		checked = "tracks, assignment, bounds"
	}
	if res.Margins > 0 {
		checked += ", margins"
	}
	proved := "" // said where solve.json says more
	if len(res.Unproved) > 0 {
		proved = "what certificate.bin proves; for what search ruled out, see unproved"
	}
	r := cli.Record{
		{Key: "run", Value: folder.Dir},
		{Key: "valid", Value: res.Valid},
		{Key: "lower_bound", Value: res.LowerBound, Note: proved},
		{Key: "upper_bound", Value: res.UpperBound},
		{Key: "gap_percent", Value: res.GapPercent, Note: proved},
		{Key: "status", Value: res.Status(), Note: proved},
		{Key: "arcs", Value: res.Arcs},
		{Key: "triplets", Value: res.Triplets},
		{Key: "tracks", Value: res.Tracks},
		{Key: "links", Value: res.Links},
		{Key: "refined_links", Value: res.RefinedLinks, Note: "where the tracks leave the assignment of the bounds"},
		{Key: "tracks_cost", Value: res.TracksCost, Note: "upper bound is what the assignment costs"},
		{Key: "unpriced_links", Value: res.Unpriced, Note: "links without a cost in the certificate"},
		{Key: "margins", Value: res.Margins, Note: "of links, births and deaths, in tracks.csv and margins.csv"},
		{Key: "margins_proved", Value: res.MarginsProved, Note: "by the multipliers of the certificate"},
		{Key: "checked", Value: checked},
		{Key: "made", Value: res.Made},
		{Key: "unproved", Value: append([]string{}, res.Unproved...)},
		{Key: "problems", Value: append([]string{}, res.Problems...)},
	}
	if recompute {
		if !res.Certified {
			res.NotRecomputed = "there are no costs to recompute: no certificate"
		}
		r = append(r, recomputed(s, dir, res)...)
	}
	for _, claim := range res.Unproved {
		s.Log.Warn(dir + ": " + claim)
	}
	if err := errors.Join(err, s.Out.Print(r)); err != nil || res.Valid {
		return err
	}
	return &cli.Fault{Status: cli.ExitFailed, Err: fmt.Errorf("%s is not valid: %s", dir, res.Problems[0])}
}

// recomputed says what --recompute has found, and warns of what it could not look at.
func recomputed(s *cli.Session, dir string, res *verify.Result) cli.Record {
	if res.NotRecomputed != "" {
		s.Log.Warn(dir + ": not recomputed: " + res.NotRecomputed)
	}
	return cli.Record{
		{Key: "recomputed", Value: res.Recomputed},
		{Key: "recomputed_worst", Value: res.RecomputedWorst, Note: "greatest difference of a cost, over 1 + its magnitude"},
		{Key: "not_recomputed", Value: res.NotRecomputed},
	}
}

// verifyGraph checks the answer of mtt track --arcs.
func verifyGraph(ctx context.Context, s *cli.Session, folder *runfolder.Folder, recompute bool) error {
	name := folder.Path(runfolder.SolveFile)
	var said struct {
		Certified float64 `json:"certified_bound"`
		Upper     float64 `json:"upper_bound"`
		Margins   struct{ Proof string }
		Sums      *task.ArcSums `json:"sha256"`
	}
	if err := task.ReadFile(name, func(r io.Reader) error { return json.NewDecoder(r).Decode(&said) }); err != nil {
		return cli.BadInput(fmt.Errorf("%s: %w", name, err))
	}
	in := &verify.GraphInput{
		File: folder.Path(runfolder.GraphFile), BySearch: said.Margins.Proof == verify.BySearch,
		Claims: []verify.Claim{{Source: runfolder.SolveFile, Lower: said.Certified, Upper: said.Upper}},
	}
	var err error
	if in.Track, in.Margin, err = task.AnswerIn(folder); err != nil {
		return err
	}
	given := ""
	if recompute && len(folder.Meta.Inputs) == 1 {
		given = folder.Meta.Inputs[0]
	}
	if in.Sums, err = said.Sums.Compare(ctx, folder, given); err != nil {
		return err
	}
	in.Given = given
	res, err := cli.Await(ctx, func() (*verify.Result, error) { return verify.Graph(in) })
	if err != nil {
		return cli.BadInput(fmt.Errorf("%s: %w", folder.Path(runfolder.GraphFile), err))
	}
	checked := "answer, bounds"
	if res.Margins > 0 {
		checked += ", margins"
	}
	for _, claim := range res.Unproved {
		s.Log.Warn(folder.Dir + ": " + claim)
	}
	r := cli.Record{
		{Key: "run", Value: folder.Dir}, {Key: "valid", Value: res.Valid},
		{Key: "lower_bound", Value: res.LowerBound}, {Key: "upper_bound", Value: res.UpperBound}, {Key: "gap_percent", Value: res.GapPercent},
		{Key: "links", Value: res.Links}, {Key: "margins", Value: res.Margins}, {Key: "margins_proved", Value: res.MarginsProved, Note: "by the prices"},
		{Key: "checked", Value: checked}, {Key: "unproved", Value: append([]string{}, res.Unproved...)}, {Key: "problems", Value: append([]string{}, res.Problems...)},
	}
	if recompute {
		r = append(r, recomputed(s, folder.Dir, res)...)
	}
	if err := s.Out.Print(r); err != nil || res.Valid {
		return err
	}
	return &cli.Fault{Status: cli.ExitFailed, Err: fmt.Errorf("%s is not valid: %s", folder.Dir, res.Problems[0])}
}

// manyScans take hundreds of megabytes, of which a check of all but costs needs a tenth.
const manyScans = 500_000

// verifyFolder reads the files of a folder and checks them.
func verifyFolder(ctx context.Context, folder *runfolder.Folder, recompute bool) (*verify.Result, error) {
	defer task.Thrifty(0)()
	sc, err := task.LoadScans(folder)
	if err != nil {
		return nil, err
	}
	in := &verify.Input{Detections: verify.NewDetections(sc.Scans)}
	if recompute {
		in.Scans = sc.Scans
	} else if sc = nil; len(in.Detections.Frames) > manyScans {
		runtime.GC() // else what scans took would stay beside all that is read from here on
	}
	if in.Tracks, err = task.LoadTracks(folder.Path(runfolder.TracksFile)); err != nil {
		return nil, err
	}
	if in.DetectionsSum, err = task.FileSum(ctx, folder.Path(runfolder.DetectionsFile)); err != nil {
		return nil, err
	}
	if in.TracksSum, err = task.FileSum(ctx, folder.Path(runfolder.TracksFile)); err != nil {
		return nil, err
	}
	switch {
	case folder.Has(runfolder.SolveFile):
		if in.Solve, err = solveOf(folder); err != nil {
			return nil, err
		}
	case folder.Has(runfolder.CertificateFile):
		return nil, fmt.Errorf("%s is not there: nothing ties the costs in %s to the detections", runfolder.SolveFile, runfolder.CertificateFile)
	case !folder.Has(runfolder.PMBMFile):
		return nil, fmt.Errorf("%s is not there: nothing says how %s was made", runfolder.SolveFile, runfolder.TracksFile)
	}
	if in.Solve != nil {
		if in.Margins, err = task.MarginsOf(folder, in.Tracks); err != nil {
			return nil, err
		}
		if in.Margins != nil && in.Margins.Rows != nil {
			if in.MarginsSum, err = task.FileSum(ctx, folder.Path(runfolder.MarginsFile)); err != nil {
				return nil, err
			}
		}
	}
	if folder.Has(runfolder.GraphFile) {
		in.Graph = &verify.GraphInput{File: folder.Path(runfolder.GraphFile)}
		if in.GraphSum, err = task.FileSum(ctx, in.Graph.File); err != nil {
			return nil, err
		}
	}
	f, err := os.Open(folder.Path(runfolder.CertificateFile))
	switch {
	case err == nil:
		defer f.Close()
		in.Certificate = f
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if recompute && in.Solve != nil && in.Certificate != nil {
		if in.Pricing, err = task.PricingOf(folder); err != nil {
			return nil, err
		}
	}
	return verify.Check(ctx, in)
}

// solveOf is what solve.json says.
func solveOf(folder *runfolder.Folder) (*verify.Solve, error) {
	name := folder.Path(runfolder.SolveFile)
	var file struct {
		Status    string       `json:"status"`
		Lower     *float64     `json:"lower_bound"`
		Certified *float64     `json:"certified_bound"`
		Upper     *float64     `json:"upper_bound"`
		Gap       *float64     `json:"gap_percent"`
		Proof     string       `json:"proof"`
		Arcs      *int         `json:"arcs"`
		Triplets  *int         `json:"triplets"`
		Tracks    *int         `json:"tracks"`
		Refined   *int         `json:"refined_links"`
		Sums      *verify.Sums `json:"sha256"`
	}
	if err := task.ReadFile(name, func(r io.Reader) error { return json.NewDecoder(r).Decode(&file) }); err != nil {
		return nil, cli.BadInput(fmt.Errorf("%s: %w", name, err))
	}
	if file.Sums == nil {
		return nil, cli.Usagef("%s does not say of which files it is", name).Hinted("an older mtt wrote it; 'mtt track' makes it anew")
	}
	number := func(p *float64) float64 {
		if p == nil {
			return math.NaN()
		}
		return *p
	}
	return &verify.Solve{
		Status: file.Status, Lower: number(file.Lower), Certified: number(file.Certified), Upper: number(file.Upper), Gap: number(file.Gap),
		Proof: file.Proof, Arcs: file.Arcs, Triplets: file.Triplets, Tracks: file.Tracks, RefinedLinks: file.Refined, Sums: *file.Sums,
	}, nil
}
