package lapfile

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"

	"mtt/mapsolver"
)

// This file writes problems in formats of others.

// Square is p with its miss costs written out: a column of its own for each row
// that may stay free at a cost, after the columns of p, so that every row is
// served and columns stay free at no cost. Columns must stay free at no cost in
// p, too, else it panics.
//
// This is the layout of the assignment problems of tracking filters, where the
// added columns are new targets.
func Square(p *mapsolver.Problem) *mapsolver.Problem {
	for c := range p.Cols {
		if p.ColBound(c) != 0 {
			panic("lapfile: a column does not stay free at no cost")
		}
	}
	q := &mapsolver.Problem{Rows: p.Rows, Cols: p.Cols + p.Rows, Ptr: make([]int, 1, p.Rows+1)}
	q.ColMiss = make([]float64, q.Cols)
	for r := range p.Rows {
		q.Col = append(q.Col, p.Col[p.Ptr[r]:p.Ptr[r+1]]...)
		q.Cost = append(q.Cost, p.Cost[p.Ptr[r]:p.Ptr[r+1]]...)
		if !p.MustServeRow(r) {
			q.Col, q.Cost = append(q.Col, int32(p.Cols+r)), append(q.Cost, p.RowBound(r))
		}
		q.Ptr = append(q.Ptr, len(q.Col))
	}
	return q
}

// Quantise replaces the costs of p, in place, by whole numbers from −255 to −1:
// rewards of one byte, the least cost becoming the reward 255 and the greatest 1.
// With a single cost it becomes 255.
func Quantise(p *mapsolver.Problem) {
	least, most := math.Inf(1), math.Inf(-1)
	for _, x := range p.Cost {
		least, most = min(least, x), max(most, x)
	}
	for e, x := range p.Cost {
		reward := 255.0
		if most > least {
			reward = 255 - math.Round(254*((x-least)/(most-least)))
		}
		p.Cost[e] = -reward
	}
}

// WriteRewards writes p as a table of rewards, the negatives of its costs, with 0
// where a pair is forbidden: read it with Maximize and ForbiddenZero. A cost of 0
// is an error. Misses are not written.
func WriteRewards(w io.Writer, p *mapsolver.Problem) error {
	b := bufio.NewWriter(w)
	var word []byte
	for r := range p.Rows {
		e := p.Ptr[r]
		for c := range p.Cols {
			if c > 0 {
				b.WriteByte(',')
			}
			word = append(word[:0], '0')
			if e < p.Ptr[r+1] && p.Col[e] == int32(c) {
				if p.Cost[e] == 0 {
					return fmt.Errorf("lapfile: row %d, column %d: a reward of 0 would read as a forbidden pair", r, c)
				}
				word = strconv.AppendFloat(word[:0], -p.Cost[e], 'g', -1, 64)
				e++
			}
			b.Write(word)
		}
		b.WriteByte('\n')
	}
	return b.Flush()
}

// WriteMatrixMarket writes the entries of p by coordinates, from 1. Misses are not
// written.
func WriteMatrixMarket(w io.Writer, p *mapsolver.Problem) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", p.Rows, p.Cols, len(p.Col))
	var line []byte
	for r := range p.Rows {
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			line = strconv.AppendInt(line[:0], int64(r+1), 10)
			line = strconv.AppendInt(append(line, ' '), int64(p.Col[e])+1, 10)
			line = strconv.AppendFloat(append(line, ' '), p.Cost[e], 'g', -1, 64)
			b.Write(append(line, '\n'))
		}
	}
	return b.Flush()
}
