/* What a profile keeps of one stream: sums, the kernels, what was waited for, records for the trace.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/base.h"
#include "core/stream/profile.h"

/* ---- times ------------------------------------------------------------------------------------------ */

uint32_t core_profile_slot(uint64_t nanoseconds)
{
    if (nanoseconds < 4)
        return (uint32_t)nanoseconds;
    uint32_t power = 63u - (uint32_t)__builtin_clzll(nanoseconds);
    uint32_t slot  = (power - 1) * 4 + ((uint32_t)(nanoseconds >> (power - 2)) & 3u);
    return slot < CORE_PROFILE_TIMES ? slot : CORE_PROFILE_TIMES;
}

uint64_t core_profile_slot_time(uint32_t slot)
{
    return slot < 4 ? slot : (uint64_t)(4 + slot % 4) << (slot / 4 - 1);
}

/* ---- subjects --------------------------------------------------------------------------------------- */

/* Those beyond the limit are counted under this name. */
static const char others[] = "others";

static struct core_profile_subject *add_subject(const struct core_context *context,
                                                struct core_profile_subject **list, const char *name,
                                                const struct core_wait *wait)
{
    size_t length                     = strlen(name);
    size_t size                       = sizeof(struct core_profile_subject) + length + 1;
    struct core_profile_subject *made = core_allocate(context, size);
    if (made == NULL)
        return NULL;
    memcpy(made->name, name, length + 1);
    made->size = size;
    made->wait = *wait;
    made->next = *list;
    *list      = made;
    return made;
}

static struct core_profile_subject *find_name(struct core_profile_subject *list, const char *name)
{
    while (list != NULL && strcmp(list->name, name) != 0)
        list = list->next;
    return list;
}

static struct core_profile_subject *get_name(const struct core_context *context,
                                             struct core_profile_subject **list, uint32_t *count,
                                             const char *name)
{
    struct core_profile_subject *found = find_name(*list, name);
    if (found == NULL && *count >= CORE_PROFILE_KERNELS) {
        name  = others;
        found = find_name(*list, name);
    }
    if (found != NULL)
        return found;
    found = add_subject(context, list, name, &(struct core_wait){0});
    *count += found != NULL;
    return found;
}

/* No other kernel ever has the handle, also after this one is gone. */
static struct core_profile_subject *find_kernel(const struct core_context *context,
                                                struct core_profile_result *result,
                                                const struct core_work *work)
{
    uint64_t hash                     = (uint64_t)(uintptr_t)work->handle * UINT64_C(0x9e3779b97f4a7c15);
    struct core_profile_handle *place = &result->handles[hash >> 58];
    if (LIKELY(place->handle == work->handle))
        return place->subject;
    struct core_profile_subject *found =
        get_name(context, &result->kernels, &result->kernel_count, work->kernel);
    if (found != NULL)
        *place = (struct core_profile_handle){work->handle, found};
    return found;
}

_Static_assert(CORE_PROFILE_HANDLES == 64, "six bits of the hash choose a place");

static bool is_same(const struct core_wait *a, const struct core_wait *b)
{
    return a->kind == b->kind && a->stream == b->stream && a->event == b->event;
}

static struct core_profile_subject *find_wait(const struct core_context *context,
                                              struct core_profile_result *result, struct core_wait wait)
{
    struct core_profile_subject *each = result->waits;
    if (result->wait_count >= CORE_PROFILE_WAITS)
        wait.event = 0;
    if (result->wait_count >= CORE_PROFILE_WAITS * 2)
        wait.stream = 0;
    while (each != NULL && !is_same(&each->wait, &wait))
        each = each->next;
    if (each == NULL) {
        each = add_subject(context, &result->waits, "", &wait);
        result->wait_count += each != NULL;
    }
    return each;
}

struct core_profile_subject *core_profile_count(const struct core_context *context,
                                                struct core_profile_result *result,
                                                const struct core_work *work)
{
    struct core_profile_subject *subject = NULL;
    result->count[work->kind]++;
    result->bytes[work->kind] += work->bytes;
    if (work->kernel != NULL)
        subject = find_kernel(context, result, work);
    else if (work->kind == CORE_WORK_WAIT)
        subject = find_wait(context, result, work->wait);
    if (subject != NULL)
        subject->count++;
    return subject;
}

/* ---- ranges ----------------------------------------------------------------------------------------- */

struct core_profile_range *core_profile_add_range(const struct core_context *context,
                                                  struct core_profile_result *result, const char *name,
                                                  bool is_task)
{
    struct core_profile_subject *subject = NULL;
    size_t length                        = is_task ? strlen(name) : 0;
    size_t size                          = sizeof(struct core_profile_range) + length + 1;
    if (result->range_count >= CORE_PROFILE_RANGES)
        return NULL;
    if (!is_task)
        subject = get_name(context, &result->range_names, &result->range_name_count, name);
    if (!is_task && subject == NULL)
        return NULL;
    struct core_profile_range *made = core_allocate(context, size);
    if (made == NULL)
        return NULL;
    memcpy(made->name, name, length);
    made->name[length] = '\0';
    made->size         = size;
    made->subject      = subject;
    if (subject != NULL)
        subject->count++;
    if (result->last_range != NULL)
        result->last_range->next = made;
    else
        result->ranges = made;
    result->last_range = made;
    result->range_count++;
    return made;
}

/* The operation is in the range and in those around it. */
static void extend_ranges(const struct core_profile_record *record)
{
    for (struct core_profile_range *each = record->range; each != NULL; each = each->parent) {
        uint64_t before = each->end - each->begin;
        if (each->end == 0)
            each->begin = record->begin;
        each->end = record->end;
        if (each->subject == NULL)
            continue;
        each->subject->span_ns += each->end - each->begin - before;
        each->subject->timed++;
        if (record->kind != CORE_WORK_WAIT)
            each->subject->busy_ns += record->end - record->begin;
    }
}

/* ---- records ---------------------------------------------------------------------------------------- */

static void keep_record(const struct core_context *context, struct core_profile_result *result,
                        const struct core_profile_record *record)
{
    if (result->record_count == result->record_capacity) {
        uint32_t capacity = result->record_capacity == 0 ? 256 : result->record_capacity * 2;
        if (capacity > CORE_PROFILE_RECORDS)
            return;
        struct core_profile_record *records = core_allocate(context, capacity * sizeof(*records));
        if (records == NULL)
            return;
        if (result->record_count != 0)
            memcpy(records, result->records, result->record_count * sizeof(*records));
        core_free(context, result->records, result->record_capacity * sizeof(*records));
        result->records         = records;
        result->record_capacity = capacity;
    }
    result->records[result->record_count++] = *record;
}

void core_profile_add_record(const struct core_context *context, struct core_profile_result *result,
                             const struct core_profile_record *record)
{
    uint64_t ran = record->end - record->begin;
    result->timed[record->kind]++;
    result->busy_ns[record->kind] += ran;
    result->queued[core_profile_slot(record->begin - record->called)]++;
    if (record->kind != CORE_WORK_WAIT)
        result->ran[core_profile_slot(ran)]++;
    if (record->subject != NULL) {
        record->subject->timed++;
        record->subject->busy_ns += ran;
    }
    if (record->end > result->last_ns)
        result->last_ns = record->end;
    extend_ranges(record);
    keep_record(context, result, record);
}

/* ---- freeing ---------------------------------------------------------------------------------------- */

static void free_subjects(const struct core_context *context, struct core_profile_subject *list)
{
    for (struct core_profile_subject *next; list != NULL; list = next) {
        next = list->next;
        core_free(context, list, list->size);
    }
}

static void free_ranges(const struct core_context *context, struct core_profile_range *list)
{
    for (struct core_profile_range *next; list != NULL; list = next) {
        next = list->next;
        core_free(context, list, list->size);
    }
}

void core_profile_free_results(const struct core_context *context, struct core_profile_result *results)
{
    for (struct core_profile_result *next; results != NULL; results = next) {
        next = results->next;
        free_subjects(context, results->kernels);
        free_subjects(context, results->waits);
        free_subjects(context, results->range_names);
        free_ranges(context, results->ranges);
        core_free(context, results->records, results->record_capacity * sizeof(struct core_profile_record));
        core_free(context, results, sizeof(*results));
    }
}
