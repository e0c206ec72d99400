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

enum run_status runner_run(struct runner *runner, const struct run_request *request)
{
    runner->message[0] = '\0';
    return runner->run(runner, request);
}

void runner_close(struct runner *runner)
{
    if (runner)
        runner->close(runner);
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
