// Package learn settles what nobody said about targets and sensor: levels of noise and
// motion, rates of births, deaths, misses and false alarms, the fastest speed, and the
// gate that follows from them.
//
// [Learn] begins with what shows without any association, has a [Pilot] track part of
// the scans with a cost that needs no levels, learns levels from the tracks, and does
// so again with these; other motions that seem likelier get tracks of their own.
//
//	learn.go      the pilot runs, levels and speed
//	rates.go      how often targets come, go and hide
//	byturns.go    targets that a sensor sees by turns
//	seldom.go     targets that report by themselves, seldom
//	turns.go      whether targets turn now and then
//	fewer.go      false alarms that are fewer than was learnt
//	more.go       false alarms that are more, where all seem to turn
//	oftener.go    misses that are more, where targets seem to leave soon
//	clouded.go    false alarms in clouds that pass for short tracks
//	passing.go    targets that cross the field in few scans
//	finer.go      shorter links, where there are no tracks
//	faster.go     targets among what tracks leave over
//	lines.go      targets that go straight among these, as fast as they may be
//	glance.go     what shows without any association
//	gate.go       the gate
//	rivals.go     what was learnt beside what is learnt anew
//	remember.go   what pilots found
//	confusion.go  how far targets can be told from their neighbours
//	egomotion.go  how a sensor moves that should stand still
//	blurred.go    scans in which positions are less precise
//	sure.go       detections that are surely false, by the detector's own confidence
//	chance.go     crowds in which nothing follows
//	tiles.go      parts of space, where scans are very large
package learn
