// Package graphfile reads tracking problems on given costs: CSV, JSON lines, npz, which it writes
// as well, the JSON of conservation tracking, and integer programmes in LP format or MPS.
//
// # CSV
//
// Each line begins with what it is. Empty or missing prices at the end of a line are 0, or
// forbidden for divide and merge; inf forbids.
//
//	detection,ID,FRAME,USE,BIRTH,END,FALSE,DIVIDE,MERGE
//	arc,TAIL,HEAD,COST
//	triplet,FIRST,MIDDLE,LAST,COST
//	division,MOTHER,DAUGHTER,DAUGHTER,COST
//
// IDs are any words. Detections come before the arcs between them, and arcs before what
// refers to them. A line that begins with # is a comment.
//
// # JSON lines
//
// The same, one object on each line:
//
//	{"detection":"a7","frame":3,"use":-2.5,"birth":4,"end":4,"false":0,"divide":1}
//	{"arc":["a7","b1"],"cost":0.25}
//	{"triplet":["a7","b1","c0"],"cost":1}
//	{"division":["a7","b1","b2"],"cost":-1}
//
// # npz
//
// Arrays frame, tail, head (integers) and cost; use, birth, end, false, divide, merge where
// they are not the default; triplet (k×2 arcs) with triplet_cost and division (k×2 arcs)
// with division_cost. Detections are numbers from 0.
//
// # Conservation tracking
//
// The JSON of hypotheses of Haubold et al. (segmentationHypotheses, linkingHypotheses),
// with the weights in its energies: features are a list for each state, of which the
// first two are read.
//
// # Integer programmes
//
// Those that trackgraph.Graph.WriteLP and WriteMPS write, and others of that form whatever their
// variables are called. Anything else is refused, with the row that has no place there. See file
// recognise.go.
package graphfile
