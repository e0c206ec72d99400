/* The frozen sizes of minor 0 of the plugin ABI: what a plugin's tables must at least have. Written
 * as numbers, so that a table that grows later does not raise them. Checked against the header by
 * tests/unit/abi_layout.c.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_OBJECT_ABI_H
#define CORE_OBJECT_ABI_H

#include <stdint.h>
#include <string.h>

#define CORE_ABI_BACKEND 144     /* struct trm_backend */
#define CORE_ABI_HOST 112        /* struct trm_host */
#define CORE_ABI_DEVICE_OPS 40   /* struct trm_device_ops */
#define CORE_ABI_MEMORY_OPS 32   /* struct trm_memory_ops */
#define CORE_ABI_STREAM_OPS 144  /* struct trm_stream_ops */
#define CORE_ABI_MODULE_OPS 56   /* struct trm_module_ops */
#define CORE_ABI_PROFILE_OPS 40  /* struct trm_profile_ops */
#define CORE_ABI_POOL_OPS 48     /* struct trm_pool_ops */
#define CORE_ABI_PEER_OPS 24     /* struct trm_peer_ops */
#define CORE_ABI_GRAPH_OPS 40    /* struct trm_graph_ops */
#define CORE_ABI_INTEROP_OPS 160 /* struct trm_interop_ops */
#define CORE_ABI_RANGE_OPS 32    /* struct trm_range_ops */

/* Structures that begin with struct_size, from and to those who were compiled against another
 * minor. `ours` has its own size in front. */

/* Reads what the caller knows of; the rest is zero. 0 when it is shorter than it ever was. */
static inline int32_t core_struct_take(void *ours, uint32_t our_size, const void *theirs, uint32_t least)
{
    uint32_t size;
    memcpy(&size, theirs, sizeof(size));
    if (size < least)
        return 0;
    memset(ours, 0, our_size);
    memcpy(ours, theirs, size < our_size ? size : our_size);
    memcpy(ours, &our_size, sizeof(our_size));
    return 1;
}

/* Writes what the caller has room for; its struct_size stays, and what we do not know is zero. 0
 * when it is shorter than it ever was. */
static inline int32_t core_struct_give(void *theirs, const void *ours, uint32_t our_size, uint32_t least)
{
    uint32_t size;
    memcpy(&size, theirs, sizeof(size));
    if (size < least)
        return 0;
    memset((char *)theirs + sizeof(size), 0, size - sizeof(size));
    memcpy((char *)theirs + sizeof(size), (const char *)ours + sizeof(size),
           (size < our_size ? size : our_size) - sizeof(size));
    return 1;
}

#endif
