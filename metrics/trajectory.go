package metrics

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"mtt"
)

// This file computes the distances between sets of whole trajectories: trajectory
// GOSPA and OSPA⁽²⁾.

// TrajectoryDistances are distances between the sets of true and estimated
// trajectories, in units of the distance of hits, with their parts.
//
// # Trajectory GOSPA
//
// In each of the frames 1…T choose pairs of a target and a track, each in one pair at
// most; let w be 1 for those that are chosen. With cut-off c, order p and switching
// penalty γ the choice costs
//
//	E = Σ over frames of (Σ over pairs that are both there of min(c, d)^p
//	      + c^p/2 for each true or estimated hit without such a partner)
//	  + γ^p/2 · Σ over frames k < T and pairs of |w[k+1] − w[k]|
//
// A track that takes over from another costs γ^p, the end or the begin of a pair half of
// that, a pair that goes on while one of both is away nothing. TGOSPAExact is the
// least E^(1/p) over all choices, TGOSPA the least where w may also be between 0 and 1
// with a sum of at most 1 for each target and each track: the linear programming form,
// a metric too, which is what the authors' code computes [1, eq. 4, 10 and 23]. They
// are nearly always equal.
//
// The parts are p-th roots of their share of E of the exact form, so that their p-th
// powers add up to that of TGOSPAExact. TGOSPAGap says in percent of E how much less
// than given the linear programming form may be, TGOSPAExactGap how much less the exact form;
// 0 is proof. Where the two forms differ, the second is closed by search, which ends after a while in crowds.
//
// # OSPA⁽²⁾
//
// The distance of a target and a track is, over the frames in which either is there,
//
//	D = (mean of min(c, d)^p, and c^p where only one is there)^(1/p)
//
// and OSPA2 is the OSPA distance with cut-off c and order p of the set of targets and
// the set of tracks with D for distance [2, section III], over the whole sequence and
// with equal weights.
//
// [1] Á. F. García-Fernández, A. S. Rahmathullah, L. Svensson. A metric on the space of
// finite sets of trajectories for evaluation of multi-target tracking algorithms. IEEE
// Transactions on Signal Processing 68, 2020.
//
// [2] M. Beard, B.-T. Vo, B.-N. Vo. A solution for large-scale multi-object tracking.
// IEEE Transactions on Signal Processing 68, 2020.
type TrajectoryDistances struct {
	TGOSPA             float64 `json:"tgospa"`
	TGOSPAExact        float64 `json:"tgospa_exact"`
	TGOSPALocalisation float64 `json:"tgospa_localisation"`
	TGOSPAMissed       float64 `json:"tgospa_missed"`
	TGOSPAFalse        float64 `json:"tgospa_false"`
	TGOSPASwitch       float64 `json:"tgospa_switch"`
	TGOSPAGap          float64 `json:"tgospa_gap"`       // %, of TGOSPA
	TGOSPAExactGap     float64 `json:"tgospa_exact_gap"` // %, of TGOSPAExact
	TGOSPASwitches     float64 `json:"tgospa_switches"`  // a pair's begin or end counts a half
	OSPA2              float64 `json:"ospa2"`
}

// TrajectoryScores are the distances of trajectories of a scene.
type TrajectoryScores struct{ TrajectoryDistances }

// energies are sums of p-th powers, which add up over scenes.
type energies struct {
	relaxed, exact                  float64 // E of both forms
	below, exactBelow               float64 // what is proved of them
	localisation, missed, extra, sw float64
	switches                        float64
	saved                           float64 // Σ over the pairs of OSPA⁽²⁾ of c^p − D^p
}

// energies takes the scores of a scene with n targets and m tracks apart.
func (s *TrajectoryScores) energies(o *Options, n, m int) energies {
	pow := func(x float64) float64 { return power(x, o.Order) }
	e := energies{
		relaxed: pow(s.TGOSPA), exact: pow(s.TGOSPAExact), localisation: pow(s.TGOSPALocalisation),
		missed: pow(s.TGOSPAMissed), extra: pow(s.TGOSPAFalse), sw: pow(s.TGOSPASwitch), switches: s.TGOSPASwitches,
		saved: float64(max(n, m)) * (pow(o.Cutoff) - pow(s.OSPA2)),
	}
	e.below, e.exactBelow = e.relaxed*(1-s.TGOSPAGap/100), e.exact*(1-s.TGOSPAExactGap/100)
	return e
}

// add adds f to e.
func (e *energies) add(f *energies) {
	e.relaxed += f.relaxed
	e.exact += f.exact
	e.below += f.below
	e.exactBelow += f.exactBelow
	e.localisation += f.localisation
	e.missed += f.missed
	e.extra += f.extra
	e.sw += f.sw
	e.switches += f.switches
	e.saved += f.saved
}

// scores are the distances of scenes with n targets and m tracks.
func (e *energies) scores(o *Options, n, m int) *TrajectoryScores {
	root := func(x float64) float64 { return power(max(0, x), 1/o.Order) }
	s := &TrajectoryScores{TrajectoryDistances{
		TGOSPA: root(e.relaxed), TGOSPAExact: root(e.exact), TGOSPALocalisation: root(e.localisation),
		TGOSPAMissed: root(e.missed), TGOSPAFalse: root(e.extra), TGOSPASwitch: root(e.sw), TGOSPASwitches: e.switches,
	}}
	gap := func(e, below float64) float64 {
		const rounding = 1e-9 // of sums of a few million terms, relative
		if d := e - below; d > rounding*e {
			return 100 * d / e
		}
		return 0
	}
	s.TGOSPAGap, s.TGOSPAExactGap = gap(e.relaxed, e.below), gap(e.exact, e.exactBelow)
	if most := float64(max(n, m)); most > 0 {
		s.OSPA2 = root(power(o.Cutoff, o.Order) - e.saved/most)
	}
	return s
}

// scoreTrajectories computes the distances of trajectories.
func scoreTrajectories(ctx context.Context, s *scene, near *pairs, over *overlaps, o *Options) (*TrajectoryScores, error) {
	var e energies
	var saved float64
	if err := beside(
		func() (err error) {
			if e, err = trajectoryGOSPA(ctx, s, near, over, o); err != nil {
				err = fmt.Errorf("metrics: trajectory GOSPA: %w", err)
			}
			return err
		},
		func() (err error) {
			if saved, err = trajectoryOSPA(ctx, s, near, over, o); err != nil {
				err = fmt.Errorf("metrics: OSPA(2): %w", err)
			}
			return err
		},
	); err != nil {
		return nil, err
	}
	e.saved = saved
	return e.scores(o, s.truth.live, s.tracks.live), nil
}

// trajectoryOSPA is what the pairs of OSPA⁽²⁾ save. Pairs that are never nearer than the
// cut-off save nothing.
func trajectoryOSPA(ctx context.Context, s *scene, near *pairs, over *overlaps, o *Options) (saved float64, err error) {
	cut := power(o.Cutoff, o.Order)
	sum := make([]float64, len(over.track)) // of each overlap: Σ of c^p − d^p
	for e, v := range over.of {
		if d := near.d[e]; d < o.Cutoff {
			sum[v] += cut - power(d, o.Order)
		}
	}
	both := s.together(over)
	var lap assigner
	lap.begin(len(s.tracks.of))
	for g := range s.truth.of {
		for v := over.ptr[g]; v < over.ptr[g+1]; v++ {
			k := over.track[v]
			lap.pair(k, sum[v]/float64(len(s.truth.of[g].Hits)+len(s.tracks.of[k].Hits)-int(both[v])))
			// D^p = c^p − that: what OSPA⁽²⁾ saves at order p, since both orders are p.
		}
		lap.endRow()
	}
	colOf, err := lap.solve(ctx)
	if err != nil {
		return 0, err
	}
	for g, k := range colOf {
		if k == none {
			continue
		}
		v := over.find(g, k)
		saved += sum[v] / float64(len(s.truth.of[g].Hits)+len(s.tracks.of[k].Hits)-int(both[v]))
	}
	return saved, nil
}

// together counts, for each overlap, the frames in which both are there, near or far.
func (s *scene) together(over *overlaps) []int32 {
	both := make([]int32, len(over.track))
	for g := range s.truth.of {
		a := s.truth.of[g].Hits
		for v := over.ptr[g]; v < over.ptr[g+1]; v++ {
			both[v] = int32(common(a, s.tracks.of[over.track[v]].Hits))
		}
	}
	return both
}

// common counts the frames that both lists of hits have. Where one has every frame between its
// first and its last, as most do, that is a look at both ends of the other.
func common(a, b []mtt.Hit) (n int) {
	b = within(b, a)
	a = within(a, b)
	b = within(b, a)
	switch {
	case everyFrame(a):
		return len(b)
	case everyFrame(b):
		return len(within(a, b))
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch x, y := a[i].Frame, b[j].Frame; {
		case x < y:
			i++
		case x > y:
			j++
		default:
			n++
			i++
			j++
		}
	}
	return n
}

// within are the hits from the first frame of others to their last.
func within(hits, others []mtt.Hit) []mtt.Hit {
	if len(others) == 0 {
		return nil
	}
	by := func(h mtt.Hit, frame int) int { return cmp.Compare(h.Frame, frame) }
	from, _ := slices.BinarySearchFunc(hits, others[0].Frame, by)
	to, last := slices.BinarySearchFunc(hits, others[len(others)-1].Frame, by)
	if last {
		to++
	}
	return hits[from:to]
}

// everyFrame says whether hits have all frames between the first and the last.
func everyFrame(hits []mtt.Hit) bool {
	n := len(hits)
	return n == 0 || hits[n-1].Frame-hits[0].Frame == n-1
}
