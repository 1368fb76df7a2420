// Package online tracks scans as they come.
package online

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"mtt"
	"mtt/association"
	"mtt/association/chain"
	"mtt/association/learn"
	"mtt/association/merged"
	"mtt/association/refine"
	"mtt/costgen"
	"mtt/gating"
	"mtt/motion"
	"mtt/sensor"
)

// This file defines Tracker, which tracks one scan at a time.

// A Tracker tracks scans one at a time and settles each link a few scans later:
// with Lag L, the detections of a scan are linked to what came before for good
// when the L-th scan after it has been seen. The links of the last scans, settled or not,
// are improved with every scan, as what is known best of the past tells most of what follows:
//
//	extend   the detections of the last scan are matched with the tracks
//	young    what began in the last six scans is solved as one multi-frame assignment problem, and with it tracks
//	         whose detection three scans ago was far from where it was expected, and those around them
//	begin    sequences of detections in no track become tracks, or tracks that ended go on with them,
//	         where that is cheaper;
//	         young tracks are taken apart where that is
//	improve  prefixes of tracks are matched anew with suffixes (rematch), and the
//	         detections of a scan change places (exchange)
//
// Rules. A track is confirmed, gets its number and is reported when a second detection is settled
// on it; a detection on its own stays a false alarm. A track is deleted when it has been missed for
// longer than any gap that is worth while (Options.MaxMisses). Where some misses last, which is
// learnt from the runs of misses of settled tracks, one that ended outlasts up to 100 scans, to go
// on with another that begins. What was settled stays, also where the links turn out to be others
// since; then who goes on from the last detection of a track keeps its number.
//
// Where sensors are described, a scan that does not see a target says nothing of it: the target is
// not missed and stays as likely to be there, and links pass over as many scans more as lie between
// two of one sensor. Tracks begin over more scans then. Lag and Missed count scans of all sensors.
//
// Levels and rates that are not given are learnt from the first WarmUp scans, as
// [association.Track] learns them; until then nothing is settled, but [Tracker.Targets] says what
// is believed by what is known so far. Its scans are then tracked again, and settled when all of
// them have been solved together. Where nobody said how many that are, it is twice as many, up
// to eight times, of targets that report one by one, until reports tell them apart; their tracks
// begin over as many scans as lie between two reports of a target. They are learnt again, from the
// last scans, whenever the number of scans has doubled, or is four times as large once no more are
// remembered, and when more detections are left over than there should be false alarms. Levels are
// learnt by a goroutine while scans come, and taken at a fixed scan, five after the warm-up, two
// after twice as many scans, a quarter as many later of more, and later where there are dozens of
// detections in each, crowds of them or much to learn, so that tracks are the same on every
// machine. After the warm-up there is time for it between scans as their times say, 20 ms to half a
// second; a step waits for it, a few in all, only where scans come faster than that. Within a step they
// are learnt from the first one and two scans, and from the last twelve where detections are left over and
// not so crowded that the scans would wait, and from the first eight after that change. Where levels
// cannot be learnt those so far stay, and Warnings says so. Where the last scans lie in a larger field
// than the levels say, births and false alarms are priced by that.
//
// With the levels of the warm-up, and all later ones but those of a change, it is learnt how targets
// turn or accelerate for some time, from tracks of the last thousand detections; that they turn only
// where scans hold no more than 100 detections, 25 in space or with measured velocities, as a step
// takes twice as long, and eight times. Where the scans end before the warm-up, and nobody waits, all
// that whole tracks tell is learnt with it.
//
// With the levels it is learnt whether the sensor moves by itself, and from then on each scan is
// shifted to where most tracks are. States are told as the sensor saw them.
//
// Where so many targets are there that a scan without any detection is no chance, the sensor is
// taken to be silent: nobody is missed then, and tracks go on after up to 100 such scans.
//
// A step takes time in proportion to Lag and to the gated pairs of a scan, and memory for the scans
// in its window, as many as Lag and the longest gap together, where some misses last the last
// detections of tracks that ended before, and for those that are learnt from. The confirmed tracks
// grow with time: who tracks without end hands them on by Take.
type Tracker struct {
	opts   Options
	model  *association.Result // nil before the first scan
	recent []mtt.Scan          // to learn levels from: those of the warm-up, then the last ones
	lesson lesson
	study  *study        // what is being learnt; nil: nothing
	ending chan struct{} // of the study that was given up last; nil: there was none
	like   *mtt.Scan     // the first detection of the last scan that has any, at the time of the last of all
	w      refine.Window
	misses int         // missed detections in a row that a track is looked for after wherever it may be
	long   int         // and that one survives that ended, at least misses
	thin   int         // scans, the first ones of the window, that are thinned
	silent int         // scans at the end of the window, and such as are no longer there, in which the sensor was silent
	known  int         // while scans of a warm-up are tracked again: that of the step and those after it; 0: none are
	engine []mtt.Track // of the scans that are known, as the engine of all finds them; nil: there are none
	turns  turns
	lapses lapses
	field  field
	base

	orders [][]int32   // of a detection in the window, which lie there by place: the number that it came with
	ids    [][]int32   // of a detection in the window: its track, in names, or -1
	listed []int32     // workspace of Targets
	names              // of the tracks that may go on
	count  int         // of the confirmed tracks so far
	tracks []mtt.Track // confirmed; after Take, of each what has been settled since
	times  [][]float64 // of their hits, s
	usual  int         // so many of them were taken last

	warnings []string
}

// Options steer a Tracker. The zero value is the default. Fields without a word here
// are those of [association.Options].
type Options struct {
	Lag    int // scans that a link may wait for what comes after it; 0: 3; negative: none
	WarmUp int // scans to learn levels from; 0: 20, up to 160 where each holds about one detection and these do not follow each other, none when Levels are given

	Levels                         *costgen.Levels
	Sigma, SigmaV, Accel, MaxSpeed float64
	Rates                          *costgen.Rates
	Motion                         motion.Model
	Sensors                        []sensor.Sensor
	Model                          costgen.Leveled                           // nil: the one that is learnt
	Wrap                           func(g *costgen.Gaussian) costgen.Leveled // called while its results are in use
	Gate                           gating.Gate
	MaxMisses                      int // missed detections in a row that a track survives; 0: as many as are worth while; negative: none; more than 100,000: so many
	IgnoreVelocity                 bool
	Workers                        int   // goroutines; 0: one for each processor, but for one that is left to the scans while levels are learnt. It does not change the result
	MemoryLimit                    int64 // while levels are learnt

	FixedSensor bool // the sensor stands still, or goes straight on: nothing else is learnt of it

	Resolution float64 // of Track only
}

// Of are the options of a Tracker that knows and learns what [association.Track] would
// with o. What of o a Tracker has no use for is left out: those of engines and costs.
func Of(o *association.Options, lag int) *Options {
	model, _ := o.Model.(costgen.Leveled)
	return &Options{
		Lag: lag, Motion: o.Motion, Sensors: o.Sensors, Model: model, Wrap: o.Wrap, Levels: o.Levels, Sigma: o.Sigma, SigmaV: o.SigmaV, Accel: o.Accel, MaxSpeed: o.MaxSpeed, Rates: o.Rates, Gate: o.Gate,
		MaxMisses: o.MaxMisses, IgnoreVelocity: o.IgnoreVelocity, Workers: o.Workers, MemoryLimit: o.MemoryLimit, Resolution: o.Resolution,
		FixedSensor: o.FixedSensor,
	}
}

// batch are the options for learning.
func (o *Options) batch() *association.Options {
	return &association.Options{
		Sensors: o.Sensors, Model: o.Model, Wrap: o.Wrap,
		Levels: o.Levels, Sigma: o.Sigma, SigmaV: o.SigmaV, Accel: o.Accel, MaxSpeed: o.MaxSpeed, Rates: o.Rates, Gate: o.Gate,
		Motion: o.Motion, MaxMisses: o.MaxMisses, IgnoreVelocity: o.IgnoreVelocity, Workers: o.Workers, MemoryLimit: o.MemoryLimit, Resolution: o.Resolution,
		Isotropic:   true, // levels are learnt again and again
		Open:        true,
		FixedSensor: o.FixedSensor,
	}
}

// NewTracker makes a Tracker. A nil opts is Options{}. The error wraps
// association.ErrOptions.
func NewTracker(opts *Options) (*Tracker, error) {
	k := new(Tracker)
	if opts != nil {
		k.opts = *opts
	}
	o := &k.opts
	if err := o.batch().Validate(); err != nil {
		return nil, err
	}
	if o.Lag == 0 {
		o.Lag = 3
	}
	o.Lag = min(max(o.Lag, 0), math.MaxInt32)
	if o.WarmUp < 0 {
		return nil, fmt.Errorf("online: %w: %d scans to warm up with", association.ErrOptions, o.WarmUp)
	}
	if o.WarmUp == 0 && o.Levels == nil {
		o.WarmUp, k.lesson.longer = 20, 3
	}
	return k, nil
}

// Step takes the next scan, later than all before; it keeps a copy. An error
// names what is wrong with the scan, which is then left out; when ctx ends, the
// scan has been taken but the links around it may not be the best.
func (k *Tracker) Step(ctx context.Context, s *mtt.Scan) error {
	if s == nil {
		return fmt.Errorf("online: %w: it is nil", mtt.ErrScan)
	}
	scan := k.own(s)
	pair := []mtt.Scan{scan}
	if k.like != nil {
		pair = []mtt.Scan{*k.like, scan}
	}
	if err := mtt.ValidateAll(pair); err != nil {
		return fmt.Errorf("online: %w", err)
	}
	var like mtt.Scan
	switch {
	case scan.Len() > 0:
		like = scan.Pick([]int32{0})
	case k.like != nil: // empty scans tell nothing about what a scan has
		like = *k.like
		like.Frame, like.Time = scan.Frame, scan.Time
	default:
		like = scan
	}
	k.like = &like
	k.hold(&scan)
	if k.dark(&scan) {
		return k.wait(ctx, &scan)
	}
	k.remember(&scan)
	k.prolong()
	longer := k.several() && k.turns.count(scan.Sensor)
	var err error
	switch due := k.due(); {
	case due && k.atOnce():
		anew, err := k.learn(ctx, false)
		if err != nil {
			return err
		}
		if !k.lesson.steady {
			k.lesson.steady = k.lesson.seen > k.opts.WarmUp
			k.found()
			return k.again(ctx, k.recent)
		}
		longer = longer || anew
	case due:
		k.begin(ctx)
	}
	ripe := k.ripe(ctx)
	if !ripe {
		k.follow(ctx)
	}
	switch {
	case k.unheld():
	case ripe:
		if err = k.take(ctx); err == nil && !k.unheld() && k.alarmed() && !k.dear() {
			err = k.relearn(ctx, false)
		}
		if k.shifts != nil {
			scan = k.recent[len(k.recent)-1]
		}
	case longer && k.w != nil:
		err = k.turn(0)
	}
	if k.unheld() {
		return cmp.Or(err, k.afresh(ctx))
	}
	return cmp.Or(err, k.step(ctx, &scan))
}

// several reports whether more than one sensor is described.
func (k *Tracker) several() bool {
	return len(k.opts.Sensors) > 1 || k.opts.Levels != nil && k.opts.Levels.Sensing != nil
}

// own is a scan without what is not to be read, a copy where it is to be learnt from; the window
// has a copy of its own.
func (k *Tracker) own(s *mtt.Scan) mtt.Scan {
	own := *s
	if k.learning() {
		for _, list := range []*[]float64{&own.Pos, &own.Vel, &own.Cov, &own.VelCov, &own.Size, &own.Conf, &own.Feat} {
			*list = slices.Clone(*list)
		}
		own.Class = slices.Clone(own.Class)
	}
	if k.opts.IgnoreVelocity || k.opts.Motion == motion.Model(motion.Walk{}) || k.opts.Levels != nil && k.opts.Levels.PositionsOnly {
		own.Vel, own.VelCov = nil, nil
	}
	return own
}

// Flush settles everything: no scan follows. A scan after it begins anew, with the same levels, those
// of a warm-up that ended so learnt once more, and numbers that go on. What is being learnt is given
// up, and with it the goroutine that learns it; a Tracker that is left without a Flush has one until
// it has learnt. When ctx ends levels are not learnt any more, and that goroutine ends a little later:
// where there are no levels yet, nothing is settled, and its error returned.
func (k *Tracker) Flush(ctx context.Context) error {
	if k.study != nil {
		k.giveUp()
		k.lesson.next = k.lesson.seen // to be learnt with the next scan
	}
	if k.ending != nil {
		select {
		case <-k.ending:
		case <-ctx.Done():
		}
	}
	if !k.lesson.steady {
		if len(k.recent) == 0 {
			return nil
		}
		if _, err := k.learn(ctx, false); err != nil {
			return err
		}
		k.lesson.steady, k.lesson.next = true, k.lesson.seen // should one follow
		k.found()
		if err := k.again(ctx, k.recent); err != nil {
			return err
		}
	}
	for t := max(0, len(k.ids)-k.opts.Lag); t < len(k.ids); t++ {
		k.settle(t)
	}
	k.forget()
	return nil
}

// forget empties the window.
func (k *Tracker) forget() {
	k.w, k.ids, k.orders, k.thin, k.field = nil, nil, nil, 0, field{}
	k.names.forget()
	k.lapses.blank = 0
}

// Take yields what has been settled since the Take before, as parts of tracks and the times
// of their hits, s: hits of one number follow on those of that number before. The Tracker forgets them, so
// that its memory does not grow with the number of scans; Tracks yields from then on
// what is yet to be taken. A confirmed track begins with a hit that can be older than the lag.
// The parts belong to the caller.
func (k *Tracker) Take() iter.Seq2[mtt.Track, []float64] {
	tracks, times := k.tracks, k.times
	k.tracks, k.times, k.usual = nil, nil, len(tracks)
	k.taken++
	if k.w != nil && k.w.Len() > 0 {
		k.old(k.w.Scan(0).Frame)
	}
	return func(yield func(mtt.Track, []float64) bool) {
		for i := range tracks {
			if !yield(tracks[i], times[i]) {
				return
			}
		}
	}
}

// Tracks yields the confirmed tracks in the order of their numbers, as far as they
// are settled and not taken. They share memory with the Tracker: clone what is to be kept
// over the next Step.
func (k *Tracker) Tracks() iter.Seq[mtt.Track] {
	return func(yield func(mtt.Track) bool) {
		for i := range k.tracks {
			if !yield(k.tracks[i]) {
				return
			}
		}
	}
}

// Model says what the tracker knows: levels, gate, speed. It is nil before the first scan.
func (k *Tracker) Model() *association.Result { return k.model }

// Warnings says what went wrong while levels were learnt, a sentence for each time.
func (k *Tracker) Warnings() []string { return k.warnings }

// A Target is where a track is believed to be at the time of the last scan.
type Target struct {
	ID       int         // of the confirmed track; 0 before
	Det      int         // its detection in the last scan; -1: missed
	Missed   int         // scans since its last detection
	Pos, Vel [3]float64  // m, m/s: the first Dim elements
	Std      float64     // m: standard deviation of the position, in the direction where it is largest; NaN: not known, after one scan
	Cov      [21]float64 // of position and velocity, packed: the first Packed(2Dim) elements; NaN with Std

	// Existence is the probability that there is a target and that it is still there, given that
	// the links are right: of a young track by how much likelier its detections are so than as
	// false alarms, and less with every scan in which it was missed. After one scan it is a half
	// where nobody said how many are false.
	Existence float64
}

// faint is the least probability of existence with which a detection of the last scan that
// is in no track is a target.
const faint = 0.1

// Targets appends the targets that are believed to be there to dst: all tracks
// of two detections or more that are not deleted, and the detections of the last scan that are
// in none and may well be the first of one. The order is that of their last detections.
func (k *Tracker) Targets(dst []Target) []Target {
	if k.w == nil {
		return dst
	}
	links, last := k.w.Links(), k.w.Len()-1
	noise, alarms := k.unknown()
	state := new(motion.Estimate)
	for t := max(0, last-k.long); t <= last; t++ {
		k.listed = k.read(k.listed, t)
		for _, n := range k.listed {
			i, next := int(n), links.Next[t][n]
			lone := links.Prev[t][i] == chain.None
			if next != chain.None || lone && t < last {
				continue
			}
			target := Target{Det: -1, Missed: last - t, Existence: stillThere(k.w.Fate(chain.At(t, i))) / (1 + math.Exp(-k.w.Evidence(chain.At(t, i))))}
			if alarms {
				target.Existence = 0.5
			}
			if (lone || target.Missed > k.misses) && target.Existence < faint {
				continue
			}
			if target.Missed == 0 {
				target.Det = int(k.orders[t][i])
			}
			*state = motion.Estimate{}
			target.Std = math.Sqrt(k.w.Predict(state, chain.At(t, i), k.w.Scan(last).Time))
			copy(target.Pos[:], state.X[:state.Dim])
			for x, shift := range k.shifts.At(k.like.Frame) {
				target.Pos[x] += shift
			}
			copy(target.Vel[:], state.X[state.Dim:2*state.Dim])
			if target.Cov = state.P; noise {
				target.Std = math.NaN()
				for x := range target.Cov[:mtt.Packed(2*state.Dim)] {
					target.Cov[x] = math.NaN()
				}
			}
			for at := chain.At(t, i); at != chain.None && at != chain.Past; at = links.Prev[at.T][at.Det] {
				if id := k.ids[at.T][at.Det]; id >= 0 {
					target.ID = k.list[id].number
					break
				}
			}
			dst = append(dst, target)
		}
	}
	return dst
}

// stillThere is the probability that a target is there that was not detected for some scans: it stayed all
// the same, against all that left at some time.
func stillThere(left, there float64) float64 {
	if there+left == 0 { // targets never leave, and are never missed
		return 1
	}
	return there / (there + left)
}

// longest is the most missed detections in a row that a track survives where nobody
// says.
const longest = 20

// farthest is that where somebody does: each makes a price. mtt stream takes a lag of no more, either.
const farthest = 100_000

// start makes an empty window.
func (k *Tracker) start() {
	usual := longest
	if !k.several() { // of targets that are seen seldom, as of sensors that report seldom, tracks begin over more scans
		k.turns.between = 0
		if deep := learn.Deep(k.recent, &k.model.Levels.Rates); deep > 2*learn.Deepest {
			k.turns.between, usual = deep/2, max(longest, deep)
		}
	}
	switch k.misses = k.opts.MaxMisses; {
	case k.misses == 0 && k.model.Levels.Rates.Detect > 1-1e-9 && k.model.Levels.Sensing == nil:
	case k.misses == 0 && k.model.Levels.Sensing != nil:
		k.misses = learn.Over(learn.Deepest, k.turns.between)
	case k.misses == 0:
		k.misses = learn.Worthwhile(k.model.Levels, usual, k.model.Levels.Rates.MissRun)
	default:
		k.misses = min(max(0, k.misses), farthest)
	}
	like := k.model.Levels.ToldOne(k.like)
	k.cover()
	k.outlast()
	k.w = refine.NewWindow(k.model.Model.(costgen.Leveled), &like, k.model.Gate, k.size(),
		&refine.Options{Misses: k.misses, Lasting: k.long, Speed: k.model.MaxSpeed, Between: k.turns.between, Workers: k.opts.Workers})
}

// improved is the number of scans before the last whose links are improved: those that are not
// settled, and three at least, as that is what links of a track that begins rest on. Of scans that
// are tracked again with levels that are for good, that is all of them. In the warm-up it is the last
// of those that have links: what young tracks are is told by the multi-frame assignment of all of them.
func (k *Tracker) improved() int {
	switch {
	case !k.lesson.steady:
		return min(1+k.turns.between, max(0, k.w.Len()-2))
	case k.known > 0:
		return k.w.Len()
	}
	return k.unsettled()
}

// unsettled is improved once levels have been learnt.
func (k *Tracker) unsettled() int { return max(k.opts.Lag, 3*(1+k.turns.between)) }

// whole is the most scans that the window holds with all their detections.
func (k *Tracker) whole() int { return k.size() - k.long + k.misses }

// size is the most scans that the window holds: all that are tracked again, too.
func (k *Tracker) size() int {
	size := max(k.unsettled(), refine.Begun(k.turns.between)) + k.long + 3
	if k.known > 0 && k.lesson.steady {
		size = max(size, len(k.ids)+k.known+1)
	}
	return size
}

// step tracks one scan.
func (k *Tracker) step(ctx context.Context, s *mtt.Scan) error {
	if k.w == nil {
		k.start()
	}
	for k.w.Len() > k.size()-1 {
		delete(k.raw, k.w.Scan(0).Frame)
		k.w.Drop()
		k.drop(k.ids[0])
		k.ids, k.orders, k.thin = refine.Shift(k.ids), k.orders[1:], max(0, k.thin-1)
	}
	for ; k.known == 0 && k.thin < k.w.Len()-k.whole(); k.thin++ {
		k.w.Thin(k.thin, k.w.Len()-1-k.unsettled(), k.thinned)
	}
	if k.field.see(s, 6*k.model.Levels.Sigma); k.cover() {
		k.w.Reprice()
	}
	told, order := k.model.Levels.ToldOne(s), gating.ByPlace(s)
	told = told.Pick(order)
	if err := k.w.Add(&told); err != nil {
		return fmt.Errorf("online: %w", err)
	}
	k.orders = append(k.orders, order)
	k.ids = refine.Extend(k.ids, s.Len(), -1)
	err := cmp.Or(k.w.Extend(ctx), k.young(ctx))
	if k.complete() && k.engine != nil {
		k.offer(k.engine)
	}
	err = cmp.Or(err, k.w.Improve(ctx, k.improved()))
	k.settleNext()
	k.leave()
	k.lapsed()
	if err != nil {
		return fmt.Errorf("online: %w", err)
	}
	return nil
}

// A Result is what Track found.
type Result struct {
	*association.Result           // without an instance; Cost is NaN
	Latency             []float64 // s: of each step after the levels were learnt
}

// Track tracks all scans with a Tracker, as [association.Track] would without looking
// further ahead than the lag. Tracks are numbered alike.
//
// When ctx ends the tracks so far come back with an error that wraps ctx.Err(),
// once there are any.
func Track(ctx context.Context, scans []mtt.Scan, opts *Options) (*Result, error) {
	k, err := NewTracker(opts)
	if err != nil {
		return nil, err
	}
	var latency []float64
	for t := range scans {
		began, learnt := time.Now(), k.lesson.steady
		if err = k.Step(ctx, &scans[t]); err != nil {
			break
		}
		if learnt {
			latency = append(latency, time.Since(began).Seconds())
		}
	}
	err = cmp.Or(err, k.Flush(ctx))
	if k.model == nil || !k.lesson.steady {
		return nil, err
	}
	res := &Result{k.model, latency}
	slices.SortStableFunc(k.tracks, func(a, b mtt.Track) int {
		return cmp.Or(cmp.Compare(a.Hits[0].Frame, b.Hits[0].Frame), cmp.Compare(a.Hits[0].Det, b.Hits[0].Det))
	})
	for i := range k.tracks {
		k.tracks[i].ID = i + 1
	}
	res.Tracks, res.Plain, res.Cost = k.tracks, k.tracks, math.NaN()
	for _, s := range latency {
		res.Seconds.Solve += s
	}
	if err == nil {
		if k.shifts != nil {
			model, levels := *res.Result, *res.Levels
			levels.Shifts, model.Levels, model.Moved = k.shifts, &levels, k.moved
			res.Result = &model
		}
		given := scans
		scans = res.Levels.Told(scans)
		association.Place(res.Tracks, scans)
		res.Conclude(ctx, scans, k.opts.batch())
		res.Warnings = append(res.Warnings, k.warnings...)
		res.Merged, res.Resolution, err = merged.Find(ctx, scans, res.Tracks, res.Levels, k.opts.Resolution)
		association.Place(res.Tracks, given)
	}
	return res, err
}
