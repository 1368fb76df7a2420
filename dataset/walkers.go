package dataset

// This file reads two formats of pedestrian trajectories that consist of bare
// columns: the obsmat files of ETH and UCY, and the HERMES files of Jülich.

import (
	"fmt"
	"math"
	"slices"

	"mtt/internal/text"
)

// obsmatStep is the time between annotated frames of the ETH and UCY sets: every
// 6th of 15 frames per second, every 10th of 25.
const obsmatStep = 0.4 // s

const obsmatHint = "the columns are frame id x z y vx vz vy, with z and vz 0"

func fitsObsmat(h *head, o *Options) *SyntaxError {
	if e := h.numbers(8, obsmatHint); e != nil {
		return e
	}
	for i := range h.lines {
		p := &h.lines[i]
		if len(p.field) != 8 {
			return h.bad(p, -1, text.Count(len(p.field), "column")+", 8 wanted", obsmatHint)
		}
		for _, c := range []int{3, 6} {
			if v, _ := parseFloat([]byte(p.field[c])); v != 0 {
				return h.bad(p, c, fmt.Sprintf("column %d is %s, not 0", c+1, p.field[c]), obsmatHint)
			}
		}
	}
	return h.whole([]int{0, 1}, "frame", "id")
}

func readObsmat(h *head, o *Options) (*source, error) {
	l := &layout{sep: h.sep, roles: []role{frame, ident, posX, skip, posY, velX, skip, velY},
		names: []string{"frame", "id", "pos_x", "pos_z", "pos_y", "v_x", "v_z", "v_y"}}
	if o.NoVelocity {
		l.roles[5], l.roles[7] = skip, skip
	}
	t, err := h.rows(l)
	if err != nil || t.n == 0 {
		return &source{rows: t}, err
	}
	s := &source{rows: t, unit: "m", step: obsmatStep, paused: true}
	s.note("understood as obsmat trajectories: %s, 8 columns, %s", h.separated(), t.spread("rows"))
	s.note("positions in metres, velocities in m/s; z left out")
	if o.DT == 0 {
		f := slices.Clone(t.frame)
		slices.Sort(f)
		step := usualStep(f)
		why := "the rate of the ETH and UCY sets"
		switch step {
		case 6:
			why = "every 6th of 15 frames per second, as in the ETH sets"
		case 10:
			why = "every 10th of 25 frames per second, as in the UCY sets"
		}
		s.note("annotated frames are %d apart, taken as 0.4 s: %s", step, why)
	}
	return s, nil
}

// usualStep is the median difference of successive frames, which are sorted.
func usualStep(f []int) int {
	f = slices.Compact(f)
	var d []int
	for i := 1; i < len(f); i++ {
		d = append(d, f[i]-f[i-1])
	}
	if len(d) == 0 {
		return 1
	}
	slices.Sort(d)
	return d[len(d)/2]
}

const (
	hermesRate   = 16    // frames per second
	hermesStride = 100.0 // cm per frame, more than anyone runs
	hermesHint   = "the columns are id frame x y z, in centimetres; other orders need a line of column names"
)

func fitsHermes(h *head, o *Options) *SyntaxError {
	if e := h.numbers(5, hermesHint); e != nil {
		return e
	}
	if h.sep == ',' || h.sep == ';' {
		return h.bad(&h.lines[0], 0, h.separated()+", not separated by blanks", hermesHint)
	}
	for i := range h.lines {
		if p := &h.lines[i]; len(p.field) != 5 {
			return h.bad(p, -1, text.Count(len(p.field), "column")+", 5 wanted", hermesHint)
		}
	}
	if e := h.whole([]int{0, 1}, "id", "frame"); e != nil {
		return e
	}
	for i := 1; i < len(h.lines); i++ {
		a, b := &h.lines[i-1], &h.lines[i]
		if a.field[0] != b.field[0] {
			continue
		}
		var v [2][4]float64 // frame, x, y, z
		for k, p := range []*peek{a, b} {
			for c := range v[k] {
				v[k][c], _ = parseFloat([]byte(p.field[c+1]))
			}
		}
		if way := math.Hypot(v[1][1]-v[0][1], v[1][2]-v[0][2]); way > hermesStride*math.Abs(v[1][0]-v[0][0]) {
			return h.bad(b, 2, fmt.Sprintf("id %s moves %.0f cm from frame %v to frame %v", b.field[0], way, v[0][0], v[1][0]), hermesHint)
		}
	}
	return nil
}

func readHermes(h *head, o *Options) (*source, error) {
	t, err := h.rows(&layout{sep: h.sep, roles: []role{ident, frame, posX, posY, posZ}, names: []string{"id", "frame", "x", "y", "z"}})
	if err != nil || t.n == 0 {
		return &source{rows: t}, err
	}
	low, high := math.Inf(1), math.Inf(-1)
	flat := make([]float64, 0, 2*t.n)
	for i := range t.n {
		low, high = math.Min(low, t.pos[3*i+2]), math.Max(high, t.pos[3*i+2])
		flat = append(flat, t.pos[3*i], t.pos[3*i+1])
	}
	t.dim, t.pos = 2, flat
	t.scale(0.01)
	s := &source{rows: t, unit: "m", count: 1.0 / hermesRate}
	s.note("understood as HERMES trajectories: %s, 5 columns, %s", h.separated(), t.spread("rows"))
	s.note("positions converted from centimetres to metres; z, the height of the heads (%.2f to %.2f m), left out", low/100, high/100)
	if o.DT == 0 {
		s.note("16 frames per second")
	}
	return s, nil
}
