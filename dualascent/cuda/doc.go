// Package cuda raises the bounds of multi-frame assignment problems on an NVIDIA
// card, in builds with the tag cuda. Costs, multipliers and prices stay on the card.
package cuda

//go:generate kernels/generate
