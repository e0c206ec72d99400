/* Runs every kernel of the library on a device and on the cpu with the same data, and compares the buffers.
 * With the validation layer on, a message of it fails the test. tests/kernels checks that the results are
 * right.
 *
 *     builtin [RUNNER]    "vulkan" without it; runner.h has the others
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/trireme.h>

#include "tests/differential/element.h"
#include "tests/differential/runner.h"

#define EXIT_SKIPPED 77
#define BUFFERS_MOST 32u
#define BUFFER_BYTES 65536u
#define PUSH_MOST 256u

/* Extents are small and odd; there are more groups than they need. */
#define EXTENT 37u
#define COUNT 1000u
#define RADIUS 3u
#define GROUPS 40u

struct state {
    struct trm_context *context;
    struct runner *device, *cpu;
    uint32_t fine, failed, skipped;
};

static unsigned char start[BUFFERS_MOST][BUFFER_BYTES], on_device[BUFFERS_MOST][BUFFER_BYTES],
    on_cpu[BUFFERS_MOST][BUFFER_BYTES];

/* ---- data ----------------------------------------------------------------------------------- */

static const struct element_type *type_of(const struct trm_parameter *parameter)
{
    switch (parameter->type) {
    case TRM_TYPE_U8:
        return element_type("u8", 2);
    case TRM_TYPE_I8:
        return element_type("i8", 2);
    case TRM_TYPE_U16:
        return element_type("u16", 3);
    case TRM_TYPE_F16:
        return element_type("f16", 3);
    case TRM_TYPE_F32:
        return element_type("f32", 3);
    case TRM_TYPE_I32:
        return element_type("i32", 3);
    default:
        return element_type("u32", 3);
    }
}

/* Floats from 0 to 1; bytes and shorts of any value; other integers are small, since some of them count or
 * name things. */
static void fill(const struct element_type *type, uint32_t seed, unsigned char *bytes)
{
    const struct value_source fraction = {VALUE_RANGE, 0, 1}, few = {VALUE_RANGE, 0, 3},
                              any     = {VALUE_ANY, 0, 0};
    const struct value_source *source = type->kind == ELEMENT_FLOAT ? &fraction
                                        : type->size < 4            ? &any
                                                                    : &few;
    struct random random              = {seed};
    for (uint32_t i = 0; i < BUFFER_BYTES / type->size; i++)
        element_make(type, source, i, &random, bytes + (size_t)i * type->size);
}

static uint32_t integer_for(const char *name)
{
    if (strcmp(name, "count") == 0)
        return COUNT;
    return strcmp(name, "radius") == 0 ? RADIUS : EXTENT;
}

static void write_push(const struct trm_parameter *parameter, unsigned char *push)
{
    const float half       = 0.5f;
    const uint32_t integer = integer_for(parameter->name);
    if (parameter->kind != TRM_PARAMETER_SCALAR || parameter->size != sizeof(integer))
        return;
    if (parameter->type == TRM_TYPE_F32)
        memcpy(push + parameter->place, &half, sizeof(half));
    else
        memcpy(push + parameter->place, &integer, sizeof(integer));
}

/* Images are compared in tests/kernels/mips.c, and as shaders of tests/differential/shaders. */
static int has_images(const struct trm_kernel_info *kernel)
{
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        if (kernel->parameters[i].kind >= TRM_PARAMETER_IMAGE)
            return 1;
    return 0;
}

/* ---- one kernel ------------------------------------------------------------------------------ */

/* An image has rows of groups; what has none is not computed twice, for it may work in place. */
static int has_rows(const struct trm_kernel_info *kernel)
{
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        if (strcmp(kernel->parameters[i].name, "height") == 0)
            return 1;
    return kernel->group_size[1] > 1;
}

static enum run_status run_on(struct runner *runner, const struct trm_kernel_info *kernel,
                              struct run_request *request, unsigned char bytes[][BUFFER_BYTES])
{
    struct run_buffer buffers[BUFFERS_MOST] = {0};
    unsigned char push[PUSH_MOST]           = {0};
    memcpy(bytes, start, sizeof(start));
    request->buffers      = buffers;
    request->buffer_count = 0;
    request->push         = push;
    request->push_size    = 0;
    for (uint32_t i = 0; i < kernel->parameter_count && request->buffer_count < BUFFERS_MOST; i++) {
        const struct trm_parameter *parameter = &kernel->parameters[i];
        if (parameter->kind != TRM_PARAMETER_BUFFER) {
            uint32_t end = parameter->place + parameter->size;
            if (end > request->push_size)
                request->push_size = end;
            write_push(parameter, push);
            continue;
        }
        buffers[request->buffer_count] = (struct run_buffer){
            .set     = parameter->set,
            .binding = parameter->place,
            .bytes   = bytes[request->buffer_count],
            .size    = BUFFER_BYTES,
        };
        request->buffer_count++;
    }
    return runner_run(runner, request);
}

static bool is_bf16_nan(uint32_t bits)
{
    return (bits & 0x7fff) > 0x7f80;
}

/* Zero or subnormal. */
static bool is_bf16_tiny(uint32_t bits)
{
    return (bits & 0x7f80) == 0;
}

/* Bytes and shorts are what a float was rounded to. The sign and the payload of a NaN are the device's
 * choice, as is whether subnormal numbers become zero (NVIDIA's Vulkan does so). */
static int is_same(const char *name, const struct element_type *type, const unsigned char *one,
                   const unsigned char *other)
{
    const struct tolerance tolerance = {.ulp = 2, .absolute = 1e-5, .relative = 1e-4};
    uint32_t a = 0, b = 0;
    if (type->kind == ELEMENT_FLOAT || type->size > 2)
        return element_same(type, &tolerance, one, other);
    memcpy(&a, one, type->size);
    memcpy(&b, other, type->size);
    if (type->size == 2 && strstr(name, "bf16") != NULL &&
        ((is_bf16_nan(a) && is_bf16_nan(b)) || (is_bf16_tiny(a) && is_bf16_tiny(b))))
        return 1;
    return a - b + 1 <= 2;
}

static int compare(const char *name, const struct trm_kernel_info *kernel)
{
    uint32_t buffer = 0;
    for (uint32_t i = 0; i < kernel->parameter_count && buffer < BUFFERS_MOST; i++) {
        if (kernel->parameters[i].kind != TRM_PARAMETER_BUFFER)
            continue;
        const struct element_type *type = type_of(&kernel->parameters[i]);
        for (uint32_t at = 0; at < BUFFER_BYTES; at += type->size) {
            char device[64], cpu[64];
            if (is_same(name, type, on_device[buffer] + at, on_cpu[buffer] + at))
                continue;
            element_print(type, on_device[buffer] + at, device);
            element_print(type, on_cpu[buffer] + at, cpu);
            printf("FAILED  %s: \"%s\", element %u: %s on the device, %s on the cpu\n", name,
                   kernel->parameters[i].name, at / type->size, device, cpu);
            return 0;
        }
        buffer++;
    }
    return 1;
}

static void run_on_both(struct state *state, const char *name, const struct trm_kernel_info *kernel,
                        struct run_request *request)
{
    uint32_t buffer = 0;
    for (uint32_t i = 0; i < kernel->parameter_count && buffer < BUFFERS_MOST; i++)
        if (kernel->parameters[i].kind == TRM_PARAMETER_BUFFER) {
            fill(type_of(&kernel->parameters[i]), buffer + 1, start[buffer]);
            buffer++;
        }
    enum run_status ran = run_on(state->device, kernel, request, on_device);
    if (ran != RUN_DONE) {
        printf("%s %s: %s\n", ran == RUN_UNSUPPORTED ? "skipped" : "FAILED ", name, state->device->message);
        state->skipped += ran == RUN_UNSUPPORTED;
        state->failed += ran != RUN_UNSUPPORTED;
        return;
    }
    ran = run_on(state->cpu, kernel, request, on_cpu);
    if (ran != RUN_DONE)
        printf("FAILED  %s: %s\n", name, state->cpu->message);
    int fine = ran == RUN_DONE && compare(name, kernel);
    state->fine += fine;
    state->failed += !fine;
}

/* Does the kernel reach memory through addresses? Numbers that are made up are none; tests/kernels/collective
 * has these kernels. Capabilities are the first instructions, behind a header of five words. */
static bool has_addresses(const uint32_t *words, uint64_t count)
{
    const uint32_t capability = 2u << 16 | 17u, physical_addresses = 5347;
    for (uint64_t at = 5; at + 1 < count && words[at] == capability; at += 2)
        if (words[at + 1] == physical_addresses)
            return true;
    return false;
}

static int32_t visit(void *user, const struct trm_shader_place *place)
{
    struct state *state         = user;
    struct trm_shader *shader   = NULL;
    struct trm_shader_desc desc = {
        .struct_size = sizeof(desc),
        .format      = TRM_MODULE_NAMED,
        .data        = place->name,
        .size        = strlen(place->name) + 1,
    };
    struct trm_kernel_info kernel = {.struct_size = sizeof(kernel)};
    const void *words             = NULL;
    uint64_t size                 = 0;
    int32_t status                = trm_shader_create(state->context, &desc, &shader);
    if (status == TRM_OK)
        status = trm_shader_bytes(shader, &words, &size);
    if (status == TRM_OK)
        status = trm_shader_kernel(shader, 0, &kernel);
    if (status != TRM_OK) {
        printf("FAILED  %s: %s\n", place->name, trm_last_error().sentence);
        state->failed++;
        trm_shader_destroy(shader);
        return TRM_OK;
    }
    struct run_request request = {
        .words      = words,
        .word_count = size / sizeof(uint32_t),
        .groups     = {GROUPS, has_rows(&kernel) ? EXTENT : 1, 1},
    };
    if (!has_images(&kernel) && !has_addresses(words, size / sizeof(uint32_t)))
        run_on_both(state, place->name, &kernel, &request);
    trm_shader_destroy(shader);
    return TRM_OK;
}

int main(int count, char **words)
{
    char reason[RUNNER_MESSAGE];
    struct state state = {.device = runner_open(count > 1 ? words[1] : "vulkan", reason, sizeof(reason))};
    if (state.device)
        state.cpu = runner_open("cpu", reason, sizeof(reason));
    if (!state.cpu) {
        printf("skipped: %s\n", reason);
        runner_close(state.device);
        return EXIT_SKIPPED;
    }
    int32_t status = trm_context_create(NULL, &state.context);
    if (status == TRM_OK)
        status = trm_shader_list(state.context, visit, &state);
    if (status != TRM_OK)
        printf("FAILED: %s\n", trm_last_error().sentence);
    trm_context_destroy(state.context);
    runner_close(state.cpu);
    runner_close(state.device);
    printf("%u the same, %u skipped, %u failed\n", state.fine, state.skipped, state.failed);
    if (status != TRM_OK || state.failed)
        return EXIT_FAILURE;
    return state.fine ? EXIT_SUCCESS : EXIT_SKIPPED;
}
