/* Tokens that all devices of a group work on at once: one of the numbers of slots that are tried for large
 * tokens where the devices are parts of the host's processors.
 * SPDX-License-Identifier: MIT
 */
#include "fixture.h"

#include <stdatomic.h>
#include <time.h>
#include <trireme/group.h>
#include <unistd.h>

/* Elements: with one the kernel fails, with the other, the second one of a part, it waits for that. */
#define MARK 0xdeadu
#define WAITS 1u
#define HELPS 2u /* the second element of a second part that ends after the first one */

enum {
    TOKENS       = 200, /* in the first rounds of a trial each number of slots has a turn */
    ROUNDS       = 50,
    DEVICES      = 2,
    DEVICES_MOST = 3,
    DEPTH        = 2,
    SLOTS        = DEPTH * DEVICES,
    ODD          = 12345, /* elements of a short token; its parts are of different lengths */
    GROUP        = 64,
    BIAS         = 7,
};

static struct {
    struct trm_group *group;
    struct trm_group_kernel *kernel;
    struct trm_pipeline *pipeline;
    uint64_t elements; /* of a full token */
    bool marks;        /* the source marks the next full token after one that was spread */
    bool starves;      /* there is no memory from the first token on */
    bool last_waits;   /* … whose first part then fails and not the last one */
    uint32_t loses;    /* after a token that was spread, the device of the launch of this number is lost */
    atomic_uint parts; /* launches for less than a token */
    atomic_bool met;   /* a part has failed with a mark */
    atomic_uint begun[DEVICES]; /* the first elements of the last parts */
    atomic_bool anew;           /* a token was done as a whole after one of its parts */
    atomic_bool is_over;        /* the run has returned */
    atomic_bool is_late;        /* a launch was still there then */
    uint64_t wrong, taken;
} its;

/* What kernels took, where all tokens are measured. */
static struct {
    bool is_on;
    atomic_uint first_parts, second_parts;
    _Atomic uint64_t first_end, sum;
} took;

/* ---- the kernel ----------------------------------------------------------------------------- */

struct arguments {
    struct trm_cpu_buffer from, to;
    uint32_t count, bias;
};

/* For longer than a run would take to return without it. */
static void wait_for_failure(void)
{
    while (!atomic_load(&its.met))
        usleep(100);
    usleep(5000);
    if (atomic_load(&its.is_over))
        atomic_store(&its.is_late, true);
}

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* The second part of a token has been done; it ends after the first one. */
static void end_second(void)
{
    uint32_t number = atomic_fetch_add(&took.second_parts, 1) + 1;

    while (atomic_load(&took.first_parts) < number)
        usleep(100);
    usleep(1000);
    atomic_fetch_add(&took.sum, now() - atomic_load(&took.first_end));
}

static void end_other(uint64_t begun, bool is_first)
{
    uint64_t end = now();

    atomic_fetch_add(&took.sum, end - begun);
    if (!is_first)
        return;
    atomic_store(&took.first_end, end);
    atomic_fetch_add(&took.first_parts, 1);
}

static void note_part(uint32_t first)
{
    atomic_store(&its.begun[atomic_fetch_add(&its.parts, 1) % DEVICES], first);
}

static void note_whole(const uint32_t *from)
{
    for (uint32_t i = 0; i < DEVICES; i++)
        for (uint32_t k = 0; k < DEVICES; k++)
            if (from[its.elements / DEVICES * k] == atomic_load(&its.begun[i]))
                atomic_store(&its.anew, true);
}

/* Each element plus `bias`. */
static int32_t add(const struct trm_cpu_groups *groups, const void *block)
{
    const struct arguments *given = block;
    const uint32_t *from          = given->from.data;
    uint32_t *to                  = given->to.data;
    uint64_t begin = groups->begin * GROUP, end = groups->end * GROUP;
    uint64_t begun = took.is_on ? now() : 0;
    bool is_part   = given->count != its.elements && given->count != ODD;

    if (begin == 0 && is_part)
        note_part(from[0]);
    else if (begin == 0 && given->count == its.elements)
        note_whole(from);
    if (begin == 0 && is_part && from[1] == WAITS)
        wait_for_failure();
    for (uint64_t i = begin; i < end && i < given->count; i++) {
        if (from[i] == MARK) {
            atomic_store(&its.met, is_part);
            return 3;
        }
        to[i] = from[i] + given->bias;
    }
    if (took.is_on && is_part && from[1] == HELPS) {
        if (end >= given->count)
            end_second();
    } else if (took.is_on) {
        end_other(begun, is_part && end >= given->count);
    }
    return 0;
}

static const struct trm_parameter parameters[] = {
    {.name = "from", .kind = TRM_PARAMETER_BUFFER, .access = TRM_ACCESS_READ},
    {.name = "to", .kind = TRM_PARAMETER_BUFFER, .access = TRM_ACCESS_WRITE},
    {.name = "count", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
    {.name = "bias", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
};

static const struct trm_cpu_kernel kernels[] = {
    {.name            = "add",
     .function        = add,
     .parameters      = parameters,
     .parameter_count = 4,
     .group_size      = {GROUP, 1, 1}},
};

/* ---- source and sink ------------------------------------------------------------------------ */

/* Every seventh token is short. */
static uint64_t length_of(uint64_t index)
{
    return index % 7 == 6 && !took.is_on ? ODD : its.elements;
}

static uint32_t element(uint64_t token, uint64_t i)
{
    return (uint32_t)(token * 31 + i % 1000) + MARK + 1;
}

/* One slot is in use and has no other token, so the next launches are those of this token's parts, of which
 * the thread of the run enqueues that of the other device first. */
static void lose_device(void)
{
    char rule[32];

    snprintf(rule, sizeof(rule), "launch:%u:%d", its.loses, TRM_ERROR_DEVICE_LOST);
    ck_ok(the.control->async_fault(rule));
    its.loses = 0;
}

static int32_t fill(void *user, struct trm_token *token)
{
    uint32_t *data = token->data[0];
    uint64_t count = length_of(token->index);

    (void)user;
    if (its.starves && token->index == 0)
        the.counting.fail_from = atomic_load(&the.counting.allocations) + 1;
    for (uint64_t i = 0; i < count; i++)
        data[i] = element(token->index, i);
    if (its.marks && atomic_load(&its.parts) != 0 && count == its.elements) {
        its.marks                                      = false;
        data[its.last_waits ? count / DEVICES + 1 : 1] = WAITS;
        data[its.last_waits ? 0 : count - 1]           = MARK;
    }
    if (its.loses != 0 && atomic_load(&its.parts) != 0)
        lose_device();
    if (took.is_on)
        data[count / DEVICES + 1] = HELPS;
    token->size[0] = count * sizeof(uint32_t);
    return TRM_OK;
}

static int32_t take(void *user, const struct trm_token *token)
{
    const uint32_t *data = token->data[1];
    uint64_t count       = length_of(token->index);

    (void)user;
    its.taken++;
    its.wrong += token->size[1] != count * sizeof(uint32_t);
    for (uint64_t i = 0; i < count; i++)
        its.wrong += data[i] != element(token->index, i) + BIAS;
    return TRM_OK;
}

/* ---- the pipeline --------------------------------------------------------------------------- */

/* So large that fewer slots are tried: each port as large as a processor's second-level cache. */
static uint64_t port_bytes(void)
{
    long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);

    return bytes > 0 ? (uint64_t)bytes : (uint64_t)1 << 20;
}

static void make_pipeline(uint32_t flags)
{
    struct trm_port ports[] = {trm_port_input("from", port_bytes()), trm_port_output("to", port_bytes())};
    struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_port(1),
                                       trm_arg_port_elements(1, sizeof(uint32_t)), trm_arg_u32(BIAS)};
    struct trm_stage stage =
        trm_stage_launch(trm_group_stage_kernel(its.kernel), arguments, 4, 1, sizeof(uint32_t));
    struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc),
        .flags       = flags,
        .ports       = ports,
        .port_count  = 2,
        .stages      = &stage,
        .stage_count = 1,
        .measure     = took.is_on ? TRM_MEASURE_ALL : 0,
        .depth       = DEPTH,
    };

    ports[0].grain = ports[1].grain = sizeof(uint32_t);
    ports[1].follows                = 1;
    ck_ok(trm_group_pipeline_create(its.group, &desc, &its.pipeline));
}

static void open_backend(enum fixture_backend backend, uint32_t devices, uint32_t flags)
{
    char number[8];
    const struct trm_setting settings[] = {{"cpu.devices", number}, {"cpu.workers", number}};
    struct trm_module_desc desc         = {.struct_size = sizeof(desc),
                                           .format      = TRM_MODULE_FUNCTIONS,
                                           .data        = kernels,
                                           .size        = sizeof(kernels)};

    snprintf(number, sizeof(number), "%u", devices);
    memset(&its, 0, sizeof(its));
    its.elements = port_bytes() / sizeof(uint32_t);
    fixture_open(backend, settings, 2);
    ck_ok(trm_group_create(the.context, "*", &its.group));
    ck_ok(trm_group_kernel_load(its.group, &desc, "add", &its.kernel));
    make_pipeline(flags);
}

static void open_on(uint32_t devices, uint32_t flags)
{
    open_backend(ON_CPU, devices, flags);
}

static void close_all(void)
{
    trm_pipeline_destroy(its.pipeline);
    trm_group_kernel_destroy(its.kernel);
    trm_group_destroy(its.group);
    fixture_close();
}

static int32_t run(uint64_t tokens)
{
    struct trm_source source = trm_source_function(fill, NULL);
    struct trm_sink sink     = trm_sink_function(take, NULL);

    source.count = tokens;
    its.taken    = 0;
    return trm_pipeline_run(its.pipeline, &source, &sink);
}

/* ---- tests ---------------------------------------------------------------------------------- */

static uint64_t spread_tokens(void)
{
    struct trm_report report = {.struct_size = sizeof(report)};

    ck_ok(trm_pipeline_report(its.pipeline, &report));
    return report.spread_tokens;
}

START_TEST(devices_that_share_the_memory_work_on_one_token_for_a_trial)
{
    open_on((uint32_t)_i, TRM_PIPELINE_DIVISIBLE);
    ck_ok(run(TOKENS));
    ck_assert_uint_eq(its.taken, TOKENS);
    ck_assert_uint_eq(its.wrong, 0);
    uint64_t spread = spread_tokens();
    ck_assert_uint_gt(spread, 0);
    ck_assert_uint_eq(atomic_load(&its.parts), spread * (uint32_t)_i);
    ck_ok(trm_pipeline_reset_report(its.pipeline));
    ck_assert_uint_eq(spread_tokens(), 0);
    close_all();
}
END_TEST

START_TEST(tokens_that_cannot_be_divided_stay_on_one_device_each)
{
    open_on(DEVICES, 0);
    ck_ok(run(TOKENS));
    ck_assert_uint_eq(its.taken, TOKENS);
    ck_assert_uint_eq(its.wrong, 0);
    ck_assert_uint_eq(atomic_load(&its.parts), 0);
    close_all();
}
END_TEST

/* A token that is marked after one that was spread is mostly spread, too; where it is not, or none was, a new
 * pipeline begins its trial anew. */
START_TEST(after_a_failure_of_one_part_the_others_are_waited_for)
{
    for (int round = 0; round < ROUNDS && !atomic_load(&its.met); round++) {
        if (round > 0)
            close_all();
        open_on(DEVICES, TRM_PIPELINE_DIVISIBLE);
        its.last_waits = _i == 1;
        its.marks      = true;
        int32_t status = run(TOKENS);
        atomic_store(&its.is_over, true);
        ck_assert(status == TRM_OK || status == TRM_ERROR_KERNEL);
        ck_assert_msg(status == TRM_OK || strstr(trm_last_error().sentence, "\"add\"") != NULL, "%s",
                      trm_last_error().sentence);
    }
    ck_assert(atomic_load(&its.met));
    its.marks = false;
    ck_ok(run(TOKENS));
    ck_assert_uint_eq(its.taken, TOKENS);
    ck_assert_uint_eq(its.wrong, 0);
    close_all();
    ck_assert(!atomic_load(&its.is_late));
}
END_TEST

START_TEST(a_program_that_acquires_slots_has_no_token_spread)
{
    struct trm_token *token;

    open_on(DEVICES, TRM_PIPELINE_DIVISIBLE);
    ck_ok(run(TOKENS));
    atomic_store(&its.parts, 0);
    for (uint32_t i = 0; i < 2 * TOKENS / 10; i++) {
        ck_ok(trm_pipeline_acquire(its.pipeline, TRM_FOREVER, &token));
        ck_ok(fill(NULL, token));
        ck_ok(trm_pipeline_submit(its.pipeline, token));
        ck_ok(trm_pipeline_next(its.pipeline, TRM_FOREVER, &token));
        ck_ok(take(NULL, token));
        ck_ok(trm_pipeline_release(its.pipeline, token));
    }
    ck_assert_uint_eq(its.wrong, 0);
    ck_assert_uint_eq(atomic_load(&its.parts), 0);
    close_all();
}
END_TEST

/* A token is processed when the last part is. */
START_TEST(a_measured_token_ends_with_its_last_part)
{
    struct trm_report report = {.struct_size = sizeof(report)};

    took.is_on = true;
    open_on(DEVICES, TRM_PIPELINE_DIVISIBLE);
    ck_ok(run(TOKENS));
    ck_ok(trm_pipeline_report(its.pipeline, &report));
    ck_assert_uint_gt(atomic_load(&took.second_parts), 0);
    ck_assert_uint_ge(report.launches[0].busy_ns, atomic_load(&took.sum));
    close_all();
    took.is_on = false;
}
END_TEST

/* Each slot has tokens, without any being spread. */
static void use_all_slots(void)
{
    struct trm_token *tokens[SLOTS], *token;

    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < SLOTS; i++) {
            ck_ok(trm_pipeline_acquire(its.pipeline, TRM_FOREVER, &tokens[i]));
            ck_ok(fill(NULL, tokens[i]));
        }
        for (int i = 0; i < SLOTS; i++)
            ck_ok(trm_pipeline_submit(its.pipeline, tokens[i]));
        for (int i = 0; i < SLOTS; i++) {
            ck_ok(trm_pipeline_next(its.pipeline, TRM_FOREVER, &token));
            ck_ok(trm_pipeline_release(its.pipeline, token));
        }
    }
}

START_TEST(without_memory_for_helpers_a_token_stays_on_its_device)
{
    open_on(DEVICES, TRM_PIPELINE_DIVISIBLE);
    use_all_slots();
    its.starves = true;
    ck_ok(run(TOKENS));
    ck_assert_int_ge(atomic_load(&the.counting.allocations), the.counting.fail_from);
    the.counting.fail_from = 0;
    its.starves            = false;
    ck_assert_uint_eq(its.taken, TOKENS);
    ck_assert_uint_eq(its.wrong, 0);
    ck_assert_uint_eq(atomic_load(&its.parts), 0);
    ck_ok(run(TOKENS));
    ck_assert_uint_eq(its.wrong, 0);
    close_all();
}
END_TEST

/* Of the token's own device or of the other one. */
START_TEST(a_token_is_repeated_where_a_device_that_did_a_part_is_lost)
{
    struct trm_report report = {.struct_size = sizeof(report)};

    open_backend(ON_PROXIED_UNIFIED_CPU, DEVICES, TRM_PIPELINE_DIVISIBLE);
    its.loses = (uint32_t)_i;
    ck_ok(run(TOKENS));
    ck_assert_uint_eq(its.loses, 0);
    ck_assert_uint_eq(its.taken, TOKENS);
    ck_assert_uint_eq(its.wrong, 0);
    ck_assert(atomic_load(&its.anew));
    ck_ok(trm_pipeline_report(its.pipeline, &report));
    ck_assert_uint_eq(report.devices[0].lost + report.devices[1].lost, 1);
    ck_assert_uint_eq(report.repeated, 1);
    uint64_t spread = report.spread_tokens;
    ck_assert_uint_gt(spread, 0);
    ck_ok(run(TOKENS));
    ck_assert_uint_eq(its.taken, TOKENS);
    ck_assert_uint_eq(its.wrong, 0);
    ck_assert_uint_eq(spread_tokens(), 0);
    close_all();
}
END_TEST

int main(void)
{
    Suite *suite  = suite_create("tokens that are spread");
    TCase *spread = tcase_create("spread"), *lost = tcase_create("lost");

    if (!backend_there(ON_CPU))
        return 77;
    tcase_set_timeout(spread, 300);
    tcase_set_timeout(lost, 300);
    suite_add_tcase(suite, spread);
    suite_add_tcase(suite, lost);
    tcase_add_loop_test(spread, devices_that_share_the_memory_work_on_one_token_for_a_trial, DEVICES,
                        DEVICES_MOST + 1);
    tcase_add_test(spread, tokens_that_cannot_be_divided_stay_on_one_device_each);
    tcase_add_loop_test(spread, after_a_failure_of_one_part_the_others_are_waited_for, 0, 2);
    tcase_add_test(lost, a_measured_token_ends_with_its_last_part);
    tcase_add_test(lost, without_memory_for_helpers_a_token_stays_on_its_device);
    tcase_add_loop_test(lost, a_token_is_repeated_where_a_device_that_did_a_part_is_lost, 1, DEVICES + 1);
    tcase_add_test(spread, a_program_that_acquires_slots_has_no_token_spread);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
