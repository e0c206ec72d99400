/* The plans, and the rig that runs them.
 * SPDX-License-Identifier: MIT
 */
#include "plans.h"

#include "kernels.h"

const int32_t all_strategies[6] = {TRM_STRATEGY_AUTO,         TRM_STRATEGY_ROLE_STREAMS,
                                   TRM_STRATEGY_SLOT_STREAMS, TRM_STRATEGY_SLOT_GRAPHS,
                                   TRM_STRATEGY_ZERO_COPY,    TRM_STRATEGY_RESIDENT};

#define PORT_BYTES (PLAN_WORDS * sizeof(uint32_t))
#define TABLE_WORDS 100u
#define CHAIN_PORTS 9u /* scratch ports */

/* ---- what goes in ----------------------------------------------------------------------------------- */

uint32_t plan_input(const struct rig *rig, uint64_t index, uint32_t port, uint32_t i)
{
    return ((uint32_t)index * 2654435761u) ^ (port * 40503u + i * 977u + rig->seed);
}

static uint32_t table_word(uint32_t i)
{
    return i * 7u + 3u;
}

/* Odd ones, full ones, small ones, and some that are empty. */
uint32_t plan_words(const struct plan *plan, uint64_t index)
{
    static const uint32_t words[] = {PLAN_WORDS, 1, 0, 999, 63, 64, 65, 500, 333, 2};
    return plan->flags & PLAN_VARIABLE ? words[index % (sizeof(words) / sizeof(words[0]))] : PLAN_WORDS;
}

/* ---- for plans -------------------------------------------------------------------------------------- */

uint32_t rig_port(struct rig *rig, struct trm_port port)
{
    ck_assert_uint_lt(rig->desc.port_count, PLAN_MOST_PORTS);
    rig->ports[rig->desc.port_count] = port;
    return rig->desc.port_count++;
}

struct trm_stage *rig_launch(struct rig *rig, const char *kernel, uint32_t items_port,
                             const struct trm_argument *arguments, uint32_t argument_count)
{
    uint32_t number         = rig->desc.stage_count++;
    struct trm_stage *stage = &rig->stages[number];
    ck_assert_uint_lt(number, PLAN_MOST_STAGES);
    ck_assert_uint_le(argument_count, PLAN_MOST_PORTS);
    memcpy(rig->arguments[number], arguments, argument_count * sizeof(*arguments));
    rig->kernels[number] = rig->is_alone ? kernel_on(rig->device, kernel) : stage_kernel(kernel);
    *stage = trm_stage_launch(rig->kernels[number], rig->arguments[number], argument_count, items_port,
                              sizeof(uint32_t));
    return stage;
}

struct trm_stage *rig_host(struct rig *rig, trm_host_stage_fn host, uint64_t reads, uint64_t writes)
{
    struct trm_stage *stage = &rig->stages[rig->desc.stage_count++];
    *stage                  = trm_stage_host(host, rig, reads, writes);
    return stage;
}

/* One launch of the kernel "spread" between two ports. */
static void launch_spread(struct rig *rig, uint32_t from, uint32_t to, uint32_t factor, uint32_t addend)
{
    struct trm_argument arguments[] = {trm_arg_port(from), trm_arg_port(to), trm_arg_port_elements(from, 4),
                                       trm_arg_u32(factor), trm_arg_u32(addend)};
    rig_launch(rig, "spread", from, arguments, 5);
}

/* The same where the ports have other sizes than the input. */
static void launch_link(struct rig *rig, uint32_t in, uint32_t from, uint32_t to, uint32_t number)
{
    struct trm_argument arguments[] = {trm_arg_port(from), trm_arg_port(to), trm_arg_port_elements(in, 4),
                                       trm_arg_u32(2 * number + 1), trm_arg_u32(number)};
    rig_launch(rig, "spread", in, arguments, 5);
}

static void launch_blend(struct rig *rig, uint32_t from, uint32_t table, uint32_t to, uint32_t factor)
{
    struct trm_argument arguments[] = {trm_arg_port(from), trm_arg_port(table), trm_arg_port(to),
                                       trm_arg_port_elements(from, 4), trm_arg_u32(factor)};
    rig_launch(rig, "blend", from, arguments, 5);
}

static uint32_t add_input(struct rig *rig)
{
    return rig_port(rig, trm_port_input("in", PORT_BYTES));
}

static uint32_t add_output(struct rig *rig)
{
    return rig_port(rig, trm_port_output("out", PORT_BYTES));
}

static uint32_t add_scratch(struct rig *rig)
{
    return rig_port(rig, trm_port_scratch("scratch", PORT_BYTES));
}

static void make_shared(struct rig *rig, uint32_t words)
{
    struct trm_buffer_desc desc = {
        .struct_size = sizeof(desc), .size = words * sizeof(uint32_t), .flags = TRM_BUFFER_ZEROED};
    ck_ok(trm_buffer_create_from(rig->device, &desc, &rig->shared));
}

/* ---- the plans -------------------------------------------------------------------------------------- */

static void build_copies(struct rig *rig)
{
    add_input(rig);
    add_output(rig);
}

static void build_one(struct rig *rig)
{
    uint32_t in = add_input(rig), out = add_output(rig);
    launch_spread(rig, in, out, 3, 5);
}

static void expect_one(struct rig *rig, uint64_t index, uint32_t port, uint32_t *words, uint32_t count)
{
    (void)port;
    for (uint32_t i = 0; i < count; i++)
        words[i] = plan_input(rig, index, 0, i) * 3 + 5;
}

/* in → scratch → scratch → out, which takes the input in once more. */
static void build_several(struct rig *rig)
{
    uint32_t in = add_input(rig), first = add_scratch(rig), second = add_scratch(rig), out = add_output(rig);
    launch_spread(rig, in, first, 3, 5);
    launch_spread(rig, first, second, 7, 1);
    launch_blend(rig, second, in, out, 11);
}

static void expect_several(struct rig *rig, uint64_t index, uint32_t port, uint32_t *words, uint32_t count)
{
    (void)port;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t in = plan_input(rig, index, 0, i);
        words[i]    = ((in * 3 + 5) * 7 + 1) * 11 + in;
    }
}

/* in → nine scratch ports, one after the other → out, which takes the first scratch in once more: ports whose
 * lives do not overlap may share memory, the first lives as long as the others together. */
static void build_chain(struct rig *rig)
{
    uint32_t in = add_input(rig), first = add_scratch(rig), before = first, next;
    launch_spread(rig, in, first, 3, 5);
    for (uint32_t i = 1; i < CHAIN_PORTS; i++, before = next) {
        next = rig_port(rig, trm_port_scratch(NULL, PORT_BYTES + i % 4 * 1000));
        launch_link(rig, in, before, next, i);
    }
    struct trm_argument arguments[] = {trm_arg_port(before), trm_arg_port(first),
                                       trm_arg_port(add_output(rig)), trm_arg_port_elements(in, 4),
                                       trm_arg_u32(11)};
    rig_launch(rig, "blend", in, arguments, 5);
}

static void expect_chain(struct rig *rig, uint64_t index, uint32_t port, uint32_t *words, uint32_t count)
{
    (void)port;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = plan_input(rig, index, 0, i) * 3 + 5, last = first;
        for (uint32_t k = 1; k < CHAIN_PORTS; k++)
            last = last * (2 * k + 1) + k;
        words[i] = last * 11 + first;
    }
}

static struct trm_buffer *make_table(struct rig *rig, const uint32_t *words)
{
    struct trm_group *group     = group_under_test();
    struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .size = TABLE_WORDS * sizeof(uint32_t)};
    if (group == NULL) {
        make_shared(rig, TABLE_WORDS);
        put(the.stream, rig->shared, 0, words, TABLE_WORDS * sizeof(uint32_t));
        return rig->shared;
    }
    ck_ok(trm_group_buffer_create(group, &desc, &rig->group_shared));
    ck_ok(trm_group_buffer_write(rig->group_shared, 0, words, TABLE_WORDS * sizeof(uint32_t)));
    return trm_group_port_buffer(rig->group_shared);
}

static void build_table(struct rig *rig)
{
    uint32_t words[TABLE_WORDS];
    for (uint32_t i = 0; i < TABLE_WORDS; i++)
        words[i] = table_word(i);
    struct trm_buffer *shared = make_table(rig, words);

    uint32_t in = add_input(rig), out = add_output(rig);
    uint32_t table          = rig_port(rig, trm_port_shared("table", shared));
    rig->ports[table].flags = TRM_PORT_READ_ONLY;
    launch_blend(rig, in, table, out, 13);
}

static void expect_table(struct rig *rig, uint64_t index, uint32_t port, uint32_t *words, uint32_t count)
{
    (void)port;
    for (uint32_t i = 0; i < count; i++)
        words[i] = plan_input(rig, index, 0, i) * 13 + table_word(i % TABLE_WORDS);
}

/* Two launches between which the state must not change hands: state = state × 31 + …, and once more by
 * step. */
static void build_state(struct rig *rig)
{
    make_shared(rig, 1);
    uint32_t in = add_input(rig), out = add_output(rig);
    uint32_t state                = rig_port(rig, trm_port_shared("state", rig->shared));
    struct trm_argument running[] = {trm_arg_port(state), trm_arg_port(in), trm_arg_port(out),
                                     trm_arg_port_elements(in, 4)};
    struct trm_argument step[]    = {trm_arg_port(state), trm_arg_u32(9)};
    struct trm_stage *stage       = rig_launch(rig, "running", in, running, 4);
    stage->items_bytes            = 0;
    stage->grid                   = trm_grid_1d(1, 0);
    stage                         = rig_launch(rig, "step", in, step, 2);
    stage->items_bytes            = 0;
    stage->grid                   = trm_grid_1d(1, 0);
}

static void expect_state(struct rig *rig, uint64_t index, uint32_t port, uint32_t *words, uint32_t count)
{
    (void)port;
    rig->state *= 31;
    for (uint32_t i = 0; i < count; i++)
        rig->state += plan_input(rig, index, 0, i);
    for (uint32_t i = 0; i < count; i++)
        words[i] = plan_input(rig, index, 0, i) + rig->state;
    rig->state = rig->state * 31 + 9;
}

static int32_t host_flip(void *user, const struct trm_token *token)
{
    (void)user;
    uint32_t *words = token->data[1];
    for (uint32_t i = 0; i < token->size[1] / sizeof(*words); i++)
        words[i] ^= (uint32_t)token->index;
    return TRM_OK;
}

static int32_t host_finish(void *user, const struct trm_token *token)
{
    (void)user;
    const uint32_t *in = token->data[0];
    uint32_t *out      = token->data[2];
    for (uint32_t i = 0; i < token->size[2] / sizeof(*out); i++)
        out[i] -= in[i];
    return TRM_OK;
}

/* in → scratch, the host changes it, → out, and the host changes that. */
static void build_host(struct rig *rig)
{
    uint32_t in = add_input(rig), scratch = add_scratch(rig), out = add_output(rig);
    launch_spread(rig, in, scratch, 3, 5);
    rig_host(rig, host_flip, 1u << scratch, 1u << scratch);
    launch_spread(rig, scratch, out, 7, 2);
    rig_host(rig, host_finish, 1u << in | 1u << out, 1u << out);
}

static void expect_host(struct rig *rig, uint64_t index, uint32_t port, uint32_t *words, uint32_t count)
{
    (void)port;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t in = plan_input(rig, index, 0, i);
        words[i]    = ((in * 3 + 5) ^ (uint32_t)index) * 7 + 2 - in;
    }
}

static int32_t host_alone(void *user, const struct trm_token *token)
{
    (void)user;
    const uint32_t *in = token->data[0];
    uint32_t *out      = token->data[1];
    for (uint32_t i = 0; i < token->size[1] / sizeof(*out); i++)
        out[i] = in[i] * 3 + 5;
    return TRM_OK;
}

static void build_host_alone(struct rig *rig)
{
    uint32_t in = add_input(rig), out = add_output(rig);
    rig_host(rig, host_alone, 1u << in, 1u << out);
}

/* Nothing travels: scratch and state alone. */
static void build_device_only(struct rig *rig)
{
    make_shared(rig, 1);
    uint32_t state   = rig_port(rig, trm_port_shared("state", rig->shared));
    uint32_t scratch = add_scratch(rig), other = add_scratch(rig);
    struct trm_argument step[] = {trm_arg_port(state), trm_arg_u32(9)};
    struct trm_stage *stage    = rig_launch(rig, "step", scratch, step, 2);
    stage->items_bytes         = 0;
    stage->grid                = trm_grid_1d(1, 0);
    launch_spread(rig, scratch, other, 1, 1);
}

static void build_many_ports(struct rig *rig)
{
    uint32_t a = add_input(rig), b = add_input(rig), first = add_output(rig), second = add_output(rig);
    launch_blend(rig, a, b, first, 17);
    launch_spread(rig, b, second, 19, 23);
}

static void expect_many_ports(struct rig *rig, uint64_t index, uint32_t port, uint32_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = plan_input(rig, index, 0, i), b = plan_input(rig, index, 1, i);
        words[i] = port == 2 ? a * 17 + b : b * 19 + 23;
    }
}

/* The scratch follows the input, and so does the output. */
static void build_variable(struct rig *rig)
{
    uint32_t in = add_input(rig), scratch = add_scratch(rig), out = add_output(rig);
    rig->ports[scratch].follows = 1 + in;
    rig->ports[out].follows     = 1 + in;
    launch_spread(rig, in, scratch, 3, 5);
    launch_spread(rig, scratch, out, 7, 1);
}

static void expect_variable(struct rig *rig, uint64_t index, uint32_t port, uint32_t *words, uint32_t count)
{
    (void)port;
    for (uint32_t i = 0; i < count; i++)
        words[i] = (plan_input(rig, index, 0, i) * 3 + 5) * 7 + 1;
}

static void build_divisible(struct rig *rig)
{
    build_variable(rig);
    rig->desc.flags |= TRM_PIPELINE_DIVISIBLE;
    rig->desc.piece_bytes = 256;
    for (uint32_t i = 0; i < rig->desc.port_count; i++)
        rig->ports[i].grain = sizeof(uint32_t);
}

/* The grid and a scalar of each token are chosen by the program. */
static int32_t shape_words(void *user, const struct trm_token *token, struct trm_grid *grid,
                           struct trm_argument *arguments)
{
    (void)user;
    uint32_t words         = (uint32_t)(token->size[0] / sizeof(uint32_t));
    *grid                  = trm_grid_1d((words + 63) / 64, 64);
    arguments[4].value.u32 = (uint32_t)token->index;
    return TRM_OK;
}

static void build_shaped(struct rig *rig)
{
    uint32_t in = add_input(rig), out = add_output(rig);
    rig->ports[out].follows = 1 + in;
    launch_spread(rig, in, out, 3, 0);
    rig->stages[0].items_bytes = 0;
    rig->stages[0].shape       = shape_words;
}

static void expect_shaped(struct rig *rig, uint64_t index, uint32_t port, uint32_t *words, uint32_t count)
{
    (void)port;
    for (uint32_t i = 0; i < count; i++)
        words[i] = plan_input(rig, index, 0, i) * 3 + (uint32_t)index;
}

const struct plan plans[] = {
    {"copies alone", PLAN_UNKNOWN, build_copies, NULL},
    {"one kernel", 0, build_one, expect_one},
    {"several kernels with scratch", 0, build_several, expect_several},
    {"a chain of scratch", 0, build_chain, expect_chain},
    {"a shared table", 0, build_table, expect_table},
    {"a shared state", PLAN_ORDERED, build_state, expect_state},
    {"host stages", 0, build_host, expect_host},
    {"a host stage alone", 0, build_host_alone, expect_one},
    {"on the device only", PLAN_SOURCELESS, build_device_only, NULL},
    {"several inputs and outputs", 0, build_many_ports, expect_many_ports},
    {"variable sizes", PLAN_VARIABLE, build_variable, expect_variable},
    {"divisible", PLAN_VARIABLE | PLAN_DIVISIBLE, build_divisible, expect_variable},
    {"shaped by the program", PLAN_VARIABLE, build_shaped, expect_shaped},
};

const uint32_t plan_count = sizeof(plans) / sizeof(plans[0]);

const struct plan *plan_named(const char *name)
{
    for (uint32_t i = 0; i < plan_count; i++)
        if (strcmp(plans[i].name, name) == 0)
            return &plans[i];
    ck_abort_msg("there is no plan \"%s\"", name);
    return NULL;
}

/* ---- the rig ---------------------------------------------------------------------------------------- */

void rig_make(struct rig *rig, const struct plan *plan, uint32_t depth, int32_t strategy)
{
    memset(rig, 0, sizeof(*rig));
    rig->plan             = plan;
    rig->device           = the.device;
    rig->seed             = depth * 1000u + (uint32_t)strategy;
    rig->desc.struct_size = sizeof(rig->desc);
    rig->desc.name        = plan->name;
    rig->desc.depth       = depth;
    rig->desc.strategy    = strategy;
    rig->is_alone         = (plan->flags & (PLAN_ORDERED | PLAN_SOURCELESS | PLAN_ALONE)) != 0;
    plan->build(rig);
    rig->desc.ports  = rig->ports;
    rig->desc.stages = rig->stages;
}

int32_t rig_open(struct rig *rig)
{
    int32_t status = rig->is_alone ? trm_pipeline_create(rig->device, &rig->desc, &rig->pipeline)
                                   : pipeline_under_test(&rig->desc, &rig->pipeline);
    if (status == TRM_ERROR_UNSUPPORTED && rig->desc.strategy != TRM_STRATEGY_AUTO) {
        ck_assert_str_ne(trm_last_error().sentence, "");
        return status;
    }
    ck_assert_msg(status == TRM_OK, "%s, depth %u, %s: %s: %s", rig->plan->name, rig->desc.depth,
                  trm_strategy_name(rig->desc.strategy), trm_status_name(status), trm_last_error().sentence);
    ck_assert_ptr_nonnull(rig->pipeline);
    return TRM_OK;
}

void rig_close(struct rig *rig)
{
    trm_pipeline_destroy(rig->pipeline);
    trm_buffer_destroy(rig->shared);
    trm_group_buffer_destroy(rig->group_shared);
    rig->pipeline     = NULL;
    rig->shared       = NULL;
    rig->group_shared = NULL;
}

void rig_again(struct rig *rig)
{
    const uint32_t zero = 0;
    if (rig->plan->flags & PLAN_ORDERED || rig->plan->flags & PLAN_SOURCELESS)
        put(the.stream, rig->shared, 0, &zero, sizeof(zero));
    rig->state     = 0;
    rig->delivered = rig->loaded = 0;
    memset(rig->seen, 0, sizeof(rig->seen));
    rig->seed++;
}

void rig_fill(struct rig *rig, struct trm_token *token)
{
    uint32_t words = plan_words(rig->plan, token->index);
    for (uint32_t port = 0; port < token->port_count; port++) {
        uint32_t *data = token->data[port];
        if (rig->ports[port].kind != TRM_PORT_INPUT)
            continue;
        for (uint32_t i = 0; i < words; i++)
            data[i] = plan_input(rig, token->index, port, i);
        token->size[port] = words * sizeof(uint32_t);
    }
    token->user = (void *)(uintptr_t)(token->index + 1000);
    __atomic_fetch_add(&rig->loaded, 1, __ATOMIC_RELAXED);
}

int32_t rig_source(void *user, struct trm_token *token)
{
    struct rig *rig = user;
    if (token->index >= rig->count)
        return TRM_TOKEN_END;
    rig_fill(rig, token);
    return TRM_OK;
}

static void complain(struct rig *rig, uint64_t token, const char *wrong)
{
    if (rig->wrong == NULL) {
        rig->wrong       = wrong;
        rig->wrong_token = token;
    }
}

static void check_output(struct rig *rig, const struct trm_token *token, uint32_t port)
{
    uint32_t expected[PLAN_WORDS], words = plan_words(rig->plan, token->index);
    if (rig->ports[port].follows == 0)
        words = PLAN_WORDS;
    if (token->size[port] != words * sizeof(uint32_t)) {
        complain(rig, token->index, "an output is not of its size");
        return;
    }
    if (token->data[port] == NULL) {
        complain(rig, token->index, "an output has no memory");
        return;
    }
    if (rig->plan->flags & PLAN_UNKNOWN)
        return;
    rig->plan->expect(rig, token->index, port, expected, words);
    if (memcmp(token->data[port], expected, words * sizeof(uint32_t)) != 0)
        complain(rig, token->index, "an output is not what the plain loop says");
}

void rig_take(struct rig *rig, const struct trm_token *token)
{
    if (token->index >= PLAN_MOST_TOKENS || rig->seen[token->index]++ != 0)
        complain(rig, token->index, "a token came twice, or was never sent");
    if (!rig->loose && token->index != rig->delivered)
        complain(rig, token->index, "tokens came out of order");
    if (!(rig->plan->flags & PLAN_SOURCELESS) && token->user != (void *)(uintptr_t)(token->index + 1000))
        complain(rig, token->index, "the program's own pointer has changed");
    for (uint32_t port = 0; port < token->port_count; port++)
        if (rig->ports[port].kind == TRM_PORT_OUTPUT)
            check_output(rig, token, port);
    rig->delivered++;
}

int32_t rig_sink(void *user, const struct trm_token *token)
{
    rig_take(user, token);
    return TRM_OK;
}

static void check_state(struct rig *rig)
{
    uint32_t state = 0, found;
    if (!(rig->plan->flags & PLAN_SOURCELESS))
        return;
    for (uint64_t i = 0; i < rig->count; i++)
        state = state * 31 + 9;
    get(the.stream, rig->shared, 0, &found, sizeof(found));
    ck_assert_uint_eq(found, state);
}

void rig_check(const struct rig *rig)
{
    ck_assert_msg(rig->wrong == NULL, "%s, depth %u, %s: token %llu: %s", rig->plan->name, rig->desc.depth,
                  trm_strategy_name(rig->desc.strategy), (unsigned long long)rig->wrong_token, rig->wrong);
    ck_assert_msg(rig->delivered == rig->count, "%s, depth %u, %s: %llu tokens of %llu came out",
                  rig->plan->name, rig->desc.depth, trm_strategy_name(rig->desc.strategy),
                  (unsigned long long)rig->delivered, (unsigned long long)rig->count);
}

void rig_run(struct rig *rig, uint64_t count, uint32_t workers)
{
    struct trm_source source = trm_source_function(rig_source, rig);
    struct trm_sink sink     = trm_sink_function(rig_sink, rig);
    ck_assert_uint_le(count, PLAN_MOST_TOKENS);
    rig->count = count;
    if (rig->plan->flags & PLAN_SOURCELESS)
        source = trm_source_count(count);
    source.workers = workers;
    int32_t status = trm_pipeline_run(rig->pipeline, &source, &sink);
    ck_assert_msg(status == TRM_OK, "%s, depth %u, %s: %s: %s", rig->plan->name, rig->desc.depth,
                  trm_strategy_name(rig->desc.strategy), trm_status_name(status), trm_last_error().sentence);
    rig_check(rig);
    check_state(rig);
}

void ck_slots_free(struct trm_pipeline *pipeline)
{
    struct trm_slot slots[64];
    uint32_t count = 0;
    ck_ok(trm_pipeline_slots(pipeline, slots, 64, &count));
    ck_assert_uint_ge(count, 1);
    for (uint32_t i = 0; i < count; i++)
        ck_assert_msg(slots[i].state == TRM_SLOT_FREE, "slot %u is %s with token %llu", i,
                      trm_slot_state_name(slots[i].state), (unsigned long long)slots[i].token);
}
