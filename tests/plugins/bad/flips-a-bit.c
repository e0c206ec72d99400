/* A plugin that looks healthy and copies wrong: of every copy of more than 4 KiB the last bit is flipped.
 * SPDX-License-Identifier: MIT
 */
#include "borrowed.h"

static int32_t (*right_copy)(struct trm_backend_stream *stream, uint64_t value,
                             const struct trm_copy_desc *desc);

static int32_t flipping_copy(struct trm_backend_stream *stream, uint64_t value,
                             const struct trm_copy_desc *desc)
{
    int32_t status = right_copy(stream, value, desc);

    if (status == TRM_OK && desc->size > 4096 && desc->destination.host)
        ((unsigned char *)desc->destination.host)[desc->size - 1] ^= 1;
    return status;
}

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    struct borrowed *bad = borrow(host, "flips-a-bit");

    (void)min_minor;
    (void)max_minor;
    if (bad->stream.copy != flipping_copy)
        right_copy = bad->stream.copy;
    bad->stream.copy = flipping_copy;
    return &bad->backend;
}
