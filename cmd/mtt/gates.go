package main

// This file measures how scores depend on the gate.

import (
	"context"
	"time"

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
	Seconds  float64 `json:"seconds"`
}

// gateRows tracks the scene once for each gate, a factor on what a target can
// reach, and scores the links.
func gateRows(ctx context.Context, s *session, o *trackOptions, folder *runfolder.Folder, sc *scene, gates []float64) ([]gateRow, error) {
	line := s.startProgress(ctx, "gates", len(gates))
	defer line.done()
	var rows []gateRow
	for _, g := range gates {
		opts, err := o.association(folder)
		if err != nil {
			return nil, err
		}
		opts.Gate = gating.Disc{Epsilon: g, MaxSpeed: opts.MaxSpeed}
		began := time.Now()
		res, err := association.Track(ctx, sc.scans, opts)
		if err != nil {
			return nil, trackFault(err)
		}
		row := gateRow{Gate: g, Seconds: time.Since(began).Seconds()}
		if res.Instance != nil {
			row.Triplets = res.Instance.Triplets()
		}
		report, err := metrics.ScoreContext(ctx, sc.truth, res.Tracks, &metrics.Options{Only: metrics.Links})
		if err != nil {
			return nil, err
		}
		row.ITCP, row.MMEP = report.ITCP, report.MMEP
		rows = append(rows, row)
		line.set(len(rows), "")
	}
	return rows, nil
}

// gateRecords are the rows as they are printed.
func gateRecords(rows []gateRow) []record {
	records := make([]record, len(rows))
	for i, row := range rows {
		records[i] = record{
			{key: "gate", value: row.Gate}, {key: "itcp", value: row.ITCP, unit: "%"}, {key: "mmep", value: row.MMEP, unit: "%"},
			{key: "triplets", value: row.Triplets}, {key: "seconds", value: row.Seconds},
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
