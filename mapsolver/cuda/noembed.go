//go:build !cuda || !linux

package cuda

// This file stands for the kernels in builds that cannot launch any.

var blockF32, blockF64, clusterF32, wideF32, hungarianF64, pointsF64 string
