/* The suite "kernel" in OpenCL, on the first device of the first platform (PoCL where nothing else is
 * installed).
 * SPDX-License-Identifier: MIT
 */
#define CL_TARGET_OPENCL_VERSION 120

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel_work.h"

/* The same texts as tests/bench/shaders. sum is written for processors (long private vectors), tree_sum and
 * gemm_tile for graphics cards (shared memory and barriers). */
static const char *const source =
    "__kernel void saxpy(__global const float *restrict x, __global float *restrict y, float a) {\n"
    "    size_t i = get_global_id(0);\n"
    "    y[i] = a * x[i] + y[i];\n"
    "}\n"
    "__kernel void blur(__global const float *restrict s, __global float *restrict d, int w) {\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    if (x < 1 || y < 1 || x >= w - 1 || y >= w - 1)\n"
    "        return;\n"
    "    __global const float *p = s + (size_t)y * w + x;\n"
    "    d[(size_t)y * w + x] = (p[-w - 1] + p[-w] + p[-w + 1] + p[-1] + p[0] + p[1] + p[w - 1] + p[w] + p[w "
    "+ 1])\n"
    "                           * (1.0f / 9.0f);\n"
    "}\n"
    "__kernel void fma_32(__global float *x) {\n"
    "    size_t i = get_global_id(0);\n"
    "    float v = x[i];\n"
    "    __attribute__((opencl_unroll_hint(32))) for (int j = 0; j < 32; j++)\n"
    "        v = fma(v, 0.9990234375f, 0.0009765625f);\n"
    "    x[i] = v;\n"
    "}\n"
    "__kernel void sum(__global const float16 *x, __global float *o, uint per) {\n"
    "    uint g = get_global_id(0);\n"
    "    __global const float16 *p = x + (size_t)g * per;\n"
    "    float16 a = 0, b = 0, c = 0, d = 0;\n"
    "    for (uint i = 0; i < per; i += 4) { a += p[i]; b += p[i + 1]; c += p[i + 2]; d += p[i + 3]; }\n"
    "    a += b + c + d;\n"
    "    float8 e = a.lo + a.hi;\n"
    "    float4 f = e.lo + e.hi;\n"
    "    o[g] = f.x + f.y + f.z + f.w;\n"
    "}\n"
    "__kernel __attribute__((reqd_work_group_size(256, 1, 1)))\n"
    "void tree_sum(__global const float *x, __global float *o, uint n) {\n"
    "    __local float t[256];\n"
    "    uint l = get_local_id(0);\n"
    "    float s = 0;\n"
    "    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) s += x[i];\n"
    "    t[l] = s;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint k = 128; k > 0; k >>= 1) { if (l < k) t[l] += t[l + k]; barrier(CLK_LOCAL_MEM_FENCE); }\n"
    "    if (l == 0) o[get_group_id(0)] = t[0];\n"
    "}\n"
    "__kernel __attribute__((reqd_work_group_size(16, 16, 1)))\n"
    "void gemm_tile(__global const float *a, __global const float *b, __global float *c, int n) {\n"
    "    __local float ta[16][16], tb[16][16];\n"
    "    int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);\n"
    "    float s = 0;\n"
    "    for (int k = 0; k < n; k += 16) {\n"
    "        ta[ly][lx] = a[y * n + k + lx];\n"
    "        tb[ly][lx] = b[(k + ly) * n + x];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (int j = 0; j < 16; j++) s = fma(ta[ly][j], tb[j][lx], s);\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    c[y * n + x] = s;\n"
    "}\n";

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;

static void must(cl_int status)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "OpenCL answers %d\n", (int)status);
    exit(1);
}

/* A buffer with these floats in it, or with any where `floats` is NULL. */
static cl_mem make_buffer(size_t count, const float *floats)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, count * sizeof(float), NULL, &status);

    must(status);
    if (floats)
        must(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, count * sizeof(float), floats, 0, NULL, NULL));
    return buffer;
}

static cl_kernel make_kernel(const char *name)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);

    must(status);
    return kernel;
}

static void set_buffer(cl_kernel kernel, cl_uint index, cl_mem buffer)
{
    must(clSetKernelArg(kernel, index, sizeof(buffer), &buffer));
}

static void set_number(cl_kernel kernel, cl_uint index, cl_int number)
{
    must(clSetKernelArg(kernel, index, sizeof(number), &number));
}

/* Runs a kernel twice and gives the rate of the second. */
static double run(cl_kernel kernel, cl_uint dimensions, size_t items, size_t group_x, size_t group_y,
                  double work)
{
    size_t all[2] = {items, items}, group[2] = {group_x, group_y};
    uint64_t begin = 0;

    for (int i = 0; i < 2; i++) {
        begin = measure_now();
        must(clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, all, group, 0, NULL, NULL));
        must(clFinish(queue));
    }
    double rate = work_rate(work, begin);
    clReleaseKernel(kernel);
    return rate;
}

static float read_float(cl_mem buffer, size_t index)
{
    float value;

    must(clEnqueueReadBuffer(queue, buffer, CL_TRUE, index * sizeof(value), sizeof(value), &value, 0, NULL,
                             NULL));
    return value;
}

static void free_buffers(cl_mem *buffers, int count)
{
    for (int i = 0; i < count; i++)
        clReleaseMemObject(buffers[i]);
}

/* ---- the figures ------------------------------------------------------------------------------------ */

static double sample_saxpy(void)
{
    float *floats = work_floats(SAXPY_COUNT), factor = SAXPY_FACTOR;
    cl_mem buffers[2] = {make_buffer(SAXPY_COUNT, floats), make_buffer(SAXPY_COUNT, floats)};
    cl_kernel kernel  = make_kernel("saxpy");

    set_buffer(kernel, 0, buffers[0]);
    set_buffer(kernel, 1, buffers[1]);
    must(clSetKernelArg(kernel, 2, sizeof(factor), &factor));
    double rate = run(kernel, 1, SAXPY_COUNT, 4096, 1, SAXPY_BYTES);
    free_buffers(buffers, 2);
    free(floats);
    return rate;
}

static double sample_blur(void)
{
    size_t count      = (size_t)IMAGE_SIDE * IMAGE_SIDE;
    float *image      = work_floats(count);
    cl_mem buffers[2] = {make_buffer(count, image), make_buffer(count, image)};
    cl_kernel kernel  = make_kernel("blur");

    set_buffer(kernel, 0, buffers[0]);
    set_buffer(kernel, 1, buffers[1]);
    set_number(kernel, 2, IMAGE_SIDE);
    double rate = run(kernel, 2, IMAGE_SIDE, 256, 1, BLUR_BYTES);
    work_check("OpenCL: the mean is wrong", (double)read_float(buffers[1], 77 * IMAGE_SIDE + 99),
               work_blur_element(image, 77, 99));
    free_buffers(buffers, 2);
    free(image);
    return rate;
}

static double sample_fma(void)
{
    float *floats    = work_floats(FMA_COUNT);
    cl_mem buffer    = make_buffer(FMA_COUNT, floats);
    cl_kernel kernel = make_kernel("fma_32");

    set_buffer(kernel, 0, buffer);
    double rate = run(kernel, 1, FMA_COUNT, 256, 1, FMA_WORK);
    free_buffers(&buffer, 1);
    free(floats);
    return rate;
}

/* The partial sums of `parts`, added up. */
static double total_of(cl_mem partial, size_t parts)
{
    float *sums  = measure_memory(parts * sizeof(float));
    double total = 0;

    must(clEnqueueReadBuffer(queue, partial, CL_TRUE, 0, parts * sizeof(float), sums, 0, NULL, NULL));
    for (size_t i = 0; i < parts; i++)
        total += (double)sums[i];
    free(sums);
    return total;
}

static double sample_any_sum(const char *name, cl_int number, size_t items, size_t group)
{
    float *numbers    = work_eighths(SUM_COUNT);
    cl_mem buffers[2] = {make_buffer(SUM_COUNT, numbers), make_buffer(items, NULL)};
    cl_kernel kernel  = make_kernel(name);

    set_buffer(kernel, 0, buffers[0]);
    set_buffer(kernel, 1, buffers[1]);
    set_number(kernel, 2, number);
    double rate = run(kernel, 1, items, group, 1, SUM_BYTES);
    work_check("OpenCL: the sum is wrong", total_of(buffers[1], items / group), SUM_RESULT);
    free_buffers(buffers, 2);
    free(numbers);
    return rate;
}

static double sample_sum(void)
{
    return sample_any_sum("sum", SUM_COUNT / 16 / 1024, 1024, 1);
}

static double sample_tree_sum(void)
{
    return sample_any_sum("tree_sum", SUM_COUNT, 256 * 256, 256);
}

static double sample_gemm_tile(void)
{
    size_t count      = (size_t)GEMM_SIDE * GEMM_SIDE;
    float *floats     = work_floats(count);
    cl_mem buffers[3] = {make_buffer(count, floats), make_buffer(count, floats), make_buffer(count, NULL)};
    cl_kernel kernel  = make_kernel("gemm_tile");

    for (cl_uint i = 0; i < 3; i++)
        set_buffer(kernel, i, buffers[i]);
    set_number(kernel, 3, GEMM_SIDE);
    double rate = run(kernel, 2, GEMM_SIDE, 16, 16, GEMM_WORK);
    work_check("OpenCL: the product is wrong", (double)read_float(buffers[2], 7 * GEMM_SIDE + 9),
               work_gemm_element(floats, floats, 7, 9));
    free_buffers(buffers, 3);
    free(floats);
    return rate;
}

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
    queue = clCreateCommandQueue(context, device, 0, &status);
    must(status);
    program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    must(status);
    must(clBuildProgram(program, 1, &device, "", NULL, NULL));
    return 0;
}

static void first_kernel(void)
{
    sample_fma();
}

static void close_opencl(void)
{
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

static const struct measure_case cases[] = {
    {"kernel", "saxpy", "GB/s", sample_saxpy},       {"kernel", "blur", "GB/s", sample_blur},
    {"kernel", "sum", "GB/s", sample_sum},           {"kernel", "fma_32", "GFLOP/s", sample_fma},
    {"kernel", "tree_sum", "GB/s", sample_tree_sum}, {"kernel", "gemm_tile", "GFLOP/s", sample_gemm_tile},
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
