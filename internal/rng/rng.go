// Package rng makes named, splittable streams of random numbers, and draws from
// them numbers that are the same on every machine.
//
// A simulation that takes all its numbers from one source changes as a whole
// when one part of it draws one number more. Here every purpose has its own
// [Stream], found by name and index, so that parts stay independent:
//
//	noise := rng.Stream(seed, "scenario/noise", frame)
//	x, y := rng.Normal(noise)
//
// [math/rand/v2] alone does not promise equal numbers everywhere: its IntN
// differs on 32-bit machines, and its NormFloat64 and ExpFloat64 call math.Exp
// and math.Log, whose last bit depends on the processor. The functions of this
// package use integer arithmetic, the correctly rounded operations + - × ÷ √,
// and explicit conversions where a compiler might fuse a product with a sum.
// The conversions are not decoration: removing one changes results on arm64
// and with GOAMD64=v3.
package rng

// This file defines Stream: from a seed, a name and indices to a generator.

import "math/rand/v2"

// Stream returns the generator of the given seed, name and indices. Equal
// arguments give equal streams; streams that differ in any argument, or in the
// number of indices, are independent for all practical purposes. The name says
// who draws and what for, as in "scenario/clutter"; an index is a frame, a
// target or a run.
//
// The generator is a PCG-DXSM with 128 bits of state. They come from a 64-bit
// hash of the arguments: FNV-1a for the name, then one round of SplitMix64 [1]
// for the seed, the name and each index.
//
// [1] Steele, Lea, Flood. Fast Splittable Pseudorandom Number Generators.
// OOPSLA 2014.
func Stream(seed uint64, name string, index ...uint64) *rand.Rand {
	h := mix(seed)
	h = mix(h ^ fnv1a(name))
	for _, i := range index {
		h = mix(h ^ mix(i))
	}
	h = mix(h ^ uint64(len(index)))
	return rand.New(rand.NewPCG(h, mix(h)))
}

// mix is one output of SplitMix64 for state x, a bijection of the 64-bit words.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// fnv1a is the 64-bit FNV-1a hash.
func fnv1a(s string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return h
}
