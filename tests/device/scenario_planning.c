/* The scenario: graphs and pipelines.
 * SPDX-License-Identifier: MIT
 */
#include "tests/device/kernels.h"
#include "tests/device/scenario_inside.h"

static const int32_t strategies[SCENARIO_STRATEGIES] = {TRM_STRATEGY_ROLE_STREAMS, TRM_STRATEGY_SLOT_STREAMS,
                                                        TRM_STRATEGY_SLOT_GRAPHS, TRM_STRATEGY_ZERO_COPY};

static int32_t make_graph(struct scenario_things *things)
{
    struct trm_stream *recording = NULL;
    int32_t status               = trm_graph_create(things->device, &things->graph);
    if (status == TRM_OK)
        status = trm_graph_record(things->graph, &recording);
    if (status == TRM_OK)
        status = trm_upload(recording, trm_span_whole(things->a), things->sent);
    if (status == TRM_OK)
        status = trm_event_record(things->start, recording);
    if (status == TRM_OK)
        status = affine_launch(recording, things->kernel, things->a, SCENARIO_COUNT, 3, 1);
    if (status == TRM_OK)
        status = trm_fill(recording, trm_span_of(things->b, 0, 400), 9, 1);
    if (status == TRM_OK)
        status = trm_copy(recording, trm_span_whole(things->b), trm_span_whole(things->a));
    return status == TRM_OK ? trm_graph_instantiate(things->graph, &things->exec) : status;
}

static int32_t launch_graph(struct scenario_things *things)
{
    int32_t status = trm_graph_launch(things->exec, things->stream);
    if (status == TRM_OK)
        status = trm_graph_launch(things->exec, things->upload);
    if (status == TRM_OK)
        status = trm_graph_update_upload(things->exec, 0, trm_span_whole(things->a), things->sent);
    if (status == TRM_OK)
        status = trm_graph_launch(things->exec, things->stream);
    if (status == TRM_OK)
        status = trm_stream_sync(things->stream);
    return status == TRM_OK ? trm_stream_sync(things->upload) : status;
}

static int32_t run_by(struct scenario_things *things, int way)
{
    struct trm_source source      = trm_source_memory(things->batch, sizeof(things->batch));
    struct trm_sink sink          = trm_sink_memory(things->results[way], sizeof(things->results[way]));
    struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                     .ports       = things->ports,
                                     .port_count  = 2,
                                     .stages      = &things->stage,
                                     .stage_count = 1,
                                     .depth       = 2,
                                     .strategy    = strategies[way],
                                     .measure     = TRM_MEASURE_ALL};
    int32_t status                = trm_pipeline_create(things->device, &desc, &things->pipeline);
    if (status != TRM_OK)
        return strategies[way] == TRM_STRATEGY_ZERO_COPY ? scenario_may_lack(status) : status;
    status = trm_pipeline_run(things->pipeline, &source, &sink);
    trm_pipeline_destroy(things->pipeline);
    things->pipeline         = NULL;
    things->has_results[way] = status == TRM_OK;
    return status;
}

static int32_t run_pipeline(struct scenario_things *things)
{
    things->ports[0]     = trm_port_input("in", SCENARIO_TOKEN);
    things->ports[1]     = trm_port_output("out", SCENARIO_TOKEN);
    things->stage        = trm_stage_launch(things->spread, things->arguments, 5, 0, 4);
    things->arguments[0] = trm_arg_port(0);
    things->arguments[1] = trm_arg_port(1);
    things->arguments[2] = trm_arg_port_elements(0, 4);
    things->arguments[3] = trm_arg_u32(3);
    things->arguments[4] = trm_arg_u32(5);
    return run_by(things, 0);
}

int32_t scenario_run_other_pipelines(struct scenario_things *things)
{
    int32_t status = TRM_OK;
    for (int way = 1; way < SCENARIO_STRATEGIES && status == TRM_OK; way++)
        status = run_by(things, way);
    return status;
}

const struct scenario_step scenario_planning[] = {
    SCENARIO_STEP(make_graph),
    SCENARIO_STEP(launch_graph),
    SCENARIO_STEP(run_pipeline),
    {NULL, NULL},
};
