//go:build cuda && linux

package cuda

import _ "embed"

// This file holds the kernels, compiled for the instructions of compute
// capability 8.0; kernels/generate writes them.

//go:embed kernels/ptx/zascent.ptx
var ascentPTX string
