// Package mtt is the vocabulary that the packages of this module share: a
// [Scan] is what a sensor reports for one frame, a [Track] is a sequence of
// detections that belong to one target.
//
// The pipeline reads, from left to right:
//
//	scenario, dataset → gating → costgen → dualascent (mapsolver) → association → metrics → plots
//
// Package association ties the middle together; the command mtt drives all of
// it. A user who only wants a linear assignment solver imports mapsolver and
// gets no tracking vocabulary with it.
package mtt
