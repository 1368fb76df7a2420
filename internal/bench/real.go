package bench

// This file measures accuracy on recorded pedestrians.

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"mtt/association"
	"mtt/dataset"
	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/metrics"
)

// A realCase is one recording, with the values to reach.
type realCase struct {
	name  string
	files []string // below the data folder; detections, perhaps truth
	read  dataset.Options
	mmep  float64 // %; 0: no bar
}

// realCases use positions only. Noise is added where the recording has next to
// none; those cases are measured for every seed.
var realCases = []realCase{
	{"HERMES bo-360-090-090", []string{"hermes/bo-360-090-090.txt"}, dataset.Options{Every: 8, Noise: 0.02, NoVelocity: true}, 15},
	{"HERMES bot-300-065-065", []string{"hermes/bot-300-065-065.txt"}, dataset.Options{Every: 8, Noise: 0.02, NoVelocity: true}, 8},
	{"HERMES uo-050-180-180", []string{"hermes/uo-050-180-180.txt"}, dataset.Options{Every: 8, Noise: 0.02, NoVelocity: true}, 0},
	{"UCY zara01", []string{"pedestrians/zara01/obsmat.txt"}, dataset.Options{NoVelocity: true}, 0.04},
	{"ETH seq_eth", []string{"pedestrians/seq_eth/obsmat.txt"}, dataset.Options{NoVelocity: true}, 0.45},
	{"TUD-Campus", []string{"mot15/TUD-Campus/det/det.txt", "mot15/TUD-Campus/gt/gt.txt"}, dataset.Options{}, 0},
	{"TUD-Stadtmitte", []string{"mot15/TUD-Stadtmitte/det/det.txt", "mot15/TUD-Stadtmitte/gt/gt.txt"}, dataset.Options{}, 0},
	{"PETS09-S2L1", []string{"mot15/PETS09-S2L1/det/det.txt", "mot15/PETS09-S2L1/gt/PETS2009-S2L1.xml"}, dataset.Options{}, 0},
}

// benchReal tracks every recording that is there with every method. On detections
// with clutter the bars are what gnn reaches.
func benchReal(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	if !cli.IsFolder(b.Data) {
		return nil, cli.Usagef("there is no folder %s", b.Data).Hinted("--data names the folder with hermes, pedestrians and mot15")
	}
	methods := []string{"dual", "dual, not refined", string(association.Greedy), string(association.GNN)}
	var rows []cli.Record
	for _, c := range realCases {
		if !b.Wants(c.name) {
			continue
		}
		files, missing := recording(b.Data, c.files)
		if missing != "" {
			b.Note("%s is left out: %s is not there", c.name, missing)
			continue
		}
		b.Step(c.name)
		runs := *b
		if c.read.Noise == 0 {
			runs.Seeds = 1
		}
		reports := make([][]*metrics.Report, runs.Seeds)
		err := runs.EachSeed(ctx, func(ctx context.Context, i int, seed uint64) (err error) {
			reports[i], err = c.measure(ctx, files, seed, methods)
			return err
		})
		if err != nil {
			return rows, err
		}
		scores := make([]realScore, len(methods))
		for m := range methods {
			scores[m] = meanScore(reports, m)
		}
		for m, method := range methods {
			limit := realScore{mota: math.NaN(), idf1: math.NaN()}
			if method == string(association.Dual) {
				limit = scores[len(methods)-1] // the last method is gnn
				limit.mmep = c.mmep
			}
			rows = append(rows, append(cli.Record{
				{Key: "recording", Value: c.name}, {Key: "method", Value: method}, {Key: "runs", Value: runs.Seeds},
			}, scores[m].fields(&limit)...))
		}
	}
	return rows, nil
}

// A realScore holds means over runs, %.
type realScore struct{ mmep, itcp, mota, idf1 float64 }

// meanScore is the mean of the reports of one method; reports[i][m] is that of run
// i. Where everything is detected MOTA and IDF1 say little and are left out.
func meanScore(reports [][]*metrics.Report, m int) realScore {
	var s realScore
	n := float64(len(reports))
	for _, of := range reports {
		r := of[m]
		s.mmep += r.MMEP / n
		s.itcp += r.ITCP / n
		s.mota += r.MOTA / n
		s.idf1 += r.IDF1 / n
		if r.Measure == "euclidean" {
			s.mota, s.idf1 = math.NaN(), math.NaN()
		}
	}
	return s
}

// fields are the means with the values to reach.
func (s *realScore) fields(limit *realScore) []cli.Field {
	return []cli.Field{
		{Key: "mmep", Value: s.mmep, Digits: 3}, measure.Bar("mmep", limit.mmep), {Key: "itcp", Value: s.itcp, Digits: 3},
		{Key: "mota", Value: s.mota, Digits: 3}, measure.Bar("mota", limit.mota),
		{Key: "idf1", Value: s.idf1, Digits: 3}, measure.Bar("idf1", limit.idf1),
	}
}

// recording are the paths of files below the data folder, or the first that is missing.
func recording(data string, names []string) (files []string, missing string) {
	for _, f := range names {
		f = filepath.Join(data, filepath.FromSlash(f))
		if _, err := os.Stat(f); err != nil {
			return nil, f
		}
		files = append(files, f)
	}
	return files, ""
}

// measure reads the files and scores the tracks of every method.
func (c *realCase) measure(ctx context.Context, files []string, seed uint64, methods []string) ([]*metrics.Report, error) {
	o := c.read
	o.Seed = seed
	data, err := dataset.Read(files, &o)
	if err != nil {
		return nil, cli.BadInput(err)
	}
	opts := association.Options{Sigma: o.Noise, Workers: 1}
	found, err := trackAll(ctx, data.Scans, opts, methods)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	reports := make([]*metrics.Report, len(methods))
	for m, tracks := range found {
		reports[m], err = metrics.ScoreContext(ctx, data.Truth, tracks, &metrics.Options{
			Only: metrics.Links | metrics.CLEAR | metrics.Identity,
		})
		if err != nil {
			return nil, err
		}
	}
	return reports, nil
}
