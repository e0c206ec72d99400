/* Trireme: `trireme check` runs pipelines of three slots, with copies and without.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/device.h"

#include <stdio.h>

enum {
    ELEMENTS = 10007,
    BYTES    = ELEMENTS * sizeof(float),
    TOKENS   = 24,
    SLOTS    = 3,
};

/* What a sink has seen. */
struct seen {
    uint64_t tokens;
    uint64_t wrong_token;
    uint32_t wrong_element;
    float wrong_value;
    bool is_wrong;
};

static float input_of(uint64_t token, uint32_t i)
{
    return (float)(token + i % 1000);
}

static int32_t fill(void *user, struct trm_token *token)
{
    float *x = token->data[0];

    (void)user;
    if (token->index == TOKENS)
        return TRM_TOKEN_END;
    for (uint32_t i = 0; i < ELEMENTS; i++)
        x[i] = input_of(token->index, i);
    return TRM_OK;
}

static int32_t look(void *user, const struct trm_token *token)
{
    struct seen *seen = user;
    const float *y    = token->data[1];

    seen->tokens++;
    for (uint32_t i = 0; i < ELEMENTS && !seen->is_wrong; i++) {
        if (y[i] == input_of(token->index, i) + 32)
            continue;
        seen->is_wrong      = true;
        seen->wrong_token   = token->index;
        seen->wrong_element = i;
        seen->wrong_value   = y[i];
    }
    return TRM_OK;
}

static int32_t run(struct device_check *it, struct trm_kernel *kernel, int32_t strategy, struct seen *seen)
{
    const struct trm_port ports[]         = {trm_port_input("x", BYTES), trm_port_output("y", BYTES)};
    const struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_port(1), trm_arg_f32(1), trm_arg_f32(1),
                                             trm_arg_port_elements(0, sizeof(float))};
    const struct trm_stage stages[]       = {trm_stage_launch(kernel, arguments, 5, 0, sizeof(float))};
    const struct trm_pipeline_desc desc   = {
          .struct_size = sizeof(desc),
          .ports       = ports,
          .port_count  = 2,
          .stages      = stages,
          .stage_count = 1,
          .depth       = SLOTS,
          .strategy    = strategy,
    };
    const struct trm_source source = trm_source_function(fill, NULL);
    const struct trm_sink sink     = trm_sink_function(look, seen);
    struct trm_pipeline *pipeline;
    int32_t status = trm_pipeline_create(it->device, &desc, &pipeline);

    if (status != TRM_OK)
        return status;
    status = trm_pipeline_run(pipeline, &source, &sink);
    trm_pipeline_destroy(pipeline);
    return status;
}

static void check_strategy(struct device_check *it, struct trm_kernel *kernel, int32_t strategy,
                           const char *topic)
{
    struct seen seen = {0};
    int32_t status   = run(it, kernel, strategy, &seen);

    if (status == TRM_ERROR_UNSUPPORTED)
        report_add(it->report, FINDING_ABSENT, topic, NULL, "%s", trm_last_error().sentence);
    else if (status != TRM_OK)
        report_failure(it->report, topic, "a run failed");
    else if (seen.is_wrong)
        report_add(it->report, FINDING_FAILED, topic, device_remedy(it),
                   "element %u of token %llu is %g instead of %g", seen.wrong_element,
                   (unsigned long long)seen.wrong_token, (double)seen.wrong_value,
                   (double)(input_of(seen.wrong_token, seen.wrong_element) + 32));
    else if (seen.tokens != TOKENS)
        report_add(it->report, FINDING_FAILED, topic, NULL, "%llu of %d tokens came out",
                   (unsigned long long)seen.tokens, TOKENS);
    else
        report_add(it->report, FINDING_OK, topic, NULL, "%d tokens through %d slots are right and in order",
                   TOKENS, SLOTS);
}

void device_check_pipelines(struct device_check *it)
{
    struct trm_kernel *kernel;

    if (!device_takes_kernels(it))
        return;
    report_begin(it->report, "running pipelines");
    if (trm_kernel_named(it->device, "fma_chain", NULL, 0, &kernel) != TRM_OK) {
        report_failure(it->report, "pipeline", "fma_chain cannot be loaded");
        return;
    }
    check_strategy(it, kernel, TRM_STRATEGY_ROLE_STREAMS, "pipeline");
    check_strategy(it, kernel, TRM_STRATEGY_ZERO_COPY, "zero-copy");
    trm_kernel_destroy(kernel);
}
