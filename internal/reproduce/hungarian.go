package reproduce

// This file repeats the two papers on the Hungarian method on cards. Their tables are times, so
// ours differ from machine to machine: those of a card are measured where there is one, else
// they are those that the program carries, with the machine and the date.

import (
	"context"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/mapsolver/cuda"
	"mtt/plots"
)

const (
	lopesSource = "P. Lopes, S. Yadav, A. Ilic, S. Patra. Fast block distributed CUDA implementation of the Hungarian algorithm. JPDC 130 (2019)"
	kcgSource   = "S. Kawtikwar, Y.-H. Chang, V. Govind. Improvements to the Hungarian LAP solver"
)

// What the papers show.
var (
	//go:embed published/lopes-table1.csv
	lopesTable1 string
	//go:embed published/kcg-table2.csv
	kcgTable2 string

	lopesTimes, kcgTimes = measure.ReadTable(lopesTable1), measure.ReadTable(kcgTable2)
)

//go:embed measured/hungarian-h100.csv
var hungarianH100 string

// carried are the times of a card that the program carries.
var carried = sync.OnceValue(func() []measure.HungarianTime {
	r := csv.NewReader(strings.NewReader(hungarianH100))
	r.Comment = '#'
	lines, err := r.ReadAll()
	if err != nil {
		panic("reproduce: the times of the card are no CSV: " + err.Error())
	}
	number := func(word string) float64 {
		x, err := strconv.ParseFloat(word, 64)
		if err != nil {
			panic("reproduce: the times of the card have no number at " + word)
		}
		return x
	}
	var list []measure.HungarianTime
	for _, line := range lines[1:] {
		h := measure.HungarianTime{N: int(number(line[0])), Costs: line[1], Form: line[2], Millis: number(line[3])}
		for k := range h.Step {
			h.Step[k] = number(line[4+k])
		}
		list = append(list, h)
	}
	return list
})

// A card measures where there is one, else looks up what the program carries.
type card struct {
	b    *measure.Run
	here bool
}

// newCard says once that there is none.
func newCard(b *measure.Run, instead string) *card {
	err := cuda.Available()
	if err != nil {
		b.Note("%v: times of one NVIDIA %s of 22 November 2026 stand for a card", err, instead)
	}
	return &card{b, err == nil}
}

// time is what a form takes; nil: nobody has measured that.
func (c *card) time(ctx context.Context, n int, costs, form string) (*measure.HungarianTime, error) {
	if c.here {
		return measure.Hungarian(ctx, c.b, c.b.RowsOf(n), costs, form)
	}
	for _, h := range carried() {
		if h.N == n && h.Costs == costs && h.Form == form {
			return &h, nil
		}
	}
	return nil, ctx.Err()
}

// millis is the time of all steps, NaN where nobody has measured it.
func (c *card) millis(ctx context.Context, n int, costs, form string) (float64, error) {
	h, err := c.time(ctx, n, costs, form)
	if err != nil || h == nil {
		return math.NaN(), err
	}
	return h.Millis, nil
}

// costsOf names integers from 0 to times·n.
func costsOf(times float64) string {
	if times == 1 {
		return "n"
	}
	return strconv.FormatFloat(times, 'g', -1, 64) + "n"
}

// mostClassic is the largest size at which the O(n⁴) method is measured when nobody asks for
// sizes.
const mostClassic = 1024

// reproduceLopesTable1 prints Tables 1, 2 and 4: the card, the processor, and their ratio.
func reproduceLopesTable1(ctx context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
	c := newCard(b, "H100")
	var rows []cli.Record
	panels := []plots.GrowthPanel{{Label: "card, ms"}, {Label: "processor, ms"}}
	kinds := map[string][2]*plots.Growth{}
	var order []string
	for _, row := range lopesTimes.Rows {
		n, costs := int(row[0]), costsOf(row[1])
		if !b.HasSize(n) {
			continue
		}
		b.Step(fmt.Sprintf("n = %d, costs to %s", n, costs))
		onCard, err := c.millis(ctx, n, costs, "lopes")
		if err != nil {
			return rows, nil, err
		}
		host := math.NaN()
		if n <= mostClassic || len(b.Sizes) > 0 {
			h, err := measure.Hungarian(ctx, b, b.RowsOf(n), costs, "hungarian-classic")
			if err != nil {
				return rows, nil, err
			}
			host = h.Millis
		}
		rows = append(rows, cli.Record{
			{Key: "n", Value: n}, {Key: "costs", Value: costs},
			{Key: "card_ms", Value: onCard, Digits: 3}, {Key: "gtx970_ms", Value: row[2]}, {Key: "k20c_ms", Value: row[4]},
			{Key: "processor_ms", Value: host, Digits: 3}, {Key: "c_ms", Value: row[3]},
			{Key: "speedup", Value: host / onCard, Digits: 3}, {Key: "speedup_published", Value: row[3] / row[2], Digits: 3},
		})
		if _, ok := kinds[costs]; !ok {
			kinds[costs] = [2]*plots.Growth{{Name: "costs to " + costs}, {Name: "costs to " + costs}}
			order = append(order, costs)
		}
		for k, pair := range [][2]float64{{onCard, row[2]}, {host, row[3]}} {
			g := kinds[costs][k]
			g.Measured = append(g.Measured, plots.Point{X: row[0], Y: pair[0]})
			g.Published = append(g.Published, plots.Point{X: row[0], Y: pair[1]})
		}
	}
	for _, costs := range order {
		for k := range panels {
			panels[k].Kinds = append(panels[k].Kinds, *kinds[costs][k])
		}
	}
	return rows, plots.GrowthOf("Hungarian method on a card and on a processor, after Lopes et al.", "rows and columns", panels), nil
}

//go:embed published/lopes-table3.csv
var lopesTable3 string

// lopesSpeedups are those of steps 1 to 6 and of all, for costs to n, by size.
var lopesSpeedups = measure.ReadTable(lopesTable3)

// reproduceLopesTable3 prints the time of each step on the processor over that on a card.
func reproduceLopesTable3(ctx context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
	c := newCard(b, "H100")
	var rows []cli.Record
	for _, row := range lopesSpeedups.Rows {
		n := int(row[0])
		if !b.HasSize(n) || n > mostClassic && len(b.Sizes) == 0 {
			continue
		}
		b.Step(fmt.Sprintf("n = %d", n))
		card, err := c.time(ctx, n, "n", "lopes")
		if err != nil {
			return rows, nil, err
		}
		host, err := measure.Hungarian(ctx, b, b.RowsOf(n), "n", "hungarian-classic")
		if err != nil {
			return rows, nil, err
		}
		if card == nil {
			continue
		}
		for k, published := range row[1:] {
			name, processor, onCard := "all", host.Millis, card.Millis
			if k < len(host.Step) {
				name, processor, onCard = fmt.Sprintf("step %d", k+1), host.Step[k], card.Step[k]
			}
			rows = append(rows, cli.Record{
				{Key: "n", Value: n}, {Key: "part", Value: name},
				{Key: "processor_ms", Value: processor, Digits: 3}, {Key: "card_ms", Value: onCard, Digits: 3},
				{Key: "speedup", Value: processor / onCard, Digits: 3}, {Key: "published", Value: published},
			})
		}
	}
	return rows, nil, nil
}

// hostMethods are those of Figures 4 and 5, the O(n⁴) one first.
var hostMethods = []string{"hungarian-classic", "hungarian", "ssp", "auction"}

// hostRow measures all of them.
func hostRow(ctx context.Context, b *measure.Run, n int, costs string) (cli.Record, []float64, error) {
	r := cli.Record{{Key: "n", Value: n}, {Key: "costs", Value: costs}}
	var millis []float64
	for _, name := range hostMethods {
		b.Step(fmt.Sprintf("n = %d, costs to %s, %s", n, costs, name))
		h, err := measure.Hungarian(ctx, b, b.RowsOf(n), costs, name)
		if err != nil {
			return r, nil, err
		}
		r = append(r, cli.Field{Key: strings.ReplaceAll(name, "-", "_") + "_ms", Value: h.Millis, Digits: 3})
		millis = append(millis, h.Millis)
	}
	for k, name := range hostMethods[1:] {
		r = append(r, cli.Field{Key: name + "_x", Value: millis[k+1] / millis[0], Digits: 3})
	}
	return r, millis, nil
}

var fig4Sizes = []int{128, 256, 512, 1024, 2048}

// reproduceLopesFig4 prints times by size, for costs to n, over that of the O(n⁴) method.
func reproduceLopesFig4(ctx context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
	var rows []cli.Record
	panel := plots.GrowthPanel{Label: "time over O(n⁴)"}
	for _, name := range hostMethods[1:] {
		panel.Kinds = append(panel.Kinds, plots.Growth{Name: name})
	}
	for _, n := range fig4Sizes {
		if !b.HasSize(n) {
			continue
		}
		r, millis, err := hostRow(ctx, b, n, "n")
		if err != nil {
			return rows, nil, err
		}
		rows = append(rows, r)
		for k := range panel.Kinds {
			panel.Kinds[k].Measured = append(panel.Kinds[k].Measured, plots.Point{X: float64(n), Y: millis[k+1] / millis[0]})
		}
	}
	return rows, plots.GrowthOf("Time of methods of the processor over that of Munkres' O(n⁴), costs to n", "rows and columns", []plots.GrowthPanel{panel}), nil
}

var fig5Costs = []string{"0.1n", "n", "10n", "1000n"}

// reproduceLopesFig5 prints times by range; the paper has n = 2048, where the last takes a
// minute: 512 unless --sizes says so.
func reproduceLopesFig5(ctx context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
	n := onlySize(b, 512)
	var rows []cli.Record
	panel := plots.GrowthPanel{Label: "ms"}
	for _, name := range hostMethods {
		panel.Kinds = append(panel.Kinds, plots.Growth{Name: name})
	}
	for i, costs := range fig5Costs {
		r, millis, err := hostRow(ctx, b, n, costs)
		if err != nil {
			return rows, nil, err
		}
		rows = append(rows, r)
		x := float64(n) * []float64{0.1, 1, 10, 1000}[i]
		for k := range panel.Kinds {
			panel.Kinds[k].Measured = append(panel.Kinds[k].Measured, plots.Point{X: x, Y: millis[k]})
		}
	}
	return rows, plots.GrowthOf(fmt.Sprintf("Time of methods of the processor by the largest cost, n = %d", n), "largest cost", []plots.GrowthPanel{panel}), nil
}

// reproduceLopesSteps prints the share of each step, and what a block gains by going on with
// its own zeros before all meet.
func reproduceLopesSteps(ctx context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
	c := newCard(b, "H100")
	var rows []cli.Record
	for _, row := range lopesTimes.Rows {
		n, costs := int(row[0]), costsOf(row[1])
		if !b.HasSize(n) {
			continue
		}
		b.Step(fmt.Sprintf("n = %d, costs to %s", n, costs))
		h, err := c.time(ctx, n, costs, "lopes")
		if err != nil {
			return rows, nil, err
		}
		one, err := c.time(ctx, n, costs, "lopes, one sweep")
		if err != nil {
			return rows, nil, err
		}
		if h == nil || one == nil {
			continue
		}
		r := cli.Record{{Key: "n", Value: n}, {Key: "costs", Value: costs}}
		sum := 0.0
		for _, x := range h.Step {
			sum += x
		}
		for k, x := range h.Step {
			r = append(r, cli.Field{Key: fmt.Sprintf("step%d", k+1), Value: 100 * x / sum, Unit: "%", Digits: 3})
		}
		r = append(r, cli.Field{Key: "step4_ms", Value: h.Step[3], Digits: 3},
			cli.Field{Key: "one_sweep_ms", Value: one.Step[3], Digits: 3},
			cli.Field{Key: "gain", Value: one.Step[3] / h.Step[3], Digits: 3})
		rows = append(rows, r)
	}
	return rows, nil, nil
}

// reproduceKCGTable2 prints Tables II and III: what each optimization gains.
func reproduceKCGTable2(ctx context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
	c := newCard(b, "H100")
	var rows []cli.Record
	panel := plots.GrowthPanel{Label: "ms"}
	for _, form := range kcgTimes.Columns[1:] {
		panel.Kinds = append(panel.Kinds, plots.Growth{Name: form})
	}
	for _, row := range kcgTimes.Rows {
		n := int(row[0])
		if !b.HasSize(n) {
			continue
		}
		var first, last float64
		for k, form := range kcgTimes.Columns[1:] {
			b.Step(fmt.Sprintf("n = %d, %s", n, form))
			millis, err := c.millis(ctx, n, "1000n", form)
			if err != nil {
				return rows, nil, err
			}
			if k == 0 {
				first, last = millis, millis
			}
			before := row[max(k, 1)]
			rows = append(rows, cli.Record{
				{Key: "n", Value: n}, {Key: "form", Value: form},
				{Key: "ms", Value: millis, Digits: 3}, {Key: "published_ms", Value: row[k+1]},
				{Key: "gain", Value: last / millis, Digits: 3}, {Key: "published_gain", Value: before / row[k+1], Digits: 3},
				{Key: "total", Value: first / millis, Digits: 3}, {Key: "published_total", Value: row[1] / row[k+1], Digits: 3},
			})
			last = millis
			g := &panel.Kinds[k]
			g.Measured = append(g.Measured, plots.Point{X: row[0], Y: millis})
			g.Published = append(g.Published, plots.Point{X: row[0], Y: row[k+1]})
		}
	}
	return rows, plots.GrowthOf("Hungarian method with optimizations 0 to 4, after Kawtikwar et al.", "rows and columns", []plots.GrowthPanel{panel}), nil
}

// reproduceKCGFig1 prints the program of Date and Nagi beside that of Lopes et al. and a solver
// of the processor, ssp for their Gurobi.
func reproduceKCGFig1(ctx context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
	c := newCard(b, "H100")
	var rows []cli.Record
	panel := plots.GrowthPanel{Label: "ms", Kinds: []plots.Growth{{Name: "Date and Nagi"}, {Name: "Lopes et al."}, {Name: "ssp, processor"}}}
	for _, row := range kcgTimes.Rows {
		n := int(row[0])
		if !b.HasSize(n) {
			continue
		}
		b.Step(fmt.Sprintf("n = %d", n))
		tree, err := c.millis(ctx, n, "1000n", "date-nagi")
		if err != nil {
			return rows, nil, err
		}
		lopes, err := c.millis(ctx, n, "1000n", "lopes")
		if err != nil {
			return rows, nil, err
		}
		host, err := measure.Hungarian(ctx, b, b.RowsOf(n), "1000n", "ssp")
		if err != nil {
			return rows, nil, err
		}
		rows = append(rows, cli.Record{
			{Key: "n", Value: n}, {Key: "date_nagi_ms", Value: tree, Digits: 3}, {Key: "lopes_ms", Value: lopes, Digits: 3},
			{Key: "lopes_published_ms", Value: row[1]}, {Key: "ssp_ms", Value: host.Millis, Digits: 3},
		})
		for k, x := range []float64{tree, lopes, host.Millis} {
			panel.Kinds[k].Measured = append(panel.Kinds[k].Measured, plots.Point{X: row[0], Y: x})
		}
	}
	return rows, plots.GrowthOf("Date and Nagi, Lopes et al. and a processor, costs to 1000n", "rows and columns", []plots.GrowthPanel{panel}), nil
}
