package pmbm

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// This file groups clusters and detections into parts that do not interact, and
// updates them side by side.

// A job is a part of an update: clusters whose gates share detections, and the
// detections in them.
type job struct {
	clusters []*cluster
	dets     []int32 // ascending
}

// update replaces the clusters by those after the scan.
func (f *Filter) update(ctx context.Context, detections int) error {
	jobs := f.jobs(detections)
	after := make([][]*cluster, len(jobs))
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	workers := f.workers
	if f.o.Observe != nil {
		workers = workers[:1] // the order of what is observed is that of the jobs
	}
	for _, u := range workers {
		group.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(jobs) {
					return nil
				}
				var err error
				if after[i], err = u.update(ctx, &jobs[i]); err != nil {
					return err
				}
			}
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	f.clusters = f.clusters[:0]
	for _, list := range after {
		f.clusters = append(f.clusters, list...)
	}
	f.nextID += detections
	f.last.clear()
	f.last.Scans = 1
	for _, u := range f.workers {
		f.last.merge(&u.stats)
		u.stats.clear()
	}
	f.stats.merge(&f.last)
	return nil
}

// jobs groups the clusters that share detections. A detection in no gate of a
// track is a job by itself when it may be a target.
func (f *Filter) jobs(detections int) []job {
	if !f.o.Whole && f.o.Crowd > 0 {
		f.cut(detections)
	}
	joined := newForest(len(f.clusters))
	owner := make([]int, detections) // the first cluster with the detection in a gate
	for d := range owner {
		owner[d] = -1
	}
	for i, c := range f.clusters {
		if f.o.Whole {
			joined.join(0, i)
		}
		for _, t := range c.tracks {
			for _, h := range t.locals {
				for _, g := range h.gated {
					if owner[g.det] < 0 {
						owner[g.det] = i
					} else {
						joined.join(owner[g.det], i)
					}
				}
			}
		}
	}
	var jobs []job
	place := make([]int, len(f.clusters)) // of the job of each root
	for j, members := range joined.groups() {
		place[members[0]] = j
		jobs = append(jobs, job{})
		for _, i := range members {
			jobs[j].clusters = append(jobs[j].clusters, f.clusters[i])
		}
	}
	if f.o.Whole && len(jobs) == 0 {
		jobs = append(jobs, job{})
	}
	for d, i := range owner {
		switch {
		case f.o.Whole:
			jobs[0].dets = append(jobs[0].dets, int32(d))
		case i >= 0:
			j := &jobs[place[joined.root(i)]]
			j.dets = append(j.dets, int32(d))
		case f.isTarget(d):
			jobs = append(jobs, job{dets: []int32{int32(d)}})
		}
	}
	return jobs
}

// isTarget says whether detection d may be that of a new target.
func (f *Filter) isTarget(d int) bool {
	return f.borns[d].r > 0 && f.borns[d].r >= f.o.MinExistence
}

// join makes one cluster of several: the table is their product, cut to the most
// likely rows.
func join(list []*cluster, most int) *cluster {
	c := &cluster{rows: []row{{weight: 1}}}
	for i, d := range list {
		if i == 0 {
			*c = cluster{tracks: slices.Clone(d.tracks), rows: d.rows}
			continue
		}
		c.tracks = append(c.tracks, d.tracks...)
		c.rows = product(c.rows, d.rows, most)
	}
	return c
}

// product is the table of pairs of rows, the most likely ones in descending
// order of weight. As both tables descend, the pair (i, j) has (i+1)·(j+1)−1
// pairs before it that are at least as likely, so only pairs with (i+1)·(j+1) ≤
// most are looked at.
func product(a, b []row, most int) []row {
	type pair struct {
		weight float64
		i, j   int
	}
	var pairs []pair
	sum := 0.0
	for i := range a {
		for j := range b {
			if (i+1)*(j+1) > most {
				break
			}
			pairs = append(pairs, pair{a[i].weight * b[j].weight, i, j})
		}
	}
	slices.SortStableFunc(pairs, func(p, q pair) int { return cmp.Compare(q.weight, p.weight) })
	pairs = pairs[:min(len(pairs), most)]
	for _, p := range pairs {
		sum += p.weight
	}
	rows := make([]row, len(pairs))
	width := len(a[0].pick) + len(b[0].pick)
	picks := make([]int32, len(pairs)*width)
	for k, p := range pairs {
		pick := picks[k*width : (k+1)*width : (k+1)*width]
		copy(pick, a[p.i].pick)
		copy(pick[len(a[0].pick):], b[p.j].pick)
		rows[k] = row{p.weight / sum, pick}
	}
	return rows
}
