package task

// This file measures how scores depend on the gate.

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"mtt"
	"mtt/association"
	"mtt/gating"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/workers"
	"mtt/metrics"
	"mtt/plots"
)

// A GateRow is the outcome at one gate.
type GateRow struct {
	Gate     float64 `json:"gate"`
	ITCP     float64 `json:"itcp"` // %
	MMEP     float64 `json:"mmep"` // %
	Triplets int     `json:"triplets"`
	Seconds  float64 `json:"-"`
}

// defaultGates are compared by mtt run unless --gates says otherwise, as far as
// they are small, by the ascent alone: one that loses links, the one that should not, and two that cost more.
var defaultGates = []float64{0.75, 1, 2, 5}

// smallGate is the memory in bytes that a gate of defaultGates may take: some four
// million triplets, which take a tenth of a second.
const smallGate = 40 << 20

// A gateList says which gates to compare.
type gateList struct {
	auto  bool // those of defaultGates that are small
	sizes []float64
}

// gatesOption binds --gates.
func gatesOption(dst *gateList) cli.Option {
	var sizes []float64
	list := cli.Numbers(&sizes, "gates", 0, "`LIST` of gates, such as 1.5,2,3,5: track again with each disc gate, for scores against "+
		"the gate; none, or auto: 0.75,1,2,5, as far as they are small")
	list.Set = func(set func(string) error) func(string) error {
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
	}(list.Set)
	list.Get = func() any {
		switch {
		case dst.auto:
			return "auto"
		case len(dst.sizes) == 0:
			return "none"
		}
		return dst.sizes
	}
	list.Values = []string{"auto", "none"}
	return list
}

// An early comparison of gates goes on while the scene is tracked.
type early struct {
	known *association.Result // what it goes by
	stop  context.CancelFunc
	done  chan struct{}
	rows  []GateRow
	notes []string
	err   error
	panic any
}

// CompareEarly has small gates compared while the tracks of the scene, once they are found and their
// levels with them, are looked through and written: that keeps few cores busy. Who tracked calls stop,
// after [ScoreScene] if it came to that.
func CompareEarly(ctx context.Context, s *cli.Session, o *ScoreOptions, track *TrackOptions, folder *runfolder.Folder, sc *Scene) (stop func()) {
	const most = 50_000 // detections: tracking others takes memory
	if !o.Gates.auto || workers.Count(s.Common.Workers) == 1 || sc.detections() > most {
		return func() {}
	}
	mine := *track
	track.learnt = func(res *association.Result) {
		e := &early{known: &association.Result{MaxSpeed: res.MaxSpeed}, done: make(chan struct{})}
		if res.Levels != nil {
			levels := *res.Levels
			e.known.Levels = &levels
		}
		ctx, e.stop = context.WithCancel(ctx)
		o.early = e
		go func() {
			defer close(e.done)
			defer func() {
				if v := recover(); v != nil { // for who waits
					e.panic = &workers.Panic{Value: v, Stack: debug.Stack()}
				}
			}()
			e.rows, e.notes, e.err = gateRows(ctx, s, &mine, folder, sc, &o.Gates, e.known, nil)
		}()
	}
	return func() {
		if track.learnt = nil; o.early != nil {
			o.early.stop()
			<-o.early.done
			o.early = nil
		}
	}
}

// gates compares gates, see gateRows, unless that is under way.
func (o *ScoreOptions) gates(ctx context.Context, s *cli.Session, track *TrackOptions, folder *runfolder.Folder, sc *Scene, known *association.Result) ([]GateRow, error) {
	var rows []GateRow
	var notes []string
	var err error
	if e := o.early; e != nil {
		if <-e.done; e.panic != nil {
			panic(e.panic)
		}
		rows, notes, err = e.rows, e.notes, e.err
	} else {
		line := s.StartProgress(ctx, "gates", len(o.Gates.list()))
		defer line.Done()
		rows, notes, err = gateRows(ctx, s, track, folder, sc, &o.Gates, known, line)
	}
	for _, note := range notes {
		s.Note("%s", note)
	}
	return rows, err
}

// list is the gates.
func (l *gateList) list() []float64 {
	if l.auto {
		return defaultGates
	}
	return l.sizes
}

// gateRows tracks the scene once for each gate, a factor on what a target can
// reach, and scores the links. Known is an earlier result for the scene, whose
// levels hold for all gates; nil has them estimated first. Notes say what was not compared.
func gateRows(ctx context.Context, s *cli.Session, o *TrackOptions, folder *runfolder.Folder, sc *Scene, gates *gateList, known *association.Result,
	line *cli.Progress) (rows []GateRow, notes []string, err error) {
	opts, err := o.Association(&folder.Meta, s.Common.Workers)
	if err != nil {
		return nil, nil, err
	}
	sizes := gates.list()
	if gates.auto {
		opts.MemoryLimit = smallGate
		opts.Dual.Effort = -1 // a search would take half of the time of the gate that loses links, of which it moved a few in two scenes of twelve
	}
	if opts.Engine == association.GNN && len(sizes) > 0 {
		return nil, []string{"--gates: the engine gnn chooses its own gate, there is nothing to compare"}, nil
	}
	if known == nil && len(sizes) > 0 {
		if known, err = association.Build(ctx, sc.Scans, opts); err != nil {
			return nil, nil, TrackFault(err)
		}
	}
	at := 1 // as many gates at once: those that may be large one by one, with all workers
	if gates.auto {
		cores := workers.Count(s.Common.Workers)
		at, opts.Workers = min(cores, len(sizes)), max(1, cores/len(sizes))
	}
	rows = make([]GateRow, len(sizes))
	faults := make([]error, len(sizes))
	var done atomic.Int64
	workers.Each(at, len(sizes), func(_, job int) {
		k := job
		if at > 1 && job%2 == 0 { // the largest takes long, and so does the smallest, which loses links
			k = len(sizes) - 1 - job/2
		} else if at > 1 {
			k = job / 2
		}
		rows[k], faults[k] = TrackGate(ctx, sc, opts, known, sizes[k])
		line.Set(int(done.Add(1)), "")
	})
	for k, err := range faults {
		if large, ok := errors.AsType[*gating.TooLargeError](err); ok && gates.auto {
			return rows[:k], []string{fmt.Sprintf("not compared: disc:%v with %.2g triplets; --gates asks for it", sizes[k], float64(large.Triplets))}, nil
		}
		if err != nil {
			return nil, nil, TrackFault(err)
		}
	}
	return rows, nil, nil
}

// TrackGate tracks the scene with a disc of the given factor, with the levels of
// an earlier result, and scores the links.
func TrackGate(ctx context.Context, sc *Scene, opts *association.Options, known *association.Result, factor float64) (GateRow, error) {
	o := *opts
	o.MaxSpeed, o.Gate = known.MaxSpeed, gating.Disc{Epsilon: factor}
	if known.Levels != nil {
		o.Levels, o.Sigma, o.SigmaV, o.Accel, o.Rates, o.Motion, o.Sensors = known.Levels, 0, 0, 0, nil, nil, nil
	}
	began := time.Now()
	res, err := association.Track(ctx, sc.Scans, &o)
	if err != nil {
		return GateRow{}, err
	}
	seconds := time.Since(began).Seconds()
	report, err := Links(ctx, sc.Truth, res.Tracks)
	if err != nil {
		return GateRow{}, err
	}
	return GateRow{
		Gate: factor, ITCP: report.ITCP, MMEP: report.MMEP,
		Triplets: res.Instance.Triplets(), Seconds: seconds,
	}, nil
}

// Links scores the links of tracks.
func Links(ctx context.Context, truth, tracks []mtt.Track) (*metrics.Report, error) {
	return metrics.ScoreContext(ctx, truth, tracks, &metrics.Options{Only: metrics.Links})
}

// gateRecords are the rows as they are printed, or, without their times, kept in
// score.json, which is equal whenever it is made from equal input.
func gateRecords(rows []GateRow, times bool) []cli.Record {
	records := make([]cli.Record, len(rows))
	for i, row := range rows {
		records[i] = cli.Record{
			{Key: "gate", Value: row.Gate}, {Key: "itcp", Value: row.ITCP, Unit: "%"}, {Key: "mmep", Value: row.MMEP, Unit: "%"},
			{Key: "triplets", Value: row.Triplets},
		}
		if times {
			records[i].Add("seconds", row.Seconds)
		}
	}
	return records
}

// gatingFigure draws the rows.
func gatingFigure(title string, rows []GateRow) *plots.Figure {
	points := make([]plots.GateRow, len(rows))
	for i, row := range rows {
		points[i] = plots.GateRow{
			Method: "mtt", Gate: row.Gate, MMEP: row.MMEP, ITCP: row.ITCP, Triplets: int64(row.Triplets),
		}
	}
	return plots.GatingSensitivity(title, "gate, factor on what a target can reach", points)
}
