/* The parts of a group's buffer.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/group/data.h"
#include "base/base.h"
#include "core/object/object.h"

/* So few parts are not worth a look for equal neighbours. */
#define MERGE_LEAST 16u

void pipeline_data_init(struct pipeline_data *data, uint64_t size, uint32_t current)
{
    *data = (struct pipeline_data){
        .size = size, .count = 1, .merge_at = MERGE_LEAST, .first = {.end = size, .current = current}};
}

/* Frees the successor of a part, which takes its place. */
static void absorb(const struct core_context *context, struct pipeline_data *data,
                   struct pipeline_data_part *part)
{
    struct pipeline_data_part *next = part->next;
    part->end                       = next->end;
    part->next                      = next->next;
    pipeline_part_fini(context, next);
    core_free(context, next, sizeof(*next));
    data->count--;
}

void pipeline_data_fini(const struct core_context *context, struct pipeline_data *data)
{
    while (data->first.next != NULL)
        absorb(context, data, &data->first);
    pipeline_part_fini(context, &data->first);
}

struct pipeline_data_part *pipeline_data_at(struct pipeline_data *data, uint64_t begin)
{
    struct pipeline_data_part *part = &data->first;
    while (part != NULL && part->end <= begin)
        part = part->next;
    return part;
}

uint32_t pipeline_data_current(const struct pipeline_data *data)
{
    uint32_t current = UINT32_MAX;
    for (const struct pipeline_data_part *part = &data->first; part != NULL; part = part->next)
        current &= pipeline_part_current(part);
    return current;
}

/* ---- merging and cutting -------------------------------------------------------------------- */

void pipeline_data_merge(const struct core_context *context, struct pipeline_data *data)
{
    if (data->count < data->merge_at)
        return;
    for (struct pipeline_data_part *part = &data->first; part != NULL; part = part->next)
        pipeline_part_tidy(part);
    for (struct pipeline_data_part *part = &data->first; part != NULL; part = part->next)
        while (part->next != NULL && pipeline_part_is_alike(part, part->next))
            absorb(context, data, part);
    data->merge_at = 2 * data->count > MERGE_LEAST ? 2 * data->count : MERGE_LEAST;
    if (data->merge_at > PIPELINE_DATA_PARTS)
        data->merge_at = PIPELINE_DATA_PARTS;
}

static void cut_at(const struct core_context *context, struct pipeline_data *data, uint64_t at)
{
    struct pipeline_data_part *part = pipeline_data_at(data, at);
    if (part == NULL || part->begin == at || data->count == PIPELINE_DATA_PARTS)
        return;
    struct pipeline_data_part *made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return;
    if (!pipeline_part_copy(context, part, made)) {
        core_free(context, made, sizeof(*made));
        return;
    }
    made->begin = at;
    made->end   = part->end;
    made->next  = part->next;
    part->end   = at;
    part->next  = made;
    data->count++;
}

void pipeline_data_cut(const struct core_context *context, struct pipeline_data *data, uint64_t begin,
                       uint64_t end)
{
    if (begin == 0 && end == data->size)
        return;
    cut_at(context, data, begin);
    cut_at(context, data, end);
}
