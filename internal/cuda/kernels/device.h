// This file is the machine that the kernels are written for: threads, warps of
// 32, blocks, and for the largest problems a cluster of blocks. Three files supply
// its instructions: clang.h and nvcc.h for the two compilers of PTX, and lanes.h of
// the emulator on a CPU.
#pragma once

typedef unsigned int u32;
typedef unsigned long long u64;

#ifdef EMULATE
#include "internal/cuda/emulator/lanes.h"
#else
#ifdef __NVCC__
#include "nvcc.h"
#else
#include "clang.h"
#endif

#if __CUDA_ARCH__ >= 900
// syncCluster is syncBlock for all blocks of a cluster: the barrier releases
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

#endif

// What follows from these.
DEVICE u32 lanesBelow(int lane) { return (1u << lane) - 1; }

DEVICE u64 warpMin(u64 x) {
	u32 high = warpMin((u32)(x >> 32));
	u32 low = warpMin((u32)(x >> 32) == high ? (u32)x : ~0u);
	return (u64)high << 32 | low;
}
DEVICE float shuffle(float x, int lane) {
	return realOf((u32)shuffle((int)bits(x), lane));
}
DEVICE double shuffle(double x, int lane) {
	u64 b = bits(x);
	u32 low = (u32)shuffle((int)(u32)b, lane), high = (u32)shuffle((int)(u32)(b >> 32), lane);
	return realOf((u64)high << 32 | low);
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
	u32 b = bits(x);
	return b ^ ((u32)((int)b >> 31) | 0x80000000u);
}
DEVICE u64 toKey(double x) {
	u64 b = bits(x);
	return b ^ ((u64)((long long)b >> 63) | 0x8000000000000000ull);
}
DEVICE float toReal(u32 k) { return realOf(k & 0x80000000u ? k ^ 0x80000000u : ~k); }
DEVICE double toReal(u64 k) {
	return realOf(k & 0x8000000000000000ull ? k ^ 0x8000000000000000ull : ~k);
}

template <typename Real> DEVICE Real infinity() { return (Real)realOf((u64)0x7ff0000000000000ull); }
DEVICE double notANumber() { return realOf((u64)0x7ff8000000000000ull); }
DEVICE double least(double a, double b) { return b < a ? b : a; }
DEVICE double most(double a, double b) { return b > a ? b : a; }
template <typename Real> DEVICE Real magnitude(Real x) { return x < 0 ? -x : x; }
