// Package dataset turns files into scans and truth, and scans, truth and tracks
// into files.
//
// The files of a run folder are comma separated text with a header line:
//
//	detections.csv  frame,det,x,y[,z][,vx,vy[,vz]][,w,h][,conf]
//	truth.csv       frame,id,x,y[,z][,vx,vy[,vz]][,w,h],det
//	tracks.csv      frame,track,det,x,y[,z][,w,h]
//	states.csv      frame,time,track,det,x,y[,z],vx,vy[,vz],sxx,sxy,syy,…
//
// [ReadScans] and [WriteScans] (or, one scan at a time, [ScanWriter]) handle the
// first, [ReadTracks], [WriteTruth] and [WriteTracks] the next two, [WriteStates] the last. Numbers are
// written in the shortest form that reads back to the same bits, so that writing
// and reading is the identity. Readers take columns in any order, by name, and
// refuse what is not a finite number with a [*SyntaxError] that names file,
// line, column and the likely mistake.
//
// [Read] takes the files of other programs, plain or compressed by gzip or zstd: tables that name
// their columns, JSON, Parquet, arrays of NumPy, and what trackers, microscopes, cars and ships write;
// [Formats] lists them. It finds the format by the content, makes scans of rows by their frames or
// times, keeps identities as truth and says in words what it understood.
package dataset
