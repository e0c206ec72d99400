/* The proxy: a backend that wraps another one and makes it misbehave, for tests. What a test program sees of
 * it.
 *
 * Environment, read whenever a context loads the proxy (operations are named below, lists are separated by
 * commas):
 *
 *     PROXY_TARGET=/…/cpu.so                 the backend to wrap; required
 *     PROXY_FAULT=copy:3:once:-9             the third call of copy fails with status -9 and has no effect
 *     PROXY_FAULT=allocate:1:forever:-5      so does the first one, and all that follow
 *     PROXY_ASYNC_FAULT=copy:3:-9            the third copy is taken, and then its stream fails there, as a
 *                                            device would: the operations before it finish, those
 *                                            behind it are lost, query and wait answer -9 for ever
 *     PROXY_DELAY_US=wait:500                every call of wait first sleeps 500 microseconds
 *     PROXY_BREACHES=/…/breaches             a line is added to this file when the core breaks its side of
 *                                            the contract
 *     PROXY_WITHOUT=fill,gate,profile        the proxy does not have these optional slots and tables; "all":
 *                                            none of them
 *
 * Operations: probe open close device_count get_info device_open device_close allocate free host_pointer
 * stream_create stream_destroy copy launch copy_2d fill mark wait_stream gate open_gates prefetch flush query
 * wait wait_any notify abandon supports load unload kernel kernel_name stamp_create stamp_destroy
 * stamp_record stamp_read pool_allocate pool_free pool_trim pool_set_threshold pool_statistics
 * peer_can_access peer_copy graph_create graph_destroy graph_launch graph_update device_handle stream_handle
 * memory_handle adopt memory_create memory_export memory_import semaphore_create semaphore_import
 * semaphore_export semaphore_destroy semaphore_value semaphore_wait semaphore_signal stream_adopt
 * memory_adopt hand_over event_wait event_record ipc_create ipc_export ipc_open.
 *
 * Optional: host_pointer address (with forget_address) copy_2d fill mark wait_stream gate (with open_gates)
 * prefetch flush wait_any notify abandon kernel_name profile pool peer graph graph_update interop.
 *
 * Without flush every operation is submitted when it is enqueued, so that nothing is held back. Without
 * host_pointer the device is not unified and has memory of the kind DEVICE alone, since the others need it.
 *
 * One process wraps one target at a time.
 * SPDX-License-Identifier: MIT
 */
#ifndef PROXY_CONTROL_H
#define PROXY_CONTROL_H

#include <dlfcn.h>
#include <stdint.h>

#define PROXY_CONTROL_SYMBOL "proxy_control"
#define PROXY_CONTROL_EXTENSION "proxy.control"

/* All functions may be called from any thread. */
struct proxy_control {
    uint32_t struct_size;
    uint32_t reserved;

    /* Add rules, written as in the variables of the same name; calls are counted from now on.
     * TRM_ERROR_INVALID_ARGUMENT when they cannot be read. */
    int32_t (*fault)(const char *rules);
    int32_t (*async_fault)(const char *rules);
    int32_t (*delay)(const char *rules);
    /* Forget all rules. Streams that have failed stay failed. */
    void (*disarm)(void);

    /* How often an operation was called, with those that were made to fail. */
    uint64_t (*calls)(const char *operation);

    /* How many objects were made and ended: "instance", "device", "memory", "stream", "module", "stamp",
     * "graph", "semaphore". */
    uint64_t (*created)(const char *object);
    uint64_t (*destroyed)(const char *object);

    /* How often the core broke its side of <trireme/backend.h>: parents ended before children, streams
     * destroyed with work in them, ranges outside of memory, numbers that do not increase, two threads
     * enqueueing at once … The first one in words. */
    uint64_t (*breaches)(char *first, uint64_t capacity);
};

/* The control of the proxy at `path`, once a context has loaded it; else NULL. */
static inline const struct proxy_control *proxy_control_of(const char *path)
{
    void *plugin = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    const struct proxy_control *control;

    if (plugin == NULL)
        return NULL;
    control = (const struct proxy_control *)dlsym(plugin, PROXY_CONTROL_SYMBOL);
    dlclose(plugin); /* the context holds it */
    return control;
}

#endif
