/* cuda backend: timestamps. A stamp is an event with timing; it is told in the host's time by its distance from a base event
 * whose time on the host's clock was taken not long before (clock.h).
 *
 * The driver tells distances as floats of milliseconds: 24 bits. So that they stay short there is a new base at least every
 * quarter of a second of use: whoever records or reads a stamp and finds the last base old makes one. No thread is needed: what is not used
 * needs no base. A distance is then exact to 16 ns, which is less than the device's own grain.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_PROFILE_PROFILE_H
#define CUDA_PROFILE_PROFILE_H

#include "backends/cuda/driver/driver.h"

extern const struct trm_profile_ops cuda_profile_ops;

void cuda_stamps_close(struct trm_backend_device *device);

/* For graphs: the event of a stamp; and what is to be done before a graph with stamps is launched. */
CUevent cuda_stamp_event(const struct trm_backend_stamp *stamp);
void cuda_stamps_about_to_record(struct trm_backend_device *device);

/* range.c: TRM_RANGE_EXTENSION while a profiler listens; else NULL. */
const void *cuda_get_extension(const char *name, uint32_t version);

#endif
