package costgen

import "math"

// This file defines a fast logarithm.

// logSteps is the number of table entries for a factor of two.
const logSteps = 128

// A node is 1/c and log c for c in the middle of a table entry, 1/c being rounded first.
type node struct{ inverse, log float64 }

var logs = func() (l [logSteps]node) {
	for n := range l {
		inverse := 1 / (1 + (float64(n)+0.5)/logSteps)
		l[n] = node{inverse, -math.Log(inverse)}
	}
	return l
}()

// log is the logarithm of x, with an error below 2e-15 and 1e-15 of its value (TestLog). A table
// leaves the series short, so that it takes half of the time of math.Log (BenchmarkLog), which is
// asked for numbers that are not positive, normal and finite.
func log(x float64) float64 {
	bits := math.Float64bits(x)
	exponent := bits >> 52
	if exponent-1 >= 2046 { // negative ones have a larger one
		return math.Log(x)
	}
	at := &logs[bits>>(52-7)&(logSteps-1)]
	r := math.Float64frombits(bits&(1<<52-1)|1023<<52)*at.inverse - 1 // within ±0.0039
	series := r * (1 + r*(-1.0/2+r*(1.0/3+r*(-1.0/4+r*(1.0/5)))))
	return float64(int(exponent)-1023)*math.Ln2 + (at.log + series)
}
