/* See table.h.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "pipeline/collective/table.h"

#define GROUP_ITEMS 256u
/* Rows of a table. */
#define ROWS 512u
/* Groups of a launch, where the device does not allow fewer: items are counted in 32 bits. */
#define MOST_GROUPS (UINT64_C(1) << 22)
/* Buffers that a table names; those of a row fit in. */
#define HELD 2048u
#define HELD_AT_ONCE 64u
/* Words of a row of copies. */
#define COPY_WORDS 7u

/* ---- memory --------------------------------------------------------------------------------- */

static void memory_fini(struct pipeline_table_memory *memory)
{
    trm_buffer_destroy(memory->host);
    trm_buffer_destroy(memory->device);
    *memory = (struct pipeline_table_memory){NULL, NULL};
}

void pipeline_tables_fini(struct pipeline_collective *collective, struct pipeline_tables *tables)
{
    for (uint32_t i = 0; i < PIPELINE_TABLES; i++)
        memory_fini(&tables->memories[i]);
    core_free(collective->object.context, tables->held, HELD * sizeof(struct trm_buffer *));
    trm_kernel_destroy(tables->copier);
}

static uint64_t table_bytes(const struct pipeline_collective *collective)
{
    uint64_t words = 2 + 2 * 2 * (uint64_t)collective->devices;

    return ROWS * sizeof(uint32_t) * (words > COPY_WORDS ? words : COPY_WORDS);
}

static int32_t memory_init(struct pipeline_table_memory *memory, const struct pipeline_collective *collective,
                           uint32_t device)
{
    struct trm_device *held = collective->group->held[device];
    uint64_t bytes          = table_bytes(collective);

    int32_t status = trm_buffer_create(held, TRM_MEMORY_PINNED, bytes, &memory->host);
    if (status == TRM_OK && collective->group->devices[device]->limits.unified == 0)
        status = trm_buffer_create(held, TRM_MEMORY_DEVICE, bytes, &memory->device);
    if (status == TRM_OK)
        return TRM_OK;
    struct base_saved_error saved;
    base_error_save(&saved);
    memory_fini(memory);
    base_error_restore(&saved);
    return status;
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* Gets the first memory for tables, once. */
static bool has_memory(struct pipeline_collective *collective, uint32_t device)
{
    struct pipeline_tables *tables       = &collective->tables[device];
    struct pipeline_table_memory *memory = &tables->memories[0];

    if (tables->held == NULL)
        tables->held = core_allocate(collective->object.context, HELD * sizeof(struct trm_buffer *));
    if (memory->host == NULL && !tables->has_no_memory && memory_init(memory, collective, device) != TRM_OK) {
        tables->has_no_memory = base_last_status() == TRM_ERROR_UNSUPPORTED;
        base_error_clear();
    }
    return memory->host != NULL && tables->held != NULL;
}

static bool all_have_memory(struct pipeline_collective *collective)
{
    for (uint32_t d = 0; d < collective->devices; d++)
        if (!has_memory(collective, d))
            return false;
    return true;
}

bool pipeline_table_load(struct pipeline_collective *collective, const struct pipeline_call *call)
{
    char name[32];
    int32_t type                     = pipeline_reduce_index(call->type);
    struct trm_group_kernel **kernel = &collective->table_kernels[type];

    if (!collective->has_addresses || !all_have_memory(collective))
        return false;
    if ((collective->asked_table_kernels >> type & 1) != 0)
        return *kernel != NULL;
    snprintf(name, sizeof(name), "reduce_table_%s", trm_type_name(call->type));
    int32_t status = trm_group_kernel_named(collective->group_held, name, NULL, 0, kernel);
    if (status == TRM_OK || status == TRM_ERROR_UNSUPPORTED)
        collective->asked_table_kernels |= 1u << type;
    if (status == TRM_OK)
        return true;
    core_log(collective->object.context, TRM_LOG_DEBUG, "%s has a launch for each span: %s", call->name,
             trm_last_error().sentence);
    base_error_clear();
    return false;
}

struct trm_kernel *pipeline_table_copier(struct pipeline_collective *collective, uint32_t device)
{
    struct pipeline_tables *tables = &collective->tables[device];
    int32_t status                 = TRM_OK;

    if (!tables->is_copier_asked)
        status = trm_kernel_named(collective->group->held[device], "copy_table", NULL, 0, &tables->copier);
    if (status == TRM_OK || status == TRM_ERROR_UNSUPPORTED)
        tables->is_copier_asked = true;
    if (status != TRM_OK) {
        core_log(collective->object.context, TRM_LOG_DEBUG, "%s has a copy for each span: %s",
                 collective->group->devices[device]->id, trm_last_error().sentence);
        base_error_clear();
    }
    return has_memory(collective, device) ? tables->copier : NULL;
}

/* ---- a table's memory ----------------------------------------------------------------------- */

static bool is_idle(struct trm_buffer *handle)
{
    struct core_buffer *buffer = core_buffer_find(handle);
    return buffer == NULL || core_in_flight_is_done(&buffer->in_flight);
}

/* Finds memory that no launch uses: the collective's own, else some for this table. It never waits: what the
 * launches stand behind may be something that the program does after the call. */
static int32_t find_memory(struct pipeline_table *table)
{
    struct pipeline_tables *tables = &table->collective->tables[table->device];
    int32_t status                 = TRM_OK;

    table->held = tables->held;
    for (uint32_t i = 0; i < PIPELINE_TABLES && table->memory.host == NULL; i++) {
        struct pipeline_table_memory *memory = &tables->memories[i];
        if (memory->host == NULL)
            status = memory_init(memory, table->collective, table->device);
        if (status != TRM_OK)
            return status;
        table->is_lent = true;
        if (is_idle(memory->host) && is_idle(memory->device))
            table->memory = *memory;
    }
    if (table->memory.host == NULL) {
        table->is_lent = false;
        status         = memory_init(&table->memory, table->collective, table->device);
    }
    struct core_buffer *host = status == TRM_OK ? core_buffer_find(table->memory.host) : NULL;
    if (status == TRM_OK && (host == NULL || host->host == NULL))
        return base_fail(TRM_ERROR_INTERNAL, "pinned memory has no address for the host");
    table->words = host != NULL ? (uint32_t *)(void *)host->host : NULL;
    return status;
}

static int32_t get_memory(struct pipeline_table *table)
{
    int32_t status = find_memory(table);

    table->is_memory_lacking = status == TRM_ERROR_OUT_OF_DEVICE_MEMORY ||
                               status == TRM_ERROR_OUT_OF_HOST_MEMORY || status == TRM_ERROR_UNSUPPORTED;
    return status;
}

static void drop_memory(struct pipeline_table *table)
{
    if (!table->is_lent)
        memory_fini(&table->memory);
    table->memory = (struct pipeline_table_memory){NULL, NULL};
    table->words  = NULL;
    table->rows   = 0;
    table->groups = 0;

    table->held_count = 0;
    memset(table->last, 0, sizeof(table->last));
}

/* ---- a launch ------------------------------------------------------------------------------- */

/* The launch keeps what its rows name. */
static void hold_buffers(const struct pipeline_table *table)
{
    struct core_in_flight *sets[HELD_AT_ONCE];
    struct core_stream *stream = core_stream_find(table->stream);
    uint32_t count             = 0;

    for (uint32_t i = 0; stream != NULL && i < table->held_count; i++) {
        struct core_buffer *buffer = core_buffer_find(table->held[i]);
        sets[count++]              = buffer != NULL ? &buffer->in_flight : NULL;
        if (count < HELD_AT_ONCE && i + 1 < table->held_count)
            continue;
        core_in_flight_add_each(sets, count, stream, core_stream_next(stream) - 1);
        count = 0;
    }
}

static int32_t launch(const struct pipeline_table *table, struct trm_span span)
{
    bool is_average                       = table->call->operation == TRM_REDUCE_AVERAGE;
    struct trm_grid grid                  = trm_grid_1d(table->groups, 0);
    const struct trm_argument arguments[] = {
        trm_arg_span(span),
        trm_arg_u32(table->rows),
        trm_arg_u32(table->source_count),
        trm_arg_u32(table->target_count),
        trm_arg_u32(is_average ? 0 : (uint32_t)table->call->operation),
        trm_arg_u32(is_average ? table->call->devices : 1),
    };

    return trm_launch(table->stream, table->kernel, &grid, arguments, table->source_count == 0 ? 2 : 6);
}

int32_t pipeline_table_flush(struct pipeline_table *table)
{
    uint64_t bytes       = (uint64_t)table->rows * table->stride * sizeof(uint32_t);
    struct trm_span span = trm_span_of(table->memory.host, 0, bytes);
    int32_t status       = TRM_OK;

    if (table->rows == 0)
        return TRM_OK;
    if (table->memory.device != NULL) {
        span   = trm_span_of(table->memory.device, 0, bytes);
        status = trm_copy(table->stream, span, trm_span_of(table->memory.host, 0, bytes));
    }
    if (status == TRM_OK)
        status = launch(table, span);
    if (status == TRM_OK)
        hold_buffers(table);
    drop_memory(table);
    return status;
}

void pipeline_table_fini(struct pipeline_table *table)
{
    struct base_saved_error saved;

    base_error_save(&saved);
    drop_memory(table);
    base_error_restore(&saved);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* False where the kernel does not take the span. */
static bool find_address(const struct pipeline_table *table, struct trm_span span, uint64_t *address)
{
    struct core_buffer *buffer = core_buffer_find(span.buffer);
    uint64_t begin             = 0;

    if (buffer == NULL || core_buffer_find_address(buffer, &begin) != TRM_OK) {
        base_error_clear();
        return false;
    }
    *address = begin + span.offset;
    return *address % table->call->element == 0;
}

/* What a row that could not be begun means for its task, of which `done` is in rows. Where only the memory
 * for a table is lacking, the task may go without: then it is not taken. */
static int32_t refuse(struct pipeline_table *table, int32_t status, uint64_t done, bool *is_taken)
{
    if (!table->is_memory_lacking || table->is_needed || done != 0)
        return status;
    table->is_memory_lacking = false;
    *is_taken                = false;
    core_log(table->collective->object.context, TRM_LOG_DEBUG, "%s goes without a table: %s",
             table->call->name, trm_last_error().sentence);
    base_error_clear();
    return TRM_OK;
}

static void write_address(uint32_t **word, uint64_t address)
{
    *(*word)++ = (uint32_t)address;
    *(*word)++ = (uint32_t)(address >> 32);
}

/* Starts a row for so many items, of which `taken` gets how many it has. Launches the table that it does
 * not fit in. `word` gets the place behind the numbers that all rows begin with. */
static int32_t begin_row(struct pipeline_table *table, uint64_t items, uint64_t *taken, uint32_t **word)
{
    uint64_t groups = (items + GROUP_ITEMS - 1) / GROUP_ITEMS;
    int32_t status  = TRM_OK;

    groups = groups < table->groups_most ? groups : table->groups_most;
    if (table->rows == ROWS || table->groups + groups > table->groups_most ||
        table->held_count + 2 * PIPELINE_DEVICES > HELD)
        status = pipeline_table_flush(table);
    if (status == TRM_OK && table->words == NULL)
        status = get_memory(table);
    if (status != TRM_OK)
        return status;
    *taken        = items < groups * GROUP_ITEMS ? items : groups * GROUP_ITEMS;
    uint32_t *row = table->words + (uint64_t)table->rows * table->stride;
    row[0]        = table->groups;
    row[1]        = (uint32_t)*taken;
    *word         = row + 2;
    table->rows++;
    table->groups += (uint32_t)groups;
    return TRM_OK;
}

/* Span `place` of a row is in this buffer. Many rows may name the same one there. */
static void hold(struct pipeline_table *table, uint32_t place, struct trm_buffer *buffer)
{
    if (table->last[place] != buffer)
        table->held[table->held_count++] = buffer;
    table->last[place] = buffer;
}

int32_t pipeline_table_add_copy(struct pipeline_table *table, struct trm_span target, struct trm_span source,
                                bool *is_taken)
{
    uint64_t to = 0, from = 0, taken = 0;
    uint32_t *word = NULL;

    *is_taken = find_address(table, target, &to) && find_address(table, source, &from);
    for (uint64_t done = 0; *is_taken && done < source.length;) {
        uint64_t left  = source.length - done;
        uint32_t whole = (to | from) % 16 == 0 && left >= 16 ? 16 : (to | from) % 4 == 0 && left >= 4 ? 4 : 1;
        int32_t status = begin_row(table, left / whole, &taken, &word);
        if (status != TRM_OK)
            return refuse(table, status, 0, is_taken); /* what is in rows may be copied twice */
        *word++ = whole;
        write_address(&word, from);
        write_address(&word, to);
        hold(table, 0, source.buffer);
        hold(table, 1, target.buffer);
        done += taken * whole;
        from += taken * whole;
        to += taken * whole;
    }
    return TRM_OK;
}

static struct trm_span span_of(const struct pipeline_task_range *task, uint32_t place)
{
    return place < task->source_count ? task->sources[place] : task->targets[place - task->source_count];
}

int32_t pipeline_table_add_task(struct pipeline_table *table, const struct pipeline_task_range *task,
                                bool *is_taken)
{
    uint64_t addresses[2 * PIPELINE_DEVICES], elements = task->bytes / table->call->element, taken = 0;
    uint32_t count = task->source_count + task->target_count, *word = NULL;

    if (table->source_count == 0)
        return pipeline_table_add_copy(table, task->targets[0], task->sources[0], is_taken);
    *is_taken = true;
    for (uint32_t i = 0; *is_taken && i < count; i++)
        *is_taken = find_address(table, span_of(task, i), &addresses[i]);
    for (uint64_t done = 0; *is_taken && done < elements; done += taken) {
        int32_t status = begin_row(table, elements - done, &taken, &word);
        if (status != TRM_OK)
            return refuse(table, status, done, is_taken);
        for (uint32_t i = 0; i < count; i++) {
            write_address(&word, addresses[i] + done * table->call->element);
            hold(table, i, span_of(task, i).buffer);
        }
    }
    return TRM_OK;
}

/* ---- starting ------------------------------------------------------------------------------- */

static void init(struct pipeline_table *table, struct pipeline_collective *collective,
                 const struct pipeline_call *call, uint32_t device, struct trm_stream *stream)
{
    uint64_t groups = collective->group->devices[device]->limits.max_groups[0];

    *table             = (struct pipeline_table){.collective = collective, .call = call};
    table->device      = device;
    table->stream      = stream;
    table->groups_most = (uint32_t)(groups < MOST_GROUPS ? groups : MOST_GROUPS);
}

int32_t pipeline_table_init_reduce(struct pipeline_table *table, struct pipeline_collective *collective,
                                   const struct pipeline_call *call, const struct pipeline_task_range *task,
                                   struct trm_stream *stream)
{
    init(table, collective, call, task->device, stream);
    table->source_count = task->source_count;
    table->target_count = task->target_count;
    table->stride       = 2 + 2 * (task->source_count + task->target_count);
    return trm_group_kernel_get(collective->table_kernels[pipeline_reduce_index(call->type)], task->device,
                                &table->kernel);
}

void pipeline_table_init_copy(struct pipeline_table *table, struct pipeline_collective *collective,
                              const struct pipeline_call *call, uint32_t device, struct trm_stream *stream)
{
    init(table, collective, call, device, stream);
    table->stride = COPY_WORDS;
    table->kernel = pipeline_table_copier(collective, device);
}
