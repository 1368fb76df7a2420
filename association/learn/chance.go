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

// This file finds scenes too large to be learnt from whole whose parts tell nothing: what a gate
// links is what chance would link.
//
// Problem. A dozen scans of a hundred thousand false alarms each have no targets to learn from.
// Pilots take neighbours for targets, and widen speed and noise until nearly all have one; what
// follows takes hours and gigabytes, and says nothing.
//
// Idea. What follows a detection lies near it in a later scan, besides what lies there by chance;
// and that is as much as lies near it in its own scan, and in any that is far off in time. In tiles
// larger than those that would be learnt from, they are counted, within radii of which each ball
// has half the volume of the one before, for the scans after each up to the longest turn. What lies
// in several tiles is of the first of them only, both ends of a pair: pairs that cross a face from
// one side alone would vary with how many lie on either. Numbers of pairs that differ by no more
// than a few standard errors for all radii and all lags are chance: what nobody follows is a
// Poisson process, as dense in one scan as in another, and these numbers vary as sums over its
// points and pairs do.
//
// What is expected is compared twice. By the own scan alone it errs twice as much as the number
// itself, as pairs within a scan are seen from both ends; with four others besides it errs little,
// but holds fewer of those that hardly move: targets that go far in a step and few show by the
// second, slow ones by the first.
//
// Invariant. Where detections are followed by others within the greatest radius, a quarter of the
// way from the middle of a tile to its faces (some eighty neighbours on a plane), it shows: of
// 80,000 at that radius if a third is, at one that a single neighbour is in if one in thirty is, in
// a tenth of that space if one in a hundred. Numbers that are too small by as much are no chance
// either: it is not known what they hide.
//
// Cost. A few seconds of the processor where nothing follows; where something does, mostly a few
// million pairs.

// ErrChance marks scenes in which no detection shows to be followed by another.
var ErrChance = errors.New("nothing to learn from")

// radii is the number of radii, the smallest ball having half a millionth of the volume of the
// largest; unlike by how many standard errors numbers of pairs differ that are no chance. Of the
// 240 of a crowd of false alarms the greatest was 4.7 at most in 300 crowds of 3,000 to 150,000 in
// 6 to 100 scans, the next 4.3.
const radii, unlike = 20, 4.8

// plain is by how many standard errors numbers differ after some of the scans where all of them
// would not say otherwise: it is asked each time that twice as many detections have been looked at.
// In most scenes of targets the first scan says so.
const plain = 2 * unlike

// tellsOf, tellsAt and tellsBy are what a look at a crowd that is learnt from whole has to show, if
// it were there: one in so many of the detections followed by others, at a radius that so many
// others are in, by so many standard errors.
const tellsOf, tellsAt, tellsBy = 4, 9, unlike + 2

// checkFewer is chanceIn for scans that are learnt from whole, where nothing is known but places
// and perhaps velocities, and their detections are so many that it would show if a quarter were
// followed by others. What shifts of a sensor say is asked, too.
func checkFewer(ctx context.Context, scans []mtt.Scan, opts *Options) error {
	if opts.Levels != nil || opts.Cost != nil || opts.Gate != nil || opts.MaxSpeed > 0 || len(opts.Sensors) > 0 || len(scans) < 3 || vast(scans) {
		return nil
	}
	const least = tellsOf * tellsOf * (tellsBy * tellsBy) * tellsAt // detections, of fewer it would not
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
	// Where a tile has them all, there are no faces at which pairs are lost.
	tiles, each := tileCount, inTile(scans, 4)
	if fullest.Len() <= each {
		tiles, each = 1, fullest.Len()
	}
	err := chanceIn(ctx, scans, tilesAround(fullest, tiles, each), 8*enough)
	if !errors.Is(err, ErrChance) || opts.rests(scans) {
		return err
	}
	v, stopped := voted(ctx, window(scans, enough, dozen), scans[0].Dim)
	if stopped != nil || v.jumps() {
		return stopped
	}
	return err
}

// chanceIn returns an error that wraps [ErrChance] if what was detected in tiles of scans follows
// from one another as chance has it, and that of ctx when it ends. Of detections that lie all at
// one place it says nothing; where most is finite, about so many detections are looked at, and
// nothing is said of them if too few are to say it.
func chanceIn(ctx context.Context, scans []mtt.Scan, tiles []tile, most float64) error {
	parts, refs := make([][]*banded, len(tiles)), make([][]reference, len(tiles))
	for k := range tiles {
		parts[k], refs[k] = make([]*banded, len(scans)), make([]reference, len(scans))
	}
	type within = func(x []float64) bool
	in, before := make([]within, len(tiles)), make([]within, len(tiles))
	for k := range tiles {
		in[k], before[k] = inside(tiles[k:k+1], 0), inside(tiles[:k], 0)
	}
	part := func(k, t int) *banded { // made when it is asked for first: a few scans mostly tell
		if parts[k][t] == nil {
			s := cut(scans[t:t+1], func(x []float64) bool { return in[k](x) && !before[k](x) })
			parts[k][t] = inBands(&s[0], &tiles[k])
		}
		return parts[k][t]
	}
	every, vel := max(1, len(scans)/dozen), Velocities(scans) && !partial(scans)
	few := !math.IsInf(most, 1)
	if few {
		every = max(1, int(math.Ceil(count(scans)/most)))
	}
	looked, reach := 0.0, 0.0
	others := func(k, t int) (some []*banded) { // as far off as can be, half the longest turn if need be; no two scans are others of each other
		far := (len(scans) - 1) / 2
		for d := far; d > 1 && d >= min(far, longestTurn/2) && len(some) < 4; d-- {
			some = append(some, part(k, (t+d)%len(scans)))
		}
		return some
	}
	for lag := 1; lag <= longestTurn && lag < len(scans); lag++ {
		var c counted
		asked := 0.0
		for k := range parts {
			for t := 0; t+lag < len(scans); t += every {
				if err := ctx.Err(); err != nil {
					return err
				}
				if scans[t].Len() < 2 || part(k, t).Len() < 2 { // nobody knows how dense others are
					continue
				}
				c.count(part(k, t), part(k, t+lag), others(k, t), &refs[k][t], vel, tiles[k].reach())
				if c.looked >= 2*asked {
					if asked = c.looked; c.errors() >= plain {
						return nil
					}
				}
			}
			if c.errors() >= unlike {
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

// bands is the number of bands of a tile, each half as wide as the greatest radius.
const bands = 16

// banded are detections of a tile in the order of the band of their second coordinate, and of their
// first in it.
type banded struct {
	mtt.Scan
	tile  *tile
	first [bands + 1]int // of each band
}

// inBands are the detections of s, which lie in a tile.
func inBands(s *mtt.Scan, in *tile) *banded {
	b := &banded{tile: in}
	order, of := make([]int32, s.Len()), make([]int, s.Len())
	for i := range order {
		order[i], of[i] = int32(i), b.band(s.At(i)[1])
		b.first[of[i]+1]++
	}
	for k := range bands {
		b.first[k+1] += b.first[k]
	}
	if b.Scan = *s; len(order) < 2 { // as of most tiles among few targets
		return b
	}
	slices.SortStableFunc(order, func(i, j int32) int {
		return cmp.Or(of[i]-of[j], cmp.Compare(s.At(int(i))[0], s.At(int(j))[0]))
	})
	b.Scan = s.Pick(order)
	return b
}

// band is that of a second coordinate, or the one nearest to it.
func (b *banded) band(y float64) int {
	at := (y - b.tile.lo[1]) / (b.tile.hi[1] - b.tile.lo[1]) * bands
	if !(at > 0) { // nor in a tile that is a point
		return 0
	}
	return int(min(at, bands-1))
}

// counted are numbers of pairs by radius, that of the greatest first.
type counted struct {
	pairs  [radii]float64 // with a later scan and with the own
	excess [2]excess      // over the own scan; over the own and others
	looked float64
}

// excess is how many more pairs there are with the later scan than with one scan or some, were
// there as many detections in it.
type excess struct{ more, variance [radii]float64 } // variance: by chance

// reference are sums over the detections of a scan that are looked at: how many others are within
// the radii, in it and elsewhere.
type reference struct {
	looked              float64
	own, squared, other [radii]float64 // squared: of the own, sums of squares
}

// count adds what lies around detections of a, or around where their velocities take them by the
// time of b, in b, in a and in others. What r says of a and others holds for the places of
// detections themselves and is counted once.
func (c *counted) count(a, b *banded, others []*banded, r *reference, vel bool, reach float64) {
	const pairs = 20_000_000 // of two scans, were all looked at; three thousand detections beside one another in each are as many
	n, m := a.Len(), b.Len()
	if m == 0 || reach == 0 {
		return
	}
	var squares [radii]float64
	for k := range squares {
		squares[k] = reach * reach * math.Exp2(-2*float64(k)/float64(a.Dim))
	}
	if vel {
		*r = reference{}
	}
	fresh := r.looked == 0
	var later [radii]float64
	var at [3]float64
	for i, stride := 0, 1+2*n*n/pairs; i < n; i += stride {
		copy(at[:], a.At(i))
		if vel {
			for k, v := range a.VelAt(i) {
				at[k] += (b.Time - a.Time) * v
			}
		}
		for k, x := range b.around(-1, at[:a.Dim], &squares) {
			later[k] += x
		}
		if !fresh {
			continue
		}
		r.looked++
		for k, x := range a.around(i, at[:a.Dim], &squares) {
			r.own[k] += x
			r.squared[k] += x * x
		}
		for _, o := range others {
			for k, x := range o.around(-1, at[:a.Dim], &squares) {
				r.other[k] += x
			}
		}
	}
	there := 0.0
	for _, o := range others {
		there += float64(o.Len())
	}
	c.looked += r.looked
	for k := range radii {
		c.pairs[k] += later[k] + r.own[k]
		uneven := max(0, r.squared[k]-r.own[k]*r.own[k]/r.looked-r.own[k]) // beyond that of Poisson numbers: near a border there are fewer
		add := func(e *excess, share float64) {                            // of what is expected by the own, the rest by the others
			own, other := share*float64(m)/float64(n-1), 0.0
			if there > 0 {
				other = (1 - share) * float64(m) / there
			}
			e.more[k] += later[k] - own*r.own[k] - other*r.other[k]
			// Pairs within a scan are seen from both ends.
			e.variance[k] += later[k] + 2*own*own*r.own[k] + other*other*r.other[k] + (float64(m)/float64(n-1)+own*own+other*other*there/float64(n))*uneven
		}
		add(&c.excess[0], 1)
		add(&c.excess[1], float64(n-1)/(float64(n-1)+2*there)) // of the least variance
	}
}

// around counts the detections but one within the radii, given by their squares, around a place.
func (b *banded) around(but int, at []float64, squares *[radii]float64) (n [radii]float64) {
	reach := math.Sqrt(squares[0])
	for k := b.band(at[1] - reach); k <= b.band(at[1]+reach); k++ {
		first, end := b.first[k], b.first[k+1]
		first += sort.Search(end-first, func(j int) bool { return b.Pos[(first+j)*b.Dim] >= at[0]-reach })
		for j := first; j < end && b.Pos[j*b.Dim] <= at[0]+reach; j++ {
			d2 := 0.0
			for x, z := range b.Pos[j*b.Dim : (j+1)*b.Dim] {
				d2 += (z - at[x]) * (z - at[x])
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
	}
	for k := radii - 2; k >= 0; k-- {
		n[k] += n[k+1]
	}
	return n
}

// errors is by how many standard errors the numbers of pairs differ at most, where there are twenty
// or more, or their sums for three radii: of targets whose steps are of all lengths most lie near,
// and in these sums what is within the second radius counts twice, within the third three times.
func (c *counted) errors() (most float64) {
	for k, n := range c.pairs {
		if n < 20 {
			break
		}
		for _, e := range c.excess {
			if e.variance[k] > 0 {
				most = max(most, math.Abs(e.more[k])/math.Sqrt(e.variance[k]))
			}
			if k > 1 && e.variance[k] > 0 { // pairs within the least are in all three
				most = max(most, math.Abs(e.more[k-2]+e.more[k-1]+e.more[k])/math.Sqrt(e.variance[k-2]+3*e.variance[k-1]+5*e.variance[k]))
			}
		}
	}
	return most
}

// tells reports whether it would show if a quarter of the detections were followed by others.
func (c *counted) tells() bool {
	for k := radii - 1; k >= 0; k-- {
		if in := c.pairs[k] / (2 * c.looked); in >= tellsAt { // errors grow at least as the root of the number
			return c.looked/tellsOf*math.Sqrt(in/tellsAt) >= tellsBy*math.Sqrt(c.excess[1].variance[k])
		}
	}
	return false
}
