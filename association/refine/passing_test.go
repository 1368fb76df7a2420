package refine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
	"mtt/association/chain"
	"mtt/costgen"
	"mtt/gating"
)

// TestPassing: around each cut of a long scene the same parts and joins are listed with what is
// known of scans as without, and far fewer pairs of scans and detections are looked at.
func TestPassing(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	const scanCount, targets, misses = 120, 3, 40
	levels := refineLevels(false, 2)
	levels.Rates = costgen.Rates{Detect: 0.95, Survive: 0.999, Births: 0.01, Targets: targets, Clutter: 0.1, Volume: 30 * scanCount}
	scans := make([]mtt.Scan, scanCount)
	for f := range scans {
		scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
		for k := range targets {
			if rng.Float64() < 0.95 {
				scans[f].Pos = append(scans[f].Pos, float64(f)+0.1*rng.NormFloat64(), 10*float64(k)+0.1*rng.NormFloat64())
			}
		}
		if f%8 == 0 { // a false alarm, of which a track goes on nowhere
			scans[f].Pos = append(scans[f].Pos, scanCount*rng.Float64(), 30*rng.Float64())
		}
	}
	gates, err := gating.Chain(t.Context(), scans, gating.Ball{Radius: 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := testRefiner(chain.New(scans), scans, gates, &costgen.Gaussian{Levels: levels}, misses, 3)
	for range 2 {
		if _, err := r.sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.loose = true
		r.retry()
	}
	r.backward()
	r.clock++
	m := r.movers[0]
	type listed struct {
		prefixes, suffixes []chain.Node
		places             []place
		maybe, seats       [][]int32
	}
	spans, looked := 0, 0
	list := func(cut int32) (l listed) {
		c, s := &m.parts, &m.places
		m.listParts(cut)
		l.prefixes, l.suffixes = slices.Clone(c.prefixes), slices.Clone(c.suffixes)
		for i := range c.prefixes {
			l.maybe = append(l.maybe, slices.Clone(c.maybe[i]))
		}
		spans += len(c.spans)
		for _, lists := range [][][]int32{c.row, c.col} {
			for _, of := range lists {
				looked += len(of)
			}
		}
		m.listPlaces(cut)
		l.places = slices.Clone(s.list)
		for k := range s.list {
			l.seats = append(l.seats, slices.Clone(s.maybe[k]))
		}
		return l
	}
	all := func() (lists []listed) {
		for cut := range int32(scanCount - 1) {
			lists = append(lists, list(cut))
		}
		return lists
	}
	same := func(a, b listed) bool {
		return slices.Equal(a.prefixes, b.prefixes) && slices.Equal(a.suffixes, b.suffixes) && slices.Equal(a.places, b.places) &&
			slices.EqualFunc(a.maybe, b.maybe, slices.Equal) && slices.EqualFunc(a.seats, b.seats, slices.Equal)
	}
	got := all()
	few, near := spans, looked
	spans, looked, r.passing, r.hopes = 0, 0, nil, nil
	for cut, want := range all() {
		if !same(got[cut], want) {
			t.Fatalf("at cut %d %v is listed, want %v", cut, got[cut], want)
		}
	}
	if few*3 > spans || near*3 > looked {
		t.Errorf("%d pairs of scans and %d detections are looked at, else %d and %d: want a third", few, near, spans, looked)
	}
}
