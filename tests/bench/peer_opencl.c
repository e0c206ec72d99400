/* OpenCL, on the first device of the first platform (PoCL where nothing else is installed).
 * SPDX-License-Identifier: MIT
 */
#define CL_TARGET_OPENCL_VERSION 120

#include "measure.h"

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const source = "__kernel void nothing(__global float *x) {}\n";

static cl_device_id device;
static cl_context context;
static cl_command_queue queues[2];
static cl_program program;
static cl_kernel kernel;
static cl_mem argument;

/* What the copy cases use; made once, at the first of them. */
static char *host[2];
static cl_mem large[2];

static void must(cl_int status)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "OpenCL answers %d\n", (int)status);
    exit(1);
}

static cl_mem make_buffer(size_t size)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &status);

    must(status);
    return buffer;
}

static void launch(cl_command_queue queue, cl_uint wait_count, const cl_event *waits, cl_event *done)
{
    size_t one = 1;

    must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, wait_count, waits, done));
}

/* ---- stream ----------------------------------------------------------------------------------------- */

static double sample_launch_worker(void)
{
    uint64_t begin = measure_now();

    for (int i = 0; i < LAUNCHES; i++)
        launch(queues[0], 0, NULL, NULL);
    must(clFinish(queues[0]));
    return (double)(measure_now() - begin) / LAUNCHES;
}

static double sample_submit(void)
{
    uint64_t begin = measure_now(), spent;

    for (int i = 0; i < LAUNCHES; i++)
        launch(queues[0], 0, NULL, NULL);
    spent = measure_now() - begin;
    must(clFinish(queues[0]));
    return (double)spent / LAUNCHES;
}

static void trip(void)
{
    launch(queues[0], 0, NULL, NULL);
    must(clFinish(queues[0]));
}

static double sample_trip_p50(void)
{
    return measure_trips(trip, TRIPS, 0, 50);
}

static double sample_trip_p99(void)
{
    return measure_trips(trip, TRIPS, 0, 99);
}

static double sample_trip_asleep(void)
{
    return measure_trips(trip, SLEEPS, 1, 50);
}

static double sample_hop(void)
{
    cl_event last  = NULL;
    uint64_t begin = measure_now();

    for (int i = 0; i < HOPS; i++) {
        cl_event done;

        launch(queues[i % 2], last ? 1 : 0, last ? &last : NULL, &done);
        must(clFlush(queues[i % 2]));
        if (last)
            clReleaseEvent(last);
        last = done;
    }
    must(clWaitForEvents(1, &last));
    clReleaseEvent(last);
    return (double)(measure_now() - begin) / HOPS;
}

/* ---- copy ------------------------------------------------------------------------------------------- */

enum {
    COPIES = 2
};

static void need_large(void)
{
    if (large[0])
        return;
    for (int i = 0; i < 2; i++) {
        host[i]  = measure_memory(COPY_BYTES);
        large[i] = make_buffer(COPY_BYTES);
        must(clEnqueueWriteBuffer(queues[0], large[i], CL_TRUE, 0, COPY_BYTES, host[i], 0, NULL, NULL));
    }
}

static double bandwidth_since(uint64_t begin)
{
    must(clFinish(queues[0]));
    return (double)(COPY_BYTES * COPIES) / (double)(measure_now() - begin);
}

static double sample_upload(void)
{
    uint64_t begin;

    need_large();
    begin = measure_now();
    for (int i = 0; i < COPIES; i++)
        must(clEnqueueWriteBuffer(queues[0], large[0], CL_FALSE, 0, COPY_BYTES, host[0], 0, NULL, NULL));
    return bandwidth_since(begin);
}

static double sample_download(void)
{
    uint64_t begin;

    need_large();
    begin = measure_now();
    for (int i = 0; i < COPIES; i++)
        must(clEnqueueReadBuffer(queues[0], large[0], CL_FALSE, 0, COPY_BYTES, host[1], 0, NULL, NULL));
    return bandwidth_since(begin);
}

static double sample_device(void)
{
    uint64_t begin;

    need_large();
    begin = measure_now();
    for (int i = 0; i < COPIES; i++)
        must(clEnqueueCopyBuffer(queues[0], large[0], large[1], 0, 0, COPY_BYTES, 0, NULL, NULL));
    return bandwidth_since(begin);
}

static double sample_map(void)
{
    uint64_t begin;

    need_large();
    begin = measure_now();
    for (int i = 0; i < MAPPINGS; i++) {
        cl_int status;
        void *memory = clEnqueueMapBuffer(queues[0], large[0], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                          COPY_BYTES, 0, NULL, NULL, &status);

        must(status);
        must(clEnqueueUnmapMemObject(queues[0], large[0], memory, 0, NULL, NULL));
        must(clFinish(queues[0]));
    }
    return (double)(measure_now() - begin) / MAPPINGS;
}

/* ---- alloc ------------------------------------------------------------------------------------------ */

static void write_buffer(cl_mem buffer)
{
    must(clEnqueueWriteBuffer(queues[0], buffer, CL_TRUE, 0, MIB, host[0], 0, NULL, NULL));
}

static double sample_alloc(void)
{
    uint64_t begin = measure_now();

    for (int i = 0; i < PAIRS; i++)
        must(clReleaseMemObject(make_buffer(MIB)));
    return measure_rate(PAIRS, measure_now() - begin);
}

static double sample_alloc_write(void)
{
    uint64_t begin;

    need_large();
    begin = measure_now();
    for (int i = 0; i < WRITES; i++) {
        cl_mem buffer = make_buffer(MIB);

        write_buffer(buffer);
        must(clReleaseMemObject(buffer));
    }
    return measure_rate(WRITES, measure_now() - begin);
}

static double sample_alloc_live(void)
{
    uint64_t begin;

    need_large();
    begin = measure_now();
    for (int round = 0; round < LIVE_ROUNDS; round++) {
        cl_mem buffers[LIVE];

        for (int i = 0; i < LIVE; i++)
            buffers[i] = make_buffer(MIB);
        for (int i = 0; i < LIVE; i++)
            write_buffer(buffers[i]);
        for (int i = LIVE; i-- > 0;)
            must(clReleaseMemObject(buffers[i]));
    }
    return measure_rate(LIVE_ROUNDS * LIVE, measure_now() - begin);
}

/* ---- the peer --------------------------------------------------------------------------------------- */

static int find_device(void)
{
    cl_platform_id platform;
    cl_uint count = 0;

    if (clGetPlatformIDs(1, &platform, &count) != CL_SUCCESS || count == 0 ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
        fputs("no OpenCL device; one that works on every machine: apt install pocl-opencl-icd\n", stderr);
        return -1;
    }
    return 0;
}

static int open_opencl(void)
{
    const char *text = source;
    cl_int status;

    if (find_device() != 0)
        return -1;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    must(status);
    for (int i = 0; i < 2; i++) {
        queues[i] = clCreateCommandQueue(context, device, 0, &status);
        must(status);
    }
    program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    must(status);
    must(clBuildProgram(program, 1, &device, "", NULL, NULL));
    kernel = clCreateKernel(program, "nothing", &status);
    must(status);
    argument = make_buffer(4096);
    must(clSetKernelArg(kernel, 0, sizeof(argument), &argument));
    return 0;
}

static void close_opencl(void)
{
    for (int i = 0; i < 2; i++) {
        if (large[i])
            clReleaseMemObject(large[i]);
        free(host[i]);
        clReleaseCommandQueue(queues[i]);
    }
    clReleaseMemObject(argument);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseContext(context);
}

static const struct measure_case cases[] = {
    {"stream", "launch_worker", "ns", sample_launch_worker},
    {"stream", "submit", "ns", sample_submit},
    {"stream", "roundtrip_p50", "ns", sample_trip_p50},
    {"stream", "roundtrip_p99", "ns", sample_trip_p99},
    {"stream", "roundtrip_asleep", "ns", sample_trip_asleep},
    {"stream", "hop", "ns", sample_hop},
    {"copy", "upload_64MiB", "GB/s", sample_upload},
    {"copy", "download_64MiB", "GB/s", sample_download},
    {"copy", "device_64MiB", "GB/s", sample_device},
    {"copy", "map_unmap_64MiB", "ns", sample_map},
    {"alloc", "alloc_1MiB", "op/s", sample_alloc},
    {"alloc", "alloc_write_1MiB", "op/s", sample_alloc_write},
    {"alloc", "alloc_live64_1MiB", "op/s", sample_alloc_live},
};

int main(int argc, char **argv)
{
    static const struct measure_peer peer = {
        .name         = "opencl",
        .open         = open_opencl,
        .first_kernel = trip,
        .close        = close_opencl,
        .cases        = cases,
        .case_count   = sizeof(cases) / sizeof(cases[0]),
    };

    return measure_main(argc, argv, &peer);
}
