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

	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/task"
	"mtt/internal/verify"
)

func newVerifyCommand() *cli.Command {
	c := &cli.Command{
		Name:    "verify",
		Summary: "checks tracks, bound and gap of a run from its files alone",
		Args:    "[RUN…]",
		MaxArgs: -1,
		About: "Checks run folders (default: " + runfolder.Default + ") with no help from the engine: that the tracks\n" +
			"are made of the detections, that the assignment in certificate.bin is one, what it costs,\n" +
			"and which lower bound its multipliers prove. Every sum is rounded to the safe side.\n" +
			"Engines without bounds write no certificate; then the tracks alone are checked.\n" +
			"The exit status is 1 when something is wrong.\n",
		Examples: "mtt verify\nmtt verify runs/latest --format json\n",
	}
	c.Run = func(ctx context.Context, s *cli.Session, args []string) error {
		if len(args) == 0 {
			args = []string{runfolder.Default}
		}
		return cli.EachInput(ctx, s, args, func(ctx context.Context, dir string) error { return runVerify(ctx, s, dir) })
	}
	return c
}

// runVerify checks one run folder. What cannot be read is printed as invalid, too.
func runVerify(ctx context.Context, s *cli.Session, dir string) error {
	folder, err := task.OpenRun(dir)
	if err != nil {
		return err
	}
	if !folder.Has(runfolder.TracksFile) {
		return cli.Usagef("%s has no %s", dir, runfolder.TracksFile).Hinted("'mtt track' makes it")
	}
	res, err := verifyFolder(ctx, folder)
	if err != nil {
		res = &verify.Result{Problems: []string{err.Error()}, LowerBound: math.NaN(), UpperBound: math.NaN(), GapPercent: math.NaN()}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	checked := "tracks"
	if res.Certified {
		checked = "tracks, assignment, bounds"
	}
	r := cli.Record{
		{Key: "run", Value: folder.Dir},
		{Key: "valid", Value: res.Valid},
		{Key: "lower_bound", Value: res.LowerBound},
		{Key: "upper_bound", Value: res.UpperBound},
		{Key: "gap_percent", Value: res.GapPercent},
		{Key: "tracks", Value: res.Tracks},
		{Key: "links", Value: res.Links},
		{Key: "refined_links", Value: res.RefinedLinks, Note: "where the tracks leave the assignment of the bounds"},
		{Key: "checked", Value: checked},
		{Key: "made", Value: res.Made},
		{Key: "problems", Value: append([]string{}, res.Problems...)},
	}
	if err := errors.Join(err, s.Out.Print(r)); err != nil || res.Valid {
		return err
	}
	return &cli.Fault{Status: cli.ExitFailed, Err: fmt.Errorf("%s is not valid: %s", dir, res.Problems[0])}
}

// verifyFolder reads the files of a folder and checks them.
func verifyFolder(ctx context.Context, folder *runfolder.Folder) (*verify.Result, error) {
	sc, err := task.LoadScans(folder)
	if err != nil {
		return nil, err
	}
	in := &verify.Input{Scans: sc.Scans}
	if in.Tracks, err = task.LoadTracks(folder.Path(runfolder.TracksFile)); err != nil {
		return nil, err
	}
	if in.DetectionsSum, err = task.FileSum(folder.Path(runfolder.DetectionsFile)); err != nil {
		return nil, err
	}
	if in.TracksSum, err = task.FileSum(folder.Path(runfolder.TracksFile)); err != nil {
		return nil, err
	}
	if in.Claims, err = claimsOf(folder); err != nil {
		return nil, err
	}
	f, err := os.Open(folder.Path(runfolder.CertificateFile))
	switch {
	case err == nil:
		defer f.Close()
		in.Certificate = f
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	return verify.Check(ctx, in)
}

// claimsOf are the bounds that solve.json claims, if it is there.
func claimsOf(folder *runfolder.Folder) ([]verify.Claim, error) {
	name := folder.Path(runfolder.SolveFile)
	if !folder.Has(runfolder.SolveFile) {
		return nil, nil
	}
	var claims struct {
		Lower     *float64 `json:"lower_bound"`
		Certified *float64 `json:"certified_bound"` // absent in files of older versions
		Upper     *float64 `json:"upper_bound"`
	}
	err := task.ReadFile(name, func(r io.Reader) error { return json.NewDecoder(r).Decode(&claims) })
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("%s: %w", name, err))
	}
	claim := verify.Claim{Source: runfolder.SolveFile, Lower: math.NaN(), Upper: math.NaN()}
	if claims.Certified != nil {
		claim.Lower = *claims.Certified
	} else if claims.Lower != nil {
		claim.Lower = *claims.Lower
	}
	if claims.Upper != nil {
		claim.Upper = *claims.Upper
	}
	return []verify.Claim{claim}, nil
}
