package learn

import (
	"context"
	"math"
	"slices"

	"mtt"
	"mtt/costgen"
)

// This file learns in which scans positions are less precise than in the others.
//
// Problem. A picture is out of focus or smeared, the sea is rough for a turn of the antenna: in some
// scans all positions err several times as much. Of one noise for all scans these detections are
// left out, or tracks end there. Outliers, of which each detection is one by itself, are too few to
// be believed.
//
// Idea. All targets show it at once. Where a track was before and after says where its target is in
// between, whether it was linked there or not, and the nearest detection how far from there. In a
// blurred scan more lie farther off than half of those in others, or half of them farther than hardly
// any in others; Chernoff's bound says whether chance does that. As a blurred scan says little of where targets are in those beside it,
// scans found so far are passed over, until they are the same.
//
// Invariant. Noise stays the same unless more targets than chance has it are off at once, by one in
// a hundred over all scans, and all that was detected is likelier for it.
//
// Cost. A look at each scan for each of some tracks, a few times over; where scans are blurred all
// of learning again, up to three times.

// blurred is m, or what is learnt with larger noise in some of the scans, if all that was detected
// is likelier then. It is not looked for where noise differs otherwise, or more scans follow.
func blurred(ctx context.Context, scans []mtt.Scan, opts *Options, run Pilot, m *Model) (*Model, error) {
	l := m.by
	if l == nil || m.Levels == nil || opts.Open || opts.Hasty || opts.round(scans) || len(l.part) < len(scans) || m.Levels.Cov != [6]float64{} || m.Levels.Polar != nil || l.spent() {
		return m, nil
	}
	if floored, _ := AtFloor(m.Levels); floored {
		return m, nil
	}
	return telling(ctx, scans, opts, run, m, func(l *learner, tracks []mtt.Track, g, before *costgen.Levels) (told costgen.Levels, ok bool) {
		plain := *g
		if before != nil {
			plain.Sigma, told.Blur = math.Sqrt(before.Cov[0]), before.Blur
		}
		if told.Blur = blurOf(l.part, tracks, &plain, told.Blur); told.Blur == nil {
			return told, false
		}
		sigma, ok := costgen.FitBlur(&plain, told.Blur, tracks, Times(l.part))
		for d, k := 0, 0; d < g.Dim; d++ {
			told.Cov[k] = sigma * sigma
			k += d + 2
		}
		return told, ok
	})
}

// An aside is how far from where its track has a target in a scan the nearest detection is.
type aside struct {
	scan     int
	variance float64 // of that, per axis, as noise that is the same and motion make it, m²
	far      float64 // squared, in units of variance
}

// blurOf are the scans in which tracks say that positions are less precise than Sigma of g, those
// of b being taken for such at first; nil: none. After some looks none is found anew, so that it
// ends.
func blurOf(scans []mtt.Scan, tracks []mtt.Track, g *costgen.Levels, b *costgen.Blur) *costgen.Blur {
	const improbable, free = 0.01, 8
	for look := 1; ; look++ {
		all := asides(scans, tracks, g, b)
		var sharp []float64 // how far off targets are elsewhere
		for _, a := range all {
			if b.Of(scans[a.scan].Frame) == 1 {
				sharp = append(sharp, a.far)
			}
		}
		if len(sharp) == 0 {
			return nil
		}
		slices.Sort(sharp)
		usual := median(sharp)
		found := &costgen.Blur{}
		for len(all) > 0 {
			var far, variance []float64
			frame := scans[all[0].scan].Frame
			for at := all[0].scan; len(all) > 0 && all[0].scan == at; all = all[1:] {
				far, variance = append(far, all[0].far), append(variance, all[0].variance)
			}
			if look > free && b.Of(frame) == 1 {
				continue
			}
			half := median(far) // sorts
			if half <= usual || float64(len(far))*max(apartFrom(sharp, far, half), apartFrom(sharp, far, usual)) < math.Log(2*float64(len(scans))/improbable) {
				continue
			}
			// What is more than usual is noise of this scan.
			more := (half/usual - 1) * median(variance) / (g.Sigma * g.Sigma)
			found.Frames, found.Times = append(found.Frames, frame), append(found.Times, math.Sqrt(1+more))
		}
		if len(found.Frames) == 0 {
			return nil
		}
		if b != nil && slices.Equal(found.Frames, b.Frames) {
			return found
		}
		b = found
	}
}

// apartFrom is the surprise, nat, at the share of those that are as large as x beside that of others,
// both ascending: by Chernoff so many of n are with a chance of exp(-n·apart) at most.
func apartFrom(others, those []float64, x float64) float64 {
	share := func(of []float64, event float64) float64 {
		below, _ := slices.BinarySearch(of, x)
		return (float64(len(of)-below) + event) / (float64(len(of)) + 2*event)
	}
	return surprise(share(those, 0), share(others, 0.5))
}

// asides are those of tracks, of more than [crowded] in a scan some, in the order of scans. A target
// is on the straight line through where its track has it in the scans before and after that are not
// blurred, or in the two nearest ones on one side, where the track begins or ends, which are
// [farthest] away at most.
func asides(scans []mtt.Scan, tracks []mtt.Track, g *costgen.Levels, b *costgen.Blur) (all []aside) {
	index := mtt.ByFrame(scans)
	for i := 0; i < len(tracks); i += 1 + hits(tracks)/(crowded*len(scans)) {
		tr := &tracks[i]
		var sharp []int // hits
		var at []int    // their scans
		for h, hit := range tr.Hits {
			if b.Of(hit.Frame) == 1 {
				sharp, at = append(sharp, h), append(at, index[hit.Frame])
			}
		}
		n := len(sharp)
		if n < 3 {
			continue
		}
		for t := index[tr.Hits[0].Frame]; t <= index[tr.Hits[len(tr.Hits)-1].Frame]; t++ {
			k, own := slices.BinarySearch(at, t)
			before, after := k-1, k
			if own {
				after++
			}
			switch { // of a hit itself others say where it is
			case before < 0:
				before, after = after, after+1
			case after == n:
				before, after = before-1, before
			}
			if max(t, at[after])-min(t, at[before]) <= farthest && scans[t].Len() > 0 {
				all = append(all, beside(scans, tr, [3]int{at[before], t, at[after]}, sharp[before], sharp[after], g))
			}
		}
	}
	slices.SortStableFunc(all, func(p, q aside) int { return p.scan - q.scan })
	return all
}

// beside is that of a track in scan t[1], by its hits a in scan t[0] and c in t[2].
func beside(scans []mtt.Scan, tr *mtt.Track, t [3]int, a, c int, g *costgen.Levels) aside {
	from, at, to := scans[t[0]].Time, scans[t[1]].Time, scans[t[2]].Time
	lambda := (to - at) / (to - from)
	v := g.Sigma * g.Sigma * (1 + lambda*lambda + (1-lambda)*(1-lambda))
	// What white acceleration adds, or a walk.
	near, far := math.Abs(at-from), math.Abs(to-at)
	if near > far {
		near, far = far, near
	}
	between := t[0] < t[1] && t[1] < t[2]
	switch whole := near + far; {
	case walks(g) && between:
		v += g.Accel * g.Accel * near * far / whole
	case walks(g):
		v += g.Accel * g.Accel * near * far / (far - near)
	case between:
		v += g.Accel * g.Accel * near * near * far * far / (3 * whole)
	default:
		v += g.Accel * g.Accel * near * near * far / 3
	}
	place := costgen.Between(tr.At(a), tr.At(c), from, to, at)
	d := math.Inf(1)
	for i := range scans[t[1]].Len() {
		d = min(d, distance(scans[t[1]].At(i), place[:]))
	}
	return aside{t[1], v, d * d / v}
}
