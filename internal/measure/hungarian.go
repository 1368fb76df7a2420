package measure

// This file measures the Hungarian method in the forms of the papers.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"mtt/internal/cli"
	"mtt/internal/usage"
	"mtt/mapsolver"
	"mtt/mapsolver/auction"
	"mtt/mapsolver/cuda"
	"mtt/mapsolver/hungarian"
	"mtt/mapsolver/lapgen"
	"mtt/mapsolver/ssp"
)

// HungarianCosts are the costs on which the papers compare: integers from 0 to a number of
// times n, as Lopes et al. have them, and reals below 1000n, as Kawtikwar et al.
var HungarianCosts = []string{"0.1n", "n", "10n", "1000n", "reals"}

// hungarianProblem is a full square problem of n rows with such costs.
func hungarianProblem(n int, costs string, seed uint64) (*mapsolver.Problem, error) {
	times := map[string]float64{"0.1n": 0.1, "n": 1, "10n": 10, "1000n": 1000}[costs]
	if costs != "reals" {
		return mapsolver.Dense(n, n, lapgen.Integers(n, int(times*float64(n)), seed))
	}
	rng := rand.New(rand.NewPCG(seed, 16))
	cost := make([]float64, n*n)
	for e := range cost {
		cost[e] = 1000 * float64(n) * rng.Float64()
	}
	return mapsolver.Dense(n, n, cost)
}

// A HungarianTime is what a form takes for problems of a size and kind of costs.
type HungarianTime struct {
	N      int
	Costs  string
	Form   string
	Millis float64    // the median over seeds
	Step   [6]float64 // milliseconds of each of Munkres' steps; 0 where they are not known
}

// Record is the row of a table.
func (h *HungarianTime) Record() cli.Record {
	r := cli.Record{
		{Key: "n", Value: h.N}, {Key: "costs", Value: h.Costs}, {Key: "form", Value: h.Form},
		{Key: "ms", Value: h.Millis, Digits: 3},
	}
	for k, x := range h.Step {
		r = append(r, cli.Field{Key: fmt.Sprintf("step%d", k+1), Value: x, Digits: 3})
	}
	return r
}

// hostForms are the methods of the processor, by the names that --solver takes.
var hostForms = map[string]func() mapsolver.Solver{
	"hungarian-classic": func() mapsolver.Solver { return &hungarian.Solver{Method: hungarian.Classic} },
	"hungarian":         func() mapsolver.Solver { return new(hungarian.Solver) },
	"ssp":               func() mapsolver.Solver { return new(ssp.Solver) },
	"auction":           func() mapsolver.Solver { return new(auction.Solver) },
}

// HostSolver makes a solver of the processor with which the papers compare, by the name that
// --solver takes: one of the Hungarian method, ssp or auction.
func HostSolver(name string) mapsolver.Solver { return hostForms[name]() }

// cardForms are the forms that run on a card: some that take less or more of Lopes et al., and
// all by their names.
var cardForms = func() []cardForm {
	list := []cardForm{
		{"lopes, one sweep", cuda.Hungarian{Step4: cuda.OneSweep}}, // blocks meet after each sweep over the zeros
		{"lopes, A", cuda.Hungarian{Step4: cuda.RowsShared}},       // appendix B
		{"lopes, B", cuda.Hungarian{Step4: cuda.RowPicks}},
		{"lopes, C", cuda.Hungarian{Step4: cuda.RowPicksShared}},
		{"lopes, bins of 64", cuda.Hungarian{Columns: 64}}, // eight times as many blocks sweep
	}
	for f := cuda.Lopes; f <= cuda.DateNagi; f++ {
		list = append(list, cardForm{f.String(), cuda.Hungarian{Form: f}})
	}
	return list
}()

type cardForm struct {
	name   string
	solver cuda.Hungarian
}

// CardForms are the names of the forms that run on a card.
func CardForms() []string {
	var list []string
	for i := range cardForms {
		list = append(list, cardForms[i].name)
	}
	return list
}

// Hungarian measures a form, named as in [CardForms] or as --solver names a method of the
// processor, on the problems of all seeds. Times of a card are by the clock and without the
// copy of the costs; those of methods of the processor are its time. The answers are certified.
func Hungarian(ctx context.Context, b *Run, n int, costs, form string) (*HungarianTime, error) {
	h := &HungarianTime{N: n, Costs: costs, Form: form}
	var card *cuda.Hungarian
	var solver mapsolver.Solver
	if host := hostForms[form]; host != nil {
		solver = host()
	} else {
		i := slices.Index(CardForms(), form)
		if i < 0 {
			return nil, fmt.Errorf("there is no form %s", form)
		}
		card = &cuda.Hungarian{Form: cardForms[i].solver.Form, Step4: cardForms[i].solver.Step4, Columns: cardForms[i].solver.Columns}
		solver = card
		defer card.Free()
	}
	var millis Series
	var step [6]Series
	for i := range b.Seeds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, err := hungarianProblem(n, costs, b.First+uint64(i))
		if err != nil {
			return nil, err
		}
		var s mapsolver.Solution
		if card != nil && i == 0 { // loads the kernels
			if err := card.Solve(ctx, &s, p, nil); err != nil {
				return nil, err
			}
		}
		times := new(cuda.HungarianTimes)
		if card != nil {
			card.Times = times
		}
		var seconds [6]float64
		if c, ok := solver.(*hungarian.Solver); ok {
			c.Steps = &seconds
		}
		began := usage.CPUSeconds()
		if err := solver.Solve(ctx, &s, p, nil); err != nil {
			return nil, err
		}
		took := 1e3 * (usage.CPUSeconds() - began)
		if card != nil {
			took = 1e3 * times.Run.Seconds()
		}
		if card != nil && s.Stats != (mapsolver.Stats{}) {
			b.Note("%s, n = %d, costs %s: the host had to finish what rounding left", form, n, costs)
		}
		if _, err := mapsolver.Certify(p, &s); err != nil {
			return nil, fmt.Errorf("%s, n = %d, costs %s: %w", form, n, costs, err)
		}
		millis = append(millis, took)
		for k := range step {
			step[k] = append(step[k], 1e3*(seconds[k]+times.Step[k].Seconds()))
		}
	}
	h.Millis = millis.Median()
	for k := range step {
		h.Step[k] = step[k].Median()
	}
	return h, nil
}
