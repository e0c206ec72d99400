/* cpu backend: writing operations into the ring of a stream. One thread at a time does this.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/stream/graph.h"
#include "backends/cpu/stream/launch.h"

#include <string.h>

/* The cost at which a batch is submitted. Waking a sleeping worker costs a few microseconds, so a batch is
 * worth that. A worker that is awake does not get the batch sooner: operations on the same data run best on
 * one processor. */
#define BATCH_NS 20000u

#define CHEAP_NS 20u
#define BYTES_PER_NS 16u
#define BLOCK_HEADER 16u /* in front of an argument block in host memory: its size */

static uint32_t bytes_cost(uint64_t bytes)
{
    uint64_t ns = bytes / BYTES_PER_NS + CHEAP_NS;
    return ns < CPU_COST_UNKNOWN - 1 ? (uint32_t)ns : CPU_COST_UNKNOWN - 1;
}

static struct cpu_op *reserve(struct trm_backend_stream *stream, uint32_t slots)
{
    struct cpu_ring_writer *writer = &stream->writer;
    if (writer->written + slots < writer->limit && writer->index + slots <= writer->capacity)
        return writer->slots + writer->index;
    struct cpu_op *op = cpu_ring_reserve_slow(stream, slots);
    if (op == NULL)
        trm_util_fail_host_memory(stream->scheduler->instance->host, "the operations of a stream");
    return op;
}

static bool is_worth_submitting(const struct trm_backend_stream *stream)
{
    return stream->batch_ns >= BATCH_NS;
}

/* A thread that waited may have run a part of the batch already. */
static void subtract_finished(struct trm_backend_stream *stream)
{
    uint64_t pending = stream->writer.written - atomic_load_explicit(&stream->head, memory_order_relaxed);
    if (pending >= stream->batch_slots)
        return;
    stream->batch_ns    = (uint32_t)(stream->batch_ns * pending / stream->batch_slots);
    stream->batch_slots = (uint32_t)pending;
}

/* Add the last operation to the batch. True when the batch is to be submitted. */
static bool add_to_batch(struct trm_backend_stream *stream, uint32_t slots, uint32_t cost)
{
    stream->batch_slots += slots;
    if (__builtin_add_overflow(stream->batch_ns, cost, &stream->batch_ns))
        stream->batch_ns = UINT32_MAX;
    if (!is_worth_submitting(stream))
        return false;
    subtract_finished(stream);
    return is_worth_submitting(stream);
}

static int32_t commit(struct trm_backend_stream *stream, struct cpu_op *op, uint64_t value, uint32_t slots,
                      uint32_t cost)
{
    struct cpu_ring_writer *writer = &stream->writer;
    op->value                      = value;
    op->slots                      = (uint8_t)slots;
    op->cost                       = cost;
    writer->written += slots;
    writer->index += slots;
    if (writer->index == writer->capacity)
        writer->index = 0;
    atomic_store_explicit(&stream->tail, writer->written, memory_order_release);
    if (add_to_batch(stream, slots, cost)) {
        stream->batch_slots = 0;
        stream->batch_ns    = 0;
        cpu_stream_submit(stream);
    }
    return TRM_OK;
}

static uint8_t *address_of(const struct trm_place *where)
{
    return where->memory ? where->memory->data + where->offset : where->host;
}

/* ---- encoding */

inline uint32_t cpu_encode_copy(struct cpu_op *op, const struct trm_copy_desc *desc)
{
    op->kind             = CPU_OP_COPY;
    op->copy.destination = address_of(&desc->destination);
    op->copy.source      = address_of(&desc->source);
    op->copy.size        = desc->size;
    return bytes_cost(desc->size);
}

inline uint32_t cpu_encode_copy_2d(struct cpu_op *op, const struct trm_copy_2d_desc *desc)
{
    op->kind                      = CPU_OP_COPY_2D;
    op->copy_2d.destination       = address_of(&desc->destination);
    op->copy_2d.source            = address_of(&desc->source);
    op->copy_2d.destination_pitch = desc->destination_pitch;
    op->copy_2d.source_pitch      = desc->source_pitch;
    op->copy_2d.width             = desc->width;
    op->copy_2d.height            = desc->height;
    return bytes_cost(desc->width * desc->height);
}

inline uint32_t cpu_encode_fill(struct cpu_op *op, const struct trm_fill_desc *desc)
{
    op->kind             = CPU_OP_FILL;
    op->fill.destination = desc->memory->data + desc->offset;
    op->fill.size        = desc->size;
    op->fill.word        = cpu_pattern_word(desc->pattern, desc->pattern_size);
    return bytes_cost(desc->size);
}

inline uint32_t cpu_encode_stamp(struct cpu_op *op, struct trm_backend_stamp *stamp)
{
    op->kind        = CPU_OP_STAMP;
    op->stamp.stamp = stamp;
    return CHEAP_NS;
}

/* The block that the kernel reads: the arguments in order, each at its natural alignment. */
static void write_block(uint8_t *block, const struct trm_launch_argument *arguments, uint32_t count)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct trm_launch_argument *argument = &arguments[i];
        if (argument->kind == TRM_PARAMETER_SCALAR) {
            offset = cpu_argument_offset(offset, argument->size);
            memcpy(block + offset, &argument->scalar, argument->size);
            offset += argument->size;
            continue;
        }
        if (argument->kind == TRM_PARAMETER_BLOCK) {
            offset = cpu_argument_offset(offset, CPU_BLOCK_ALIGNMENT);
            memcpy(block + offset, argument->block, argument->size);
            offset += argument->size;
            continue;
        }
        /* An image, a sampler and a texel buffer are two words like a buffer: an address and a state. */
        struct trm_backend_memory *memory = argument->memory;
        uint64_t second = argument->kind == TRM_PARAMETER_BUFFER ? argument->size : argument->scalar;
        struct trm_cpu_buffer buffer = {memory ? memory->data + argument->offset : NULL, second};
        offset                       = cpu_argument_offset(offset, _Alignof(struct trm_cpu_buffer));
        memcpy(block + offset, &buffer, sizeof(buffer));
        offset += sizeof(buffer);
    }
}

inline uint32_t cpu_encode_launch(struct cpu_op *op, const struct trm_launch_desc *desc, uint8_t *block)
{
    op->kind                = CPU_OP_LAUNCH;
    op->launch.kernel       = desc->kernel;
    op->launch.block        = block;
    op->launch.shared_bytes = desc->shared_bytes;
    memcpy(op->launch.groups, desc->groups, sizeof(op->launch.groups));
    memcpy(op->launch.group_size, desc->group_size, sizeof(op->launch.group_size));
    write_block(block, desc->arguments, desc->argument_count);
    return cpu_launch_cost(desc->kernel, op);
}

/* ---- operations */

int32_t cpu_enqueue_copy(struct trm_backend_stream *stream, uint64_t value, const struct trm_copy_desc *desc)
{
    if (cpu_stream_failure(stream) != NULL)
        return cpu_stream_report_failure(stream);
    struct cpu_op *op = reserve(stream, 1);
    if (op == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    return commit(stream, op, value, 1, cpu_encode_copy(op, desc));
}

int32_t cpu_enqueue_copy_2d(struct trm_backend_stream *stream, uint64_t value,
                            const struct trm_copy_2d_desc *desc)
{
    if (cpu_stream_failure(stream) != NULL)
        return cpu_stream_report_failure(stream);
    struct cpu_op *op = reserve(stream, 1);
    if (op == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    return commit(stream, op, value, 1, cpu_encode_copy_2d(op, desc));
}

int32_t cpu_enqueue_fill(struct trm_backend_stream *stream, uint64_t value, const struct trm_fill_desc *desc)
{
    if (cpu_stream_failure(stream) != NULL)
        return cpu_stream_report_failure(stream);
    struct cpu_op *op = reserve(stream, 1);
    if (op == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    return commit(stream, op, value, 1, cpu_encode_fill(op, desc));
}

/* A block in host memory has its size in front, so that it can be released after its kernel is gone. */
static uint8_t *allocate_block(struct trm_backend_stream *stream, uint64_t bytes)
{
    uint64_t size  = bytes + BLOCK_HEADER;
    uint8_t *block = cpu_allocate(stream->scheduler->instance, size);
    if (block == NULL)
        return NULL;
    memcpy(block, &size, sizeof(size));
    return block + BLOCK_HEADER;
}

static void release_block(struct trm_backend_stream *stream, uint8_t *block)
{
    uint64_t size;
    memcpy(&size, block - BLOCK_HEADER, sizeof(size));
    trm_util_release(stream->scheduler->instance->host, block - BLOCK_HEADER, size);
}

int32_t cpu_enqueue_launch(struct trm_backend_stream *stream, uint64_t value,
                           const struct trm_launch_desc *desc)
{
    struct trm_backend_kernel *kernel = desc->kernel;
    uint64_t bytes                    = kernel->block_size;
    bool needs_heap                   = bytes > CPU_INLINE_BYTES;
    uint32_t slots                    = needs_heap ? 1 : 1 + (uint32_t)(bytes + 63) / 64;
    uint8_t *block                    = NULL;
    if (cpu_stream_failure(stream) != NULL)
        return cpu_stream_report_failure(stream);
    if (needs_heap && (block = allocate_block(stream, bytes)) == NULL)
        return trm_util_fail_host_memory(stream->scheduler->instance->host, "the arguments of a launch");
    struct cpu_op *op = reserve(stream, slots);
    if (op == NULL) {
        if (needs_heap)
            release_block(stream, block);
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    }
    op->has_heap_block = needs_heap;
    return commit(stream, op, value, slots,
                  cpu_encode_launch(op, desc, needs_heap ? block : (uint8_t *)(op + 1)));
}

int32_t cpu_enqueue_wait(struct trm_backend_stream *stream, uint64_t value, struct trm_backend_stream *other,
                         uint64_t other_value)
{
    if (cpu_stream_failure(stream) != NULL)
        return cpu_stream_report_failure(stream);
    struct cpu_op *op = reserve(stream, 1);
    if (op == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    cpu_stream_retain_other(stream, other);
    op->wait.other = other;
    op->wait.value = other_value;
    op->kind       = CPU_OP_WAIT;
    return commit(stream, op, value, 1, CHEAP_NS);
}

int32_t cpu_enqueue_gate(struct trm_backend_stream *stream, uint64_t value)
{
    if (cpu_stream_failure(stream) != NULL)
        return cpu_stream_report_failure(stream);
    struct cpu_op *op = reserve(stream, 1);
    if (op == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    op->kind = CPU_OP_GATE;
    return commit(stream, op, value, 1, CHEAP_NS);
}

int32_t cpu_enqueue_stamp(struct trm_backend_stream *stream, uint64_t value, struct trm_backend_stamp *stamp)
{
    if (cpu_stream_failure(stream) != NULL)
        return cpu_stream_report_failure(stream);
    struct cpu_op *op = reserve(stream, 1);
    if (op == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    return commit(stream, op, value, 1, cpu_encode_stamp(op, stamp));
}

int32_t cpu_enqueue_graph(struct trm_backend_stream *stream, uint64_t value, struct trm_backend_graph *graph)
{
    if (cpu_stream_failure(stream) != NULL)
        return cpu_stream_report_failure(stream);
    struct cpu_op *op = reserve(stream, 1);
    if (op == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    op->kind        = CPU_OP_GRAPH;
    op->graph.graph = graph;
    return commit(stream, op, value, 1, cpu_graph_cost(graph));
}

void cpu_operation_release(struct trm_backend_stream *stream, const struct cpu_op *op)
{
    if (op->kind == CPU_OP_WAIT)
        cpu_stream_release_other(stream, op->wait.other);
    else if (op->kind == CPU_OP_LAUNCH && op->has_heap_block)
        release_block(stream, op->launch.block);
}
