/* The least that a token on a kernel that stays on the device can take, from its submission to its result, by
 * hand: one group of threads looks at a word in pinned memory of the host, does one multiply-add for each
 * float, and says so in another word. The host waits for that before it writes the next. Medians, in
 * nanoseconds:
 *
 *     flag          the two words alone
 *     output        4 KiB are written to the host as well, behind a fence
 *     input         4 KiB are read from the host as well
 *     both          both, as a port that shares the memory of the program has it
 *     lines         both, but each eight bytes carry their number, so neither side looks at another word;
 *                   the host packs and unpacks them, which a program's own memory does not allow
 *
 *     make tests/bench/peer_cuda_resident
 * SPDX-License-Identifier: MIT
 */
#include "measure.h"

#include <cuda_runtime.h>
#include <emmintrin.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

enum {
    FLOATS = 1024,
    TOKENS = 20000,
    ROUNDS = 5,
};

enum way {
    FLAG,
    OUTPUT,
    INPUT,
    BOTH,
    LINES,
    WAYS
};

static const char *const names[WAYS] = {"flag", "output", "input", "both", "lines"};

/* The host writes the first, the device the second. */
struct alignas(128) words {
    volatile uint32_t head;
    uint32_t unused[31];
    volatile uint32_t done;
    uint32_t also_unused[31];
};

static void check(cudaError_t result)
{
    if (result == cudaSuccess)
        return;
    fprintf(stderr, "peer_cuda_resident: %s\n", cudaGetErrorString(result));
    exit(1);
}

/* ---- the device's side --------------------------------------------------------------------------------- */

static __device__ void wait(const volatile uint32_t *head, uint32_t token)
{
    uint32_t value;
    do
        asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(head) : "memory");
    while (value != token);
}

template <way WAY>
static __global__ void __launch_bounds__(FLOATS)
    stay(words *ring, const float *input, float *output, float *nearby, uint32_t tokens)
{
    constexpr bool reads  = WAY == INPUT || WAY == BOTH;
    constexpr bool writes = WAY == OUTPUT || WAY == BOTH;
    float kept            = threadIdx.x;

    for (uint32_t token = 1; token <= tokens; token++) {
        if (threadIdx.x == 0)
            wait(&ring->head, token);
        __syncthreads();
        if (reads)
            kept = ((const volatile float *)input)[threadIdx.x];
        kept = fmaf(kept, 1.5f, 0.25f);
        if (writes)
            ((volatile float *)output)[threadIdx.x] = kept;
        else if (reads)
            ((volatile float *)nearby)[threadIdx.x] = kept;
        __syncthreads();
        if (threadIdx.x == 0) {
            if (writes)
                asm volatile("st.release.sys.global.u32 [%0], %1;"
                             :
                             : "l"(&ring->done), "r"(token)
                             : "memory");
            else
                ring->done = token;
        }
    }
}

/* 16 bytes are two floats, each behind it the token's number. */
static __global__ void __launch_bounds__(FLOATS / 2)
    stay_on_lines(const uint4 *input, uint4 *output, uint32_t tokens)
{
    for (uint32_t token = 1; token <= tokens; token++) {
        uint4 line;
        do
            asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(line.x), "=r"(line.y), "=r"(line.z), "=r"(line.w)
                         : "l"(input + threadIdx.x));
        while (line.y != token || line.w != token);
        line.x = __float_as_uint(fmaf(__uint_as_float(line.x), 1.5f, 0.25f));
        line.z = __float_as_uint(fmaf(__uint_as_float(line.z), 1.5f, 0.25f));
        asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};"
                     :
                     : "l"(output + threadIdx.x), "r"(line.x), "r"(line.y), "r"(line.z), "r"(line.w));
    }
}

/* ---- the host's ---------------------------------------------------------------------------------------- */

static words *ring;
static float *input, *output, *nearby;
static __m128i *lines_in, *lines_out;
static float program_in[FLOATS], program_out[FLOATS];

static void launch(way which)
{
    switch (which) {
    case FLAG:
        return stay<FLAG><<<1, FLOATS>>>(ring, input, output, nearby, TOKENS);
    case OUTPUT:
        return stay<OUTPUT><<<1, FLOATS>>>(ring, input, output, nearby, TOKENS);
    case INPUT:
        return stay<INPUT><<<1, FLOATS>>>(ring, input, output, nearby, TOKENS);
    case BOTH:
        return stay<BOTH><<<1, FLOATS>>>(ring, input, output, nearby, TOKENS);
    default:
        return stay_on_lines<<<1, FLOATS / 2>>>((const uint4 *)lines_in, (uint4 *)lines_out, TOKENS);
    }
}

static void serve_words(uint32_t token)
{
    input[token % FLOATS] = (float)token;
    _mm_sfence();
    ring->head = token;
    while (ring->done != token)
        _mm_pause();
}

static void serve_lines(uint32_t token)
{
    const __m128i number = _mm_set_epi32((int)token, 0, (int)token, 0);

    program_in[token % FLOATS] = (float)token;
    for (int i = 0; i < FLOATS / 2; i++) {
        __m128i two = _mm_loadl_epi64((const __m128i *)(program_in + 2 * i));
        _mm_store_si128(lines_in + i, _mm_or_si128(_mm_unpacklo_epi32(two, _mm_setzero_si128()), number));
    }
    for (int i = 0; i < FLOATS / 2; i++) {
        const volatile uint32_t *line = (const volatile uint32_t *)(lines_out + i);
        while (line[1] != token || line[3] != token)
            ;
        ((volatile uint32_t *)program_out)[2 * i]     = line[0];
        ((volatile uint32_t *)program_out)[2 * i + 1] = line[2];
    }
}

static bool is_right(way which, uint32_t token)
{
    float wanted = (float)token * 1.5f + 0.25f;
    if (which == BOTH)
        return ((volatile float *)output)[token % FLOATS] == wanted;
    return which != LINES || program_out[token % FLOATS] == wanted;
}

static int by_length(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

static void run(way which)
{
    static uint64_t times[TOKENS];
    for (int i = 0; i < FLOATS / 2; i++)
        lines_in[i] = lines_out[i] = _mm_setzero_si128();
    ring->head = ring->done = 0;
    launch(which);
    check(cudaGetLastError());
    for (uint32_t token = 1; token <= TOKENS; token++) {
        uint64_t begin = measure_now();
        which == LINES ? serve_lines(token) : serve_words(token);
        times[token - 1] = measure_now() - begin;
        if (!is_right(which, token)) {
            fprintf(stderr, "peer_cuda_resident: %s: token %u is wrong\n", names[which], token);
            exit(1);
        }
    }
    check(cudaDeviceSynchronize());
    qsort(times, TOKENS, sizeof(times[0]), by_length);
    printf("%-12s p50 %6llu ns  p99 %6llu ns\n", names[which], (unsigned long long)times[TOKENS / 2],
           (unsigned long long)times[TOKENS / 100 * 99]);
    fflush(stdout);
}

int main(void)
{
    check(cudaHostAlloc((void **)&ring, sizeof(*ring), cudaHostAllocMapped));
    check(cudaHostAlloc((void **)&input, FLOATS * sizeof(float), cudaHostAllocMapped));
    check(cudaHostAlloc((void **)&output, FLOATS * sizeof(float), cudaHostAllocMapped));
    check(cudaHostAlloc((void **)&lines_in, 2 * FLOATS * sizeof(float), cudaHostAllocMapped));
    check(cudaHostAlloc((void **)&lines_out, 2 * FLOATS * sizeof(float), cudaHostAllocMapped));
    check(cudaMalloc((void **)&nearby, FLOATS * sizeof(float)));
    for (int round = 0; round < ROUNDS; round++)
        for (int which = 0; which < WAYS; which++)
            run((way)which);
    return 0;
}
