/* The suite "wild" on Trireme, on the device that TRIREME_BACKEND names. WILD_SHADERS is the folder of the
 * shaders, BENCH_BACKEND what the lines are named by.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <trireme/trireme.h>

#include "wild.h"

static struct trm_context *context;
static struct trm_device *device;
static struct trm_stream *stream;

/* The objects of a case. */
struct state {
    struct trm_buffer *buffers[WILD_ARRAYS_MOST];
    struct trm_image *images[WILD_ARRAYS_MOST];
    struct trm_sampler *sampler;
    struct trm_kernel *kernels[WILD_STEPS_MOST];
    struct trm_grid grids[WILD_STEPS_MOST];
    struct trm_argument arguments[WILD_STEPS_MOST][WILD_ARRAYS_MOST + WILD_NUMBERS_MOST];
    uint32_t argument_counts[WILD_STEPS_MOST];
};

static void must(int32_t status)
{
    if (status == TRM_OK)
        return;
    fprintf(stderr, "trireme: %s\n", trm_last_error().sentence);
    exit(1);
}

static struct trm_kernel *load(const char *name)
{
    const char *folder = getenv("WILD_SHADERS");
    static char path[4096], words[65536];
    struct trm_kernel *kernel;
    struct trm_module *module;

    snprintf(path, sizeof(path), "%s/%s.spv", folder ? folder : ".", name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s cannot be opened (WILD_SHADERS)\n", path);
        exit(1);
    }
    struct trm_module_desc desc = {.struct_size = sizeof(desc),
                                   .format      = TRM_MODULE_SPIRV,
                                   .data        = words,
                                   .size        = fread(words, 1, sizeof(words), file),
                                   .name        = name};
    fclose(file);
    must(trm_module_load(device, &desc, &module));
    must(trm_kernel_get(module, NULL, &kernel));
    trm_module_destroy(module);
    return kernel;
}

/* ---- memory ----------------------------------------------------------------------------------------- */

static void make_image(struct state *state, const struct wild_array *array, int i)
{
    struct trm_image_desc desc = {.struct_size = sizeof(desc),
                                  .type        = TRM_IMAGE_2D,
                                  .format      = TRM_FORMAT_RGBA8_UNORM,
                                  .usage       = array->is_output ? TRM_IMAGE_STORAGE : TRM_IMAGE_SAMPLED,
                                  .width       = array->width,
                                  .height      = array->height};

    must(trm_image_create(device, &desc, &state->images[i]));
    must(trm_image_upload(stream, state->images[i], NULL, array->data, 0, 0));
}

static void make_memory(struct state *state, const struct wild_work *work)
{
    struct trm_sampler_desc desc = {.struct_size = sizeof(desc), .filter = TRM_FILTER_LINEAR};

    for (int i = 0; i < work->array_count; i++) {
        if (work->arrays[i].width > 0) {
            make_image(state, &work->arrays[i], i);
            continue;
        }
        must(trm_buffer_create(device, TRM_MEMORY_DEVICE, work->arrays[i].bytes, &state->buffers[i]));
        must(trm_upload(stream, trm_span_whole(state->buffers[i]), work->arrays[i].data));
    }
    if (work->arrays[0].width > 0)
        must(trm_sampler_create(device, &desc, &state->sampler));
    must(trm_stream_sync(stream));
}

static void read_outputs(struct state *state, const struct wild_work *work)
{
    for (int i = 0; i < work->array_count; i++) {
        const struct wild_array *array = &work->arrays[i];
        if (!array->is_output)
            continue;
        if (state->images[i])
            must(trm_image_download(stream, array->data, state->images[i], NULL, 0, 0));
        else
            must(trm_download(stream, array->data, trm_span_whole(state->buffers[i])));
    }
    must(trm_stream_sync(stream));
}

static void destroy_all(struct state *state, const struct wild_work *work)
{
    for (int i = 0; i < work->array_count; i++) {
        trm_buffer_destroy(state->buffers[i]);
        trm_image_destroy(state->images[i]);
    }
    trm_sampler_destroy(state->sampler);
    for (int i = 0; i < work->step_count; i++)
        trm_kernel_destroy(state->kernels[i]);
}

/* ---- launches --------------------------------------------------------------------------------------- */

static struct trm_argument argument_of(struct state *state, const struct wild_work *work, int array)
{
    if (!state->images[array])
        return trm_arg_buffer(state->buffers[array]);
    if (work->arrays[array].is_output)
        return trm_arg_image(state->images[array], 0);
    return trm_arg_sampled(state->images[array], state->sampler);
}

/* A number as the kernel has it: an int or an unsigned one. */
static struct trm_argument number_of(const struct trm_kernel_info *info, uint32_t parameter,
                                     struct wild_number number)
{
    if (number.is_float)
        return trm_arg_f32(number.value.f);
    if (info->parameters[parameter].type == TRM_TYPE_I32)
        return trm_arg_i32((int32_t)number.value.u);
    return trm_arg_u32(number.value.u);
}

static void prepare_step(struct state *state, const struct wild_work *work, int i)
{
    const struct wild_step *step = &work->steps[i];
    struct trm_kernel_info info  = {.struct_size = sizeof(info)};
    uint32_t count               = 0;

    state->kernels[i] = load(step->kernel);
    must(trm_kernel_describe(state->kernels[i], &info));
    must(
        trm_kernel_grid(state->kernels[i], step->items[0], step->items[1], step->items[2], &state->grids[i]));
    for (int j = 0; j < step->array_count; j++)
        state->arguments[i][count++] = argument_of(state, work, step->arrays[j]);
    for (int j = 0; j < step->number_count; j++, count++)
        state->arguments[i][count] = number_of(&info, count, step->numbers[j]);
    state->argument_counts[i] = count;
}

static void enqueue(void *user, const struct wild_work *work)
{
    struct state *state = user;

    for (int i = 0; i < work->step_count; i++)
        must(trm_launch(stream, state->kernels[i], &state->grids[i], state->arguments[i],
                        state->argument_counts[i]));
}

static void wait(void *user)
{
    (void)user;
    must(trm_stream_sync(stream));
}

static void run_case(const struct wild_work *work, enum wild_size size, const char *backend)
{
    struct state state        = {0};
    struct wild_runner runner = {.enqueue = enqueue, .wait = wait, .state = &state};

    make_memory(&state, work);
    for (int i = 0; i < work->step_count; i++)
        prepare_step(&state, work, i);
    enqueue(&state, work);
    read_outputs(&state, work);
    wild_check(work);
    wild_measure(&runner, work, size, backend);
    destroy_all(&state, work);
}

int main(int argc, char **argv)
{
    char backend[64];
    struct trm_context_desc desc = {.struct_size = sizeof(desc)};
    struct wild_options options;

    wild_options_read(&options, argc, argv);
    must(trm_context_create(&desc, &context));
    must(trm_device_open(context, NULL, &device));
    must(trm_device_get_info(device, TRM_DEVICE_BACKEND, backend, sizeof(backend), NULL));
    must(trm_stream_create(device, TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL, &stream));
    for (int i = 0; i < WILD_CASES; i++) {
        struct wild_work work;
        if (!wild_is_wanted(&options, wild_name(i)))
            continue;
        wild_make(&work, i, options.size);
        run_case(&work, options.size, backend);
        wild_free(&work);
    }
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
