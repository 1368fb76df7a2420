package main

// This file measures how scores depend on the gate.

import (
	"context"
	"errors"
	"time"

	"mtt"
	"mtt/association"
	"mtt/gating"
	"mtt/internal/runfolder"
	"mtt/metrics"
	"mtt/plots"
)

// A gateRow is the outcome at one gate.
type gateRow struct {
	Gate     float64 `json:"gate"`
	ITCP     float64 `json:"itcp"` // %
	MMEP     float64 `json:"mmep"` // %
	Triplets int     `json:"triplets"`
	Seconds  float64 `json:"-"`
}

// defaultGates are compared by mtt run unless --gates says otherwise, as far as
// they are small.
var defaultGates = []float64{1.5, 2, 3, 5}

// smallGate is the memory in bytes that a gate of defaultGates may take: some four
// million triplets, which take a tenth of a second.
const smallGate = 40 << 20

// A gateList says which gates to compare.
type gateList struct {
	auto  bool // those of defaultGates that are small
	sizes []float64
}

// gatesOption binds --gates.
func gatesOption(dst *gateList) option {
	var sizes []float64
	list := numbers(&sizes, "gates", 0, "`LIST` of gates, such as 1.5,2,3,5: track again with each disc gate, for scores against "+
		"the gate; none, or auto: these four, as far as they are small")
	list.set = func(set func(string) error) func(string) error {
		return func(text string) error {
			switch text {
			case "auto":
				*dst = gateList{auto: true}
				return nil
			case "none", "":
				*dst = gateList{}
				return nil
			}
			err := set(text)
			if err == nil {
				*dst = gateList{sizes: sizes}
			}
			return err
		}
	}(list.set)
	list.get = func() any {
		switch {
		case dst.auto:
			return "auto"
		case len(dst.sizes) == 0:
			return "none"
		}
		return dst.sizes
	}
	return list
}

// gateRows tracks the scene once for each gate, a factor on what a target can
// reach, and scores the links. Known is an earlier result for the scene, whose
// levels hold for all gates; nil has them estimated first.
func gateRows(ctx context.Context, s *session, o *trackOptions, folder *runfolder.Folder, sc *scene, gates *gateList, known *association.Result) ([]gateRow, error) {
	opts, err := o.association(&folder.Meta.Scans, s.common.Workers)
	if err != nil {
		return nil, err
	}
	sizes := gates.sizes
	if gates.auto {
		sizes, opts.MemoryLimit = defaultGates, smallGate
	}
	if opts.Engine == association.GNN && len(sizes) > 0 {
		s.note("--gates: the engine gnn chooses its own gate, there is nothing to compare")
		return nil, nil
	}
	if known == nil && len(sizes) > 0 {
		if known, err = association.Build(ctx, sc.scans, opts); err != nil {
			return nil, trackFault(err)
		}
	}
	line := s.startProgress(ctx, "gates", len(sizes))
	defer line.done()
	var rows []gateRow
	for _, g := range sizes {
		row, err := trackGate(ctx, sc, opts, known, g)
		if large, ok := errors.AsType[*gating.TooLargeError](err); ok && gates.auto {
			s.note("not compared: disc:%v with %.2g triplets; --gates asks for it", g, float64(large.Triplets))
			break
		}
		if err != nil {
			return nil, trackFault(err)
		}
		rows = append(rows, row)
		line.set(len(rows), "")
	}
	return rows, nil
}

// trackGate tracks the scene with a disc of the given factor, with the levels of
// an earlier result, and scores the links.
func trackGate(ctx context.Context, sc *scene, opts *association.Options, known *association.Result, factor float64) (gateRow, error) {
	o := *opts
	o.Levels, o.MaxSpeed, o.Gate = known.Levels, known.MaxSpeed, gating.Disc{Epsilon: factor}
	began := time.Now()
	res, err := association.Track(ctx, sc.scans, &o)
	if err != nil {
		return gateRow{}, err
	}
	seconds := time.Since(began).Seconds()
	report, err := links(ctx, sc.truth, res.Tracks)
	if err != nil {
		return gateRow{}, err
	}
	return gateRow{
		Gate: factor, ITCP: report.ITCP, MMEP: report.MMEP,
		Triplets: res.Instance.Triplets(), Seconds: seconds,
	}, nil
}

// links scores the links of tracks.
func links(ctx context.Context, truth, tracks []mtt.Track) (*metrics.Report, error) {
	return metrics.ScoreContext(ctx, truth, tracks, &metrics.Options{Only: metrics.Links})
}

// gateRecords are the rows as they are printed, or, without their times, kept in
// score.json, which is equal whenever it is made from equal input.
func gateRecords(rows []gateRow, times bool) []record {
	records := make([]record, len(rows))
	for i, row := range rows {
		records[i] = record{
			{key: "gate", value: row.Gate}, {key: "itcp", value: row.ITCP, unit: "%"}, {key: "mmep", value: row.MMEP, unit: "%"},
			{key: "triplets", value: row.Triplets},
		}
		if times {
			records[i].add("seconds", row.Seconds)
		}
	}
	return records
}

// gatingFigure draws the rows.
func gatingFigure(title string, rows []gateRow) *plots.Figure {
	points := make([]plots.GateRow, len(rows))
	for i, row := range rows {
		points[i] = plots.GateRow{
			Method: "mtt", Gate: row.Gate, MMEP: row.MMEP, ITCP: row.ITCP, Triplets: int64(row.Triplets),
		}
	}
	return plots.GatingSensitivity(title, "gate, factor on what a target can reach", points)
}
