/* Every kernel that comes with the library runs on a Vulkan device: on zeros, in one group of work-items. With the validation
 * layer on, nothing is said against any of them. That they compute the right thing is tested by tests/kernels.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/trireme.h>

#include "tests/differential/vulkan_runner.h"

#define EXIT_SKIPPED 77
#define BUFFERS_MOST 32u
#define BUFFER_BYTES 65536u
#define PUSH_MOST 256u

struct state {
    struct trm_context *context;
    struct runner *vulkan;
    uint32_t fine, failed, skipped;
};

/* One buffer for each parameter that is one; push constants that are all zero: nothing to do, in most kernels. */
static enum run_status run_kernel(struct state *state, const struct trm_kernel_info *kernel,
                                  struct run_request *request)
{
    static unsigned char bytes[BUFFERS_MOST][BUFFER_BYTES];
    static const unsigned char push[PUSH_MOST];
    struct run_buffer buffers[BUFFERS_MOST] = {0};
    request->buffers                        = buffers;
    request->push                           = push;
    for (uint32_t i = 0; i < kernel->parameter_count && request->buffer_count < BUFFERS_MOST; i++) {
        const struct trm_parameter *parameter = &kernel->parameters[i];
        if (parameter->kind != TRM_PARAMETER_BUFFER) {
            uint32_t end = parameter->place + parameter->size;
            if (end > request->push_size)
                request->push_size = end;
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
    memset(bytes, 0, sizeof(bytes));
    return runner_run(state->vulkan, request);
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
    struct run_request request = {.words = words, .word_count = size / sizeof(uint32_t), .groups = {1, 1, 1}};
    enum run_status ran        = run_kernel(state, &kernel, &request);
    if (ran != RUN_DONE)
        printf("%s %s: %s\n", ran == RUN_UNSUPPORTED ? "skipped" : "FAILED ", place->name,
               state->vulkan->message);
    state->fine += ran == RUN_DONE;
    state->skipped += ran == RUN_UNSUPPORTED;
    state->failed += ran == RUN_FAILED;
    trm_shader_destroy(shader);
    return TRM_OK;
}

int main(void)
{
    char reason[RUNNER_MESSAGE];
    struct state state = {.vulkan = vulkan_runner_open(reason, sizeof(reason))};
    if (!state.vulkan) {
        printf("skipped: %s\n", reason);
        return EXIT_SKIPPED;
    }
    int32_t status = trm_context_create(NULL, &state.context);
    if (status == TRM_OK)
        status = trm_shader_list(state.context, visit, &state);
    if (status != TRM_OK)
        printf("FAILED: %s\n", trm_last_error().sentence);
    trm_context_destroy(state.context);
    runner_close(state.vulkan);
    printf("%u run, %u skipped, %u failed\n", state.fine, state.skipped, state.failed);
    if (status != TRM_OK || state.failed)
        return EXIT_FAILURE;
    return state.fine ? EXIT_SUCCESS : EXIT_SKIPPED;
}
