// Package metrics compares tracks with the truth.
//
// [Score] takes the true trajectories and the tracks, nothing else, and returns one [Report]: wrong
// links (ITCP, MMEP), CLEAR MOT (MOTA, MOTP), identity scores (IDF1), HOTA, OSPA and GOSPA. Reports
// of several runs add up: [Merge] pools their counts. A [Stream] takes what is larger than memory
// frame by frame. [Report.Rows] lists the values in a fixed order with unit and meaning, for tables
// and files.
//
// # One distance
//
// Everything that compares a true with an estimated position uses one distance
// d and one threshold D on it:
//
//   - boxes (every track of both sides has a Size): d = 1 − IoU, where Pos is
//     the centre of the box; D = 1 − [Options.MatchIoU] = 0.5;
//   - points: d = Euclidean distance in the unit of Pos; D = [Options.MatchDistance] = 1,
//     the rule of the MOTChallenge 3-D benchmark (1 m).
//
// HOTA wants a similarity: the IoU itself for boxes and max(0, 1 − d/2D) for
// points, so that a pair at the threshold has similarity 0.5 in both cases; this
// is what TrackEval does. The cut-off c of OSPA and GOSPA is, if not given, the
// distance at which the similarity ends: 2D for points and 1 for boxes.
//
// # Order does not matter
//
// Tracks are known by their content: numbering, and the order in which truth
// and tracks are given, change nothing.
package metrics
