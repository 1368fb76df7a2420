// Package measure is what benchmarks and reproductions share: how much to measure, over
// which seeds, the scenes and problems that both measure, and published tables.
package measure
