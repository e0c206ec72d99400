/* cpu backend: the ring of operations of a stream.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/stream/ring.h"

#include "backends/cpu/stream/session.h"

#include <sched.h>

#define PAUSE_US 3u /* how long a writer with a full ring waits for the reader at first */
#define LONG_PAUSE_US 50u
#define HELP_SLOTS 128u  /* from this size on, a full ring is run here before it grows */
#define MANY_SLOTS 8192u /* from here on, writers wait LONG_PAUSE_US */

static uint64_t ring_bytes(uint32_t capacity)
{
    return (uint64_t)capacity * sizeof(struct cpu_op);
}

static void ring_release(struct trm_backend_stream *stream, struct cpu_op *slots, uint32_t capacity)
{
    if (slots != stream->first_slots)
        trm_util_release(stream->scheduler->instance->host, slots, ring_bytes(capacity));
}

/* Whether `needed` slots are free, by the position that the reader has reached. */
static bool has_room(struct trm_backend_stream *stream, uint32_t needed)
{
    struct cpu_ring_writer *writer = &stream->writer;
    uint64_t head                  = atomic_load_explicit(&stream->head, memory_order_acquire);
    writer->limit                  = (head > writer->start ? head : writer->start) + writer->capacity;
    return writer->written + needed <= writer->limit;
}

/* Run the cheap operations here, if no other thread runs the stream: that costs less than waking one. */
static void help_quietly(struct trm_backend_stream *stream)
{
    struct cpu_scheduler *scheduler = stream->scheduler;
    struct cpu_session session      = {.scheduler = stream->scheduler,
                                       .token     = cpu_token_acquire(scheduler),
                                       .limit_ns  = CPU_COSTLY_NS,
                                       .is_quiet  = true};
    if (session.token == CPU_NO_TOKEN)
        return;
    if (cpu_stream_claim(stream))
        cpu_session_run(&session, stream);
    cpu_token_release(scheduler, session.token);
}

/* Wait a moment for the reader, longer when much is outstanding, so that a writer of cheap operations goes no
 * faster than they run. Never waits long: a stream that is stuck grows instead. */
static bool wait_for_reader(struct trm_backend_stream *stream, uint32_t needed)
{
    struct cpu_scheduler *scheduler = stream->scheduler;
    uint64_t outstanding = stream->writer.written - atomic_load_explicit(&stream->head, memory_order_relaxed);
    uint64_t us          = outstanding > MANY_SLOTS ? LONG_PAUSE_US : PAUSE_US;
    uint64_t ticks       = us * cpu_clock_rate(&scheduler->instance->clock);
    uint64_t begin       = cpu_ticks();
    cpu_stream_submit(stream);
    while (!has_room(stream, needed)) {
        uint32_t state = atomic_load_explicit(&stream->state, memory_order_relaxed);
        if (state == CPU_STREAM_PARKED || cpu_have_passed(ticks, begin))
            return false;
        if (scheduler->spin_ticks != 0)
            trm_util_relax();
        else if (sched_yield() != 0 || outstanding < MANY_SLOTS)
            return false;
    }
    return true;
}

/* Back-pressure: get room in a full ring without growing it. */
static bool make_room(struct trm_backend_stream *stream, uint32_t needed)
{
    if (stream->writer.capacity < HELP_SLOTS)
        return false;
    help_quietly(stream);
    return has_room(stream, needed) ||
           (stream->writer.capacity == CPU_MOST_SLOTS && wait_for_reader(stream, needed));
}

static uint32_t next_capacity(uint32_t capacity)
{
    if (capacity < CPU_SECOND_SLOTS)
        return CPU_SECOND_SLOTS;
    return capacity < CPU_MOST_SLOTS / 4 ? capacity * 4 : CPU_MOST_SLOTS;
}

/* Continue in a new ring. There is always a free slot for the JUMP. */
static bool grow(struct trm_backend_stream *stream)
{
    struct cpu_ring_writer *writer = &stream->writer;
    uint32_t capacity              = next_capacity(writer->capacity);
    struct cpu_op *slots           = cpu_allocate(stream->scheduler->instance, ring_bytes(capacity));
    if (slots == NULL)
        return false;
    struct cpu_op *jump = writer->slots + writer->index;
    jump->kind          = CPU_OP_JUMP;
    jump->slots         = 1;
    jump->cost          = 0;
    jump->jump.slots    = slots;
    jump->jump.capacity = capacity;
    writer->slots       = slots;
    writer->capacity    = capacity;
    writer->index       = 0;
    writer->written += 1;
    writer->start = writer->written;
    writer->limit = writer->start + capacity;
    return true;
}

/* Slots up to the end of the operation, which must not wrap around, and of a later JUMP. */
static uint32_t slots_needed(const struct cpu_ring_writer *writer, uint32_t slots)
{
    uint32_t room = writer->capacity - writer->index;
    return slots + 1 + (room < slots ? room : 0);
}

struct cpu_op *cpu_ring_reserve_slow(struct trm_backend_stream *stream, uint32_t slots)
{
    struct cpu_ring_writer *writer = &stream->writer;
    uint32_t needed                = slots_needed(writer, slots);
    if (!has_room(stream, needed) && !make_room(stream, needed) && !grow(stream))
        return NULL;
    uint32_t room = writer->capacity - writer->index;
    if (room < slots) {
        struct cpu_op *wrap = writer->slots + writer->index;
        wrap->kind          = CPU_OP_WRAP;
        wrap->slots         = (uint8_t)room;
        wrap->cost          = 0;
        writer->written += room;
        writer->index = 0;
    }
    return writer->slots + writer->index;
}

void cpu_ring_follow_jump(struct trm_backend_stream *stream)
{
    struct cpu_ring_reader *reader = &stream->reader;
    struct cpu_op *old             = reader->slots;
    uint32_t old_capacity          = reader->capacity;
    const struct cpu_op *jump      = cpu_ring_at(reader);
    reader->capacity               = jump->jump.capacity;
    reader->slots                  = jump->jump.slots;
    reader->index                  = 0;
    reader->position += 1;
    ring_release(stream, old, old_capacity);
}

void cpu_ring_fini(struct trm_backend_stream *stream)
{
    struct cpu_ring_reader *reader = &stream->reader;
    /* Only a WRAP or a JUMP can be left, which the writer stores before it commits the operation that
     * follows. */
    while (reader->position != stream->writer.written) {
        const struct cpu_op *op = cpu_ring_at(reader);
        if (op->kind == CPU_OP_JUMP)
            cpu_ring_follow_jump(stream);
        else
            cpu_ring_advance(reader, op);
    }
    ring_release(stream, reader->slots, reader->capacity);
}
