package association_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association"
)

// This file tests that targets that come near a camera are tracked until they leave its picture.

// TestNearing tracks parked cars and oncoming ones in pixels of a camera that is driven past them:
// steps of a tenth of a pixel far away are up to a hundred at the end. Of 2124 links 60 were
// missing, the last ones of most tracks, and 16 are.
func TestNearing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("two scenes of a thousand detections, learnt in ten courses")
	}
	links, missing, wrong := 0, 0, 0
	for _, seed := range []uint64{0, 4} { // which have most cars
		of, left, no := drivenPast(t, seed, 0.05)
		links, missing, wrong = links+of, missing+left, wrong+no
	}
	if missing > 20 || wrong > 0 {
		t.Errorf("of %d links %d are missing and %d false, want 20 and none", links, missing, wrong)
	}
}

// TestNearingExact tracks such cars in pictures that somebody annotated: next to no noise, which is
// learnt to be at its floor. That was higher where tracks have what they left over, as these are
// faster, and cost more than they are worth: of 567 links 62 were missing, and none is.
func TestNearingExact(t *testing.T) {
	t.Parallel()
	links, missing, wrong := drivenPast(t, 8, 0.005)
	if missing > 5 || wrong > 0 {
		t.Errorf("of %d links %d are missing and %d false, want 5 and none", links, missing, wrong)
	}
}

// drivenPast tracks what a camera sees of cars, and says how many links there are, how many tracks
// lack, and how many these have that are none.
func drivenPast(t *testing.T, seed uint64, noise float64) (links, missing, wrong int) {
	t.Helper()
	scans, truth := driven(seed, noise)
	res, err := association.Track(t.Context(), scans, &association.Options{NoStates: true})
	if err != nil {
		t.Fatal(err)
	}
	missing = len(truth)
	for i := range res.Tracks {
		hits := res.Tracks[i].Hits
		for k := 1; k < len(hits); k++ {
			if truth[hits[k-1]] == hits[k] {
				missing--
			} else {
				wrong++
			}
		}
	}
	return len(truth), missing, wrong
}

// driven is what a camera sees of cars while it is driven past them, at a speed that changes, with so
// many pixels of noise, and which detection of a car follows which.
func driven(seed uint64, noise float64) (scans []mtt.Scan, truth map[mtt.Hit]mtt.Hit) {
	const (
		frames = 120
		focal  = 700.0 // pixels
		half   = 600.0 // pixels: of the width of the picture
		height = 1.6   // m: of the camera
	)
	type car struct {
		across, ahead, speed float64 // m, m, and m in a frame
		last                 mtt.Hit
	}
	var cars []*car
	r := rand.New(rand.NewPCG(seed, 5))
	scans, truth = make([]mtt.Scan, frames), make(map[mtt.Hit]mtt.Hit)
	own := 0.8 // m in a frame
	for f := range scans {
		scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
		own = max(0, own+0.02*r.NormFloat64())
		if r.Float64() < 0.12 {
			c := &car{across: 3 + 3*r.Float64(), ahead: 60 + 5*r.Float64(), last: mtt.Hit{Frame: -1}}
			if r.Float64() < 0.5 {
				c.across = -c.across
			}
			if r.Float64() < 0.3 {
				c.speed = 0.6
			}
			cars = append(cars, c)
		}
		for _, c := range cars {
			c.ahead -= own + c.speed
			x, y := focal*c.across/c.ahead, focal*height/c.ahead
			if c.ahead <= 0 || math.Abs(x) > half {
				continue
			}
			h := mtt.Hit{Frame: f, Det: scans[f].Len()}
			scans[f].Pos = append(scans[f].Pos, x+noise*r.NormFloat64(), y+noise*r.NormFloat64())
			if c.last.Frame >= 0 {
				truth[c.last] = h
			}
			c.last = h
		}
	}
	return scans, truth
}
