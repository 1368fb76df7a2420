package lineage

// These tests compare divisions with the truth of scenes, and the graph with all that could be.

import (
	"context"
	"math"
	"testing"
	"time"

	"mtt"
	"mtt/association"
	"mtt/association/chain"
	"mtt/association/instance"
	"mtt/costgen"
	"mtt/gating"
	"mtt/internal/nightly"
	"mtt/internal/rng"
	"mtt/motion"
	"mtt/scenario"
	"mtt/trackgraph"
)

func simulate(t *testing.T, c scenario.Config) *scenario.Scene {
	t.Helper()
	scene, err := scenario.Simulate(context.Background(), &c)
	if err != nil {
		t.Fatal(err)
	}
	return scene
}

// A split is a division: the mother's last detection and the daughters' first ones.
type split [3]mtt.Hit

// splits are the divisions of tracks.
func splits(tracks []mtt.Track) map[split]bool {
	last, first := make(map[int]mtt.Hit), make(map[int][]mtt.Hit)
	for k := range tracks {
		hits := tracks[k].Hits
		last[tracks[k].ID] = hits[len(hits)-1]
		if p := tracks[k].Parent; p != 0 {
			first[p] = append(first[p], hits[0])
		}
	}
	list := make(map[split]bool)
	for p, d := range first {
		a, b := d[0], d[1]
		if b.Det < a.Det {
			a, b = b, a
		}
		list[split{last[p], a, b}] = true
	}
	return list
}

// f1 is the harmonic mean of precision and recall, in percent.
func f1(found, truth map[split]bool) float64 {
	right := 0
	for d := range found {
		if truth[d] {
			right++
		}
	}
	return 200 * float64(right) / float64(len(found)+len(truth))
}

// besides takes each birth within a distance of a track that goes on for a daughter of what it goes on from.
func besides(tracks []mtt.Track, distance float64) map[split]bool {
	list := make(map[split]bool)
	for k := range tracks {
		b := &tracks[k]
		if b.Hits[0].Frame == 0 {
			continue
		}
		least, best := distance, split{}
		for m := range tracks {
			for h := 1; h < len(tracks[m].Hits); h++ {
				now, before := tracks[m].Hits[h], tracks[m].Hits[h-1]
				if now.Frame != b.Hits[0].Frame || before.Frame != now.Frame-1 {
					continue
				}
				x, y := tracks[m].At(h-1), b.At(0)
				if d := math.Hypot(x[0]-y[0], x[1]-y[1]); d < least {
					best = split{before, now, b.Hits[0]}
					if now.Det > b.Hits[0].Det {
						best = split{before, b.Hits[0], now}
					}
					least = d
				}
			}
		}
		if least < distance {
			list[best] = true
		}
	}
	return list
}

// Divisions of simulated cells are found, proved to be the best answer, at the rate and distance
// that they have, and better than by births beside tracks within the distance that suits the truth
// best.
func TestCells(t *testing.T) {
	scenes := []struct {
		c    scenario.Config
		want float64 // F1 of divisions
	}{
		{scenario.Config{Targets: 30, Frames: 40, Noise: 0.05, Step: 0.2}, 85},
		{scenario.Config{Targets: 30, Frames: 40, Noise: 0.05, Step: 0.2, Births: 0.5, Seed: 2}, 80},
		{scenario.Config{Targets: nightly.Or(25, 40), Frames: nightly.Or(25, 30), Noise: 0.05, Step: 0.25, Dim: 3, Seed: 3}, nightly.Or(85., 90)},
		{scenario.Config{Targets: 30, Frames: 40, Noise: 0.05, Step: 0.2, Miss: 0.03, Clutter: 2, Seed: 5}, 85},
	}
	for _, s := range scenes[nightly.Or(1, 0):] { // the second has all that the first has, and births
		s.c.Scene = scenario.Cells
		scene := simulate(t, s.c)
		began := time.Now()
		r, err := Track(context.Background(), scene.Scans, &association.Options{Sigma: s.c.Noise}, nil)
		if err != nil {
			t.Fatal(err)
		}
		took, of := time.Since(began).Seconds(), &r.Seconds
		if told := of.Estimate + of.Gate + of.Cost + of.Solve; told < 0.8*took || told > took {
			t.Errorf("%+v tell of %v s, it took %v", of, told, took)
		}
		truth := splits(scene.Truth)
		got := f1(splits(r.Tracks), truth)
		plain, err := association.Track(context.Background(), scene.Scans, &association.Options{Sigma: s.c.Noise, Motion: motion.Walk{}})
		if err != nil {
			t.Fatal(err)
		}
		heuristic := 0.0
		for d := 0.1; d < 3; d += 0.1 {
			heuristic = max(heuristic, f1(besides(plain.Tracks, d), truth))
		}
		t.Logf("F1 %.1f %%, by births beside tracks %.1f %%; %d true; %+v; %v, gap %v, %d arcs, %d divisions", got, heuristic, len(truth), *r.Division,
			r.Solved.Status, r.Solved.Gap(), len(r.Graph.Cost), len(r.Graph.Divisions))
		if r.Solved.Status != trackgraph.Optimal || got < s.want || got < heuristic+5 {
			t.Errorf("%v, F1 of divisions %.1f %%, want %v, and by births beside tracks it is %.1f", r.Solved.Status, got, s.want, heuristic)
		}
		if apart := scene.Config.Apart; math.Abs(r.Division.Apart-apart) > 0.1*apart {
			t.Errorf("daughters are %v m apart, want about %v", r.Division.Apart, apart)
		}
		mothers := 0.0
		for k := range scene.Truth {
			mothers += float64(len(scene.Truth[k].Hits))
		}
		if rate := float64(len(truth)) / (mothers - float64(scene.Scans[len(scene.Scans)-1].Len())); math.Abs(r.Division.Rate-rate) > 0.25*rate {
			t.Errorf("divisions have the probability %v, want about %v", r.Division.Rate, rate)
		}
	}
}

// Particles that come and go, and do not divide, are not taken to divide.
func TestNoCells(t *testing.T) {
	scene := simulate(t, scenario.Config{Scene: scenario.Walk, Targets: 60, Frames: 30, Births: 2, Noise: 0.05, Step: 0.25, Seed: 1})
	r, err := Track(context.Background(), scene.Scans, &association.Options{Sigma: 0.05}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Division != nil || r.Divisions() > 0 {
		t.Errorf("%d divisions, %+v", r.Divisions(), r.Division)
	}
}

// The prices of all divisions of a mother are those of a probability: their densities add up to
// Rate and both detections.
func TestDensity(t *testing.T) {
	levels := &costgen.Levels{Sigma: 0.1, Motion: motion.Walk{}, Accel: 0.3, PositionsOnly: true,
		Rates: costgen.Rates{Detect: 0.9, Survive: 0.95, Births: 0.5, Targets: 3, Clutter: 0.7, Volume: 50}}
	for _, dim := range []int{2, 3} {
		for _, shape := range []float64{float64(dim) / 2, 4} {
			levels.Dim = dim
			m := &Model{Rate: 0.03, Centre: 0.4, Apart: 1.3, Shape: shape}
			m.prepare(levels, dim)
			// A target that continues perfectly: S₀ is the innovation of the second step of the walk.
			q, s := 0.3*0.3, 0.1*0.1
			p := (s + q) * s / (2*s + q)
			perfect := 0.95 * 0.9 * math.Pow(2*math.Pi*(p+q+s), -float64(dim)/2)
			// Over unordered pairs, by the middle and half the difference: 2^dim/2 times the volume of both.
			radial := func(r float64) float64 {
				if dim == 2 {
					return 2 * math.Pi * r
				}
				return 4 * math.Pi * r * r
			}
			const step = 0.004
			total := 0.0
			for u := step / 2; u < 2.5; u += step {
				for h := step / 2; h < 4; h += step {
					total += math.Exp(-m.price(u*u, h*h)) * radial(u) * radial(h)
				}
			}
			total *= step * step * math.Pow(2, float64(dim)) / 2 * perfect * perfect
			if want := 0.03 * 0.9 * 0.9; math.Abs(total-want) > 1e-3*want {
				t.Errorf("dim %d, shape %v: divisions have the probability %v, want %v", dim, shape, total, want)
			}
		}
	}
}

// On small scenes the best answer of the graph costs what the cheapest of all answers does, each
// priced by itself.
func TestBrute(t *testing.T) {
	r := rng.Stream(1, "lineage/brute", 0)
	n := 1500
	if testing.Short() {
		n = 300
	}
	divided := 0
	for k := range n {
		scans := make([]mtt.Scan, 3)
		for f := range scans {
			scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			for range []int{1, 3, 3}[f] - rng.IntN(r, 2)*min(f, 1) {
				x, y := rng.Normal(r)
				scans[f].Pos = append(scans[f].Pos, 0.7*x, 0.7*y)
			}
		}
		levels := &costgen.Levels{Sigma: 0.1, Motion: motion.Walk{}, Accel: rng.Uniform(r, 0.1, 0.5), PositionsOnly: true, Dim: 2,
			Rates: costgen.Rates{Detect: 0.9, Survive: rng.Uniform(r, 0.6, 0.99), Births: rng.Uniform(r, 0.01, 1), Targets: 2, Clutter: rng.Uniform(r, 0.01, 1), Volume: 20}}
		model := &costgen.Gaussian{Levels: *levels}
		division := &Model{Rate: rng.Uniform(r, 0.01, 0.3), Centre: 0.3, Apart: 1.2, Shape: rng.Uniform(r, 1, 5)}
		division.prepare(levels, 2)
		gates, err := gating.Chain(context.Background(), scans, gating.Ball{Radius: 100}, nil)
		if err != nil {
			t.Fatal(err)
		}
		res := &Result{}
		if _, err := res.pose(instance.New(scans, gates, model), model, division, false); err != nil {
			t.Fatal(err)
		}
		if res.Solved, err = trackgraph.Solve(context.Background(), res.Graph, &trackgraph.Options{Effort: math.Inf(1)}); err != nil {
			t.Fatal(err)
		}
		b := &brute{scans: scans, model: model, division: division, ends: model.Ends()}
		if want := b.least(); math.Abs(res.Solved.UpperBound-want) > 1e-9*(1+math.Abs(want)) || res.Solved.Status != trackgraph.Optimal {
			t.Fatalf("scene %d: %v with %v, the least of all is %v", k, res.Solved.Status, res.Solved.UpperBound, want)
		}
		divided += len(splits(res.tracks(scans, false)))
	}
	if divided < n/20 {
		t.Errorf("only %d divisions in %d scenes", divided, n)
	}
}

// A division that costs no less than that its mother goes on as one daughter and the other is born
// is not priced.
func TestDominated(t *testing.T) {
	levels := &costgen.Levels{Sigma: 0.1, Motion: motion.Walk{}, Accel: 0.3, PositionsOnly: true, Dim: 2,
		Rates: costgen.Rates{Detect: 0.9, Survive: 0.99, Births: 0.1, Targets: 2, Clutter: 0.1, Volume: 20}}
	m := &Model{Rate: 0.05, Centre: 0.3, Apart: 1.2, Shape: 3}
	m.prepare(levels, 2)
	of := site{&mtt.Scan{Dim: 2, Pos: []float64{0, 0}}, 0}
	next := &mtt.Scan{Frame: 1, Time: 1, Dim: 2, Pos: []float64{-0.6, 0, 0.6, 0, 0, 0.1}}
	const birth, death = 5, 5
	near := make([]daughter, 3)
	for k := range near {
		near[k] = daughter{site: site{next, k}, birth: birth, link: math.Inf(1)}
	}
	if got := m.pairs(of, near, death); len(got) != 3 {
		t.Errorf("without links %d pairs cost less than an end and two births, want 3: %v", len(got), got)
	}
	near[2].link = 0 // it is where the mother was
	if got := m.pairs(of, near, death); len(got) != 1 || got[0].a != 0 || got[0].b != 1 {
		t.Errorf("beside a link to the third that costs nothing the pairs are %v, want that of the others", got)
	}
}

// brute enumerates answers: what each detection does after it, none, one or two of the next scan.
type brute struct {
	scans    []mtt.Scan
	model    *costgen.Gaussian
	division *Model
	ends     costgen.Ends
}

func (b *brute) least() float64 {
	return b.from(0, 0, make([][]bool, len(b.scans)))
}

// from is the least that is still to be paid by detections from i of scan t on. entered says which
// have a predecessor.
func (b *brute) from(t, i int, entered [][]bool) float64 {
	scan := &b.scans[t]
	if entered[t] == nil {
		entered[t] = make([]bool, scan.Len())
	}
	if i == scan.Len() {
		if t == len(b.scans)-1 {
			return 0
		}
		return b.from(t+1, 0, entered)
	}
	last := t == len(b.scans)-1
	in := 0.0
	switch {
	case entered[t][i]:
	case t > 0:
		in = b.ends.Birth
	}
	// Nothing after it; with nothing before it either it may be a false alarm.
	stop := in
	if !last {
		stop += b.ends.Death
	}
	if !entered[t][i] {
		clutter := b.ends.Clutter
		if t == 0 {
			clutter -= b.ends.First
		}
		stop = min(stop, clutter)
	}
	best := stop + b.from(t, i+1, entered)
	if last {
		return best
	}
	next := &b.scans[t+1]
	if entered[t+1] == nil {
		entered[t+1] = make([]bool, next.Len())
	}
	for a := range next.Len() {
		if entered[t+1][a] {
			continue
		}
		entered[t+1][a] = true
		var cost [1]float64
		b.model.Starts(cost[:], scan, i, next, []int32{int32(a)})
		best = min(best, in+cost[0]+b.from(t, i+1, entered))
		for c := range a {
			if !entered[t+1][c] {
				entered[t+1][c] = true
				best = min(best, in+b.division.price(lie(site{scan, i}, site{next, a}, site{next, c}, false))+b.from(t, i+1, entered))
				entered[t+1][c] = false
			}
		}
		entered[t+1][a] = false
	}
	return best
}

// Tracks have the parents that the answer says: numbered as others are, one-detection cells included.
func TestTracks(t *testing.T) {
	scans := make([]mtt.Scan, 3)
	for f, n := range []int{1, 2, 3} {
		scans[f] = mtt.Scan{Frame: 10 + f, Time: float64(f), Dim: 2, Pos: make([]float64, 2*n)}
	}
	r := &Result{Nodes: []chain.Node{chain.At(0, 0), chain.At(1, 0), chain.At(1, 1), chain.At(2, 0), chain.At(2, 1), chain.At(2, 2)}}
	r.Graph = &trackgraph.Graph{Tail: []int32{0, 0, 1, 1, 2}, Head: []int32{1, 2, 3, 5, 4}}
	r.Solved = &trackgraph.Result{Answer: &trackgraph.Answer{Chosen: []bool{true, true, true, true, true}}}
	r.Result = &association.Result{}
	r.Tracks = r.tracks(scans, false)
	want := []struct{ parent, frame, det, hits int }{{0, 10, 0, 1}, {1, 11, 0, 1}, {1, 11, 1, 2}, {2, 12, 0, 1}, {2, 12, 2, 1}}
	if len(r.Tracks) != len(want) || r.Divisions() != 2 {
		t.Fatalf("%+v", r.Tracks)
	}
	for k, w := range want {
		tr := &r.Tracks[k]
		if tr.ID != k+1 || tr.Parent != w.parent || tr.Hits[0] != (mtt.Hit{Frame: w.frame, Det: w.det}) || len(tr.Hits) != w.hits {
			t.Errorf("track %d: %+v, want %+v", k+1, tr, w)
		}
	}
}

// What divisions do not go with is refused.
func TestRefused(t *testing.T) {
	for _, o := range []association.Options{{Engine: association.GNN}, {Engine: association.Greedy}, {Cost: association.Trapezoid}, {Model: &costgen.Funcs{}}} {
		if _, err := Track(context.Background(), nil, &o, nil); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// TestNoTracks: scans of which nothing is tracked have an answer all the same, without tracks.
func TestNoTracks(t *testing.T) {
	scans := []mtt.Scan{
		{Frame: 0, Time: 0, Dim: 2, Pos: []float64{1, 2, 5, 5}},
		{Frame: 1, Time: 1, Dim: 2, Pos: []float64{1.5, 2, 5, 5.5}},
	}
	r, err := Track(t.Context(), scans, &association.Options{Sigma: 1e-9}, nil)
	if err != nil || r == nil || len(r.Tracks) > 0 || r.Graph != nil {
		t.Fatalf("%+v, %v", r, err)
	}
}
