/* The stand-in for CUDA's driver: a library that answers the calls of libcuda.so.1 that Trireme makes, on the
 * CPU, for tests. It makes calls fail, holds work back, and keeps account of what is made. What a test
 * program sees of it.
 *
 * Give its absolute path to the setting cuda.driver, and that of the stand-in for NVRTC to cuda.nvrtc. Work
 * runs on threads of the stand-in and begins late, so a missing wait shows. Allocated memory is filled with
 * garbage; freed memory is unmapped.
 *
 * Configuration is text: "devices=2 memory=1G fault=cuMemAlloc:3:once:CUDA_ERROR_OUT_OF_MEMORY". It is given
 * to configure(), or stands in a file that lies beside the library and has its name with ".conf" at the end:
 * a test that runs programs makes a folder with a link to the library and such a file, and gives them the
 * path of the link. Settings are separated by white space:
 *
 *     devices=1             how many there are
 *     memory=4G             bytes of each: K, M, G
 *     peers=yes             whether they reach each other
 *     name=Stand-in         of the devices, without white space
 *     capability=9.0        of the devices
 *     managed=yes           whether they have managed memory
 *     pools=yes             whether they have memory pools
 *     needs_context=no      whether calls about streams, events and pointers want a current context
 *     driver=13000          what cuDriverGetVersion answers; functions that are younger do not exist
 *     missing=cuX,cuY       nor do these
 *     workers=4             threads that do the work
 *     delay=20              microseconds that a stream waits before it begins, at most
 *     strict=no             whether a breach (below) is said on stderr and ends the process
 *     fault=RULE            as arm(); may stand several times
 *     work=RULE             as fail_work()
 *
 * What is said of devices and threads holds from cuInit() on; everything else at once.
 *
 * A rule of a fault: "cuMemAlloc:3:once:CUDA_ERROR_OUT_OF_MEMORY". The third call from now on has no effect
 * and answers so; "on" instead of "once": and all that follow. A function's name is that of
 * cuGetProcAddress(), or one with its version. "any" is every function that can fail in a working program:
 * not those that destroy, free, release, or make a context current. An error that CUDA calls sticky sticks to
 * the context. A rule of work: "kernel:2:CUDA_ERROR_ILLEGAL_ADDRESS": the second kernel that runs from now on
 * ends so, and the error sticks to its context. Kinds are kernel, copy, fill, host (a function), graph, any.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STANDIN_CONTROL_H
#define CUDA_STANDIN_CONTROL_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#define CUDA_STANDIN_CONTROL_SYMBOL "cuda_standin_control"

/* What lives. Bytes are of the kind above them. */
struct cuda_standin_account {
    uint64_t contexts; /* a primary context counts once, however often it is retained */
    uint64_t streams;
    uint64_t events;
    uint64_t modules;
    uint64_t graphs;
    uint64_t graph_executables;
    uint64_t pools; /* without the default ones */
    uint64_t allocations;
    uint64_t allocated_bytes; /* of all devices: cuMemAlloc, pools as they are in use */
    uint64_t pinned;
    uint64_t pinned_bytes;
    uint64_t managed;
    uint64_t registrations;
    uint64_t handles;      /* cuMemCreate, cuMemImportFromShareableHandle */
    uint64_t reservations; /* cuMemAddressReserve */
    uint64_t mappings;     /* cuMemMap, cuExternalMemoryGetMappedBuffer, cuIpcOpenMemHandle */
    uint64_t external_memories;
    uint64_t external_semaphores;
    uint64_t textures;
};

/* All functions may be called from any thread. */
struct cuda_standin_control {
    /* 0 where it can be read, else -1. */
    int (*configure)(const char *text);

    /* ---- faults */

    /* Adds a rule; NULL: there are none any more. 0 where it can be read, else -1. */
    int (*arm)(const char *rule);
    /* How many calls were made to fail since arm(NULL). Those of a context with a sticky error count but
     * once. */
    uint64_t (*failures)(void);
    /* The function whose call failed first since then; "" where none did. */
    const char *(*failed_function)(void);
    /* Adds a rule of work; NULL: there are none any more. */
    int (*fail_work)(const char *rule);

    /* How often a function was called since the library was loaded, whatever it answered. */
    uint64_t (*calls)(const char *function);
    /* Calls of all functions that "any" stands for. */
    uint64_t (*fallible_calls)(void);
    /* The function of the last launch, or of the kernel that was last put into a graph; "": there was
     * none. */
    const char *(*launched)(void);

    /* ---- time */

    /* No stream begins anything until release(); what runs goes on. */
    void (*hold)(void);
    /* So many operations of streams may begin all the same. */
    void (*step)(uint64_t count);
    void (*release)(void);
    /* Returns when nothing runs and nothing can begin: all is done, or held, or waits for what was not
     * enqueued yet. */
    void (*settle)(void);
    /* Operations that were enqueued and are not done. */
    uint64_t (*pending)(void);

    /* ---- account */

    void (*account)(struct cuda_standin_account *account);
    /* Objects that live, all together; the kind of the first where there is room for it. */
    uint64_t (*living)(char *first, uint64_t capacity);
    /* Bytes of a device that are not free: allocations, what pools keep, cuMemCreate. */
    uint64_t (*memory)(int device);

    /* How often the rules of the driver were broken in ways that the stand-in sees: handles that do not live,
     * memory that was freed, copies that leave it. The first one in words. */
    uint64_t (*breaches)(char *first, uint64_t capacity);
    void (*forget_breaches)(void);

    /* ---- semaphores that other programs would give: a descriptor for cuImportExternalSemaphore, or -1. The
     * caller closes
     * it where the stand-in did not take it. */
    int (*semaphore)(uint64_t value);
    int (*signal_semaphore)(int descriptor, uint64_t value);
    uint64_t (*semaphore_value)(int descriptor);
};

/* The control of the stand-in for NVRTC. */
#define CUDA_STANDIN_COMPILER_SYMBOL "cuda_standin_compiler"
#define CUDA_STANDIN_COMPILER_MAJOR 13 /* what nvrtcVersion() answers */
#define CUDA_STANDIN_COMPILER_MINOR 0

struct cuda_standin_compiler {
    /* How often something was compiled since the library was loaded. */
    uint64_t (*compilations)(void);
    /* The nth compilation from now on fails with an nvrtcResult; 0: none does. */
    void (*fail_compilation)(uint64_t nth, int result);
};

/* The control of the stand-in at `path`; opens it for good. NULL: it is not there. */
static inline const struct cuda_standin_control *cuda_standin_control_of(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return NULL;
    return (const struct cuda_standin_control *)dlsym(library, CUDA_STANDIN_CONTROL_SYMBOL);
}

#endif
