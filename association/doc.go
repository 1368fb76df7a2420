// Package association turns scans into tracks. [Track] does all of it: it
// estimates what it was not told about noise and rates, gates, prices, solves
// the multi-frame assignment by dual ascent, and refines the tracks by their
// whole-track likelihood. [NewInstance], [Refine], [Greedy] and [Nearest] are
// its parts and its baselines.
package association
