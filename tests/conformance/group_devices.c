/* Pipelines of groups whose stages prefer devices: the results are those of one device, whichever device each
 * stage prefers and each token goes to.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "kernels.h"
#include "plans.h"
#include "shaders.h"

#include <string.h>

#define WORDS 1000u
#define BYTES (WORDS * sizeof(float))
#define LINKS 3
#define STAGES 7u
#define HOST 4u /* the stage on the host */
#define TOKENS 24u
#define BIT(number) (UINT64_C(1) << (number))

enum {
    X,
    WEIGHTS,
    T,
    U,
    V,
    Y,
    Z,
    PORTS
};

/* t = x × weights; u = t + 3; v = t + x; y = u + v; on the host z = y + 1; y += 2 t; y += x */
struct team {
    struct trm_context *context;
    struct trm_group *group;
    uint32_t devices;
    struct trm_group_kernel *multiply, *add, *chain, *axpy;
    struct trm_group_buffer *weights;
    struct trm_port ports[PORTS];
    struct trm_argument arguments[STAGES][6];
    struct trm_stage stages[STAGES];
    struct trm_stage_device preferred[STAGES];
    struct trm_pipeline_desc desc;
    uint64_t next; /* the token that must come out next */
    const char *wrong;
};

/* The second and the third stage have no order. */
static const uint64_t branches[] = {0, BIT(0), BIT(0), BIT(1) | BIT(2), BIT(3), BIT(4), BIT(5)};

/* ---- a group and its pipeline --------------------------------------------------------------- */

static float weight(uint32_t i)
{
    return (float)(i % 5);
}

/* Devices of several backends, of CONFORMANCE_TEAM, else all of the backend under test. */
static void open_group(struct team *team)
{
    const struct trm_setting settings[] = {{"stream.models", "no"}, {"backend", "vulkan,cpu"}};
    struct trm_device_summary summary   = {.struct_size = sizeof(summary)};
    const char *mixed                   = getenv("CONFORMANCE_TEAM");
    char devices[80];
    ck_ok(context_with(settings, mixed != NULL ? 2 : 1, &team->context));
    ck_ok(trm_device_describe(team->context, 0, &summary));
    snprintf(devices, sizeof(devices), "%s:*", summary.backend);
    ck_ok(trm_group_create(team->context, mixed != NULL ? mixed : devices, &team->group));
    ck_ok(trm_group_size(team->group, &team->devices));
}

static struct trm_group_kernel *binary(const struct team *team, uint32_t operation)
{
    const struct trm_constant constant = trm_constant_u32("operation", operation);
    struct trm_group_kernel *kernel;
    ck_ok(trm_group_kernel_named(team->group, "binary", &constant, 1, &kernel));
    return kernel;
}

static int32_t next_of(void *user, const struct trm_token *token)
{
    const float *y = token->data[Y];
    float *z       = token->data[Z];
    (void)user;
    for (uint64_t i = 0; i < token->size[Y] / sizeof(float); i++)
        z[i] = y[i] + 1;
    return TRM_OK;
}

static void describe_stage(struct team *team, uint32_t stage, struct trm_group_kernel *kernel, uint32_t count)
{
    team->arguments[stage][count - 1] = trm_arg_port_elements(X, sizeof(float));
    team->stages[stage] =
        trm_stage_launch(trm_group_stage_kernel(kernel), team->arguments[stage], count, X, sizeof(float));
}

static void describe_binary(struct team *team, uint32_t stage, struct trm_group_kernel *kernel, uint32_t one,
                            uint32_t other, uint32_t result)
{
    team->arguments[stage][0] = trm_arg_port(one);
    team->arguments[stage][1] = trm_arg_port(other);
    team->arguments[stage][2] = trm_arg_port(result);
    describe_stage(team, stage, kernel, 4);
}

static void describe_axpy(struct team *team, uint32_t stage, uint32_t x, uint32_t y, float factor)
{
    team->arguments[stage][0] = trm_arg_port(x);
    team->arguments[stage][1] = trm_arg_port(y);
    team->arguments[stage][2] = trm_arg_f32(factor);
    describe_stage(team, stage, team->axpy, 4);
}

static void describe_ports(struct team *team)
{
    team->ports[X]             = trm_port_input("x", BYTES);
    team->ports[WEIGHTS]       = trm_port_shared("weights", trm_group_port_buffer(team->weights));
    team->ports[WEIGHTS].flags = TRM_PORT_READ_ONLY;
    team->ports[T]             = trm_port_scratch("t", BYTES);
    team->ports[U]             = trm_port_scratch("u", BYTES);
    team->ports[V]             = trm_port_scratch("v", BYTES);
    team->ports[Y]             = trm_port_output("y", BYTES);
    team->ports[Z]             = trm_port_output("z", BYTES);
    for (uint32_t i = T; i < PORTS; i++)
        team->ports[i].follows = 1 + X;
}

static void describe(struct team *team)
{
    describe_ports(team);
    describe_binary(team, 0, team->multiply, X, WEIGHTS, T);
    team->arguments[1][0] = trm_arg_port(T);
    team->arguments[1][1] = trm_arg_port(U);
    team->arguments[1][2] = trm_arg_f32(1);
    team->arguments[1][3] = trm_arg_f32(1);
    describe_stage(team, 1, team->chain, 5);
    describe_binary(team, 2, team->add, T, X, V);
    describe_binary(team, 3, team->add, U, V, Y);
    team->stages[HOST] = trm_stage_host(next_of, NULL, BIT(Y), BIT(Z));
    describe_axpy(team, 5, T, Y, 2);
    describe_axpy(team, 6, X, Y, 1);
    team->desc = (struct trm_pipeline_desc){.struct_size = sizeof(team->desc),
                                            .name        = "away",
                                            .ports       = team->ports,
                                            .port_count  = PORTS,
                                            .stages      = team->stages,
                                            .stage_count = STAGES,
                                            .depth       = 2,
                                            .devices     = team->preferred};
}

/* False: the device takes no portable kernels; it was said so. */
static bool team_open(struct team *team)
{
    const struct trm_constant links = trm_constant_u32("links", LINKS);
    float numbers[WORDS];
    const struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .size = BYTES, .data = numbers};
    if (getenv("CONFORMANCE_TEAM") == NULL && shaders_missing())
        return false;
    *team = (struct team){.next = 0};
    open_group(team);
    team->add      = binary(team, 0);
    team->multiply = binary(team, 2);
    ck_ok(trm_group_kernel_named(team->group, "fma_chain", &links, 1, &team->chain));
    ck_ok(trm_group_kernel_named(team->group, "axpy", NULL, 0, &team->axpy));
    for (uint32_t i = 0; i < WORDS; i++)
        numbers[i] = weight(i);
    ck_ok(trm_group_buffer_create(team->group, &desc, &team->weights));
    describe(team);
    return true;
}

static void team_close(struct team *team)
{
    trm_group_buffer_destroy(team->weights);
    trm_group_kernel_destroy(team->axpy);
    trm_group_kernel_destroy(team->chain);
    trm_group_kernel_destroy(team->multiply);
    trm_group_kernel_destroy(team->add);
    trm_group_destroy(team->group);
    trm_context_destroy(team->context);
}

/* ---- tokens --------------------------------------------------------------------------------- */

/* Every third token is full; the others have fewer words, and some none. */
static uint32_t words_of(uint64_t index)
{
    return index % 3 == 0 ? WORDS : (uint32_t)(index * 37 % WORDS) / 4 * 4;
}

static float element(uint64_t index, uint32_t i)
{
    return (float)(index % 16 + i % 7);
}

static int32_t load(void *user, struct trm_token *token)
{
    float *x       = token->data[X];
    uint32_t words = words_of(token->index);
    (void)user;
    token->size[X] = words * sizeof(float);
    for (uint32_t i = 0; i < words; i++)
        x[i] = element(token->index, i);
    return TRM_OK;
}

static int32_t take(void *user, const struct trm_token *token)
{
    struct team *team = user;
    const float *y = token->data[Y], *z = token->data[Z];
    if (token->index != team->next++)
        team->wrong = "tokens came out of order";
    if (token->size[Y] != words_of(token->index) * sizeof(float))
        team->wrong = "a token came out with another size";
    for (uint32_t i = 0; i < words_of(token->index); i++) {
        float x = element(token->index, i), t = x * weight(i), sum = (t + LINKS) + (t + x);
        if (y[i] != sum + 2 * t + x || z[i] != sum + 1)
            team->wrong = "a token came out with wrong data";
    }
    return TRM_OK;
}

static void run(struct team *team, struct trm_pipeline *pipeline, uint64_t count, uint32_t workers)
{
    struct trm_source source = trm_source_function(load, NULL);
    struct trm_sink sink     = trm_sink_function(take, team);
    source.workers           = workers;
    source.count             = count;
    team->next               = 0;
    ck_ok(trm_pipeline_run(pipeline, &source, &sink));
    ck_assert_msg(team->wrong == NULL, "%s", team->wrong);
    ck_assert_uint_eq(team->next, count);
}

static void prefer(struct team *team, uint32_t stage, uint32_t device)
{
    team->preferred[stage] =
        device < team->devices ? trm_stage_device_of_group(device) : trm_stage_device_any();
}

/* Any device of the group, or none, for each stage, from one number. */
static void prefer_all(struct team *team, uint32_t number)
{
    for (uint32_t i = 0; i < STAGES; i++) {
        if (i == HOST)
            continue;
        prefer(team, i, number % (team->devices + 1));
        number /= team->devices + 1;
    }
}

static bool is_away(const struct team *team)
{
    for (uint32_t i = 0; team->devices > 1 && i < STAGES; i++)
        if (team->preferred[i].kind != TRM_STAGE_DEVICE_ANY)
            return true;
    return false;
}

static void try_strategy(struct team *team, int32_t strategy, uint32_t workers)
{
    struct trm_pipeline *pipeline = NULL;
    team->desc.strategy           = strategy;
    int32_t status                = trm_group_pipeline_create(team->group, &team->desc, &pipeline);
    if (status == TRM_ERROR_UNSUPPORTED) {
        ck_assert_msg(strategy != TRM_STRATEGY_AUTO, "%s", trm_last_error().sentence);
        return;
    }
    ck_ok(status);
    ck_assert(!is_away(team) || strategy != TRM_STRATEGY_SLOT_GRAPHS);
    run(team, pipeline, TOKENS, workers);
    run(team, pipeline, 5, 0);
    ck_slots_free(pipeline);
    trm_pipeline_destroy(pipeline);
}

START_TEST(stages_of_a_group_on_devices_that_they_prefer_give_the_same_results)
{
    struct team team;
    uint32_t ways = 1;
    if (!team_open(&team))
        return;
    for (uint32_t i = 1; i < STAGES; i++)
        ways *= team.devices + 1;
    /* To and fro, so that what a stage had on its device is old there for the next one. */
    for (uint32_t i = 0; i < STAGES; i++)
        prefer(&team, i, i == HOST ? team.devices : (i + 1) / 2 % 2 % team.devices);
    for (uint32_t i = 0; i < 6; i++)
        try_strategy(&team, all_strategies[i], 0);
    /* A step without a factor in common with the number of ways; the last way is that of no preference. */
    for (uint32_t i = 0, way = ways - 1; i < 24 && i < ways; i++, way = (way + 389) % ways) {
        prefer_all(&team, way);
        team.desc.after = i % 2 == 0 ? NULL : branches;
        team.desc.depth = 1 + i % 3;
        try_strategy(&team, all_strategies[i % 6], i % 4 == 0 ? 2 : 0);
        try_strategy(&team, TRM_STRATEGY_AUTO, 0);
    }
    team_close(&team);
}
END_TEST

/* ---- reports -------------------------------------------------------------------------------- */

START_TEST(a_stage_of_a_group_on_a_device_that_it_prefers_is_reported_by_itself)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    struct trm_pipeline *pipeline;
    struct team team;
    if (!team_open(&team))
        return;
    team.stages[1].name = "elsewhere";
    team.desc.measure   = TRM_MEASURE_ALL;
    prefer(&team, 1, team.devices - 1);
    ck_ok(trm_group_pipeline_create(team.group, &team.desc, &pipeline));
    run(&team, pipeline, TOKENS, 0);
    ck_ok(trm_pipeline_report(pipeline, &report));
    ck_assert_uint_eq(report.launch_count, STAGES);
    ck_assert_str_eq(report.launches[1].name, "elsewhere");
    for (uint32_t i = 0; i < report.launch_count; i++)
        ck_assert_uint_eq(report.launch_device[i], i == 1 && team.devices > 1 ? team.devices : 0);
    for (uint32_t i = 0; i < report.launch_count; i++)
        ck_assert_msg(report.launches[i].busy_ns > 0 && report.launches[i].busy_ns <= report.elapsed_ns * 8,
                      "stage %u was busy %llu ns of %llu", i, (unsigned long long)report.launches[i].busy_ns,
                      (unsigned long long)report.elapsed_ns);
    trm_pipeline_destroy(pipeline);
    team_close(&team);
}
END_TEST

/* ---- refusals ------------------------------------------------------------------------------- */

static void refuse(struct team *team, int32_t status, const char *why)
{
    struct trm_pipeline *pipeline = NULL;
    ck_status(trm_group_pipeline_create(team->group, &team->desc, &pipeline), status);
    ck_sentence_has(why);
    ck_assert_ptr_null(pipeline);
}

START_TEST(a_preference_that_no_device_of_a_group_can_have_is_refused)
{
    struct trm_stage_stream streams[STAGES] = {trm_stage_stream_any()};
    struct team team;
    if (!team_open(&team))
        return;
    team.preferred[1] = trm_stage_device_of_group(team.devices);
    refuse(&team, TRM_ERROR_OUT_OF_RANGE, "prefers device");
    team.preferred[1].kind = 7;
    refuse(&team, TRM_ERROR_INVALID_ARGUMENT, "of kind 7");
    team.preferred[1] = (struct trm_stage_device){.index = 1};
    refuse(&team, TRM_ERROR_INVALID_ARGUMENT, "its kind is not");
    prefer(&team, 1, 0);
    prefer(&team, HOST, 0);
    refuse(&team, TRM_ERROR_INVALID_ARGUMENT, "host stage");
    prefer(&team, HOST, team.devices);
    streams[1]        = trm_stage_stream_own();
    team.desc.streams = streams;
    refuse(&team, TRM_ERROR_INVALID_ARGUMENT, "a device and a stream");
    team_close(&team);
}
END_TEST

START_TEST(a_stage_with_objects_of_one_device_of_a_group_prefers_that_one)
{
    struct trm_pipeline *pipeline;
    struct trm_device *first;
    struct trm_kernel *alone;
    struct team team;
    if (!team_open(&team))
        return;
    const struct trm_constant links = trm_constant_u32("links", LINKS);
    ck_ok(trm_group_device(team.group, 0, &first));
    ck_ok(trm_kernel_named(first, "fma_chain", &links, 1, &alone));
    team.stages[1].kernel = alone;
    prefer(&team, 1, 0);
    ck_ok(trm_group_pipeline_create(team.group, &team.desc, &pipeline));
    run(&team, pipeline, TOKENS, 0);
    trm_pipeline_destroy(pipeline);
    prefer(&team, 1, team.devices - 1);
    if (team.devices > 1)
        refuse(&team, TRM_ERROR_WRONG_DEVICE, "than the one that the stage prefers");
    trm_kernel_destroy(alone);
    trm_device_destroy(first);
    team_close(&team);
}
END_TEST

START_TEST(a_stage_that_writes_a_shared_port_prefers_no_device_of_a_group)
{
    struct trm_stage stage;
    struct team team;
    if (!team_open(&team))
        return;
    stage                     = team.stages[6];
    team.desc.stages          = &stage;
    team.desc.stage_count     = 1;
    team.desc.port_count      = 2;
    team.ports[WEIGHTS].flags = 0;
    team.arguments[6][1]      = trm_arg_port(WEIGHTS);
    prefer(&team, 0, team.devices - 1);
    if (team.devices > 1)
        refuse(&team, TRM_ERROR_UNSUPPORTED, "which is shared");
    team_close(&team);
}
END_TEST

START_TEST(strategies_of_one_stream_refuse_a_stage_on_another_device_of_a_group)
{
    struct team team;
    if (!team_open(&team))
        return;
    prefer(&team, 1, team.devices - 1);
    team.desc.stage_count = HOST; /* no host stage, which graphs refuse anyway */
    team.ports[Z]         = trm_port_scratch("z", BYTES);
    team.desc.strategy    = TRM_STRATEGY_SLOT_GRAPHS;
    if (team.devices > 1)
        refuse(&team, TRM_ERROR_UNSUPPORTED, "prefers another");
    team_close(&team);
}
END_TEST

START_TEST(the_order_of_stages_that_prefer_devices_of_a_group_stays)
{
    const uint32_t order[STAGES] = {0, 2, 1, 3, 4, 5, 6};
    struct trm_pipeline *pipeline;
    struct team team;
    if (!team_open(&team))
        return;
    prefer(&team, 1, team.devices - 1);
    ck_ok(trm_group_pipeline_create(team.group, &team.desc, &pipeline));
    ck_status(trm_pipeline_set_stage_order(pipeline, order, STAGES), TRM_ERROR_UNSUPPORTED);
    run(&team, pipeline, TOKENS, 0);
    trm_pipeline_destroy(pipeline);
    team_close(&team);
}
END_TEST

void add_group_devices(Suite *suite)
{
    TCase *cases = group_make(suite, "group_devices: stages that prefer devices");
    CASE(cases, stages_of_a_group_on_devices_that_they_prefer_give_the_same_results);
    CASE(cases, a_stage_of_a_group_on_a_device_that_it_prefers_is_reported_by_itself);
    CASE(cases, a_preference_that_no_device_of_a_group_can_have_is_refused);
    CASE(cases, a_stage_with_objects_of_one_device_of_a_group_prefers_that_one);
    CASE(cases, a_stage_that_writes_a_shared_port_prefers_no_device_of_a_group);
    CASE(cases, strategies_of_one_stream_refuse_a_stage_on_another_device_of_a_group);
    CASE(cases, the_order_of_stages_that_prefer_devices_of_a_group_stays);
}
