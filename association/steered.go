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
// refinement or more, of accelerations about as dear as the first one; of turns, as their fit, with
// a filter that is several times as dear.

// steered refines links again with a motion that lasts, where tracks show one, and keeps that where
// whole tracks are likelier.
func (r *run) steered(ctx context.Context, scans []mtt.Scan, res *Result, links *chain.Links, o *refine.Options) (kept bool, err error) {
	const rounds = 3
	model := res.Model.(costgen.Leveled)
	levels := model.Noise()
	if r.pilot || o.Seldom || !r.steers(levels) {
		return false, nil
	}
	tracks := r.listed.of(links, scans, false)
	time := learn.Times(scans)
	motions, shown := []motion.Model{motion.Singer{}}, learn.Steered(scans, tracks)
	if shown {
		motions = append(motions, motion.Turn{})
	}
	fit := fitting(costgen.FitSmooth)
	if shown {
		fit = anew
	}
	learnt := r.steering(levels, motions, fit, tracks, time)
	if learnt == nil {
		return false, nil
	}
	best, usual := links.Clone(), levels.Whole
	least, most := whole(links, scans, model), len(tracks)
	for round := 1; learnt != nil; round++ {
		levels.Whole, motions = learnt, []motion.Model{learnt.Motion}
		var changed int
		collect(scans)
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
		learnt = r.steering(levels, motions, fit, tracks, time)
	}
	*links, levels.Whole = *best, usual
	res.Levels.Whole = levels.Whole
	return kept, err
}

// steers reports whether a motion that lasts may take the place of that of levels: nobody said
// which it is.
func (r *run) steers(levels *costgen.Levels) bool {
	said := r.known() != nil || r.Motion != nil || r.Accel > 0
	return !said && !r.Divides && levels.Sensing == nil && levels.Motion != motion.Model(motion.Walk{})
}

// LearnSteered adds to r, a result of [Learn] with the same options, what tracks of scans tell of how
// targets turn or accelerate for some time, [costgen.Levels.Whole], where their steps show it, as
// Track does where it refines them, but of tracks that are found as the scans come. It takes the time of
// that and, where they show something, as long once more and a fit for each motion. Turns, whose steps
// take twice as long as others, and eight times where the filter is the general one, are left out where
// there are more than so many detections in a scan, or a quarter as many.
//
// Manoeuvres are not learnt anew, which takes ten times as long. Those that are known are kept where
// they are worth it: each prices a step once more, and what they stood for may be what lasts. Tracks
// that are found so break more easily than refined ones do, so a few more may begin: as many as do
// by chance.
func (r *Result) LearnSteered(ctx context.Context, scans []mtt.Scan, turning int, opts *Options) error {
	scans, k, err := begin(scans, opts)
	if err != nil || r.Levels == nil || k.seldom(r) {
		return err
	}
	model := r.Model.(costgen.Leveled)
	levels := model.Noise()
	if !k.steers(levels) {
		return nil
	}
	scans = r.read(scans)
	const lag = 4 // scans
	o := refine.Options{Misses: k.passed(scans, r), Speed: r.MaxSpeed, Workers: k.Workers}
	along := func() (links *chain.Links, tracks []mtt.Track, err error) {
		if links, err = refine.Along(ctx, scans, model, r.Gate, lag, &o); err != nil {
			return nil, nil, wrap(err)
		}
		return links, links.Tracks(scans, false), nil
	}
	links, tracks, err := along()
	if err != nil || !learn.Steered(scans, tracks) {
		return err
	}
	if k.Piloted != nil {
		k.Piloted(Work{Along: 2 * detections(scans)})
	}
	motions, turns := []motion.Model{motion.Singer{}}, *levels
	if turns.Motion = (motion.Turn{}); !turns.Wheel(scans) {
		turning /= 4
	}
	if detections(scans) <= turning*len(scans) {
		motions = append(motions, turns.Motion)
	}
	learnt := k.steering(levels, motions, calmly, sampled(tracks), learn.Times(scans))
	if learnt == nil {
		return nil
	}
	least, before := whole(links, scans, model)-math.Log(float64(hits(tracks))), begun(scans, tracks)
	levels.Whole = learnt
	links, tracks, err = along()
	price := whole(links, scans, model)
	if err != nil || price >= least || begun(scans, tracks) > before+2*math.Sqrt(before+1) {
		levels.Whole = nil
		return err
	}
	prob, accel := learnt.ManoeuvreProb, learnt.ManoeuvreAccel
	learnt.ManoeuvreProb, learnt.ManoeuvreAccel = 0, 0
	if whole(links, scans, model) > price+costgen.Worth*float64(hits(tracks)) {
		learnt.ManoeuvreProb, learnt.ManoeuvreAccel = prob, accel
	}
	told := *learnt
	r.Levels.Whole = &told
	return nil
}

// sampled are some of the tracks, evenly chosen among all, with as many hits as tell the three levels of
// a turn well enough for who learns them again soon, or few more.
func sampled(tracks []mtt.Track) (some []mtt.Track) {
	const enough = 375
	every := max(1, hits(tracks)/enough)
	for i := 0; i < len(tracks); i += every {
		some = append(some, tracks[i])
	}
	return some
}

// begun is the number of tracks that begin after the first of scans.
func begun(scans []mtt.Scan, tracks []mtt.Track) (n float64) {
	for i := range tracks {
		if tracks[i].Hits[0].Frame != scans[0].Frame {
			n++
		}
	}
	return n
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

// fits tells that levels of a motion that lasts are fitted to tracks.
func (r *run) fits(levels *costgen.Levels, tracks []mtt.Track) {
	const general = 6 // as dear as the filter of turns in the plane
	_, linear := levels.Motion.(motion.Linear)
	switch {
	case r.Piloted == nil:
	case linear:
		r.Piloted(Work{Lasting: costgen.Hits(tracks)})
	case levels.Wheel(nil) && tracks[0].Cov == nil:
		r.Piloted(Work{Curved: costgen.CurvedHits(tracks)})
	default:
		r.Piloted(Work{Curved: general * costgen.CurvedHits(tracks)})
	}
}

// A fitting fits what of levels is 0 to tracks, as [costgen.Fit] does.
type fitting func(levels *costgen.Levels, tracks []mtt.Track, time func(frame int) float64) bool

// anew has manoeuvres learnt anew where there are any.
func anew(levels *costgen.Levels, tracks []mtt.Track, time func(frame int) float64) bool {
	if levels.ManoeuvreProb == 0 {
		return costgen.FitSmooth(levels, tracks, time)
	}
	levels.ManoeuvreProb, levels.ManoeuvreAccel = 0, 0
	return costgen.Fit(levels, tracks, time)
}

// calmly has manoeuvres as they were where they are larger than what comes all along, of which they
// take nothing.
func calmly(levels *costgen.Levels, tracks []mtt.Track, time func(frame int) float64) bool {
	prob, accel := levels.ManoeuvreProb, levels.ManoeuvreAccel
	levels.ManoeuvreProb, levels.ManoeuvreAccel = 0, 0
	if !costgen.FitSmooth(levels, tracks, time) {
		return false
	}
	if accel > levels.Accel {
		levels.ManoeuvreProb, levels.ManoeuvreAccel = prob, accel
	}
	return true
}

// steering are the likeliest levels for tracks with one of the motions, fitted with manoeuvres as they
// were; nil: they add less to the log likelihood of each hit than a motion must that is worth it.
func (r *run) steering(known *costgen.Levels, motions []motion.Model, fit fitting, tracks []mtt.Track, time func(frame int) float64) (likeliest *costgen.Levels) {
	most, n := costgen.Likelihood(known.OfTracks(), tracks, time)
	most += costgen.Worth * float64(n)
	for _, m := range motions {
		learnt := *known
		learnt.Motion, learnt.Whole = m, nil
		r.fits(&learnt, tracks)
		learnt.Accel, learnt.SpeedStd, learnt.Revert, learnt.Sway = 0, 0, 0, 0
		learnt.BounceProb, learnt.OtherProb = 0, 0
		if r.Sigma == 0 {
			learnt.Sigma = 0
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
