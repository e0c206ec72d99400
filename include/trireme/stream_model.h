/* Trireme: what stream pools of earlier runs have learned of kernels and devices.
 *
 * With the setting stream.models a pool keeps how long kernels take in the cache of compiled kernels, when it
 * is destroyed, and a later pool of the same device, driver and version of the library begins with that. A
 * model is of a kernel's code, its constants and its name, so that a kernel that was changed is learned anew.
 * Kernels that are loaded as native code, and functions that enqueue, have no model that is kept.
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * context     the context, whose setting kernel.cache says where models are
 * Blocks      while files are read
 * Threads     any
 * Ownership   nothing is handed over
 * Errors      those of every function (<trireme/api.h>); PERMISSION when other users can write the folder
 */
#ifndef TRIREME_STREAM_MODEL_H
#define TRIREME_STREAM_MODEL_H

#include <trireme/api.h>
#include <trireme/stream_pool.h>

TRM_API_BEGIN

/* How long a kernel takes, in launches of about one size. */
struct trm_stream_model {
    uint32_t struct_size;
    int32_t workload; /* enum trm_stream_workload, as the program gave it */
    const char *backend;
    const char *device; /* its name */
    const char *driver; /* "" where the device has none */
    const char *kernel; /* its name */
    const char *digest; /* of its code and constants: 64 digits */
    uint64_t groups;    /* of a launch: at least so many, and less than twice as many */
    uint64_t mean_ns;
    uint64_t spread_ns; /* as in struct trm_stream_prediction */
    uint64_t samples;   /* as in struct trm_stream_prediction */
    uint64_t learned;   /* when it last changed, in seconds since 1970 */
};

/* Receives one model; `model` is valid during the call only. A status other than TRM_OK ends the listing. */
typedef int32_t (*trm_stream_model_visit_fn)(void *user, const struct trm_stream_model *model);

/* List the models that are kept, device by device. Files that are damaged, or that other users can read, are
 * removed, which is logged.
 *
 * visit       called for each model, in the calling thread
 * user        its first argument
 * Errors      what `visit` returns; INVALID_ARGUMENT when visit is NULL
 */
TRM_API int32_t trm_stream_model_list(struct trm_context *context, trm_stream_model_visit_fn visit,
                                      void *user);

/* How many streams of a device run side by side, which is how many a pool has without a size
 * (trm_stream_pool_desc.most). */
struct trm_stream_width {
    uint32_t struct_size;
    uint32_t side_by_side; /* the most that was measured */
    const char *backend;
    const char *device; /* its name */
    const char *driver; /* "" where the device has none */
    /* a pool measures again until nothing has disturbed three of them, or 12 are made */
    uint32_t measurements;
    uint32_t undisturbed; /* of the measurements */
    uint64_t measured;    /* when the last one was made, in seconds since 1970 */
};

/* Receives one width; `width` is valid during the call only. A status other than TRM_OK ends the listing. */
typedef int32_t (*trm_stream_width_visit_fn)(void *user, const struct trm_stream_width *width);

/* List how many streams run side by side on each device that was measured, in the order of
 * trm_stream_model_list(), and from the same files. trm_stream_model_forget() removes these, too.
 *
 * visit       called for each device, in the calling thread
 * user        its first argument
 * Errors      what `visit` returns; INVALID_ARGUMENT when visit is NULL
 */
TRM_API int32_t trm_stream_width_list(struct trm_context *context, trm_stream_width_visit_fn visit,
                                      void *user);

/* Remove all models that are kept. A pool that exists keeps what it has learned, and writes it when it is
 * destroyed.
 *
 * count       receives how many files were removed: one for each device, its driver and the version of
 *             the library; may be NULL
 * Errors      BACKEND for a file that cannot be removed
 */
TRM_API int32_t trm_stream_model_forget(struct trm_context *context, uint32_t *count);

TRM_API_END

#endif
