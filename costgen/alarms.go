package costgen

import (
	"math"

	"mtt"
	"mtt/motion"
)

// This file prices and learns how fast false alarms seem to be.
//
// What is not a target may have a range rate that no target has, or hardly any. Were it as likely
// as that of a target, two such alarms would rather be one fast target than be there by chance.

// alarmed changes the prices of false alarms of s, whose detections tell the covariance of their
// velocity, by how much likelier that of a false alarm is than that of a target.
func (m *Levels) alarmed(dst []Ends, s *mtt.Scan) {
	params := m.Params(s.Dim)
	target := motion.NewFull(params)
	params.SpeedStd = m.AlarmSpeed
	alarm := motion.NewFull(params)
	for i := range s.Len() {
		dst[i].Clutter += alarm.First(s, i) - target.First(s, i)
	}
}

// FitAlarms is the likeliest AlarmSpeed of the detections of scans that are in no track with
// others, under their own covariances: by Fisher's scoring, each step of which weighs a velocity by
// how much is known of it, so that what is open counts for nothing. To what is known one detection
// at the given speed is added, which is the answer where nothing else is.
func FitAlarms(scans []mtt.Scan, tracks []mtt.Track, speed float64) float64 {
	used := Linked(scans, tracks)
	v := speed * speed
	for range 30 {
		sum, weight := 1/v*speed*speed/v, 1/(v*v)
		for t := range scans {
			s := &scans[t]
			for i := range s.Len() {
				if used[t][i] || s.VelCov == nil {
					continue
				}
				a, b := score(v, s.VelCovAt(i), s.VelAt(i))
				sum, weight = sum+a, weight+b
			}
		}
		next := max(sum/weight, v/100)
		if math.Abs(next-v) <= 1e-6*v {
			v = next
			break
		}
		v = next
	}
	return math.Sqrt(v)
}

// score are xᵀW²x − tr(W·C·W) and tr W², W being the inverse of v·I + C, C a packed covariance.
func score(v float64, c, x []float64) (sum, weight float64) {
	n := len(x)
	var w [3][3]float64 // W, by Gauss and Jordan, symmetric and positive
	var a [3][6]float64
	for i := range n {
		for j := range i + 1 {
			a[i][j] = c[i*(i+1)/2+j]
			a[j][i] = a[i][j]
		}
		a[i][i] += v
		a[i][n+i] = 1
	}
	for k := range n {
		pivot := a[k][k]
		for j := range 2 * n {
			a[k][j] /= pivot
		}
		for i := range n {
			if f := a[i][k]; i != k {
				for j := range 2 * n {
					a[i][j] -= f * a[k][j]
				}
			}
		}
	}
	trace := 0.0
	for i := range n {
		y := 0.0
		for j := range n {
			w[i][j] = a[i][n+j]
			y += w[i][j] * x[j]
			weight += w[i][j] * w[i][j]
		}
		sum += y * y
		trace += w[i][i]
	}
	// W·C·W = W − v·W²
	return sum - trace + v*weight, weight
}
