package bench

// This file measures the solver of sparse assignment problems.

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"

	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/usage"
	"mtt/mapsolver"
	"mtt/mapsolver/lapfile"
	"mtt/mapsolver/lapgen"
	"mtt/mapsolver/ssp"
)

// A sparseCase is one kind of sparse problems at one size.
type sparseCase struct {
	kind string
	n    int
	make func(n int, seed uint64) *mapsolver.Problem
}

// sparseCases are random problems of 600 rows, large ones, and those of
// tracking.
func sparseCases() []sparseCase {
	random := func(k, levels int) func(int, uint64) *mapsolver.Problem {
		return func(n int, seed uint64) *mapsolver.Problem { return lapgen.Sparse(n, min(k, n), levels, seed) }
	}
	tracking := func(n int, seed uint64) *mapsolver.Problem { return lapgen.Tracking(n, 6, 0.3, seed) }
	return []sparseCase{
		{"random, 6 a row", 600, random(6, 0)},
		{"random, 12 a row", 600, random(12, 0)},
		{"random, 60 a row", 600, random(60, 0)},
		{"random, 120 a row", 600, random(120, 0)},
		{"random, 180 a row", 600, random(180, 0)},
		{"integers, 6 a row", 600, random(6, 1000)},
		{"integers, 12 a row", 600, random(12, 1000)},
		{"integers, 60 a row", 600, random(60, 1000)},
		{"integers, 120 a row", 600, random(120, 1000)},
		{"integers, 180 a row", 600, random(180, 1000)},
		{"random, 8 a row", 10_000, random(8, 0)},
		{"random, 8 a row", 100_000, random(8, 0)},
		{"tracking", 1000, tracking},
		{"tracking", 10_000, tracking},
		{"tracking", 100_000, tracking},
	}
}

// benchLapSparse solves every case for every seed, from nothing and then again
// from the answer with costs that have changed by one in a hundred. Seconds are
// those of the processor; they and the counts are means over seeds.
//
// The problems of a case are solved in turn: processors learn the branches that a
// problem of 1000 rows takes by heart when it comes again and again, and would be
// twice as fast as they are for who solves each problem once.
func benchLapSparse(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var rows []cli.Record
	for _, c := range sparseCases() {
		n := c.n
		if b.Targets > 0 {
			n = b.Targets
		}
		b.Step(fmt.Sprintf("%s, n = %d", c.kind, n))
		r, err := measureSparse(ctx, b, &c, n)
		if err != nil {
			return rows, fmt.Errorf("%s, n = %d: %w", c.kind, n, err)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// measureSparse solves the problems of one case.
func measureSparse(ctx context.Context, b *measure.Run, c *sparseCase, n int) (cli.Record, error) {
	var solver ssp.Solver
	problems := make([]*mapsolver.Problem, b.Seeds)
	answers := make([]mapsolver.Solution, b.Seeds)
	for i := range problems {
		problems[i] = c.make(n, b.First+uint64(i))
		write := func(w io.Writer) error { return lapfile.WriteMatrixMarket(w, problems[i]) }
		if err := save(b, c.kind, c.n, i, "mtx", write); err != nil {
			return nil, err
		}
	}
	cold, err := secondsInTurn(len(problems), func(i int) error {
		return solver.Solve(ctx, &answers[i], problems[i], nil)
	})
	if err != nil {
		return nil, err
	}

	gap := 0.0
	entries, scanned, bids := 0, 0, 0
	hints, prices := make([][]int32, b.Seeds), make([]mapsolver.Duals, b.Seeds)
	for i, p := range problems {
		s := &answers[i]
		left, err := mapsolver.Certify(p, s)
		if err != nil {
			return nil, err
		}
		gap = max(gap, left)
		entries, scanned, bids = entries+len(p.Col), scanned+s.Stats.RowsScanned, bids+s.Stats.Bids
		hints[i], prices[i].V = slices.Clone(s.ColOf), slices.Clone(s.V)
		for e := range p.Cost {
			p.Cost[e] *= 1 + 0.01*math.Sin(float64(e))
		}
	}
	warm, err := secondsInTurn(len(problems), func(i int) error {
		copy(answers[i].ColOf, hints[i])
		return solver.Solve(ctx, &answers[i], problems[i], &prices[i])
	})
	if err != nil {
		return nil, err
	}
	peer := fastestPeer(sparsePeers, "ssp", c.kind, c.n)
	return cli.Record{
		{Key: "problem", Value: c.kind}, {Key: "n", Value: n},
		{Key: "nnz", Value: entries / b.Seeds},
		{Key: "rows_scanned", Value: scanned / b.Seeds}, {Key: "bids", Value: bids / b.Seeds},
		{Key: "duality_gap", Value: gap, Digits: 2},
		{Key: "cpu_ms", Value: 1e3 * cold, Digits: 3}, {Key: "warm_cpu_ms", Value: 1e3 * warm, Digits: 3},
		{Key: "elsewhere", Value: peer.name}, {Key: "elsewhere_cpu_ms", Value: peer.time, Digits: 3},
	}, nil
}

// secondsInTurn is the mean processor time of solve(i) for i below n, in turn, as
// often as it takes for the clock of the processor to tell well. What the first
// turn needs to make room is not counted.
func secondsInTurn(n int, solve func(i int) error) (float64, error) {
	const enough = 0.02 // s, for each
	turn := func() error {
		for i := range n {
			if err := solve(i); err != nil {
				return err
			}
		}
		return nil
	}
	if err := turn(); err != nil {
		return 0, err
	}
	runtime.GC() // what was left behind is not theirs
	for turns := 1; ; turns *= 4 {
		began := usage.CPUSeconds()
		for range turns {
			if err := turn(); err != nil {
				return 0, err
			}
		}
		if x := usage.CPUSeconds() - began; x > enough*float64(n) || !(x >= 0) || turns > 1e5 {
			return x / float64(turns*n), nil
		}
	}
}
