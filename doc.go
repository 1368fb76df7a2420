// Package mtt is the vocabulary that the packages of this module share: a
// [Scan] is what a sensor reports for one frame, a [Track] is a sequence of
// detections that belong to one target, and a [Hit] is one of them.
//
// The pipeline reads, from left to right:
//
//	scenario, dataset → gating → costgen → dualascent (mapsolver) → association → metrics → plots
//
// Package association ties the middle together: association.Track takes scans
// and returns tracks. The command mtt (cmd/mtt) drives all of it. A user who
// only wants a linear assignment solver imports mapsolver and gets no tracking
// vocabulary with it.
//
// # Conventions
//
// Positions are in metres or in the unit of their source, always the same one
// within a program; times are in seconds, speeds in units per second. Coordinates
// are flat and row-major: detection i of a scan lies at Pos[i*Dim:(i+1)*Dim].
// Detections are known by their number in their scan, scans by their Frame. What
// is not measured is nil. Packages read the slices that they are given and never
// keep or change them; numbers that are not finite are refused.
//
// README.md has a tour, docs has the formulas.
package mtt
