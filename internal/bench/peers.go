package bench

// This file knows how long other programs took, on a machine that it names: numbers
// kept as data, which no run here is divided by.

import (
	_ "embed"
	"encoding/csv"
	"math"
	"strconv"
	"strings"
)

var (
	//go:embed peers/dense.csv
	densePeers string
	//go:embed peers/sparse.csv
	sparsePeers string
)

// A peer is the fastest of the programs that were measured on a kind of problems.
type peer struct {
	name string
	time float64 // in the unit of its table; NaN: none was measured
}

// fastestPeer is the fastest of a table for a class of problems at one size. Columns
// whose names begin with ours are those of mtt in the same session.
func fastestPeer(table, ours, class string, n int) peer {
	r := csv.NewReader(strings.NewReader(table))
	r.Comment = '#'
	lines, err := r.ReadAll()
	if err != nil {
		panic("bench: a table of peers is no CSV: " + err.Error())
	}
	best := peer{time: math.NaN()}
	for _, line := range lines[1:] {
		if line[0] != class || line[1] != strconv.Itoa(n) {
			continue
		}
		for k, name := range lines[0][2:] {
			x, err := strconv.ParseFloat(line[2+k], 64)
			if err == nil && !strings.HasPrefix(name, ours) && !(best.time <= x) {
				best = peer{name, x}
			}
		}
	}
	return best
}
