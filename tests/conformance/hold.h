/* Holds: a stream stops at a point until the case releases it.
 *
 * A hold is a host callback that sleeps until the case opens it. Where callbacks block the caller (struct
 * trm_stream_stats.host_waits), a stream cannot be held: hold_begin() then does nothing and hold_works()
 * returns false, so that a case skips its checks that work is *not yet* done.
 *
 * All callbacks of a context may run on one thread, which may also be the thread that emulates waits between
 * streams. So while a hold is closed, no other callback of its context need run and no stream need pass a
 * wait for another stream. End several holds in the order in which they began.
 * SPDX-License-Identifier: MIT
 */
#ifndef CONFORMANCE_HOLD_H
#define CONFORMANCE_HOLD_H

#include "harness.h"

struct hold;

/* Whether streams of the device under test can be held. */
bool hold_works(void);

/* Stops the stream here. */
struct hold *hold_begin(struct trm_stream *stream);

/* Lets the stream continue, and destroys the hold. */
void hold_end(struct hold *hold);

/* The same on another thread after some time, for calls that block until then. */
void hold_end_after(struct hold *hold, unsigned milliseconds);

/* Opens the holds that a failed case left closed, and waits for the threads of hold_end_after(). */
void holds_open_all(void);

#endif
