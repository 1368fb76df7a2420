package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"mtt"
)

// This file finds scenes too large to be learnt from whole whose parts tell nothing: what a gate links is what chance would link.
//
// Problem. A dozen scans of a hundred thousand false alarms each have no targets to learn from. Pilots take neighbours for targets, and
// widen speed and noise until nearly all have one; what follows takes hours and gigabytes, and says nothing.
//
// Idea. What follows a detection lies near it in a later scan, besides what lies there by chance; and that is as much as lies near it in its own scan. In
// tiles larger than those that would be learnt from, both are counted, within radii of which each ball has half the volume of the one before, for the scans after each
// up to the longest turn. Numbers of pairs that differ by no more than a few standard errors for all radii and all lags are chance: what nobody follows
// is a Poisson process, as dense in one scan as in another, and both numbers vary as sums over its points and pairs do.
//
// Invariant. Where detections are followed by others within the greatest radius, a quarter of the way from the middle of a tile to its faces (some eighty
// neighbours on a plane), it shows: of 80,000 at that radius if a third is, at one that a single neighbour is in if one in thirty is, in a tenth of that space if one in a hundred.
// Numbers that are too small by as much are no chance either: it is not known what they hide.
//
// Cost. A few seconds of the processor where nothing follows; where something does, mostly a few million pairs.

// ErrChance marks scenes in which no detection shows to be followed by another.
var ErrChance = errors.New("nothing to learn from")

// radii is the number of radii, the smallest ball having half a millionth of the volume of the largest; unlike by how many standard errors numbers of pairs
// differ that are no chance. Of the 120 of a crowd of false alarms the greatest was 4.4 at most in sixty crowds.
const radii, unlike = 20, 5

// checkChance returns an error that wraps [ErrChance] if what was detected in tiles of scans that are vast follows from one another as chance has
// it, and that of ctx when it ends. Of detections that lie all at one place it says nothing.
func checkChance(ctx context.Context, scans []mtt.Scan) error {
	tiles, seen := tilesOf(scans, 4)
	return chanceIn(ctx, seen, tiles, math.Inf(1))
}

// tellsAt and tellsBy are what a look at a crowd that is learnt from whole has to show, if it were there: half of the detections followed by others, at
// a radius that so many others are in, by so many standard errors. Of five crowds of 5,000 in a scan one came to 4 by chance and
// one to 6, as their errors are larger than estimated: six are asked for.
const tellsAt, tellsBy, unlikeFew = 9, unlikeFew + 2, unlike + 1

// checkFewer is checkChance for scans that are learnt from whole, where nothing is known but places and perhaps velocities, and their detections are so many
// that it would show if half were followed by others. What shifts of a sensor say is asked, too.
func checkFewer(ctx context.Context, scans []mtt.Scan, opts *Options) error {
	if opts.Levels != nil || opts.Cost != nil || opts.Gate != nil || opts.MaxSpeed > 0 || len(opts.Sensors) > 0 || len(scans) < 3 || vast(scans) {
		return nil
	}
	const least = 4 * (tellsBy * tellsBy) * 2 * tellsAt // detections, roughly
	if count(scans) < least || slices.ContainsFunc(scans, func(s mtt.Scan) bool {
		return s.Conf != nil || s.Class != nil || s.Feat != nil || s.Size != nil
	}) {
		return nil
	}
	fullest := &scans[0]
	for t := range scans {
		if scans[t].Len() > fullest.Len() {
			fullest = &scans[t]
		}
	}
	err := chanceIn(ctx, scans, tilesAround(fullest, (fullest.Len()+1)/2), 2*enough)
	if !errors.Is(err, ErrChance) || opts.rests(scans) {
		return err
	}
	v, stopped := voted(ctx, window(scans, enough, dozen), scans[0].Dim)
	if stopped != nil || v.jumps() {
		return stopped
	}
	return err
}

// chanceIn is checkChance in tiles; where most is finite, about so many detections are looked at, and nothing is said of them if too few are to say it.
func chanceIn(ctx context.Context, scans []mtt.Scan, tiles []tile, most float64) error {
	parts := make([][]mtt.Scan, len(tiles))
	for k := range tiles {
		parts[k] = cut(scans, inside(tiles[k:k+1], 0))
		for t := range parts[k] {
			parts[k][t] = sorted(&parts[k][t])
		}
	}
	every, vel := max(1, len(scans)/dozen), Velocities(scans) && !partial(scans)
	few := !math.IsInf(most, 1)
	limit := float64(unlike)
	if few {
		limit = unlikeFew
		every = max(1, int(math.Ceil(count(scans)/most)))
	}
	looked, reach := 0.0, 0.0
	for lag := 1; lag <= longestTurn && lag < len(scans); lag++ {
		var c counted
		for k, part := range parts {
			before := inside(tiles[:k], 0) // what lies in several tiles is looked at once
			for t := 0; t+lag < len(part); t += every {
				if err := ctx.Err(); err != nil {
					return err
				}
				c.count(&part[t], &part[t+lag], before, vel, tiles[k].reach())
			}
			if c.errors() >= limit {
				return nil
			}
			if few && lag == 1 && k == len(parts)-1 && !c.tells() {
				return nil
			}
			reach = max(reach, tiles[k].reach())
		}
		looked = max(looked, c.looked)
	}
	if reach == 0 {
		return nil
	}
	return fmt.Errorf("%w: no more detections lie in the next scans around %.0f of them, in %d places and as far as %.3g away, than chance has there",
		ErrChance, looked, len(tiles), reach)
}

// reach is the greatest radius at which tiles are looked at, m.
func (b *tile) reach() float64 { return (b.hi[0] - b.lo[0]) / 8 }

// sorted is s with its detections in the order of their first coordinate.
func sorted(s *mtt.Scan) mtt.Scan {
	order := make([]int32, s.Len())
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(i, j int32) int { return cmp.Compare(s.At(int(i))[0], s.At(int(j))[0]) })
	return s.Pick(order)
}

// counted are numbers of pairs by radius, that of the greatest first.
type counted struct {
	pairs    [radii]float64 // with a later scan and with the own
	more     [radii]float64 // with the later one, less those with the own as if that had as many detections
	variance [radii]float64 // of more, by chance
	looked   float64
}

// count adds what lies around detections of a, or around where their velocities take them, in b and in a, but not around those that were looked at before.
func (c *counted) count(a, b *mtt.Scan, before func(x []float64) bool, vel bool, reach float64) {
	const pairs = 20_000_000 // of two scans, were all looked at; three thousand detections beside one another in each are as many
	n, m := a.Len(), b.Len()
	if n < 2 || reach == 0 {
		return
	}
	var squares [radii]float64
	for k := range squares {
		squares[k] = reach * reach * math.Exp2(-2*float64(k)/float64(a.Dim))
	}
	var later, own, squared [radii]float64 // within a radius; of the own, the sum of their squares
	var at [3]float64
	dt, looked := b.Time-a.Time, 0.0
	for i, stride := 0, 1+n*(n+m)/pairs; i < n; i += stride {
		if before(a.At(i)) {
			continue
		}
		copy(at[:], a.At(i))
		if vel {
			for k, v := range a.VelAt(i) {
				at[k] += dt * v
			}
		}
		looked++
		x, y := around(b, -1, at[:a.Dim], &squares), around(a, i, at[:a.Dim], &squares)
		for k := range radii {
			later[k] += x[k]
			own[k] += y[k]
			squared[k] += y[k] * y[k]
		}
	}
	if c.looked += looked; looked == 0 {
		return
	}
	weight := float64(m) / float64(n-1)
	for k := range radii {
		c.pairs[k] += later[k] + own[k]
		c.more[k] += later[k] - weight*own[k]
		uneven := max(0, squared[k]-own[k]*own[k]/looked-own[k])                           // beyond that of Poisson numbers: near a border there are fewer
		c.variance[k] += later[k] + 2*weight*weight*own[k] + (weight+weight*weight)*uneven // pairs within a scan are seen from both ends
	}
}

// around counts the detections of s, sorted, but one within the radii, given by their squares, around a place.
func around(s *mtt.Scan, but int, at []float64, squares *[radii]float64) (n [radii]float64) {
	least := at[0] - math.Sqrt(squares[0])
	first := sort.Search(s.Len(), func(j int) bool { return s.At(j)[0] >= least })
	for j := first; j < s.Len(); j++ {
		if d := s.At(j)[0] - at[0]; d > 0 && d*d > squares[0] {
			break
		}
		d2 := 0.0
		for k, x := range s.At(j) {
			d2 += (x - at[k]) * (x - at[k])
		}
		if d2 > squares[0] || j == but {
			continue
		}
		k := 0
		for k+1 < radii && d2 <= squares[k+1] {
			k++
		}
		n[k]++
	}
	for k := radii - 2; k >= 0; k-- {
		n[k] += n[k+1]
	}
	return n
}

// errors is by how many standard errors the numbers of pairs differ at most, where there are twenty or more.
func (c *counted) errors() (most float64) {
	for k, n := range c.pairs {
		if n >= 20 && c.variance[k] > 0 {
			most = max(most, math.Abs(c.more[k])/math.Sqrt(c.variance[k]))
		}
	}
	return most
}

// tells reports whether it would show if half of the detections were followed by others.
func (c *counted) tells() bool {
	for k := radii - 1; k >= 0; k-- {
		if in := c.pairs[k] / (2 * c.looked); in >= tellsAt { // errors grow at least as the root of the number
			return c.looked/2*math.Sqrt(in/tellsAt) >= tellsBy*math.Sqrt(c.variance[k])
		}
	}
	return false
}
