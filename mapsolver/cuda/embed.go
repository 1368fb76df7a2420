//go:build cuda && linux

package cuda

import _ "embed"

// This file holds the kernels, compiled for the instructions of compute
// capability 8.0, those for clusters for 9.0; kernels/generate writes them.

//go:embed kernels/ptx/zblock_f32.ptx
var blockF32 string

//go:embed kernels/ptx/zblock_f64.ptx
var blockF64 string

//go:embed kernels/ptx/zcluster_f32.ptx
var clusterF32 string

//go:embed kernels/ptx/zwide_f32.ptx
var wideF32 string

//go:embed kernels/ptx/zhungarian_f64.ptx
var hungarianF64 string

//go:embed kernels/ptx/zpoints_f64.ptx
var pointsF64 string
