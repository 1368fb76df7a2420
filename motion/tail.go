package motion

import "math"

// This file holds the tails of manoeuvres.

// Tail is −2·log of the density of Student's t with dof degrees of freedom over its
// peak: what e2, the quadratic form νᵀS⁻¹ν of an innovation ν of dim dimensions, is
// for a Gaussian, which +Inf degrees of freedom are.
func Tail(dof, e2, dim float64) float64 {
	if math.IsInf(dof, 1) {
		return e2
	}
	return (dof + dim) * math.Log1p(e2/dof)
}

// TailPeak is log of the peak of the density of Student's t over that of the Gaussian
// with the same matrix, in dim dimensions.
func TailPeak(dof, dim float64) float64 {
	if math.IsInf(dof, 1) {
		return 0
	}
	a, _ := math.Lgamma((dof + dim) / 2)
	b, _ := math.Lgamma(dof / 2)
	return a - b - dim/2*math.Log(dof/2)
}
