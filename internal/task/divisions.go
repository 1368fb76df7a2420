package task

// This file tracks targets that divide: mtt track --divisions.

import (
	"context"
	"encoding/hex"
	"io"
	"math"

	"mtt"
	"mtt/association"
	"mtt/association/lineage"
	"mtt/dataset"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/verify"
	"mtt/trackgraph"
	"mtt/trackgraph/graphfile"
)

// trackDivisions tracks the scans, of which targets divide. Where nothing speaks for that, a warning says so.
func (o *TrackOptions) trackDivisions(ctx context.Context, scans []mtt.Scan, opts *association.Options) (*lineage.Result, error) {
	for _, x := range []struct {
		is   bool
		name string
	}{
		{o.lag >= 0, "--lag"}, {o.best > 1, "--best"}, {o.Resume != "", "--resume"},
		{o.device != onCPU, "--device " + o.device}, {o.maxRounds != 0, "--max-rounds"}, {o.minEvidence != 0, "--min-evidence"},
	} {
		if x.is {
			return nil, cli.Usagef("%s has no use with --divisions", x.name)
		}
	}
	solve := &trackgraph.Options{Gap: o.gap / 100}
	if o.engine == string(association.Exact) {
		solve.Effort = math.Inf(1)
	}
	family, err := lineage.Track(ctx, scans, opts, solve)
	if family != nil && family.Graph == nil {
		why := "no births beside tracks are more than chance brings: nothing is taken to divide"
		if err != nil {
			why = "interrupted before divisions were looked for: no track divides"
		}
		family.Warnings = append(family.Warnings, why)
	}
	return family, err
}

// divides says whether there are divisions in the problem that was solved.
func divides(family *lineage.Result) bool { return family != nil && family.Graph != nil }

// writeGraph adds graph.npz to a run folder, the certificate of tracks that divide, and returns its sum.
func writeGraph(ctx context.Context, folder *runfolder.Folder, family *lineage.Result, margins *arcMargins) (sum string, err error) {
	if err := folder.WriteFile(runfolder.GraphFile, func(w io.Writer) error {
		return graphfile.WriteNPZ(w, family.Graph, family.Solved.Answer, family.Solved.Prices, margins.all())
	}); err != nil {
		return "", err
	}
	bytes, err := FileSum(ctx, folder.Path(runfolder.GraphFile))
	return hex.EncodeToString(bytes[:]), err
}

// setDivisions says in the record of a run, and in what solve.json has besides, what was found of divisions.
func setDivisions(r, more cli.Record, family *lineage.Result, unit string) cli.Record {
	s := family.Solved
	proof := verify.ByPrices
	if s.LowerBound > s.Certified {
		proof = verify.BySearch
	}
	for _, list := range []cli.Record{r, more} {
		setSolved(list, family)
		setField(list, "certified_bound", s.Certified)
		setField(list, "proof", proof)
	}
	m := family.Division
	return append(r, cli.Field{Key: "divisions", Value: family.Divisions()}, cli.Field{Key: "division", Value: cli.Record{
		{Key: "rate", Value: m.Rate, Note: "probability that a target divides between two scans"},
		{Key: "apart", Value: m.Apart, Unit: unit, Note: "distance of daughters, root mean square"},
		{Key: "centre", Value: m.Centre, Unit: unit, Note: "standard deviation of their middle about the mother, on each axis"},
		{Key: "shape", Value: m.Shape, Note: "of the distribution of the squared distance, a Gamma distribution"},
	}})
}

// setSolved says in an outcome how the problem with divisions was solved.
func setSolved(r cli.Record, family *lineage.Result) {
	s := family.Solved
	setField(r, "status", s.Status.String())
	setField(r, "lower_bound", s.LowerBound)
	setField(r, "upper_bound", s.UpperBound)
	setField(r, "gap_percent", 100*s.Gap())
	setField(r, "rounds", s.Rounds)
	setField(r, "arcs", len(family.Graph.Cost))
	setField(r, "triplets", 0)
}

// familyMargins are the margins of each hit of each track, of the link before it, to a mother too,
// or of the birth, if they are asked for, and those of the graph that they come from.
func (o *TrackOptions) familyMargins(ctx context.Context, scans []mtt.Scan, family *lineage.Result) (of [][]float64, all *arcMargins, err error) {
	if !divides(family) || o.margins == noMargins {
		return nil, nil, nil
	}
	if all, err = o.arcMargins(ctx, family.Graph, family.Solved); err != nil {
		return nil, nil, err
	}
	first, n := make(map[int]int, len(scans)), 0 // node of detection 0 of a frame
	for t := range scans {
		first[scans[t].Frame] = n
		n += scans[t].Len()
	}
	of = make([][]float64, len(family.Tracks))
	for k := range family.Tracks {
		for _, h := range family.Tracks[k].Hits {
			of[k] = append(of[k], lessDigits(all.of[first[h.Frame]+h.Det]))
		}
	}
	return of, all, nil
}

// marginColumn is the column of tracks.csv with these margins; nil: there is none.
func marginColumn(of [][]float64) []dataset.TrackColumn {
	if of == nil {
		return nil
	}
	return []dataset.TrackColumn{{Name: "margin", Of: func(track, hit int) float64 { return of[track][hit] }}}
}

// linksOf are the margins of links: of all hits but the first of each track.
func linksOf(of [][]float64) (links [][]float64) {
	for _, hits := range of {
		links = append(links, hits[1:])
	}
	return links
}
