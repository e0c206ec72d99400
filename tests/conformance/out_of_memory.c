/* Host memory that runs out at every place where the library asks for some.
 *
 * One scenario touches every kind of object. It is run with an allocator that fails once at the first
 * allocation, then with one that fails at the second, and so on until the scenario comes through untouched.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "kernels.h"

#include <stdatomic.h>

#define SIZE 10000u

/* More than this and the scenario is not what it is meant to be. */
#define MOST_ALLOCATIONS 20000

/* ---- an allocator that counts and fails ---- */

struct accountant {
    atomic_long asked;  /* allocations so far */
    long fails_at;      /* the number of the one that fails, from 1; 0: none */
    bool fails_on;      /* and so do all after it */
    atomic_long bytes;  /* allocated and not yet freed */
    atomic_long wrongs; /* freed with the wrong size, or requested with an invalid alignment */
};

/* Before each piece that is handed out. */
struct label {
    void *start;
    size_t size;
};

static void *account_allocate(void *user, size_t size, size_t alignment)
{
    struct accountant *accountant = user;
    long number                   = atomic_fetch_add(&accountant->asked, 1) + 1;
    size_t room                   = alignment < sizeof(struct label) ? sizeof(struct label) : alignment;
    void *start                   = NULL;
    if (size == 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
        atomic_fetch_add(&accountant->wrongs, 1);
    if (number == accountant->fails_at || (accountant->fails_on && number > accountant->fails_at))
        return NULL;
    if (posix_memalign(&start, room, room + size) != 0)
        return NULL;
    struct label *label = (struct label *)((char *)start + room) - 1;
    label->start        = start;
    label->size         = size;
    memset(label + 1, 0xA5, size); /* new memory need not be zero */
    atomic_fetch_add(&accountant->bytes, (long)size);
    return label + 1;
}

static void account_release(void *user, void *memory, size_t size)
{
    struct accountant *accountant = user;
    struct label *label           = (struct label *)memory - 1;
    if (label->size != size)
        atomic_fetch_add(&accountant->wrongs, 1);
    atomic_fetch_sub(&accountant->bytes, (long)label->size);
    memset(memory, 0x5A, label->size);
    free(label->start);
}

/* ---- the scenario ---- */

struct things {
    struct accountant *accountant;
    struct trm_context *context;
    struct trm_device *device, *second;
    struct trm_stream *stream, *other;
    struct trm_buffer *plain, *filled, *pinned, *imported, *ordered, *there;
    struct trm_array *array;
    struct trm_image *image;
    struct trm_sampler *sampler;
    struct trm_event *event, *timed;
    struct trm_module *module;
    struct trm_kernel *kernel;
    struct trm_graph *graph;
    struct trm_graph_exec *exec;
    struct trm_stream *recording;
    atomic_uint callbacks;
    uint8_t data[SIZE], found[SIZE];
    uint8_t memory[SIZE] __attribute__((aligned(64)));
};

static int32_t make_context(struct things *things)
{
    struct trm_setting settings[]  = {{"backend", backend_under_test()}};
    struct trm_allocator allocator = {account_allocate, account_release, things->accountant};
    struct trm_context_desc desc   = {.struct_size   = sizeof(desc),
                                      .flags         = TRM_CONTEXT_NO_CONFIG,
                                      .allocator     = &allocator,
                                      .settings      = settings,
                                      .setting_count = 1};
    return trm_context_create(&desc, &things->context);
}

static int32_t make_device(struct things *things)
{
    return trm_device_open(things->context, NULL, &things->device);
}

static int32_t make_second(struct things *things)
{
    return trm_device_open(things->context, NULL, &things->second);
}

static int32_t make_first_stream(struct things *things)
{
    return trm_stream_create(things->device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &things->stream);
}

static int32_t make_other_stream(struct things *things)
{
    return trm_stream_create(things->device, TRM_STREAM_UPLOAD, TRM_PRIORITY_HIGH, &things->other);
}

static int32_t make_plain(struct things *things)
{
    return trm_buffer_create(things->device, TRM_MEMORY_DEVICE, SIZE, &things->plain);
}

static int32_t make_filled(struct things *things)
{
    struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .size = SIZE, .data = things->data};
    return trm_buffer_create_from(things->device, &desc, &things->filled);
}

static int32_t make_pinned(struct things *things)
{
    int32_t status = trm_buffer_create(things->device, TRM_MEMORY_PINNED, SIZE, &things->pinned);
    return status == TRM_ERROR_UNSUPPORTED ? TRM_OK : status;
}

static int32_t make_imported(struct things *things)
{
    struct trm_buffer_desc desc = {.struct_size  = sizeof(desc),
                                   .kind         = TRM_MEMORY_IMPORTED,
                                   .size         = SIZE,
                                   .host_pointer = things->memory};
    int32_t status              = trm_buffer_create_from(things->device, &desc, &things->imported);
    return status == TRM_ERROR_UNSUPPORTED ? TRM_OK : status;
}

static int32_t make_there(struct things *things)
{
    return trm_buffer_create(things->second, TRM_MEMORY_DEVICE, SIZE, &things->there);
}

static int32_t upload(struct things *things)
{
    return trm_upload(things->stream, trm_span_whole(things->plain), things->data);
}

static int32_t fill(struct things *things)
{
    return trm_fill(things->other, trm_span_whole(things->filled), 0x1234, 2);
}

static int32_t order(struct things *things)
{
    struct trm_point point;
    int32_t status = trm_stream_mark(things->stream, &point);
    return status == TRM_OK ? trm_stream_wait(things->other, point) : status;
}

static int32_t copy(struct things *things)
{
    return trm_copy(things->other, trm_span_whole(things->filled), trm_span_whole(things->plain));
}

static int32_t copy_rows(struct things *things)
{
    struct trm_rows to   = {.buffer = things->filled, .pitch = 100},
                    from = {.buffer = things->plain, .pitch = 100};
    return trm_copy_2d(things->other, &to, &from, 70, 100);
}

static int32_t allocate_ordered(struct things *things)
{
    return trm_stream_alloc(things->stream, 3 * SIZE, &things->ordered);
}

static int32_t free_ordered(struct things *things)
{
    int32_t status = trm_stream_free(things->stream, things->ordered);
    if (status == TRM_OK)
        things->ordered = NULL;
    return status;
}

static int32_t make_event(struct things *things)
{
    return trm_event_create(things->device, 0, &things->event);
}

static int32_t make_timed_event(struct things *things)
{
    return trm_event_create(things->device, TRM_EVENT_TIMING, &things->timed);
}

static int32_t record(struct things *things)
{
    return trm_event_record(things->event, things->other);
}

static int32_t record_time(struct things *things)
{
    return trm_event_record(things->timed, things->stream);
}

static int32_t wait_for_event(struct things *things)
{
    return trm_event_wait(things->event, TRM_FOREVER);
}

static void count_callback(void *user, int32_t status)
{
    struct things *things = user;
    (void)status;
    atomic_fetch_add(&things->callbacks, 1);
}

static int32_t call_back(struct things *things)
{
    return trm_stream_callback(things->stream, count_callback, things);
}

static int32_t barrier(struct things *things)
{
    struct trm_stream *streams[] = {things->stream, things->other};
    return trm_stream_barrier(streams, 2);
}

static int32_t wait_for_any(struct things *things)
{
    struct trm_point points[2];
    uint32_t which = 0;
    int32_t status = trm_stream_mark(things->stream, &points[0]);
    if (status == TRM_OK)
        status = trm_stream_mark(things->other, &points[1]);
    return status == TRM_OK ? trm_wait_any(points, 2, TRM_FOREVER, &which) : status;
}

static int32_t use_thread_stream(struct things *things)
{
    struct trm_stream *own = NULL;
    int32_t status         = trm_device_thread_stream(things->device, &own);
    return status == TRM_OK ? trm_stream_sync(own) : status;
}

static int32_t copy_across(struct things *things)
{
    return trm_copy(things->stream, trm_span_whole(things->there), trm_span_whole(things->plain));
}

static int32_t make_array(struct things *things)
{
    return trm_array_create(things->device, TRM_TYPE_U16, SIZE / 2, TRM_MEMORY_DEVICE, things->data,
                            &things->array);
}

static int32_t read_array(struct things *things)
{
    return trm_array_download(things->array, TRM_TYPE_U16, 0, SIZE / 2, things->found);
}

static int32_t make_image(struct things *things)
{
    struct trm_image_desc desc = {.struct_size = sizeof(desc),
                                  .type        = TRM_IMAGE_2D,
                                  .format      = TRM_FORMAT_RGBA8_UNORM,
                                  .width       = 16,
                                  .height      = 16,
                                  .levels      = 2};
    return trm_image_create(things->device, &desc, &things->image);
}

static int32_t make_sampler(struct things *things)
{
    struct trm_sampler_desc desc = {.struct_size = sizeof(desc)};
    return trm_sampler_create(things->device, &desc, &things->sampler);
}

static int32_t upload_image(struct things *things)
{
    return trm_image_upload(things->stream, things->image, NULL, things->data, 100 * 4, 0);
}

static int32_t load(struct things *things)
{
    struct trm_module_desc desc = kernels_desc(things->device);
    int32_t status              = trm_module_load(things->device, &desc, &things->module);
    return status == TRM_ERROR_UNSUPPORTED ? TRM_OK : status;
}

static int32_t get_kernel(struct things *things)
{
    return things->module ? trm_kernel_get(things->module, "affine", &things->kernel) : TRM_OK;
}

static int32_t launch(struct things *things)
{
    struct trm_argument arguments[] = {trm_arg_buffer(things->plain), trm_arg_u32(SIZE / 4), trm_arg_u32(1),
                                       trm_arg_u32(0)};
    return things->kernel ? launch_1d(things->stream, things->kernel, SIZE / 4, arguments, 4) : TRM_OK;
}

static int32_t make_graph(struct things *things)
{
    return trm_graph_create(things->device, &things->graph);
}

static int32_t record_graph(struct things *things)
{
    return trm_graph_record(things->graph, &things->recording);
}

static int32_t record_upload(struct things *things)
{
    return trm_upload(things->recording, trm_span_whole(things->plain), things->data);
}

static int32_t record_event(struct things *things)
{
    return trm_event_record(things->timed, things->recording);
}

static int32_t record_launch(struct things *things)
{
    struct trm_argument arguments[] = {trm_arg_buffer(things->plain), trm_arg_u32(SIZE / 4), trm_arg_u32(1),
                                       trm_arg_u32(0)};
    return things->kernel ? launch_1d(things->recording, things->kernel, SIZE / 4, arguments, 4) : TRM_OK;
}

static int32_t instantiate(struct things *things)
{
    return trm_graph_instantiate(things->graph, &things->exec);
}

static int32_t launch_graph(struct things *things)
{
    return trm_graph_launch(things->exec, things->stream);
}

static int32_t launch_graph_elsewhere(struct things *things)
{
    return trm_graph_launch(things->exec, things->other);
}

static int32_t update_graph(struct things *things)
{
    return trm_graph_update_upload(things->exec, 0, trm_span_whole(things->plain), things->data);
}

static int32_t empty_node(struct things *things)
{
    return trm_graph_update_upload(things->exec, 0, trm_span_of(things->plain, 0, 0), things->data);
}

static int32_t map_and_unmap(struct things *things)
{
    void *pointer  = NULL;
    int32_t status = trm_buffer_map(things->plain, TRM_MAP_READ, &pointer);
    return status == TRM_OK ? trm_buffer_unmap(things->plain) : status;
}

static int32_t finish(struct things *things)
{
    int32_t status = trm_stream_sync(things->stream);
    if (status == TRM_OK)
        status = trm_stream_sync(things->other);
    return status == TRM_OK ? trm_device_sync(things->device) : status;
}

static int32_t read_back(struct things *things)
{
    int32_t status = trm_download(things->stream, things->found, trm_span_whole(things->plain));
    if (status == TRM_OK)
        status = trm_stream_sync(things->stream);
    return status;
}

struct step {
    const char *name;
    int32_t (*run)(struct things *things);
};

#define STEP(name)  \
    {               \
#name, name \
    }

static const struct step steps[] = {
    STEP(make_context),
    STEP(make_device),
    STEP(make_first_stream),
    STEP(make_other_stream),
    STEP(make_plain),
    STEP(make_filled),
    STEP(make_pinned),
    STEP(make_imported),
    STEP(upload),
    STEP(order),
    STEP(fill),
    STEP(copy),
    STEP(copy_rows),
    STEP(allocate_ordered),
    STEP(free_ordered),
    STEP(make_event),
    STEP(make_timed_event),
    STEP(record),
    STEP(record_time),
    STEP(wait_for_event),
    STEP(call_back),
    STEP(barrier),
    STEP(wait_for_any),
    STEP(use_thread_stream),
    STEP(make_second),
    STEP(make_there),
    STEP(copy_across),
    STEP(make_array),
    STEP(read_array),
    STEP(make_image),
    STEP(make_sampler),
    STEP(upload_image),
    STEP(load),
    STEP(get_kernel),
    STEP(launch),
    STEP(make_graph),
    STEP(record_graph),
    STEP(record_upload),
    STEP(record_event),
    STEP(record_launch),
    STEP(instantiate),
    STEP(launch_graph),
    STEP(launch_graph_elsewhere),
    STEP(update_graph),
    STEP(launch_graph),
    STEP(empty_node),
    STEP(launch_graph),
    STEP(map_and_unmap),
    STEP(finish),
    STEP(read_back),
};

#define STEP_COUNT (sizeof(steps) / sizeof(steps[0]))

static void end_things(struct things *things)
{
    trm_graph_exec_destroy(things->exec);
    trm_graph_destroy(things->graph);
    trm_kernel_destroy(things->kernel);
    trm_module_destroy(things->module);
    trm_event_destroy(things->event);
    trm_event_destroy(things->timed);
    trm_sampler_destroy(things->sampler);
    trm_image_destroy(things->image);
    trm_array_destroy(things->array);
    trm_buffer_destroy(things->plain);
    trm_buffer_destroy(things->filled);
    trm_buffer_destroy(things->pinned);
    trm_buffer_destroy(things->imported);
    trm_buffer_destroy(things->ordered);
    trm_buffer_destroy(things->there);
    trm_stream_destroy(things->stream);
    trm_stream_destroy(things->other);
    trm_device_destroy(things->device);
    trm_device_destroy(things->second);
    trm_context_destroy(things->context);
}

/* Runs the steps until one fails, or, with `again`, lets a step that failed try once more: then it must
 * succeed. Returns how many steps came through. */
static size_t run_scenario(struct accountant *accountant, bool again)
{
    struct things *things = calloc(1, sizeof(*things));
    size_t step           = 0;
    ck_assert_ptr_nonnull(things);
    things->accountant = accountant;
    pattern_make(things->data, SIZE, 1);
    for (; step < STEP_COUNT; step++) {
        int32_t status = steps[step].run(things);
        if (status == TRM_OK)
            continue;
        ck_assert_msg(status == TRM_ERROR_OUT_OF_HOST_MEMORY,
                      "allocation %ld failed in %s, which gave %s: %s", accountant->fails_at,
                      steps[step].name, trm_status_name(status), trm_last_error().sentence);
        ck_assert_msg(status_explained(status), "%s does not explain its failure", steps[step].name);
        if (!again)
            break;
        status = steps[step].run(things);
        ck_assert_msg(status == TRM_OK, "%s with memory again, after allocation %ld had failed: %s: %s",
                      steps[step].name, accountant->fails_at, trm_status_name(status),
                      trm_last_error().sentence);
    }
    if (step == STEP_COUNT) {
        ck_pattern(things->found, SIZE, 1);
        ck_assert_uint_eq(things->callbacks, 1);
    }
    end_things(things);
    free(things);
    return step;
}

/* Threads of the core may still be on their way out. */
static void check_balance(struct accountant *accountant)
{
    for (int i = 0; i < 10000 && atomic_load(&accountant->bytes) != 0; i++)
        sleep_ms(10);
    ck_assert_msg(accountant->bytes == 0, "%ld bytes are not given back when allocation %ld fails",
                  atomic_load(&accountant->bytes), accountant->fails_at);
    ck_assert_msg(accountant->wrongs == 0, "%ld wrong sizes or alignments when allocation %ld fails",
                  atomic_load(&accountant->wrongs), accountant->fails_at);
}

/* The number of allocations of a run in which none fails. */
static long count_allocations(uint64_t *run_ns)
{
    struct accountant accountant = {.fails_at = 0};
    uint64_t begin               = now_ns();
    ck_assert_uint_eq(run_scenario(&accountant, false), STEP_COUNT);
    *run_ns = now_ns() - begin;
    check_balance(&accountant);
    ck_assert_int_gt(accountant.asked, 10);
    return accountant.asked;
}

/* Lets the scenario run with every allocation failing in its turn, or each `stride`-th of them; the last run
 * is the one in which none has failed. */
static void fail_each(bool fails_on, bool again)
{
    uint64_t run_ns  = 0;
    long allocations = count_allocations(&run_ns);
    /* All runs are to end in time on a device that takes long to open, too. */
    long stride = (long)stride_within(ROUNDS_NS, (uint64_t)allocations, run_ns, scaled(1, 3));
    for (long number = 1; number < MOST_ALLOCATIONS; number += stride) {
        struct accountant accountant = {.fails_at = number, .fails_on = fails_on};
        size_t came_through          = run_scenario(&accountant, again);
        check_balance(&accountant);
        if (accountant.asked < number) {
            ck_assert_uint_eq(came_through, STEP_COUNT);
            return;
        }
    }
    ck_abort_msg("the scenario has no end");
}

START_TEST(everything_that_was_allocated_is_given_back)
{
    uint64_t run_ns;
    count_allocations(&run_ns);
}
END_TEST

START_TEST(one_allocation_that_fails_is_a_status_and_leaves_nothing)
{
    fail_each(false, false);
}
END_TEST

START_TEST(memory_that_is_gone_for_good_is_a_status_and_leaves_nothing)
{
    fail_each(true, false);
}
END_TEST

START_TEST(a_call_that_failed_for_want_of_memory_succeeds_when_there_is_some_again)
{
    fail_each(false, true);
}
END_TEST

void add_out_of_memory(Suite *suite)
{
    TCase *group = group_make_bare(suite, "out_of_memory");
    CASE(group, everything_that_was_allocated_is_given_back);
    CASE(group, one_allocation_that_fails_is_a_status_and_leaves_nothing);
    CASE(group, memory_that_is_gone_for_good_is_a_status_and_leaves_nothing);
    CASE(group, a_call_that_failed_for_want_of_memory_succeeds_when_there_is_some_again);
}
