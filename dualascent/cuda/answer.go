package cuda

import (
	"context"
	"fmt"

	"mtt/internal/cuda"
)

// This file holds what an Ascent proves, and its answers.

// Prove adds up afresh, in float64, what the multipliers on the card prove: it is
// [dualascent.Bound] of [Ascent.Prices], computed there, and depends on no solver
// being right.
func (a *Ascent) Prove() (float64, error) { return a.sum("prove") }

// sum runs a kernel that leaves a part of a sum at each node, and adds up.
func (a *Ascent) sum(kernel string) (float64, error) {
	if err := a.onBlocks(kernel, 0); err != nil {
		return 0, err
	}
	terms := make([]float64, a.size.nodes)
	if err := cuda.Read(a.stream, terms, a.model.term); err != nil {
		return 0, err
	}
	var sum, frame float64
	for i, x := range terms {
		frame += x
		if i%256 == 255 { // keeps rounding small
			sum, frame = sum+frame, 0
		}
	}
	return sum + frame, nil
}

// Answer makes the matchings of the last pass an answer and improves it: each gap is
// matched again with the others left as they are, until most sweeps over all
// gaps are done or one gains nothing. It returns what the answer costs;
// [Ascent.Next] reads it. The next pass is not disturbed.
func (a *Ascent) Answer(ctx context.Context, most int) (cost float64, err error) {
	for colour := range 2 {
		if err := a.onNodes("take", colour, 0); err != nil {
			return 0, err
		}
	}
	if cost, err = a.sum("charge"); err != nil {
		return 0, err
	}
	for sweep := range most {
		if err := ctx.Err(); err != nil {
			return cost, fmt.Errorf("dualascent/cuda: %w", err)
		}
		for colour := range 2 {
			if err := a.rematch(colour, sweep > 0); err != nil {
				return cost, err
			}
		}
		better, err := a.sum("charge")
		if err != nil {
			return cost, err
		}
		gain := cost - better
		cost = better
		if !(gain > 1e-12*magnitude(cost)) {
			break
		}
	}
	return cost, nil
}

func magnitude(x float64) float64 { return max(x, -x) }

// rematch matches the gaps of a colour again, from the prices of the last time if it
// was warm.
func (a *Ascent) rematch(colour int, warm bool) error {
	if a.gapsOf(colour) == 0 {
		return nil
	}
	if err := a.onBlocks("reprice", colour); err != nil {
		return err
	}
	if err := a.match(colour, warm, false); err != nil {
		return err
	}
	return a.onNodes("take", colour, 1)
}

// Next is the answer of the last [Ascent.Answer]: Next[p][i] is the arc of gap p that
// leaves node i, counted in its gap; -1: none.
func (a *Ascent) Next() ([][]int32, error) {
	n := &a.size
	first, out, next := make([]int32, n.frames+1), make([]int32, n.nodes+1), make([]int32, n.nodes)
	for _, list := range []struct {
		to   []int32
		from uintptr
	}{{first, a.model.first}, {out, a.model.out}, {next, a.model.next}} {
		if err := cuda.Read(a.stream, list.to, list.from); err != nil {
			return nil, err
		}
	}
	answer := make([][]int32, a.Gaps())
	for p := range answer {
		from, to := first[p], first[p+1]
		answer[p] = next[from:to:to]
		for i, arc := range answer[p] {
			if arc >= 0 {
				answer[p][i] = arc - out[from]
			}
		}
	}
	return answer, nil
}
