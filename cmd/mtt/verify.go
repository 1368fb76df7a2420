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

	"mtt/internal/runfolder"
	"mtt/internal/verify"
)

func newVerifyCommand() *command {
	c := &command{
		name:    "verify",
		summary: "checks tracks, bound and gap of a run from its files alone",
		args:    "[RUN…]",
		maxArgs: -1,
		about: "Checks run folders (default: " + runfolder.Default + ") with no help from the engine: that the tracks\n" +
			"are made of the detections, that the assignment in certificate.bin is one, what it costs,\n" +
			"and which lower bound its multipliers prove. Every sum is rounded to the safe side.\n" +
			"Engines without bounds write no certificate; then the tracks alone are checked.\n" +
			"The exit status is 1 when something is wrong.\n",
		examples: "mtt verify\nmtt verify runs/latest --format json\n",
	}
	c.run = func(ctx context.Context, s *session, args []string) error {
		if len(args) == 0 {
			args = []string{runfolder.Default}
		}
		return eachInput(ctx, s, args, func(ctx context.Context, dir string) error { return runVerify(ctx, s, dir) })
	}
	return c
}

// runVerify checks one run folder. What cannot be read is printed as invalid, too.
func runVerify(ctx context.Context, s *session, dir string) error {
	folder, err := openRun(dir)
	if err != nil {
		return err
	}
	if !folder.Has(runfolder.TracksFile) {
		return usagef("%s has no %s", dir, runfolder.TracksFile).hinted("'mtt track' makes it")
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
	r := record{
		{key: "run", value: folder.Dir},
		{key: "valid", value: res.Valid},
		{key: "lower_bound", value: res.LowerBound},
		{key: "upper_bound", value: res.UpperBound},
		{key: "gap_percent", value: res.GapPercent},
		{key: "tracks", value: res.Tracks},
		{key: "links", value: res.Links},
		{key: "refined_links", value: res.RefinedLinks, note: "where the tracks leave the assignment of the bounds"},
		{key: "checked", value: checked},
		{key: "made", value: res.Made},
		{key: "problems", value: append([]string{}, res.Problems...)},
	}
	if err := errors.Join(err, s.out.print(r)); err != nil || res.Valid {
		return err
	}
	return &fault{status: exitFailed, err: fmt.Errorf("%s is not valid: %s", dir, res.Problems[0])}
}

// verifyFolder reads the files of a folder and checks them.
func verifyFolder(ctx context.Context, folder *runfolder.Folder) (*verify.Result, error) {
	sc, err := loadScans(folder)
	if err != nil {
		return nil, err
	}
	in := &verify.Input{Scans: sc.scans}
	if in.Tracks, err = loadTracks(folder.Path(runfolder.TracksFile)); err != nil {
		return nil, err
	}
	if in.DetectionsSum, err = fileSum(folder.Path(runfolder.DetectionsFile)); err != nil {
		return nil, err
	}
	if in.TracksSum, err = fileSum(folder.Path(runfolder.TracksFile)); err != nil {
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
	err := readFile(name, func(r io.Reader) error { return json.NewDecoder(r).Decode(&claims) })
	if err != nil {
		return nil, badInput(fmt.Errorf("%s: %w", name, err))
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
