/* An ended profile in order: streams by their first calls, kernels and ranges by their time.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "pipeline/profile/profile.h"

const struct core_profile_part *pipeline_profile_part(const struct core_profile *profile, uint32_t index)
{
    const struct core_profile_part *part = profile->parts;
    while (part != NULL && index-- != 0)
        part = part->next;
    return part;
}

/* ---- kernels and ranges ----------------------------------------------------------------------------- */

static void add_named(struct pipeline_profile_named *list, uint32_t *count,
                      const struct core_profile_subject *subject)
{
    struct pipeline_profile_named *named = &list[(*count)++];
    *named                               = (struct pipeline_profile_named){.count   = subject->count,
                                                                           .timed   = subject->timed,
                                                                           .busy_ns = subject->busy_ns,
                                                                           .span_ns = subject->span_ns};
    base_text_copy(named->name, sizeof(named->name), subject->name);
}

static int compare_names(const void *left, const void *right)
{
    const struct pipeline_profile_named *a = left, *b = right;
    return strcmp(a->name, b->name);
}

static uint64_t time_of(const struct pipeline_profile_named *named)
{
    return named->span_ns != 0 ? named->span_ns : named->busy_ns;
}

static int compare_times(const void *left, const void *right)
{
    const struct pipeline_profile_named *a = left, *b = right;
    if (time_of(a) != time_of(b))
        return time_of(a) > time_of(b) ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Merges neighbours of the same name. Returns how many are left. */
static uint32_t merge(struct pipeline_profile_named *list, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct pipeline_profile_named *next = &list[i];
        struct pipeline_profile_named *last       = kept != 0 ? &list[kept - 1] : NULL;
        if (last == NULL || strcmp(last->name, next->name) != 0) {
            list[kept++] = *next;
            continue;
        }
        last->count += next->count;
        last->timed += next->timed;
        last->busy_ns += next->busy_ns;
        last->span_ns += next->span_ns;
    }
    return kept;
}

static uint32_t sort(struct pipeline_profile_named *list, uint32_t count)
{
    if (list == NULL)
        return 0;
    qsort(list, count, sizeof(*list), compare_names);
    uint32_t kept = merge(list, count);
    qsort(list, kept, sizeof(*list), compare_times);
    return kept;
}

/* ---- streams ---------------------------------------------------------------------------------------- */

static int compare_streams(const void *left, const void *right)
{
    const struct pipeline_profile_entry *a = left, *b = right;
    if (a->result->first_ns != b->result->first_ns)
        return a->result->first_ns < b->result->first_ns ? -1 : 1;
    return a->result->number < b->result->number ? -1 : a->result->number > b->result->number;
}

static void count_all(struct pipeline_profile_view *view)
{
    for (const struct core_profile_part *part = view->profile->parts; part != NULL; part = part->next) {
        view->device_count++;
        for (const struct core_profile_result *each = part->results; each != NULL; each = each->next) {
            view->stream_capacity += each->first_ns != 0;
            view->kernel_capacity += each->kernel_count;
            view->range_capacity += each->range_name_count;
        }
    }
}

static void add_result(struct pipeline_profile_view *view, const struct core_profile_result *result,
                       uint32_t device)
{
    if (result->first_ns != 0)
        view->streams[view->stream_count++] = (struct pipeline_profile_entry){result, device};
    for (const struct core_profile_subject *each = result->kernels; each != NULL; each = each->next) {
        add_named(view->kernels, &view->kernel_count, each);
        struct pipeline_profile_named *kernel = &view->kernels[view->kernel_count - 1];
        kernel->busy_ns = pipeline_profile_scale(kernel->busy_ns, kernel->count, kernel->timed);
    }
    for (const struct core_profile_subject *each = result->range_names; each != NULL; each = each->next)
        add_named(view->ranges, &view->range_count, each);
}

static void fill(struct pipeline_profile_view *view)
{
    uint32_t device = 0;
    for (const struct core_profile_part *part = view->profile->parts; part != NULL; part = part->next) {
        for (const struct core_profile_result *each = part->results; each != NULL; each = each->next)
            add_result(view, each, device);
        device++;
    }
    if (view->streams != NULL)
        qsort(view->streams, view->stream_count, sizeof(*view->streams), compare_streams);
    view->kernel_count = sort(view->kernels, view->kernel_count);
    view->range_count  = sort(view->ranges, view->range_count);
}

/* False when memory runs out. */
static bool allocate(const struct core_context *context, uint32_t count, size_t size, void **list)
{
    *list = count != 0 ? core_allocate(context, count * size) : NULL;
    return *list != NULL || count == 0;
}

int32_t pipeline_profile_view_init(struct pipeline_profile_view *view, const struct core_profile *profile)
{
    const struct core_context *context = profile->object.context;
    *view = (struct pipeline_profile_view){.context = profile->object.context, .profile = profile};
    count_all(view);
    if (!allocate(context, view->stream_capacity, sizeof(*view->streams), (void **)&view->streams) ||
        !allocate(context, view->kernel_capacity, sizeof(*view->kernels), (void **)&view->kernels) ||
        !allocate(context, view->range_capacity, sizeof(*view->ranges), (void **)&view->ranges)) {
        pipeline_profile_view_fini(view);
        return base_fail_memory("reading a profile");
    }
    fill(view);
    return TRM_OK;
}

void pipeline_profile_view_fini(struct pipeline_profile_view *view)
{
    core_free(view->context, view->streams, view->stream_capacity * sizeof(*view->streams));
    core_free(view->context, view->kernels, view->kernel_capacity * sizeof(*view->kernels));
    core_free(view->context, view->ranges, view->range_capacity * sizeof(*view->ranges));
}
