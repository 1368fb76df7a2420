package bench

// This file measures the solver of dense assignment problems.

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/npz"
	"mtt/internal/usage"
	"mtt/mapsolver"
	"mtt/mapsolver/dense"
	"mtt/mapsolver/lapgen"
)

// A lapCase is one kind of square matrices at one size.
type lapCase struct {
	class string
	n     int
	cost  func(n int, seed uint64) []float64
}

// lapCases are the classes of Algorithm 1015 at three sizes, and integers, from 0
// to a multiple of n, at two.
func lapCases() []lapCase {
	var list []lapCase
	for _, n := range []int{1000, 2000, 4000} {
		for _, class := range lapgen.Classes() {
			list = append(list, lapCase{class.Name, n, class.Cost})
		}
	}
	for _, n := range []int{1024, 4096} {
		for _, tenths := range []int{1, 10, 100, 10_000} {
			list = append(list, lapCase{
				fmt.Sprintf("integers to %gn", float64(tenths)/10), n,
				func(n int, seed uint64) []float64 { return lapgen.Integers(n, n*tenths/10, seed) },
			})
		}
	}
	return list
}

// A lapPeer is the fastest of the public solvers that were measured side by side
// with ours, and its processor time: docs/benchmarks.md says which they are and
// how that was done.
type lapPeer struct {
	name    string
	seconds float64
}

// lapPeers are the peers by class and size.
var lapPeers = map[string]map[int]lapPeer{
	"random":            {1000: {"Algorithm 1015", 0.0426}, 2000: {"Algorithm 1015", 0.192}, 4000: {"Algorithm 1015", 0.837}},
	"geometric":         {1000: {"Algorithm 1015", 0.0689}, 2000: {"Algorithm 1015", 0.297}, 4000: {"Algorithm 1015", 1.96}},
	"disjoint":          {1000: {"Algorithm 1015", 0.114}, 2000: {"Algorithm 1015", 0.606}, 4000: {"Algorithm 1015", 2.46}},
	"sanity":            {1000: {"lap", 0.00306}, 2000: {"lap", 0.0113}, 4000: {"lap", 0.037}},
	"rank 1":            {1000: {"Algorithm 1015", 0.0158}, 2000: {"Algorithm 1015", 0.0637}, 4000: {"Algorithm 1015", 0.241}},
	"rank 2":            {1000: {"Algorithm 1015", 0.165}, 2000: {"Algorithm 1015", 0.587}, 4000: {"Algorithm 1015", 2.47}},
	"rank 4":            {1000: {"auction-solver", 0.0896}, 2000: {"auction-solver", 0.376}, 4000: {"auction-solver", 1.93}},
	"rank 8":            {1000: {"Algorithm 1015", 0.0943}, 2000: {"auction-solver", 0.223}, 4000: {"Algorithm 1015", 2.02}},
	"integers to 0.1n":  {1024: {"lap", 0.00828}, 4096: {"lap", 0.133}},
	"integers to 1n":    {1024: {"lap", 0.0142}, 4096: {"lap", 0.404}},
	"integers to 10n":   {1024: {"lap", 0.0165}, 4096: {"lap", 0.496}},
	"integers to 1000n": {1024: {"lap", 0.0151}, 4096: {"lap", 0.584}},
}

// benchLap solves every case once for every seed. Seconds are those of the
// processor, the median over seeds; rows are means.
func benchLap(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var solver dense.Solver
	var s mapsolver.Solution
	var rows []cli.Record
	for _, c := range lapCases() {
		if !b.HasSize(c.n) {
			continue
		}
		b.Step(fmt.Sprintf("%s, n = %d", c.class, c.n))
		var seconds, start, searched, gap measure.Series
		starts := make(map[dense.Start]bool)
		for i := range b.Seeds {
			n := b.RowsOf(c.n)
			m := dense.NewMatrix(n, n, c.cost(n, b.First+uint64(i)))
			if err := saveMatrix(b, &c, i, m); err != nil {
				return rows, err
			}
			runtime.GC() // what was left behind is not this solve's
			began := usage.CPUSeconds()
			if err := solver.Solve(ctx, &s, m, nil); err != nil {
				return rows, err
			}
			seconds = append(seconds, usage.CPUSeconds()-began)
			left, err := dense.Certify(m, &s)
			if err != nil {
				return rows, fmt.Errorf("%s, n = %d: %w", c.class, c.n, err)
			}
			work := solver.Work()
			starts[work.Start] = true
			start, searched, gap = append(start, float64(work.StartRows)), append(searched, float64(work.SearchRows)), append(gap, left)
		}
		peer := lapPeers[c.class][c.n]
		median := seconds.Median()
		rows = append(rows, cli.Record{
			{Key: "class", Value: c.class}, {Key: "n", Value: c.n},
			{Key: "start", Value: startNames(starts)},
			{Key: "start_rows", Value: int(start.Average())}, {Key: "search_rows", Value: int(searched.Average())},
			{Key: "duality_gap", Value: slices.Max(gap), Digits: 2},
			{Key: "cpu", Value: median, Unit: "s", Digits: 2},
			{Key: "peer", Value: peer.name}, {Key: "peer_cpu", Value: orMissing(peer.seconds), Unit: "s", Digits: 2},
			{Key: "ratio", Value: orMissing(peer.seconds) / median, Digits: 2},
		})
	}
	return rows, nil
}

// startNames are the starts that were taken, one for most cases.
func startNames(starts map[dense.Start]bool) string {
	var names []string
	for s := range starts {
		names = append(names, s.String())
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// orMissing is x, or NaN for 0.
func orMissing(x float64) float64 {
	if x == 0 {
		return math.NaN()
	}
	return x
}

// saveMatrix writes the matrix of the ith seed as .npy, where a folder for that is
// named.
func saveMatrix(b *measure.Run, c *lapCase, i int, m *dense.Matrix) error {
	if b.Save == "" {
		return nil
	}
	name := fmt.Sprintf("%s-%d-seed%d.npy", strings.ReplaceAll(c.class, " ", "-"), c.n, b.First+uint64(i))
	if err := os.MkdirAll(b.Save, 0o777); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(b.Save, name))
	if err != nil {
		return err
	}
	if err := npz.Encode(f, m.Cost, m.Rows, m.Cols); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
