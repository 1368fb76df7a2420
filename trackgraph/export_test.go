package trackgraph

// Rounds limits the rounds of the ascent, until restore is called.
func Rounds(n int) (restore func()) {
	before := mostRounds
	mostRounds = n
	return func() { mostRounds = before }
}
