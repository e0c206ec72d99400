/* Holding a stream at a place until the case lets it go on.
 *
 * A hold is a host callback that sleeps until it is opened. Where the backend lets callbacks block the caller
 * (struct trm_stream_stats.host_waits), nothing can be held: hold_begin() then does nothing, and hold_works()
 * says so, for checks that something is *not yet* done.
 *
 * All callbacks of a context may run on one thread, which may also be the one that bridges waits where the
 * backend cannot. So while a hold is closed no other callback of its context need run and no stream need pass
 * a wait for another; and of several holds those that were begun first are ended first.
 * SPDX-License-Identifier: MIT
 */
#ifndef CONFORMANCE_HOLD_H
#define CONFORMANCE_HOLD_H

#include "harness.h"

struct hold;

/* Whether streams of the device under test can be held. */
bool hold_works(void);

/* Let the stream stop here. */
struct hold *hold_begin(struct trm_stream *stream);

/* Let it go on. The hold is gone. */
void hold_end(struct hold *hold);

/* Opened by another thread after some time, for calls that block until then. The hold is gone. */
void hold_end_after(struct hold *hold, unsigned milliseconds);

/* Open whatever a failed case left closed, and wait for the threads of hold_end_after(). */
void holds_open_all(void);

#endif
