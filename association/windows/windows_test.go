package windows

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/association/chain"
	"mtt/dualascent"
	"mtt/internal/nightly"
	"mtt/scenario"
)

// This file tests windows against the scene as a whole: their problems put together are one
// problem, of which their bounds add up to a bound and their answers are an answer.

// from reads scans.
func from(scans []mtt.Scan) func() (*mtt.Scan, error) {
	return func() (*mtt.Scan, error) {
		if len(scans) == 0 {
			return nil, io.EOF
		}
		s := scans[0]
		scans = scans[1:]
		return &s, nil
	}
}

// A whole is what windows are together.
type whole struct {
	dual                    dualascent.Instance
	prices                  []dualascent.Prices
	next                    [][]int32
	links                   *chain.Links
	lower, certified, upper float64
	left, windows           int
	tracks                  Numbering
	hits                    [][]mtt.Hit // of each track
	arcs, triplets          int
}

func (w *whole) add(part *Window) {
	w.windows++
	w.tracks.Add(part, func(s *mtt.Scan, places []Place) error {
		for _, p := range places {
			for len(w.hits) < p.Track {
				w.hits = append(w.hits, nil)
			}
			w.hits[p.Track-1] = append(w.hits[p.Track-1], mtt.Hit{Frame: s.Frame, Det: p.Det})
		}
		return nil
	})
	for g := range part.Gaps() {
		w.dual.Pairs = append(w.dual.Pairs, g.FramePair)
		if g.Block != nil {
			w.dual.Blocks = append(w.dual.Blocks, *g.Block)
		}
		w.prices, w.next = append(w.prices, g.Prices), append(w.next, g.Next)
	}
	for t := range part.Next {
		for i, n := range part.Next[t] {
			if n != chain.None {
				w.links.Link(chain.At(part.First+t, i), n)
			}
		}
	}
	w.lower, w.certified, w.upper = w.lower+part.Lower, w.certified+part.Certified, w.upper+part.Upper
	w.left += part.Left
	w.arcs, w.triplets = w.arcs+part.Arcs, w.triplets+part.Triplets
}

// together tracks scans in windows.
func together(t *testing.T, model *association.Result, scans []mtt.Scan, o *Options) *whole {
	t.Helper()
	w := &whole{links: chain.New(scans)}
	k := New(model, from(scans), o)
	for {
		part, err := k.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return w
		}
		if err != nil {
			t.Fatal(err)
		}
		w.add(part)
	}
}

// scene is a small scene with all that a scene can have.
func scene(t *testing.T, seed uint64, targets, frames int) []mtt.Scan {
	t.Helper()
	s, err := scenario.Simulate(t.Context(), &scenario.Config{
		Scene: scenario.Steer, Targets: targets, Frames: frames, Spread: 3, Noise: 0.1, VelocityNoise: 0.1, NoVelocity: seed%2 == 0,
		Miss: 0.1, Clutter: 2, ClutterRadius: 6, Births: 0.5, Seed: seed,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s.Scans
}

// TestWhole cuts scenes into windows of any length, with any number of scans ahead: the bounds hold.
func TestWhole(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for seed := range nightly.Or[uint64](5, 12) {
		scans := scene(t, seed, 25, 30)
		a := &association.Options{NoRefine: true, Cap: -1}
		model, err := association.Learn(t.Context(), scans, a)
		if err != nil {
			t.Fatal(err)
		}
		o := &Options{Scans: 1 + rnd.IntN(9), Ahead: rnd.IntN(6), Association: a}
		w := together(t, model, scans, o)
		if err := w.dual.Validate(); err != nil {
			t.Fatal(err)
		}
		if len(w.dual.Pairs) != len(scans)-1 || w.windows < 2 {
			t.Fatalf("%d gaps of %d scans in %d windows", len(w.dual.Pairs), len(scans), w.windows)
		}
		if c := w.dual.Cost(w.next); !(math.Abs(c-w.upper) <= 1e-9*math.Abs(c)) {
			t.Errorf("seed %d: the answers cost %v, together %v", seed, w.upper, c)
		}
		if b := dualascent.Bound(&w.dual, w.prices); !(b >= w.certified-1e-9*math.Abs(b)) {
			t.Errorf("seed %d: certified %v, the multipliers prove %v together", seed, w.certified, b)
		}
		best, err := dualascent.Solve(t.Context(), &w.dual, &dualascent.Options{Effort: math.Inf(1)})
		if err != nil {
			t.Fatal(err)
		}
		if best.Status != dualascent.Optimal || w.lower > best.UpperBound+1e-9*math.Abs(best.UpperBound) {
			t.Errorf("seed %d: lower bound %v of a problem whose best answer costs %v (%v)", seed, w.lower, best.UpperBound, best.Status)
		}
		if w.certified > w.lower || w.lower > w.upper+1e-9*math.Abs(w.upper) {
			t.Errorf("seed %d: certified %v, lower %v, upper %v", seed, w.certified, w.lower, w.upper)
		}
	}
}

// TestAtOnce looks ahead far enough: bounds and answers are those of the scene at once, and the
// tracks where velocities leave no doubt about links over misses. (Which of these are worth while is
// found out by rounds that end when few are left, so either may know a few that the other lacks.)
func TestAtOnce(t *testing.T) {
	var cost, loss, atOnce float64
	seeds := nightly.Or[uint64](5, 12)
	if testing.Short() { // with the race detector
		seeds = 2
	}
	for seed := range seeds {
		scans := scene(t, seed, 25, 30)
		a := &association.Options{NoRefine: true, Cap: -1}
		model, err := association.Learn(t.Context(), scans, a)
		if err != nil {
			t.Fatal(err)
		}
		w := together(t, model, scans, &Options{Scans: 4 + int(seed)%5, Ahead: 10, Association: a})
		known := *a
		known.Levels = model.Levels
		res, err := association.Track(t.Context(), scans, &known)
		if err != nil {
			t.Fatal(err)
		}
		if w.arcs != res.Instance.Arcs() || w.triplets != res.Instance.Triplets() {
			t.Errorf("seed %d: %d arcs and %d triplets, at once %d and %d", seed, w.arcs, w.triplets, res.Instance.Arcs(), res.Instance.Triplets())
		}
		tracks := w.links.Tracks(scans, res.Instance.Single())
		if !slices.EqualFunc(w.hits, tracks, func(x []mtt.Hit, y mtt.Track) bool { return slices.Equal(x, y.Hits) }) {
			t.Errorf("seed %d: %d tracks by number are not the %d of the links", seed, len(w.hits), len(tracks))
		}
		same := slices.EqualFunc(tracks, res.Tracks, func(x, y mtt.Track) bool { return slices.Equal(x.Hits, y.Hits) })
		if scans[0].Vel != nil && !same {
			t.Errorf("seed %d: the tracks are not those of the scene at once", seed)
		}
		cost, loss, atOnce = cost+w.upper, loss+w.upper-w.lower, atOnce+res.Cost
	}
	if loss > 3e-4*cost || cost > 1.002*atOnce {
		t.Errorf("gap %v %%; cost %v, at once %v", 100*loss/cost, cost, atOnce)
	}
}

// TestResume stops after each window and goes on from what is written of it.
func TestResume(t *testing.T) {
	scans := scene(t, 4, 15, 20)
	o := &Options{Scans: 3, Ahead: 4, Association: &association.Options{NoRefine: true, Cap: -1}}
	model, err := association.Learn(t.Context(), scans, o.Association)
	if err != nil {
		t.Fatal(err)
	}
	whole, state := New(model, from(scans), o), State{}
	crossing := 0
	for n := 0; ; n++ {
		var file bytes.Buffer
		if err := gob.NewEncoder(&file).Encode(state); err != nil {
			t.Fatal(err)
		}
		state = State{}
		if err := gob.NewDecoder(&file).Decode(&state); err != nil {
			t.Fatal(err)
		}
		k := Resume(model, from(scans[min(state.First, len(scans)):]), o, state)
		want, err := whole.Next(t.Context())
		got, again := k.Next(t.Context())
		if err == io.EOF && again == io.EOF {
			if n < 4 || crossing == 0 {
				t.Errorf("%d windows, %d links over misses from one to the next", n, crossing)
			}
			return
		}
		if err != nil || again != nil {
			t.Fatal(err, again)
		}
		if got.Lower != want.Lower || got.Upper != want.Upper || !reflect.DeepEqual(got.Next, want.Next) || !reflect.DeepEqual(slices.Collect(got.Gaps()), slices.Collect(want.Gaps())) {
			t.Errorf("window %d is another when the windows before are read from a file", n)
		}
		if state = k.State; state.Border != nil {
			crossing += len(state.Border.Links)
		}
	}
}

// TestMemory has windows as long as memory allows, and refuses less than one.
func TestMemory(t *testing.T) {
	scans := scene(t, 1, 40, 40)
	a := &association.Options{NoRefine: true}
	model, err := association.Learn(t.Context(), scans, a)
	if err != nil {
		t.Fatal(err)
	}
	last := len(scans)
	for _, kilobytes := range []int64{500, 900, 1 << 20} {
		w := together(t, model, scans, &Options{Memory: kilobytes << 10, Association: a})
		if w.windows >= last || kilobytes == 1<<20 && w.windows != 1 {
			t.Errorf("%d kB: %d windows, with less memory %d", kilobytes, w.windows, last)
		}
		last = w.windows
	}
	if _, err := New(model, from(scans), &Options{Memory: 1000, Association: a}).Next(t.Context()); !errors.Is(err, association.ErrOptions) {
		t.Errorf("1 kB: %v", err)
	}
}

// TestGrowing has windows become shorter as scans become larger, keeps to the limit, and refuses
// scans of which a window does not fit.
func TestGrowing(t *testing.T) {
	a := &association.Options{NoRefine: true}
	scans := scene(t, 2, 40, 40)
	model, err := association.Learn(t.Context(), scans, a)
	if err != nil {
		t.Fatal(err)
	}
	for k := range 25 { // small ones first
		scans[k] = scans[k].Pick([]int32{0, 1})
	}
	const most = 900 << 10
	var settled []int
	k := New(model, from(scans), &Options{Memory: most, Association: a})
	for {
		w, err := k.Next(t.Context())
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		settled = append(settled, len(w.Scans))
		if !w.Last && k.ready != nil && k.ready.bytes > most {
			t.Errorf("a window of %g bytes", k.ready.bytes)
		}
	}
	if len(settled) < 3 || settled[0] < 10 || settled[1] > settled[0]/2 {
		t.Errorf("windows of %v scans", settled)
	}
	crowd := scenario.Config{Scene: scenario.Steer, Targets: 600, Frames: 10, Noise: 0.1, Seed: 1}
	large, err := scenario.Simulate(t.Context(), &crowd)
	if err != nil {
		t.Fatal(err)
	}
	for t := range large.Scans {
		s := large.Scans[t]
		s.Frame, s.Time, s.Vel = s.Frame+40, s.Time+40, nil
		scans = append(scans, s)
	}
	k = New(model, from(scans), &Options{Memory: most, Association: a})
	for err = nil; err == nil; _, err = k.Next(t.Context()) {
	}
	if !errors.Is(err, association.ErrOptions) || !strings.Contains(err.Error(), "too little: frames ") {
		t.Errorf("scans of a megabyte: %v", err)
	}
}

// TestFew has windows that would be of few scans take what two may have, and no more; windows of
// many scans take what one may.
func TestFew(t *testing.T) {
	scans := scene(t, 1, 40, 120)
	a := &association.Options{NoRefine: true}
	model, err := association.Learn(t.Context(), scans, a)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ aim, memory, least, most int64 }{
		{250 << 10, 1 << 30, 251 << 10, 500 << 10},
		{250 << 10, 300 << 10, 251 << 10, 300 << 10},
		{2 << 20, 1 << 30, 1 << 20, 2 << 20},
	} {
		k := New(model, from(scans), &Options{Memory: c.memory, Aim: c.aim, Association: a})
		r, err := k.raise(t.Context(), func(float64) {})
		if err != nil {
			t.Fatal(err)
		}
		if int64(r.bytes) < c.least || int64(r.bytes) > c.most {
			t.Errorf("aim %d of %d: a window of %.0f bytes, %d scans", c.aim, c.memory, r.bytes, len(r.scans))
		}
	}
	// What is settled side by side there is what one goroutine finds.
	var found [2]*whole
	for n := range found {
		a := &association.Options{NoRefine: true, Workers: 1 + 3*n}
		found[n] = together(t, model, scans[:40], &Options{Memory: 1 << 30, Aim: 250 << 10, Association: a})
	}
	one, four := found[0], found[1]
	if one.lower != four.lower || one.upper != four.upper || !reflect.DeepEqual(one.next, four.next) || !reflect.DeepEqual(one.prices, four.prices) {
		t.Errorf("%d windows, %v to %v by one goroutine, %d windows, %v to %v by four", one.windows, one.lower, one.upper, four.windows, four.lower, four.upper)
	}
}

// TestShort tracks scenes of hardly any scans, or none, and scans without detections.
func TestShort(t *testing.T) {
	scans := scene(t, 1, 4, 12)
	a := &association.Options{NoRefine: true}
	model, err := association.Learn(t.Context(), scans, a)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 5 {
		w := together(t, model, scans[:n], &Options{Scans: 1, Ahead: 1, Association: a})
		if len(w.next) != max(0, n-1) || w.tracks.First != n {
			t.Errorf("%d scans: %d gaps, %d scans seen", n, len(w.next), w.tracks.First)
		}
	}
	gone := slices.Clone(scans)
	for _, k := range []int{0, 3, 4, 11} {
		gone[k] = mtt.Scan{Frame: gone[k].Frame, Time: gone[k].Time, Dim: 2}
	}
	if w := together(t, model, gone, &Options{Scans: 2, Ahead: 2, Association: a}); !(w.lower <= w.upper+1e-9) || w.tracks.Count == 0 {
		t.Errorf("with empty scans: %v .. %v, %d tracks", w.lower, w.upper, w.tracks.Count)
	}
}

// TestLongest has scans of few detections come in windows of a bounded number, however much memory there is.
func TestLongest(t *testing.T) {
	few := scene(t, 1, 2, 30)
	scans := make([]mtt.Scan, longest+100)
	for n := range scans {
		scans[n] = mtt.Scan{Frame: n, Time: float64(n), Dim: 2, Pos: []float64{float64(n % 7), 0}}
	}
	a := &association.Options{NoRefine: true, IgnoreVelocity: true}
	model, err := association.Learn(t.Context(), few, a)
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(model, from(scans), &Options{Memory: 1 << 40, Association: a}).Next(t.Context())
	if err != nil || len(w.Scans) > longest || len(w.Scans) < longest/2 {
		t.Errorf("%d scans in a window, %v", len(w.Scans), err)
	}
}

// TestPrepared: while the multipliers of a window of light scans are raised, those of the next one
// are read, gated and weighed.
func TestPrepared(t *testing.T) {
	scans := make([]mtt.Scan, 2*longest+100)
	for n := range scans {
		scans[n] = mtt.Scan{Frame: n, Time: float64(n), Dim: 2, Pos: []float64{float64(n % 7), 0}}
	}
	a := &association.Options{NoRefine: true, IgnoreVelocity: true, Workers: 2}
	model, err := association.Learn(t.Context(), scene(t, 1, 2, 30), a)
	if err != nil {
		t.Fatal(err)
	}
	k := New(model, from(scans), &Options{Memory: 1 << 40, Association: a})
	if _, err := k.raise(t.Context(), func(float64) {}); err != nil {
		t.Fatal(err)
	}
	if len(k.weights) < longest || len(k.gates) <= longest {
		t.Errorf("%d scans are weighed and %d gated after a window of %d, want as many", len(k.weights), len(k.gates), longest)
	}
}

// TestGaps: frame pairs whose nodes have the numbers outside are handed out as they are, beside
// others that are not: all are what renumbering makes of them.
func TestGaps(t *testing.T) {
	plain, turned := 0, 0
	for seed := range uint64(6) {
		scans := scene(t, seed, 2, 30)
		for f := range scans {
			if f%10 < 6 && scans[f].Len() > 0 { // one is in order
				scans[f] = scans[f].Pick([]int32{0})
			}
		}
		a := &association.Options{NoRefine: true}
		model, err := association.Learn(t.Context(), scans, a)
		if err != nil {
			t.Fatal(err)
		}
		k := New(model, from(scans), &Options{Scans: 7, Association: a})
		for {
			w, err := k.Next(t.Context())
			if err != nil {
				break
			}
			at := 0
			var left *dualascent.Renumbering
			for g := range w.Gaps() {
				was := w.gap(at)
				right := was.Renumber(w.raised.names[at], w.raised.names[at+1])
				want := &Gap{FramePair: right.FramePair, Block: was.Block, Prices: right.Prices(&was.Prices), Next: right.Next(was.Next)}
				if at > 0 {
					b := was.Block.Between(left, right)
					want.Block = &b
				}
				if text(&g) != text(want) {
					t.Fatalf("seed %d, gap %d from scan %d:\n%s\nwant\n%s", seed, at, w.First, text(&g), text(want))
				}
				if turned++; &g.Ptr[0] == &was.Ptr[0] {
					plain, turned = plain+1, turned-1
				}
				at, left = at+1, right
			}
		}
	}
	if plain < 20 || turned < 20 {
		t.Errorf("%d frame pairs as they are and %d turned", plain, turned)
	}
}

// text is all that a gap holds.
func text(g *Gap) string {
	all := fmt.Sprint(g.FramePair, g.Prices, g.Next)
	if g.Block != nil {
		all += fmt.Sprint(*g.Block)
	}
	return all
}

// lonely is a target in 3000 scans that is missed in a share of them, among few false alarms.
// Prices speak for links over a miss and the scan beside it as well, and with all of them there
// would be no room for links over two misses in a row.
func lonely(missed float64) []mtt.Scan {
	rnd := rand.New(rand.NewPCG(5, 6))
	scans := make([]mtt.Scan, 3000)
	for k := range scans {
		s := &scans[k]
		*s = mtt.Scan{Frame: k, Time: float64(k), Dim: 2}
		at := func(x, y float64) { s.Pos = append(s.Pos, math.Round(x), math.Round(y)) }
		if rnd.Float64() > missed {
			p, q := math.Sin(0.004*float64(k)), math.Sin(0.007*float64(k)+1)
			at(500+450*p+2*rnd.NormFloat64(), 500+450*q+2*rnd.NormFloat64())
		}
		if rnd.Float64() < 0.15 {
			at(1000*rnd.Float64(), 1000*rnd.Float64())
		}
	}
	return scans
}

// TestLonely: windows of one target that is missed in one scan of ten have the links over misses
// that its track needs.
func TestLonely(t *testing.T) {
	scans, a := lonely(0.1), &association.Options{}
	model, err := association.Learn(t.Context(), scans, a)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{200, 1000} {
		if w := together(t, model, scans, &Options{Scans: n, Association: a}); len(w.hits) != 1 {
			t.Errorf("in windows of %d scans one target has %d tracks", n, len(w.hits))
		}
	}
}

// TestLonelyAtOnce: as do scans at once, where it is missed in one scan of four.
func TestLonelyAtOnce(t *testing.T) {
	res, err := association.Track(t.Context(), lonely(0.25), &association.Options{NoRefine: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Tracks) != 1 {
		t.Errorf("one target has %d tracks", len(res.Tracks))
	}
}
