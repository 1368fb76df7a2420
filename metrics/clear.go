package metrics

import (
	"context"
	"fmt"
)

// This file computes the CLEAR MOT scores.

// CLEARScores are the CLEAR MOT scores.
//
// Frame by frame, a target keeps the track it was matched to in the frame
// before while that is still within the threshold; the others are matched by
// the assignment of greatest total similarity among pairs within the threshold
// [1]. With N true hits, M matches, FN = N − M, FP = track hits − M,
//
//	MOTA = 100 · (1 − (FN + FP + IDSW)/N)        MOTP = Σ d / M
//
// MOTP is a distance, less is better: for boxes the mean of 1 − IoU (as
// py-motmetrics has it, and [1]; MOTChallenge and TrackEval print the mean IoU,
// 1 − MOTP), for points the mean distance in the unit of the positions.
//
// IDSW counts matches with another track than the last time the target was
// matched, any number of frames ago. Frag counts how often matching resumes
// after a frame without a match. MT, PT and ML are targets matched in more
// than 80 %, in 20 to 80 % and in less than 20 % of their frames [2].
//
// Sources differ in small things. Which matches are kept: those of the frame
// before, here as in the MOTChallenge development kit and TrackEval; [1] and
// py-motmetrics keep the last match of a target through frames without one.
// A target matched in exactly 80 % of its frames is PT here as in TrackEval and
// [2], MT in py-motmetrics. Frames without tracks interrupt matches here as in
// all but TrackEval, which steps over them.
//
// [1] Bernardin, Stiefelhagen. Evaluating multiple object tracking performance:
// the CLEAR MOT metrics. EURASIP J. Image Video Process. 2008.
//
// [2] Li, Huang, Nevatia. Learning to associate: HybridBoosted multi-target
// tracker for crowded scene. CVPR 2009.
type CLEARScores struct {
	MOTA      float64 `json:"mota"`      // %, at most 100, may be negative
	MOTP      float64 `json:"motp"`      // mean distance of matches: 1 − IoU or unit of Pos
	Recall    float64 `json:"recall"`    // %
	Precision float64 `json:"precision"` // %
	Matches   int     `json:"tp"`
	FP        int     `json:"fp"`
	FN        int     `json:"fn"`
	IDSW      int     `json:"idsw"`
	Frag      int     `json:"frag"`
	MT        int     `json:"mt"`
	PT        int     `json:"pt"`
	ML        int     `json:"ml"`

	SumDistance float64 `json:"sum_distance"` // of the matches
}

// finish computes the rates from the counts.
func (c *CLEARScores) finish() {
	n := c.Matches + c.FN
	c.MOTA = percent(c.Matches-c.FP-c.IDSW, n)
	c.Recall = percent(c.Matches, n)
	c.Precision = percent(c.Matches, c.Matches+c.FP)
	c.MOTP = ratio(c.SumDistance, c.Matches)
}

// add adds the counts of d.
func (c *CLEARScores) add(d *CLEARScores) {
	c.Matches += d.Matches
	c.FP += d.FP
	c.FN += d.FN
	c.IDSW += d.IDSW
	c.Frag += d.Frag
	c.MT += d.MT
	c.PT += d.PT
	c.ML += d.ML
	c.SumDistance += d.SumDistance
}

// A history is what CLEAR MOT remembers of a target.
type history struct {
	track    int32 // last matched, none before
	frame    int32 // of that match
	present  int32 // frames
	matches  int32
	segments int32 // runs of matches
}

// A clearRun is the state of scoreCLEAR.
type clearRun struct {
	*CLEARScores
	s       *scene
	near    *pairs
	o       *Options
	limit   float64
	targets []history // len truth tracks

	// Of the current frame:
	first int     // row of its first true hit
	truth []int32 // hits
	cols  []int32 // hits of tracks
	colOf []int32 // len truth: matched column, none
	taken []bool  // len cols: by a kept match
	lap   assigner
}

// scoreCLEAR matches the frames of s. It also returns the track hit of each true
// hit, none when it has no match.
func scoreCLEAR(ctx context.Context, s *scene, near *pairs, o *Options) (*CLEARScores, []int32, error) {
	c := &clearRun{
		CLEARScores: &CLEARScores{},
		s:           s, near: near, o: o, limit: o.limit(),
		targets: make([]history, len(s.truth.of)),
	}
	for g := range c.targets {
		c.targets[g] = history{track: none, frame: none}
	}
	matched := make([]int32, s.truth.hits())
	for t := range s.frames {
		c.first = s.truth.ptr[t]
		c.truth, c.cols = s.truth.frame(t), s.tracks.frame(t)
		c.keepMatches(int32(t))
		if err := c.matchRest(ctx); err != nil {
			return nil, nil, fmt.Errorf("metrics: frame %d: %w", s.frames[t], err)
		}
		c.countFrame(int32(t), matched)
	}
	c.countTargets()
	return c.CLEARScores, matched, nil
}

// keepMatches renews the matches of the frame before frame t.
func (c *clearRun) keepMatches(t int32) {
	c.colOf = append(c.colOf[:0], make([]int32, len(c.truth))...)
	c.taken = append(c.taken[:0], make([]bool, len(c.cols))...)
	for i, hit := range c.truth {
		c.colOf[i] = none
		h := &c.targets[c.s.truth.track[hit]]
		if h.track == none || h.frame != t-1 {
			continue
		}
		for e := c.near.ptr[c.first+i]; e < c.near.ptr[c.first+i+1]; e++ {
			j := c.near.col[e]
			if c.s.tracks.track[c.cols[j]] == h.track && c.near.d[e] <= c.limit {
				c.colOf[i] = j
				c.taken[j] = true
			}
		}
	}
}

// matchRest assigns the hits that have no match yet.
func (c *clearRun) matchRest(ctx context.Context) error {
	c.lap.begin(len(c.cols))
	for i := range c.truth {
		if c.colOf[i] == none {
			for e := c.near.ptr[c.first+i]; e < c.near.ptr[c.first+i+1]; e++ {
				if j := c.near.col[e]; c.near.d[e] <= c.limit && !c.taken[j] {
					c.lap.pair(j, c.o.similarity(c.near.d[e]))
				}
			}
		}
		c.lap.endRow()
	}
	colOf, err := c.lap.solve(ctx)
	if err != nil {
		return err
	}
	for i, j := range colOf {
		if j != none {
			c.colOf[i] = j
		}
	}
	return nil
}

// countFrame counts the matches of frame t and remembers them.
func (c *clearRun) countFrame(t int32, matched []int32) {
	matches := 0
	for i, hit := range c.truth {
		h := &c.targets[c.s.truth.track[hit]]
		h.present++
		j := c.colOf[i]
		if j == none {
			matched[hit] = none
			continue
		}
		matched[hit] = c.cols[j]
		matches++
		c.SumDistance += c.near.d[c.near.entry(c.first+i, j)]
		track := c.s.tracks.track[c.cols[j]]
		if h.track != none && h.track != track {
			c.IDSW++
		}
		if h.track == none || h.frame != t-1 {
			h.segments++
		}
		h.matches++
		h.track, h.frame = track, t
	}
	c.Matches += matches
	c.FN += len(c.truth) - matches
	c.FP += len(c.cols) - matches
}

// countTargets sums up what happened to each target.
func (c *clearRun) countTargets() {
	for _, h := range c.targets {
		switch {
		case h.present == 0:
		case 5*h.matches > 4*h.present:
			c.MT++
		case 5*h.matches >= h.present:
			c.PT++
		default:
			c.ML++
		}
		if h.segments > 1 {
			c.Frag += int(h.segments) - 1
		}
	}
}
