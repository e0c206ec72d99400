/* The service thread.
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/service.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"
#include "core/object/object.h"
#include "core/stream/stream_object.h"

/* Programs' callbacks run on it. */
#define STACK_BYTES (1u << 20)

/* Nanoseconds; about what waking a thread takes. If jobs have been following each other faster, the thread
 * looks for the next one for this long before it sleeps; else it sleeps at once. */
#define SPIN_NS 5000u

struct core_service {
    const struct core_context *context; /* ends after core_service_destroy() was called */
    struct trm_allocator allocator;     /* the context may end before the last thread does */

    pthread_mutex_t lock; /* guards what follows; a leaf */
    pthread_cond_t wake;  /* there is a job, or the service stops */
    pthread_cond_t ended; /* a thread has ended */
    struct core_job *first, *last;
    _Atomic bool has_jobs;       /* read without the lock by a thread that spins */
    uint64_t posted_at;          /* when the empty list last got a job */
    int32_t posted_from;         /* the processor of the thread that posted it */
    bool has_processors;         /* this process may use more than one */
    bool may_spin;               /* jobs follow each other closely */
    bool is_spinning;            /* a thread spins; never more than one does */
    uint32_t threads;            /* that run */
    uint32_t blocked;            /* of them, those that block inside a job */
    bool is_stopping;            /* end when the list is empty */
    bool is_destroyed_by_thread; /* by one of its own threads, which frees the service as it ends */
    bool has_last_ended;         /* `last_ended` is still to be joined */
    pthread_t last_ended;
};

/* Of the calling thread: the service whose thread it is, and the callbacks that it runs. Both belong to the
 * same context. Read them through own_service() and frames(). */
static _Thread_local struct core_service *current;
static _Thread_local struct core_callback_frame *innermost;

/* The thread in the child of a fork is no thread of the parent's service and runs none of its callbacks: its
 * own contexts have nothing to do with them. A service thread runs jobs without a callback too, so both
 * variables are checked. */
static void forget_parent(void)
{
    const struct core_context *context = NULL;
    if (current != NULL)
        context = current->context;
    else if (innermost != NULL)
        context = innermost->stream->object.context;
    if (context == NULL || !core_is_forked(context))
        return;
    current   = NULL;
    innermost = NULL;
}

/* The callbacks that the calling thread runs. */
static struct core_callback_frame *frames(void)
{
    forget_parent();
    return innermost;
}

/* The service that the calling thread belongs to. */
static struct core_service *own_service(void)
{
    forget_parent();
    return current;
}

static void service_free(struct core_service *service)
{
    struct trm_allocator allocator = service->allocator;
    pthread_cond_destroy(&service->wake);
    pthread_cond_destroy(&service->ended);
    pthread_mutex_destroy(&service->lock);
    allocator.release(allocator.user, service, sizeof(*service));
}

static bool has_processors(void)
{
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof(allowed), &allowed) != 0 || CPU_COUNT(&allowed) > 1;
}

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Looks for a job without sleeping and without the lock. Takes the lock again only when it is free: a thread
 * that posts holds it for a moment, and sleeping on it would cost what spinning is to save. */
static void spin_locked(struct core_service *service)
{
    uint64_t end         = base_now() + SPIN_NS;
    bool is_locked       = false;
    service->is_spinning = true;
    pthread_mutex_unlock(&service->lock);
    do {
        for (int i = 0; i < 8; i++)
            relax();
        is_locked = atomic_load_explicit(&service->has_jobs, memory_order_relaxed) &&
                    pthread_mutex_trylock(&service->lock) == 0;
    } while (!is_locked && base_now() < end);
    if (!is_locked)
        pthread_mutex_lock(&service->lock);
    service->is_spinning = false;
}

/* Decides afterwards whether spinning would have caught the job, and so whether to spin next time. Does not
 * spin on the processor of the thread that posts, which it would only keep from running. */
static void wait_for_job_locked(struct core_service *service)
{
    uint64_t begin = base_now();
    if (service->may_spin && !service->is_spinning && sched_getcpu() != service->posted_from)
        spin_locked(service);
    while (service->first == NULL && !service->is_stopping && service->threads - service->blocked <= 1)
        pthread_cond_wait(&service->wake, &service->lock);
    service->may_spin = service->has_processors && service->posted_at < begin + SPIN_NS;
}

/* Waits for the next job. NULL: the thread must end, since the service stops or another thread takes jobs. */
static struct core_job *next_job_locked(struct core_service *service)
{
    while (service->first == NULL) {
        if (service->is_stopping || service->threads - service->blocked > 1)
            return NULL;
        wait_for_job_locked(service);
    }
    struct core_job *job = service->first;
    service->first       = job->next;
    atomic_store_explicit(&service->has_jobs, service->first != NULL, memory_order_relaxed);
    if (service->first == NULL)
        service->last = NULL;
    return job;
}

/* The last thing a thread does; releases the lock. Each thread joins the one that ended before it, so that
 * none is left when the service is freed and no list of threads is needed. */
static void leave(struct core_service *service)
{
    pthread_t previous = service->last_ended;
    bool has_previous  = service->has_last_ended;
    bool frees         = service->is_destroyed_by_thread && service->threads == 1;

    service->threads--;
    service->last_ended     = pthread_self();
    service->has_last_ended = true;
    pthread_cond_broadcast(&service->ended);
    pthread_mutex_unlock(&service->lock);
    if (has_previous)
        pthread_join(previous, NULL);
    if (!frees)
        return;
    pthread_detach(pthread_self());
    service_free(service);
}

static void *service_main(void *argument)
{
    struct core_service *service = argument;
    struct core_job *job;
    current = service;
    pthread_mutex_lock(&service->lock);
    while ((job = next_job_locked(service)) != NULL) {
        pthread_mutex_unlock(&service->lock);
        job->run(job);
        pthread_mutex_lock(&service->lock);
    }
    current = NULL;
    leave(service);
    return NULL;
}

static int32_t start_thread_locked(struct core_service *service)
{
    pthread_t thread;
    int32_t status = base_thread_start(service_main, service, STACK_BYTES, "trireme-core", &thread);
    if (status == TRM_OK)
        service->threads++;
    return status;
}

/* Starts one more thread when all are blocked and there is a job. If that fails, the job waits until a thread
 * unblocks. */
static void ensure_progress_locked(struct core_service *service)
{
    if (service->first != NULL && service->threads == service->blocked)
        start_thread_locked(service);
}

int32_t core_service_create(struct core_context *context, struct core_service **out)
{
    struct core_service *service = core_allocate(context, sizeof(*service));
    if (service == NULL)
        return base_fail_memory("starting the thread for host callbacks");
    service->context        = context;
    service->allocator      = context->allocator;
    service->has_processors = has_processors();
    pthread_mutex_init(&service->lock, NULL);
    pthread_cond_init(&service->wake, NULL);
    pthread_cond_init(&service->ended, NULL);
    pthread_mutex_lock(&service->lock);
    int32_t status = start_thread_locked(service);
    pthread_mutex_unlock(&service->lock);
    if (status != TRM_OK) {
        service_free(service);
        return status;
    }
    *out = service;
    return TRM_OK;
}

int32_t core_service_get(struct core_context *context, struct core_service **service)
{
    int32_t status = TRM_OK;
    pthread_mutex_lock(&context->lock);
    if (context->service == NULL)
        status = core_service_create(context, &context->service);
    if (status == TRM_OK)
        *service = context->service;
    pthread_mutex_unlock(&context->lock);
    return status;
}

void core_service_destroy(struct core_service *service)
{
    if (service == NULL)
        return;
    uint32_t own = own_service() == service;
    pthread_mutex_lock(&service->lock);
    service->is_stopping            = true;
    service->is_destroyed_by_thread = own != 0;
    pthread_cond_broadcast(&service->wake);
    while (service->threads > own)
        pthread_cond_wait(&service->ended, &service->lock);
    pthread_mutex_unlock(&service->lock);
    if (own) {
        current = NULL; /* the job goes on, perhaps without the context */
        return;
    }
    pthread_join(service->last_ended, NULL);
    service_free(service);
}

void core_service_post(struct core_service *service, struct core_job *job)
{
    job->next    = NULL;
    uint64_t now = base_now();
    pthread_mutex_lock(&service->lock);
    if (service->last != NULL) {
        service->last->next = job;
    } else {
        service->first       = job;
        service->posted_at   = now;
        service->posted_from = sched_getcpu();
    }
    service->last = job;
    atomic_store_explicit(&service->has_jobs, true, memory_order_relaxed);
    ensure_progress_locked(service);
    pthread_cond_signal(&service->wake);
    pthread_mutex_unlock(&service->lock);
}

bool core_service_post_own(struct core_job *job)
{
    struct core_service *service = own_service();
    if (service != NULL)
        core_service_post(service, job);
    return service != NULL;
}

void core_service_block(void)
{
    struct core_service *service = own_service();
    if (service == NULL)
        return;
    pthread_mutex_lock(&service->lock);
    service->blocked++;
    ensure_progress_locked(service);
    pthread_mutex_unlock(&service->lock);
}

void core_service_unblock(void)
{
    struct core_service *service = own_service();
    if (service == NULL)
        return;
    pthread_mutex_lock(&service->lock);
    service->blocked--;
    pthread_mutex_unlock(&service->lock);
}

/* ---- the callbacks that a thread runs ----------------------------------------------------------- */

void core_callback_push(struct core_callback_frame *frame, const struct core_stream *stream, uint64_t value)
{
    frame->stream = stream;
    frame->value  = value;
    frame->outer  = frames();
    innermost     = frame;
}

/* The callback has forked, and returned in the child too. The thread would go on with the parent's work, with
 * the parent's locks, and without its other threads. Nothing but write() and _exit() is safe here. */
static void end_child(void)
{
    static const char line[] =
        "trireme: a callback returned in the child of a fork, which ends here: a callback "
        "that forks must call _exit() or exec in the child\n";
    if (write(STDERR_FILENO, line, sizeof(line) - 1) < 0)
        _exit(EXIT_FAILURE);
    _exit(EXIT_FAILURE);
}

void core_callback_pop(const struct core_callback_frame *frame)
{
    if (core_is_forked(frame->stream->object.context))
        end_child();
    innermost = frame->outer;
}

const struct core_stream *core_callback_current(uint64_t *value)
{
    const struct core_callback_frame *frame = frames();
    if (frame == NULL)
        return NULL;
    if (value != NULL)
        *value = frame->value;
    return frame->stream;
}

bool core_callback_is_inside(const struct core_stream *stream)
{
    const struct core_callback_frame *frame = frames();
    while (frame != NULL && frame->stream != stream)
        frame = frame->outer;
    return frame != NULL;
}

bool core_callback_would_deadlock(const struct core_stream *stream, uint64_t value)
{
    const struct core_callback_frame *frame = frames();
    while (frame != NULL && (frame->stream != stream || value < frame->value))
        frame = frame->outer;
    return frame != NULL;
}
