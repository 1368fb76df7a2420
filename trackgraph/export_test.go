package trackgraph

// Rounds limits the rounds of the ascent, until restore is called.
func Rounds(n int) (restore func()) {
	before := mostRounds
	mostRounds = n
	return func() { mostRounds = before }
}

// Crowded makes every graph one of many arcs, of which half an arc for each detection is likely,
// until restore is called.
func Crowded() (restore func()) {
	many, share, first := manyArcs, likely, rehearsed
	manyArcs, likely, rehearsed = 0, 0.5, 0.5
	return func() { manyArcs, likely, rehearsed = many, share, first }
}
