package bench

// This file measures the solver of dense assignment problems.

import (
	"context"
	"fmt"
	"io"
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

// benchLap solves every case once for every seed. Seconds are those of the
// processor, the median over seeds; rows are means. Elsewhere is the fastest public
// solver on a machine that peers/dense.csv names.
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
			write := func(w io.Writer) error { return npz.Encode(w, m.Cost, m.Rows, m.Cols) }
			if err := save(b, c.class, c.n, i, "npy", write); err != nil {
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
		peer := fastestPeer(densePeers, "mtt", c.class, c.n)
		rows = append(rows, cli.Record{
			{Key: "class", Value: c.class}, {Key: "n", Value: c.n},
			{Key: "start", Value: startNames(starts)},
			{Key: "start_rows", Value: int(start.Average())}, {Key: "search_rows", Value: int(searched.Average())},
			{Key: "duality_gap", Value: slices.Max(gap), Digits: 2},
			{Key: "cpu", Value: seconds.Median(), Unit: "s", Digits: 2},
			{Key: "elsewhere", Value: peer.name}, {Key: "elsewhere_cpu", Value: peer.time, Unit: "s", Digits: 3},
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

// save writes the problem of the ith seed for other programs, where a folder for that is named.
func save(b *measure.Run, class string, n, i int, kind string, write func(w io.Writer) error) error {
	if b.Save == "" {
		return nil
	}
	name := fmt.Sprintf("%s-%d-seed%d.%s", strings.ReplaceAll(class, " ", "-"), n, b.First+uint64(i), kind)
	if err := os.MkdirAll(b.Save, 0o777); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(b.Save, name))
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
