/* SPDX-License-Identifier: MIT */
#include "tests/differential/comparison.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 4))) static enum comparison_result say(struct comparison *comparison,
                                                                        enum comparison_result result,
                                                                        const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(comparison->message, sizeof(comparison->message), format, arguments);
    va_end(arguments);
    return result;
}

static enum comparison_result run_one(struct comparison *comparison, struct runner *runner,
                                      const struct shader_case *shader, const uint32_t *words, uint64_t size,
                                      struct run_buffer *buffers)
{
    struct run_request request;
    shader_case_request(shader, buffers, &request);
    request.words      = words;
    request.word_count = size / sizeof(uint32_t);
    switch (runner_run(runner, &request)) {
    case RUN_DONE:
        return COMPARISON_SAME;
    case RUN_UNSUPPORTED:
        return say(comparison, COMPARISON_SKIPPED, "%s: %s", runner->name, runner->message);
    default:
        return say(comparison, COMPARISON_DIFFERENT, "%s: %s", runner->name, runner->message);
    }
}

enum comparison_result compare_case(struct comparison *comparison, const struct shader_case *shader,
                                    const uint32_t *words, uint64_t size)
{
    comparison->message[0] = '\0';
    struct run_buffer one[CASE_BUFFERS], other[CASE_BUFFERS];
    if (!shader_case_fill(shader, comparison->seed, one))
        return say(comparison, COMPARISON_DIFFERENT, "no memory");
    enum comparison_result result = COMPARISON_DIFFERENT;
    if (!shader_case_fill(shader, comparison->seed, other)) {
        say(comparison, COMPARISON_DIFFERENT, "no memory");
        goto release_one;
    }
    result = run_one(comparison, comparison->one, shader, words, size, one);
    if (result == COMPARISON_SKIPPED && comparison->twin)
        result = run_one(comparison, comparison->one, shader, comparison->twin, comparison->twin_size, one);
    if (result == COMPARISON_SAME)
        result = run_one(comparison, comparison->other, shader, words, size, other);
    if (result == COMPARISON_SAME) {
        char difference[256];
        if (!shader_case_same(shader, one, other, difference, sizeof(difference)))
            result = say(comparison, COMPARISON_DIFFERENT, "%s, %s: %s", comparison->one->name,
                         comparison->other->name, difference);
    }
    shader_case_release(shader, other);
release_one:
    shader_case_release(shader, one);
    return result;
}
