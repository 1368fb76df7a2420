package association

import (
	"context"
	"math"
	"slices"

	"mtt"
	"mtt/association/learn"
	"mtt/costgen"
)

// This file says how many of the links that were found chance alone would make.
//
// Problem. Where false alarms lie densely for what was learnt, chains of them pass for targets, and
// neither how well tracks fit nor a proof that they are the cheapest tells: they were chosen to
// fit.
//
// Idea. Let each scan be moved by itself, by up to the width of its field along each axis, and what
// leaves the field on one side come in on the other. Then no detection follows another, and
// detections are as dense as before: what is tracked among them with the same levels, and the
// density that is theirs now where levels have one, is chance. Where they lie more densely in
// places it is less than what chance makes there.
//
// Targets that tracks are surely of are no false alarms: where chance would make many links, it is
// asked again without the detections of tracks that are more than twice as long as any it made.
//
// Cost. Tracking a part as pilots do, twice at most: of twenty scans the detections in a box, some
// two thousand.

// alarms is the share of links by chance from which on they matter. Chains of chance are of false
// alarms and first detections, and of arcs that no track has: where these are fewer, nobody asks.
const alarms = 0.1

// byChance is how many links tracks of scans would have if no detection followed another, with its
// standard error, and how many those of r have; the former is 0 where it cannot matter, where
// levels are of several sensors or the cost is not theirs alone, and when ctx ends.
func (r *Result) byChance(ctx context.Context, scans []mtt.Scan, opts *Options) (chance, deviation float64, links int) {
	g, all := r.Levels, float64(detections(scans))
	links = hits(r.Tracks) - len(r.Tracks)
	_, own := r.Model.(*costgen.Gaussian)
	least := alarms * float64(links)
	switch {
	case !own || g.Sensing != nil || len(scans) < 3 || links == 0, (g.Rates.Clutter+g.Rates.Births)*float64(len(scans)) < alarms*all,
		r.Instance != nil && float64(r.Instance.Arcs()-links) < least:
		return 0, 0, links
	}
	chance, deviation, longest := r.apart(ctx, scans, opts)
	if chance > least {
		if rest := without(scans, r.Tracks, 2*longest); rest != nil {
			chance, deviation, _ = r.apart(ctx, rest, opts)
		}
	}
	return chance, deviation, links
}

// without are scans less the detections of tracks that have more than so many; nil where there is
// no such track.
func without(scans []mtt.Scan, tracks []mtt.Track, most int) []mtt.Scan {
	sure := slices.DeleteFunc(slices.Clone(tracks), func(tr mtt.Track) bool { return len(tr.Hits) <= most })
	if len(sure) == 0 {
		return nil
	}
	rest, _ := learn.Leftover(scans, sure, nil)
	return rest
}

// apart is how many links are found where scans are moved apart, with its standard error, and the
// most detections that a track has there.
func (r *Result) apart(ctx context.Context, scans []mtt.Scan, opts *Options) (links, deviation float64, longest int) {
	g, parts := r.Levels, learn.Apart(scans)
	n := float64(detections(parts))
	if n == 0 {
		return 0, 0, 0
	}
	levels := *g
	levels.Whole = nil
	if levels.Places = learn.Densities(g, scans, parts); len(parts) < len(scans) { // what begins in the first of them was not there before
		levels.Rates.Targets = min(g.Rates.Targets, g.Rates.Births)
	}
	p := &run{Options: Options{NoRefine: opts.NoRefine, MemoryLimit: opts.MemoryLimit, Workers: opts.Workers}, pilot: true}
	if p.complete() != nil {
		return 0, 0, 0
	}
	found := &Result{Model: &costgen.Gaussian{Levels: levels}, Levels: &levels, Gate: r.Gate, MaxSpeed: r.MaxSpeed, Coasts: r.Coasts}
	if err := p.track(ctx, parts, found); err != nil {
		return 0, 0, 0
	}
	// What is detected in the last scan is followed by nothing.
	scale := float64(detections(scans)) / n * (1 - 1/float64(len(scans))) / (1 - 1/float64(len(parts)))
	squares := 0.0 // links come in tracks
	for i := range found.Tracks {
		n := float64(len(found.Tracks[i].Hits) - 1)
		links, squares, longest = links+n, squares+n*n, max(longest, int(n)+1)
	}
	return links * scale, math.Sqrt(squares) * scale, longest
}
