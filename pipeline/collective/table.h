/* Tables of addresses: one launch for many small spans.
 *
 * A row names ranges of one length by their addresses: what is read, and what is written. A launch does a
 * whole table; its groups find their rows (shaders/common/table_row.glsl). Rows are written to pinned memory,
 * from which a copy in the stream's order takes them to the device where it does not share the memory of the
 * host.
 *
 * A table is opened by its first row and launched when it is full or ends. The launch keeps the memory of
 * the spans that its rows are made of.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_COLLECTIVE_TABLE_H
#define PIPELINE_COLLECTIVE_TABLE_H

#include "pipeline/collective/collective.h"

/* Larger ranges have launches or copies of their own: these take so long that nothing is gained by having
 * fewer, and the kernels for spans read more at once. */
#define PIPELINE_TABLE_REDUCE_BYTES (UINT64_C(1) << 20)
#define PIPELINE_TABLE_COPY_BYTES (UINT64_C(256) << 10)
/* The same for a cpu, where a launch takes half a microsecond and kernels for spans are vectorized better. */
#define PIPELINE_TABLE_CPU_BYTES (UINT64_C(16) << 10)

/* A table under construction, for one stream of one device. */
struct pipeline_table {
    struct pipeline_collective *collective;
    const struct pipeline_call *call;
    struct trm_stream *stream;
    struct trm_kernel *kernel;
    uint32_t source_count, target_count; /* of a row; 0: a table of copies */
    uint32_t device;
    uint32_t stride;      /* words of a row */
    uint32_t groups_most; /* of a launch */
    /* The rows so far. */
    uint32_t rows, groups;
    uint32_t *words;                               /* NULL: not open */
    struct trm_buffer **held;                      /* which they name; of the device's tables */
    struct trm_buffer *last[2 * PIPELINE_DEVICES]; /* the last row's */
    uint32_t held_count;
    struct pipeline_table_memory memory;
    bool is_lent;           /* `memory` is the collective's, else the table's own */
    bool is_needed;         /* kernels do not take the task that is being added otherwise */
    bool is_memory_lacking; /* no table could be opened */
};

/* Loads the kernel that combines elements of a call's type; true if all devices have it. */
bool pipeline_table_load(struct pipeline_collective *collective, const struct pipeline_call *call);

/* The device's kernel that copies; NULL where it cannot be had. */
struct trm_kernel *pipeline_table_copier(struct pipeline_collective *collective, uint32_t device);

/* Starts a table without rows, on the stream of the call's device or another one: of tasks that combine... */
int32_t pipeline_table_init_reduce(struct pipeline_table *table, struct pipeline_collective *collective,
                                   const struct pipeline_call *call, const struct pipeline_task_range *task,
                                   struct trm_stream *stream);
/* ...or of copies. */
void pipeline_table_init_copy(struct pipeline_table *table, struct pipeline_collective *collective,
                              const struct pipeline_call *call, uint32_t device, struct trm_stream *stream);

/* Adds a task, or a copy, unless a span has no address that the kernel takes, or there is no memory for a
 * table: then `is_taken` gets false. */
int32_t pipeline_table_add_task(struct pipeline_table *table, const struct pipeline_task_range *task,
                                bool *is_taken);
int32_t pipeline_table_add_copy(struct pipeline_table *table, struct trm_span target, struct trm_span source,
                                bool *is_taken);

/* Launches what is left. */
int32_t pipeline_table_flush(struct pipeline_table *table);
/* Drops what was not launched, and keeps the last error. */
void pipeline_table_fini(struct pipeline_table *table);

void pipeline_tables_fini(struct pipeline_collective *collective, struct pipeline_tables *tables);

#endif
