/* A pipeline on an engine that the test commands: making, ending and asking it.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/pipeline/queue/fake.h"

#include <string.h>

#include "core/object/context.h"

struct fake fake;

static struct trm_port ports[2];

struct pipeline *pipeline_enter(struct trm_pipeline *handle)
{
    return core_object_enter(handle, CORE_PIPELINE);
}

static void pipeline_retire(struct core_object *object)
{
    struct pipeline *pipeline = (struct pipeline *)object;
    pipeline_queue_destroy(pipeline);
    for (uint32_t i = 0; i < atomic_load(&pipeline->depth); i++) {
        free(pipeline->slots[i]->device);
        free(pipeline->slots[i]);
    }
    pipeline_measure_destroy(pipeline->measure);
    base_biased_lock_fini(&pipeline->lock);
    base_biased_lock_fini(&pipeline->enqueue_lock);
}

static void pipeline_release(struct core_object *object)
{
    free(object);
}

static const struct core_object_ops pipeline_ops = {
    .type    = CORE_PIPELINE,
    .name    = "pipeline",
    .retire  = pipeline_retire,
    .release = pipeline_release,
};

static void fake_init(void)
{
    pthread_condattr_t attributes;
    memset(&fake, 0, sizeof(fake));
    fake.duration   = 20000;
    fake.slow_token = NO_TOKEN;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&fake.lock, NULL);
    pthread_cond_init(&fake.changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

void fake_create(const struct trm_pipeline_desc *desc)
{
    fake_init();
    struct trm_allocator allocator       = counting_allocator(&fake.counting);
    struct trm_context_desc context      = {.struct_size = sizeof(context),
                                            .flags       = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
                                            .allocator   = &allocator};
    struct pipeline_measure_desc measure = {.depth = PIPELINE_DEPTH_MOST};
    struct pipeline *pipeline            = calloc(1, sizeof(*pipeline));
    ck_assert_ptr_nonnull(pipeline);
    ck_assert_int_eq(trm_context_create(&context, &fake.context), TRM_OK);
    ports[0]                  = trm_port_input("in", FAKE_TOKEN_BYTES);
    ports[1]                  = trm_port_output("out", FAKE_TOKEN_BYTES);
    pipeline->desc            = *desc;
    pipeline->desc.port_count = 2;
    pipeline->ports           = ports;
    strcpy(pipeline->name, "test");
    pipeline->front        = pipeline;
    pipeline->members[0]   = pipeline;
    pipeline->member_count = 1;
    base_biased_lock_init(&pipeline->lock);
    base_biased_lock_init(&pipeline->enqueue_lock);
    for (uint32_t i = 0; i < desc->depth; i++)
        fake_make_slot(pipeline);
    struct core_context *core = core_context_find(fake.context);
    pipeline->object.context  = core;
    ck_assert_int_eq(pipeline_measure_create(core, &measure, &pipeline->measure), TRM_OK);
    ck_assert_int_eq(pipeline_queue_create(pipeline), TRM_OK);
    ck_assert_int_eq(core_object_init(&pipeline->object, &pipeline_ops, core), TRM_OK);
    core_object_publish(&pipeline->object);
    fake.pipeline = pipeline;
    fake.handle   = pipeline->object.handle;
}

void fake_create_plain(uint32_t depth, int32_t on_failure)
{
    struct trm_pipeline_desc desc = {.struct_size = sizeof(desc), .depth = depth, .on_failure = on_failure};
    fake_create(&desc);
}

void fake_let_go(void)
{
    pthread_mutex_lock(&fake.lock);
    fake.let_go = true;
    pthread_cond_broadcast(&fake.changed);
    pthread_mutex_unlock(&fake.lock);
}

void fake_destroy(void)
{
    fake_let_go();
    struct pipeline *pipeline = pipeline_enter(fake.handle);
    ck_assert_ptr_nonnull(pipeline);
    ck_assert_int_eq(pipeline_queue_close(pipeline), TRM_OK);
    ck_assert_int_eq(pipeline->queue->fault.status, TRM_OK);
    ck_assert_uint_eq(pipeline->queue->slots_in[PIPELINE_SLOT_FREE], atomic_load(&pipeline->depth));
    ck_assert_uint_eq(fake.begun, fake.ended);
    core_object_kill(&pipeline->object);
    core_object_leave(&pipeline->object);
    trm_context_destroy(fake.context);
    ck_assert_uint_eq(fake.faults, 0);
    counting_is_balanced(&fake.counting);
}

bool fake_is_watched(void)
{
    base_biased_lock_acquire(&fake.pipeline->lock);
    bool is_watched = fake.pipeline->queue->watches != NULL;
    base_biased_lock_release(&fake.pipeline->lock);
    return is_watched;
}

uint32_t fake_free_slots(void)
{
    struct trm_slot slots[PIPELINE_DEPTH_MOST];
    uint32_t count = 0;
    uint32_t found = 0;
    ck_assert_int_eq(trm_pipeline_slots(fake.handle, slots, PIPELINE_DEPTH_MOST, &count), TRM_OK);
    for (uint32_t i = 0; i < count; i++)
        found += slots[i].state == TRM_SLOT_FREE;
    return found;
}

void fake_all_free(void)
{
    ck_assert_uint_eq(fake_free_slots(), atomic_load(&fake.pipeline->depth));
}

struct trm_report fake_report(void)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    base_biased_lock_acquire(&fake.pipeline->lock);
    pipeline_measure_report(fake.pipeline->measure, &report);
    base_biased_lock_release(&fake.pipeline->lock);
    return report;
}

void fake_counts(uint64_t tokens, uint64_t skipped, uint64_t failed, uint64_t cancelled)
{
    struct trm_report report = fake_report();
    ck_assert_uint_eq(report.tokens, tokens);
    ck_assert_uint_eq(report.skipped, skipped);
    ck_assert_uint_eq(report.failed, failed);
    ck_assert_uint_eq(report.cancelled, cancelled);
}
