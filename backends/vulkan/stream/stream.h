/* vulkan backend: the stream room.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_STREAM_STREAM_H
#define BACKENDS_VULKAN_STREAM_STREAM_H

#include "backends/vulkan/stream/profile.h"
#include "backends/vulkan/stream/service.h"
#include "backends/vulkan/stream/staging.h"
#include "backends/vulkan/stream/stream_object.h"
#include "backends/vulkan/stream/timeline.h"

extern const struct trm_stream_ops vulkan_stream_ops;
extern const struct trm_profile_ops vulkan_profile_ops;

#endif
