package dualascent

// SmallChunks cuts instances into chunks of so many gaps, however small they are,
// until the returned function is called.
func SmallChunks(gaps int) (restore func()) {
	costs, before := chunkCosts, chunkGaps
	chunkCosts, chunkGaps = 0, gaps
	return func() { chunkCosts, chunkGaps = costs, before }
}
