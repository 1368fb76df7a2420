package learn

import (
	"math"

	"mtt"
)

// This file notices targets whose acceleration or turn rate lasts.
//
// Problem. Nearly constant velocity takes an acceleration that lasts for white noise that happens to
// be the same again and again: what follows on a track is foreseen badly. Turns that last
// need a filter of five elements, in space the general one, some times as dear, and accelerations one
// of three on each axis.
//
// Idea. Accelerations by three detections each, which have neither detections nor time in common,
// have nothing to do with each other where acceleration and noise are white, however they are
// distributed. So the mean of their products is 0, with a standard error that follows from the
// products themselves: √2 times as large as if they were independent, as those of neighbours have
// noise in common (1 + 2·((4/6)² + (1/6)²) = 1.9). Products of vectors show a pull, those of how far
// they point to the left of the velocity a turn. What share they are of the mean square says how
// much it matters: with noise alone, of which an acceleration has six times the variance, a
// twentieth is one that moves the next position by half of the noise.
//
// Cost. A look at three detections for each.

// Steered reports whether tracks of scans show that accelerations or turns last, and matter from one
// detection to the next.
func Steered(scans []mtt.Scan, tracks []mtt.Track) bool {
	const apart = 3 // detections
	time := Times(scans)
	var pull, turn products
	var list []bent
	for i := range tracks {
		list = list[:0]
		for h := 1; h+1 < len(tracks[i].Hits); h++ {
			b := bentAt(&tracks[i], h, time)
			if list = append(list, b); len(list) > apart {
				a := list[len(list)-1-apart]
				pull.add(dot(b.accel[:], a.accel[:]), dot(b.accel[:], b.accel[:]))
				turn.add(b.left*a.left, b.left*b.left)
			}
		}
	}
	return pull.last() || turn.last()
}

// A bent is how a track is bent at a detection.
type bent struct {
	accel [3]float64 // m/s²
	left  float64    // of it to the left of the velocity, in the plane of the first two axes
}

// bentAt is that of hit h by those before and after.
func bentAt(tr *mtt.Track, h int, time func(frame int) float64) (b bent) {
	x, y, z := tr.At(h-1), tr.At(h), tr.At(h+1)
	before := time(tr.Hits[h].Frame) - time(tr.Hits[h-1].Frame)
	after := time(tr.Hits[h+1].Frame) - time(tr.Hits[h].Frame)
	for k := range x {
		b.accel[k] = 2 * ((z[k]-y[k])/after - (y[k]-x[k])/before) / (before + after)
	}
	v, w := z[0]-x[0], z[1]-x[1]
	if speed := math.Hypot(v, w); speed > 0 {
		b.left = (v*b.accel[1] - w*b.accel[0]) / speed
	}
	return b
}

// products are those of accelerations at two times.
type products struct{ sum, square, power float64 }

// add adds a product, and the square of one of the two.
func (p *products) add(x, power float64) {
	p.sum, p.square, p.power = p.sum+x, p.square+x*x, p.power+power
}

// last reports whether what they are products of lasts.
func (p *products) last() bool {
	const errors, share = 4, 1. / 20
	return p.sum > errors*math.Sqrt(2*p.square) && p.sum > share*p.power
}
