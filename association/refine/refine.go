package refine

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"mtt"
	"mtt/association/chain"
	"mtt/costgen"
	"mtt/gating"
	"mtt/internal/slab"
	"mtt/internal/workers"
	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
	"mtt/motion"
)

// This file refines links by the likelihood of whole tracks.

// Options say how links are refined.
type Options struct {
	Misses  int     // missed detections in a row that a new link may pass over
	Speed   float64 // m/s: of the fastest jump over missed detections
	Sweeps  int     // at most
	Workers int     // goroutines; 0: one for each processor. It does not change the result
	Between int     // scans of other sensors between two of one, of windows only
	Lasting int     // missed detections in a row that a link from where a track ended to where one begins may pass over, of windows only; up to Misses: those
	Seldom  bool    // targets are seen in few scans only: links are made anew, between what lies near in space

	// Weighed, when not nil, is told by Links after each look at all scans how many pairs were
	// weighed in it, however many goroutines did.
	Weighed func(pairs int)

	surveys bool // of Links: all is looked at once before anything changes
}

// Links improves links between the detections of scans. gates[t] holds the pairs of
// scans t and t+1 that may be linked. It reports how many moves made a change. When
// ctx ends the links are those found by then, and consistent.
func Links(ctx context.Context, links *chain.Links, scans []mtt.Scan, gates []gating.CSR, model costgen.Leveled, opts *Options) (changed int, err error) {
	if len(scans) < 2 {
		return 0, nil
	}
	if opts.Seldom {
		*links = *chain.New(scans)
	}
	o := *opts
	o.surveys = o.Misses == 0 && !o.Seldom
	opts = &o
	levels := model.Noise().OfTracks()
	params := levels.TrackParams(max(levels.Dim, 2))
	if levels.Triple(scans) {
		return improve(ctx, newRefiner(ctx, motion.NewTriple(params), params, links, scans, gates, model, opts), opts)
	}
	if levels.Wheel(scans) {
		return improve(ctx, newRefiner(ctx, motion.NewWheel(params), params, links, scans, gates, model, opts), opts)
	}
	if levels.AnyGeneral(scans) {
		return improve(ctx, newRefiner(ctx, motion.NewFull(params), params, links, scans, gates, model, opts), opts)
	}
	if params.Dim == 2 {
		return improve(ctx, newRefiner(ctx, motion.NewPlane(params), params, links, scans, gates, model, opts), opts)
	}
	return improve(ctx, newRefiner(ctx, motion.NewAxes(params), params, links, scans, gates, model, opts), opts)
}

// improve sweeps until nothing is left to gain. Of moves that undo each other, as each is priced
// with all else as it is, in a sweep or in several, only the last round is made.
func improve[S comparable, E any](ctx context.Context, r *refiner[S, E], opts *Options) (changed int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if opts.Seldom {
		return improveSeldom(ctx, r, opts)
	}
	// Loose ends are joined first: taking a linked detection over missed ones can
	// leave behind, alone, one that the next rematch would have joined.
	r.loose = opts.Misses == 0
	if r.loose { // nearly everything is right
		r.remember()
		if err := r.survey(ctx); err != nil {
			return 0, err
		}
		r.tell(opts)
	}
	var knots []uint64 // before each sweep
	for sweeps := opts.Sweeps; sweeps > 0; sweeps-- {
		knots = append(knots, r.knot)
		n, err := r.sweep(ctx)
		changed += n
		r.tell(opts)
		switch {
		case err != nil:
			return changed, err
		case !r.loose: // more may be joined now, but a detection has no other places than it had
			r.loose, knots = true, knots[:0]
			for t := range r.looks {
				r.looks[t].rematch = -1
			}
		case n == 0:
			return changed, nil
		}
		if from := slices.Index(knots, r.knot); from >= 0 { // what comes is what has been since then
			sweeps, knots = 1+(sweeps-1)%(len(knots)-from), knots[:0]
		}
	}
	return changed, nil
}

// tell says how many pairs have been weighed since it did last.
func (r *refiner[S, E]) tell(opts *Options) {
	pairs := 0
	for _, m := range r.movers {
		pairs, m.weighed = pairs+m.weighed, 0
	}
	if opts.Weighed != nil {
		opts.Weighed(pairs)
	}
}

// A refiner holds links, and what is known of the parts of tracks before and after
// them: S is a filtered state, E the information of a suffix.
//
// A move falls into groups of tracks that could trade detections with each other, and
// is worth another look only for the groups in which a price has changed since the
// last one. So every detection carries a stamp, the time of the last change to its
// links, its state or its information, to the last bit, and a sweep takes as long as
// there is news. What is never news, most of a scene, is found out beforehand by all
// cores: see survey.
type refiner[S comparable, E any] struct {
	*chain.Links
	ctx    context.Context // of until
	scans  []mtt.Scan
	gates  []gating.CSR
	model  costgen.Leveled
	levels *costgen.Levels // of the model
	extra  bool            // Pairs of the model may cost something
	local  costgen.Local   // the model, where misses depend on place and sensor; nil: they do not
	params *motion.Params
	filter motion.Runner[S, E]
	reach  int32   // scans: longest link to be made
	long   int32   // scans: longest link to be made from where a track ended to where one begins, at least reach
	lone   int32   // scans: longest link to be made to a detection that has no other
	stride int32   // scans: from one cut to the next that is looked at for joins that neither end nor begin there
	tight  bool    // what a part of a track may go on to is what lies nearest, not all that is inside the gate
	span   int     // scans: longest link there is, at least reach
	speed  float64 // m/s: fastest jump over a gap
	quick  bool    // links to which there is no alternative but to break them are left alone
	loose  bool    // joins over gaps may take linked detections, not loose ends only

	states  [][]S            // of detection i of scan t, with all before it in its track
	kinds   [][]uint8        // of the step to detection i of scan t
	steps   [][]float64      // what that costs; see priceCourses
	onwards [][]float64      // what it costs that the track goes on to detection i of scan t, all that follows being known
	atHome  bool             // links are those that courses were priced for
	limits  [][]float64      // of detection i of scan t: rivals that are as dear do not matter to it; nil: all do
	tails   [][]E            // of detection i of scan t, with all after it: their information; see tail
	wide    [][]E            // the same if it is an outlier; nil: there is none
	changed [][]int64        // of detection i of scan t: when its state changed last, of windows only
	records [][]record       // of detection i of scan t, of windows only
	memory  *memory          // of a window; nil: nothing is remembered
	stamp   [][]int64        // when a link, the state or the information of detection i of scan t changed last
	hopes   [][]atomic.Int64 // of detection i of scan t: its stamp + 1, and the last scan that it was hopeful in; nil: not remembered
	looks   []look           // of scan t
	calm    [moves][][]bool  // of a move, of detection i of scan t: see doze; nil: not remembered
	passing *passing         // how far links go; nil: not known
	noise   []float64        // m²: the largest variance of a measured position of scan t
	offsets [][]offset       // of detection i of scan t; nil: it is as anywhere
	fades   [][]fading       // of detection i of scan t, where misses depend on place and sensor
	rarest  float64          // the most that a birth costs more somewhere
	closed  bool             // no scan follows on the last one: it is no window
	here    []costgen.Ends   // workspace of ends
	clock   int64            // counts looks
	tied    int64            // the clock when a link changed last
	knot    uint64           // of all links made and removed so far, each but those that were both: equal ones are of equal links
	open    int              // first scan whose links to scans before it may still change
	origin  int              // the scan in which targets were there from the beginning; -1: it has left the window
	state   S                // workspace of the window
	fresh   fresh[S, E]      // of renew
	courses *courses         // of survey; nil: they are not known

	// Prices: negative logarithms of probabilities and densities.
	over                 []float64 // of a link over k missed detections
	least                []float64 // of one whose target others cover, if that is cheaper
	left, hidden         []float64 // probabilities that a target leaves in the k scans that follow on a detection, and that it stays undetected
	gone                 []float64 // of no detection in the k scans that follow
	born, first, clutter float64

	movers []*mover[S, E]
	busy   bool // all movers are: see survey
}

// A fresh is the workspace of what computes states and information.
type fresh[S comparable, E any] struct {
	state S
	tail  E
}

// A look holds times by the clock: when what concerns a scan was last computed or
// tried, and when any of its detections last changed. What came after that is news.
type look struct {
	exchange, rematch, forward, backward int64 // -1: never
	news                                 int64
}

// unseen is the look of a scan that nobody has had one at.
var unseen = look{exchange: -1, rematch: -1, forward: -1, backward: -1}

// A record is what a window knows of the state of a detection, so that it need not ask again.
type record struct {
	made    int64 // when it was computed last
	renewed int64 // when that changed it last, to the last bit
	joined  int64 // when the link from before changed last
	onto    onto
	priced  int64   // when onward was computed last
	onward  float64 // the price of smoothOnward from it to what follows
	late    bool    // the information of its suffix is yet to be computed: see tail
}

// A mover tries moves.
type mover[S comparable, E any] struct {
	*refiner[S, E]
	filter  motion.Runner[S, E] // its own
	weighed int                 // pairs, since the refiner told how many

	solver  ssp.Solver
	problem mapsolver.Problem
	sol     mapsolver.Solution
	entries []entry
	batches []batch
	woken   batch // of one row
	was     []float64
	cycles  cycles
	parts   parts[S, E]
	places  places[S, E]
	around  around
	reached reached
	state   S // workspace of prices
	ahead   ahead[S]
	onto2   motion.Ahead[S] // of seatedSmooth
	head    [1]int32        // workspace of pair
	cost    [1]float64

	stretches [4]stretch[S] // of exchanges
	foreseen  foresight[S]
}

// An ahead is where a prefix is expected in a scan, which is asked for each of the pairs of a row.
type ahead[S any] struct {
	from chain.Node
	scan int32 // -1: nothing is known
	motion.Ahead[S]
}

// An entry is a candidate join.
type entry struct {
	col   int32
	cost  float64
	vague bool // it costs at least that
}

// newRefiner is a refiner for who looks at ctx: when that ends, states and information may lack,
// and so they may after backward.
func newRefiner[S comparable, E any](ctx context.Context, filter motion.Filter[S, E], params *motion.Params, links *chain.Links, scans []mtt.Scan, gates []gating.CSR, model costgen.Leveled, opts *Options) *refiner[S, E] {
	r := newPrices(ctx, filter, params, links, scans, gates, model, opts)
	length := func(t int) int { return scans[t].Len() }
	if r.filter.Outliers() {
		r.wide = slab.Parts[E](len(scans), length)
	}
	r.states, r.tails = slab.Parts[S](len(scans), length), slab.Parts[E](len(scans), length)
	r.kinds, r.stamp = slab.Parts[uint8](len(scans), length), slab.Parts[int64](len(scans), length)
	r.hopes, r.passing = slab.Parts[atomic.Int64](len(scans), length), newPassing(links)
	r.noise = make([]float64, len(scans))
	workers.Each(len(r.movers), len(scans), func(w, t int) {
		r.noise[t] = noisiest(&r.movers[w].filter, &scans[t])
		// The system gives out memory when it is touched first: here each core has a place of its own, in
		// renew all would ask for it at one.
		clear(r.states[t])
		clear(r.tails[t])
	})
	if opts.surveys && r.filter.Plain() { // what follows asks nothing of what comes before
		r.backward()
		r.courses = newCourses(scans)
	}
	for t := 0; t < len(scans) && ctx.Err() == nil; t++ {
		r.forward(t)
	}
	return r
}

// clone is a refiner of links that are alike, with a mover of its own.
func (r *refiner[S, E]) clone() *refiner[S, E] {
	c := *r
	c.Links = r.Links.Clone()
	c.states, c.tails, c.kinds, c.stamp = copied(r.states), copied(r.tails), copied(r.kinds), copied(r.stamp)
	if r.wide != nil {
		c.wide = copied(r.wide)
	}
	c.movers = []*mover[S, E]{c.newMover()}
	c.until(r.ctx)
	return &c
}

// copied are lists that are alike.
func copied[T any](lists [][]T) [][]T {
	list := slab.Parts[T](len(lists), func(k int) int { return len(lists[k]) })
	for k := range lists {
		copy(list[k], lists[k])
	}
	return list
}

// newPrices is a refiner that knows prices only, of tracks as wholes and of ends: no states, and
// nothing of its links.
func newPrices[S comparable, E any](ctx context.Context, filter motion.Filter[S, E], params *motion.Params, links *chain.Links, scans []mtt.Scan, gates []gating.CSR, model costgen.Leveled, opts *Options) *refiner[S, E] {
	levels := model.Noise().OfTracks()
	r := &refiner[S, E]{
		Links: links, scans: scans, gates: gates, model: model, levels: levels, params: params, filter: motion.NewRunner(filter, params),
		reach: int32(opts.Misses + 1), lone: int32(opts.Misses + 1), speed: opts.Speed,
		looks: slices.Repeat([]look{unseen}, len(scans)),
	}
	r.long = max(r.reach, int32(opts.Lasting+1))
	r.stride = strideOf(scans, r.reach)
	r.rate()
	_, plain := model.(*costgen.Gaussian)
	r.extra = !plain || levels.Paired()
	if local, ok := model.(costgen.Local); ok && levels.Sensing != nil {
		r.local = local
	}
	r.span = int(r.long)
	for t := range links.Next {
		for _, n := range links.Next[t] {
			r.span = max(r.span, int(n.T)-t)
		}
	}
	for range max(1, min(workers.Count(opts.Workers), len(scans))) {
		r.movers = append(r.movers, r.newMover())
	}
	r.until(ctx)
	r.price(len(scans))
	common := model.Ends()
	for t := range scans {
		list := r.ends(&scans[t], common)
		for i := range list {
			list[i].ended = r.priceOfDeath(t, list[i].death)
		}
		r.offsets = append(r.offsets, list)
	}
	r.closed = len(scans) > 0
	if r.local != nil {
		r.fadeAll()
	}
	return r
}

// noisiest is the largest variance of a measured position of a scan.
func noisiest[S comparable, E any](filter *motion.Runner[S, E], s *mtt.Scan) (most float64) {
	for i := range s.Len() {
		most = max(most, filter.Noise(s, i))
	}
	return most
}

// An offset is by how much the prices of ends at a detection differ from those elsewhere.
type offset struct {
	birth, first, clutter float64
	death                 float64 // of exp(−price)
	ended                 float64 // the price of a death itself, but in windows, where it changes with time
}

// ends are the offsets of the detections of s from the common prices; nil: they do not differ.
func (r *refiner[S, E]) ends(s *mtt.Scan, common costgen.Ends) []offset {
	model, ok := r.model.(costgen.Local)
	if !ok {
		return nil
	}
	r.here = slab.Grow(r.here, s.Len())
	ends := r.here
	if !model.EndsAt(ends, s) {
		return nil
	}
	list := make([]offset, len(ends))
	for i, e := range ends {
		r.rarest = max(r.rarest, e.Birth-common.Birth)
		list[i] = offset{
			birth: e.Birth - common.Birth, first: e.First - common.First, clutter: e.Clutter - common.Clutter,
			death: math.Exp(-e.Death) - math.Exp(-common.Death),
		}
	}
	return list
}

// at is the offset of a detection.
func (r *refiner[S, E]) at(h chain.Node) offset {
	if d := r.offsets[h.T]; d != nil {
		return d[h.Det]
	}
	return offset{}
}

// falsely is the price of a detection being a false alarm, velocity left out.
func (r *refiner[S, E]) falsely(h chain.Node) float64 { return r.clutter + r.at(h).clutter }

func (r *refiner[S, E]) newMover() *mover[S, E] {
	return &mover[S, E]{refiner: r, filter: motion.NewRunner(r.filter.Fork(), r.params)}
}

// rate prices births and false alarms.
func (r *refiner[S, E]) rate() {
	rates := &r.levels.Rates
	r.born = math.Log(rates.Volume) - math.Log(rates.Births*rates.Detect)
	r.first = math.Log(rates.Volume) - math.Log(rates.Targets*rates.Detect)
	r.clutter = math.Log(rates.Volume) - math.Log(rates.Clutter)
}

// price prices what misses up to n scans cost.
func (r *refiner[S, E]) price(n int) {
	r.left, r.hidden = r.levels.Fate(n)
	r.over, r.least, r.gone = r.over[:0], r.least[:0], vanish(r.left, r.hidden)
	least := r.levels.LeastRuns()
	for k := range n + 1 {
		r.over, r.least = append(r.over, r.levels.MissRun(k)), append(r.least, least(k))
	}
}

// until has moves end soon after ctx does, with its error.
func (r *refiner[S, E]) until(ctx context.Context) {
	r.ctx = ctx
	for _, m := range r.movers {
		m.reached.finder.Until(ctx)
	}
}

// survey tries every move as things are, makes none, and stamps the detections that
// the moves would change. The others are no news: nothing is to be gained there.
func (r *refiner[S, E]) survey(ctx context.Context) error {
	if r.backward(); ctx.Err() != nil {
		return ctx.Err()
	}
	defer func() { r.courses = nil }() // a sweep changes links
	r.clock++
	moved := make([][]chain.Node, len(r.scans))
	errs := make([]error, len(r.scans))
	r.busy = true
	workers.Each(len(r.movers), len(r.scans), func(w, t int) { moved[t], errs[t] = r.movers[w].wishes(ctx, int32(t)) })
	r.busy = false
	for t := range r.scans {
		if errs[t] != nil {
			return errs[t]
		}
		r.looks[t].exchange, r.looks[t].rematch = r.clock, r.clock
	}
	r.clock++
	for _, list := range moved {
		for _, h := range list {
			r.touch(h)
		}
	}
	return nil
}

// wishes lists the detections that the moves at scan t would change.
func (m *mover[S, E]) wishes(ctx context.Context, t int32) (list []chain.Node, err error) {
	if better, err := m.weighExchange(ctx, t, -1); err != nil {
		return nil, err
	} else if better {
		list = m.exchanged(list, t)
	}
	if int(t)+1 == len(m.scans) {
		return list, nil
	}
	if better, err := m.weighRematch(ctx, t, -1); err != nil {
		return nil, err
	} else if better {
		list = m.rematched(list)
	}
	return list, nil
}

// sweep tries the moves at all scans with news, first to last, and reports at how
// many scans they made a change. In the last scan of a window an exchange is what rematch has just done.
func (r *refiner[S, E]) sweep(ctx context.Context) (changed int, err error) {
	if r.backward(); ctx.Err() != nil {
		return 0, ctx.Err()
	}
	m := r.movers[0]
	for t := max(0, r.open-1); t < len(r.scans); t++ {
		r.clock++
		better, now := false, &r.looks[t]
		if t >= r.open && !(r.tight && t == len(r.scans)-1) && r.news(t-int(r.reach), t+int(r.reach), now.exchange) {
			if better, err = m.exchange(ctx, int32(t)); err != nil {
				return changed, err
			}
		}
		r.forward(t)
		r.clock++
		if t+1 < len(r.scans) && r.news(t+1-int(r.reach), t+int(r.reach), now.rematch) && !r.idle(t) {
			again, err := m.rematch(ctx, int32(t))
			if err != nil {
				return changed, err
			}
			better = better || again
		}
		if better {
			changed++
		}
	}
	return changed, nil
}

// retry has every move tried again.
func (r *refiner[S, E]) retry() {
	for t := range r.looks {
		r.looks[t].exchange, r.looks[t].rematch = -1, -1
	}
}

// touch stamps a detection.
func (r *refiner[S, E]) touch(h chain.Node) {
	r.stamp[h.T][h.Det] = r.clock
	r.looks[h.T].news = r.clock
}

// news reports whether any detection of scans from ≤ t ≤ to changed since. The last are asked
// first, as in windows they are those that did.
func (r *refiner[S, E]) news(from, to int, since int64) bool {
	for t := min(to, len(r.looks)-1); t >= max(0, from); t-- {
		if r.looks[t].news > since {
			return true
		}
	}
	return false
}

// idle reports whether rematch after scan t of a window has nothing to match anew although there is
// news: only one scan follows, so that suffixes are what they were, and no link and no state of a
// prefix has changed since.
func (r *refiner[S, E]) idle(t int) bool {
	since := r.looks[t].rematch
	if !r.tight || t+2 < len(r.scans) || r.tied > since {
		return false
	}
	for u := max(0, t+1-int(r.long)); u <= t; u++ {
		if r.looks[u].news > since && slices.ContainsFunc(r.changed[u], func(when int64) bool { return when > since }) {
			return false
		}
	}
	return true
}

// link joins two detections.
func (r *refiner[S, E]) link(a, b chain.Node) {
	r.Link(a, b)
	r.joined(a, b)
}

// unlink removes the link after a.
func (r *refiner[S, E]) unlink(a chain.Node) {
	if b := r.Next[a.T][a.Det]; b != chain.None {
		r.Unlink(a)
		r.joined(a, b)
	}
}

// joined stamps two detections of which it has changed whether they are linked.
func (r *refiner[S, E]) joined(a, b chain.Node) {
	r.touch(a)
	r.touch(b)
	r.tied = r.clock
	r.knot ^= tie(a, b)
	r.passing.relinked(a.T, b.T)
	if r.records != nil {
		r.records[b.T][b.Det].joined = r.clock
	}
}

// tie is a number for a link, random as it were: by the finaliser of MurmurHash3.
func tie(a, b chain.Node) uint64 {
	h := uint64(0)
	for _, x := range [...]int32{a.T, a.Det, b.T, b.Det} {
		h = (h ^ uint64(uint32(x)) + 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd
		h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
		h ^= h >> 33
	}
	return h
}

// backward computes the information of every suffix that may still change hands, as
// far as there is news; in windows it only says that there is, see tail.
func (r *refiner[S, E]) backward() {
	r.clock++
	for t := len(r.scans) - 1; t >= max(0, r.open-1) && r.ctx.Err() == nil; t-- {
		since := r.looks[t].backward
		r.looks[t].backward = r.clock
		if !r.news(t, t+r.span, since) {
			continue
		}
		r.renew(t, since, true)
	}
}

// backwardPart is backward for the detections from ≤ i < to of scan t. It says whether any changed.
func (r *refiner[S, E]) backwardPart(f *motion.Runner[S, E], tail *E, t int, since int64, from, to int) (changed bool) {
	for i := from; i < to; i++ {
		n := r.Next[t][i]
		if r.stamp[t][i] <= since && (n == chain.None || r.stamp[n.T][n.Det] <= since) {
			continue
		}
		if r.records != nil {
			r.records[t][i].late = true
			r.stamp[t][i], changed = r.clock, true
			continue
		}
		r.inform(f, tail, chain.At(t, i))
		if r.tails[t][i], *tail = *tail, r.tails[t][i]; !f.LikeInformation(tail, &r.tails[t][i], motion.Same) {
			r.stamp[t][i], changed = r.clock, true
		}
	}
	return changed
}

// inform sets dst to the information of the suffix that begins at a detection.
func (r *refiner[S, E]) inform(f *motion.Runner[S, E], dst *E, at chain.Node) {
	if n := r.Next[at.T][at.Det]; n == chain.None {
		*dst = *new(E)
	} else {
		*dst = *r.informed(n)
		f.Return(dst, r.scans[n.T].Time-r.scans[at.T].Time, &r.scans[at.T], int(at.Det), int(r.kinds[n.T][n.Det]))
	}
	r.observe(f, dst, at)
}

// tail is the information of the suffix that begins at b. In a window each scan that comes changes
// that of nearly all suffixes, and few are asked for: those of tracks to which there is an
// alternative. So there it is computed when it is, from what follows on it. No move at a scan
// changes what follows on the detections after it, so that it does not matter when in a sweep.
func (r *refiner[S, E]) tail(b chain.Node) *E {
	tail := &r.tails[b.T][b.Det]
	if r.records != nil && r.records[b.T][b.Det].late {
		r.records[b.T][b.Det].late = false
		r.inform(&r.filter, tail, b)
	}
	return tail
}

// tellTails computes all information of a window that is late, by all movers, for them to read.
func (r *refiner[S, E]) tellTails() {
	for t := len(r.records) - 1; t >= max(0, r.open-1); t-- {
		list := r.records[t]
		parts := max(1, len(list)/inPart)
		workers.Each(len(r.movers), parts, func(w, k int) {
			for i := k * len(list) / parts; i < (k+1)*len(list)/parts; i++ {
				if list[i].late {
					list[i].late = false
					r.inform(&r.movers[w].filter, &r.tails[t][i], chain.At(t, i))
				}
			}
		})
	}
}

// informed is the information of the suffix that begins at b, of which is known by what kind of
// step it is reached.
func (r *refiner[S, E]) informed(b chain.Node) *E {
	tail := r.tail(b)
	if r.kinds[b.T][b.Det] == motion.Outlier {
		return &r.wide[b.T][b.Det]
	}
	return tail
}

// suspected is the information of the suffix that begins at b if b is an outlier; nil: there are none.
func (r *refiner[S, E]) suspected(b chain.Node) *E {
	if r.wide == nil {
		return nil
	}
	r.tail(b)
	return &r.wide[b.T][b.Det]
}

// observe adds detection at to the information of what follows on it, which becomes that of its suffix.
func (r *refiner[S, E]) observe(f *motion.Runner[S, E], tail *E, at chain.Node) {
	scan, i := &r.scans[at.T], int(at.Det)
	if r.wide != nil {
		wide := &r.wide[at.T][at.Det]
		*wide = *tail
		f.Inform(wide, scan, i, motion.Outlier)
	}
	f.Observe(tail, scan, i)
}

// inPart is the number of detections of a part: 0.1 ms.
const inPart = 512

// renew computes the detections of scan t anew, by parts on all cores: in what comes before and
// after, and not in each other, lies what they depend on.
func (r *refiner[S, E]) renew(t int, since int64, back bool) {
	n := r.scans[t].Len()
	parts := max(1, n/inPart)
	if parts == 1 || len(r.movers) == 1 {
		if r.renewPart(&r.filter, &r.fresh, t, since, back, 0, n) {
			r.looks[t].news = r.clock
		}
		return
	}
	changed := make([]bool, parts)
	workers.Each(len(r.movers), parts, func(w, k int) {
		changed[k] = r.renewPart(&r.movers[w].filter, new(fresh[S, E]), t, since, back, k*n/parts, (k+1)*n/parts)
	})
	if slices.Contains(changed, true) {
		r.looks[t].news = r.clock
	}
}

// renewPart is backwardPart or forwardPart. It says whether any of its detections changed.
func (r *refiner[S, E]) renewPart(f *motion.Runner[S, E], w *fresh[S, E], t int, since int64, back bool, from, to int) (changed bool) {
	if back {
		return r.backwardPart(f, &w.tail, t, since, from, to)
	}
	return r.forwardPart(f, &w.state, t, since, from, to)
}

// forward computes the states of the prefixes that end in scan t, as far as there
// is news.
func (r *refiner[S, E]) forward(t int) {
	since := r.looks[t].forward
	r.looks[t].forward = r.clock
	if !r.news(t-r.span, t, since) {
		return
	}
	r.renew(t, since, false)
}

// forwardPart is forward for the detections from ≤ i < to. It says whether any changed.
func (r *refiner[S, E]) forwardPart(f *motion.Runner[S, E], state *S, t int, since int64, from, to int) (changed bool) {
	for i := from; i < to; i++ {
		p := r.Prev[t][i]
		if p == chain.Past || r.stamp[t][i] <= since && (p == chain.None || r.stamp[p.T][p.Det] <= since) {
			continue
		}
		if r.same(p, chain.At(t, i)) {
			continue
		}
		if p == chain.None {
			f.Start(state, &r.scans[t], i)
		} else {
			*state = r.states[p.T][p.Det]
			kind := f.Advance(state, r.scans[t].Time-r.scans[p.T].Time, &r.scans[t], i)
			if r.courses != nil {
				r.courses.note(t, i, f.Innovation(state, &r.scans[t], i), f.Join(state, &r.tails[t][i]))
			}
			r.kinds[t][i] = uint8(kind)
			f.Take(state, &r.scans[t], i, kind)
		}
		if r.records != nil {
			now := &r.records[t][i]
			if now.made = r.clock; *state != r.states[t][i] {
				now.renewed, now.onto.known = r.clock, false
			}
		}
		if r.states[t][i], *state = *state, r.states[t][i]; !f.LikeState(state, &r.states[t][i], motion.Same) {
			if r.stamp[t][i], changed = r.clock, true; r.changed != nil {
				r.changed[t][i] = r.clock
			}
		}
	}
	return changed
}

// same reports whether it is on record that the state of detection i, which follows on p, would be
// what it is.
func (r *refiner[S, E]) same(p, i chain.Node) bool {
	if r.records == nil {
		return false
	}
	now := &r.records[i.T][i.Det]
	return now.joined <= now.made && (p == chain.None || r.records[p.T][p.Det].renewed <= now.made)
}

// run is the price of a link from a to b, motion left out: that of a run of misses, of boxes behind
// others; or one of at least most that is no dearer.
func (m *mover[S, E]) run(a, b chain.Node, most float64) float64 {
	if m.hidable(a, b) {
		if least := m.least[b.T-a.T-1]; least >= most {
			return least
		}
		return m.levels.BoxRun(m.scans[a.T:b.T+1], int(a.Det), int(b.Det), most)
	}
	if m.local == nil || b.T == a.T+1 {
		return m.over[b.T-a.T-1]
	}
	from, to := &m.scans[a.T], &m.scans[b.T]
	c := m.over[0]
	var x [3]float64
	for t := a.T + 1; t < b.T; t++ {
		x = costgen.Between(from.At(int(a.Det)), to.At(int(b.Det)), from.Time, to.Time, m.scans[t].Time)
		price, differs := m.local.Passed(&m.scans[t], x[:from.Dim])
		if !differs {
			return m.over[b.T-a.T-1]
		}
		c += price
	}
	return c
}

// cheapest is the least that run can be between scans t and u.
func (r *refiner[S, E]) cheapest(t, u int32) float64 {
	if r.local == nil {
		return r.least[u-t-1]
	}
	return r.over[0] - float64(u-t-1)*math.Log(r.levels.Rates.Survive)
}

// hidable says whether what misses between a and b cost depends on who is in front.
func (m *mover[S, E]) hidable(a, b chain.Node) bool {
	return b.T > a.T+1 && m.levels.Boxed(&m.scans[a.T], &m.scans[b.T])
}

// atLeast is no more than run, and at hand.
func (m *mover[S, E]) atLeast(a, b chain.Node) float64 {
	if m.hidable(a, b) {
		return m.least[b.T-a.T-1]
	}
	return m.run(a, b, math.Inf(1))
}

// pair is what the model's Pairs say of the link from a to b: of box sizes, features, or
// what a model of somebody's own adds.
func (m *mover[S, E]) pair(a, b chain.Node) float64 {
	if !m.extra {
		return 0
	}
	m.head[0] = b.Det
	m.model.Pairs(m.cost[:], &m.scans[a.T], int(a.Det), &m.scans[b.T], m.head[:])
	return m.cost[0]
}

// join is the price of joining the prefix that ends at a with the suffix that
// begins at b, or one of at least most that is no dearer.
func (m *mover[S, E]) join(a, b chain.Node, most float64) float64 {
	c, pair := m.onward(&m.states[a.T][a.Det], a, b), m.pair(a, b)
	return c + m.run(a, b, most-c-pair) + pair
}

// lookAhead is where prefix a is expected in scan u, of one row after another; see priceRows.
func (m *mover[S, E]) lookAhead(a chain.Node, u int32) *motion.Ahead[S] {
	x := &m.ahead
	if x.scan != u || x.from != a {
		x.from, x.scan = a, u
		m.filter.Look(&x.Ahead, &m.states[a.T][a.Det], m.scans[u].Time-m.scans[a.T].Time)
	}
	return &x.Ahead
}

// joinRow is join in a row.
func (m *mover[S, E]) joinRow(a, b chain.Node, most float64) float64 {
	c, pair := m.filter.OnwardAhead(m.lookAhead(a, b.T), m.tail(b), m.suspected(b)), m.pair(a, b)
	return c + m.run(a, b, most-c-pair) + pair
}

// leastRow is no more than joinRow.
func (m *mover[S, E]) leastRow(a, b chain.Node) float64 {
	c := math.Inf(-1)
	if b.T == a.T+1 {
		c = m.filter.LeastFollowing(m.leastNext(a, b), m.tail(b))
	}
	if math.IsInf(c, -1) {
		c = m.filter.LeastOnward(m.lookAhead(a, b.T), m.tail(b), m.suspected(b))
	}
	return c + m.pair(a, b) + m.atLeast(a, b)
}

// joinSmooth is no less than joinRow.
func (m *mover[S, E]) joinSmooth(a, b chain.Node) float64 {
	return m.smoothOnward(a, b) + m.pair(a, b) + m.run(a, b, math.Inf(1))
}

// smoothOnward is the part of motion in joinSmooth. Of what follows on a already a window remembers
// it for both moves, until the state or the suffix changes.
func (m *mover[S, E]) smoothOnward(a, b chain.Node) float64 {
	price := func() float64 { return m.filter.SmoothOnward(m.lookAhead(a, b.T), m.tail(b)) }
	if m.records == nil || m.Next[a.T][a.Det] != b {
		return price()
	}
	now := &m.records[a.T][a.Det]
	if max(m.stamp[a.T][a.Det], m.stamp[b.T][b.Det]) >= now.priced { // of the same time: before a change or after it
		now.onward, now.priced = price(), m.clock
	}
	return now.onward
}

// onward is the part of motion in the price of joining a state at the time of a with
// the suffix that begins at b.
func (m *mover[S, E]) onward(s *S, a, b chain.Node) float64 {
	return m.filter.Onward(s, m.scans[b.T].Time-m.scans[a.T].Time, m.tail(b), m.suspected(b))
}

// birth is the price of a track beginning with b, and of the position of b.
func (r *refiner[S, E]) birth(b chain.Node) float64 {
	if int(b.T) == r.origin {
		return r.first + r.at(b).first
	}
	price := r.born + r.at(b).birth
	if r.local != nil && r.origin >= 0 {
		if there := r.fades[b.T][b.Det].before; there > 0 { // from the first scan on
			return -math.Log(math.Exp(-price) + there*math.Exp(-r.first-r.at(b).first))
		}
	}
	return price
}

// death is the price of a track having its last detection in a.
func (r *refiner[S, E]) death(a chain.Node) float64 {
	d := r.offsets[a.T]
	if r.local != nil {
		gone, hidden := r.fate(a)
		return -math.Log(gone + hidden + r.at(a).death)
	}
	switch {
	case d == nil:
		return r.gone[len(r.scans)-1-int(a.T)]
	case r.closed:
		return d[a.Det].ended
	}
	return r.priceOfDeath(int(a.T), d[a.Det].death)
}

// priceOfDeath is death in scan t where its offset is so much.
func (r *refiner[S, E]) priceOfDeath(t int, offset float64) float64 {
	return -math.Log(math.Exp(-r.gone[len(r.scans)-1-t]) + offset)
}

// vanish lists the negative log probabilities that no detection follows: the target leaves, or is missed.
func vanish(gone, hidden []float64) []float64 {
	list := make([]float64, len(gone))
	for k := range list {
		list[k] = -math.Log(gone[k] + hidden[k])
	}
	return list
}

// ended is the price of prefix a having no successor.
func (r *refiner[S, E]) ended(a chain.Node) float64 {
	if r.Prev[a.T][a.Det] == chain.None {
		// It may be a false alarm instead of a birth and a death. Both leave
		// the same density of its position and velocity.
		return min(r.death(a), r.falsely(a)-r.birth(a))
	}
	return r.death(a)
}

// begun is the price of suffix b having no predecessor.
func (m *mover[S, E]) begun(b chain.Node) float64 {
	return m.filter.Open(m.tail(b))/2 + m.single(b)
}

// single is begun but for what suffix b says of itself.
func (m *mover[S, E]) single(b chain.Node) float64 {
	if m.Next[b.T][b.Det] == chain.None {
		return min(m.birth(b), m.falsely(b)-m.death(b))
	}
	return m.birth(b)
}
