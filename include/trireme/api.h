/* Trireme: what every public header needs.
 * SPDX-License-Identifier: MIT
 *
 * Handles (`struct trm_device *` and its like) are names, never addresses: they carry a type and a
 * generation, so that a stale, foreign or invented one is answered with TRM_ERROR_INVALID_HANDLE.
 * Never dereference one.
 *
 * Unless a comment says otherwise: functions do not block, may be called from any thread, return
 * TRM_OK or an error of <trireme/status.h>, write their outputs (which come last) only on success,
 * and every descriptor starts with `struct_size`, set to its sizeof by the caller; members left
 * zero mean the default.
 */
#ifndef TRIREME_API_H
#define TRIREME_API_H

#include <stddef.h>
#include <stdint.h>

#define TRM_VERSION_MAJOR 0
#define TRM_VERSION_MINOR 1
#define TRM_VERSION_PATCH 0

#if defined(__GNUC__)
#define TRM_API __attribute__((visibility("default")))
#else
#define TRM_API
#endif

#ifdef __cplusplus
#define TRM_API_BEGIN extern "C" {
#define TRM_API_END }
#else
#define TRM_API_BEGIN
#define TRM_API_END
#endif

/* A time-out that never comes. */
#define TRM_FOREVER UINT64_MAX

/* As a length: from the offset to the end of the buffer. */
#define TRM_WHOLE UINT64_MAX

struct trm_context;
struct trm_device;
struct trm_stream;
struct trm_event;
struct trm_buffer;
struct trm_array;
struct trm_module;
struct trm_kernel;
struct trm_shader;
struct trm_graph;
struct trm_graph_exec;
struct trm_pipeline;
struct trm_coordinator;

TRM_API_BEGIN

/* The version of the library that runs, as "major.minor.patch". The string is static. */
TRM_API const char *trm_version(void);

TRM_API_END

#endif
