package metrics

var Swarm = swarm

// PriceParts solves parts of any size by the pairs that matter, until the returned function is
// called.
func PriceParts() (restore func()) {
	many, few := manyOptions, nearestFew
	manyOptions, nearestFew = 0, 1
	return func() { manyOptions, nearestFew = many, few }
}
