package metrics

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
)

// This file scores scenes that are larger than memory, frame by frame.

// A Stream scores truth and tracks that come frame by frame, by position and detection number:
// links, CLEAR MOT, identities, set distances and OSPA⁽²⁾, all as Score has them. HOTA needs two
// looks at all frames, trajectory GOSPA and divisions all frames at once, boxes are not compared:
// for these there is Score.
//
// Memory is that of one frame, of some hundred bytes for each target and track, one bit of that for
// each frame it lives in, and of 16 bytes for each pair of a target and a track that are ever near.
// It is made by [NewStream].
type Stream struct {
	o             Options
	r             Report
	truth, tracks crowd
	clear         clearRun
	targets       []linkTarget
	holders       []linkTrack
	links         LinkScores
	sets          SetDistances
	met           []meetings  // of metTargets targets each
	fresh         []encounter // of a frame and of the targets of one of these, ascending target, then track
	finder        pairFinder
	frame, dim    int  // of the last frame
	detT, detK    bool // whether a hit of truth, of tracks, said which detection it is
}

// Hits are what a side has in a frame: hit i is of target or track ID[i], is detection Det[i] of
// the frame, -1 for none, and lies at Pos[i·Dim:(i+1)·Dim].
type Hits struct {
	ID, Det []int
	Dim     int       // 2 or 3
	Pos     []float64 // row-major len(ID)×Dim
}

func (h *Hits) at(i int) []float64 { return h.Pos[i*h.Dim : (i+1)*h.Dim] }

// check says what is wrong with the hits of a side in a frame.
func (h *Hits) check(side string, frame int) error {
	if len(h.ID) == 0 {
		return nil
	}
	if h.Dim != 2 && h.Dim != 3 {
		return fmt.Errorf("metrics: %s, frame %d: Dim is %d, want 2 or 3", side, frame, h.Dim)
	}
	if len(h.Det) != len(h.ID) || len(h.Pos) != len(h.ID)*h.Dim {
		panic("metrics: len(Det) of Hits is not len(ID), or len(Pos) not len(ID)·Dim")
	}
	if i := notFinite(h.Pos); i >= 0 {
		return fmt.Errorf("metrics: %s, track %d, frame %d: position is %v", side, h.ID[i/h.Dim], frame, h.Pos[i])
	}
	return nil
}

// A crowd is a side of which only the hits of one frame are there, those of the tracks that came
// first in front.
type crowd struct {
	side
	kept   Hits          // of the frame
	number map[int]int32 // ID → number, in order of appearance
	there  []presence    // of all numbers
	here   []int32       // of each: its hit in the frame as it was given, counted from 1; 0: none
}

// A presence is the frames in which a target or track is: bit k of the first word is frame 64·word+k.
type presence struct {
	word, hits int32
	first      uint64
	rest       []uint64 // the words that follow
}

// add notes a frame, not before those that are known.
func (p *presence) add(frame int) {
	w := frame/64 - int(p.word)
	if w == 0 {
		p.first |= 1 << (frame % 64)
	} else {
		for len(p.rest) < w {
			p.rest = append(p.rest, 0)
		}
		p.rest[w-1] |= 1 << (frame % 64)
	}
	p.hits++
}

// at is a word of p, the first being word 0 of all.
func (p *presence) at(word int) uint64 {
	if word == int(p.word) {
		return p.first
	}
	return p.rest[word-int(p.word)-1]
}

// both is the number of frames in which both are there.
func (p *presence) both(q *presence) (n int) {
	for w := int(max(p.word, q.word)); w <= min(int(p.word)+len(p.rest), int(q.word)+len(q.rest)); w++ {
		n += bits.OnesCount64(p.at(w) & q.at(w))
	}
	return n
}

// Meetings are those of metTargets targets: when the list grows, no others are copied.
type meetings struct {
	end  [metTargets]int32 // of each target: where its meetings end
	list []meeting         // by target, ascending track
}

const metTargets = 256

// A meeting is of a target and a track that are near in some frames.
type meeting struct {
	saved  float64 // Σ of c^p − d^p
	track  int32
	frames int32 // within the threshold
}

// An encounter is a meeting of a target in one frame.
type encounter struct {
	target int32 // among those of its meetings
	meeting
}

// A linkTarget is what links want to know of a target, a linkTrack of a track. Frames are counted from 0.
type linkTarget struct {
	detected bool
	bad      bool
	track    int32 // that holds its last detection; none
	at       int32 // frame of that
}

type linkTrack struct {
	last, before int32 // frames of the last two detections that it holds; none
	owner        int32 // target of the last; none: clutter
	shared       bool
	open         bool // whether the true link from the last detection waits for where the track goes on
}

// NewStream prepares to score. Only of opts says nothing, boxes are refused unless Points is set.
func NewStream(opts *Options) (*Stream, error) {
	k := &Stream{frame: none}
	if opts != nil {
		k.o = *opts
	}
	k.o.Only, k.o.Series = Links|CLEAR|Identity|Sets|Trajectories, false
	if err := k.o.complete(false); err != nil {
		return nil, err
	}
	k.clear = clearRun{CLEARScores: &CLEARScores{}, o: &k.o, limit: k.o.limit()}
	k.truth.number, k.tracks.number = make(map[int]int32), make(map[int]int32)
	return k, nil
}

// Add scores the next frame: the targets and tracks that are there, each with the one hit that it
// has in it. Nothing is kept of them. Errors are those of [Score]. The time is that of Score for
// the frame, and linear in all targets, tracks and meetings so far.
func (k *Stream) Add(ctx context.Context, frame int, truth, tracks *Hits) error {
	if len(truth.ID)+len(tracks.ID) == 0 {
		return nil
	}
	if k.r.Frames > 0 && frame <= k.frame {
		return fmt.Errorf("metrics: frame %d comes after frame %d", frame, k.frame)
	}
	k.frame = frame
	for _, side := range []struct {
		name string
		of   *Hits
		all  *crowd
	}{{"truth", truth, &k.truth}, {"tracks", tracks, &k.tracks}} {
		if err := side.of.check(side.name, frame); err != nil {
			return err
		}
		if k.dim == 0 {
			k.dim = side.of.Dim
		}
		if len(side.of.ID) > 0 && side.of.Dim != k.dim {
			return fmt.Errorf("metrics: %s, frame %d has %d dimensions, others have %d: are truth and tracks of the same scene?", side.name, frame, side.of.Dim, k.dim)
		}
		if err := side.all.fill(side.name, frame, k.r.Frames, side.of); err != nil {
			return err
		}
	}
	s := &scene{frames: []int{frame}, dim: k.dim, truth: k.truth.side, tracks: k.tracks.side}
	near, err := k.finder.near(ctx, s, k.o.radius(false))
	if err != nil {
		return err
	}
	if err := k.match(ctx, s, near); err != nil {
		return err
	}
	own, err := ownByDetection(s)
	if err != nil {
		return err
	}
	k.link(s, own)
	sets, err := scoreSets(ctx, s, near, &k.o, &k.clear.lap)
	if err != nil {
		return err
	}
	k.sets.add(1, &sets.SetDistances)
	k.meet(s, near)
	k.r.Frames++
	k.r.TruthHits += len(truth.ID)
	k.r.TrackHits += len(tracks.ID)
	return nil
}

// fill makes the side of the hits of a frame, the n-th.
func (c *crowd) fill(name string, frame, n int, of *Hits) error {
	clear(c.here)
	for i, id := range of.ID {
		k, ok := c.number[id]
		if !ok {
			k = int32(len(c.there))
			c.number[id] = k
			c.there, c.here = append(c.there, presence{word: int32(n / 64)}), append(c.here, 0)
		}
		if c.here[k] != 0 {
			return fmt.Errorf("metrics: %s, track %d: frame %d comes after frame %d: hits must be sorted by frame, one in each", name, id, frame, frame)
		}
		c.here[k] = int32(i + 1)
		c.there[k].add(n)
	}
	h := &c.kept
	*h = Hits{ID: h.ID[:0], Det: h.Det[:0], Dim: of.Dim, Pos: h.Pos[:0]}
	c.one, c.live = h, len(of.ID)
	c.track, c.byFrame, c.ptr = c.track[:0], c.byFrame[:0], []int{0, len(of.ID)}
	for k, i := range c.here {
		if i--; i >= 0 {
			c.byFrame = append(c.byFrame, int32(len(c.track)))
			c.track = append(c.track, int32(k))
			h.ID, h.Det, h.Pos = append(h.ID, of.ID[i]), append(h.Det, of.Det[i]), append(h.Pos, of.at(int(i))...)
		}
	}
	return nil
}

// match is scoreCLEAR of one frame.
func (k *Stream) match(ctx context.Context, s *scene, near *pairs) error {
	c := &k.clear
	for len(c.targets) < len(k.truth.there) {
		c.targets = append(c.targets, history{track: none, frame: none})
	}
	c.s, c.near = s, near
	c.truth, c.cols = s.truth.frame(0), s.tracks.frame(0)
	c.keepMatches(int32(k.r.Frames))
	if err := c.matchRest(ctx); err != nil {
		return fmt.Errorf("metrics: frame %d: %w", s.frames[0], err)
	}
	c.countFrame(int32(k.r.Frames), make([]int32, s.truth.hits()))
	return nil
}

// link counts the links that end in a frame, of tracks first, so that these are known to go on.
func (k *Stream) link(s *scene, own *ownership) {
	for len(k.targets) < len(k.truth.there) {
		k.targets = append(k.targets, linkTarget{track: none})
	}
	for len(k.holders) < len(k.tracks.there) {
		k.holders = append(k.holders, linkTrack{last: none, before: none, owner: none})
	}
	now := int32(k.r.Frames)
	spoil := func(g int32) {
		if g != none {
			k.targets[g].bad = true
		}
	}
	for hit, g := range own.tracks {
		if g == skip {
			continue
		}
		k.detK = true
		if g != none {
			g = s.truth.track[g]
		}
		t := &k.holders[s.tracks.track[hit]]
		if t.last != none {
			k.links.TrackLinks++
			if g != t.owner || g == none {
				k.links.FalseLinks++
			}
			if g != t.owner {
				t.shared = true
				spoil(t.owner)
			}
		}
		if t.shared {
			spoil(g)
		}
		if t.open {
			k.links.WrongLinks++
			t.open = false
		}
		t.before, t.last, t.owner = t.last, now, g
	}
	for hit, held := range own.truth {
		if held == skip {
			continue
		}
		k.detT = true
		if held != none {
			held = s.tracks.track[held]
		}
		g := &k.targets[s.truth.track[hit]]
		if g.detected {
			k.links.TrueLinks++
			switch {
			case g.track == none:
				k.links.MissingLinks++
				g.bad = true
			case g.track == held && k.holders[held].before == g.at:
			case k.holders[g.track].last > g.at:
				k.links.WrongLinks++
				g.bad = true
			default:
				k.holders[g.track].open, g.bad = true, true
			}
		}
		g.detected, g.track, g.at = true, held, now
	}
}

// meet notes who is near whom in a frame. Rows and columns of near are in order of targets and tracks.
func (k *Stream) meet(s *scene, near *pairs) {
	limit, cut := k.o.limit(), power(k.o.Cutoff, k.o.Order)
	cols := s.tracks.frame(0)
	k.met = append(k.met, make([]meetings, (len(k.truth.there)+metTargets-1)/metTargets-len(k.met))...)
	list := 0
	note := func() {
		if len(k.fresh) > 0 {
			k.met[list].add(k.fresh)
			k.fresh = k.fresh[:0]
		}
	}
	for r, hit := range s.truth.frame(0) {
		target := int(s.truth.track[hit])
		if target/metTargets != list {
			note()
			list = target / metTargets
		}
		for e := near.ptr[r]; e < near.ptr[r+1]; e++ {
			m := meeting{track: s.tracks.track[cols[near.col[e]]]}
			if near.d[e] <= limit {
				m.frames = 1
			}
			if near.d[e] < k.o.Cutoff {
				m.saved = cut - power(near.d[e], k.o.Order)
			}
			if m.frames > 0 || m.saved > 0 {
				k.fresh = append(k.fresh, encounter{int32(target % metTargets), m})
			}
		}
	}
	note()
}

// of are the meetings of a target.
func (m *meetings) of(target int) []meeting { return m.list[m.begin(target):m.end[target]] }

// begin is where the meetings of a target begin.
func (m *meetings) begin(target int) int {
	if target == 0 {
		return 0
	}
	return int(m.end[target-1])
}

// add adds what is fresh, which it overwrites.
func (m *meetings) add(fresh []encounter) {
	known, at := 0, 0
	for i := range fresh { // those that are there already
		f := &fresh[i]
		at = max(at, m.begin(int(f.target)))
		end := int(m.end[f.target])
		for at < end && m.list[at].track < f.track {
			at++
		}
		if at < end && m.list[at].track == f.track {
			m.list[at].frames += f.frames
			m.list[at].saved += f.saved
			known++
			continue
		}
		fresh[i-known] = *f
	}
	fresh = fresh[:len(fresh)-known]
	at = len(m.list)
	to := at + len(fresh)
	if to > cap(m.list) {
		m.list = append(make([]meeting, 0, to+to/8), m.list...)
	}
	m.list = m.list[:to]
	for t := metTargets - 1; len(fresh) > 0; t-- { // from the back, so that nothing is overwritten
		first := m.begin(t)
		m.end[t] = int32(to)
		for {
			last := len(fresh) - 1
			isFresh := last >= 0 && int(fresh[last].target) == t
			if at > first && !(isFresh && fresh[last].track > m.list[at-1].track) {
				at--
				to--
				m.list[to] = m.list[at]
			} else if isFresh {
				to--
				m.list[to], fresh = fresh[last].meeting, fresh[:last]
			} else {
				break
			}
		}
	}
}

// Finish returns the report, without HOTA and distances of trajectories, and OSPA⁽²⁾.
func (k *Stream) Finish(ctx context.Context) (r *Report, ospa2 float64, err error) {
	if k.r.TruthHits > 0 && !k.detT || k.r.TrackHits > 0 && !k.detK {
		return nil, 0, errors.New("metrics: truth or tracks do not say which detections they hold; a Stream compares links by these")
	}
	r = &k.r
	r.Options, r.Measure = k.o, byDistance
	r.Targets, r.Tracks = len(k.truth.there), len(k.tracks.there)
	for i := range k.holders {
		if k.holders[i].open {
			k.holders[i].open = false
			k.links.MissingLinks++
		}
	}
	for i := range k.targets {
		if g := &k.targets[i]; g.detected {
			k.links.LinkTargets++
			if g.bad {
				k.links.BadTargets++
			}
		}
	}
	k.links.LinksBy = LinksByDetection
	k.clear.countTargets()
	r.LinkScores, r.CLEARScores, r.SetScores = &k.links, k.clear.CLEARScores, &SetScores{SetDistances: k.sets}
	if r.Frames > 0 {
		r.SetScores.scale(1 / float64(r.Frames))
	}
	idtp, err := k.choose(ctx, func(_ int, m *meeting) float64 { return float64(m.frames) })
	if err != nil {
		return nil, 0, fmt.Errorf("metrics: identities: %w", err)
	}
	r.IdentityScores = &IdentityScores{IDTP: int(idtp), IDFP: r.TrackHits - int(idtp), IDFN: r.TruthHits - int(idtp)}
	saved, err := k.choose(ctx, func(target int, m *meeting) float64 {
		a, b := &k.truth.there[target], &k.tracks.there[m.track]
		return m.saved / float64(int(a.hits+b.hits)-a.both(b))
	})
	if err != nil {
		return nil, 0, fmt.Errorf("metrics: OSPA(2): %w", err)
	}
	e := energies{saved: saved}
	ospa2 = e.scores(&k.o, r.Targets, r.Tracks).OSPA2
	r.finish()
	return r, ospa2, nil
}

// choose is the greatest sum of gains of meetings, each target and each track in one at most.
func (k *Stream) choose(ctx context.Context, gain func(target int, m *meeting) float64) (sum float64, err error) {
	var lap assigner
	lap.begin(len(k.tracks.there))
	for g := range k.truth.there {
		met := k.metBy(g)
		for i := range met {
			lap.pair(met[i].track, gain(g, &met[i]))
		}
		lap.endRow()
	}
	colOf, err := lap.solve(ctx)
	if err != nil {
		return 0, err
	}
	for g, c := range colOf {
		met := k.metBy(g)
		for i := range met {
			if met[i].track == c {
				sum += gain(g, &met[i])
			}
		}
	}
	return sum, nil
}

// metBy are the meetings of a target.
func (k *Stream) metBy(target int) []meeting {
	if target/metTargets >= len(k.met) { // it came with a frame that was not added to the end
		return nil
	}
	return k.met[target/metTargets].of(target % metTargets)
}
