package association

import (
	"context"

	"mtt"
	"mtt/association/chain"
	"mtt/association/instance"
	"mtt/association/refine"
	"mtt/costgen"
)

// This file tries on excerpts of many scans whether another refinement is worth it.
//
// Problem. That misses last, that positions are far off or that they jump is found out by refining
// all tracks with it, some times over, and most scenes show none of it: of a long recording this
// took three quarters of the time.
//
// Idea. What is so rare that 20,000 detections do not show it changes few links. So each is tried on
// two excerpts first, and on all of them where one of these takes it.

// A refining refines links once more with other levels, and says whether it has kept that.
type refining func(r *run, ctx context.Context, scans []mtt.Scan, res *Result, links *chain.Links, o *refine.Options) (kept bool, err error)

// tried is more of all scans, unless there are excerpts of them of which none keeps it.
func (r *run) tried(ctx context.Context, more refining, parts []excerpt, scans []mtt.Scan, res *Result, links *chain.Links, o *refine.Options) error {
	kept := len(parts) == 0
	for _, s := range parts {
		if kept {
			break
		}
		var err error
		if kept, err = r.onExcerpt(ctx, more, s, scans, res, links, o); err != nil {
			return err
		}
	}
	if !kept {
		return nil
	}
	_, err := more(r, ctx, scans, res, links, o)
	return err
}

// An excerpt is the scans from ≤ t < to.
type excerpt struct{ from, to int }

// enough is how many detections an excerpt has at least. Tests make it less.
var enough = 20_000

// excerpts are the two to try on, about the first and the third quarter of all detections; none
// where they would not be much less than all, or where last scans hold so many that nothing is
// left.
func excerpts(scans []mtt.Scan) []excerpt {
	const least, share = 4 * longest, 3 // scans
	before := make([]int, len(scans)+1) // detections before each scan
	for t := range scans {
		before[t+1] = before[t] + scans[t].Len()
	}
	all, tried, to := before[len(scans)], 0, 0
	var parts []excerpt
	for k := range 2 {
		from := to
		for from < len(scans) && 4*before[from] < (1+2*k)*all-2*enough {
			from++
		}
		to = min(from+least, len(scans))
		for to < len(scans) && before[to]-before[from] < enough {
			to++
		}
		if to-from < 3 { // a crowd is all that follows, and no target is seen to go on
			return nil
		}
		parts, tried = append(parts, excerpt{from, to}), tried+before[to]-before[from]
	}
	if share*tried >= all {
		return nil
	}
	return parts
}

// onExcerpt is more of an excerpt, after which all is as it was.
func (r *run) onExcerpt(ctx context.Context, more refining, s excerpt, scans []mtt.Scan, res *Result, links *chain.Links, o *refine.Options) (kept bool, err error) {
	alone, part, levels, options := *r, *res, *res.Levels, *o
	alone.listed = listing{}
	part.Levels = &levels
	part.Instance = &instance.Instance{Gates: res.Instance.Gates[s.from : s.to-1]}
	noise := res.Model.(costgen.Leveled).Noise()
	before := *noise
	defer func() { *noise = before }()
	return more(&alone, ctx, scans[s.from:s.to], &part, links.Between(s.from, s.to), &options)
}
