// Package gating lists which detections of one scan can follow which of the
// scan before, as sparse patterns.
//
// A [Gate] says what "can follow" means: a [Ball] of fixed radius, a [Disc]
// that a target reaches at its speed, or a [Mahalanobis] ellipse around the
// predicted position and velocity. [Neighbors] gates one pair of scans, a
// [Finder] many without allocating, [Chain] a whole sequence on all processors
// and within a [Budget] of memory. The result is a [CSR] for each pair of
// consecutive scans, exchanged as plain slices; [Transpose], [RowOf],
// [Components], [Count] and [Lost] look at it from other sides.
//
// Which gate? Mahalanobis, when velocities are measured: with its default
// threshold it keeps about one arc for each true one where targets are a few
// steps apart, and 100 to 1000 times fewer triplets than a Disc of Epsilon 5,
// while it loses 5 true arcs in 100,000. A threshold for another loss comes
// from [Threshold].
//
// The search is a grid sorted into flat slices: memory is linear in detections
// and entries, and time in detections and pairs that are near in position,
// whatever the extent of the scene and however the detections cluster. Equal
// input gives equal patterns on every machine and with any number of workers.
package gating
