package metrics

import (
	"cmp"
	"context"
	"slices"

	"mtt/dualascent"
)

// This file finds an answer near what the relaxation of file pairrelax.go has come to.
//
// Clusters have nothing to do with each other. Where the weights of one are about whole these are
// the answer. Where they are not, its options, which cost next to nothing against each other, are a
// multi-frame assignment problem beside an answer that is held elsewhere, some thousand options of
// two million, and the engine has time to search it (relaxation enforced neighbourhood search, of
// which E. Danna, E. Rothberg, C. Le Pape. Exploring relaxation induced neighborhoods to improve
// MIP solutions. Mathematical Programming 102, 2005). Of 1,000 targets that start near one point
// nine tenths and more of what the relaxed form is less than the answer go this way, and a tenth of
// the options stays for the search of file pairwhole.go.

// improve makes the answer that of rounded clusters where these cost less, in all by how much it
// says.
func (r *relaxation) improve(ctx context.Context, chosen []bool) (less float64, err error) {
	weight := make([]float64, len(r.at))
	for i := range r.clusters {
		c := &r.clusters[i]
		if err := r.settle(ctx, c, weight); err != nil {
			return 0, err
		}
		cost := r.spent(c, weight)
		if cost >= c.answer || !r.fits(c, weight) {
			continue
		}
		less += c.answer - cost
		for x := c.from; x < c.to; x++ {
			chosen[r.option[r.at[x]]] = weight[x] > 0
		}
	}
	return less, nil
}

// settle makes weights of a cluster whole.
func (r *relaxation) settle(ctx context.Context, c *cluster, weight []float64) error {
	whole := true
	for x := c.from; x < c.to; x++ {
		w := r.ahead.weight[x]
		if whole = whole && min(w, 1-w) < aboutWhole; w > 0.5 {
			weight[x] = 1
		}
	}
	if whole {
		return nil
	}
	clear(weight[c.from:c.to])
	q := r.posed(c)
	inst, err := q.instance(ctx)
	if err != nil {
		return err
	}
	res, err := dualascent.Solve(ctx, inst, &dualascent.Options{Workers: 1, Whole: true})
	if err != nil {
		return err
	}
	q.each(res, func(x int32) { weight[x] = 1 })
	return nil
}

// posed is a part of the options of a cluster whose slots are not taken, by their places.
func (r *relaxation) posed(c *cluster) *pairPart {
	var places []int32
	open := func(x int32) bool { return r.room[r.of[0][x]] > 0 && r.room[r.of[1][x]] > 0 }
	for x := int32(c.from); x < int32(c.to); x++ {
		if open(x) {
			places = append(places, x)
		}
	}
	option := func(x int32) *option { return &r.p.options[r.option[r.at[x]]] }
	slices.SortStableFunc(places, func(a, b int32) int { return cmp.Compare(option(a).frame, option(b).frame) })
	q := &pairPart{p: r.p}
	at := make([]spot, c.to-c.from)
	for _, x := range places {
		cost := r.own[x] // with what it is tied to and is not open held at 0
		if x > int32(c.from) && r.tied[x-1] && !open(x-1) {
			cost += r.h
		}
		if r.tied[x] && !open(x+1) {
			cost += r.h
		}
		at[int(x)-c.from] = q.add(option(x), cost, x)
	}
	for _, x := range places {
		if r.tied[x] && open(x+1) {
			q.tie(at[int(x)-c.from], at[int(x)-c.from+1])
		}
	}
	return q
}
