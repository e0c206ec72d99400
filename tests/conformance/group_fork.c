/* Forks while a group lives, with a pipeline that is started, a buffer, a kernel, a pool and a collective.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "kernels.h"
#include "process.h"
#include "tests/device/driver_fork.h"

#define WORDS 64u
#define BYTES (WORDS * sizeof(uint32_t))
#define TOKENS 40u

/* What the parent has. */
struct family {
    struct trm_context *context;
    struct trm_group *group;
    struct trm_group_buffer *buffer;
    struct trm_stream_pool *pool;
    struct trm_collective *collective;
    struct trm_pipeline *pipeline;
    struct trm_port port;
    uint32_t devices;
    uint64_t seen; /* tokens that came out */
};

static int32_t load(void *user, struct trm_token *token)
{
    uint32_t *words = token->data[0];
    (void)user;
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = (uint32_t)token->index;
    return token->index < TOKENS ? TRM_OK : TRM_TOKEN_END;
}

static void make_pipeline(struct family *family)
{
    struct trm_source source      = trm_source_function(load, NULL);
    family->port                  = trm_port_input("words", BYTES);
    struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc), .ports = &family->port, .port_count = 1, .depth = 2};
    ck_ok(trm_group_pipeline_create(family->group, &desc, &family->pipeline));
    ck_ok(trm_pipeline_start(family->pipeline, &source));
}

static void family_open(struct family *family)
{
    struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .size = BYTES, .flags = TRM_BUFFER_ZEROED};
    *family                     = (struct family){.seen = 0};
    ck_ok(context_with(NULL, 0, &family->context));
    ck_ok(trm_group_create(family->context, "*", &family->group));
    ck_ok(trm_group_size(family->group, &family->devices));
    ck_ok(trm_group_buffer_create(family->group, &desc, &family->buffer));
    ck_ok(trm_group_pool_create(family->group, NULL, &family->pool));
    ck_ok(trm_collective_create(family->group, 0, &family->collective));
    make_pipeline(family);
}

static void family_close(const struct family *family)
{
    trm_pipeline_destroy(family->pipeline);
    trm_collective_destroy(family->collective);
    trm_stream_pool_destroy(family->pool);
    trm_group_buffer_destroy(family->buffer);
    trm_group_destroy(family->group);
    trm_context_destroy(family->context);
}

/* The parent goes on with its pipeline up to a token. */
static void go_on(struct family *family, uint64_t until)
{
    struct trm_token *token;
    while (family->seen < until) {
        ck_ok(trm_pipeline_next(family->pipeline, TRM_FOREVER, &token));
        ck_assert_uint_eq(token->index, family->seen++);
        ck_ok(trm_pipeline_release(family->pipeline, token));
    }
}

/* ---- in the child --------------------------------------------------------------------------- */

static const char *everything_is_refused(void *user)
{
    const struct family *family      = user;
    struct trm_device *device        = NULL;
    struct trm_token *token          = NULL;
    struct trm_group *group          = NULL;
    struct trm_pipeline *pipeline    = NULL;
    struct trm_buffer *one           = NULL;
    struct trm_stream_pool *member   = NULL;
    struct trm_report report         = {.struct_size = sizeof(report)};
    struct trm_pipeline_desc desc    = {.struct_size = sizeof(desc), .ports = &family->port, .port_count = 1};
    struct trm_collective *collected = NULL;
    uint32_t words[WORDS], count;
    CHILD_CHECK(trm_group_create(family->context, "*", &group) == TRM_ERROR_FORKED);
    CHILD_CHECK(trm_group_size(family->group, &count) == TRM_ERROR_FORKED);
    CHILD_CHECK(trm_group_device(family->group, 0, &device) == TRM_ERROR_FORKED);
    CHILD_CHECK(trm_group_buffer_get(family->buffer, 0, &one) == TRM_ERROR_FORKED);
    CHILD_CHECK(trm_group_buffer_read(family->buffer, 0, words, BYTES) == TRM_ERROR_FORKED);
    CHILD_CHECK(trm_group_buffer_write(family->buffer, 0, words, BYTES) == TRM_ERROR_FORKED);
    CHILD_CHECK(trm_group_pool_get(family->pool, 0, &member) == TRM_ERROR_FORKED);
    CHILD_CHECK(trm_collective_create(family->group, 0, &collected) == TRM_ERROR_FORKED);
    CHILD_CHECK(trm_group_pipeline_create(family->group, &desc, &pipeline) == TRM_ERROR_FORKED);
    CHILD_CHECK(trm_pipeline_next(family->pipeline, 0, &token) == TRM_ERROR_FORKED);
    CHILD_CHECK(trm_pipeline_join(family->pipeline) == TRM_ERROR_FORKED);
    CHILD_CHECK(trm_pipeline_report(family->pipeline, &report) == TRM_ERROR_FORKED);
    CHILD_CHECK(trm_last_error().sentence[0] != '\0');
    return NULL;
}

static const char *all_is_destroyed(void *user)
{
    family_close(user);
    return NULL;
}

/* A group of the child's own. */
static const char *a_group_works(void *user)
{
    struct trm_setting setting       = {"backend", backend_under_test()};
    struct trm_context_desc desc     = {.struct_size   = sizeof(desc),
                                        .flags         = TRM_CONTEXT_NO_CONFIG,
                                        .settings      = &setting,
                                        .setting_count = 1};
    struct trm_buffer_desc described = {.struct_size = sizeof(described), .size = BYTES};
    struct trm_context *context      = NULL;
    struct trm_group *group          = NULL;
    struct trm_group_buffer *buffer  = NULL;
    uint32_t words[WORDS] = {7, 8, 9}, found[WORDS] = {0};
    (void)user;
    CHILD_CHECK(trm_context_create(&desc, &context) == TRM_OK);
    CHILD_CHECK(trm_group_create(context, "*", &group) == TRM_OK);
    CHILD_CHECK(trm_group_buffer_create(group, &described, &buffer) == TRM_OK);
    CHILD_CHECK(trm_group_buffer_write(buffer, 0, words, BYTES) == TRM_OK);
    CHILD_CHECK(trm_group_buffer_read(buffer, 0, found, BYTES) == TRM_OK);
    CHILD_CHECK(memcmp(words, found, BYTES) == 0);
    trm_group_buffer_destroy(buffer);
    trm_group_destroy(group);
    trm_context_destroy(context);
    return NULL;
}

/* ---- cases ---------------------------------------------------------------------------------- */

START_TEST(a_child_is_refused_the_group_of_its_parent_which_goes_on)
{
    struct family family;
    family_open(&family);
    go_on(&family, 5);
    child_run(everything_is_refused, &family);
    go_on(&family, 20);
    child_run(all_is_destroyed, &family);
    go_on(&family, TOKENS);
    struct trm_token *token;
    ck_assert_int_eq(trm_pipeline_next(family.pipeline, TRM_FOREVER, &token), TRM_TOKEN_END);
    family_close(&family);
}
END_TEST

/* Why a child of a process with an open device cannot open one. NULL: it can. */
static const char *children_are_refused(void)
{
    struct trm_context *context;
    struct trm_device *device;
    ck_ok(context_with(NULL, 0, &context));
    ck_ok(trm_device_open(context, NULL, &device));
    struct driver driver = driver_of(device);
    const char *why      = driver_refuses_child(&driver);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return why;
}

/* The driver is asked while nothing runs: where it refuses the child, NVIDIA's Vulkan also takes the device
 * from the parent. */
START_TEST(a_child_has_a_group_of_its_own_beside_the_parents)
{
    struct family family;
    if (!forking_works()) {
        skip("a sanitizer or an emulator does not support a fork beside other threads");
        return;
    }
    const char *why = children_are_refused();
    if (why != NULL) {
        skip(why);
        return;
    }
    family_open(&family);
    go_on(&family, 5);
    child_run(a_group_works, NULL);
    go_on(&family, TOKENS);
    family_close(&family);
}
END_TEST

void add_group_fork(Suite *suite)
{
    TCase *group = group_make_bare(suite, "group_fork");
    CASE(group, a_child_is_refused_the_group_of_its_parent_which_goes_on);
    CASE(group, a_child_has_a_group_of_its_own_beside_the_parents);
}
