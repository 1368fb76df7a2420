//go:build !cuda || !linux

package cuda

// This file stands for the kernels in builds that cannot launch any.

var ascentPTX string
