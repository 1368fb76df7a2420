// This file is device.h for nvcc, for those who want NVIDIA's compiler and tools. CI has no
// nvcc and compares nothing of what it makes.
#pragma once

#define DEVICE static __device__ __forceinline__
#define METHOD __device__ __forceinline__
#define KERNEL(name, threads, Task)                                            \
	extern "C" __global__ void __launch_bounds__(threads) name(Task task)

// Where a thread is.
DEVICE int threadIndex() { return threadIdx.x; }
DEVICE int blockThreads() { return blockDim.x; }
DEVICE int blockIndex() { return blockIdx.x; }
DEVICE int gridBlocks() { return gridDim.x; }

// syncBlock waits for all threads of the block, and makes what they wrote seen.
DEVICE void syncBlock() { __syncthreads(); }

// What the 32 lanes of a warp do together; all of them must call. CUDA has a ballot without
// a mask, long deprecated.
#define ballot ballotOfWarp
DEVICE u32 ballot(bool p) { return __ballot_sync(0xffffffffu, p); }
DEVICE int shuffle(int x, int lane) { return __shfl_sync(0xffffffffu, x, lane); }
DEVICE u32 warpMin(u32 x) { return __reduce_min_sync(0xffffffffu, x); }
DEVICE u32 warpOr(u32 x) { return __reduce_or_sync(0xffffffffu, x); }

// syncWarp makes what the lanes of a warp wrote seen by each other.
DEVICE void syncWarp() { __syncwarp(); }

// Atomic operations; the result is the value before. The others have CUDA's names.
DEVICE int atomicCas(int *p, int old, int x) { return atomicCAS(p, old, x); }

// Loads of what no thread writes during the launch.
DEVICE float constant(const float *p) { return __ldg(p); }
DEVICE double constant(const double *p) { return __ldg(p); }
DEVICE int constant(const int *p) { return __ldg(p); }

// Bits of reals.
DEVICE u32 bits(float x) { return __float_as_uint(x); }
DEVICE u64 bits(double x) { return (u64)__double_as_longlong(x); }
DEVICE float realOf(u32 b) { return __uint_as_float(b); }
DEVICE double realOf(u64 b) { return __longlong_as_double((long long)b); }
DEVICE int bitCount(u32 x) { return __popc(x); }
DEVICE int firstBit(u32 x) { return __ffs((int)x) - 1; } // x != 0
DEVICE double root(double x) { return __dsqrt_rn(x); }

// Four reals at a time, from addresses that are multiples of 16 bytes.
typedef float4 Float4;
typedef double2 Double2;
DEVICE Float4 constant4(const float *p) { return __ldg((const Float4 *)p); }
DEVICE Double2 constant2(const double *p) { return __ldg((const Double2 *)p); }

// sharedMemory is the memory of the block.
extern __shared__ __align__(16) char blockMemory[];
DEVICE char *sharedMemory() { return blockMemory; }
