// Package association turns scans into tracks. [Track] does all of it: it learns what it
// was not told about noise and rates, gates, prices, solves the multi-frame assignment by
// dual ascent, and refines the tracks by their whole-track likelihood. [Build] stops
// before the solving, for those who bring a solver of their own; [Learn] before that.
// Two baselines are engines of Track: [Greedy], frame pair by frame pair with the same
// costs, and [GNN], global nearest neighbour with a Kalman filter for each track.
//
// The work is done in rooms of their own:
//
//	learn     levels, rates, speed, gate: what nobody said, from pilot runs on part of the scans
//	instance  the assignment problem, and its links over misses, found by prices
//	refine    whole tracks: rematch, exchange
//	merged    which misses are detections that stand for two targets
//	smooth    where the targets were, and how surely
//	gnn       the baseline
//	online    the tracker that runs along with the sensor; learns as Track does
//	windows   scenes larger than memory, window of time by window of time
//	pmbm      the same with probabilities
//	chain     links between detections, which the rooms hand to each other
//
// One detection goes through them like this:
//
//	Track   association.go   scans are checked, velocities that are not read dropped
//	        learn            pilot runs of what follows, on part of the scans
//	        gate.go          which detections may follow which: one pattern for each frame pair
//	        instance         nodes, arcs and triplets with their prices; links over misses, as
//	                         long as the prices of short ascents say that more would save something
//	        dualascent       multipliers, bounds, an answer
//	        chain            the answer as links between detections
//	        refine           links that are likelier by all detections of their tracks
//	        smooth           states: positions and velocities with their covariance
//	        merged           what the misses of the tracks are
package association
