// Package cuda solves assignment problems on an NVIDIA card.
package cuda
