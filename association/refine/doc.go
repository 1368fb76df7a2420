// Package refine improves tracks by the likelihood of all their detections.
//
// A dual ascent judges links by the two or three detections around them. Here the part
// of a track before a link is known by its filtered state, the part after it by the
// information that it has about the state (a backward information filter), so a link
// costs what it does to the likelihood of the whole track. [Links] changes links
// wherever that makes all tracks together likelier; [Window] does the same for the last
// scans of a sensor that runs on.
//
// Two moves, each a linear assignment problem that holds what is there now, take
// turns from the first scan to the last. They are those of dualascent's search:
//
//	rematch   all tracks are cut between two scans, and what lies before is matched
//	          anew with what lies after
//	exchange  all detections of a scan are taken out of their tracks, and put back
//	          where they fit best
//
// A move never makes things worse, so the sweeps come to an end.
//
//	refine.go         prefixes, suffixes, prices, sweeps
//	neighbourhood.go  what the two moves share: the assignment problem around what is there
//	cycles.go         its answer, from what is there now
//	doze.go           who takes no part in it, as nothing is new and nothing was wanted
//	rematch.go        the first move
//	passing.go        how far the links of a scan go
//	reach.go          which joins over missed detections are worth a look
//	exchange.go       the second move
//	groups.go         which parts of a problem have something to do with each other
//	window.go         the last scans of a sensor that runs on
//	begin.go          there: tracks that begin, or should not have begun
//	offer.go          there: links that come from elsewhere
//	odds.go           how probable links are
//	rival.go          there: what else tracks could be
//	sample.go         there: tracks that are drawn
//	sharpness.go      there: what a nat of price is worth
package refine
