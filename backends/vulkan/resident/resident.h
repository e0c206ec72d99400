/* vulkan backend, room `resident`: the tokens of all slots of a pipeline share submissions.
 *
 * Vulkan has no kernel that stays. A command that is submitted and not complete excludes the host from the
 * memory that it reads or writes (vkMapMemory): so no kernel may look for tokens in mapped memory, no
 * indirect dispatch may find its size there late, and the host may not look there for the end. An event may
 * not be set for a command buffer that is submitted already (vkSetEvent). A submission may wait for a
 * timeline semaphore that the host signals for each token, but it holds up the queue for all others
 * meanwhile, and the signal costs as much as a submission.
 *
 * So the host launches again, and bounded: a *turn* is one vkQueueSubmit() with the tokens that came until
 * then, VULKAN_TURN_MOST at most and one of a stream. At most VULKAN_TURNS are on the device, the second
 * queued behind the first, and tokens that come meanwhile wait for the next one. The tokens of a turn need no
 * barrier among them, since the core lets no token start before those that it depends on have ended.
 *
 *     line.c      what the resident streams of a device share: turns, and which token goes with which
 *     times.c     when turns ran
 *     guard.c     a thread that sees to tokens that no thread waits for
 *     stream.c    the tables of streams and graphs
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_RESIDENT_RESIDENT_H
#define BACKENDS_VULKAN_RESIDENT_RESIDENT_H

#include <trireme/backend.h>

extern const struct trm_resident_ops vulkan_resident_ops;

#endif
