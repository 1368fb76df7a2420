// Package association turns scans into tracks. [Track] does all of it: it
// estimates what it was not told about noise and rates, gates, prices, solves
// the multi-frame assignment by dual ascent, and refines the tracks by their
// whole-track likelihood. [Build] stops before the solving, for those who bring
// a solver of their own; [Instance.Tracks] reads its answer. Two baselines are
// engines of Track: [Forward], frame by frame with the same costs, and [GNN],
// global nearest neighbour with a Kalman filter for each track.
package association
