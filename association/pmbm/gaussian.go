package pmbm

import "mtt/motion"

// This file matches moments of Gaussians.

// A gaussian is a state and its covariance: Dim positions, then Dim velocities, then a
// turn rate where there is one.
type gaussian = motion.FullState

// packed is the place of element (r, c), c ≤ r, of a packed covariance.
func packed(r, c int) int { return r*(r+1)/2 + c }

// A mixture collects weighted Gaussians for moment matching.
type mixture struct {
	weight float64
	sum    gaussian // Σ w·(x−x₀) and Σ w·(P + (x−x₀)(x−x₀)ᵀ)
	origin gaussian // x₀, the mean of the first, against cancellation
}

// add adds w times g, of which n elements count.
func (a *mixture) add(w float64, g *gaussian, n int) {
	if a.weight == 0 {
		a.origin.X = g.X
	}
	a.weight += w
	k := 0
	for i := range n {
		di := g.X[i] - a.origin.X[i]
		a.sum.X[i] += w * di
		for j := range i + 1 {
			a.sum.P[k] += w * (g.P[k] + di*(g.X[j]-a.origin.X[j]))
			k++
		}
	}
}

// match is the Gaussian with the mean and covariance of the mixture.
func (a *mixture) match(n int) gaussian {
	var g gaussian
	for i := range n {
		g.X[i] = a.sum.X[i] / a.weight
	}
	k := 0
	for i := range n {
		for j := range i + 1 {
			g.P[k] = a.sum.P[k]/a.weight - g.X[i]*g.X[j]
			k++
		}
	}
	for i := range n {
		g.X[i] += a.origin.X[i]
	}
	return g
}
