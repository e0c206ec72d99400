/* cpu backend: time stamps.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_STREAM_PROFILE_H
#define BACKENDS_CPU_STREAM_PROFILE_H

struct trm_backend_stamp;

/* Write the time: the stream has reached the stamp. */
void cpu_stamp_take(struct trm_backend_stamp *stamp);

#endif
