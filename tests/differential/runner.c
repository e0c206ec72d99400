/* What all runners share, and the list of them.
 * SPDX-License-Identifier: MIT
 */
#include "tests/differential/runner.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tests/differential/cuda_runner.h"
#include "tests/differential/trireme_runner.h"
#include "tests/differential/vulkan_runner.h"

#define PUSH_MOST 256u

enum run_status runner_run(struct runner *runner, const struct run_request *request)
{
    unsigned char push[PUSH_MOST];
    struct run_request own = *request; /* whose push constants can be written */

    runner->message[0] = '\0';
    if (request->address_count == 0)
        return runner->run(runner, request);
    if (request->push_size > sizeof(push))
        return runner_say(runner, RUN_FAILED, "%u bytes of push constants are too many", request->push_size);
    if (request->push_size != 0)
        memcpy(push, request->push, request->push_size);
    own.push               = push;
    enum run_status status = runner->run(runner, &own);
    run_place_addresses(&own, NULL);
    return status;
}

void runner_close(struct runner *runner)
{
    if (runner)
        runner->close(runner);
}

int run_has_arrays(const struct run_request *request)
{
    for (uint32_t i = 0; i < request->buffer_count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (request->buffers[i].set == request->buffers[k].set &&
                request->buffers[i].binding == request->buffers[k].binding)
                return 1;
    return 0;
}

int run_has_images(const struct run_request *request)
{
    for (uint32_t i = 0; i < request->buffer_count; i++)
        if (request->buffers[i].image)
            return 1;
    return request->sampler_count != 0;
}

enum run_status runner_say(struct runner *runner, enum run_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(runner->message, sizeof(runner->message), format, arguments);
    va_end(arguments);
    return status;
}

static const struct {
    const char *name;
    struct runner *(*open)(char *reason, size_t capacity);
} runners[] = {
    {"vulkan", vulkan_runner_open},
    {"cpu", cpu_runner_open},
    {"backend", backend_runner_open},
    {"cuda", cuda_runner_open},
};

struct runner *runner_open(const char *name, char *reason, size_t capacity)
{
    for (size_t i = 0; i < sizeof(runners) / sizeof(runners[0]); i++) {
        if (strcmp(runners[i].name, name) == 0)
            return runners[i].open(reason, capacity);
    }
    snprintf(reason, capacity, "there is no runner called \"%s\"", name);
    return NULL;
}
