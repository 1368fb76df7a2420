package gating

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// This file relates the threshold of a Mahalanobis gate to the share of true
// pairs that it loses.

// TailProb is the probability that a χ² variable with dof degrees of freedom
// is at least g: the share of true pairs that a gate of threshold g loses. It
// is accurate in the far tail. It panics when dof < 1 or g is not a number.
func TailProb(g float64, dof int) float64 {
	if dof < 1 || math.IsNaN(g) {
		panic(badTail)
	}
	if g <= 0 {
		return 1
	}
	return mathext.GammaIncRegComp(float64(dof)/2, g/2)
}

// Threshold is the inverse of [TailProb]: the g that a χ² variable with dof
// degrees of freedom reaches with probability tail. It panics when dof < 1 or
// tail is not inside (0, 1].
func Threshold(tail float64, dof int) float64 {
	if dof < 1 || !(tail > 0 && tail <= 1) {
		panic(badTail)
	}
	return 2 * mathext.GammaIncRegCompInv(float64(dof)/2, tail)
}

const badTail = "gating: degrees of freedom or probability out of range"
