// This file is device.h for clang, which needs neither a header nor a CUDA toolkit: its
// builtins are the instructions.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define DEVICE static __device__ __attribute__((always_inline)) inline
#define METHOD __device__ __attribute__((always_inline)) inline
#define KERNEL(name, threads, Task)                                            \
	extern "C" __global__ __attribute__((launch_bounds(threads))) void name(Task task)

// Where a thread is.
DEVICE int threadIndex() { return __nvvm_read_ptx_sreg_tid_x(); }
DEVICE int blockThreads() { return __nvvm_read_ptx_sreg_ntid_x(); }
DEVICE int blockIndex() { return __nvvm_read_ptx_sreg_ctaid_x(); }
DEVICE int gridBlocks() { return __nvvm_read_ptx_sreg_nctaid_x(); }

// syncBlock waits for all threads of the block, and makes what they wrote seen.
DEVICE void syncBlock() { __syncthreads(); }

// What the 32 lanes of a warp do together; all of them must call.
DEVICE u32 ballot(bool p) { return (u32)__nvvm_vote_ballot_sync(0xffffffffu, p); }
DEVICE int shuffle(int x, int lane) { return __nvvm_shfl_sync_idx_i32(0xffffffffu, x, lane, 31); }
DEVICE u32 warpMin(u32 x) { return (u32)__nvvm_redux_sync_umin((int)x, -1); }

DEVICE u32 warpOr(u32 x) { return (u32)__nvvm_redux_sync_or((int)x, -1); }

// syncWarp makes what the lanes of a warp wrote seen by each other.
DEVICE void syncWarp() { __nvvm_bar_warp_sync(0xffffffffu); }

// Atomic operations; the result is the value before.
DEVICE int atomicAdd(int *p, int x) { return __nvvm_atom_add_gen_i(p, x); }
DEVICE int atomicCas(int *p, int old, int x) { return __nvvm_atom_cas_gen_i(p, old, x); }
DEVICE int atomicMin(int *p, int x) { return __nvvm_atom_min_gen_i(p, x); }
DEVICE u32 atomicMin(u32 *p, u32 x) { return (u32)__nvvm_atom_min_gen_ui(p, x); }
DEVICE u64 atomicMin(u64 *p, u64 x) { return __nvvm_atom_min_gen_ull(p, x); }
DEVICE u64 atomicMax(u64 *p, u64 x) { return __nvvm_atom_max_gen_ull(p, x); }

// Loads of what no thread writes during the launch.
DEVICE float constant(const float *p) { return __nvvm_ldg_f(p); }
DEVICE double constant(const double *p) { return __nvvm_ldg_d(p); }
DEVICE int constant(const int *p) { return __nvvm_ldg_i(p); }

// Bits of reals.
DEVICE u32 bits(float x) { return __builtin_bit_cast(u32, x); }
DEVICE u64 bits(double x) { return __builtin_bit_cast(u64, x); }
DEVICE float realOf(u32 b) { return __builtin_bit_cast(float, b); }
DEVICE double realOf(u64 b) { return __builtin_bit_cast(double, b); }
DEVICE int bitCount(u32 x) { return __builtin_popcount(x); }
DEVICE int firstBit(u32 x) { return __builtin_ctz(x); } // x != 0
DEVICE double root(double x) { return __nvvm_sqrt_rn_d(x); }

// Four reals at a time, from addresses that are multiples of 16 bytes.
typedef float Float4 __attribute__((ext_vector_type(4)));
typedef double Double2 __attribute__((ext_vector_type(2)));
DEVICE Float4 constant4(const float *p) { return __nvvm_ldg_f4((const Float4 *)p); }
DEVICE Double2 constant2(const double *p) { return __nvvm_ldg_d2((const Double2 *)p); }

// sharedMemory is the memory of the block.
extern "C" __attribute__((shared)) __attribute__((aligned(16))) char blockMemory[];
DEVICE char *sharedMemory() { return blockMemory; }
