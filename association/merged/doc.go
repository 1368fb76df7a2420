// Package merged finds merged detections: those that stand for two targets which the
// sensor did not resolve.
//
// Where a track is missed between two of its detections, a detection nearby may be
// that of its target and of another one: of a track that holds it, or, since the mean
// of two velocities fits neither, of a track that is missed in the same frame, while
// the detection looks like a false alarm. Its density tells. The positions a and b of
// the two targets are Gaussian, each known from the detections that its track has
// outside of the gap; z is what was measured, r the resolution, m the probability
// that a target is missed in a frame, λ the density of false alarms, and
//
//	merged                       (1−m)² · p(z | (a+b)/2, R/2) · P(|a−b| < r given z)
//	b missed, a's track has z   m·(1−m) · p(z | a, R)
//	both missed, a false alarm       m² · λ(z)
//
// where R is the covariance of a measurement and R/2 that of the mean of two. The
// ratio of the first to the second, or to the third, is the odds. That the errors of
// a and b are independent, and that a detection has two targets at most, are
// approximations; of three targets in one detection, two pairs may be found.
//
//	merged.go      which detections stand for two targets
//	blend.go       the odds of one that may
//	resolution.go  the resolution of the sensor
package merged
