/* OpenBLAS: the yardstick of sgemm.
 * SPDX-License-Identifier: MIT
 */
#include <cblas.h>
#include <stdlib.h>

#include "kernel_work.h"

static float *a, *b, *c;

static void multiply(void)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, GEMM_SIDE, GEMM_SIDE, GEMM_SIDE, 1, a, GEMM_SIDE,
                b, GEMM_SIDE, 0, c, GEMM_SIDE);
}

static double sample(int threads)
{
    openblas_set_num_threads(threads);
    multiply(); /* its threads are awake */

    uint64_t begin = measure_now();
    multiply();
    double rate = work_rate(GEMM_WORK, begin);
    work_check("OpenBLAS: the product is wrong", (double)c[7 * GEMM_SIDE + 9], work_gemm_element(a, b, 7, 9));
    return rate;
}

static double sample_one_thread(void)
{
    return sample(1);
}

static double sample_all_threads(void)
{
    return sample(openblas_get_num_procs());
}

static int open_blas(void)
{
    size_t count = (size_t)GEMM_SIDE * GEMM_SIDE;

    a = work_floats(count);
    b = work_floats(count);
    c = work_floats(count);
    return 0;
}

static void close_blas(void)
{
    free(a);
    free(b);
    free(c);
}

static const struct measure_case cases[] = {
    {"kernel", "sgemm_1t", "GFLOP/s", sample_one_thread},
    {"kernel", "sgemm", "GFLOP/s", sample_all_threads},
};

int main(int argc, char **argv)
{
    static const struct measure_peer peer = {
        .name         = "openblas",
        .open         = open_blas,
        .first_kernel = multiply,
        .close        = close_blas,
        .cases        = cases,
        .case_count   = sizeof(cases) / sizeof(cases[0]),
    };

    return measure_main(argc, argv, &peer);
}
