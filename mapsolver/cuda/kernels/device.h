// This file is the machine that the kernels are written for: threads, warps of
// 32, blocks, and for the largest problems a cluster of blocks. It needs no
// header and no CUDA toolkit; clang turns it into PTX by itself. The emulator
// (emulate.cc) supplies the same functions on a CPU.
#pragma once

typedef unsigned int u32;
typedef unsigned long long u64;

#ifdef EMULATE
#include "lanes.h"
#else

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

#if __CUDA_ARCH__ >= 900
// syncCluster does the same for all blocks of a cluster: the barrier releases
// and acquires at that scope, so that plain loads after it see other blocks'
// stores.
DEVICE void syncCluster() {
	asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}

// sharedOf is where p, in the shared memory of this block, lies in that of another
// block of the cluster.
DEVICE char *sharedOf(int block, char *p) {
	char *there;
	asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(p), "r"(block));
	return there;
}
#endif

// A grid whose blocks all run at the same time, as those of a cooperative launch do, has
// syncGrid: arrived counts them, from 0, and round the barriers that a thread has
// passed.
DEVICE void syncGrid(u32 *arrived, u32 &round) {
	__syncthreads();
	round++;
	if (threadIndex() == 0) {
		u32 seen = 0;
		asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrived) : "memory");
		while (seen < round * (u32)gridBlocks()) {
			asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(arrived) : "memory");
		}
	}
	__syncthreads();
}

// fence makes all see what this thread wrote before it before what it writes after it;
// look reads what other threads write meanwhile.
DEVICE void fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
DEVICE int look(const int *p) { return *(const volatile int *)p; }

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

// Four reals at a time, from addresses that are multiples of 16 bytes.
typedef float Float4 __attribute__((ext_vector_type(4)));
typedef double Double2 __attribute__((ext_vector_type(2)));
DEVICE Float4 constant4(const float *p) { return __nvvm_ldg_f4((const Float4 *)p); }
DEVICE Double2 constant2(const double *p) { return __nvvm_ldg_d2((const Double2 *)p); }

// sharedMemory is the memory of the block.
extern "C" __attribute__((shared)) __attribute__((aligned(16))) char blockMemory[];
DEVICE char *sharedMemory() { return blockMemory; }

#endif

// What follows from these.
DEVICE int bitCount(u32 x) { return __builtin_popcount(x); }
DEVICE int firstBit(u32 x) { return __builtin_ctz(x); } // x != 0
DEVICE u32 lanesBelow(int lane) { return (1u << lane) - 1; }

DEVICE u64 warpMin(u64 x) {
	u32 high = warpMin((u32)(x >> 32));
	u32 low = warpMin((u32)(x >> 32) == high ? (u32)x : ~0u);
	return (u64)high << 32 | low;
}
DEVICE float shuffle(float x, int lane) {
	return __builtin_bit_cast(float, shuffle(__builtin_bit_cast(int, x), lane));
}
DEVICE double shuffle(double x, int lane) {
	u64 b = __builtin_bit_cast(u64, x);
	u32 low = (u32)shuffle((int)(u32)b, lane), high = (u32)shuffle((int)(u32)(b >> 32), lane);
	return __builtin_bit_cast(double, (u64)high << 32 | low);
}

// A Quad is four reals.
template <typename Real> struct Quad {
	Real x[4];
};
DEVICE Quad<float> quad(const float *p) {
	Float4 a = *(const Float4 *)p;
	return Quad<float>{{a.x, a.y, a.z, a.w}};
}
DEVICE Quad<double> quad(const double *p) {
	Double2 a = *(const Double2 *)p, b = *(const Double2 *)(p + 2);
	return Quad<double>{{a.x, a.y, b.x, b.y}};
}
DEVICE Quad<float> constantQuad(const float *p) {
	Float4 a = constant4(p);
	return Quad<float>{{a.x, a.y, a.z, a.w}};
}
DEVICE Quad<double> constantQuad(const double *p) {
	Double2 a = constant2(p), b = constant2(p + 2);
	return Quad<double>{{a.x, a.y, b.x, b.y}};
}

// Keys are unsigned integers in the order of the reals they stand for.
template <typename Real> struct KeyOf;
template <> struct KeyOf<float> { typedef u32 type; };
template <> struct KeyOf<double> { typedef u64 type; };

DEVICE u32 toKey(float x) {
	u32 b = __builtin_bit_cast(u32, x);
	return b ^ ((u32)((int)b >> 31) | 0x80000000u);
}
DEVICE u64 toKey(double x) {
	u64 b = __builtin_bit_cast(u64, x);
	return b ^ ((u64)((long long)b >> 63) | 0x8000000000000000ull);
}
DEVICE float toReal(u32 k) { return __builtin_bit_cast(float, k & 0x80000000u ? k ^ 0x80000000u : ~k); }
DEVICE double toReal(u64 k) {
	return __builtin_bit_cast(double, k & 0x8000000000000000ull ? k ^ 0x8000000000000000ull : ~k);
}

template <typename Real> DEVICE Real infinity() { return (Real)__builtin_huge_val(); }
template <typename Real> DEVICE Real magnitude(Real x) { return x < 0 ? -x : x; }
