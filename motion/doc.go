// Package motion holds how targets move and how they are filtered: the one Kalman
// filter and information filter of this module.
//
// A [Model] is a kind of motion: what becomes of position and velocity in dt
// seconds, and how uncertain that is. [Velocity] (nearly constant velocity) is the
// default; [Walk] is a random walk, [Reverting] a velocity that falls back to zero,
// [Swaying] a constant velocity seen by a detector whose errors last,
// [Turn] a coordinated turn whose rate wanders. [Params] are its parameters and
// those of the sensor's noise.
//
// Three filters run on them, with the same methods. [Axes] is the fast one: axes do
// not know of each other and share one covariance of two states. [Triple] is the same with three,
// for an acceleration that lasts ([Singer]). [Full] is the
// general one: any covariance for each detection, motions that couple the axes.
// SmoothTrack smooths a whole
// track; TestNEES shows that states are as sure as they should be.
//
// # A motion of one's own
//
// Implement [Model], which is two methods, and hand it over in Params. To have the
// command know it by name, add a line to the table in models.go.
package motion
