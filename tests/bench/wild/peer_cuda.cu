/* The suite "wild" in CUDA C by hand. Built with nvcc: make tests/bench/wild/peer_cuda.
 * SPDX-License-Identifier: MIT
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "by_hand.cuh"
#include "wild.h"

static cudaStream_t stream;

/* The objects of a case: addresses of buffers, handles of textures and surfaces. */
struct state {
    unsigned long long memory[WILD_ARRAYS_MOST];
    cudaArray_t arrays[WILD_ARRAYS_MOST];
    const void *kernels[WILD_STEPS_MOST];
};

static void must(cudaError_t result)
{
    if (result == cudaSuccess)
        return;
    fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(result));
    exit(1);
}

static const void *find(const char *name)
{
    static const struct {
        const char *name;
        const void *kernel;
    } kernels[] = {
        {"q4_matvec", (const void *)q4_matvec}, {"softmax", (const void *)softmax},
        {"layer_norm", (const void *)layer_norm}, {"im2col", (const void *)im2col},
        {"gemm", (const void *)gemm},           {"rotary", (const void *)rotary},
        {"depthwise", (const void *)depthwise}, {"n_body", (const void *)n_body},
        {"argsort", (const void *)argsort},     {"fft", (const void *)fft},
        {"warp", (const void *)warp},
    };
    for (const auto &entry : kernels)
        if (strcmp(entry.name, name) == 0)
            return entry.kernel;
    measure_fail("CUDA: a kernel is missing");
}

/* ---- memory ----------------------------------------------------------------------------------------- */

static void make_image(struct state *state, const struct wild_array *array, int i)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
    cudaResourceDesc resource    = {};
    cudaTextureDesc texture      = {};
    size_t row                   = (size_t)array->width * 4;

    must(cudaMallocArray(&state->arrays[i], &format, array->width, array->height,
                         array->is_output ? cudaArraySurfaceLoadStore : cudaArrayDefault));
    must(cudaMemcpy2DToArray(state->arrays[i], 0, 0, array->data, row, row, array->height, cudaMemcpyHostToDevice));
    resource.resType         = cudaResourceTypeArray;
    resource.res.array.array = state->arrays[i];
    texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
    texture.filterMode                              = cudaFilterModeLinear;
    texture.readMode                                = cudaReadModeNormalizedFloat;
    texture.normalizedCoords                        = 1;
    if (array->is_output)
        must(cudaCreateSurfaceObject(&state->memory[i], &resource));
    else
        must(cudaCreateTextureObject(&state->memory[i], &resource, &texture, NULL));
}

static void make_array(struct state *state, const struct wild_array *array, int i)
{
    void *memory;

    if (array->width > 0) {
        make_image(state, array, i);
        return;
    }
    must(cudaMalloc(&memory, array->bytes));
    must(cudaMemcpy(memory, array->data, array->bytes, cudaMemcpyHostToDevice));
    state->memory[i] = (unsigned long long)memory;
}

static void read_array(struct state *state, const struct wild_array *array, int i)
{
    size_t row = (size_t)array->width * 4;

    if (array->width > 0)
        must(cudaMemcpy2DFromArray(array->data, row, state->arrays[i], 0, 0, row, array->height,
                                   cudaMemcpyDeviceToHost));
    else
        must(cudaMemcpy(array->data, (const void *)state->memory[i], array->bytes, cudaMemcpyDeviceToHost));
}

static void destroy_array(struct state *state, const struct wild_array *array, int i)
{
    if (array->width == 0) {
        cudaFree((void *)state->memory[i]);
        return;
    }
    if (array->is_output)
        cudaDestroySurfaceObject(state->memory[i]);
    else
        cudaDestroyTextureObject(state->memory[i]);
    cudaFreeArray(state->arrays[i]);
}

/* ---- launches --------------------------------------------------------------------------------------- */

static void enqueue(void *user, const struct wild_work *work)
{
    struct state *state = (struct state *)user;

    for (int i = 0; i < work->step_count; i++) {
        const struct wild_step *step = &work->steps[i];
        dim3 group(step->group[0], step->group[1], step->group[2]);
        dim3 grid(step->items[0] / group.x, step->items[1] / group.y, step->items[2] / group.z);
        void *arguments[WILD_ARRAYS_MOST + WILD_NUMBERS_MOST];
        int count = 0;
        for (int j = 0; j < step->array_count; j++)
            arguments[count++] = &state->memory[step->arrays[j]];
        for (int j = 0; j < step->number_count; j++)
            arguments[count++] = (void *)&step->numbers[j].value;
        must(cudaLaunchKernel(state->kernels[i], grid, group, arguments, 0, stream));
    }
}

static void wait(void *user)
{
    (void)user;
    must(cudaStreamSynchronize(stream));
}

static void run_case(const struct wild_work *work, enum wild_size size)
{
    struct state state        = {};
    struct wild_runner runner = {enqueue, wait, &state};

    for (int i = 0; i < work->array_count; i++)
        make_array(&state, &work->arrays[i], i);
    for (int i = 0; i < work->step_count; i++)
        state.kernels[i] = find(work->steps[i].kernel);
    enqueue(&state, work);
    wait(&state);
    for (int i = 0; i < work->array_count; i++)
        if (work->arrays[i].is_output)
            read_array(&state, &work->arrays[i], i);
    wild_check(work);
    wild_measure(&runner, work, size, "cuda_by_hand");
    for (int i = 0; i < work->array_count; i++)
        destroy_array(&state, &work->arrays[i], i);
}

int main(int argc, char **argv)
{
    struct wild_options options;

    wild_options_read(&options, argc, argv);
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int i = 0; i < WILD_CASES; i++) {
        struct wild_work work;
        if (!wild_is_wanted(&options, wild_name(i)))
            continue;
        wild_make(&work, i, options.size);
        run_case(&work, options.size);
        wild_free(&work);
    }
    return 0;
}
