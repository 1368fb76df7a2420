// Package ssp solves sparse linear assignment problems by shortest augmenting
// paths, with a warm start.
package ssp
