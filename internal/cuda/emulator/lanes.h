// This file is the machine of device.h on a CPU, for tests: each thread of a
// kernel is a coroutine, and emulate.cc runs them.
#pragma once

#define DEVICE static inline
#define METHOD inline

// A kernel has one argument, its task, and lists itself under its name.
struct Kernel {
	const char *name;
	int threads; // at most, in a block
	void (*run)(const void *task);
	Kernel *next;
	Kernel(const char *name, int threads, void (*run)(const void *));
};
#define KERNEL(name, threads, Task)                                            \
	static void name(Task task);                                               \
	static void run_##name(const void *task) { name(*(const Task *)task); }    \
	static Kernel kernel_##name(#name, threads, run_##name);                   \
	static void name(Task task)

// What a lane waits for.
enum Wait { NOTHING, WARP, BLOCK, CLUSTER, DONE };

// A Lane is one thread of a kernel.
struct Lane {
	void *stack; // its stack pointer while it waits
	int thread, block;
	Wait wait;
	char *shared;
	// A step of the warp: what the lane brings, and what it gets.
	char step; // 'b' ballot, 's' shuffle, 'm' minimum, 'o' or
	void *site;
	u32 value;
	int from;
};

extern Lane *lane; // that runs now
extern int launchThreads, launchBlocks;
void pause(Wait wait); // until the others have come

static __attribute__((noinline, convergent, noduplicate)) u32 warpStep(char step, u32 value, int from) {
	Lane *me = lane;
	me->step = step;
	me->site = __builtin_return_address(0);
	me->value = value;
	me->from = from;
	pause(WARP);
	return me->value;
}

DEVICE int threadIndex() { return lane->thread; }
DEVICE int blockThreads() { return launchThreads; }
DEVICE int blockIndex() { return lane->block; }
DEVICE int gridBlocks() { return launchBlocks; }
DEVICE void syncBlock() { pause(BLOCK); }
DEVICE void syncCluster() { pause(CLUSTER); }
DEVICE void syncGrid(u32 *, u32 &) { pause(CLUSTER); }
DEVICE void fence() {}
DEVICE int look(const int *p) { return *p; }
DEVICE char *sharedMemory() { return lane->shared; }
extern char *memoryOf[64]; // of the blocks that run together
DEVICE char *sharedOf(int block, char *p) { return memoryOf[block] + (p - lane->shared); }

DEVICE u32 ballot(bool p) { return warpStep('b', p, 0); }
DEVICE int shuffle(int x, int from) { return (int)warpStep('s', (u32)x, from); }
DEVICE u32 warpMin(u32 x) { return warpStep('m', x, 0); }
DEVICE u32 warpOr(u32 x) { return warpStep('o', x, 0); }
DEVICE void syncWarp() { warpStep('b', 0, 0); }

template <typename T> static inline T atomicAdd(T *p, T x) {
	T old = *p;
	*p = old + x;
	return old;
}
template <typename T> static inline T atomicCas(T *p, T old, T x) {
	T was = *p;
	if (was == old) *p = x;
	return was;
}
template <typename T> static inline T atomicMin(T *p, T x) {
	T old = *p;
	if (x < old) *p = x;
	return old;
}
template <typename T> static inline T atomicMax(T *p, T x) {
	T old = *p;
	if (x > old) *p = x;
	return old;
}
template <typename T> static inline T constant(const T *p) { return *p; }

DEVICE u32 bits(float x) { return __builtin_bit_cast(u32, x); }
DEVICE u64 bits(double x) { return __builtin_bit_cast(u64, x); }
DEVICE float realOf(u32 b) { return __builtin_bit_cast(float, b); }
DEVICE double realOf(u64 b) { return __builtin_bit_cast(double, b); }
DEVICE int bitCount(u32 x) { return __builtin_popcount(x); }
DEVICE int firstBit(u32 x) { return __builtin_ctz(x); } // x != 0
DEVICE double root(double x) { return __builtin_elementwise_sqrt(x); }

typedef float Float4 __attribute__((ext_vector_type(4)));
typedef double Double2 __attribute__((ext_vector_type(2)));
DEVICE Float4 constant4(const float *p) { return *(const Float4 *)p; }
DEVICE Double2 constant2(const double *p) { return *(const Double2 *)p; }
