/* CUDA C for the CPU: the stand-in for NVRTC puts this before every text that it compiles. One thread runs a
 * launch, so shared memory is static. Atomics are real, since other threads may access the same memory.
 * SPDX-License-Identifier: MIT
 */
#include "tests/standin/object.h"

#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0

#define __device__
#define __host__
#define __constant__
#define __managed__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __inline_hint__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#define __grid_constant__
#define __nv_pure__ __attribute__((pure))
/* __global__, __launch_bounds__ and __shared__ are seen to by the compiler's driver. */

typedef decltype(sizeof(0)) size_t;

#define STANDIN_INLINE static inline __attribute__((always_inline, unused))

/* ---- where the work-item is */

static struct standin_item standin_item;
static const struct standin_runtime *standin_runtime;
alignas(128) static unsigned char standin_dynamic[STANDIN_DYNAMIC_BYTES];

#define threadIdx standin_item.thread
#define blockIdx standin_item.block
#define blockDim standin_item.threads
#define gridDim standin_item.blocks
enum {
    warpSize = 32
};

#include "tests/standin/prelude/math.h"

#include "tests/standin/prelude/convert.h"

#include "tests/standin/prelude/atomic.h"
#include "tests/standin/prelude/integer.h"
#include "tests/standin/prelude/memory.h"
#include "tests/standin/prelude/vector.h"
#include "tests/standin/prelude/warp.h"

#include "tests/standin/prelude/ptx.h"

#include "tests/standin/prelude/matrix.h"
