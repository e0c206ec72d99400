/* The suite "wild" in OpenCL, on the first device of the first platform (PoCL where nothing else is
 * installed). WILD_SHADERS is the folder of wild.cl.
 * SPDX-License-Identifier: MIT
 */
#define CL_TARGET_OPENCL_VERSION 120

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#include "wild.h"

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;

/* The objects of a case. */
struct state {
    cl_mem memory[WILD_ARRAYS_MOST];
    cl_kernel kernels[WILD_STEPS_MOST];
};

static void must(cl_int status)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "OpenCL answers %d\n", (int)status);
    exit(1);
}

/* ---- memory ----------------------------------------------------------------------------------------- */

static const size_t origin[3];

static void write_array(cl_mem memory, const struct wild_array *array)
{
    size_t region[3] = {array->width, array->height, 1};

    if (array->width > 0)
        must(clEnqueueWriteImage(queue, memory, CL_TRUE, origin, region, 0, 0, array->data, 0, NULL, NULL));
    else
        must(clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, array->bytes, array->data, 0, NULL, NULL));
}

static void read_array(cl_mem memory, const struct wild_array *array)
{
    size_t region[3] = {array->width, array->height, 1};

    if (array->width > 0)
        must(clEnqueueReadImage(queue, memory, CL_TRUE, origin, region, 0, 0, array->data, 0, NULL, NULL));
    else
        must(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, array->bytes, array->data, 0, NULL, NULL));
}

static cl_mem make_array(const struct wild_array *array)
{
    cl_image_format format = {.image_channel_order = CL_RGBA, .image_channel_data_type = CL_UNORM_INT8};
    cl_image_desc desc     = {
            .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = array->width, .image_height = array->height};
    cl_int status;
    cl_mem memory = array->width > 0
                        ? clCreateImage(context, array->is_output ? CL_MEM_WRITE_ONLY : CL_MEM_READ_ONLY,
                                        &format, &desc, NULL, &status)
                        : clCreateBuffer(context, CL_MEM_READ_WRITE, array->bytes, NULL, &status);

    must(status);
    write_array(memory, array);
    return memory;
}

/* ---- launches --------------------------------------------------------------------------------------- */

static cl_kernel make_kernel(const struct state *state, const struct wild_step *step)
{
    cl_int status;
    cl_uint count    = 0;
    cl_kernel kernel = clCreateKernel(program, step->kernel, &status);

    must(status);
    for (int i = 0; i < step->array_count; i++)
        must(clSetKernelArg(kernel, count++, sizeof(cl_mem), &state->memory[step->arrays[i]]));
    for (int i = 0; i < step->number_count; i++)
        must(clSetKernelArg(kernel, count++, sizeof(cl_uint), &step->numbers[i].value));
    return kernel;
}

static void enqueue(void *user, const struct wild_work *work)
{
    struct state *state = user;

    for (int i = 0; i < work->step_count; i++) {
        const struct wild_step *step = &work->steps[i];
        size_t items[3]              = {step->items[0], step->items[1], step->items[2]};
        size_t group[3]              = {step->group[0], step->group[1], step->group[2]};
        must(clEnqueueNDRangeKernel(queue, state->kernels[i], 3, NULL, items, group, 0, NULL, NULL));
    }
}

static void wait(void *user)
{
    (void)user;
    must(clFinish(queue));
}

static void run_case(const struct wild_work *work, enum wild_size size)
{
    struct state state        = {0};
    struct wild_runner runner = {.enqueue = enqueue, .wait = wait, .state = &state};

    for (int i = 0; i < work->array_count; i++)
        state.memory[i] = make_array(&work->arrays[i]);
    for (int i = 0; i < work->step_count; i++)
        state.kernels[i] = make_kernel(&state, &work->steps[i]);
    enqueue(&state, work);
    wait(&state);
    for (int i = 0; i < work->array_count; i++)
        if (work->arrays[i].is_output)
            read_array(state.memory[i], &work->arrays[i]);
    wild_check(work);
    wild_measure(&runner, work, size, "opencl");
    for (int i = 0; i < work->step_count; i++)
        clReleaseKernel(state.kernels[i]);
    for (int i = 0; i < work->array_count; i++)
        clReleaseMemObject(state.memory[i]);
}

/* ---- the program ------------------------------------------------------------------------------------ */

static void build_program(void)
{
    const char *folder = getenv("WILD_SHADERS");
    static char path[4096], text[65536];
    const char *start = text;
    cl_int status;

    snprintf(path, sizeof(path), "%s/wild.cl", folder ? folder : ".");
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "%s cannot be opened (WILD_SHADERS)\n", path);
        exit(1);
    }
    size_t length = fread(text, 1, sizeof(text), file);
    fclose(file);
    program = clCreateProgramWithSource(context, 1, &start, &length, &status);
    must(status);
    must(clBuildProgram(program, 1, &device, "", NULL, NULL));
}

static void open_opencl(void)
{
    cl_platform_id platform;
    cl_uint count = 0;
    cl_int status;

    if (clGetPlatformIDs(1, &platform, &count) != CL_SUCCESS || count == 0 ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
        fputs("no OpenCL device; one that works on every machine: apt install pocl-opencl-icd\n", stderr);
        exit(1);
    }
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    must(status);
    queue = clCreateCommandQueue(context, device, 0, &status);
    must(status);
    build_program();
}

int main(int argc, char **argv)
{
    struct wild_options options;

    wild_options_read(&options, argc, argv);
    open_opencl();
    for (int i = 0; i < WILD_CASES; i++) {
        struct wild_work work;
        if (!wild_is_wanted(&options, wild_name(i)))
            continue;
        wild_make(&work, i, options.size);
        run_case(&work, options.size);
        wild_free(&work);
    }
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
