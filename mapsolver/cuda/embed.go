//go:build cuda && linux

package cuda

import _ "embed"

// This file holds the kernels, compiled for the instructions of compute
// capability 8.0, those for clusters for 9.0; kernels/generate writes them.

//go:embed kernels/block_f32.ptx
var blockF32 string

//go:embed kernels/block_f64.ptx
var blockF64 string

//go:embed kernels/cluster_f32.ptx
var clusterF32 string

//go:embed kernels/wide_f32.ptx
var wideF32 string

//go:embed kernels/hungarian_f64.ptx
var hungarianF64 string
