package task

// This file says how sure the links of tracks are.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"mtt"
	"mtt/association"
	"mtt/association/chain"
	"mtt/association/instance"
	"mtt/dataset"
	"mtt/dualascent"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/verify"
)

// Words of --margins.
const noMargins, boundMargins, exactMargins = "none", "bound", "exact"

// trackMargins are the margins of each hit of each track: of the link before it or, at the
// first, of the birth. NaN where the refinement left the assignment that the bounds are
// about, and at births in the first scan.
type trackMargins struct {
	of      [][]float64
	odds    [][]float64       // log odds that the same is right; nil: unknown
	all     *instance.Margins // of the assignment
	inst    *instance.Instance
	cost    float64 // of the assignment
	proof   string  // what they rest on: verify.ByPrices, or verify.BySearch
	seconds float64

	sharpness   float64 // of the noise, for the odds: see refine.Odds
	oddsSeconds float64
}

// marginsOf computes the margins that are asked for; nil: none, or the engine proves none.
// Ranked answers tighten them: a link that all of them have is worth what the last costs
// more, another one what the first without it does.
func (o *TrackOptions) marginsOf(ctx context.Context, res *association.Result, ranked []*dualascent.Result, opts *association.Options) (*trackMargins, error) {
	if o.margins == noMargins || res.Dual == nil || res.Dual.Next == nil || res.Instance == nil {
		return nil, nil
	}
	began := time.Now()
	inst, decisions := res.Instance, res.Margins
	if decisions == nil {
		decisions = dualascent.NewMargins(&inst.Dual, res.Dual.Prices, res.Dual.Next, res.Dual.UpperBound)
	}
	all := inst.Margins(res.Dual, decisions)
	if len(ranked) > 0 && ranked[0].UpperBound >= res.Dual.UpperBound-1e-9*math.Abs(res.Dual.UpperBound) {
		tighten(all, inst, ranked)
	}
	scan := mtt.ByFrame(inst.Scans)
	m := &trackMargins{of: make([][]float64, len(res.Tracks)), all: all, inst: inst, cost: res.Dual.UpperBound, proof: verify.ByPrices}
	if o.margins == exactMargins || len(ranked) > 0 {
		m.proof = verify.BySearch
	}
	m.seconds = res.Seconds.Margins + time.Since(began).Seconds()
	for k := range res.Tracks {
		hits := res.Tracks[k].Hits
		m.of[k] = make([]float64, len(hits))
		for h := range hits {
			t := scan[hits[h].Frame]
			m.of[k][h] = all.Before[t][hits[h].Det]
			was := all.Links.Prev[t][hits[h].Det]
			var same bool
			if h == 0 {
				same = was.T < 0
			} else {
				same = was.T >= 0 && (mtt.Hit{Frame: inst.Scans[was.T].Frame, Det: int(was.Det)}) == hits[h-1]
			}
			if !same {
				m.of[k][h] = math.NaN()
			}
			m.of[k][h] = lessDigits(orZero(m.of[k][h], m.cost))
		}
	}
	if o.margins == exactMargins && association.Cost(o.cost).Learns() {
		began := time.Now()
		var err error
		if m.odds, m.sharpness, err = m.likelihoods(ctx, res, opts.Workers); err != nil {
			return nil, err
		}
		m.oddsSeconds = time.Since(began).Seconds()
	}
	return m, nil
}

// Certainty is how sure the links of tracks are, as --margins exact has it, where the options asked
// for margins: the margin and the log odds of each hit's link to the one before it. NaN: not known.
func Certainty(ctx context.Context, res *association.Result, opts *association.Options) (margins, odds [][]float64, err error) {
	o := NewTrackOptions()
	o.margins = exactMargins
	m, err := o.marginsOf(ctx, res, nil, opts)
	if err != nil {
		return nil, nil, err
	}
	if res.Margins == nil || m == nil || m.odds == nil {
		return nil, nil, errors.New("the engine proves no margins")
	}
	return m.of, m.odds, nil
}

// orZero is the margin x of an answer of that cost, or 0 where it is no more than the rounding of
// such a cost.
func orZero(x, cost float64) float64 {
	if math.Abs(x) <= 1e-12*math.Abs(cost) {
		return 0
	}
	return x
}

// lessDigits rounds x downwards to the six digits that tracks.csv and margins.csv show: a lower
// bound remains one. An upper bound x is rounded by -lessDigits(-x).
func lessDigits(x float64) float64 {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	six := func(x float64) float64 {
		y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
		return y
	}
	y := six(x)
	if y > x {
		y = six(y - math.Pow(10, math.Floor(math.Log10(math.Abs(x)))-5))
	}
	return y
}

// columns are the further columns of tracks.csv.
func (m *trackMargins) columns() []dataset.TrackColumn {
	if m == nil {
		return nil
	}
	list := marginColumn(m.of)
	if m.odds != nil {
		list = append(list, dataset.TrackColumn{Name: "probability", Of: func(track, hit int) float64 { return probability(m.odds[track][hit]) }},
			dataset.TrackColumn{Name: "log_odds", Of: func(track, hit int) float64 { return m.odds[track][hit] }})
	}
	return list
}

// record is the least and the median margin of links.
func (m *trackMargins) record() cli.Record {
	links := make([][]float64, len(m.of))
	for k, of := range m.of {
		links[k] = of[min(1, len(of)):]
	}
	r := marginRecord(links, m.proof, m.seconds)
	if m.odds != nil {
		r.Add("sharpness", m.sharpness)
		r.Add("probability_seconds", m.oddsSeconds)
	}
	return r
}

// marginRecord is the least and the median of margins, how many are below 0, where nothing proves
// that the best answer has the link, with what they rest on and the time that they took.
func marginRecord(of [][]float64, proof string, seconds float64) cli.Record {
	var links []float64
	for _, of := range of {
		for _, x := range of {
			if !math.IsNaN(x) && !math.IsInf(x, 0) {
				links = append(links, x)
			}
		}
	}
	least, median := math.NaN(), math.NaN()
	if n := len(links); n > 0 {
		slices.Sort(links)
		least, median = links[0], links[n/2]
	}
	open, _ := slices.BinarySearch(links, 0)
	r := cli.Record{{Key: "min", Value: least}, {Key: "median", Value: median}, {Key: "links", Value: len(links)}}
	if open > 0 {
		r.Add("open", open)
	}
	return append(r, cli.Field{Key: "proof", Value: proof}, cli.Field{Key: "seconds", Value: seconds})
}

// tighten raises margins to what ranked answers prove.
func tighten(m *instance.Margins, inst *instance.Instance, ranked []*dualascent.Result) {
	open := make([][]bool, len(m.Before)) // nobody has decided otherwise yet
	for t := range open {
		open[t] = slices.Repeat([]bool{true}, len(m.Before[t]))
	}
	least := ranked[0].UpperBound
	for k, a := range ranked {
		links := inst.Links(a.Next)
		last := k == len(ranked)-1
		for t := range open {
			for i := range open[t] {
				same := links.Prev[t][i] == m.Links.Prev[t][i]
				if open[t][i] && (!same || last) {
					m.Before[t][i] = max(m.Before[t][i], a.LowerBound-least)
				}
				open[t][i] = open[t][i] && same
			}
		}
	}
}

const marginsHeader = "frame,det,before_frame,before_det,before,before_most,after_frame,after_det,after,after_most\n"

// write lists the margins of all detections: of the link or birth before each, and of the link or
// death after it, in the assignment. -1 stands for a birth, a death or, both, a detection in no track.
func (m *trackMargins) write(w io.Writer) error {
	b := bufio.NewWriter(w)
	b.WriteString(marginsHeader)
	side := func(n chain.Node, least, most [][]float64, t, i int) {
		frame, det := -1, -1
		if n.T >= 0 {
			frame, det = m.inst.Scans[n.T].Frame, int(n.Det)
		}
		fmt.Fprintf(b, ",%d,%d", frame, det)
		for k, of := range [2][][]float64{least, most} {
			b.WriteByte(',')
			if of == nil || math.IsNaN(of[t][i]) || math.IsInf(of[t][i], 0) {
				continue
			}
			x := orZero(of[t][i], m.cost)
			if k == 0 {
				x = lessDigits(x)
			} else {
				x = -lessDigits(-x)
			}
			fmt.Fprintf(b, "%g", x)
		}
	}
	for t := range m.inst.Scans {
		for i := range m.inst.Scans[t].Len() {
			fmt.Fprintf(b, "%d,%d", m.inst.Scans[t].Frame, i)
			side(m.all.Links.Prev[t][i], m.all.Before, m.all.BeforeMost, t, i)
			side(m.all.Links.Next[t][i], m.all.After, m.all.AfterMost, t, i)
			b.WriteByte('\n')
		}
	}
	return b.Flush()
}

// MarginsOf reads the margins of a run that claims some, as mtt verify takes them; nil: it claims none.
func MarginsOf(folder *runfolder.Folder, tracks []mtt.Track) (*verify.Margins, error) {
	hits, err := linkColumn(folder, tracks, "margin")
	if err != nil {
		return nil, err
	}
	var file struct {
		Margins *struct {
			Min, Median *float64
			Links       int
			Proof       string
		}
	}
	if err := ReadJSON(folder, runfolder.SolveFile, &file); err != nil {
		return nil, err
	}
	said := file.Margins
	if hits == nil && said == nil && !folder.Has(runfolder.MarginsFile) {
		return nil, nil
	}
	m := &verify.Margins{Hits: hits}
	if said != nil {
		m.Links, m.BySearch = said.Links, said.Proof == verify.BySearch
		for _, x := range [2]struct {
			from *float64
			to   *float64
		}{{said.Min, &m.Min}, {said.Median, &m.Median}} {
			if x.from != nil {
				*x.to = *x.from
			}
		}
	}
	if folder.Has(runfolder.MarginsFile) {
		m.Rows, err = readMargins(folder.Path(runfolder.MarginsFile))
	}
	return m, err
}

// readMargins reads what write has written.
func readMargins(name string) (rows []verify.MarginRow, err error) {
	columns := strings.Split(strings.TrimSpace(marginsHeader), ",")
	var of [][]float64
	if err := ReadFile(name, func(r io.Reader) (err error) {
		of, err = dataset.ReadColumns(r, name, columns...)
		return err
	}); err != nil {
		return nil, err
	}
	if of == nil {
		return nil, fmt.Errorf("%s: no columns %s", name, strings.Join(columns, ", "))
	}
	rows = make([]verify.MarginRow, len(of[0]))
	for k := range rows {
		whole := func(c int) int {
			if x := of[c][k]; x == math.Trunc(x) && math.Abs(x) < 1<<53 {
				return int(x)
			}
			return math.MinInt // of nothing
		}
		side := func(c int) verify.MarginSide {
			return verify.MarginSide{Frame: whole(c), Det: whole(c + 1), Least: of[c+2][k], Most: of[c+3][k]}
		}
		rows[k] = verify.MarginRow{Frame: whole(0), Det: whole(1), Before: side(2), After: side(6)}
	}
	return rows, nil
}
