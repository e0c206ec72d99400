/* What checks of descriptors need: two stores, kernels, and a correct descriptor.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_PIPELINE_ENGINE_CHECK_FIXTURE_H
#define TESTS_UNIT_PIPELINE_ENGINE_CHECK_FIXTURE_H

#include "tests/check.h"
#include <string.h>
#include <trireme/cpu_kernel.h>
#include <trireme/trireme.h>

#include "pipeline/engine/engine_internal.h"
#include "tests/unit/counting.h"
#include "tests/unit/store.h"

#define BYTES 512

enum {
    X,
    Y,
    W,
    PORTS
};

/* Two stores: one with memory of its own, one that shares it with the host. */
static struct counting counting;
static struct store store, other;
static struct trm_context *context;
static struct trm_module *module, *foreign_module;
static struct trm_kernel *saxpy, *empty, *scalars, *foreign;
static struct trm_buffer *weights, *foreign_buffer;

/* A correct pipeline, y += 2 x, once with arguments in order and once by name. Tests break it. */
static struct trm_port ports[PORTS];
static struct trm_argument arguments[4], named[4];
static struct trm_stage stages[2];
static struct trm_pipeline_desc desc;

static int32_t function(const struct trm_cpu_groups *groups, const void *block)
{
    (void)groups;
    (void)block;
    return 0;
}

static int32_t shape(void *user, const struct trm_token *token, struct trm_grid *grid,
                     struct trm_argument *values)
{
    (void)user;
    (void)token;
    (void)values;
    *grid = trm_grid_1d(1, 1);
    return TRM_OK;
}

static inline int32_t on_host(void *user, const struct trm_token *token)
{
    (void)user;
    (void)token;
    return TRM_OK;
}

static void describe(void)
{
    ports[X]         = trm_port_input("x", BYTES);
    ports[Y]         = trm_port_output("y", BYTES);
    ports[Y].follows = 1 + X;
    ports[W]         = trm_port_shared("w", weights);
    for (uint32_t i = 0; i < 2; i++)
        ports[i].grain = 4;
    arguments[0] = trm_arg_port(X);
    arguments[1] = trm_arg_port(Y);
    arguments[2] = trm_arg_f32(2);
    arguments[3] = trm_arg_port_elements(X, 4);
    named[0]     = trm_arg_port(W);
    named[1]     = trm_arg_named("n", trm_arg_u32(4));
    named[2]     = trm_arg_named("a", trm_arg_f32(2));
    named[3]     = trm_arg_named("y", trm_arg_port(Y));
    stages[0]    = (struct trm_stage){
           .kernel = saxpy, .arguments = arguments, .argument_count = 4, .grid = trm_grid_1d(4, 32)};
    stages[1] = (struct trm_stage){
        .name = "twice", .kernel = saxpy, .arguments = named, .argument_count = 4, .shape = shape};
    desc = (struct trm_pipeline_desc){.struct_size = sizeof(desc),
                                      .ports       = ports,
                                      .port_count  = PORTS,
                                      .stages      = stages,
                                      .stage_count = 2,
                                      .depth       = 2};
}

static void load(struct store *on, struct trm_module **made)
{
    static const struct trm_cpu_kernel functions[] = {{.name = "f", .function = function}};
    static const struct trm_module_desc mine       = {.struct_size = sizeof(mine),
                                                      .format      = TRM_MODULE_FUNCTIONS,
                                                      .data        = functions,
                                                      .size        = sizeof(functions),
                                                      .name        = "mine"};

    ck_assert_int_eq(trm_module_load(on->device, &mine, made), TRM_OK);
}

static void open_stores(void)
{
    struct trm_allocator allocator = counting_allocator(&counting);

    memset(&store, 0, sizeof(store));
    memset(&other, 0, sizeof(other));
    memset(&counting, 0, sizeof(counting));
    store.max_buffer_bytes = 1 << 20;
    other.unified          = 1;
    store_prepare(&store, "store");
    store_prepare(&other, "other");
    context = store_context(&allocator);
    store_open(&store, context);
    store_open(&other, context);
    load(&store, &module);
    load(&other, &foreign_module);
    ck_assert_int_eq(trm_kernel_get(module, "saxpy", &saxpy), TRM_OK);
    ck_assert_int_eq(trm_kernel_get(module, "empty", &empty), TRM_OK);
    ck_assert_int_eq(trm_kernel_get(module, "scalars", &scalars), TRM_OK);
    ck_assert_int_eq(trm_kernel_get(foreign_module, "saxpy", &foreign), TRM_OK);
    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, 64, &weights), TRM_OK);
    ck_assert_int_eq(trm_buffer_create(other.device, TRM_MEMORY_DEVICE, 64, &foreign_buffer), TRM_OK);
    describe();
}

static void close_stores(void)
{
    trm_kernel_destroy(saxpy);
    trm_kernel_destroy(empty);
    trm_kernel_destroy(scalars);
    trm_kernel_destroy(foreign);
    trm_module_destroy(module);
    trm_module_destroy(foreign_module);
    trm_buffer_destroy(weights);
    trm_buffer_destroy(foreign_buffer);
    store_close(&store);
    store_close(&other);
    trm_context_destroy(context);
    counting_is_balanced(&counting);
}

#endif
