package costgen

// This file follows a target that is not detected any more.

// Fate lists, for k up to n, the probabilities that a target that was detected has
// died, and that it lives but was missed all the time, k frames later.
func (r *Rates) Fate(n int) (gone, hidden []float64) {
	return (&Levels{Rates: *r}).Fate(n)
}

// Fate is [Rates.Fate] where runs of misses may be of two kinds.
func (m *Levels) Fate(n int) (gone, hidden []float64) {
	r := &m.Rates
	gone, hidden = make([]float64, n+1), make([]float64, n+1)
	hidden[0] = 1
	miss := 1 - r.Detect
	for k := 1; k <= n; k++ {
		gone[k] = gone[k-1] + hidden[k-1]*(1-r.Survive)
		hidden[k] = hidden[k-1] * r.Survive * miss
		miss = m.again(k)
	}
	return gone, hidden
}
