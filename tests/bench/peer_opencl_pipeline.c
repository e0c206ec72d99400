/* The suite "pipeline" in OpenCL, on the first device of the first platform (PoCL where nothing else is
 * installed): three queues and events between them, with copies; and kernels on host pointers, without.
 * SPDX-License-Identifier: MIT
 */
#define CL_TARGET_OPENCL_VERSION 120

#include <CL/cl.h>
#include <stdio.h>

#include "pipeline_work.h"

enum {
    QUEUES = 3,
    GROUP  = 256,
};

static const char *const source =
    "#define STEP v = fma(v, 0.9990234375f, 0.0009765625f);\n"
    "#define STEPS_4 STEP STEP STEP STEP\n"
    "#define STEPS_32 STEPS_4 STEPS_4 STEPS_4 STEPS_4 STEPS_4 STEPS_4 STEPS_4 STEPS_4\n"
    "__kernel void in_place_1(__global float *x) {\n"
    "    size_t i = get_global_id(0); float v = x[i]; STEP x[i] = v;\n"
    "}\n"
    "__kernel void in_place_32(__global float *x) {\n"
    "    size_t i = get_global_id(0); float v = x[i]; STEPS_32 x[i] = v;\n"
    "}\n"
    "__kernel void across_1(__global const float *restrict s, __global float *restrict d) {\n"
    "    size_t i = get_global_id(0); float v = s[i]; STEP d[i] = v;\n"
    "}\n"
    "__kernel void across_32(__global const float *restrict s, __global float *restrict d) {\n"
    "    size_t i = get_global_id(0); float v = s[i]; STEPS_32 d[i] = v;\n"
    "}\n";

static cl_device_id device;
static cl_context context;
static cl_program program;
static cl_command_queue queues[QUEUES];

static void must(cl_int status)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "OpenCL answers %d\n", (int)status);
    exit(1);
}

static cl_kernel make_kernel(const char *name, int links)
{
    char full[32];
    cl_int status;
    cl_kernel kernel;

    snprintf(full, sizeof(full), "%s_%d", name, links);
    kernel = clCreateKernel(program, full, &status);
    must(status);
    return kernel;
}

static cl_mem make_buffer(cl_mem_flags flags, size_t bytes, void *host)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(context, flags, bytes, host, &status);

    must(status);
    return buffer;
}

static void launch(cl_command_queue queue, cl_kernel kernel, size_t count, const cl_event *after,
                   cl_event *event)
{
    size_t group = GROUP;

    must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, &group, after ? 1 : 0, after, event));
}

/* ---- with copies ------------------------------------------------------------------------------------ */

struct slot {
    cl_mem buffer;
    cl_kernel kernel;
    cl_event done; /* NULL: never used */
};

static void enqueue(struct flow *flow, struct slot *slot, int token)
{
    cl_event up, computed;

    must(clEnqueueWriteBuffer(queues[0], slot->buffer, CL_FALSE, 0, flow->bytes, flow->in[token % FLOW_RING],
                              0, NULL, &up));
    must(clFlush(queues[0]));
    launch(queues[1], slot->kernel, flow->count, &up, &computed);
    must(clFlush(queues[1]));
    must(clEnqueueReadBuffer(queues[2], slot->buffer, CL_FALSE, 0, flow->bytes, flow->out[token % FLOW_RING],
                             1, &computed, &slot->done));
    must(clFlush(queues[2]));
    must(clReleaseEvent(up));
    must(clReleaseEvent(computed));
}

static void finish(struct slot *slot)
{
    if (!slot->done)
        return;
    must(clWaitForEvents(1, &slot->done));
    must(clReleaseEvent(slot->done));
    slot->done = NULL;
}

static void pass_copies(struct flow *flow, struct slot *slots, int depth)
{
    for (int i = 0; i < flow->tokens; i++) {
        finish(&slots[i % depth]);
        enqueue(flow, &slots[i % depth], i);
    }
    for (int i = 0; i < depth; i++)
        finish(&slots[i]);
}

/* ---- without ---------------------------------------------------------------------------------------- */

struct pair {
    cl_mem in, out;
    cl_kernel kernel;
};

static void make_pairs(struct flow *flow, struct pair *pairs)
{
    for (int i = 0; i < FLOW_RING; i++) {
        pairs[i].in     = make_buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, flow->bytes, flow->in[i]);
        pairs[i].out    = make_buffer(CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR, flow->bytes, flow->out[i]);
        pairs[i].kernel = make_kernel("across", flow->links);
        must(clSetKernelArg(pairs[i].kernel, 0, sizeof(cl_mem), &pairs[i].in));
        must(clSetKernelArg(pairs[i].kernel, 1, sizeof(cl_mem), &pairs[i].out));
    }
}

static void end_pairs(struct pair *pairs)
{
    for (int i = 0; i < FLOW_RING; i++) {
        clReleaseKernel(pairs[i].kernel);
        clReleaseMemObject(pairs[i].in);
        clReleaseMemObject(pairs[i].out);
    }
}

/* Mapping is what makes a result visible to the host. */
static void pass_nocopy(struct flow *flow, struct pair *pairs)
{
    for (int i = 0; i < flow->tokens; i++) {
        struct pair *pair = &pairs[i % FLOW_RING];
        cl_int status;
        void *mapped;

        launch(queues[0], pair->kernel, flow->count, NULL, NULL);
        mapped = clEnqueueMapBuffer(queues[0], pair->out, CL_FALSE, CL_MAP_READ, 0, flow->bytes, 0, NULL,
                                    NULL, &status);
        must(status);
        must(clEnqueueUnmapMemObject(queues[0], pair->out, mapped, 0, NULL, NULL));
    }
    must(clFinish(queues[0]));
}

/* ---- the figures: what is made once is not timed ---------------------------------------------------- */

static double sample_copies(size_t bytes, int links, int depth)
{
    struct slot slots[FLOW_SLOTS];
    struct flow *flow = flow_get(bytes, links);
    uint64_t begin;

    for (int i = 0; i < depth; i++) {
        slots[i] =
            (struct slot){make_buffer(CL_MEM_READ_WRITE, bytes, NULL), make_kernel("in_place", links), NULL};
        must(clSetKernelArg(slots[i].kernel, 0, sizeof(cl_mem), &slots[i].buffer));
    }
    begin = measure_now();
    pass_copies(flow, slots, depth);
    double rate = measure_rate((uint64_t)flow->tokens, measure_now() - begin);
    for (int i = 0; i < depth; i++) {
        clReleaseKernel(slots[i].kernel);
        clReleaseMemObject(slots[i].buffer);
    }
    flow_check(flow, flow->out[1]);
    return rate;
}

static double sample_nocopy(size_t bytes, int links)
{
    struct pair pairs[FLOW_RING];
    struct flow *flow = flow_get(bytes, links);
    uint64_t begin;

    make_pairs(flow, pairs);
    begin = measure_now();
    pass_nocopy(flow, pairs);
    double rate = measure_rate((uint64_t)flow->tokens, measure_now() - begin);
    end_pairs(pairs);
    flow_check(flow, flow->out[1]);
    return rate;
}

#define SAMPLE(name, call)   \
    static double name(void) \
    {                        \
        return call;         \
    }

SAMPLE(sequential_large_1, sample_copies(FLOW_LARGE, 1, 1))
SAMPLE(sequential_large_32, sample_copies(FLOW_LARGE, 32, 1))
SAMPLE(sequential_small_1, sample_copies(FLOW_SMALL, 1, 1))
SAMPLE(sequential_small_32, sample_copies(FLOW_SMALL, 32, 1))
SAMPLE(triple_large_1, sample_copies(FLOW_LARGE, 1, 3))
SAMPLE(triple_large_32, sample_copies(FLOW_LARGE, 32, 3))
SAMPLE(triple_small_1, sample_copies(FLOW_SMALL, 1, 3))
SAMPLE(triple_small_32, sample_copies(FLOW_SMALL, 32, 3))
SAMPLE(nocopy_large_1, sample_nocopy(FLOW_LARGE, 1))
SAMPLE(nocopy_large_32, sample_nocopy(FLOW_LARGE, 32))
SAMPLE(nocopy_small_1, sample_nocopy(FLOW_SMALL, 1))
SAMPLE(nocopy_small_32, sample_nocopy(FLOW_SMALL, 32))

/* ---- the peer --------------------------------------------------------------------------------------- */

static int open_opencl(void)
{
    const char *text = source;
    cl_platform_id platform;
    cl_uint count = 0;
    cl_int status;

    if (clGetPlatformIDs(1, &platform, &count) != CL_SUCCESS || count == 0 ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
        fputs("no OpenCL device; one that works on every machine: apt install pocl-opencl-icd\n", stderr);
        return -1;
    }
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    must(status);
    for (int i = 0; i < QUEUES; i++) {
        queues[i] = clCreateCommandQueue(context, device, 0, &status);
        must(status);
    }
    program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    must(status);
    must(clBuildProgram(program, 1, &device, "", NULL, NULL));
    return 0;
}

static void first_kernel(void)
{
    nocopy_small_1();
}

static void close_opencl(void)
{
    flow_close_all();
    clReleaseProgram(program);
    for (int i = 0; i < QUEUES; i++)
        clReleaseCommandQueue(queues[i]);
    clReleaseContext(context);
}

static const struct measure_case cases[] = {
    FLOW_CASES(sequential, "copies_sequential"),
    FLOW_CASES(triple, "copies_triple"),
    FLOW_CASES(nocopy, "nocopy_triple"),
};

int main(int argc, char **argv)
{
    static const struct measure_peer peer = {
        .name         = "opencl",
        .open         = open_opencl,
        .first_kernel = first_kernel,
        .close        = close_opencl,
        .cases        = cases,
        .case_count   = sizeof(cases) / sizeof(cases[0]),
    };

    return measure_main(argc, argv, &peer);
}
