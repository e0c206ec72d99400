/* Graphs: nodes, each one recorded operation.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>
#include <trireme/image_layout.h>

#include "core/graph/graph.h"
#include "core/image/image.h"
#include "core/memory/memory.h"

/* What arguments point to, blocks and the objects of images, follow each other at this alignment. */
#define BLOCK_ALIGNMENT 16u

/* The buffers or images of a copy. */
#define COPY_BUFFERS 2u

/* ---- creating ------------------------------------------------------------------------------ */

static uint64_t aligned(uint64_t size)
{
    return (size + BLOCK_ALIGNMENT - 1) & ~(uint64_t)(BLOCK_ALIGNMENT - 1);
}

/* Takes a cached node of that size, zeroed; may be NULL. */
static struct core_node *take_spare(struct core_node_pool *pool, uint64_t size)
{
    for (uint32_t i = 0; i < CORE_SPARE_NODES; i++) {
        struct core_node *node = pool->spare[i];
        if (node == NULL || node->size != size)
            continue;
        pool->spare[i] = NULL;
        memset(node, 0, size);
        return node;
    }
    return NULL;
}

/* Allocates the node, room for `uses` pointers, then `more` bytes, which begin at *extra. */
static struct core_node *node_create(struct core_node_pool *pool, int32_t kind, uint32_t uses, uint64_t more,
                                     void **extra)
{
    uint64_t head          = aligned(sizeof(struct core_node) + uses * sizeof(struct core_in_flight *));
    struct core_node *node = take_spare(pool, head + more);
    if (node == NULL)
        node = core_allocate(pool->context, head + more);
    if (node == NULL) {
        base_fail_memory("recording an operation into a graph");
        return NULL;
    }
    atomic_init(&node->references, 1);
    node->kind = kind;
    node->size = head + more;
    node->uses = (struct core_in_flight **)(void *)(node + 1);
    if (extra != NULL)
        *extra = (unsigned char *)node + head;
    return node;
}

static int32_t kind_of(const struct trm_copy_desc *desc)
{
    if (desc->source.memory == NULL)
        return CORE_NODE_UPLOAD;
    return desc->destination.memory == NULL ? CORE_NODE_DOWNLOAD : CORE_NODE_COPY;
}

struct core_node *core_node_copy(struct core_node_pool *pool, const struct trm_copy_desc *desc)
{
    struct core_node *node = node_create(pool, kind_of(desc), COPY_BUFFERS, 0, NULL);
    if (node != NULL)
        node->copy = *desc;
    return node;
}

struct core_node *core_node_copy_2d(struct core_node_pool *pool, const struct trm_copy_2d_desc *desc)
{
    struct core_node *node = node_create(pool, CORE_NODE_COPY_2D, COPY_BUFFERS, 0, NULL);
    if (node != NULL)
        node->copy_2d = *desc;
    return node;
}

struct core_node *core_node_fill(struct core_node_pool *pool, const struct trm_fill_desc *desc)
{
    struct core_node *node = node_create(pool, CORE_NODE_FILL, 1, 0, NULL);
    if (node != NULL)
        node->fill = *desc;
    return node;
}

/* Bytes of what an argument points to: an image's layout, where the image is plain memory; a block; an
 * image's objects. */
static uint64_t pointed_bytes(const struct trm_launch_argument *argument)
{
    if (argument->block == NULL)
        return 0;
    if (argument->memory != NULL)
        return sizeof(struct trm_image_layout);
    return argument->size;
}

static uint64_t block_bytes(const struct trm_launch_desc *desc)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < desc->argument_count; i++)
        bytes += aligned(pointed_bytes(&desc->arguments[i]));
    return bytes;
}

struct core_node *core_node_launch(struct core_node_pool *pool, const struct trm_launch_desc *desc,
                                   uint32_t more_uses)
{
    uint32_t count     = desc->argument_count;
    uint64_t arguments = aligned(count * sizeof(struct trm_launch_argument));
    void *extra;

    struct core_node *node = node_create(pool, CORE_NODE_LAUNCH, count * CORE_IMAGE_SETS + more_uses,
                                         arguments + block_bytes(desc), &extra);
    if (node == NULL)
        return NULL;
    struct trm_launch_argument *own = extra;
    unsigned char *block            = (unsigned char *)extra + arguments;
    for (uint32_t i = 0; i < count; i++) {
        own[i] = desc->arguments[i];
        if (own[i].block == NULL)
            continue;
        uint64_t bytes = pointed_bytes(&own[i]);
        memcpy(block, own[i].block, bytes);
        own[i].block = block;
        block += aligned(bytes);
    }
    node->launch           = *desc;
    node->launch.arguments = own;
    return node;
}

/* Like other copies, they use two objects at most; the first is an image. */
struct core_node *core_node_image_copy(struct core_node_pool *pool, const struct trm_image_copy_desc *desc)
{
    struct core_node *node = node_create(pool, CORE_NODE_IMAGE_COPY, COPY_BUFFERS, 0, NULL);
    if (node != NULL)
        node->image_copy = *desc;
    return node;
}

struct core_node *core_node_image_transfer(struct core_node_pool *pool,
                                           const struct trm_image_transfer_desc *desc)
{
    struct core_node *node = node_create(pool, CORE_NODE_IMAGE_TRANSFER, COPY_BUFFERS, 0, NULL);
    if (node != NULL)
        node->image_transfer = *desc;
    return node;
}

struct core_node *core_node_timestamp(struct core_node_pool *pool, struct core_event *event)
{
    struct core_node *node = node_create(pool, CORE_NODE_TIMESTAMP, 0, 0, NULL);
    if (node == NULL)
        return NULL;
    core_object_retain(&event->object);
    node->event = event;
    return node;
}

struct core_node *core_node_empty(struct core_node_pool *pool, const struct core_node *like)
{
    struct core_node *node = node_create(pool, like->kind, 0, 0, NULL);
    if (node == NULL)
        return NULL;
    node->is_empty = true;
    node->kernel   = like->kernel;
    if (node->kernel != NULL)
        core_object_retain(&node->kernel->object);
    return node;
}

/* ---- the end ------------------------------------------------------------------------------- */

void core_node_retain(struct core_node *node)
{
    atomic_fetch_add_explicit(&node->references, 1, memory_order_relaxed);
}

static void node_release(const struct core_node_pool *pool, struct core_node *node)
{
    if (node != NULL)
        core_free(pool->context, node, node->size);
}

void core_node_release(struct core_node_pool *pool, struct core_node *node)
{
    if (node == NULL || atomic_fetch_sub_explicit(&node->references, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; i < node->use_count; i++)
        core_object_leave(node->uses[i]->owner);
    core_object_release(node->kernel != NULL ? &node->kernel->object : NULL);
    core_object_release(node->event != NULL ? &node->event->object : NULL);
    struct core_node **place = &pool->spare[pool->next_spare++ % CORE_SPARE_NODES];
    node_release(pool, *place);
    *place = node;
}

void core_node_pool_fini(struct core_node_pool *pool)
{
    for (uint32_t i = 0; i < CORE_SPARE_NODES; i++) {
        node_release(pool, pool->spare[i]);
        pool->spare[i] = NULL;
    }
}

/* ---- describing ---------------------------------------------------------------------------- */

const char *core_node_text(const struct core_node *node)
{
    static const char *const texts[] = {
        [CORE_NODE_UPLOAD]         = "an upload",
        [CORE_NODE_DOWNLOAD]       = "a download",
        [CORE_NODE_COPY]           = "a copy",
        [CORE_NODE_COPY_2D]        = "a 2D copy",
        [CORE_NODE_FILL]           = "a fill",
        [CORE_NODE_LAUNCH]         = "a launch",
        [CORE_NODE_TIMESTAMP]      = "an event",
        [CORE_NODE_IMAGE_COPY]     = "a copy of an image",
        [CORE_NODE_IMAGE_TRANSFER] = "a copy between images",
    };
    return texts[node->kind];
}

static void count_copy(int32_t kind, uint64_t size, bool is_unified, struct trm_stream_stats *stats)
{
    stats->copies++;
    if (kind != CORE_NODE_UPLOAD && kind != CORE_NODE_DOWNLOAD) {
        stats->bytes_copied += size;
        return;
    }
    if (kind == CORE_NODE_UPLOAD)
        stats->bytes_uploaded += size;
    else
        stats->bytes_downloaded += size;
    stats->pageable_copies += !is_unified;
}

static void count_image(const struct core_node *node, bool is_unified, struct trm_stream_stats *stats)
{
    const struct core_image *image         = base_container_of(node->uses[0], struct core_image, in_flight);
    uint64_t texel                         = trm_format_size(image->desc.format);
    const struct trm_image_copy_desc *copy = &node->image_copy;
    const struct trm_image_transfer_desc *transfer = &node->image_transfer;

    if (node->kind == CORE_NODE_IMAGE_TRANSFER)
        count_copy(CORE_NODE_COPY,
                   texel * transfer->width * transfer->height * transfer->depth * transfer->layers,
                   is_unified, stats);
    else
        count_copy(copy->place.memory != NULL ? CORE_NODE_COPY
                   : copy->to_image           ? CORE_NODE_UPLOAD
                                              : CORE_NODE_DOWNLOAD,
                   texel * copy->width * copy->height * copy->depth * copy->layers, is_unified, stats);
}

void core_node_count(const struct core_node *node, const struct core_device *device,
                     struct trm_stream_stats *stats)
{
    bool is_unified                    = device->limits.unified != 0;
    const struct trm_copy_2d_desc *two = &node->copy_2d;

    if (node->is_empty)
        return;
    stats->operations++;
    if (node->kind == CORE_NODE_LAUNCH)
        stats->launches++;
    else if (node->kind == CORE_NODE_FILL)
        stats->fills++;
    else if (node->kind == CORE_NODE_COPY_2D)
        count_copy(two->source.memory == NULL        ? CORE_NODE_UPLOAD
                   : two->destination.memory == NULL ? CORE_NODE_DOWNLOAD
                                                     : CORE_NODE_COPY,
                   two->width * two->height, is_unified, stats);
    else if (node->kind == CORE_NODE_IMAGE_COPY || node->kind == CORE_NODE_IMAGE_TRANSFER)
        count_image(node, is_unified, stats);
    else if (node->kind != CORE_NODE_TIMESTAMP)
        count_copy(node->kind, node->copy.size, is_unified, stats);
}
