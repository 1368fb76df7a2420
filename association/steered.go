package association

import (
	"context"
	"math"

	"mtt"
	"mtt/association/chain"
	"mtt/association/learn"
	"mtt/association/refine"
	"mtt/costgen"
	"mtt/motion"
)

// This file refines tracks once more where targets turn or accelerate for some time.
//
// Problem. Targets that go round, that are pulled or that steer do for many scans what white noise
// would do by chance. Under a velocity that is nearly constant noise must be large enough for the
// sharpest bend, so that where they are close the wrong one is as likely as the right one.
//
// Idea. Tracks are found well enough to show how targets accelerate. Whole tracks can remember it,
// as prices of two links cannot: a turn rate (motion.Turn) or an acceleration (motion.Singer). An
// acceleration is learnt from all tracks, as one that noise hides from step to step, as along a curve
// that is hardly one, shows in their likelihood; a turn rate where steps show that something lasts
// (learn.Steered). Wrong links are allowed for, and all is refined with the likelier one.
//
// Invariant. It is kept where whole tracks are likelier by more than two more numbers are worth, and
// no more than before: what foresees better what follows has no reason to break them, unless it
// is for the few steps of another kind, as when targets that stood go off, that the many make it
// forget. Else all is as it was. Bounds and certificate are those of the assignment problem, which
// knows nothing of it.
//
// Cost. A fit to 750 hits, some 15 ms. Where that is worth it, or steps show something, a
// refinement or more, of accelerations about as dear as the first one; of turns, as their fit, with the
// general filter, several times as dear.

// steered refines links again with a motion that lasts, where tracks show one, and keeps that where
// whole tracks are likelier.
func (r *run) steered(ctx context.Context, scans []mtt.Scan, res *Result, links *chain.Links, o *refine.Options) (kept bool, err error) {
	const rounds = 3
	model := res.Model.(costgen.Leveled)
	levels := model.Noise()
	said := r.known() != nil || r.Motion != nil || r.Accel > 0
	if r.pilot || said || o.Seldom || r.Divides || levels.Sensing != nil || levels.Motion == motion.Model(motion.Walk{}) {
		return false, nil
	}
	tracks := r.listed.of(links, scans, false)
	time := learn.Times(scans)
	motions, shown := []motion.Model{motion.Singer{}}, learn.Steered(scans, tracks)
	if shown {
		motions = append(motions, motion.Turn{})
	}
	learnt := r.steering(levels, motions, shown, tracks, time)
	if learnt == nil {
		return false, nil
	}
	best, usual := links.Clone(), levels.Whole
	least, most := whole(links, scans, model), len(tracks)
	for round := 1; learnt != nil; round++ {
		levels.Whole, motions = learnt, []motion.Model{learnt.Motion}
		var changed int
		if changed, err = refine.Links(ctx, links, scans, res.Instance.Gates, model, o); err != nil {
			break
		}
		tracks = links.Tracks(scans, false)
		price := whole(links, scans, model)
		if !kept {
			price += math.Log(float64(hits(tracks)))
		}
		if price >= least || len(tracks) > most {
			break
		}
		best, usual, least, kept = links.Clone(), learnt, price, true
		if round == rounds || few(changed, hits(tracks)) {
			break
		}
		learnt = r.steering(levels, motions, shown, tracks, time)
	}
	*links, levels.Whole = *best, usual
	res.Levels.Whole = levels.Whole
	return kept, err
}

// few reports whether so many moves leave levels of tracks of so many hits as good as the likeliest.
// Levels that are the likeliest of some hits are off those of the others by what few others say,
// and the log likelihood by the square of it: where a share x of the innovations is new, each of which
// may ask for levels two standard deviations away, (2x)²/2 for each hit. A move makes two tracks go
// on otherwise, which a filter notices for [motion.Memory] hits.
func few(moves, hits int) bool {
	x := 2 * float64(moves*motion.Memory) / float64(hits)
	return 2*x*x < costgen.Worth
}

// steering are the likeliest levels for tracks with one of the motions, with manoeuvres as they are or
// learnt anew where there are any; nil: they add less to the log likelihood of each hit than a motion
// must that is worth it.
func (r *run) steering(known *costgen.Levels, motions []motion.Model, anew bool, tracks []mtt.Track, time func(frame int) float64) (likeliest *costgen.Levels) {
	most, n := costgen.Likelihood(known.OfTracks(), tracks, time)
	most += costgen.Worth * float64(n)
	for _, m := range motions {
		learnt := *known
		learnt.Motion, learnt.Whole = m, nil
		learnt.Accel, learnt.SpeedStd, learnt.Revert, learnt.Sway = 0, 0, 0, 0
		learnt.BounceProb, learnt.OtherProb = 0, 0
		if r.Sigma == 0 {
			learnt.Sigma = 0
		}
		fit := costgen.FitSmooth
		if anew && known.ManoeuvreProb > 0 {
			learnt.ManoeuvreProb, learnt.ManoeuvreAccel = 0, 0
			fit = costgen.Fit
		}
		if !fit(&learnt, tracks, time) || learnt.Forgets() { // then only the noise was learnt anew
			continue
		}
		// Else who goes straight on, or is where a line has it to the last digit, would seem to be
		// pulled.
		learnt.Accel = max(learnt.Accel, learn.LeastAccel(&learnt))
		if p := learnt.Params(max(learnt.Dim, 2)); learnt.ManoeuvreAccel < learnt.Accel && p.Tail() < motion.DefaultTailDOF {
			continue // all that is left of manoeuvres are tails, which were found likelier for larger ones
		}
		if r.Sigma == 0 {
			learnt.Sigma = max(learnt.Sigma, learn.LeastNoise(&learnt))
		}
		if nats, _ := costgen.Likelihood(&learnt, tracks, time); nats > most {
			likeliest, most = &learnt, nats
		}
	}
	return likeliest
}
