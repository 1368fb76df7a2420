package association

import (
	"context"
	"fmt"
	"strings"

	"mtt"
	"mtt/association/learn"
	"mtt/costgen"
	"mtt/motion"
)

// This file says when an answer should not be trusted.

// detections is the number of detections in scans.
func detections(scans []mtt.Scan) (n int) {
	for t := range scans {
		n += scans[t].Len()
	}
	return n
}

// alone is the number of detections of scans that are in no track with others.
func alone(scans []mtt.Scan, tracks []mtt.Track) int {
	n := detections(scans)
	for i := range tracks {
		if k := len(tracks[i].Hits); k > 1 {
			n -= k
		}
	}
	return n
}

// hits is the number of detections in tracks.
func hits(tracks []mtt.Track) (n int) {
	for i := range tracks {
		n += len(tracks[i].Hits)
	}
	return n
}

// A Whole is how much there is in a run of which a part is looked at.
type Whole struct {
	Scans, Detections, Tracks int
	Left                      int // detections in no track
}

// Doubt sets LeftOut and Warnings as [Track] does, for a run that is too large to be looked at in
// one piece: by how much there is in the whole of it, and by a part, consecutive scans with those
// of Tracks, which are the tracks in the part only. What the part says is said of its frames.
func (r *Result) Doubt(ctx context.Context, part []mtt.Scan, whole Whole, opts *Options) {
	r.Warnings, r.LeftOut = r.doubts(ctx, part, &whole, opts)
}

// doubts are the warnings of a result, one sentence each, and the number of detections that are in
// no track. What opts say is not doubted. It takes no long looks once ctx has ended. Where scans
// are a part it is told of the whole.
func (r *Result) doubts(ctx context.Context, scans []mtt.Scan, whole *Whole, opts *Options) (list []string, left int) {
	all, longest, where := detections(scans), 0, ""
	for i := range r.Tracks {
		longest = max(longest, len(r.Tracks[i].Hits))
	}
	if whole == nil {
		whole = &Whole{len(scans), all, len(r.Tracks), all - hits(r.Tracks)}
	} else if len(scans) > 0 && len(scans) < whole.Scans {
		where = fmt.Sprintf("in frames %d to %d, which were looked at: ", scans[0].Frame, scans[len(scans)-1].Frame)
	}
	left = whole.Left
	said := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	warn := func(format string, args ...any) { said(where+format, args...) } // of these scans
	if axis, at := constant(scans); axis != "" {
		warn("%s does not vary: it is %v in all %d detections", axis, at, all)
	}
	if frames := repeated(scans, r.Tracks); frames != nil {
		warn("%d of the %d scans repeat the one before to the last digit (frames %s): frozen pictures, or rows written twice, look like targets that stop all at once; leave them out", len(frames), len(scans), listed(frames))
	}
	if r.Unbelieved != "" {
		done := "left unread"
		if !r.Levels.PositionsOnly {
			done = "read through the map that targets show"
		}
		said("measured velocities are %s: %s; mend them, or say that they are not to be read", done, r.Unbelieved)
	}
	switch expected := func() float64 { return r.expected(scans, whole) }; {
	case whole.Detections > 0 && left == whole.Detections && r.Weak > 0:
		said("0 tracks from %d detections: each of the %d that were found has less evidence than was asked for", whole.Detections, r.Weak)
	case whole.Detections > 0 && left == whole.Detections:
		said("0 tracks from %d detections: %s", whole.Detections, r.none())
	case r.Levels != nil && float64(left-r.weak) > excess(expected(), whole.Detections):
		said("%d of %d detections are in no track, where the rate of false alarms explains %.3g: there are more, or targets move otherwise than the model says, or faster than the gate allows",
			left, whole.Detections, expected())
	case r.Levels != nil && r.Weak == 0 && r.Levels.Sensing == nil && ctx.Err() == nil: // of several sensors, between scans hardly anything moves
		if n, errors := learn.Followed(scans, r.Tracks, r.Levels, 1); errors > following {
			warn("some %.0f of the %d detections that are in no track, or alone in one, are followed by others of the same target, by %.2g standard errors: "+
				"there are targets that move otherwise than the model says, or faster than the gate allows", n, alone(scans, r.Tracks), errors)
		} else if k, n := byTurns(scans, r.Tracks, r.Levels); n > 0 {
			warn("some %.0f of the %d detections that are in no track, or alone in one, have a successor %d scans later and none in between: "+
				"a sensor that sees a place by turns only is not followed", n, alone(scans, r.Tracks), k)
		}
	}
	if r.Levels != nil && opts.Levels == nil {
		over, _ := learn.Leftover(scans, r.Tracks, r.Levels)
		if frames, most, usual := floods(over); frames != nil {
			warn("%d of the %d frames (%s) have up to %d detections that are in no track, or alone in one, where others have %d in the middle: "+
				"false alarms flood them, and one rate is taken for all frames; leave these frames out, or mind tracks that begin or end there", len(frames), len(scans), listed(frames), most, usual)
		}
		if lost := learn.Losing(scans, over); lost != nil {
			n, in := detections(lost), len(lost)
			warn("in frames %d to %d some %.3g detections a scan are in no track, or alone in one, in the others %.3g, and tracks end or begin there: targets seem to move otherwise "+
				"than in the others; track the two parts each by itself, or say how targets move, and how fast",
				lost[0].Frame, lost[in-1].Frame, float64(n)/float64(in), float64(detections(over)-n)/float64(len(scans)-in))
		}
	}
	around := r.Levels != nil && r.Levels.Echoes != nil && r.Levels.Echoes.Around() // then what else a target leaves is known
	if d := twice(ctx, scans, r.Tracks); d.share > 0 && !around {
		warn("%.3g %% of the detections in tracks have another beside them, at most %.2g away and elsewhere in each scan: targets seem to be detected twice, "+
			"which makes tracks of false alarms; merge detections that are no farther apart than that", 100*d.share, d.within)
	}
	if r.Levels != nil && r.Levels.Sensing == nil && !opts.Divides && ctx.Err() == nil {
		if n, errors, within := learn.Jumped(scans, r.Tracks); errors > following && n > float64(len(r.Tracks))/10 {
			why := "targets seem to jump, or to divide"
			if within <= r.MaxSpeed*r.Levels.Interval+reach*r.Levels.Sigma {
				why = "no farther than targets go: they seem to turn more sharply than the model says, or it takes misses and false alarms for ends"
			}
			warn("some %.0f of the %d tracks go on as another that begins in the next scan, mostly within %.3g, so tracks are in pieces: %s", n, len(r.Tracks), within, why)
		}
	}
	if r.Levels != nil && r.Levels.Sensing == nil && opts.Rates == nil && opts.Levels == nil && ctx.Err() == nil {
		if p := uneven(scans, r.Tracks); p != nil {
			warn("targets are missed in %.3g %% of the scans where %v, and in %.3g %% elsewhere: one rate is taken for the whole field, so tracks may be in pieces there",
				100*p.here, p, 100*p.others)
		}
	}
	if g := r.Levels; g != nil && g.Sensing == nil && opts.Rates == nil && opts.Levels == nil {
		if s := still(scans, r.Tracks, scatters*g.Sigma); s.tracks > 0 {
			warn("%d of the %d tracks stand still all along and are detected in %.3g %% of the scans, the others in %.3g %%: they may be false alarms at fixed places", s.tracks, len(r.Tracks), 100*s.here, 100*s.others)
		}
	}
	if g := r.Levels; g != nil && g.Sensing == nil && opts.Levels == nil && longest > 2 {
		if n := learn.Confusion(scans, g); n > confused {
			warn("in some %.0f %% of the steps another detection is nearer than a target's own to where it is expected: targets go too far between scans for "+
				"so many, or too irregularly, to be followed by their positions; look more often, or expect as many wrong links", 100*n/(1+n))
		}
	}
	if r.Levels != nil && opts.Levels == nil && ctx.Err() == nil {
		if n, deviation, links := r.byChance(ctx, scans, opts); n-certain*deviation > alarms*float64(links) {
			warn("some %.0f (± %.0f) of the %d links would be found if no detection followed another, as shows where scans are moved apart: false alarms lie too densely for what was learnt, and may pass for targets; "+
				"say how targets move, how fast, or how many false alarms there are, look more often, or ask for more evidence", min(n, float64(links)), deviation, links)
		}
	}
	if g := r.Levels; g != nil && g.Motion == motion.Model(motion.Walk{}) && g.Shifts == nil && g.Sensing == nil && !opts.FixedSensor {
		if v := drift(scans, r.Tracks); v != nil {
			warn("targets that wander, each by itself, go at %.2g a second on average, all together: the sensor drifts, or they are carried along, which a walk does not know; "+
				"leave the motion to be learnt, or take the drift out", v)
		}
	}
	if g := r.Levels; g != nil && opts.Sigma == 0 && opts.Levels == nil && all > 20 {
		extent, lone := single(scans)
		share := "no scan has two detections"
		if lone < 1 {
			share = fmt.Sprintf("%.3g %% of the scans have only one detection", min(100*lone, 99.9))
		}
		const ask = "if these are several targets that report one after another, gather what belongs to one scan (--dt says how long one takes)"
		tracked := all - alone(scans, r.Tracks)
		switch {
		case lone < nearlyAll:
		case longest > 20 && len(r.Tracks) == 1 && g.Sigma > 0.02*extent:
			warn("%s, and all in tracks are taken for one target, with noise of %.3g in a scene of %.3g: %s", share, g.Sigma, extent, ask)
		case 2*tracked < all:
			warn("%s, and tracks explain %d of %d: %s", share, tracked, all, ask)
		}
	}
	if g := r.Levels; g != nil && opts.Levels == nil && max(longest, (whole.Detections-left)/max(1, whole.Tracks)) > 2 {
		noise, velocity := learn.AtFloor(g) // where steps of a walk are much larger than the noise, it does not matter
		floor := func(at bool, given float64, what, why string) {
			if at && given == 0 {
				said("the estimate of the %s is at its floor: %s", what, why)
			}
		}
		floor(noise && g.Motion != motion.Model(motion.Walk{}), opts.Sigma, "noise", "positions seem exact, or are interpolated; say the noise if you know it")
		floor(velocity, opts.SigmaV, "velocity noise", "velocities seem exact; say their noise if you know it")
		if g.ManoeuvreProb > 0.89 && g.ManoeuvreAccel > 2*g.Accel { // costgen.Fit stops at 0.9; of one size, all steps have tails
			said("the motion fits badly: nearly every step is a manoeuvre")
		}
	}
	return list, left
}

// expected is how many of the detections that are in no track false alarms and echoes explain, of a
// whole of which scans are a part.
func (r *Result) expected(scans []mtt.Scan, whole *Whole) float64 {
	n := r.Levels.Rates.Clutter * float64(whole.Scans)
	if r.Levels.Echoes != nil {
		n += r.Levels.EchoesLeft(scans, r.Tracks) * float64(whole.Detections) / float64(max(1, detections(scans)))
	}
	return n
}

// floods are the frames that false alarms flood ([learn.Flooded]), with the most detections in one
// of them of what tracks leave over ([learn.Leftover]), and the median of all frames; nil where they
// have less than a tenth of that.
func floods(left []mtt.Scan) (frames []int, most, usual int) {
	flooded, usual := learn.Flooded(left)
	all, within := detections(left), 0
	for t := range left {
		if flooded[t] {
			frames, most, within = append(frames, left[t].Frame), max(most, left[t].Len()), within+left[t].Len()
		}
	}
	if 10*within < all {
		return nil, 0, 0
	}
	return frames, most, usual
}

// listed are the first few frames, and how many more there are.
func listed(frames []int) string {
	const most = 6
	var text strings.Builder
	for k, f := range frames[:min(len(frames), most)] {
		if k > 0 {
			text.WriteString(", ")
		}
		fmt.Fprint(&text, f)
	}
	if more := len(frames) - most; more > 0 {
		fmt.Fprintf(&text, " and %d more", more)
	}
	return text.String()
}

// byTurns says how many of the detections that no track has with others are followed two or three
// scans later only, and how many scans; 0 where these are less than a quarter of them, as misses
// leave over, or than a twentieth of all, as where targets come in together at a border.
func byTurns(scans []mtt.Scan, tracks []mtt.Track, levels *costgen.Levels) (later int, n float64) {
	least := max(float64(alone(scans, tracks))/4, float64(detections(scans))/20)
	for later = 2; later <= 3; later++ {
		if n, errors := learn.Followed(scans, tracks, levels, later); errors > following && n > least {
			return later, n
		}
	}
	return 0, 0
}

// scatters is how many times as far as the noise detections may scatter about a place.
const scatters = 5

// following is the number of standard errors from which on what is left over is followed by more
// than chance. False alarms, of 39 scenes and recordings, stay below 4.4: it is the greatest of
// some thousands of sums that depend on one another.
const following = 5

// reach is the number of standard deviations of a measured position by which noise may lengthen a
// step, as gates have it.
const reach = 4

// confused is the number of other detections nearer than a target's own to where it is expected
// from which on a third of the next detections are not the nearest. Of thirty simulated scenes a
// quarter to four fifths of the links are wrong above it, a quarter and less below it.
const confused = 0.5

// certain is the number of standard errors by which links of chance have to be too many.
const certain = 2

// excess is the number of detections left over, of all, above which the expected number
// of false alarms does not explain them: a twentieth is for targets seen once.
func excess(expected float64, all int) float64 { return 2*expected + 10 + 0.05*float64(all) }

// none says why there may be no track.
func (r *Result) none() string {
	switch {
	case r.Instance != nil && r.Instance.Arcs() == 0:
		return "the gate joins none of them to one in a later scan; say a greater speed or gate"
	case r.Levels != nil:
		return "each is likelier a false alarm than part of a target; say the noise, the rate of false alarms, or the motion"
	}
	return "no link is cheaper than none"
}

// nearlyAll is the share of scans of one detection from which on a sensor seems to report one
// detection at a time, and two of one time happen: of a scan that holds what a look saw, only a
// lone target among hardly any false alarms has so many.
const nearlyAll = 0.9

// single is the share of scans with one detection among those that have any, and how far the
// positions extend along the axis on which that is most.
func single(scans []mtt.Scan) (extent, lone float64) {
	lo, hi := [3]float64{}, [3]float64{}
	one, any := 0, 0
	for t := range scans {
		s := &scans[t]
		for i := range s.Len() {
			for d, x := range s.At(i) {
				if any == 0 && i == 0 {
					lo[d], hi[d] = x, x
				}
				lo[d], hi[d] = min(lo[d], x), max(hi[d], x)
			}
		}
		if s.Len() > 0 {
			any++
		}
		if s.Len() == 1 {
			one++
		}
	}
	for d := range lo {
		extent = max(extent, hi[d]-lo[d])
	}
	return extent, float64(one) / float64(max(any, 1))
}

// constant is the first axis along which several detections all have the same coordinate,
// "" where there is none, and that coordinate.
func constant(scans []mtt.Scan) (axis string, at float64) {
	var lo, hi [3]float64
	dim, n := 0, 0
	for t := range scans {
		s := &scans[t]
		for i := range s.Len() {
			dim = s.Dim
			for d, x := range s.At(i) {
				if n == 0 {
					lo[d], hi[d] = x, x
				}
				lo[d], hi[d] = min(lo[d], x), max(hi[d], x)
			}
			n++
		}
	}
	for d := range dim {
		if n > 1 && lo[d] == hi[d] {
			return "xyz"[d : d+1], lo[d]
		}
	}
	return "", 0
}
