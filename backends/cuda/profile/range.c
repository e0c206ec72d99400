/* cuda backend: ranges for profilers, by the headers of NVTX. When they are first used they find the
 * profiler's library by an environment variable, which Nsight sets; without one they call nothing.
 * SPDX-License-Identifier: MIT
 */
#include "profile.h"

#include <string.h>

#include "backends/cuda/stream/stream.h"

#if defined(__has_include)
#if __has_include(<nvtx3/nvToolsExtCuda.h>)
#define CUDA_HAS_NVTX 1
#endif
#endif

#ifdef CUDA_HAS_NVTX

#include <sys/auxv.h>

#define NVTX_AS_SYSTEM_HEADER
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCuda.h>

/* NVTX belongs to the process, and so does what was found out about it. */
static pthread_once_t domain_once = PTHREAD_ONCE_INIT;
static nvtxDomainHandle_t domain; /* NULL: no profiler is attached */

/* The variable names code, so it is ignored in a program with more rights than its user. */
static void open_domain(void)
{
    if (getauxval(AT_SECURE) == 0)
        domain = nvtxDomainCreateA("trireme");
}

static void range_begin(const char *name, uint64_t number)
{
    nvtxEventAttributes_t range = {
        .version       = NVTX_VERSION,
        .size          = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
        .payloadType   = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64,
        .payload       = {.ullValue = number},
        .messageType   = NVTX_MESSAGE_TYPE_ASCII,
        .message.ascii = name,
    };

    nvtxDomainRangePushEx(domain, &range);
}

static void range_end(void)
{
    nvtxDomainRangePop(domain);
}

static void name_stream(struct trm_backend_stream *stream, const char *name)
{
    if (!stream->borrowed)
        nvtxNameCuStreamA(stream->handle, name);
}

static const struct trm_range_ops range_ops = {
    .struct_size = sizeof(range_ops),
    .begin       = range_begin,
    .end         = range_end,
    .name_stream = name_stream,
};

static const void *find_ranges(void)
{
    pthread_once(&domain_once, open_domain);
    return domain != NULL ? &range_ops : NULL;
}

#else

static const void *find_ranges(void)
{
    return NULL;
}

#endif

const void *cuda_get_extension(const char *name, uint32_t version)
{
    if (version != 1 || strcmp(name, TRM_RANGE_EXTENSION) != 0)
        return NULL;
    return find_ranges();
}
