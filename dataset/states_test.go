package dataset

import (
	"errors"
	"math"
	"strings"
	"testing"

	"mtt"
)

// This file tests that states.csv says which number is which.

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
		if err := WriteStates(&b, c.states); err != nil || b.String() != c.want {
			t.Errorf("%v, got\n%s\nwant\n%s", err, b.String(), c.want)
		}
	}
	plane[0].Mean[2] = math.NaN()
	if err := WriteStates(new(strings.Builder), plane); !errors.Is(err, ErrNotFinite) {
		t.Errorf("a NaN gives %v", err)
	}
}
