/* What other rooms use of streams, events and callbacks.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_STREAM_STREAM_H
#define CORE_STREAM_STREAM_H

#include "core/stream/deferred.h"
#include "core/stream/device_streams.h"
#include "core/stream/event.h"
#include "core/stream/event_pool.h"
#include "core/stream/in_flight.h"
#include "core/stream/notify.h"
#include "core/stream/service.h"
#include "core/stream/stream_object.h"

#endif
