/* The functions of the engine, on a device that the test commands.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/pipeline/queue/fake.h"

#include <time.h>

#include "base/futex.h"
#include "core/stream/stream.h"

struct pipeline_slot_device {
    unsigned char input[FAKE_TOKEN_BYTES], output[FAKE_TOKEN_BYTES];
    void *data[2];
    uint64_t size[2];
    uint64_t end; /* of its work */
    int32_t fate; /* GOOD, DEVICE (fails, also because of another), LOST, HANGS */
    bool is_busy; /* enqueued, and its end was not seen */
};

static void fault_if(bool condition)
{
    if (condition)
        __atomic_fetch_add(&fake.faults, 1, __ATOMIC_RELAXED);
}

/* With the fake's lock. */
static bool hangs(const struct pipeline_slot_device *own)
{
    return (own->fate == FATE_HANGS || fake.all_hang) && !fake.let_go;
}

int32_t fake_make_slot(struct pipeline *pipeline)
{
    uint32_t index             = atomic_load(&pipeline->depth);
    struct pipeline_slot *slot = calloc(1, sizeof(*slot));
    ck_assert_ptr_nonnull(slot);
    slot->device = calloc(1, sizeof(*slot->device));
    ck_assert_ptr_nonnull(slot->device);
    slot->pipeline         = pipeline;
    slot->front            = pipeline;
    slot->index            = index;
    slot->token.slot       = index;
    slot->token.port_count = 2;
    slot->token.data       = slot->device->data;
    slot->token.size       = slot->device->size;
    pipeline->slots[index] = slot;
    atomic_store(&pipeline->depth, index + 1);
    return TRM_OK;
}

void pipeline_engine_begin(struct pipeline *pipeline, const struct trm_source *source,
                           const struct trm_sink *sink)
{
    (void)pipeline, (void)source, (void)sink;
    fake.begun++;
}

void pipeline_engine_end(struct pipeline *pipeline)
{
    for (uint32_t i = 0; i < atomic_load(&pipeline->depth); i++)
        fault_if(pipeline->slots[i]->device->is_busy);
    fake.ended++;
}

struct trm_point pipeline_engine_last(const struct pipeline *pipeline)
{
    (void)pipeline;
    return (struct trm_point){.stream = NULL};
}

void pipeline_engine_set_last(struct pipeline *pipeline, struct trm_point point)
{
    (void)pipeline, (void)point;
}

bool pipeline_engine_writes_shared(const struct pipeline *pipeline, uint32_t port)
{
    (void)pipeline, (void)port;
    return false;
}

bool pipeline_engine_needs_stages(const struct pipeline *pipeline)
{
    (void)pipeline;
    return false;
}

/* ---- enqueueing ------------------------------------------------------------------------------- */

void pipeline_slot_prepare(struct pipeline_slot *slot)
{
    struct pipeline_slot_device *own = slot->device;
    pthread_mutex_lock(&fake.lock);
    fault_if(own->is_busy);
    pthread_mutex_unlock(&fake.lock);
    own->data[0]         = own->input;
    own->data[1]         = own->output;
    own->size[0]         = FAKE_TOKEN_BYTES;
    own->size[1]         = FAKE_TOKEN_BYTES;
    slot->token.user     = NULL;
    slot->failure.status = TRM_OK;
}

static int32_t enqueue(struct pipeline_slot *slot, void *output)
{
    struct pipeline_slot_device *own = slot->device;
    uint64_t index                   = slot->token.index;
    int32_t fate                     = index < FAKE_TOKENS ? fake.fates[index] : FATE_GOOD;
    uint64_t now                     = base_now();
    fake.enqueued++;
    own->end     = 0;
    own->is_busy = true;
    own->fate    = fake.failed ? FATE_DEVICE : FATE_GOOD;
    if (fake.lost)
        return base_fail_static(TRM_ERROR_DEVICE_LOST, "upload: the device is lost");
    if (fake.failed && now >= fake.last_end && (!fake.all_hang || fake.let_go))
        return base_fail_static(TRM_ERROR_KERNEL, "upload: the stream has failed");
    if (fate == FATE_ENQUEUE)
        return base_fail_static(TRM_ERROR_OUT_OF_RANGE, "upload: too large");
    if (fate == FATE_STREAM) {
        fake.failed = true;
        return base_fail_static(TRM_ERROR_BACKEND, "upload: the driver says no");
    }
    if (fate == FATE_DEVICE || fate == FATE_LOST) {
        fake.failed = true;
        own->fate   = fate;
    }
    if (fate != FATE_GOOD && fate != FATE_HANGS && !fake.fates_are_permanent)
        fake.fates[index] = FATE_GOOD;
    own->end = now > fake.last_end ? now : fake.last_end;
    own->end += index == fake.slow_token ? fake.slow_duration : fake.duration;
    fake.last_end = index == fake.slow_token ? now : own->end;
    if (fate == FATE_HANGS)
        own->fate = FATE_HANGS;
    if (output != NULL)
        own->data[1] = output;
    own->size[1] = own->size[0];
    for (uint64_t i = 0; i < own->size[0]; i++)
        ((unsigned char *)own->data[1])[i] = (unsigned char)(((unsigned char *)own->data[0])[i] + 1);
    return TRM_OK;
}

/* Whether the calling thread may hold the lock. */
static bool is_held(struct base_biased_lock *lock)
{
    if (base_biased_lock_favours_me(lock))
        return atomic_load(&lock->is_inside) != 0;
    if (!base_biased_lock_try_acquire(lock))
        return true;
    base_biased_lock_release(lock);
    return false;
}

int32_t pipeline_slot_enqueue(struct pipeline_slot *slot, void *output)
{
    fault_if(!is_held(&slot->front->enqueue_lock));
    pthread_mutex_lock(&fake.lock);
    int32_t status = enqueue(slot, output);
    pthread_mutex_unlock(&fake.lock);
    return status;
}

/* By the thread that enqueues. */
void pipeline_slot_flush(struct pipeline_slot *slot)
{
    pthread_mutex_lock(&fake.lock);
    fault_if(!slot->device->is_busy);
    pthread_mutex_unlock(&fake.lock);
}

bool pipeline_slot_is_short(const struct pipeline_slot *slot)
{
    (void)slot;
    return false;
}

bool pipeline_slot_times_wait(const struct pipeline_slot *slot)
{
    (void)slot;
    return false;
}

/* ---- the ends of tokens ----------------------------------------------------------------------- */

/* With the fake's lock. */
static int32_t look(struct pipeline_slot *slot)
{
    struct pipeline_slot_device *own = slot->device;
    if (hangs(own))
        return base_fail_static(TRM_ERROR_TIMEOUT, "it hangs");
    if (own->end > base_now())
        return base_fail_static(TRM_ERROR_TIMEOUT, "not yet");
    own->is_busy = false;
    if (own->fate == FATE_LOST) {
        fake.lost = true;
        return base_fail_static(TRM_ERROR_DEVICE_LOST, "compute \"twice\": the device is lost");
    }
    if (own->fate == FATE_DEVICE)
        return base_fail_native(TRM_ERROR_KERNEL, 77, "compute \"twice\": the kernel says no");
    return TRM_OK;
}

bool pipeline_slot_runs_alone(const struct pipeline_slot *slot)
{
    (void)slot;
    return true;
}

int32_t pipeline_slot_poll(struct pipeline_slot *slot)
{
    pthread_mutex_lock(&fake.lock);
    fake.polls++;
    int32_t status = look(slot);
    pthread_mutex_unlock(&fake.lock);
    return status;
}

/* With the fake's lock: until something changes, or one of the slots should have ended. */
static void sleep_for(struct pipeline_slot *const *slots, uint32_t count, uint64_t deadline)
{
    uint64_t until = deadline;
    for (uint32_t i = 0; i < count; i++) {
        if (!hangs(slots[i]->device) && slots[i]->device->end < until)
            until = slots[i]->device->end;
    }
    struct timespec time = {.tv_sec = (time_t)(until / 1000000000u), .tv_nsec = (long)(until % 1000000000u)};
    if (until == BASE_NEVER)
        pthread_cond_wait(&fake.changed, &fake.lock);
    else
        pthread_cond_timedwait(&fake.changed, &fake.lock, &time);
}

int32_t pipeline_slot_wait(struct pipeline_slot *slot, uint64_t deadline)
{
    pthread_mutex_lock(&fake.lock);
    fake.waits++;
    int32_t status = look(slot);
    while (status == TRM_ERROR_TIMEOUT && base_now() < deadline) {
        sleep_for(&slot, 1, deadline);
        status = look(slot);
    }
    pthread_mutex_unlock(&fake.lock);
    return status;
}

int32_t pipeline_slot_wait_for(struct pipeline_slot *slot, uint64_t timeout_ns)
{
    return pipeline_slot_wait(slot, base_deadline(timeout_ns));
}

void pipeline_slots_wait_any(struct pipeline_slot *const *slots, uint32_t count, uint64_t deadline)
{
    pthread_mutex_lock(&fake.lock);
    fault_if(count == 0);
    fake.waits++;
    sleep_for(slots, count, deadline);
    pthread_mutex_unlock(&fake.lock);
}

/* The signal waits for ever for tokens that have not ended: the queues alone raise it. */
int32_t pipeline_slots_signal(struct pipeline_slot *const *slots, uint32_t count, struct core_signal *signal)
{
    fault_if(!is_held(&fake.pipeline->enqueue_lock));
    pthread_mutex_lock(&fake.lock);
    for (uint32_t i = 0; i < count; i++)
        if (look(slots[i]) == TRM_ERROR_TIMEOUT)
            atomic_fetch_add(&signal->pending, 1);
    pthread_mutex_unlock(&fake.lock);
    return TRM_OK;
}

/* Only the queues wake the waiter of a fake that notifies; without, threads wait in slices. */
int32_t pipeline_slots_watch(struct pipeline_slot *const *slots, uint32_t count, struct core_waiter *waiter)
{
    (void)slots, (void)waiter;
    fault_if(count == 0);
    return fake.notifies ? TRM_OK : TRM_ERROR_UNSUPPORTED;
}

int32_t pipeline_slot_stage(struct pipeline_slot *slot)
{
    if (fake.stage != NULL)
        return fake.stage(slot);
    pthread_mutex_lock(&fake.lock);
    bool is_done = slot->device->end <= base_now() && !hangs(slot->device);
    pthread_mutex_unlock(&fake.lock);
    return is_done ? TRM_SLOT_DONE : TRM_SLOT_PROCESSING;
}

bool pipeline_slot_is_stamped(const struct pipeline_slot *slot)
{
    (void)slot;
    return fake.stamped;
}

bool pipeline_slot_is_spread(const struct pipeline_slot *slot)
{
    (void)slot;
    return false;
}

bool pipeline_slot_is_measured(const struct pipeline_slot *slot)
{
    (void)slot;
    return true;
}

void pipeline_slot_times(struct pipeline_slot *slot, struct pipeline_token_times *times)
{
    pthread_mutex_lock(&fake.lock);
    fake.reading++;
    pthread_cond_broadcast(&fake.changed);
    while (fake.holds_times && !fake.let_go)
        pthread_cond_wait(&fake.changed, &fake.lock);
    fake.reading--;
    pthread_mutex_unlock(&fake.lock);
    times->begin[TRM_STAGE_COMPUTE] = slot->device->end - fake.duration;
    times->end[TRM_STAGE_COMPUTE]   = slot->device->end;
}

void pipeline_slot_bytes(const struct pipeline_slot *slot, struct pipeline_token_times *times)
{
    times->bytes_up   = slot->token.size[0];
    times->bytes_down = slot->token.size[1];
}

void pipeline_slot_enqueue_end(struct pipeline_slot *slot)
{
    (void)slot;
}

/* ---- recovering, growing, orders of stages ---------------------------------------------------- */

int32_t pipeline_engine_recover(struct pipeline *pipeline)
{
    bool lost;
    fault_if(!is_held(&pipeline->enqueue_lock));
    pthread_mutex_lock(&fake.lock);
    for (uint32_t i = 0; i < atomic_load(&pipeline->depth); i++)
        fault_if(pipeline->slots[i]->device->is_busy);
    fake.recovered++;
    fake.failed = false;
    lost        = fake.lost;
    pthread_mutex_unlock(&fake.lock);
    return lost ? base_fail_static(TRM_ERROR_DEVICE_LOST, "the device is lost") : TRM_OK;
}

bool pipeline_slot_is_repeatable(const struct pipeline_slot *slot)
{
    (void)slot;
    return !fake.unrepeatable;
}

bool pipeline_engine_wants_slot(struct pipeline *pipeline)
{
    return atomic_load(&pipeline->depth) < fake.grows_to;
}

int32_t pipeline_engine_grow(struct pipeline *pipeline)
{
    pthread_mutex_lock(&fake.lock);
    fake.growing++;
    pthread_cond_broadcast(&fake.changed);
    while (fake.holds_growth && !fake.let_go)
        pthread_cond_wait(&fake.changed, &fake.lock);
    fake.growing--;
    pthread_mutex_unlock(&fake.lock);
    return fake_make_slot(pipeline);
}

uint32_t pipeline_engine_slots_in_use(struct pipeline *pipeline, uint32_t *rest)
{
    (void)pipeline;
    fake.slots_asked++;
    *rest = fake.slots_rest != 0 ? fake.slots_rest : 1;
    return fake.slots_in_use;
}

bool pipeline_engine_slots_are_first(const struct pipeline *pipeline)
{
    (void)pipeline;
    return fake.slots_are_first;
}

void pipeline_engine_slots_interrupt(struct pipeline *pipeline, uint32_t *rest)
{
    (void)pipeline;
    *rest = 1;
}

void pipeline_engine_slots_tell(struct pipeline *pipeline)
{
    (void)pipeline;
}

int32_t pipeline_order_check(const struct pipeline *member, const uint32_t *order, uint32_t count,
                             uint32_t places[PIPELINE_STAGES_MOST])
{
    (void)member, (void)order, (void)count, (void)places;
    return TRM_OK;
}

int32_t pipeline_reorder_begin(struct pipeline *member, struct pipeline_reorder *reorder)
{
    (void)member, (void)reorder;
    pthread_mutex_lock(&fake.lock);
    fault_if(fake.growing > 0 || fake.reading > 0);
    fake.reordered++;
    pthread_mutex_unlock(&fake.lock);
    return TRM_OK;
}

void pipeline_reorder_commit(struct pipeline *member, struct pipeline_reorder *reorder)
{
    (void)member, (void)reorder;
}

void pipeline_reorder_end(struct pipeline_reorder *reorder)
{
    (void)reorder;
}

bool pipeline_engine_is_inside(const struct pipeline *pipeline)
{
    (void)pipeline;
    return false;
}

void pipeline_slot_repeat(struct pipeline_slot *slot, const struct pipeline_slot *from)
{
    (void)slot, (void)from;
    fault_if(true); /* there is one device */
}

/* Several devices are the conformance suite's. */
uint32_t pipeline_front_stage_member(const struct pipeline *front, uint32_t stage)
{
    (void)front, (void)stage;
    return PIPELINE_MEMBERS_MOST;
}

int32_t pipeline_front_check_preferred(const struct pipeline *front)
{
    (void)front;
    return TRM_OK;
}
