/* The functions of <trireme/profile.h> that read an ended profile.
 * SPDX-License-Identifier: MIT
 */
#include <stddef.h>

#include "pipeline/profile/profile.h"

/* Bytes of the structures in their first version. */
#define STREAM_LEAST offsetof(struct trm_profile_stream, device)
#define WAIT_LEAST 40
#define KERNEL_LEAST 96
#define DEVICE_LEAST 304
#define RANGE_LEAST 104
#define ADVICE_LEAST 288

/* ---- reading ---------------------------------------------------------------------------------------- */

/* The profile, entered, if it has ended. */
static struct core_profile *enter_ended(struct trm_profile *handle)
{
    struct core_profile *profile = core_object_enter(handle, CORE_PROFILE);
    if (profile == NULL)
        return NULL;
    if (atomic_load_explicit(&profile->ended, memory_order_acquire) != 0)
        return profile;
    core_object_leave(&profile->object);
    base_fail_static(TRM_ERROR_BUSY, "the profile is on; trm_profile_end() ends it");
    return NULL;
}

int32_t trm_profile_stream_count(struct trm_profile *handle, uint32_t *count)
{
    struct core_profile *profile = enter_ended(handle);
    if (profile == NULL)
        return base_last_status();
    int32_t status                    = core_output_check(count, "trm_profile_stream_count", "count");
    struct pipeline_profile_view view = {.stream_count = 0};
    if (status == TRM_OK)
        status = pipeline_profile_view_init(&view, profile);
    if (status == TRM_OK) {
        *count = view.stream_count;
        pipeline_profile_view_fini(&view);
    }
    core_object_leave(&profile->object);
    return status;
}

static int32_t fail_size(const char *type, uint32_t given, size_t size)
{
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%s.struct_size is %u, but its size is %zu", type, given,
                     size);
}

static int32_t fail_index(const char *what, uint32_t index, uint32_t count)
{
    return base_fail(TRM_ERROR_OUT_OF_RANGE, "there is no %s at index %u; the number of %ss is %u", what,
                     index, what, count);
}

/* What a call reads: the item at an index, of a stream where it has one. */
struct question {
    uint32_t stream, index;
    void *answer;
};

typedef int32_t (*answer_fn)(const struct pipeline_profile_view *view, const struct question *question);

static int32_t ask(struct trm_profile *handle, const char *function, const char *output,
                   const struct question *question, answer_fn answer)
{
    struct pipeline_profile_view view;
    struct core_profile *profile = enter_ended(handle);
    if (profile == NULL)
        return base_last_status();
    int32_t status = core_output_check(question->answer, function, output);
    if (status == TRM_OK)
        status = pipeline_profile_view_init(&view, profile);
    if (status == TRM_OK) {
        status = answer(&view, question);
        pipeline_profile_view_fini(&view);
    }
    core_object_leave(&profile->object);
    return status;
}

static int32_t answer_stream(const struct pipeline_profile_view *view, const struct question *question)
{
    struct trm_profile_stream stream, *out = question->answer;
    if (question->index >= view->stream_count)
        return fail_index("stream", question->index, view->stream_count);
    pipeline_profile_sum(&view->streams[question->index], &stream);
    if (!core_struct_copy_out(out, &stream, sizeof(stream), STREAM_LEAST))
        return fail_size("trm_profile_stream", out->struct_size, sizeof(stream));
    return TRM_OK;
}

int32_t trm_profile_get_stream(struct trm_profile *profile, uint32_t index, struct trm_profile_stream *stream)
{
    struct question question = {.index = index, .answer = stream};
    return ask(profile, "trm_profile_get_stream", "stream", &question, answer_stream);
}

static int32_t answer_wait(const struct pipeline_profile_view *view, const struct question *question)
{
    struct trm_profile_wait wait = {.struct_size = sizeof(wait)}, *out = question->answer;
    if (question->stream >= view->stream_count)
        return fail_index("stream", question->stream, view->stream_count);
    const struct core_profile_result *result  = view->streams[question->stream].result;
    const struct core_profile_subject *waited = pipeline_profile_wait(result, question->index);
    if (waited == NULL)
        return fail_index("wait", question->index, result->wait_count);
    wait.kind    = waited->wait.kind;
    wait.stream  = waited->wait.stream;
    wait.event   = waited->wait.event;
    wait.count   = waited->count;
    wait.timed   = waited->timed;
    wait.wait_ns = pipeline_profile_scale(waited->busy_ns, waited->count, waited->timed);
    if (!core_struct_copy_out(out, &wait, sizeof(wait), WAIT_LEAST))
        return fail_size("trm_profile_wait", out->struct_size, sizeof(wait));
    return TRM_OK;
}

int32_t trm_profile_get_wait(struct trm_profile *profile, uint32_t stream, uint32_t index,
                             struct trm_profile_wait *wait)
{
    struct question question = {.stream = stream, .index = index, .answer = wait};
    return ask(profile, "trm_profile_get_wait", "wait", &question, answer_wait);
}

static int32_t answer_kernel(const struct pipeline_profile_view *view, const struct question *question)
{
    struct trm_profile_kernel kernel = {.struct_size = sizeof(kernel)}, *out = question->answer;
    if (question->index >= view->kernel_count)
        return fail_index("kernel", question->index, view->kernel_count);
    const struct pipeline_profile_named *named = &view->kernels[question->index];
    base_text_copy(kernel.name, sizeof(kernel.name), named->name);
    kernel.count   = named->count;
    kernel.timed   = named->timed;
    kernel.busy_ns = named->busy_ns;
    if (!core_struct_copy_out(out, &kernel, sizeof(kernel), KERNEL_LEAST))
        return fail_size("trm_profile_kernel", out->struct_size, sizeof(kernel));
    return TRM_OK;
}

int32_t trm_profile_get_kernel(struct trm_profile *profile, uint32_t index, struct trm_profile_kernel *kernel)
{
    struct question question = {.index = index, .answer = kernel};
    return ask(profile, "trm_profile_get_kernel", "kernel", &question, answer_kernel);
}

static int32_t answer_range(const struct pipeline_profile_view *view, const struct question *question)
{
    struct trm_profile_range range = {.struct_size = sizeof(range)}, *out = question->answer;
    if (question->index >= view->range_count)
        return fail_index("range", question->index, view->range_count);
    const struct pipeline_profile_named *named = &view->ranges[question->index];
    base_text_copy(range.name, sizeof(range.name), named->name);
    range.count      = named->count;
    range.operations = named->timed;
    range.busy_ns    = named->busy_ns;
    range.span_ns    = named->span_ns;
    if (!core_struct_copy_out(out, &range, sizeof(range), RANGE_LEAST))
        return fail_size("trm_profile_range", out->struct_size, sizeof(range));
    return TRM_OK;
}

int32_t trm_profile_get_range(struct trm_profile *profile, uint32_t index, struct trm_profile_range *range)
{
    struct question question = {.index = index, .answer = range};
    return ask(profile, "trm_profile_get_range", "range", &question, answer_range);
}

static int32_t answer_device(const struct pipeline_profile_view *view, const struct question *question)
{
    struct trm_profile_device device, *out = question->answer;
    if (question->index != TRM_PROFILE_ALL && question->index >= view->device_count)
        return fail_index("device", question->index, view->device_count);
    int32_t status = pipeline_profile_sum_device(view, question->index, &device);
    if (status == TRM_OK && !core_struct_copy_out(out, &device, sizeof(device), DEVICE_LEAST))
        status = fail_size("trm_profile_device", out->struct_size, sizeof(device));
    return status;
}

int32_t trm_profile_get_device(struct trm_profile *profile, uint32_t index, struct trm_profile_device *device)
{
    struct question question = {.index = index, .answer = device};
    return ask(profile, "trm_profile_get_device", "device", &question, answer_device);
}

static int32_t answer_advice(const struct pipeline_profile_view *view, const struct question *question)
{
    struct trm_profile_advice advice, *out = question->answer;
    if (!pipeline_profile_advise(view, question->index, &advice))
        return base_fail(TRM_ERROR_OUT_OF_RANGE, "there is no advice at index %u", question->index);
    if (!core_struct_copy_out(out, &advice, sizeof(advice), ADVICE_LEAST))
        return fail_size("trm_profile_advice", out->struct_size, sizeof(advice));
    return TRM_OK;
}

int32_t trm_profile_get_advice(struct trm_profile *profile, uint32_t index, struct trm_profile_advice *advice)
{
    struct question question = {.index = index, .answer = advice};
    return ask(profile, "trm_profile_get_advice", "advice", &question, answer_advice);
}

/* ---- writing ---------------------------------------------------------------------------------------- */

static int32_t check_format(int32_t format)
{
    if (format >= TRM_PROFILE_TEXT && format <= TRM_PROFILE_TRACE)
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%d is not a format of profiles", (int)format);
}

int32_t trm_profile_write(struct trm_profile *handle, int32_t format, trm_write_fn write, void *user)
{
    int32_t status = check_format(format);
    if (status == TRM_OK && write == NULL)
        status = base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_profile_write: `write` is NULL");
    if (status != TRM_OK)
        return status;
    struct core_profile *profile = enter_ended(handle);
    if (profile == NULL)
        return base_last_status();
    status = pipeline_profile_write(profile, format, write, user);
    core_object_leave(&profile->object);
    return status;
}

struct output {
    const struct core_profile *profile;
    int32_t format;
};

static int32_t produce(const void *subject, trm_write_fn write, void *writer)
{
    const struct output *output = subject;
    return pipeline_profile_write(output->profile, output->format, write, writer);
}

int32_t trm_profile_write_file(struct trm_profile *handle, int32_t format, const char *path)
{
    int32_t status = check_format(format);
    if (status == TRM_OK && path == NULL)
        status = base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_profile_write_file: `path` is NULL");
    if (status != TRM_OK)
        return status;
    struct core_profile *profile = enter_ended(handle);
    if (profile == NULL)
        return base_last_status();
    struct output output = {profile, format};
    status               = pipeline_output_file(path, produce, &output);
    core_object_leave(&profile->object);
    return status;
}
