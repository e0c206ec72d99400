/* The plugin ABI: the sizes of its tables, and copies of structures that cross it or the API.
 *
 * The sizes are those of minor 0, the least that a plugin's tables may have. They are numbers, so that a
 * table that grows later does not raise them; tests/unit/core/plugin/abi_layout.c checks them against the
 * header.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_OBJECT_ABI_H
#define CORE_OBJECT_ABI_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define CORE_ABI_BACKEND 144       /* struct trm_backend */
#define CORE_ABI_HOST 112          /* struct trm_host */
#define CORE_ABI_DEVICE_OPS 40     /* struct trm_device_ops */
#define CORE_ABI_MEMORY_OPS 32     /* struct trm_memory_ops */
#define CORE_ABI_STREAM_OPS 144    /* struct trm_stream_ops */
#define CORE_ABI_MODULE_OPS 56     /* struct trm_module_ops */
#define CORE_ABI_PROFILE_OPS 40    /* struct trm_profile_ops */
#define CORE_ABI_POOL_OPS 48       /* struct trm_pool_ops */
#define CORE_ABI_PEER_OPS 24       /* struct trm_peer_ops */
#define CORE_ABI_GRAPH_OPS 40      /* struct trm_graph_ops */
#define CORE_ABI_INTEROP_OPS 160   /* struct trm_interop_ops */
#define CORE_ABI_RANGE_OPS 32      /* struct trm_range_ops */
#define CORE_ABI_IMAGE_OPS 64      /* struct trm_image_ops, of minor 2 */
#define CORE_ABI_RESIDENT_OPS 24   /* struct trm_resident_ops, of minor 4 */
#define CORE_ABI_COLLECTIVE_OPS 40 /* struct trm_collective_ops, of minor 6 */

/* Copies of structures that begin with struct_size, from and to code that was compiled against another
 * minor version. `ours` has our size in its struct_size. */

/* Copies what the caller's structure has; the rest of `ours` becomes zero. False when it is smaller than
 * `least`, the size of its first version. */
static inline bool core_struct_copy_in(void *ours, uint32_t our_size, const void *theirs, uint32_t least)
{
    uint32_t size;
    memcpy(&size, theirs, sizeof(size));
    if (size < least)
        return false;
    memset(ours, 0, our_size);
    memcpy(ours, theirs, size < our_size ? size : our_size);
    memcpy(ours, &our_size, sizeof(our_size));
    return true;
}

/* Copies what the caller's structure has room for; its struct_size stays, and members that we do not know
 * become zero. False when it is smaller than `least`. */
static inline bool core_struct_copy_out(void *theirs, const void *ours, uint32_t our_size, uint32_t least)
{
    uint32_t size;
    memcpy(&size, theirs, sizeof(size));
    if (size < least)
        return false;
    memset((char *)theirs + sizeof(size), 0, size - sizeof(size));
    memcpy((char *)theirs + sizeof(size), (const char *)ours + sizeof(size),
           (size < our_size ? size : our_size) - sizeof(size));
    return true;
}

#endif
