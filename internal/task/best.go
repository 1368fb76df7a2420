package task

// This file ranks answers: mtt track --best.

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"mtt/association"
	"mtt/association/chain"
	"mtt/dualascent"
	"mtt/internal/cli"
)

// rank finds the answers that are asked for; nil: the first alone, or the engine proves no
// bounds. With an error it returns those that were found before.
func (o *TrackOptions) rank(ctx context.Context, res *association.Result, opts *association.Options) (answers []*dualascent.Result, err error) {
	if o.best <= 1 || res.Dual == nil || res.Dual.Next == nil || res.Instance == nil {
		return nil, nil
	}
	dual := opts.Dual
	dual.Prices, dual.Next, dual.Progress, dual.Workers = res.Dual.Prices, res.Dual.Next, nil, opts.Workers
	for answer, err := range dualascent.Best(ctx, &res.Instance.Dual, &dual) {
		if err != nil {
			return answers, err
		}
		if answers = append(answers, answer); len(answers) == o.best {
			break
		}
	}
	return answers, nil
}

// bestRecords are the costs of ranked answers.
func bestRecords(answers []*dualascent.Result) (list []cli.Record) {
	for k, a := range answers {
		list = append(list, cli.Record{
			{Key: "rank", Value: k + 1}, {Key: "lower_bound", Value: a.LowerBound}, {Key: "upper_bound", Value: a.UpperBound},
			{Key: "more", Value: a.UpperBound - answers[0].UpperBound},
		})
	}
	return list
}

// writeBest lists, for each answer but the first, the detections after which it goes on
// otherwise; -1 where its track ends.
func writeBest(w io.Writer, res *association.Result, answers []*dualascent.Result) error {
	b := bufio.NewWriter(w)
	b.WriteString("rank,more,frame,det,to_frame,to_det,instead_frame,instead_det\n")
	scans := res.Instance.Scans
	place := func(n chain.Node) (frame, det int) {
		if n.T < 0 {
			return -1, -1
		}
		return scans[n.T].Frame, int(n.Det)
	}
	first := res.Instance.Links(answers[0].Next)
	for k, a := range answers[1:] {
		links := res.Instance.Links(a.Next)
		for t := range links.Next {
			for i, to := range links.Next[t] {
				was := first.Next[t][i]
				if to == was {
					continue
				}
				f, d := place(to)
				g, e := place(was)
				fmt.Fprintf(b, "%d,%g,%d,%d,%d,%d,%d,%d\n", k+2, a.UpperBound-answers[0].UpperBound, scans[t].Frame, i, f, d, g, e)
			}
		}
	}
	return b.Flush()
}
