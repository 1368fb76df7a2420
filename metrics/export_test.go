package metrics

var Swarm = swarm

// PriceParts solves parts of any size by the pairs that matter, looked at few at a time, until the
// returned function is called.
func PriceParts() (restore func()) {
	many, few, block := manyOptions, nearestFew, inBlock
	manyOptions, nearestFew, inBlock = 0, 1, 100
	return func() { manyOptions, nearestFew, inBlock = many, few, block }
}
