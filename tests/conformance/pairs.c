/* Every object destroyed while the others that use it live: its handle is dead at once and for good,
 * destroying it again takes nothing from the others, and they work on.
 * SPDX-License-Identifier: MIT
 */
#include "calls.h"
#include "groups.h"
#include "kernels.h"
#include "shaders.h"

enum {
    WORDS = 16
};

/* One object of each type before OF_GROUP, each made of the others: the pipeline and the graph use kernel and
 * buffer, the kernel comes from the module, the graph has a stamp of the event, the instance comes from the
 * graph. */
struct family {
    struct objects objects;
    struct trm_stream *spare; /* never destroyed before the others */
    struct trm_buffer *scratch;
    uint32_t word;    /* what the graph's instance reads from the buffer */
    uint32_t added;   /* what the pipeline and the instance have added to it */
    uint64_t task_id; /* the last one */
};

static struct objects others; /* live, for the calls that take more than one handle */

static void others_open(void)
{
    objects_make(&others);
}

static void others_close(void)
{
    objects_destroy(&others);
}

/* ---- making a family ------------------------------------------------------------------------ */

static struct trm_module *module_of_shader(struct family *family)
{
    struct trm_module *module   = NULL;
    struct trm_module_desc desc = {
        .struct_size = sizeof(desc), .format = TRM_MODULE_SHADER, .data = family->objects.handles[OF_SHADER]};
    ck_ok(trm_module_load(family->objects.handles[OF_DEVICE], &desc, &module));
    return module;
}

static void make_kernel(struct family *family, bool is_portable)
{
    void **handles = family->objects.handles;
    if (!kernels_there())
        return;
    handles[OF_MODULE] = is_portable ? module_of_shader(family) : load_kernels(handles[OF_DEVICE]);
    ck_ok(trm_kernel_get(handles[OF_MODULE], "affine", (struct trm_kernel **)&handles[OF_KERNEL]));
}

static void make_graph(struct family *family)
{
    void **handles               = family->objects.handles;
    struct trm_graph *graph      = NULL;
    struct trm_stream *recording = NULL;
    ck_ok(trm_graph_create(handles[OF_DEVICE], &graph));
    ck_ok(trm_graph_record(graph, &recording));
    if (handles[OF_KERNEL])
        ck_ok(launch_affine_with(recording, handles[OF_KERNEL], handles[OF_BUFFER], WORDS, 1, 1));
    ck_ok(trm_download(recording, &family->word, trm_span_of(handles[OF_BUFFER], 0, 4)));
    ck_ok(trm_event_record(handles[OF_EVENT], recording));
    ck_ok(trm_graph_instantiate(graph, (struct trm_graph_exec **)&handles[OF_GRAPH_EXEC]));
    handles[OF_GRAPH] = graph;
}

/* Each token adds 1 to the buffer twice: as a shared port and as an argument. */
static void make_pipeline(struct family *family)
{
    void **handles                = family->objects.handles;
    struct trm_port ports[]       = {trm_port_input("in", 64), trm_port_shared("table", handles[OF_BUFFER])};
    struct trm_argument by_port[] = {trm_arg_port(1), trm_arg_u32(WORDS), trm_arg_u32(1), trm_arg_u32(1)};
    struct trm_argument by_buffer[] = {trm_arg_buffer(handles[OF_BUFFER]), trm_arg_u32(WORDS), trm_arg_u32(1),
                                       trm_arg_u32(1)};
    struct trm_stage stages[]       = {trm_stage_launch(handles[OF_KERNEL], by_port, 4, 0, 0),
                                       trm_stage_launch(handles[OF_KERNEL], by_buffer, 4, 0, 0)};
    struct trm_pipeline_desc desc   = {.struct_size = sizeof(desc),
                                       .ports       = ports,
                                       .port_count  = 2,
                                       .stages      = stages,
                                       .stage_count = handles[OF_KERNEL] ? 2 : 0,
                                       .depth       = 2};
    stages[0].grid                  = trm_grid_1d(1, 64);
    stages[1].grid                  = trm_grid_1d(1, 64);
    ck_ok(trm_pipeline_create(handles[OF_DEVICE], &desc, (struct trm_pipeline **)&handles[OF_PIPELINE]));
}

static void family_make(struct family *family, bool is_portable)
{
    struct shader_words words   = shader_words("affine");
    struct trm_shader_desc desc = {.struct_size = sizeof(desc),
                                   .format      = TRM_MODULE_SPIRV,
                                   .data        = words.words,
                                   .size        = words.size,
                                   .name        = "affine"};
    void **handles              = family->objects.handles;
    memset(family, 0, sizeof(*family));
    handles[OF_CONTEXT]       = open_context();
    handles[OF_DEVICE]        = open_device(handles[OF_CONTEXT]);
    struct trm_device *device = handles[OF_DEVICE];
    handles[OF_STREAM]        = make_stream(device);
    family->spare             = make_stream(device);
    handles[OF_BUFFER]        = make_buffer(device, TRM_MEMORY_DEVICE, WORDS * 4);
    family->scratch           = make_buffer(device, TRM_MEMORY_DEVICE, WORDS * 4);
    ck_ok(trm_fill(family->spare, trm_span_whole(handles[OF_BUFFER]), 0, 4));
    ck_ok(trm_stream_sync(family->spare));
    ck_ok(trm_event_create(device, TRM_EVENT_TIMING, (struct trm_event **)&handles[OF_EVENT]));
    ck_ok(trm_event_record(handles[OF_EVENT], handles[OF_STREAM]));
    ck_ok(trm_array_create(device, TRM_TYPE_U32, 4, TRM_MEMORY_DEVICE, NULL,
                           (struct trm_array **)&handles[OF_ARRAY]));
    ck_ok(trm_shader_create(handles[OF_CONTEXT], &desc, (struct trm_shader **)&handles[OF_SHADER]));
    ck_ok(trm_coordinator_create(device, NULL, (struct trm_coordinator **)&handles[OF_COORDINATOR]));
    make_small_image(device, (struct trm_image **)&handles[OF_IMAGE]);
    make_plain_sampler(device, (struct trm_sampler **)&handles[OF_SAMPLER]);
    struct trm_semaphore *semaphore = NULL;
    if (trm_semaphore_create(device, &semaphore) == TRM_OK)
        handles[OF_SEMAPHORE] = semaphore;
    make_kernel(family, is_portable);
    make_graph(family);
    make_pipeline(family);
}

static void family_destroy(struct family *family)
{
    trm_stream_destroy(family->spare);
    trm_buffer_destroy(family->scratch);
    objects_destroy(&family->objects);
}

/* ---- using what is left ----------------------------------------------------------------------- */

/* The instance adds 1 to the buffer and reads it. */
static void use_instance(struct family *family)
{
    void **handles = family->objects.handles;
    family->added += handles[OF_KERNEL] != NULL;
    ck_ok(trm_graph_launch(handles[OF_GRAPH_EXEC], family->spare));
    ck_ok(trm_stream_sync(family->spare));
    ck_assert_uint_eq(family->word, family->added);
}

static void use_pipeline(struct family *family)
{
    static uint32_t input[3 * WORDS];
    struct trm_source source = trm_source_memory(input, sizeof(input));
    ck_ok(trm_pipeline_run(family->objects.handles[OF_PIPELINE], &source, NULL));
    family->added += family->objects.handles[OF_KERNEL] != NULL ? 3 * 2 : 0;
}

static void use_coordinator(struct family *family)
{
    static const uint32_t data[WORDS];
    struct trm_coordinator *coordinator = family->objects.handles[OF_COORDINATOR];
    struct trm_task task                = {.struct_size = sizeof(task),
                                           .kind        = TRM_TASK_UPLOAD,
                                           .id          = ++family->task_id,
                                           .destination = trm_span_whole(family->scratch),
                                           .host_source = data};
    ck_ok(trm_coordinator_add(coordinator, &task));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait(coordinator, task.id, TRM_FOREVER));
}

static void use_module(void *module)
{
    struct trm_kernel *kernel = NULL;
    ck_ok(trm_kernel_get(module, "affine", &kernel));
    trm_kernel_destroy(kernel);
}

static void use_graph(void *graph)
{
    struct trm_graph_exec *exec = NULL;
    ck_ok(trm_graph_instantiate(graph, &exec));
    trm_graph_exec_destroy(exec);
}

static void use_array(void *array)
{
    uint32_t sent[4] = {1, 2, 3, 4}, got[4] = {0};
    ck_ok(trm_array_upload(array, TRM_TYPE_U32, 0, 4, sent));
    ck_ok(trm_array_download(array, TRM_TYPE_U32, 0, 4, got));
    ck_assert_mem_eq(sent, got, sizeof(sent));
}

static void use_shader(void *shader)
{
    const void *bytes = NULL;
    uint64_t size     = 0;
    ck_ok(trm_shader_bytes(shader, &bytes, &size));
    ck_assert_uint_gt(size, 0);
}

static void use_image(const struct family *family)
{
    static uint32_t sent[16], got[16];
    struct trm_image *image = family->objects.handles[OF_IMAGE];
    sent[0]++;
    ck_ok(trm_image_upload(family->spare, image, NULL, sent, 0, 0));
    ck_ok(trm_image_download(family->spare, got, image, NULL, 0, 0));
    ck_ok(trm_stream_sync(family->spare));
    ck_assert_mem_eq(sent, got, sizeof(sent));
}

static void use_simple(enum handle_type type, void *handle)
{
    struct trm_device_usage usage = {.struct_size = sizeof(usage)};
    struct trm_kernel_info info   = {.struct_size = sizeof(info)};
    uint32_t count                = 0;
    uint64_t number               = 0;
    if (type == OF_CONTEXT)
        ck_ok(trm_context_candidate_count(handle, &count));
    if (type == OF_DEVICE)
        ck_ok(trm_device_get_usage(handle, &usage));
    if (type == OF_STREAM)
        ck_ok(trm_stream_sync(handle));
    if (type == OF_EVENT)
        ck_ok(trm_event_wait(handle, TRM_FOREVER));
    if (type == OF_BUFFER)
        ck_ok(trm_buffer_wait(handle, TRM_FOREVER));
    if (type == OF_KERNEL)
        ck_ok(trm_kernel_describe(handle, &info));
    if (type == OF_SEMAPHORE)
        ck_ok(trm_semaphore_value(handle, &number));
}

static void use(struct family *family, enum handle_type type)
{
    void *handle = family->objects.handles[type];
    switch (type) {
    case OF_ARRAY:
        use_array(handle);
        break;
    case OF_MODULE:
        use_module(handle);
        break;
    case OF_GRAPH:
        use_graph(handle);
        break;
    case OF_GRAPH_EXEC:
        use_instance(family);
        break;
    case OF_SHADER:
        use_shader(handle);
        break;
    case OF_COORDINATOR:
        use_coordinator(family);
        break;
    case OF_PIPELINE:
        use_pipeline(family);
        break;
    case OF_IMAGE:
        use_image(family);
        break;
    default:
        use_simple(type, handle);
    }
}

/* ---- the pairs ------------------------------------------------------------------------------ */

static void is_dead(enum handle_type type, void *handle)
{
    const struct call *call;
    for (size_t i = 0; (call = call_at(i)) != NULL; i++) {
        if (call->type != type)
            continue;
        int32_t status = call->make(handle, &others);
        ck_assert_msg(status == TRM_ERROR_INVALID_HANDLE, "%s with a dead handle gave %s", call->name,
                      trm_status_name(status));
    }
}

static void destroy_again(enum handle_type type, void *handle)
{
    uint64_t size = 0;
    ck_status(trm_buffer_size(others.handles[OF_BUFFER], NULL), TRM_ERROR_INVALID_ARGUMENT); /* another one */
    destroy_handle(type, handle);
    ck_assert_msg(trm_last_error().status == TRM_ERROR_INVALID_HANDLE, "a second destroy gave: %s",
                  trm_last_error().sentence);
    ck_ok(trm_buffer_size(others.handles[OF_BUFFER], &size));
}

/* Destroys the objects of these types, each three times, and uses the others in between. */
static void destroy_and_use(const enum handle_type *types, int count, bool is_portable)
{
    struct family family;
    void *dead[HANDLE_TYPES] = {NULL};
    family_make(&family, is_portable);
    void **handles = family.objects.handles;
    for (int i = 0; i < count; i++) {
        if (handles[types[i]] == NULL)
            continue;
        destroy_handle(types[i], handles[types[i]]);
        dead[types[i]] = handles[types[i]];
        for (int again = 0; again < 2; again++)
            destroy_again(types[i], dead[types[i]]);
        for (int type = 0; type < HANDLE_TYPES; type++)
            if (handles[type] != NULL && dead[type] == NULL)
                use(&family, (enum handle_type)type);
        for (int type = 0; type < HANDLE_TYPES; type++)
            if (dead[type] != NULL)
                is_dead((enum handle_type)type, dead[type]);
    }
    for (int type = 0; type < HANDLE_TYPES; type++)
        if (dead[type] != NULL)
            handles[type] = NULL;
    family_destroy(&family);
}

START_TEST(what_is_destroyed_under_what_uses_it_is_dead_and_takes_nothing_along)
{
    for (int type = 0; type < OF_GROUP; type++)
        destroy_and_use(&(enum handle_type){type}, 1, false);
}
END_TEST

START_TEST(of_any_two_that_are_destroyed_neither_takes_anything_along)
{
    unsigned stride = scaled(1, 17);
    for (unsigned i = 0; i < OF_GROUP * OF_GROUP; i += stride) {
        enum handle_type types[] = {i / OF_GROUP, i % OF_GROUP};
        if (types[0] != types[1])
            destroy_and_use(types, 2, false);
    }
}
END_TEST

START_TEST(all_of_a_family_may_be_destroyed_from_either_end)
{
    enum handle_type types[OF_GROUP];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < OF_GROUP; i++)
            types[i] = round == 0 ? i : OF_GROUP - 1 - i;
        destroy_and_use(types, OF_GROUP, false);
    }
}
END_TEST

START_TEST(a_shader_may_be_destroyed_before_its_module)
{
    enum handle_type type = OF_SHADER;
    if (!shaders_missing())
        destroy_and_use(&type, 1, true);
}
END_TEST

/* ---- references of the program ------------------------------------------------------------- */

START_TEST(a_pipeline_is_no_reference_that_the_program_can_end)
{
    struct family family;
    struct trm_device *again = NULL;
    family_make(&family, false);
    void **handles            = family.objects.handles;
    struct trm_device *device = handles[OF_DEVICE];
    struct trm_buffer *buffer = handles[OF_BUFFER];
    ck_ok(trm_stream_device(handles[OF_STREAM], &again)); /* the program's second reference */
    ck_assert_ptr_eq(again, device);
    ck_ok(trm_buffer_retain(buffer));
    trm_device_destroy(device);
    trm_buffer_destroy(buffer);
    use(&family, OF_DEVICE); /* one is left */
    use(&family, OF_BUFFER);
    trm_device_destroy(again);
    trm_buffer_destroy(buffer);
    ck_status(trm_stream_device(handles[OF_STREAM], &again), TRM_ERROR_INVALID_HANDLE);
    is_dead(OF_DEVICE, device);
    is_dead(OF_BUFFER, buffer);
    destroy_again(OF_DEVICE, device);
    destroy_again(OF_BUFFER, buffer);
    use(&family, OF_PIPELINE);
    use(&family, OF_GRAPH_EXEC);
    handles[OF_DEVICE] = handles[OF_BUFFER] = NULL;
    family_destroy(&family);
}
END_TEST

START_TEST(the_buffer_of_an_array_ends_with_the_array_alone)
{
    struct trm_buffer *buffer = NULL;
    uint64_t size             = 0;
    ck_ok(trm_array_buffer(others.handles[OF_ARRAY], &buffer));
    for (int again = 0; again < 3; again++) {
        trm_buffer_destroy(buffer);
        ck_assert_int_eq(trm_last_error().status, TRM_ERROR_INVALID_ARGUMENT);
        ck_sentence_has("array");
    }
    ck_status(trm_stream_free(others.handles[OF_STREAM], buffer), TRM_ERROR_INVALID_ARGUMENT);
    use_array(others.handles[OF_ARRAY]);

    ck_ok(trm_buffer_retain(buffer));
    ck_status(trm_stream_free(others.handles[OF_STREAM], buffer), TRM_ERROR_BUSY);
    trm_buffer_destroy(buffer);
    use_array(others.handles[OF_ARRAY]);

    ck_ok(trm_buffer_retain(buffer));
    trm_array_destroy(others.handles[OF_ARRAY]);
    others.handles[OF_ARRAY] = NULL;
    ck_ok(trm_buffer_size(buffer, &size));
    trm_buffer_destroy(buffer);
    ck_status(trm_buffer_size(buffer, &size), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

void add_pairs(Suite *suite)
{
    TCase *group = group_make(suite, "pairs");
    tcase_add_checked_fixture(group, others_open, others_close);
    CASE(group, what_is_destroyed_under_what_uses_it_is_dead_and_takes_nothing_along);
    CASE(group, of_any_two_that_are_destroyed_neither_takes_anything_along);
    CASE(group, all_of_a_family_may_be_destroyed_from_either_end);
    CASE(group, a_shader_may_be_destroyed_before_its_module);
    CASE(group, a_pipeline_is_no_reference_that_the_program_can_end);
    CASE(group, the_buffer_of_an_array_ends_with_the_array_alone);
}
