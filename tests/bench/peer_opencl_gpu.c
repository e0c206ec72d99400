/* The suite "gpu" as one writes it by hand in OpenCL, on the first GPU, else on the first device: three
 * queues, and events between them.
 * SPDX-License-Identifier: MIT
 */
#define CL_TARGET_OPENCL_VERSION 120

#include <CL/cl.h>
#include <stdio.h>

#include "gpu_work.h"

enum {
    PLATFORMS_MOST = 8,
    SLOTS_MOST     = 4,
};

static const char who[] = "opencl_by_hand";

static const char *const source =
    "__kernel void chain(__global const float4 *restrict from, __global float4 *restrict to, uint count, "
    "uint links) {\n"
    "    size_t i = get_global_id(0);\n"
    "    if (i >= count) return;\n"
    "    float4 v = from[i];\n"
    "    for (uint link = 0; link < links; link++) v = fma(v, (float4)(1.0001f), (float4)(0.5f));\n"
    "    to[i] = v;\n"
    "}\n";

static cl_device_id device;
static cl_context context;
static cl_program program;
static cl_command_queue queues[3];

static void must(cl_int status)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "OpenCL answers %d\n", (int)status);
    exit(1);
}

static int find_device(cl_device_type type)
{
    cl_platform_id platforms[PLATFORMS_MOST];
    cl_uint count = 0;

    if (clGetPlatformIDs(PLATFORMS_MOST, platforms, &count) != CL_SUCCESS)
        return 0;
    for (cl_uint i = 0; i < count && i < PLATFORMS_MOST; i++) {
        if (clGetDeviceIDs(platforms[i], type, 1, &device, NULL) == CL_SUCCESS)
            return 1;
    }
    return 0;
}

static cl_mem make_buffer(cl_mem_flags flags, size_t bytes)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(context, flags | CL_MEM_READ_WRITE, bytes, NULL, &status);

    must(status);
    return buffer;
}

/* Memory that the driver pins, where the host can write it. */
static float *make_pinned(cl_mem *buffer, size_t bytes)
{
    cl_int status;

    *buffer       = make_buffer(CL_MEM_ALLOC_HOST_PTR, bytes);
    float *memory = clEnqueueMapBuffer(queues[0], *buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0,
                                       NULL, NULL, &status);
    must(status);
    return memory;
}

/* ---- pipelines -------------------------------------------------------------------------------------- */

struct slot {
    cl_mem pinned_in, pinned_out, from, to;
    float *in, *out;
    cl_kernel kernel;
    cl_event done; /* NULL: never used */
};

struct flow {
    const struct gpu_batch *batch;
    int depth;
    struct slot slots[SLOTS_MOST];
};

static cl_kernel make_kernel(const cl_mem *from, const cl_mem *to, cl_uint count, cl_uint links)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, "chain", &status);

    must(status);
    must(clSetKernelArg(kernel, 0, sizeof(*from), from));
    must(clSetKernelArg(kernel, 1, sizeof(*to), to));
    must(clSetKernelArg(kernel, 2, sizeof(count), &count));
    must(clSetKernelArg(kernel, 3, sizeof(links), &links));
    return kernel;
}

static void open_flow(struct flow *flow)
{
    size_t bytes = flow->batch->bytes;

    for (int i = 0; i < flow->depth; i++) {
        struct slot *slot = &flow->slots[i];
        slot->in          = make_pinned(&slot->pinned_in, bytes);
        slot->out         = make_pinned(&slot->pinned_out, bytes);
        slot->from        = make_buffer(0, bytes);
        slot->to          = make_buffer(0, bytes);
        slot->kernel      = make_kernel(&slot->from, &slot->to, (cl_uint)(bytes / 16), flow->batch->links);
        slot->done        = NULL;
        gpu_fill(slot->in, bytes / sizeof(float));
    }
}

static void close_flow(struct flow *flow)
{
    for (int i = 0; i < flow->depth; i++) {
        struct slot *slot = &flow->slots[i];
        must(clEnqueueUnmapMemObject(queues[0], slot->pinned_in, slot->in, 0, NULL, NULL));
        must(clEnqueueUnmapMemObject(queues[0], slot->pinned_out, slot->out, 0, NULL, NULL));
        must(clFinish(queues[0]));
        must(clReleaseMemObject(slot->pinned_in));
        must(clReleaseMemObject(slot->pinned_out));
        must(clReleaseMemObject(slot->from));
        must(clReleaseMemObject(slot->to));
        must(clReleaseKernel(slot->kernel));
    }
}

static void finish(struct slot *slot)
{
    if (slot->done == NULL)
        return;
    must(clWaitForEvents(1, &slot->done));
    must(clReleaseEvent(slot->done));
    slot->done = NULL;
}

static void enqueue(const struct flow *flow, struct slot *slot)
{
    size_t bytes = flow->batch->bytes, group = GPU_GROUP, items = bytes / 16;
    cl_event uploaded, computed;

    items = (items + group - 1) / group * group;
    must(clEnqueueWriteBuffer(queues[0], slot->from, CL_FALSE, 0, bytes, slot->in, 0, NULL, &uploaded));
    must(clFlush(queues[0]));
    must(clEnqueueNDRangeKernel(queues[1], slot->kernel, 1, NULL, &items, &group, 1, &uploaded, &computed));
    must(clFlush(queues[1]));
    must(clEnqueueReadBuffer(queues[2], slot->to, CL_FALSE, 0, bytes, slot->out, 1, &computed, &slot->done));
    must(clFlush(queues[2]));
    must(clReleaseEvent(uploaded));
    must(clReleaseEvent(computed));
}

static void run_flow(struct flow *flow)
{
    for (unsigned token = 0; token < flow->batch->tokens; token++) {
        struct slot *slot = &flow->slots[token % (unsigned)flow->depth];
        finish(slot);
        enqueue(flow, slot);
    }
    for (int i = 0; i < flow->depth; i++)
        finish(&flow->slots[i]);
}

static double sample_flow(const void *what)
{
    struct flow *flow = (struct flow *)(uintptr_t)what;
    uint64_t begin    = measure_now();

    run_flow(flow);
    return gpu_each(begin, flow->batch->tokens);
}

static void measure_flow(const struct gpu_batch *batch, int depth)
{
    struct flow flow = {.batch = batch, .depth = depth};
    char name[64];

    open_flow(&flow);
    run_flow(&flow);
    gpu_check(batch, flow.slots[depth - 1].out);
    snprintf(name, sizeof(name), "%s_depth%d_streams", batch->name, depth);
    gpu_flow(name, who, sample_flow, &flow, batch);
    close_flow(&flow);
}

/* ---- launches --------------------------------------------------------------------------------------- */

static cl_kernel one_group;

static void launch(void)
{
    size_t group = GPU_GROUP;

    must(clEnqueueNDRangeKernel(queues[1], one_group, 1, NULL, &group, &group, 0, NULL, NULL));
}

static double sample_launch(const void *what)
{
    uint64_t begin = measure_now();

    (void)what;
    for (int i = 0; i < GPU_LAUNCHES; i++)
        launch();
    must(clFlush(queues[1]));
    double each = gpu_each(begin, GPU_LAUNCHES);
    must(clFinish(queues[1]));
    return each;
}

static double sample_trip(const void *what)
{
    uint64_t begin = measure_now();

    (void)what;
    for (int i = 0; i < GPU_TRIPS; i++) {
        launch();
        must(clFinish(queues[1]));
    }
    return gpu_each(begin, GPU_TRIPS);
}

static void measure_calls(void)
{
    cl_mem from = make_buffer(0, 4096), to = make_buffer(0, 4096);

    one_group = make_kernel(&from, &to, 0, 0);
    gpu_spent("launch_issue", who, sample_launch, NULL);
    gpu_figure("launch_roundtrip", who, "us", sample_trip, NULL);
    must(clReleaseKernel(one_group));
    must(clReleaseMemObject(from));
    must(clReleaseMemObject(to));
}

int main(int argc, char **argv)
{
    size_t most = gpu_most_bytes(argc > 1 ? argv[1] : "");
    cl_int status;

    if (!find_device(CL_DEVICE_TYPE_GPU) && !find_device(CL_DEVICE_TYPE_ALL))
        measure_fail("there is no device of OpenCL");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    must(status);
    for (int i = 0; i < 3; i++) {
        queues[i] = clCreateCommandQueue(context, device, 0, &status);
        must(status);
    }
    program = clCreateProgramWithSource(context, 1, (const char **)(uintptr_t)&source, NULL, &status);
    must(status);
    must(clBuildProgram(program, 1, &device, "", NULL, NULL));

    measure_calls();
    for (int i = 0; i < GPU_BATCHES && gpu_batches[i].bytes <= most; i++)
        measure_flow(&gpu_batches[i], 3);

    for (int i = 0; i < 3; i++)
        must(clReleaseCommandQueue(queues[i]));
    must(clReleaseProgram(program));
    must(clReleaseContext(context));
    return 0;
}
