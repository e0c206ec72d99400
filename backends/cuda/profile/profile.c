/* cuda backend: timestamps.
 * SPDX-License-Identifier: MIT
 */
#include "profile.h"

#include "backends/cuda/stream/stream.h"
#include "clock.h"

/* The greatest age of the newest base while stamps are used. */
#define BASE_AGE_NS UINT64_C(250000000)
/* The first bases follow each other sooner, to measure the drift of the clocks. */
#define BASE_AGE_FIRST_NS UINT64_C(8000000)
/* A base whose time is known this well is not measured again. */
#define SHARP_NS UINT64_C(4000)
#define TRIES 4u /* to measure a base */
/* How long to poll for a base: the internal stream may be behind others' work. */
#define MAX_POLL_NS UINT64_C(200000)
#define MAX_POLL_FIRST_NS UINT64_C(20000000) /* while no base has been measured */
#define MAX_SPARE 256u

/* The lock is held while a base is created; no thread that waits for work needs it. */
struct cuda_stamps {
    pthread_mutex_t lock;
    struct cuda_clock clock;
    /* By number; the one after the newest is for the next base. Created when first needed. */
    CUevent bases[CUDA_CLOCK_SEGMENTS];
    bool pending;                             /* the next base has been recorded */
    struct cuda_clock_interval pending_since; /* only `least` is set */
    _Atomic uint64_t renew_at;                /* host time at which the newest base is old */
    uint64_t measured_at;                     /* host time of the last base that was measured */
    /* the next base is measured after this; grows to BASE_AGE_NS */
    uint64_t age;
    struct trm_backend_stamp *spare;
    uint32_t spare_count;
};

struct trm_backend_stamp {
    struct trm_backend_device *device;
    CUevent event;
    struct trm_backend_stamp *next; /* of spare stamps */
};

/* ---- bases; under the lock ------------------------------------------------------------------- */

static CUevent *next_base(struct cuda_stamps *stamps)
{
    return &stamps->bases[stamps->clock.count % CUDA_CLOCK_SEGMENTS];
}

/* With the context entered, like all that follow. */
static CUresult record_base(struct trm_backend_device *device, struct cuda_stamps *stamps)
{
    CUevent *base   = next_base(stamps);
    CUresult result = CUDA_SUCCESS;
    if (*base == NULL)
        result = device->cuda->cuEventCreate(base, CU_EVENT_DEFAULT);
    if (result != CUDA_SUCCESS)
        return result;
    stamps->pending_since.earliest = trm_util_now();
    result                         = device->cuda->cuEventRecord(*base, device->internal_stream);
    stamps->pending                = result == CUDA_SUCCESS;
    return result;
}

static CUresult elapsed_ns(struct trm_backend_device *device, CUevent from, CUevent to, double *nanoseconds)
{
    float milliseconds = 0;
    CUresult result    = device->cuda->cuEventElapsedTime(&milliseconds, from, to);
    *nanoseconds       = (double)milliseconds * 1e6;
    return result;
}

/* Use the base that was recorded, which is complete. If the clock starts again with it, it changes its
 * place. */
static CUresult use_base(struct trm_backend_device *device, struct cuda_stamps *stamps,
                         const struct cuda_clock_interval *moment)
{
    struct cuda_clock *clock = &stamps->clock;
    uint32_t place           = clock->count % CUDA_CLOCK_SEGMENTS;
    CUevent base             = stamps->bases[place];
    double elapsed           = 0;
    if (clock->count != 0) {
        CUresult result =
            elapsed_ns(device, stamps->bases[(clock->count - 1) % CUDA_CLOCK_SEGMENTS], base, &elapsed);
        if (result != CUDA_SUCCESS)
            return result;
    }
    cuda_clock_add(clock, elapsed, moment, (double)stamps->age);
    uint32_t now_at       = (clock->count - 1) % CUDA_CLOCK_SEGMENTS;
    stamps->bases[place]  = stamps->bases[now_at];
    stamps->bases[now_at] = base;
    stamps->pending       = false;
    atomic_store_explicit(&stamps->renew_at, moment->latest + BASE_AGE_NS, memory_order_relaxed);
    return CUDA_SUCCESS;
}

/* Use a base that was recorded earlier if it is complete by now. Its time is known only roughly. */
static CUresult use_pending_base(struct trm_backend_device *device, struct cuda_stamps *stamps)
{
    if (!stamps->pending)
        return CUDA_SUCCESS;
    CUresult result = device->cuda->cuEventQuery(*next_base(stamps));
    if (result != CUDA_SUCCESS)
        return result;
    const struct cuda_clock_interval moment = {stamps->pending_since.earliest, stamps->pending_since.earliest,
                                               trm_util_now()};
    return use_base(device, stamps, &moment);
}

/* Poll until the base is complete: its time is between the last two polls. */
static CUresult poll_base(struct trm_backend_device *device, struct cuda_stamps *stamps,
                          struct cuda_clock_interval *moment)
{
    uint64_t began    = stamps->pending_since.earliest;
    uint64_t max_poll = stamps->measured_at != 0 ? MAX_POLL_NS : MAX_POLL_FIRST_NS;
    moment->earliest  = began;
    for (;;) {
        uint64_t polled = trm_util_now();
        CUresult result = device->cuda->cuEventQuery(*next_base(stamps));
        if (result == CUDA_SUCCESS) {
            moment->guess  = moment->earliest + (polled - moment->earliest) / 2;
            moment->latest = trm_util_now();
            return CUDA_SUCCESS;
        }
        if (result != CUDA_ERROR_NOT_READY || polled - began > max_poll)
            return result;
        moment->earliest = polled;
    }
}

/* NOT_READY is no failure: the recorded base is used later. */
static CUresult measure_base(struct trm_backend_device *device, struct cuda_stamps *stamps)
{
    struct cuda_clock_interval moment = {0, 0, 0};
    CUresult result                   = CUDA_SUCCESS;
    for (uint32_t i = 0; i < TRIES && (i == 0 || moment.latest - moment.earliest > SHARP_NS); i++) {
        result = record_base(device, stamps);
        if (result == CUDA_SUCCESS)
            result = poll_base(device, stamps, &moment);
        if (result != CUDA_SUCCESS)
            return result;
    }
    stamps->measured_at = moment.latest;
    result              = use_base(device, stamps, &moment);
    stamps->age         = stamps->age * 2 < BASE_AGE_NS ? stamps->age * 2 : BASE_AGE_NS;
    return result;
}

/* The first base must exist, however long it is behind others' work. Blocks. */
static CUresult wait_for_base(struct trm_backend_device *device, struct cuda_stamps *stamps)
{
    CUresult result = device->cuda->cuEventSynchronize(*next_base(stamps));
    return result == CUDA_SUCCESS ? use_pending_base(device, stamps) : result;
}

/* Make the bases that are needed to convert a time now. */
static CUresult renew_bases(struct trm_backend_device *device, struct cuda_stamps *stamps)
{
    CUresult result = use_pending_base(device, stamps);
    if (result == CUDA_SUCCESS &&
        (stamps->clock.count == 0 || trm_util_now() - stamps->measured_at > stamps->age))
        result = measure_base(device, stamps);
    if (result == CUDA_ERROR_NOT_READY)
        result = stamps->clock.count != 0 ? CUDA_SUCCESS : wait_for_base(device, stamps);
    return result;
}

/* ---- creating -------------------------------------------------------------------------------- */

static int32_t create_stamps(struct trm_backend_device *device, struct cuda_stamps **result)
{
    struct cuda_stamps *stamps = trm_util_allocate(device->instance->host, sizeof(*stamps));
    if (stamps == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a timestamp");
    pthread_mutex_init(&stamps->lock, NULL);
    stamps->age = BASE_AGE_FIRST_NS;
    *result     = stamps;
    return TRM_OK;
}

static int32_t get_stamps(struct trm_backend_device *device, struct cuda_stamps **stamps)
{
    int32_t status = TRM_OK;
    pthread_mutex_lock(&device->lazy_lock);
    if (device->stamps == NULL)
        status = create_stamps(device, &device->stamps);
    *stamps = device->stamps;
    pthread_mutex_unlock(&device->lazy_lock);
    return status;
}

static void free_stamp(struct trm_backend_stamp *stamp)
{
    struct trm_backend_device *device = stamp->device;
    (void)device->cuda->cuEventDestroy(stamp->event);
    trm_util_release(device->instance->host, stamp, sizeof(*stamp));
}

void cuda_stamps_close(struct trm_backend_device *device)
{
    struct cuda_stamps *stamps = device->stamps;
    CUcontext previous;
    if (stamps == NULL)
        return;
    (void)cuda_enter(device, &previous);
    while (stamps->spare != NULL) {
        struct trm_backend_stamp *stamp = stamps->spare;
        stamps->spare                   = stamp->next;
        free_stamp(stamp);
    }
    for (uint32_t i = 0; i < CUDA_CLOCK_SEGMENTS; i++)
        if (stamps->bases[i] != NULL)
            (void)device->cuda->cuEventDestroy(stamps->bases[i]);
    cuda_leave(device, previous);
    pthread_mutex_destroy(&stamps->lock);
    trm_util_release(device->instance->host, stamps, sizeof(*stamps));
    device->stamps = NULL;
}

/* ---- stamps ---------------------------------------------------------------------------------- */

static struct trm_backend_stamp *take_spare(struct cuda_stamps *stamps)
{
    pthread_mutex_lock(&stamps->lock);
    struct trm_backend_stamp *stamp = stamps->spare;
    if (stamp != NULL) {
        stamps->spare = stamp->next;
        stamps->spare_count--;
    }
    pthread_mutex_unlock(&stamps->lock);
    return stamp;
}

static int32_t create_event(struct trm_backend_device *device, CUevent *event)
{
    CUcontext previous;
    int32_t status = cuda_enter(device, &previous);
    if (status != TRM_OK)
        return status;
    CUresult result = device->cuda->cuEventCreate(event, CU_EVENT_DEFAULT);
    cuda_leave(device, previous);
    return result == CUDA_SUCCESS ? TRM_OK : cuda_device_fail(device, result, "cuEventCreate");
}

static int32_t stamp_create(struct trm_backend_device *device, struct trm_backend_stamp **result)
{
    struct cuda_stamps *stamps = NULL;
    int32_t status             = cuda_device_check(device);
    if (status == TRM_OK)
        status = get_stamps(device, &stamps);
    if (status != TRM_OK)
        return status;
    struct trm_backend_stamp *stamp = take_spare(stamps);
    if (stamp != NULL) {
        *result = stamp;
        return TRM_OK;
    }
    stamp = trm_util_allocate(device->instance->host, sizeof(*stamp));
    if (stamp == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a timestamp");
    stamp->device = device;
    status        = create_event(device, &stamp->event);
    if (status != TRM_OK) {
        trm_util_release(device->instance->host, stamp, sizeof(*stamp));
        return status;
    }
    *result = stamp;
    return TRM_OK;
}

/* Events are expensive to create, so stamps are kept. */
static void stamp_destroy(struct trm_backend_stamp *stamp)
{
    struct trm_backend_device *device = stamp->device;
    struct cuda_stamps *stamps        = device->stamps;
    CUcontext previous;
    pthread_mutex_lock(&stamps->lock);
    bool kept = stamps->spare_count < MAX_SPARE;
    if (kept) {
        stamp->next   = stamps->spare;
        stamps->spare = stamp;
        stamps->spare_count++;
    }
    pthread_mutex_unlock(&stamps->lock);
    if (kept)
        return;
    (void)cuda_enter(device, &previous);
    free_stamp(stamp);
    cuda_leave(device, previous);
}

CUevent cuda_stamp_event(const struct trm_backend_stamp *stamp)
{
    return stamp->event;
}

/* ---- recording ------------------------------------------------------------------------------- */

/* Record a base near the stamp without waiting for it. A thread that reads a stamp now does this itself. A
 * failure shows in the record that follows. */
void cuda_stamps_about_to_record(struct trm_backend_device *device)
{
    struct cuda_stamps *stamps = device->stamps;
    CUcontext previous;
    if (trm_util_now() < atomic_load_explicit(&stamps->renew_at, memory_order_relaxed) ||
        pthread_mutex_trylock(&stamps->lock) != 0)
        return;
    if (cuda_enter(device, &previous) == TRM_OK) {
        if (use_pending_base(device, stamps) == CUDA_SUCCESS && record_base(device, stamps) == CUDA_SUCCESS)
            atomic_store_explicit(&stamps->renew_at, stamps->pending_since.earliest + BASE_AGE_NS,
                                  memory_order_relaxed);
        cuda_leave(device, previous);
    }
    pthread_mutex_unlock(&stamps->lock);
}

static int32_t submit_stamp(struct trm_backend_stream *stream, const void *what)
{
    const struct trm_backend_stamp *stamp = *(struct trm_backend_stamp *const *)what;
    struct trm_backend_device *device     = stream->device;
    cuda_stamps_about_to_record(device);
    CUresult result = device->cuda->cuEventRecord(stamp->event, stream->handle);
    return result == CUDA_SUCCESS ? TRM_OK : cuda_job_failed(stream, result, "cuEventRecord");
}

static int32_t stamp_record(struct trm_backend_stream *stream, uint64_t value,
                            struct trm_backend_stamp *stamp)
{
    const struct cuda_job job = {submit_stamp, &stamp, sizeof(stamp)};
    return cuda_stream_submit(stream, value, job);
}

/* ---- reading; under the lock ----------------------------------------------------------------- */

/* Measure from the last base before the stamp. */
static CUresult read_stamp(struct trm_backend_device *device, struct cuda_stamps *stamps,
                           const struct trm_backend_stamp *stamp, uint64_t *nanoseconds)
{
    struct cuda_clock *clock = &stamps->clock;
    uint64_t oldest = cuda_clock_oldest(clock), number = clock->count;
    double elapsed = -1;
    while (elapsed < 0 && number > oldest) {
        number--;
        CUresult result =
            elapsed_ns(device, stamps->bases[number % CUDA_CLOCK_SEGMENTS], stamp->event, &elapsed);
        if (result != CUDA_SUCCESS)
            return result;
    }
    *nanoseconds = cuda_clock_convert(clock, number, elapsed);
    return CUDA_SUCCESS;
}

static int32_t fail_read(struct trm_backend_device *device, CUresult result)
{
    if (result == CUDA_ERROR_NOT_READY)
        return trm_util_fail(device->instance->host, TRM_ERROR_TIMEOUT, result,
                             "The timestamp, or the base event it is compared with, is not complete yet.");
    return cuda_device_fail(device, result, "cuEventElapsedTime");
}

static int32_t stamp_read(struct trm_backend_stamp *stamp, uint64_t *nanoseconds)
{
    struct trm_backend_device *device = stamp->device;
    struct cuda_stamps *stamps        = device->stamps;
    uint64_t time                     = 0;
    CUcontext previous;
    int32_t status = cuda_device_check(device);
    if (status == TRM_OK)
        status = cuda_enter(device, &previous);
    if (status != TRM_OK)
        return status;
    pthread_mutex_lock(&stamps->lock);
    CUresult result = renew_bases(device, stamps);
    if (result == CUDA_SUCCESS)
        result = read_stamp(device, stamps, stamp, &time);
    pthread_mutex_unlock(&stamps->lock);
    cuda_leave(device, previous);
    if (result != CUDA_SUCCESS)
        return fail_read(device, result);
    *nanoseconds = time;
    return TRM_OK;
}

const struct trm_profile_ops cuda_profile_ops = {
    .struct_size   = sizeof(cuda_profile_ops),
    .stamp_create  = stamp_create,
    .stamp_destroy = stamp_destroy,
    .stamp_record  = stamp_record,
    .stamp_read    = stamp_read,
};
