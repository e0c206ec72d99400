/* cuda backend, room `profile`: timestamps, and ranges for profilers.
 *
 *     profile.c  timestamps; the table
 *     clock.c    converts the device's time to the host's
 *     range.c    ranges for profilers, by NVTX
 *
 * A stamp is an event with timing. Its time is its distance from a base event, whose host time was
 * measured not long before (clock.h). The driver returns distances as floats of milliseconds, with 24
 * bits. To keep them short, a thread that records or reads a stamp and finds the last base a quarter of a
 * second old makes a new one. A distance is then exact to 16 ns, which is finer than the device's clock.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_PROFILE_PROFILE_H
#define CUDA_PROFILE_PROFILE_H

#include "backends/cuda/driver/driver.h"

extern const struct trm_profile_ops cuda_profile_ops;

void cuda_stamps_close(struct trm_backend_device *device);

/* For graphs: the event of a stamp, and a call before a graph with stamps is launched. */
CUevent cuda_stamp_event(const struct trm_backend_stamp *stamp);
void cuda_stamps_about_to_record(struct trm_backend_device *device);

/* range.c: TRM_RANGE_EXTENSION while a profiler is attached; else NULL. */
const void *cuda_get_extension(const char *name, uint32_t version);

#endif
