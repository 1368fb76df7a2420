package learn

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mtt"
	"mtt/costgen"
	"mtt/gating"
	"mtt/motion"
	"mtt/sensor"
)

// This file learns levels and speed from pilot runs on part of the scans.

// Options say what is known. The zero value is nothing.
type Options struct {
	// Levels, from an earlier result, say everything about noise and rates; nil: the
	// fields below do, and what they leave open is learnt.
	Levels *costgen.Levels

	Sigma    float64        // m: standard deviation of a measured position, per axis; 0: unknown
	SigmaV   float64        // m/s: of a measured velocity; 0: unknown
	Accel    float64        // root of the spectral density of process noise, see costgen.Levels; 0: unknown
	MaxSpeed float64        // m/s: of the fastest target; 0: unknown
	Rates    *costgen.Rates // what is 0 of them: unknown, Uneven where Hidden is

	// Motion is how targets move; nil: the likeliest of the motions that Motions lists.
	Motion motion.Model

	// Sensors are what mtt.Scan.Sensor is an index to; nil: there is one, which sees everything.
	// Detect and Clutter are learnt where they are 0. Of one of kind polar without Noise it is
	// learnt whether its noise is of range and bearing, see costgen.Polar.
	Sensors []sensor.Sensor

	// Gate is chosen from the levels when nil. A Mahalanobis gate without Sigma, and a
	// Disc without Margin, get theirs from them.
	Gate gating.Gate

	// Cost makes the model out of the prices of ends, for models in metres; nil: it is
	// costgen.Gaussian, and its levels are learnt.
	Cost func(ends costgen.Ends) costgen.Model

	Spent  func() bool                  // reports whether there is no time for another beginning, nor for other motions, nor to doubt turns: levels are those that were learnt by then; nil: there is
	Fitted func(hits int, turning bool) // is told when levels have been fitted to so many hits, and whether with manoeuvres; nil: nobody asks
	Sought func(hits int)               // is told in how many hits manoeuvres have been looked for, and twice how many for each search for their tails; nil: nobody asks

	Echoes   *costgen.Echoes // second detections of targets; nil: unknown
	NoEchoes bool            // and not looked for: who asks knows none

	Before *costgen.Levels // of earlier scans, when something seemed to have changed since; nil: nothing is asked. See Model.Changed

	NoMisses    bool // no target is ever missed
	Open        bool // scans follow in which may happen what never does in these: misses, births, deaths, false alarms and manoeuvres. Rates that are given stay
	FixedSensor bool // it stands still, or moves on a straight line: Levels.Shifts is not learnt
	Isotropic   bool // noise is the same along all directions and in all scans: Levels.Cov, Blur and Polar are not learnt
	Hasty       bool // counts of detections are not asked whether the scans are like what was learnt, nor where all scans have as many, where false alarms lie, nor tracks for the tails of manoeuvres: a third of the work

	sample *sample // of the scans; nil: none, see [window]
	tiles  []tile  // of which scans are; nil: they are whole
}

// A Model is what tracking needs to know.
type Model struct {
	Cost     costgen.Model
	Levels   *costgen.Levels // of the cost; nil unless it is costgen.Gaussian
	Gate     gating.Gate
	MaxSpeed float64 // m/s: of the fastest target
	Coasts   bool    // whether misses are part of the model

	Motions []Likelihood // of the motions that were compared, the one that was chosen first; nil: one was given

	Changed float64 // nat: by how much likelier than under Options.Before all that was detected is under Levels, beyond what these were fitted for; infinite where that is not known

	Moved  float64 // nat: by how much Levels.Shifts are likelier than a sensor that stands still; 0: there are none, or they were given
	Shaped float64 // nat: by how much Levels.Cov, with Blur or without, or Polar is likelier than noise that is the same along all directions and in all scans; 0: there is none, or it was given

	Unbelieved string // what is wrong with measured velocities, which are left unread or read through Levels.VelMap; "": nothing, or there are none

	Share float64 // of the triplets that a pilot keeps at most; 0: all

	by *learner // with the tracks that it was learnt from; nil: from parts, or it was known
}

// A Likelihood says how likely the tracks of a pilot are under a motion.
type Likelihood struct {
	Motion motion.Model
	Nats   float64 // log likelihood, of all detections that it was learnt from
}

// A Pilot tracks part of the scans, so that levels can be learnt from the tracks.
type Pilot interface {
	// Track tracks scans in a hurry. The cost is that of the tracks and of what they leave
	// over, under the model.
	Track(ctx context.Context, scans []mtt.Scan, m *Model) (tracks []mtt.Track, cost float64, err error)

	// Sum is Track with the cost of all ways to join the detections together: −log Σ exp(−cost).
	Sum(ctx context.Context, scans []mtt.Scan, m *Model) (tracks []mtt.Track, cost float64, err error)

	// Fits reports whether gate leaves at most the given number of triplets.
	Fits(ctx context.Context, scans []mtt.Scan, gate gating.Gate, triplets int) (bool, error)
}

// A learner settles the levels of the model.
type learner struct {
	*Options
	run     Pilot
	part    []mtt.Scan     // what it learns from
	size    int            // detections that part is to have, beside rules that ask for more
	later   [][]mtt.Scan   // what it learns noise, motion and speed from as well
	steady  bool           // nothing is missed, false, born or dead
	vel     bool           // velocities are measured
	partial bool           // but not along all directions
	boxes   bool           // detections are boxes in pictures
	told    bool           // scans tell covariances of their detections
	own     []own          // what the scans of each sensor say by themselves
	known   costgen.Levels // given, or measured directly; what is 0 is to be learnt
	levels  *costgen.Levels
	speed   float64 // m/s: of the fastest target
	usual   float64 // m/s: speed per axis that floors of noise are relative to; 0: that of the levels
	coasts  bool    // whether detections may be missed
	turn    int     // scans: some targets are seen in one of so many, others in each; 0: all are seen alike
	mirrors bool    // targets bounce
	uneven  bool    // targets and false alarms lie more densely in some places than in others

	optimism float64      // nat: by which the maps of false alarms and of targets say more of those they were learnt from than they should
	motions  []Likelihood // as last compared

	kinds    []kind      // of targets, where some are much faster than others; nil: they are of one
	estimate estimator   // of levels of the default motion; nil: costgen.Fit
	tracks   []mtt.Track // of part, that the levels were last learnt from
	before   []mtt.Track // of part, that levels which are given were learnt from; nil: not known
	nats     float64     // log likelihood of all that was detected, as evidence has it; NaN: not known
	plain    *learner    // as it was after its first course; nil: there was none
}

// An estimator estimates levels from tracks, as [costgen.Fit] does.
type estimator func(g *costgen.Levels, tracks []mtt.Track, time func(frame int) float64) bool

// Learn settles the model, the gate and the speed of the fastest target: given, or
// learnt. The scans must be valid.
func Learn(ctx context.Context, scans []mtt.Scan, opts *Options, run Pilot) (*Model, error) {
	first, last := lit(scans)
	part := scans[first:last]
	if len(part) == len(scans) || len(part) < 3 || opts.Open || len(opts.Sensors) > 1 || opts.Levels != nil {
		return all(ctx, scans, opts, run)
	}
	m, err := all(ctx, part, opts, run)
	if err != nil {
		return nil, err
	}
	if scans = watched(scans, first, last, m.Levels); len(scans) > len(part) {
		return all(ctx, scans, opts, run)
	}
	return m, nil
}

// all is Learn where all scans were looked at.
func all(ctx context.Context, scans []mtt.Scan, opts *Options, run Pilot) (*Model, error) {
	if err := checkFewer(ctx, scans, opts); err != nil {
		return nil, err
	}
	bare := opts.derived(scans)
	if bare {
		scans = WithoutVelocities(scans)
	}
	if s := sampleOf(scans, opts); s != nil {
		o := *opts
		o.sample, opts = s, &o
	}
	m, err := reading(ctx, scans, opts, run)
	switch {
	case err != nil:
	case bare:
		m.Unbelieved = repeated
	case opts.doubts(scans):
		m, err = believed(ctx, scans, opts, run, m)
	}
	if err == nil {
		err = m.survey(ctx, scans, opts)
	}
	if err == nil && opts.Before != nil {
		err = m.change(ctx, opts.Before)
	}
	return m, err
}

// reading is Learn where all that scans have is believed.
func reading(ctx context.Context, scans []mtt.Scan, opts *Options, run Pilot) (*Model, error) {
	places := opts.places(scans)
	opts = opts.alone()
	run = &remembering{Pilot: run}
	m, err := still(ctx, scans, opts, run)
	if err != nil {
		return nil, err
	}
	if m, opts, err = echoing(ctx, scans, opts, run, m); err != nil {
		return nil, err
	}
	if m, err = moving(ctx, scans, opts, run, m); err != nil {
		return nil, err
	}
	if m, err = carried(ctx, scans, opts, run, m); err != nil {
		return nil, err
	}
	m, taken, err := coarse(ctx, scans, opts, run, m)
	if err == nil && !taken {
		m, err = shaped(ctx, scans, opts, run, m, places)
	}
	if err == nil {
		m, err = blurred(ctx, scans, opts, run, m)
	}
	if err == nil && opts.Open && opts.Levels == nil {
		m.open(scans, opts)
	}
	return m, err
}

// still is Learn with the sensor at rest.
func still(ctx context.Context, scans []mtt.Scan, opts *Options, run Pilot) (*Model, error) {
	if opts.Levels == nil && partial(scans) {
		return fromPositions(ctx, scans, opts, run)
	}
	if opts.Levels == nil && opts.Cost == nil && len(opts.Sensors) == 0 {
		if sure, index := sure(scans); sure != nil && !vast(scans) {
			return fromSure(ctx, scans, sure, index, opts, run)
		}
	}
	return learn(ctx, scans, opts, run)
}

// learn is Learn with every detection weighing the same.
func learn(ctx context.Context, scans []mtt.Scan, opts *Options, run Pilot) (*Model, error) {
	if opts.Levels == nil && opts.Cost == nil && len(opts.Sensors) == 0 {
		if large(scans) {
			levels, l, err := fromTiles(ctx, scans, opts, run)
			if err != nil {
				return nil, err
			}
			m, err := learnt(ctx, scans, levels, l.motions, opts, run)
			if err == nil && l.tiles == nil {
				m.by.before = l.tracks
			}
			return m, err
		}
	}
	l := newLearner(scans, opts, run, steady(scans) && (Velocities(scans) || !inTurn(scans)))
	if err := l.settle(ctx, scans); err != nil {
		return nil, err
	}
	m := &Model{MaxSpeed: l.speed, Gate: l.gate(l.levels, l.speed), Motions: l.motions, by: l}
	if l.Cost != nil {
		m.Cost = l.Cost(metric(l.steady, l.length()))
	} else {
		m.Cost, m.Levels = &costgen.Gaussian{Levels: *l.levels}, l.levels
	}
	// Where misses come in runs of one kind, as of a sensor that looks in every second scan, a miss
	// after a detection may be likelier than another detection, and a link over it cheaper than one
	// without.
	m.Coasts = l.coasts && (m.Cost.Ends().Miss > 0 || m.Levels != nil && m.Levels.Sensing == nil)
	return m, nil
}

// learnt is learn where levels are known, and motions were compared, from elsewhere.
func learnt(ctx context.Context, scans []mtt.Scan, levels *costgen.Levels, motions []Likelihood, opts *Options, run Pilot) (*Model, error) {
	o := *opts
	o.Levels = levels
	m, err := learn(ctx, scans, &o, run)
	if err == nil {
		m.Motions = motions
	}
	return m, err
}

// settle settles levels and the speed of the fastest target, as far as they are not given.
func (l *learner) settle(ctx context.Context, scans []mtt.Scan) error {
	if err := l.settleLevels(ctx, scans); err != nil {
		return err
	}
	return l.settleSpeed(ctx, scans)
}

// settleLevels is settle for levels, and the speed that tracks show.
func (l *learner) settleLevels(ctx context.Context, scans []mtt.Scan) error {
	if l.Levels == nil && len(scans) > 2 && (l.Cost == nil || l.Gate == nil) {
		begin, levels := *l, *l.levels
		begin.levels, begin.own = &levels, slices.Clone(l.own)
		if err := l.learn(ctx); err != nil {
			return err
		}
		if err := l.recounted(ctx, scans, &begin); err != nil {
			return err
		}
		if err := l.freely(ctx, scans, &begin); err != nil {
			return err
		}
		if err := l.oftener(ctx); err != nil {
			return err
		}
		if err := l.barely(ctx); err != nil {
			return err
		}
		if err := l.clouded(ctx); err != nil {
			return err
		}
		if err := l.scattered(ctx, &begin); err != nil {
			return err
		}
	}
	if l.Levels == nil && len(scans) == 2 {
		l.fromTwo(scans)
	}
	if l.Levels == nil && len(scans) > 2 && len(scans) <= fewScans {
		if err := l.fromFew(ctx, scans); err != nil {
			return err
		}
	}
	return nil
}

// settleSpeed is settle for the speed, once there are levels.
func (l *learner) settleSpeed(ctx context.Context, scans []mtt.Scan) (err error) {
	if l.Gate == nil && !l.vel && !l.fast() && !walks(l.levels) {
		l.speed, err = l.widen(ctx, scans)
	}
	l.levels.MaxSpeed = l.speed
	return err
}

// recounted learns anew where counts of detections speak against what was learnt. begin is what l
// was before it saw tracks.
func (l *learner) recounted(ctx context.Context, scans []mtt.Scan, begin *learner) error {
	if l.Hasty || l.spent() {
		return nil
	}
	if err := l.unsteady(ctx, scans, begin); err != nil || l.spent() {
		return err
	}
	if err := l.more(ctx, scans); err != nil || l.spent() {
		return err
	}
	return l.fewer(ctx, scans)
}

// unsteady learns anew where all scans have equally many detections but tracks break, or jump, or
// an end pays whatever it costs: targets may come as others go, or leave a periodic box on one side
// and enter on another, with nothing missed or false or else with both, or be seen by turns. What
// comes of it is taken where all detections together are likelier for it and what tracks leave over
// is followed by nothing: where steps are long and lives short, levels learnt from wrong links are
// worth less than none, and all would pass for false alarms. begin is what l was before it saw
// tracks.
func (l *learner) unsteady(ctx context.Context, scans []mtt.Scan, begin *learner) error {
	if !l.steady {
		return nil
	}
	turned := turnOf(l.part) > 0 || single(l.part) && recurrenceOf(l.part).scans != 1 // each turn may have as many
	if !turned && !l.broken() && !l.jump() {
		// What tracks say that may go wrong everywhere is no evidence.
		if births, err := begin.replaced(ctx, l.part, begin.asLearnt(l.levels.Motion), begin.speed); err != nil || births == 0 {
			return err
		}
	}
	o := *l.Options
	d := l.levels.Rates.Detect
	o.NoMisses, o.Rates = true, &costgen.Rates{Detect: d, Hidden: 1 - d, Clutter: l.levels.Rates.Clutter}
	tries := []*Options{&o, l.Options}
	if turned {
		tries = tries[1:]
	}
	for _, opts := range tries {
		other := newLearner(scans, opts, l.run, false)
		if err := other.learn(ctx); err != nil {
			return err
		}
		nats, err := other.over(ctx, l)
		if err != nil {
			return err
		}
		if nats <= 0 {
			break // what says less of equal counts even less so
		}
		if _, errors := other.followedOf(other.tracks); errors > shown {
			break // what it takes for false alarms are targets that it excludes
		}
		*l = *other
	}
	return nil
}

// asLearnt are the levels that l begins with, without any association; under a walk, if that is the
// motion m that was learnt and targets seem to wander. As far as they get in a step is all that a
// walk is then told: under a velocity that is nearly constant every step of it would be a bend, at
// which to end pays.
func (l *learner) asLearnt(m motion.Model) *costgen.Levels {
	if m != walk || !l.wanders() {
		return l.levels
	}
	g := *l.levels
	g.Motion, g.Accel, g.SpeedStd = walk, cmp.Or(l.Accel, g.SpeedStd*math.Sqrt(l.own[0].dt)), 0
	return &g
}

// broken reports whether a track begins after the first scan or ends before the last.
func (l *learner) broken() bool {
	first, last := l.part[0].Frame, l.part[len(l.part)-1].Frame
	return slices.ContainsFunc(l.tracks, func(t mtt.Track) bool {
		return t.Hits[0].Frame > first || t.Hits[len(t.Hits)-1].Frame < last
	})
}

// jump reports whether a track seems to jump: one of its links is longer than any would be if steps
// were normal, of a median that is the shorter one of those of all links and of all detections to
// their successors, or the lower quartile of the track if that is longer.
func (l *learner) jump() bool {
	const chance = 0.1 // that one of normal steps is longer
	var all []float64
	lengths := make([][]float64, len(l.tracks))
	for i := range l.tracks {
		tr := &l.tracks[i]
		for h := 1; h < len(tr.Hits); h++ {
			lengths[i] = append(lengths[i], distance(tr.At(h), tr.At(h-1)))
		}
		slices.Sort(lengths[i])
		all = append(all, lengths[i]...)
	}
	if len(all) == 0 {
		return false
	}
	slices.Sort(all)
	usual := all[len(all)/2]
	if !l.vel {
		usual = min(usual, l.length()/2)
	}
	factor := math.Sqrt(math.Log(float64(len(all))/chance) / math.Ln2) // of the median: lengths of normal steps in a plane are of Rayleigh's distribution
	return slices.ContainsFunc(lengths, func(of []float64) bool {
		n := len(of)
		return n > 0 && of[n-1] > factor*max(usual, of[n/4])
	})
}

// fast reports whether the speed of the fastest target is given.
func (l *learner) fast() bool { return l.MaxSpeed > 0 || l.Levels != nil && l.Levels.MaxSpeed > 0 }

// newLearner begins with what was given, and for the rest with what shows without any association.
// Where equal, equal counts are taken to say that nothing is missed, false, born or dead.
func newLearner(scans []mtt.Scan, opts *Options, run Pilot, equal bool) *learner {
	l := &learner{Options: opts, run: run, size: opts.enough(), steady: equal && opts.Rates == nil, nats: math.NaN(), vel: Velocities(scans), partial: partial(scans), speed: opts.MaxSpeed}
	if s := opts.sample; s != nil && s.scans == len(scans) {
		l.size = s.size
		l.part, l.later = s.windows(scans)
	} else {
		from := calm(scans, l.size)
		l.part, l.later = window(from, l.size, dozen), later(from, l.size)
	}
	if l.speed == 0 && opts.Levels != nil {
		l.speed = opts.Levels.MaxSpeed
	}
	l.boxes = slices.ContainsFunc(scans, func(s mtt.Scan) bool { return s.Size != nil })
	l.told = l.learnsNoise(scans) || opts.Levels != nil && opts.Levels.Cov != [6]float64{} || slices.ContainsFunc(scans, func(s mtt.Scan) bool { return s.Cov != nil || s.VelCov != nil })
	l.coasts = !opts.NoMisses && !l.steady
	dt := interval(scans)
	if l.own = []own{{part: l.part, length: 2 * tiny, dt: dt}}; opts.Levels == nil || l.speed == 0 || opts.Cost != nil {
		l.own = l.ofSensors(dt)
	}
	if opts.MaxSpeed > 0 && opts.Sigma > 0 { // what lies nearest may be another target's
		for k := range l.own {
			o := &l.own[k]
			most := opts.MaxSpeed*o.dt + 4*math.Sqrt2*opts.Sigma
			o.length, o.wide = min(o.length, most), min(o.wide, most)
		}
	}
	half := l.length() / 2
	if l.speed == 0 {
		for _, o := range l.own {
			l.speed = max(l.speed, 2*max(o.length, o.wide)/o.dt)
		}
		if l.vel {
			l.speed += maxSpeed(scans)
		}
	}
	if opts.Levels != nil {
		g := *opts.Levels
		g.Dim = cmp.Or(g.Dim, dimension(scans))
		g.Interval = cmp.Or(g.Interval, 1)
		l.levels = &g
		return l
	}
	l.known = l.given(scans)
	fresh := l.known
	g := &fresh
	g.Rates = l.said(guess(scans, half, equal))
	if l.vel {
		start(&g.Sigma, half/3)
		start(&g.SigmaV, half/3/dt)
	} else {
		g.SpeedStd = half / 1.18 / dt
		start(&g.Sigma, 0.1*half)
	}
	start(&g.Accel, 0.1*g.SpeedStd/math.Sqrt(dt))
	l.floor(g)
	l.levels = g
	l.sense(nil)
	l.noises(scans)
	return l
}

// given are the levels that were given or are measured directly; the others are 0.
func (l *learner) given(scans []mtt.Scan) costgen.Levels {
	g := costgen.Levels{
		Sigma: l.Sigma, SigmaV: l.SigmaV, Accel: l.Accel, Motion: l.Motion, Echoes: l.Echoes,
		Dim: dimension(scans), Interval: interval(scans), PositionsOnly: !l.vel,
	}
	if !l.learnsNoise(scans) {
		var position, velocity costgen.Typical
		for t := range scans {
			position.Add(scans[t].Dim, scans[t].Cov)
			velocity.Add(scans[t].Dim, scans[t].VelCov)
		}
		if v := position.Sigma(); v > 0 {
			g.Sigma = v
		}
		if v := velocity.SigmaV(); v > 0 && l.vel {
			g.SigmaV = v
		}
	}
	if l.Rates != nil {
		g.Rates = *l.Rates
	}
	if l.vel && !l.partial {
		g.SpeedStd = speedStd(scans, g.SigmaV)
	}
	return g
}

// learn tracks part of the scans, first with a cost that needs no levels, then with
// the levels learnt so far, and learns from the tracks. Where another motion than the
// default explains these better, or targets seem to wander, it is learnt from tracks of its
// own: tracks that a motion has made speak for it. Then the one is taken under which all
// that was detected is likelier by itself.
func (l *learner) learn(ctx context.Context) error {
	noise := l.known.Sigma > 0 && (!l.vel || l.known.SigmaV > 0)
	motions := l.candidates()
	begin := *l
	var early map[motion.Model]*costgen.Levels // of motions that are likelier for tracks that no motion made
	if !noise || !l.vel {
		tracks, err := l.first(ctx, motions[0])
		if err != nil {
			return err
		}
		early = l.compare(motions, tracks)
	}
	if noise && l.Accel > 0 && l.all() {
		return nil
	}
	if err := l.course(ctx, motions[0]); err != nil {
		return err
	}
	if err := l.byTurns(ctx, &begin, motions[0]); err != nil {
		return err
	}
	seldom, err := l.seldom(ctx, begin, motions[0])
	if err != nil {
		return err
	}
	plain := *l
	l.plain, begin.plain = &plain, &plain
	if !seldom && (!noise || !l.vel) && !(l.Hasty && l.steady) { // of what is seldom seen, a first pilot finds nothing
		if err := l.otherwise(ctx, begin, motions[0]); err != nil {
			return err
		}
		if err := l.crossed(ctx, motions[0]); err != nil {
			return err
		}
		if err := l.finer(ctx, begin, motions[0]); err != nil {
			return err
		}
		if err := l.along(ctx, begin, motions[0]); err != nil {
			return err
		}
	}
	if err := l.straight(ctx, motions[0]); err != nil || l.spent() {
		return err
	}
	if err := l.faster(ctx, motions[0]); err != nil {
		return err
	}
	first := *l
	if len(motions) > 1 {
		if err := l.likeliest(ctx, motions, begin, early); err != nil {
			return err
		}
	}
	if walks(l.levels) && motions[0] != walk {
		likeliest := *l
		if err := l.turning(ctx, &likeliest, walk); err != nil {
			return err
		}
	}
	if l.spent() {
		return nil
	}
	if err := l.turning(ctx, &first, motions[0]); err != nil || l.spent() {
		return err
	}
	if err := l.bouncing(ctx, &first, motions[0]); err != nil || l.spent() {
		return err
	}
	return l.heavier(ctx)
}

// spent reports whether there is time for nothing else.
func (l *learner) spent() bool { return l.Spent != nil && l.Spent() }

// likeliest takes the motion under which all that was detected is likelier than under the default:
// of those that explain its tracks better, of the early ones, and of a walk where targets wander (see under).
func (l *learner) likeliest(ctx context.Context, motions []motion.Model, begin learner, early map[motion.Model]*costgen.Levels) error {
	others := l.compare(motions, l.tracks)
	for m, g := range early {
		if others[m] == nil {
			l.carry(g)
			others[m] = g
		}
	}
	wanders := l.wanders()
	if len(others) == 0 && !wanders {
		return nil
	}
	list := l.motions
	most, err := l.evidence(ctx)
	if err != nil {
		return err
	}
	for k := len(list) - 1; k >= 0; k-- {
		list[k].Nats += most - list[0].Nats
	}
	best := *l
	for _, m := range motions[1:] {
		tried, err := l.under(ctx, m, &begin, &best, wanders, others[m])
		if err != nil {
			return err
		}
		if tried == nil {
			continue
		}
		more, err := tried.over(ctx, &best)
		if err != nil {
			return err
		}
		list = slices.DeleteFunc(list, func(other Likelihood) bool { return other.Motion == m })
		least := 0.0
		if m != walk { // which knows less, not more, than those before
			least = worth * float64(hits(best.tracks))
		}
		if more > least {
			best = *tried
			list = slices.Insert(list, 0, Likelihood{m, tried.nats})
		} else {
			list = append(list, Likelihood{m, tried.nats})
		}
	}
	*l = best
	l.motions = list
	return nil
}

// under is what is learnt under motion m; nil: nothing speaks for the motion, or
// there is no time. It goes on from best, with the levels that were fitted to its tracks under m;
// nil: they do not speak for m. Where targets wander a walk begins anew, from begin, with one step
// for all, as long as targets are apart. Where some walk much farther than others its first tracks
// are of the slow ones, whose levels make false alarms of the others; the default, whose tracks can
// turn, has tracks of all. So where a walk that began anew leaves targets out, or is less likely
// than best, it goes on from best as well, and the likelier of both is taken: both without a map of
// where targets and false alarms lie, or both with one, as that alone may make tracks in pieces likelier.
func (l *learner) under(
	ctx context.Context, m motion.Model, begin, best *learner, wanders bool, fitted *costgen.Levels,
) (of *learner, err error) {
	if wanders && m == walk && !l.spent() {
		anew := *begin
		if _, err := anew.first(ctx, m); err != nil {
			return nil, err
		}
		if err := anew.again(ctx, anew.levels, m); err != nil {
			return nil, err
		}
		of = &anew
	}
	if fitted == nil || l.spent() {
		return of, nil
	}
	from := *best
	if of != nil {
		more, err := of.over(ctx, best)
		if err != nil || more > 0 && of.excluded(of.tracks) == 0 {
			return of, err
		}
		levels := *fitted
		levels.Places, fitted = of.levels.Places, &levels
		from.uneven = of.uneven
	}
	from.estimate = nil // who keeps a velocity without turns may jump where it has none
	if err := from.again(ctx, fitted, m); err != nil || of == nil {
		return &from, err
	}
	if more, err := from.over(ctx, of); err != nil || more > 0 {
		return &from, err
	}
	return of, nil
}

// followed is the share of the detections that are followed by another of their targets, as far as
// that shows clearly without association; 0: it does not.
func (l *learner) followed() float64 {
	var successors, looked float64
	for _, o := range l.own {
		self := selfPartWithin(o.part, 1, manyPairs, math.Inf(1), 0)
		if z, n := self.clear(); z > shown {
			successors += n
		}
		looked += self.looked
	}
	return successors / max(1, looked)
}

// many is the share of detections that are false from which on tracks are taken to have some of them.
const many = 0.1

// littered reports whether many detections are false.
func (l *learner) littered() bool {
	return l.levels.Rates.Clutter*float64(len(l.part)) > many*count(l.part)
}

// otherwise begins anew where many detections are false, or may have been taken for targets that
// turn now and then, and takes what comes of it where all detections together are likelier for it:
// once with places where targets and false alarms lie, each more densely than elsewhere, and where
// many are false, once more with links so short that half of the targets have none longer.
// False alarms that a first pilot took for targets widen the levels, and these let in more of them.
// Whether there is time is asked before the work that says with what to compare.
func (l *learner) otherwise(ctx context.Context, begin learner, m motion.Model) error {
	if l.spent() {
		return nil
	}
	littered := l.littered()
	var share float64 // of the detections that are followed by others, where these are few
	if turns := l.levels.ManoeuvreProb; littered || turns > 0.5 {
		if share = l.followed(); share > 0.5 {
			share = 0
		}
		littered = littered || share > 0
		if !littered { // it is the motion that is another
			return nil
		}
	} else if turns < 0.1 {
		return nil
	}
	var err error
	if l.nats, err = l.plain.evidence(ctx); err != nil {
		return err
	}
	try := func(begin learner) error {
		if l.spent() {
			return nil
		}
		if _, err := begin.first(ctx, m); err != nil {
			return err
		}
		_, err := l.yields(ctx, &begin, begin.levels, m, 0)
		return err
	}
	if begin.uneven = len(l.Sensors) == 0 && !l.steady; begin.uneven { // each of several has a field of its own, and where counts are equal nothing is false
		err = try(begin)
	}
	if err == nil && littered {
		even := !l.uneven
		begin = l.short(begin, share)
		if begin.uneven = l.uneven || share > 0 && len(l.Sensors) == 0; begin.uneven {
			err = try(begin)
		}
		if begin.uneven = false; err == nil && even { // where false alarms were taken for targets it was no evidence for places
			err = try(begin)
		}
	}
	return err
}

// short is a beginning with links so short that half of the targets have none longer. Where few
// detections are followed by others, these are the targets that show, and it begins with as many as
// show, unless equal counts say that all are targets.
func (l *learner) short(begin learner, share float64) learner {
	begin.own = slices.Clone(l.own)
	for k := range begin.own {
		o := &begin.own[k]
		self := newSelfPart(o.part, 1)
		if share > 0 {
			self = selfPartWithin(o.part, 1, manyPairs, math.Inf(1), 1)
		}
		o.length, o.wide = 2*max(self.core(), tiny), 0
	}
	if share > 0 && len(l.Sensors) == 0 && !l.steady {
		g := *begin.levels
		g.Rates = l.said(among(&g.Rates, share))
		begin.levels = &g
	}
	return begin
}

// course tracks part of the scans twice under a motion, and learns its levels and rates from the
// tracks: of many scans a few the first time, as their tracks are made again. Where positions in
// those few seem exact the first time is of all as well: between two pictures that somebody
// annotated all targets go straight on, and only in others do they turn.
func (l *learner) course(ctx context.Context, m motion.Model) error {
	least := 0
	if !l.vel {
		least = dozen * Usual(&l.levels.Rates) // scans in which targets that are seen seldom are seen a few times
	}
	some := *l
	exact := true
	if len(l.Sensors) == 0 && len(window(l.part, l.size/2, least)) < len(l.part) {
		some.part, some.later = window(l.part, l.size/8, max(dozen/2, least)), nil
		if err := some.leg(ctx, m, false); err != nil {
			return err
		}
		exact = l.known.Sigma == 0 && m != walk && some.exact() // every step of a walk says how far targets go
	}
	if exact {
		if err := l.leg(ctx, m, false); err != nil || len(l.tracks) == 0 && len(l.later) == 0 {
			return err // rates that say nothing is a target find none
		}
	} else {
		some.part, some.later = l.part, l.later
		*l = some
	}
	return l.leg(ctx, m, !l.Hasty)
}

// exact reports whether the noise is no more than that of rounding, or at its floor.
func (l *learner) exact() bool {
	if exact, _ := AtFloor(l.levels); exact || len(l.tracks) == 0 {
		return exact
	}
	least := costgen.Rounding(l.levels, l.tracks, Times(l.part))
	return l.levels.Sigma <= 1.01*max(least[0], least[1], least[2])
}

// leg tracks part of the scans under a motion, and learns from the tracks.
func (l *learner) leg(ctx context.Context, m motion.Model, last bool) error {
	model := l.model(l.levels)
	tracks, _, err := l.pilot(ctx, l.part, model)
	if err != nil {
		return err
	}
	parts := []stretch{{l.part, tracks}}
	for _, part := range l.later { // targets may move otherwise by then
		more, _, err := l.pilot(ctx, part, model)
		if err != nil {
			return err
		}
		parts = append(parts, stretch{part, more})
	}
	l.tracks, l.nats = tracks, math.NaN()
	scans, all := together(parts)
	if l.fit(scans, all, m, last); !l.steady {
		if l.size == l.enough() {
			parts = parts[:1]
		}
		l.recountIn(parts...)
	}
	return nil
}

// recount counts rates in the tracks of part of the scans, and learns from them where targets come
// and go and what a confidence is worth.
func (l *learner) recount(tracks []mtt.Track) { l.recountIn(stretch{l.part, tracks}) }

// recountIn is recount for the large window and others: what rates of several sensors are is of the
// large one.
func (l *learner) recountIn(parts ...stretch) {
	tracks := parts[0].tracks
	if !l.all() {
		l.levels.Rates = l.countedIn(parts...)
		l.sense(tracks)
	}
	l.placesIn(parts...)
	l.levels.Confidence = costgen.FitConfidence(together(parts))
	l.levels.Occlusion = costgen.FitOcclusion(l.levels, l.part, tracks)
	if l.partial {
		l.levels.AlarmSpeed = costgen.FitAlarms(l.part, tracks, l.levels.SpeedStd)
	}
}

// places learns from tracks where targets come and go and, where they lie unevenly, where
// targets and false alarms are. With no tracks yet any detection may be of either.
func (l *learner) places(tracks []mtt.Track) { l.placesIn(stretch{l.part, tracks}) }

// placesIn is places for several windows.
func (l *learner) placesIn(parts ...stretch) {
	p, size, volume := costgen.Places{}, 6*l.levels.Sigma, l.levels.Rates.Volume
	windows := make([][]mtt.Scan, len(parts))
	for k := range parts {
		windows[k] = parts[k].scans
	}
	scans, all := together(parts)
	if of := costgen.FitPlaces(scans, all, size, windows...); of != nil {
		p = *of
	}
	if l.optimism = 0; l.uneven {
		p.Clutter, l.optimism = costgen.FitClutter(scans, all, size, volume, windows...)
		if p.Targets = p.Clutter; all != nil {
			var more float64
			p.Targets, more = costgen.FitTargets(scans, all, size, volume, windows...)
			l.optimism += more
		}
	}
	l.levels.Places = nil
	if p != (costgen.Places{}) {
		l.levels.Places = &p
	}
}

// model is the Gaussian model of levels, with its gate.
func (l *learner) model(g *costgen.Levels) *Model {
	return &Model{Cost: &costgen.Gaussian{Levels: *g}, Levels: g, Gate: l.gate(g, l.speed), Coasts: l.coasts}
}

// evidence is the log likelihood of all that was detected in part of the scans under the levels,
// whichever way it is joined: by the best way alone, levels under which targets are false alarms
// would be favoured, as false alarms are joined in one way only.
func (l *learner) evidence(ctx context.Context) (nats float64, err error) {
	if math.IsNaN(l.nats) {
		_, l.nats, err = l.weigh(ctx)
	}
	return l.nats, err
}

// weigh is evidence, with the tracks that say it.
func (l *learner) weigh(ctx context.Context) (tracks []mtt.Track, nats float64, err error) {
	g := *l.levels
	if g.Places != nil {
		g.Places = &costgen.Places{Clutter: g.Places.Clutter, Targets: g.Places.Targets} // the rest is relative to tracks of its own
	}
	tracks, cost, err := l.sum(ctx, l.part, l.model(&g))
	links := float64(hits(tracks) - len(tracks))
	r, steps := &l.levels.Rates, float64(len(l.part)-1)
	// What prices leave out: that each link is smooth.
	nats = links*g.Usual() - cost - l.optimism - r.Targets - steps*r.Births - (steps+1)*r.Clutter - g.Echoes.Expected(l.part) + l.confident() + l.ofKinds(tracks) - l.excluded(tracks)
	return tracks, nats, err
}

// excluded is what targets that tracks leave over take from the evidence, nat: [left] for every
// successor among the detections that are left over, but for what chance alone shows. Levels that
// fit some targets well and take all others for false alarms are likelier than those that fit all
// of them, each a little worse, as no motion is quite that of the targets: but a target that is
// left out is lost.
func (l *learner) excluded(tracks []mtt.Track) float64 {
	if few(l.part) { // while a sensor shakes, all that it breaks looks left out
		return 0
	}
	return l.leftOut(tracks)
}

// few reports whether scans are too few to say of what is left over that it is of targets.
func few(scans []mtt.Scan) bool { return len(scans) < 20 }

// leftOut is excluded of however few scans. The radius is that within which most seem to be
// followed, by their standard error e. Chance alone has z errors at some radius: by the logarithm
// of the pairs within it their excess, in errors, is an Ornstein-Uhlenbeck process, which exceeds z
// by φ(z)/2 for each unit [1], on average; of false alarms alone the most is 1.8, and 3 in one of
// ten scenes. And among many alarms e is some hundreds. So many errors are luck that no more than a
// nat or so is taken by chance: left·e·φ(z) = 1, and z is 2.1 where a dozen pairs say it, and 3.7
// where 200,000 do.
//
// [1] Rice. Mathematical analysis of random noise. Bell System Technical Journal 24, 1945.
func (l *learner) leftOut(tracks []mtt.Track) float64 {
	successors, errors := l.followedOf(tracks)
	if errors <= 0 {
		return 0
	}
	luck := math.Sqrt(2 * math.Log(max(left*successors/errors/math.Sqrt(2*math.Pi), 1)))
	return left * successors * max(0, 1-luck/errors)
}

// left is the log likelihood that a link of a target that is left out costs. On 140 scenes drawn by
// lot 20.0 % of the links are wrong with 0, and 18.5 with 5; where it only chose among the levels
// that were tried with 0, 22.8 with 0, 19.7 with 2, and 19.1 to 19.3 with 3 to 8, the best of them
// being 17.7.
const left = 5

// confident is the log likelihood of how confident the detector is of all detections, had each the
// confidence of those of targets, over that among all: prices say how much likelier false alarms
// make it.
func (l *learner) confident() (nats float64) {
	m := l.levels.Confidence
	if m == nil {
		return 0
	}
	rate := min(l.levels.Rates.Clutter*float64(len(l.part))/count(l.part), 1)
	for t := range l.part {
		for _, c := range l.part[t].Conf {
			nats -= math.Log1p(rate * math.Expm1(m.At([]float64{c})))
		}
	}
	return nats
}

// first learns levels from a first pilot run, whose tracks it returns: under a random walk where that is the
// motion, else with a cost that needs no levels, of the scans of each sensor by themselves.
func (l *learner) first(ctx context.Context, m motion.Model) ([]mtt.Track, error) {
	var tracks []mtt.Track
	track := func(scans []mtt.Scan, model *Model) (left float64, err error) {
		more, _, err := l.pilot(ctx, scans, model)
		tracks = append(tracks, more...)
		left = count(scans)
		for i := range more {
			if n := len(more[i].Hits); n > 1 {
				left -= float64(n)
			}
		}
		return (left + 0.5) / float64(len(scans)+1), err
	}
	if m == walk {
		g := *l.levels
		g.Motion, g.SpeedStd = m, 0
		g.Accel = cmp.Or(l.known.Accel, l.length()/2/1.18/math.Sqrt(g.Interval)) // of a median of two normal coordinates
		g.Sigma = cmp.Or(l.known.Sigma, 0.1*l.length())
		if _, err := track(l.part, l.model(&g)); err != nil {
			return nil, err
		}
	} else {
		l.own = slices.Clone(l.own)
		for k := range l.own {
			o := &l.own[k]
			gate := gating.Gate(gating.Ball{Radius: max(1.25*o.length, o.wide) + 4*math.Sqrt2*l.known.Sigma})
			if l.vel {
				gate = gating.Mahalanobis{Sigma: o.length / 2, SigmaV: o.length / 2 / o.dt, Noise: 0.2 * l.levels.SpeedStd / math.Sqrt(o.dt)}
			}
			left, err := track(o.part, &Model{Cost: &costgen.Trapezoid{Prices: metric(l.steady, max(o.length, o.wide))}, Gate: gate})
			if err != nil {
				return nil, err
			}
			if len(l.own) > 1 {
				o.alarms = left
			}
		}
	}
	if l.fit(l.part, tracks, m, false); l.uneven {
		l.places(nil)
	}
	return tracks, nil
}

// wanders reports whether targets seem to move as a random walk does: how far they get
// grows with the root of time. Of large scans some pairs are those of a few detections only, of
// which chance says either, and tracks of a walk that is none take long: so where these are not
// all, more are looked at, those that lie near. A quarter of so many says it as surely, and more
// rightly where some are missed or false: then fewer than half have a successor two scans later.
func (l *learner) wanders() bool {
	if l.vel {
		return false
	}
	o := &l.own[0]
	var next, second *selfPart
	var beyond float64 // successors that are not found are as far
	shares := [...]float64{0.5, 0.25}
	if pairCount(o.part, 1) < somePairs {
		next, second = newSelfPart(o.part, 1), newSelfPart(o.part, 2)
	} else {
		shares = [...]float64{0.25, 0.5}
		beyond = 2 * o.length // four times as far as in a step
		next, second = selfPartWithin(o.part, 1, manyPairs, beyond, 1), selfPartWithin(o.part, 2, manyPairs, beyond, 1)
	}
	for _, share := range shares {
		near, far := next.radius(share), cmp.Or(second.radius(share), beyond)
		if near > 0 && far > 0 {
			return far < math.Pow(2, 0.75)*near // √2 of a walk, 2 of a straight line
		}
	}
	return false
}

// walks reports whether the motion is a random walk.
func walks(g *costgen.Levels) bool { return g.Motion == walk }

// walk is the motion of targets without a velocity.
var walk motion.Model = motion.Walk{}

// pilot tracks some of the scans.
func (l *learner) pilot(ctx context.Context, scans []mtt.Scan, m *Model) (tracks []mtt.Track, cost float64, err error) {
	m.MaxSpeed, m.Share = l.speed, float64(l.enough())/enough
	return l.run.Track(ctx, l.levels.Told(scans), m)
}

// tracked are the tracks that the levels were last learnt from or, where those were of part of the
// detections, tracks of them all.
func (l *learner) tracked(ctx context.Context) (tracks []mtt.Track, err error) {
	if l.tracks != nil {
		return l.tracks, nil
	}
	if l.before != nil {
		return l.before, nil
	}
	tracks, _, err = l.pilot(ctx, l.part, l.model(l.levels))
	return tracks, err
}

// sum is pilot with the cost of all ways to join the detections together.
func (l *learner) sum(ctx context.Context, scans []mtt.Scan, m *Model) (tracks []mtt.Track, cost float64, err error) {
	m.MaxSpeed, m.Share = l.speed, float64(l.enough())/enough
	return l.run.Sum(ctx, l.levels.Told(scans), m)
}

// manoeuvres reports whether a motion is learnt with them: those are that know least of where a
// target goes next, the default and the walk, which else could not say that targets rest and now
// and then jump.
func (l *learner) manoeuvres(m motion.Model) bool { return m == l.candidates()[0] || m == walk }

// estimator is how the levels of a motion are estimated.
func (l *learner) estimator(m motion.Model) estimator {
	switch {
	case !l.manoeuvres(m):
		return costgen.FitSmooth
	case l.estimate != nil:
		return l.estimate
	}
	return costgen.Fit
}

// fit learns noise levels and speed from tracks of scans, under a motion. The last time the tails
// of manoeuvres are learnt; until then the default ones do.
func (l *learner) fit(scans []mtt.Scan, tracks []mtt.Track, m motion.Model, last bool) {
	estimate := l.estimator(m)
	levels := func(sensing *costgen.Sensing) (fresh *costgen.Levels, ok bool) {
		fresh = l.fresh(m)
		if fresh.Sensing = sensing; !last && fresh.TailDOF == 0 {
			fresh.TailDOF = motion.DefaultTailDOF
		}
		ok = estimate(fresh, tracks, Times(scans))
		l.fitted(fresh, tracks)
		l.sought(fresh, m, tracks, last)
		return fresh, ok
	}
	fresh, ok := levels(l.levels.Sensing)
	if ok && l.noisy() {
		fresh, ok = levels(fitNoise(fresh, scans, tracks))
	}
	if ok {
		l.levels = fresh
		l.levels.SpeedStd = max(fresh.SpeedStd, l.speedOfKinds())
	}
	l.floor(l.levels)
	if l.mirrors {
		if g, _ := costgen.FitBounces(l.levels, tracks, Times(scans)); g != nil {
			l.levels = g
		}
	}
	l.levels.Appearance, l.levels.Classes = costgen.FitAppearance(scans, tracks), costgen.FitClasses(scans, tracks)
	noise := 0.0
	if l.told || len(l.Sensors) > 0 { // scans of different sensors may be hardly apart in time
		noise = 2 * math.Sqrt2 * l.levels.Sigma
	}
	if s := speed(scans, tracks, noise); l.MaxSpeed == 0 && s > 0 {
		if noise == 0 {
			left, _ := l.leftover(scans, tracks)
			s = max(s, 1.25*restPart(left, 1).most()/l.levels.Interval)
		}
		for _, k := range l.kinds { // fewer than one link in two hundred may be of one of them
			s = max(s, k.speed)
		}
		l.speed = min(l.speed, s)
	}
}

// fitted says that levels g have been fitted to tracks.
func (l *learner) fitted(g *costgen.Levels, tracks []mtt.Track) {
	if l.Fitted != nil {
		l.Fitted(costgen.Hits(tracks), g.ManoeuvreProb > 0)
	}
}

// sought says what looking for manoeuvres in tracks took that fitted does not tell: g is what was
// found, of a motion, with tails or without.
func (l *learner) sought(g *costgen.Levels, m motion.Model, tracks []mtt.Track, tails bool) {
	if l.Sought == nil || !l.manoeuvres(m) || g.ManoeuvreProb > 0 && !tails {
		return
	}
	hits := costgen.Hits(tracks)
	if g.ManoeuvreProb > 0 {
		hits *= 2 * g.TailSearches()
	}
	l.Sought(hits)
}

// Leftover is what tracks leave over of scans, and which detections of each scan these are, but for
// those that are echoes by levels. Where there is a self part in it, there are targets that the
// model excludes. Levels may be nil.
func Leftover(scans []mtt.Scan, tracks []mtt.Track, levels *costgen.Levels) (left []mtt.Scan, index [][]int32) {
	used := costgen.Linked(scans, tracks)
	levels.Echoing(scans, func(t, i int, share float64) { used[t][i] = used[t][i] || share > 0.5 })
	left, index = make([]mtt.Scan, len(scans)), make([][]int32, len(scans))
	for t := range scans {
		for i := range scans[t].Len() {
			if !used[t][i] {
				index[t] = append(index[t], int32(i))
			}
		}
		left[t] = scans[t].Pick(index[t])
	}
	return left, index
}

// leftover is [Leftover] by the levels so far; of tiles of what lies inside only: who crosses a face
// is seen there once or twice, and left over.
func (l *learner) leftover(scans []mtt.Scan, tracks []mtt.Track) (left []mtt.Scan, index [][]int32) {
	left, index = Leftover(scans, tracks, l.levels)
	if l.tiles == nil {
		return left, index
	}
	core := l.core()
	for t := range left {
		var at, of []int32
		for i, k := range index[t] {
			if core(left[t].At(i)) {
				at, of = append(at, int32(i)), append(of, k)
			}
		}
		left[t], index[t] = left[t].Pick(at), of
	}
	return left, index
}

// fresh are the levels of a motion that are known, and the rates and places so far.
func (l *learner) fresh(m motion.Model) *costgen.Levels {
	g := l.known
	g.Motion = m
	l.carry(&g)
	return &g
}

// carry gives g what does not depend on the motion: rates, sensors, places and confidence so far.
func (l *learner) carry(g *costgen.Levels) {
	g.Rates, g.Sensing, g.Echoes = l.levels.Rates, l.levels.Sensing, l.levels.Echoes
	g.Places, g.Confidence, g.AlarmSpeed = l.levels.Places, l.levels.Confidence, l.levels.AlarmSpeed
	g.Occlusion = l.levels.Occlusion
}

// compare says how likely tracks are under each motion, l.levels being of the first, and
// returns the levels of those others that are likelier. They must do it without manoeuvres, but for the walk.
// Where there is one motion there is nothing to compare.
func (l *learner) compare(motions []motion.Model, tracks []mtt.Track) map[motion.Model]*costgen.Levels {
	if len(motions) == 1 {
		return nil
	}
	time := Times(l.part)
	nats, hits := costgen.Likelihood(l.levels, tracks, time)
	l.motions = []Likelihood{{motions[0], nats}}
	least := nats + max(worth*float64(hits), 5) // few hits tell no motions apart
	likelier := make(map[motion.Model]*costgen.Levels)
	for _, m := range motions[1:] {
		g, fit := l.fresh(m), costgen.FitSmooth
		if l.manoeuvres(m) {
			fit = costgen.Fit
		}
		ok := fit(g, tracks, time)
		l.fitted(g, tracks)
		if l.sought(g, m, tracks, true); !ok {
			continue
		}
		nats, _ := costgen.Likelihood(g, tracks, time)
		l.motions = append(l.motions, Likelihood{m, nats})
		if nats >= least && !g.Forgets() {
			l.floor(g)
			likelier[m] = g
		}
	}
	return likelier
}

// worth is the log likelihood for each hit that a motion must add over the default to be chosen.
const worth = costgen.Worth

// candidates are the motions that are compared, the default first. A detector of boxes errs in the
// same way for several frames in a row, which white noise alone takes for targets that accelerate.
func (l *learner) candidates() []motion.Model {
	switch {
	case l.Motion != nil:
		return []motion.Model{l.Motion}
	case l.vel:
		return []motion.Model{motion.Velocity{}, motion.Reverting{}}
	case l.boxes:
		return []motion.Model{motion.Swaying{}, motion.Walk{}, motion.Reverting{}}
	}
	return []motion.Model{motion.Velocity{}, motion.Walk{}, motion.Reverting{}}
}

// speed is the largest speed in tracks but for one link in two hundred, with a
// quarter on top. Of every displacement noise is taken for noise.
func speed(scans []mtt.Scan, tracks []mtt.Track, noise float64) float64 {
	time := Times(scans)
	var all []float64
	for i := range tracks {
		tr := &tracks[i]
		for h := 1; h < len(tr.Hits); h++ {
			all = append(all, max(0, distance(tr.At(h), tr.At(h-1))-noise)/(time(tr.Hits[h].Frame)-time(tr.Hits[h-1].Frame)))
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return 1.25 * all[(len(all)-1)*199/200]
}

// distance is that of two points.
func distance(p, q []float64) float64 {
	var d2 float64
	for k := range p {
		d2 += (p[k] - q[k]) * (p[k] - q[k])
	}
	return math.Sqrt(d2)
}

// Times maps frame numbers to times.
func Times(scans []mtt.Scan) func(frame int) float64 {
	m := make(map[int]float64, len(scans))
	for t := range scans {
		m[scans[t].Frame] = scans[t].Time
	}
	return func(frame int) float64 { return m[frame] }
}

// floors keeps levels above what the data could ever tell, in units of the speed's: a sensor that
// is exact, a target that never turns, would make one rounding error a proof. They are far below
// what sensors and targets are like: above their own levels they cost more log likelihood than any
// other mistake (2500 nat of 1300 detections of targets that keep their speed of 3 m a step, seen
// with a noise of 2.4 cm, when the least acceleration was ten times this one). Speed is that which
// they are in units of, per axis, m/s.
func floors(g *costgen.Levels, speed float64) {
	if walks(g) {
		g.Sigma = max(g.Sigma, 0.01*g.Accel*math.Sqrt(g.Interval))
		return
	}
	g.Sigma = max(g.Sigma, 0.003*speed*g.Interval)
	if !g.PositionsOnly {
		g.SigmaV = max(g.SigmaV, 0.003*speed)
	}
	g.Accel = max(g.Accel, 0.003*speed/math.Sqrt(g.Interval))
	if g.ManoeuvreProb > 0 {
		g.ManoeuvreAccel = max(g.ManoeuvreAccel, g.Accel)
	}
}

// floor is floors for levels that are learnt. What is said stays, but for 0, which says that there
// is no noise, and as far as a filter can reckon with it.
func (l *learner) floor(g *costgen.Levels) {
	floors(g, cmp.Or(l.usual, g.SpeedStd))
	for _, of := range [...]struct {
		level *float64
		said  float64
	}{{&g.Sigma, l.known.Sigma}, {&g.SigmaV, l.known.SigmaV}, {&g.Accel, l.known.Accel}} {
		if of.said > tiny {
			*of.level = max(of.said, 1e-3**of.level)
		}
	}
}

// AtFloor reports which levels stand at a floor: those of noise and of velocity noise. That of
// process noise is no fault: targets that never turn have none.
func AtFloor(g *costgen.Levels) (noise, velocity bool) {
	least := *g
	least.Sigma, least.SigmaV = 0, 0
	floors(&least, least.SpeedStd)
	return g.Sigma <= least.Sigma, !g.PositionsOnly && g.SigmaV <= least.SigmaV
}

// LeastNoise is the floor of Sigma, m.
func LeastNoise(g *costgen.Levels) float64 {
	least := *g
	least.Sigma = 0
	floors(&least, least.SpeedStd)
	return least.Sigma
}

// LeastAccel is the floor of Accel, m/s^1.5.
func LeastAccel(g *costgen.Levels) float64 {
	least := *g
	least.Accel = 0
	floors(&least, least.SpeedStd)
	return least.Accel
}

const tiny = 1e-9

// start sets a level that is not known.
func start(level *float64, v float64) {
	if *level == 0 {
		*level = max(v, tiny)
	}
}

// metric are the prices of ends for costs in metres. In steady scans a track
// begins and ends only where a gate leaves no other way.
func metric(steady bool, most float64) costgen.Ends {
	if steady {
		b := 1e3 * most
		return costgen.Ends{Birth: b, Death: b, Clutter: 2 * b}
	}
	return costgen.Ends{Birth: most, Death: most, Clutter: 2 * most, Miss: most}
}
