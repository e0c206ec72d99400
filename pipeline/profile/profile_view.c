/* An ended profile in order: streams by their first calls, kernels by their time.
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

/* ---- counting --------------------------------------------------------------------------------------- */

static void count_all(struct pipeline_profile_view *view)
{
    for (const struct core_profile_part *part = view->profile->parts; part != NULL; part = part->next) {
        view->device_count++;
        for (const struct core_profile_result *each = part->results; each != NULL; each = each->next) {
            view->stream_capacity += each->first_ns != 0;
            view->kernel_capacity += each->kernel_count;
        }
    }
}

/* ---- kernels ---------------------------------------------------------------------------------------- */

static void add_kernel(struct pipeline_profile_view *view, const struct core_profile_subject *subject)
{
    struct trm_profile_kernel *kernel = &view->kernels[view->kernel_count++];
    *kernel                           = (struct trm_profile_kernel){
                                  .struct_size = sizeof(*kernel),
                                  .count       = subject->count,
                                  .timed       = subject->timed,
                                  .busy_ns     = pipeline_profile_scale(subject->busy_ns, subject->count, subject->timed),
    };
    base_text_copy(kernel->name, sizeof(kernel->name), subject->name);
}

static int compare_names(const void *left, const void *right)
{
    const struct trm_profile_kernel *a = left, *b = right;
    return strcmp(a->name, b->name);
}

static int compare_times(const void *left, const void *right)
{
    const struct trm_profile_kernel *a = left, *b = right;
    if (a->busy_ns != b->busy_ns)
        return a->busy_ns > b->busy_ns ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Makes one of the kernels of one name, which lie side by side. */
static void merge_kernels(struct pipeline_profile_view *view)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < view->kernel_count; i++) {
        const struct trm_profile_kernel *next = &view->kernels[i];
        struct trm_profile_kernel *last       = kept != 0 ? &view->kernels[kept - 1] : NULL;
        if (last == NULL || strcmp(last->name, next->name) != 0) {
            view->kernels[kept++] = *next;
            continue;
        }
        last->count += next->count;
        last->timed += next->timed;
        last->busy_ns += next->busy_ns;
    }
    view->kernel_count = kept;
}

/* ---- streams ---------------------------------------------------------------------------------------- */

static int compare_streams(const void *left, const void *right)
{
    const struct pipeline_profile_entry *a = left, *b = right;
    if (a->result->first_ns != b->result->first_ns)
        return a->result->first_ns < b->result->first_ns ? -1 : 1;
    return a->result->number < b->result->number ? -1 : a->result->number > b->result->number;
}

static void fill(struct pipeline_profile_view *view)
{
    uint32_t device = 0;
    for (const struct core_profile_part *part = view->profile->parts; part != NULL; part = part->next) {
        for (const struct core_profile_result *each = part->results; each != NULL; each = each->next) {
            if (each->first_ns != 0)
                view->streams[view->stream_count++] = (struct pipeline_profile_entry){each, device};
            for (const struct core_profile_subject *kernel = each->kernels; kernel != NULL;
                 kernel                                    = kernel->next)
                add_kernel(view, kernel);
        }
        device++;
    }
}

int32_t pipeline_profile_view_init(struct pipeline_profile_view *view, const struct core_profile *profile)
{
    *view = (struct pipeline_profile_view){.context = profile->object.context, .profile = profile};
    count_all(view);
    if (view->stream_capacity == 0)
        return TRM_OK;
    view->streams = core_allocate(view->context, view->stream_capacity * sizeof(*view->streams));
    if (view->streams != NULL && view->kernel_capacity != 0)
        view->kernels = core_allocate(view->context, view->kernel_capacity * sizeof(*view->kernels));
    if (view->streams == NULL || (view->kernels == NULL && view->kernel_capacity != 0)) {
        pipeline_profile_view_fini(view);
        return base_fail_memory("reading a profile");
    }
    fill(view);
    qsort(view->streams, view->stream_count, sizeof(*view->streams), compare_streams);
    if (view->kernel_count != 0) {
        qsort(view->kernels, view->kernel_count, sizeof(*view->kernels), compare_names);
        merge_kernels(view);
        qsort(view->kernels, view->kernel_count, sizeof(*view->kernels), compare_times);
    }
    return TRM_OK;
}

void pipeline_profile_view_fini(struct pipeline_profile_view *view)
{
    core_free(view->context, view->streams, view->stream_capacity * sizeof(*view->streams));
    core_free(view->context, view->kernels, view->kernel_capacity * sizeof(*view->kernels));
    view->streams = NULL;
    view->kernels = NULL;
}
