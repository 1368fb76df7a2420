package dataset

import (
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"mtt"
)

// This file tests that states.csv says which number is which, and rounds.

// listed is a StateTable of states in slices of their own.
type listed []mtt.States

func (l listed) Len() int { return len(l) }
func (l listed) Dim() int {
	if len(l) == 0 {
		return 2
	}
	return l[0].Dim
}
func (l listed) Span(track int) (id, states int) { return l[track].ID, len(l[track].Hits) }
func (l listed) Hit(track, k int) mtt.Hit        { return l[track].Hits[k] }
func (l listed) Read(mean, cov []float64, track, k int) (time float64) {
	m, c := l[track].At(k)
	copy(mean, m)
	copy(cov, c)
	return l[track].Time[k]
}

func (l listed) Boxed() bool { return len(l) > 0 && l[0].Size != nil }
func (l listed) Size(track, k int) (width, height float64) {
	return l[track].Size[2*k], l[track].Size[2*k+1]
}

func TestWriteStates(t *testing.T) {
	var cov2, cov3 []float64
	for k := range 10 {
		cov2 = append(cov2, float64(k))
	}
	for k := range 21 {
		cov3 = append(cov3, float64(k))
	}
	plane := []mtt.States{
		{ID: 1, Dim: 2, Hits: []mtt.Hit{{Frame: 3, Det: 4}, {Frame: 5, Det: -1}}, Time: []float64{0.5, 1}, Mean: []float64{1, 2, 3, 4, 5, 6, 7, 8}, Cov: append(cov2, cov2...)},
		{ID: 2, Dim: 2, Hits: []mtt.Hit{{Frame: 3, Det: 0}}, Time: []float64{0.5}, Mean: []float64{9, 9, 9, 9}, Cov: cov2},
	}
	space := []mtt.States{{ID: 1, Dim: 3, Hits: []mtt.Hit{{Frame: 0, Det: 0}}, Time: []float64{0}, Mean: make([]float64, 6), Cov: cov3}}
	for _, c := range []struct {
		states []mtt.States
		want   string
	}{
		{nil, "frame,time,track,det,x,y,vx,vy,sxx,sxy,syy,svxx,svxy,svyy,sx_vx,sx_vy,sy_vx,sy_vy\n"},
		// Packed: xx; xy yy; x·vx y·vx vx·vx; x·vy y·vy vx·vy vy·vy.
		{plane, "frame,time,track,det,x,y,vx,vy,sxx,sxy,syy,svxx,svxy,svyy,sx_vx,sx_vy,sy_vx,sy_vy\n" +
			"3,0.5,1,4,1,2,3,4,0,1,2,5,8,9,3,6,4,7\n3,0.5,2,0,9,9,9,9,0,1,2,5,8,9,3,6,4,7\n5,1,1,-1,5,6,7,8,0,1,2,5,8,9,3,6,4,7\n"},
		{space, "frame,time,track,det,x,y,z,vx,vy,vz,sxx,sxy,syy,sxz,syz,szz,svxx,svxy,svyy,svxz,svyz,svzz," +
			"sx_vx,sx_vy,sx_vz,sy_vx,sy_vy,sy_vz,sz_vx,sz_vy,sz_vz\n" +
			"0,0,1,0,0,0,0,0,0,0,0,1,2,3,4,5,9,13,14,18,19,20,6,10,15,7,11,16,8,12,17\n"},
	} {
		var b strings.Builder
		if err := WriteStates(&b, listed(c.states)); err != nil || b.String() != c.want {
			t.Errorf("%v, got\n%s\nwant\n%s", err, b.String(), c.want)
		}
	}
	plane[0].Mean[2] = math.NaN()
	if err := WriteStates(new(strings.Builder), listed(plane)); !errors.Is(err, ErrNotFinite) {
		t.Errorf("a NaN gives %v", err)
	}
}

// TestRounded wants numbers within half of their last decimal, a little more where that is a tie, and no
// digit too many.
func TestRounded(t *testing.T) {
	src := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		x := src.NormFloat64() * math.Pow(10, float64(src.IntN(12)-6))
		places := decimals(math.Pow(10, float64(src.IntN(20)-14)))
		ok := true
		text := string(appendRounded(nil, x, places, &ok))[1:]
		got, err := strconv.ParseFloat(text, 64)
		_, part, _ := strings.Cut(text, ".")
		if err != nil || !ok || math.Abs(got-x) > 0.5*math.Pow(10, -float64(places))+1e-15*math.Abs(x) || len(part) > places || strings.HasSuffix(part, "0") {
			t.Fatalf("%v with %d decimals is %s", x, places, text)
		}
	}
	for _, c := range []struct {
		x    float64
		want string
	}{{0, ",0"}, {math.Copysign(0, -1), ",0"}, {-0.0004, ",0"}, {2.9996, ",3"}, {1e300, ",1e+300"}} {
		ok := true
		if got := string(appendRounded(nil, c.x, 3, &ok)); got != c.want || !ok {
			t.Errorf("%v is %s, want %s", c.x, got, c.want)
		}
	}
	ok := true
	if appendRounded(nil, math.Inf(1), 3, &ok); ok {
		t.Error("infinity is taken for a number")
	}
	for variance, want := range map[float64]int{0: 9, 1e-20: 9, 1e-2: 5, 1: 4, 100: 3, 1e9: 3, 0.0025: 6} {
		if got := decimals(variance); got != want {
			t.Errorf("%d decimals of a variance of %v, want %d", got, variance, want)
		}
	}
}
