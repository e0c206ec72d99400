/* Trireme: work on a device whose results are known.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_CHECK_DEVICE_H
#define TRIREME_TOOLS_CHECK_DEVICE_H

#include "tools/check/check.h"

/* An open device and a stream of it, while it is examined. */
struct device_check {
    const struct check *check;
    struct report *report;
    const struct trm_device_summary *summary;
    struct trm_context *context;
    struct trm_device *device;
    struct trm_stream *stream;
};

/* Each adds one finding, about one kind of work. */
void device_check_copies(struct device_check *it);
void device_check_memory(struct device_check *it);
void device_check_kernel(struct device_check *it);
void device_check_events(struct device_check *it);
void device_check_pipelines(struct device_check *it);

/* In a context of its own, without the cache: kernels are compiled as on their first use. */
void device_check_compiling(struct device_check *it);

/* What to do where results are wrong. */
const char *device_remedy(const struct device_check *it);

/* True if the device takes portable kernels, as those of the library are. */
bool device_takes_kernels(const struct device_check *it);

#endif
