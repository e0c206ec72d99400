/* cpu backend: operations, and the ring of slots that a stream keeps them in.
 *
 * One thread writes (the one that enqueues) and one reads (the one that has claimed the stream). The ring
 * starts with the few slots inside the stream. When it is full, the writer continues in a larger ring and
 * leaves a JUMP in the old one; the reader follows it and releases the old ring. Positions count slots since
 * the stream was created, through all of its rings.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_STREAM_RING_H
#define BACKENDS_CPU_STREAM_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CPU_FIRST_SLOTS 4u
#define CPU_SECOND_SLOTS 32u
#define CPU_MOST_SLOTS 512u

/* An argument block of up to this size lies in the slots behind its launch. */
#define CPU_INLINE_BYTES (3u * 64u)

struct trm_backend_graph;
struct trm_backend_instance;
struct trm_backend_kernel;
struct trm_backend_stamp;
struct trm_backend_stream;

enum cpu_op_kind {
    CPU_OP_COPY,
    CPU_OP_COPY_2D,
    CPU_OP_FILL,
    CPU_OP_LAUNCH,
    CPU_OP_WAIT,
    CPU_OP_GATE,
    CPU_OP_STAMP,
    CPU_OP_GRAPH, /* the operations of a graph, which the graph holds */
    CPU_OP_WRAP,  /* the rest of the ring is empty: continue at its beginning */
    CPU_OP_JUMP,  /* continue in another ring */
};

/* An operation fills one slot, a launch up to four. */
struct cpu_op {
    _Alignas(64) uint64_t value;
    uint8_t kind; /* enum cpu_op_kind */
    uint8_t slots;
    bool has_heap_block; /* of a launch: its argument block is host memory, not in the ring */
    bool is_last;        /* of a graph */
    uint32_t cost;       /* likely nanoseconds; CPU_COST_UNKNOWN */
    union {
        struct {
            uint8_t *destination;
            const uint8_t *source;
            uint64_t size;
        } copy;
        struct {
            uint8_t *destination;
            const uint8_t *source;
            uint64_t destination_pitch, source_pitch;
            uint64_t width, height;
        } copy_2d;
        struct {
            uint8_t *destination;
            uint64_t size;
            uint64_t word; /* the pattern, repeated to 8 bytes */
        } fill;
        struct {
            struct trm_backend_kernel *kernel;
            void *block; /* arguments */
            uint32_t groups[3];
            uint32_t group_size[3];
            uint32_t shared_bytes;
        } launch;
        struct {
            struct trm_backend_stream *other; /* a reference */
            uint64_t value;
        } wait;
        struct {
            struct trm_backend_stamp *stamp;
        } stamp;
        struct {
            struct trm_backend_graph *graph;
        } graph;
        struct {
            struct cpu_op *slots;
            uint32_t capacity;
        } jump;
    };
};

_Static_assert(sizeof(struct cpu_op) == 64, "an operation is one cache line");

#define CPU_COST_UNKNOWN UINT32_MAX

struct cpu_ring_writer {
    struct cpu_op *slots;
    uint16_t capacity, index;
    uint32_t spare;   /* references of the stream's `spare_of`, for its next WAITs */
    uint64_t start;   /* position of the ring's first slot */
    uint64_t limit;   /* positions below are free to write, as far as the writer knows */
    uint64_t written; /* position of the next slot */
};

struct cpu_ring_reader {
    struct cpu_op *slots;
    uint32_t capacity;
    uint32_t index;
    uint64_t position;
};

/* Make room for an operation of `slots` slots. NULL: no memory. The reader sees nothing before the commit. */
struct cpu_op *cpu_ring_reserve_slow(struct trm_backend_stream *stream, uint32_t slots);

static inline struct cpu_op *cpu_ring_at(struct cpu_ring_reader *reader)
{
    return reader->slots + reader->index;
}

/* Advance past an operation. */
static inline void cpu_ring_advance(struct cpu_ring_reader *reader, const struct cpu_op *op)
{
    reader->position += op->slots;
    reader->index += op->slots;
    if (reader->index == reader->capacity)
        reader->index = 0;
}

/* Advance past a JUMP, and release the ring that it was in. */
void cpu_ring_follow_jump(struct trm_backend_stream *stream);

/* Release the rings of a stream that has no operations left. */
void cpu_ring_fini(struct trm_backend_stream *stream);

#endif
