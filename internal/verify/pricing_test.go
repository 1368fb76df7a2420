package verify

// This file compares the prices of the checker with those of the model, which it knows
// nothing of.

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/costgen"
	"mtt/motion"
)

// TestPricing draws levels, scans with and without covariances of their own, and links.
func TestPricing(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 3))
	motions := []motion.Model{motion.Velocity{}, motion.Walk{}, motion.Reverting{}, motion.Swaying{}}
	between := func(lo, hi float64) float64 { return lo * math.Exp(rng.Float64()*math.Log(hi/lo)) }
	trials := 400
	if testing.Short() {
		trials = 100
	}
	worst := 0.0
	for trial := range trials {
		g := costgen.Levels{
			Motion: motions[trial%4], Dim: 2 + rng.IntN(2), Interval: between(0.1, 10),
			Sigma: between(0.01, 10), SigmaV: between(0.01, 10), Accel: between(0.01, 10), SpeedStd: between(0.1, 10), Revert: between(1e-6, 3), Sway: between(0.01, 10),
			PositionsOnly: rng.IntN(2) == 0,
			Rates: costgen.Rates{
				Detect: 0.5 + 0.49*rng.Float64(), Hidden: 0.9 * rng.Float64(), Survive: between(0.5, 0.999),
				Births: between(1e-3, 10), Targets: between(1, 100), Clutter: between(1e-3, 10), Volume: between(1, 1e6),
			},
		}
		if trial%4 == 1 {
			g.PositionsOnly, g.SpeedStd = true, 0
		}
		if rng.IntN(2) == 0 {
			g.ManoeuvreProb, g.ManoeuvreAccel = 0.5*rng.Float64(), between(0.1, 30)
			g.TailDOF = []float64{4, 3, 2.5, math.Inf(1)}[rng.IntN(4)]
		}
		features := rng.IntN(3)
		if features > 0 {
			a := &costgen.Appearance{}
			for range features {
				a.Mean, a.Var, a.Same = append(a.Mean, rng.NormFloat64()), append(a.Var, between(0.1, 10)), append(a.Same, rng.Float64()*0.999)
			}
			g.Appearance = a
		}
		if rng.IntN(3) == 0 {
			g.Classes = &costgen.Classes{Kinds: []int32{3, 7}, Share: []float64{0.2, 0.8}, Same: rng.Float64() * 0.999}
		}
		if rng.IntN(2) == 0 {
			g.AlarmSpeed = g.SpeedStd * between(0.1, 10)
		}
		var births, deaths, alarms, targets, confidence *Map
		if rng.IntN(2) == 0 {
			g.Places = &costgen.Places{}
			g.Places.Births, births = drawMap(rng, g.Dim, g.SpeedStd+g.Accel)
			g.Places.Deaths, deaths = drawMap(rng, g.Dim, g.SpeedStd+g.Accel)
			g.Places.Clutter, alarms = drawMap(rng, g.Dim+rng.IntN(2), g.SpeedStd+g.Accel)
			g.Places.Targets, targets = drawMap(rng, g.Dim+rng.IntN(2), g.SpeedStd+g.Accel)
			g.Confidence, confidence = drawMap(rng, 1, 1)
		}
		var echoes *Echoes
		if rng.IntN(3) == 0 {
			g.Echoes = &costgen.Echoes{Sigma: between(0.1, 100), Share: rng.Float64()}
			for d := range g.Dim {
				g.Echoes.Offset[d] = between(0.1, 100)
			}
			echoes = &Echoes{Offset: g.Echoes.Offset[:g.Dim], Sigma: g.Echoes.Sigma, Share: g.Echoes.Share}
		}
		dt := [2]float64{g.Interval * between(0.5, 3), g.Interval * between(0.5, 3)}
		scans := make([]mtt.Scan, 3)
		now := 0.0
		for k := range scans {
			scans[k] = drawScan(rng, &g, features, now)
			if k < 2 {
				now += dt[k]
			}
		}
		p := &Pricing{
			Cost: "nll", Motion: g.Motion.Name(), Interval: g.Interval, PositionsOnly: g.PositionsOnly,
			Sigma: g.Sigma, SigmaV: g.SigmaV, Accel: g.Accel, SpeedStd: g.SpeedStd, Revert: g.Revert, Sway: g.Sway,
			ManoeuvreProb: g.ManoeuvreProb, ManoeuvreAccel: g.ManoeuvreAccel, TailDOF: g.TailDOF, AlarmSpeed: g.AlarmSpeed,
			Detect: g.Rates.Detect, Hidden: g.Rates.Hidden, Survive: g.Rates.Survive, Births: g.Rates.Births, Targets: g.Rates.Targets, Alarm: g.Rates.Clutter, Volume: g.Rates.Volume,
			BirthPlaces: births, DeathPlaces: deaths, AlarmPlaces: alarms, TargetPlaces: targets, Confidence: confidence, Echoes: echoes,
		}
		if g.Appearance != nil {
			p.Mean, p.Var, p.Same = g.Appearance.Mean, g.Appearance.Var, g.Appearance.Same
		}
		if c := g.Classes; c != nil {
			p.Classes = Classes{c.Kinds, c.Share, c.Same}
		}
		if why := p.unable(); why != "" {
			t.Fatalf("trial %d: unable: %s", trial, why)
		}
		model, check := &costgen.Gaussian{Levels: g}, newPricer(p, g.Dim)
		same := func(what string, want, got float64) {
			off := math.Abs(want-got) / (1 + math.Abs(want))
			worst = max(worst, off)
			if !(off < 1e-8) {
				t.Errorf("trial %d, %s, %s: model %v, checker %v (%+v)", trial, g.Motion.Name(), what, want, got, g)
			}
		}
		a, b, c := &scans[0], &scans[1], &scans[2]
		all := make([]int32, b.Len())
		for i := range all {
			all[i] = int32(i)
		}
		n := len(all)
		row, table := make([]float64, n), make([]float64, n*n)
		for j := range n {
			model.Starts(row, a, j, b, all)
			for k := range n {
				same("start", row[k], check.start(a, j, b, k))
			}
			model.Pairs(row, a, j, b, all)
			for k := range n {
				same("pair", row[k], check.pair(a, j, b, k))
			}
			model.Triplets(table, n, a, all, b, j, c, all)
			for i := range n {
				for k := range n {
					same("triplet", table[i*n+k], check.triplet(a, i, b, j, c, k))
				}
			}
		}
		want, got := model.Ends(), check.ends()
		for k, w := range []float64{want.Birth, want.First, want.Death, want.Miss, want.Again, want.Clutter} {
			same("end", w, []float64{got.birth, got.first, got.death, got.miss, got.again, got.alarm}[k])
		}
		local := make([]costgen.Ends, n)
		differ := g.Places != nil || g.Echoes != nil || g.AlarmSpeed > 0 && b.VelCov != nil && !g.PositionsOnly
		if model.EndsAt(local, b) != differ || births != nil && !(births.valid(g.Dim) && deaths.valid(g.Dim) && confidence.valid(1)) {
			t.Fatalf("trial %d: places %v, births %v, deaths %v", trial, g.Places, births, deaths)
		}
		for i := range n {
			if !differ {
				break
			}
			here := check.endsAt(got, b, i)
			for k, w := range []float64{local[i].Birth, local[i].First, local[i].Death, local[i].Clutter} {
				same("local end", w, []float64{here.birth, here.first, here.death, here.alarm}[k])
			}
		}
	}
	t.Logf("%d sets of levels, worst difference %.2g", trials, worst)
}

// drawMap is the same random map for the model and for the checker.
func drawMap(rng *rand.Rand, dim int, size float64) (*costgen.Map, *Map) {
	m, p := &costgen.Map{Nodes: make([]costgen.MapNode, 1)}, &Map{}
	for range dim {
		m.Min, m.Max = append(m.Min, -size*rng.Float64()), append(m.Max, size*rng.Float64())
	}
	p.Min, p.Max = m.Min, m.Max
	for k := 0; k < len(m.Nodes); k++ {
		if m.Nodes[k] = (costgen.MapNode{Axis: -1, Value: 3 * rng.NormFloat64()}); len(m.Nodes) < 12 && rng.IntN(3) > 0 {
			m.Nodes[k] = costgen.MapNode{Axis: rng.IntN(dim), Lower: int32(len(m.Nodes))}
			m.Nodes = append(m.Nodes, costgen.MapNode{}, costgen.MapNode{})
		}
	}
	for _, n := range m.Nodes {
		p.Nodes = append(p.Nodes, [3]float64{float64(n.Axis), float64(n.Lower), n.Value})
	}
	return m, p
}

// TestMapValid: maps that lead nowhere, or round and round, are refused.
func TestMapValid(t *testing.T) {
	box := func(nodes ...[3]float64) *Map {
		return &Map{Min: []float64{0, 0}, Max: []float64{1, 1}, Nodes: nodes}
	}
	cell := [3]float64{-1, 0, 2}
	for _, m := range []*Map{nil, box(cell), box([3]float64{1, 1}, cell, cell)} {
		if !m.valid(2) {
			t.Errorf("%v is refused", m)
		}
	}
	for _, m := range []*Map{
		box(), box([3]float64{0, 0}, cell), box([3]float64{0, 1}, cell), box([3]float64{2, 1}, cell, cell),
		box([3]float64{0, 1}, cell, [3]float64{0, 1}), box([3]float64{0, math.NaN()}, cell, cell), {Nodes: [][3]float64{cell}},
	} {
		if m.valid(2) {
			t.Errorf("%v is not refused", m)
		}
	}
}

// drawScan is a scan of four detections a few standard deviations from each other, of which some
// scans tell covariances.
func drawScan(rng *rand.Rand, g *costgen.Levels, features int, now float64) mtt.Scan {
	s := mtt.Scan{Frame: int(1000 * now), Time: now, Dim: g.Dim}
	reach := 2 * (g.Sigma + (g.SpeedStd+g.Accel)*g.Interval)
	own, ownVel := rng.IntN(3) == 0, rng.IntN(4) == 0
	for range 4 {
		s.Conf, s.Class = append(s.Conf, 2*rng.Float64()-1), append(s.Class, []int32{3, 7, 7, 9}[rng.IntN(4)])
		for range g.Dim {
			s.Pos = append(s.Pos, reach*rng.NormFloat64())
			if !g.PositionsOnly {
				s.Vel = append(s.Vel, (g.SpeedStd+g.SigmaV)*rng.NormFloat64())
			}
		}
		cov := func(sigma float64) (packed []float64) { // L·Lᵀ
			var l [3][3]float64
			for i := range g.Dim {
				for j := range i + 1 {
					l[i][j] = sigma * 0.5 * rng.NormFloat64()
				}
				l[i][i] = sigma * (0.5 + rng.Float64())
			}
			for i := range g.Dim {
				for j := range i + 1 {
					sum := 0.0
					for k := range 3 {
						sum += l[i][k] * l[j][k]
					}
					packed = append(packed, sum)
				}
			}
			return packed
		}
		if own {
			s.Cov = append(s.Cov, cov(g.Sigma)...)
		}
		if ownVel && !g.PositionsOnly {
			s.VelCov = append(s.VelCov, cov(g.SigmaV)...)
		}
		for range features {
			s.Feat = append(s.Feat, 2*rng.NormFloat64())
		}
	}
	return s
}
