// This file is two cards that are none: a shared library with the functions of the
// CUDA driver that mtt calls, whose kernels run on the CPU, one thread after the
// other. It is for tests on machines without a card, and stricter than one:
//
//   - allocations and shared memory end at a page that cannot be touched, and
//     begin as garbage;
//   - the lanes of a warp must meet at the same instruction, the threads of a
//     block at the same kind of barrier;
//   - MTT_EMULATE_ORDER chooses the order in which threads run: 0 up, 1 down,
//     other numbers seed a shuffle for each launch. Results that differ show a
//     race.
//
// MTT_EMULATE_FAULT=N makes the N-th launch fail as a bad address does: every call
// fails from then on.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define EMULATE
#define WIDTH 0 // both
#include "dualascent/cuda/kernels/ascent.cu"
#include "mapsolver/cuda/kernels/block.cu"
#include "mapsolver/cuda/kernels/cluster.cu"
#include "mapsolver/cuda/kernels/hungarian.cu"
#include "mapsolver/cuda/kernels/points.cu"
#include "mapsolver/cuda/kernels/wide.cu"

// Coroutines.

Lane *lane;
int launchThreads, launchBlocks;
char *memoryOf[64];
static void *host; // the stack pointer of the scheduler

#ifdef __x86_64__
// switchStack(&from, to) saves the registers that a call keeps.
extern "C" void switchStack(void **from, void *to);
asm(".text\n.globl switchStack\nswitchStack:\n"
	"push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
	"mov %rsp,(%rdi)\nmov %rsi,%rsp\n"
	"pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n");
#else
#error "the emulator switches stacks on x86-64 only"
#endif

static const long STACK = 64 << 10;
static void (*body)(const void *);
static const void *bodyTask;

static void enter() {
	body(bodyTask);
	pause(DONE);
}

void pause(Wait wait) {
	Lane *me = lane;
	me->wait = wait;
	switchStack(&me->stack, host);
}

static void resume(Lane *l) {
	lane = l;
	l->wait = NOTHING;
	switchStack(&host, l->stack);
}

// Memory that ends at a page that cannot be touched.

static void *guarded(size_t n) {
	size_t pages = (n + 4095) / 4096 * 4096;
	char *m = (char *)mmap(0, pages + 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m == MAP_FAILED) return 0;
	*(size_t *)m = pages + 8192;
	mprotect(m + 4096 + pages, 4096, PROT_NONE);
	size_t gap = (pages - n) & ~(size_t)15; // aligned for vectors
	memset(m + 4096, 0xA5, pages);
	return m + 4096 + gap;
}
static void release(void *p) {
	if (!p) return;
	char *m = (char *)((size_t)p & ~(size_t)4095) - 4096;
	munmap(m, *(size_t *)m);
}

// A warp meets.

static bool meet(Lane *w) {
	for (int i = 0; i < 32; i++) {
		if (w[i].wait != WARP) return false;
		if (w[i].site != w[0].site || w[i].step != w[0].step) {
			fprintf(stderr, "emulate: lanes of a warp meet at different instructions\n");
			abort();
		}
	}
	u32 bits = 0, least = ~0u, all = 0, value[32];
	for (int i = 0; i < 32; i++) {
		value[i] = w[i].value;
		bits |= (u32)(w[i].value != 0) << i;
		all |= w[i].value;
		if (w[i].value < least) least = w[i].value;
	}
	for (int i = 0; i < 32; i++) {
		switch (w[i].step) {
		case 'b': w[i].value = bits; break;
		case 'm': w[i].value = least; break;
		case 'o': w[i].value = all; break;
		case 's': w[i].value = value[w[i].from & 31]; break;
		}
		w[i].wait = NOTHING;
	}
	return true;
}

static u64 orderSeed() {
	const char *s = getenv("MTT_EMULATE_ORDER");
	return s ? strtoull(s, 0, 10) : 0;
}

// runTeam runs blocks [first, first+blocks) together, by turns.
static void runTeam(int first, int blocks, int shared) {
	static char *stacks;
	static Lane *lanes;
	static int *order, room;
	int n = blocks * launchThreads;
	if (n > room) {
		stacks = (char *)mmap(0, n * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		lanes = (Lane *)realloc(lanes, n * sizeof(Lane));
		order = (int *)realloc(order, n / 32 * sizeof(int));
		room = n;
	}
	static u64 random = 88172645463325252ull;
	u64 seed = orderSeed();
	for (int i = 0; i < n / 32; i++) order[i] = seed == 1 ? n / 32 - 1 - i : i;
	if (seed > 1) {
		random ^= seed;
		for (int i = n / 32 - 1; i > 0; i--) {
			random ^= random << 13, random ^= random >> 7, random ^= random << 17;
			int k = random % (i + 1), o = order[i];
			order[i] = order[k], order[k] = o;
		}
	}
	for (int b = 0; b < blocks; b++) memoryOf[b] = (char *)guarded(shared);
	for (int i = 0; i < n; i++) {
		Lane *l = &lanes[i];
		memset(l, 0, sizeof *l);
		l->thread = i % launchThreads;
		l->block = first + i / launchThreads;
		l->shared = memoryOf[i / launchThreads];
		void **sp = (void **)(stacks + (i + 1) * STACK);
		*--sp = 0; // enter finds the stack as a call leaves it
		*--sp = (void *)enter;
		sp -= 6;
		l->stack = sp;
	}
	for (int done = 0; done < n;) {
		bool moved = false;
		for (int o = 0; o < n / 32; o++) {
			Lane *w = &lanes[32 * order[o]];
			do {
				for (int k = 0; k < 32; k++) {
					Lane *l = &w[seed == 1 ? 31 - k : k];
					if (l->wait != NOTHING) continue;
					moved = true;
					resume(l);
					if (l->wait == DONE) done++;
				}
			} while (meet(w));
		}
		for (int b = 0; b < blocks; b++) {
			Lane *l = &lanes[b * launchThreads];
			int waiting = 0;
			for (int i = 0; i < launchThreads; i++) waiting += l[i].wait == BLOCK;
			if (waiting < launchThreads) continue;
			for (int i = 0; i < launchThreads; i++) l[i].wait = NOTHING;
			moved = true;
		}
		int waiting = 0;
		for (int i = 0; i < n; i++) waiting += lanes[i].wait == CLUSTER;
		if (waiting == n) {
			for (int i = 0; i < n; i++) lanes[i].wait = NOTHING;
			moved = true;
		}
		if (!moved && done < n) {
			fprintf(stderr, "emulate: threads wait for one another\n");
			abort();
		}
	}
	for (int b = 0; b < blocks; b++) release(memoryOf[b]);
}

// The driver.

static Kernel *kernels;
Kernel::Kernel(const char *name, int threads, void (*run)(const void *))
	: name(name), threads(threads), run(run), next(kernels) {
	kernels = this;
}

static pthread_mutex_t running = PTHREAD_MUTEX_INITIALIZER;
static int launches;
static int sticky; // the error that every call returns from now on

enum { INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_IMAGE = 200, NOT_FOUND = 500, ILLEGAL_ADDRESS = 700, NOT_SUPPORTED = 801 };
#define API extern "C" __attribute__((visibility("default"))) int
typedef unsigned long long Address;

API cuInit(unsigned) { return 0; }
API cuDeviceGetCount(int *n) { return *n = 2, 0; }
API cuDeviceGet(int *d, int i) { return *d = i, i < 2 ? 0 : 101; }
API cuDeviceGetName(char *s, int n, int) { return snprintf(s, n, "emulated card"), 0; }
API cuDeviceTotalMem_v2(size_t *n, int) { return *n = (size_t)1 << 32, 0; }
API cuDeviceGetAttribute(int *v, int attribute, int) {
	switch (attribute) {
	case 16: return *v = 4, 0;           // multiprocessors
	case 75: return *v = 9, 0;           // capability 9.0
	case 76: return *v = 0, 0;
	case 97: return *v = 232448, 0;      // shared memory of a block, opt-in
	}
	return INVALID_VALUE;
}
API cuDevicePrimaryCtxRetain(void **c, int) { return *c = (void *)1, sticky; }
API cuCtxSetCurrent(void *) { return sticky; }
API cuModuleLoadDataEx(void **m, const char *image, unsigned, void *, void *) {
	if (!strstr(image, ".version")) return INVALID_IMAGE;
	return *m = (void *)1, sticky;
}
API cuModuleGetFunction(void **f, void *, const char *name) {
	for (Kernel *k = kernels; k; k = k->next) {
		if (!strcmp(k->name, name)) return *f = k, sticky;
	}
	return NOT_FOUND;
}
API cuFuncSetAttribute(void *, int, int) { return sticky; }
API cuMemAlloc_v2(Address *p, size_t n) {
	if (n == 0) return INVALID_VALUE;
	if (n > (size_t)1 << 32) return OUT_OF_MEMORY;
	*p = (Address)guarded(n);
	return *p ? sticky : OUT_OF_MEMORY;
}
API cuMemFree_v2(Address p) { return release((void *)p), sticky; }
API cuMemHostAlloc(void **p, size_t n, unsigned) { return *p = guarded(n), *p ? sticky : OUT_OF_MEMORY; }
API cuMemFreeHost(void *p) { return release(p), sticky; }
API cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t n, void *) {
	return memcpy((void *)to, from, n), sticky;
}
API cuMemcpyDtoHAsync_v2(void *to, Address from, size_t n, void *) {
	return memcpy(to, (void *)from, n), sticky;
}
API cuMemsetD8Async(Address to, unsigned char byte, size_t n, void *) { return memset((void *)to, byte, n), sticky; }
API cuMemcpyPeerAsync(Address to, void *, Address from, void *, size_t n, void *) {
	return memcpy((void *)to, (void *)from, n), sticky;
}
API cuCtxEnablePeerAccess(void *, unsigned) { return NOT_SUPPORTED; }
API cuStreamWaitEvent(void *, void *, unsigned) { return sticky; }
API cuStreamCreate(void **s, unsigned) { return *s = (void *)1, sticky; }
API cuStreamSynchronize(void *) { return sticky; }
API cuStreamDestroy_v2(void *) { return sticky; }
API cuEventCreate(void **e, unsigned) { return *e = calloc(1, sizeof(timespec)), sticky; }
API cuEventRecord(void *e, void *) { return clock_gettime(CLOCK_MONOTONIC, (timespec *)e), sticky; }
API cuEventSynchronize(void *) { return sticky; }
API cuEventElapsedTime(float *ms, void *a, void *b) {
	timespec *x = (timespec *)a, *y = (timespec *)b;
	*ms = (y->tv_sec - x->tv_sec) * 1e3 + (y->tv_nsec - x->tv_nsec) * 1e-6;
	return sticky;
}
// There are no graphs.
API cuStreamBeginCapture_v2(void *, int) { return sticky ? sticky : NOT_SUPPORTED; }
API cuStreamEndCapture(void *, void **) { return NOT_SUPPORTED; }
API cuGraphInstantiateWithFlags(void **, void *, u64) { return NOT_SUPPORTED; }
API cuGraphLaunch(void *, void *) { return NOT_SUPPORTED; }
API cuGraphDestroy(void *) { return NOT_SUPPORTED; }
API cuGraphExecDestroy(void *) { return NOT_SUPPORTED; }
API cuGetErrorName(int code, const char **name) {
	return *name = code == ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OF_THE_EMULATOR", 0;
}

// Attributes of a launch; which blocks run together matters here.
struct LaunchAttribute {
	int id, pad;
	int value[16];
};
struct LaunchConfig {
	unsigned grid[3], block[3], shared, pad;
	void *stream;
	LaunchAttribute *attributes;
	unsigned n, pad2;
};

API cuLaunchKernelEx(const LaunchConfig *c, void *function, void **arguments, void **) {
	if (sticky) return sticky;
	Kernel *k = (Kernel *)function;
	if (c->block[0] % 32 || c->block[0] == 0 || (int)c->block[0] > k->threads || c->grid[0] == 0) return INVALID_VALUE;
	int blocks = 1;
	for (unsigned i = 0; i < c->n; i++) {
		if (c->attributes[i].id == 2) blocks = c->grid[0]; // cooperative
		if (c->attributes[i].id == 4) blocks = c->attributes[i].value[0];
	}
	if (blocks > 64 || c->grid[0] % blocks) return INVALID_VALUE;
	pthread_mutex_lock(&running);
	const char *fault = getenv("MTT_EMULATE_FAULT");
	if (++launches == (fault ? atoi(fault) : 0)) {
		sticky = ILLEGAL_ADDRESS; // seen by the next call, as on a card
	} else {
		launchThreads = c->block[0];
		launchBlocks = c->grid[0];
		body = k->run;
		bodyTask = arguments[0];
		for (unsigned b = 0; b < c->grid[0]; b += blocks) runTeam(b, blocks, c->shared);
	}
	pthread_mutex_unlock(&running);
	return 0;
}
