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
// # Glossary
//
// The words of the field, as all packages use them:
//
//   - detection: what the sensor reports of one target, or of none; also called
//     measurement or plot. False alarm, or clutter: a detection of none.
//   - miss, or misdetection: a target that is there and is not detected. Detection
//     probability, survival probability and birth density are those of costgen.Rates.
//   - process noise: what makes targets leave their course, of spectral density Accel²;
//     measurement noise: the error of a detection, of standard deviation Sigma.
//   - manoeuvre: a step with far more process noise than most. Coordinated turn: motion
//     with a turn rate, which is another thing.
//   - gate: the region of a later scan in which a target's next detection may lie.
//   - arc: a pair of detections inside the gate; triplet: two arcs that meet in a
//     detection; frame pair: two scans that follow each other, with their arcs.
//   - coast node: a target that is there, undetected; a link over misses has one in
//     each frame that it passes over.
//   - multiplier, or price: what the dual ascent moves between arcs to raise the bound
//     that no answer is below; duality gap: the cost of an answer less that bound.
//   - state: what a filter knows of a target from the detections up to a time;
//     information: what it knows from those after it. Smoothing joins the two.
//   - hypothesis: in a PMBM filter, one way to explain the detections so far.
//
// README.md has a tour, docs has the formulas.
package mtt
