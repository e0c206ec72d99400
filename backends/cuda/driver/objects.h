/* cuda backend: its objects, and the small things that all files use.
 *
 * Where to look:
 *
 *     loader.h     libcuda, opened at run time; the table of functions (functions.h lists them)
 *     physical.h   what a device is and can do
 *     stream.h     streams, marks, what is held back on the host, waits
 *     lock.h       a mutex for a few instructions
 *     launch.h     a kernel's arguments as the driver takes them; for streams and graphs
 *     replay.h     launches by graphs of one node, which the driver takes faster
 *     copy.h       a copy or fill as the driver takes it; for streams and graphs
 *     pageable.h   long copies from and to memory that is not pinned
 *     memory.h     device, pinned, managed and registered memory
 *     registered.h host memory that is registered once for all who import it
 *     pool.h       the driver's pool that device memory comes from
 *     module.h     cubin, PTX, CUDA C and SPIR-V as modules; kernels
 *     portable.h   the code that lies beside a shader, and whose it is
 *     compiler.h   NVRTC, opened when something must be compiled; and the cache of what it made
 *     profile.h    timestamps, told in the host's time (clock.h)
 *     range.h      ranges for profilers
 *     interop.h    what is shared with applications: contexts, streams, memory, semaphores, events
 *     watching.h   the device's threads that see to notifications
 *     sleeping.h   how a wait that takes long sleeps
 *
 * All driver calls go through device->cuda (a table in the instance). Around those that need a current context stand
 * cuda_enter() and cuda_leave(): the caller's own is left as it was.
 *
 * Locks, in the order in which they may be taken: the instance's hold lock, a device's streams_lock, a stream's lock, the others,
 * that of a stream's marks. No two streams' locks at once. Nothing of the core but log(), fail() and the allocator is called under
 * any of them, and nothing that waits for the device, but where it is said of a lock that it is held meanwhile.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_DRIVER_OBJECTS_H
#define CUDA_DRIVER_OBJECTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trireme/backend.h>

#include "loader.h"
#include "physical.h"

#define CUDA_MAX_ARGUMENTS 64u
#define CUDA_ARGUMENT_BYTES 4096u /* of a launch, at most: what every driver takes */

#define CUDA_PEERS 64u /* devices by index; what is known of others is not kept */

struct cuda_compiler;
struct cuda_pageable;
struct cuda_pool;
struct cuda_stamps;
struct cuda_sleeping;
struct cuda_watching;

struct trm_backend_instance {
    const struct trm_host *host;
    struct cuda_loader loader;
    struct cuda_functions cuda;
    int driver_version; /* 13000 is 13.0 */
    struct cuda_physical *physicals;
    uint32_t physical_count;
    uint64_t spin_ns;              /* the setting cuda.spin */
    _Atomic uint64_t devices_made; /* device.c: numbers them */
    /* Held while `compiler` is made, and around what NVRTC does not do at once. */
    pthread_mutex_t compiler_lock;
    struct cuda_compiler *compiler; /* compiler.c; made when first needed */

    /* Streams that hold operations back: hold.c. */
    pthread_mutex_t hold_lock;
    struct trm_backend_stream *holding; /* by stream->next_holding */
};

struct trm_backend_device {
    struct trm_backend_instance *instance;
    const struct cuda_functions *cuda; /* the instance's */
    const struct cuda_physical *physical;
    CUdevice handle;
    CUcontext context;          /* the primary one, retained; or an application's own */
    bool borrowed;              /* it is the application's */
    bool needs_context;         /* this driver's stream calls want the context to be current; see context.c */
    uint64_t spin_ns;           /* how long a wait looks before it sleeps */
    CUstream inner;             /* pool.c; the backend's own: pool.h says what for */
    struct cuda_pool *pool;     /* pool.c; made when the device is opened; NULL where the driver has none */
    struct cuda_stamps *stamps; /* profile.c; made when first needed */
    struct cuda_pageable *pageable; /* pageable.c; made when first needed */
    struct cuda_sleeping *sleeping; /* sleeping.c; the same */
    struct cuda_watching *watching; /* watching.c; made when it is opened, the threads when first needed */
    pthread_mutex_t lazy_lock;      /* held while what is "made when first needed" is made */

    uint64_t serial;                    /* of the instance, which never has it twice */
    _Atomic uint64_t peers[CUDA_PEERS]; /* peer.c: by index: 2 * serial, and 1 where it is reached */
    _Atomic uint64_t kernels_made;      /* kernel.c: numbers them */
    _Atomic uint32_t replays;           /* replay.c: graphs of one node that there are */

    _Atomic int32_t lost; /* TRM_OK or TRM_ERROR_DEVICE_LOST; latched by cuda_device_fail() */
    CUresult lost_result; /* what the driver said then */
    char lost_sentence[512];
    pthread_mutex_t streams_lock;
    struct trm_backend_stream *streams; /* all of them, by stream->next: for the report of a loss */
};

/* ---- failure.c ---------------------------------------------------------------------------------- */

/* Zeroed memory of the host's allocator; NULL when there is none. release takes NULL. */
void *cuda_allocate(const struct trm_backend_instance *instance, uint64_t size);
void cuda_release(const struct trm_backend_instance *instance, void *memory, uint64_t size);

/* Explain a failure in words, printf-like; return `status`. */
int32_t cuda_fail(const struct trm_backend_instance *instance, int32_t status, int64_t native,
                  const char *format, ...) __attribute__((cold, format(printf, 4, 5)));
int32_t cuda_fail_host_memory(const struct trm_backend_instance *instance, const char *what)
    __attribute__((cold));

/* What a CUresult is to the core: the one place where they are translated. Never TRM_OK for an error. cuda_is_sticky: the
 * context is of no use any more (illegal address, launch failure, ECC, time-out and their like). */
int32_t cuda_status(CUresult result);
bool cuda_is_sticky(CUresult result);

/* "CUDA_ERROR_ILLEGAL_ADDRESS" */
const char *cuda_result_name(const struct trm_backend_instance *instance, CUresult result);

/* `call` has answered `result`, which is an error: a sentence that names both, with what the driver says of it, and the device
 * latched as lost where it is sticky, with what was running. Everybody who waits is woken then. Returns the status. */
int32_t cuda_device_fail(struct trm_backend_device *device, CUresult result, const char *call)
    __attribute__((cold));
/* The same before there is a device. */
int32_t cuda_instance_fail(const struct trm_backend_instance *instance, CUresult result, const char *call);

/* Kernels whose name is `name` (the pointer) are gone: stream->running shall not name them any more. */
void cuda_device_forget(struct trm_backend_device *device, const char *name);

/* TRM_OK, or DEVICE_LOST, explained again with the first cause. One load where all is well. */
int32_t cuda_device_check(struct trm_backend_device *device);
static inline bool cuda_device_is_lost(const struct trm_backend_device *device)
{
    return atomic_load_explicit(&device->lost, memory_order_acquire) != TRM_OK;
}

/* ---- context.c ---------------------------------------------------------------------------------- */

/* Around driver calls: makes the device's context current where it is not, and puts back what was. `previous` is the caller's
 * word. enter's answer is a status; after an error there is nothing to leave, and leaving does nothing.
 *
 * cuda_enter_stream() is for calls that name a stream, event, or exec graph of the device: most drivers take the context from
 * those, so that nothing is to be done (device->needs_context was found out when the device was opened). */
#define CUDA_NOT_ENTERED ((CUcontext)(uintptr_t)-1) /* what cuda_leave() has nothing to do for */
int32_t cuda_enter(struct trm_backend_device *device, CUcontext *previous);
void cuda_put_back(struct trm_backend_device *device, CUcontext previous);
static inline void cuda_leave(struct trm_backend_device *device, CUcontext previous)
{
    if (__builtin_expect(previous != CUDA_NOT_ENTERED, 0))
        cuda_put_back(device, previous);
}
static inline int32_t cuda_enter_stream(struct trm_backend_device *device, CUcontext *previous)
{
    if (__builtin_expect(__atomic_load_n(&device->needs_context, __ATOMIC_RELAXED), 0))
        return cuda_enter(device, previous);
    *previous = CUDA_NOT_ENTERED;
    return TRM_OK;
}

/* Finds out device->needs_context. */
int32_t cuda_context_try(struct trm_backend_device *device);

/* ---- device.c ----------------------------------------------------------------------------------- */

/* The parts of opening and closing that an application's own context shares (adopt.c). */
int32_t cuda_device_make(struct trm_backend_instance *instance, uint32_t index, CUcontext borrowed,
                         struct trm_backend_device **device);

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t cuda_now(void);

/* Between two looks at something: leaves the processor's units to the other thread of the core. */
static inline void cuda_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* ---- tables ------------------------------------------------------------------------------------- */

extern const struct trm_device_ops cuda_device_ops;
extern const struct trm_memory_ops cuda_memory_ops;
extern const struct trm_stream_ops cuda_stream_ops;
extern const struct trm_module_ops cuda_module_ops;
extern const struct trm_graph_ops cuda_graph_ops;
extern const struct trm_pool_ops cuda_pool_ops;
extern const struct trm_peer_ops cuda_peer_ops;
extern const struct trm_profile_ops cuda_profile_ops;
extern const struct trm_interop_ops cuda_interop_ops;

#endif
