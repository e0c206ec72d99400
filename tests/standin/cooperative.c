/* Cooperative launches: their groups run at once and may wait for each other, so each has a thread of its
 * own. What a group shares is static in the module, so each group but the first also has a copy of the
 * module.
 * SPDX-License-Identifier: MIT
 */
#include <signal.h>
#include <stdlib.h>

#include "tests/standin/object.h"
#include "tests/standin/standin.h"

#define ITEMS_EACH 2048 /* of a multiprocessor */

/* What the groups of a launch have in common. */
struct crew {
    uint32_t pending;
    CUresult result; /* the first failure */
};

/* A thread that serves one launch after the other. */
struct seat {
    struct seat *next;
    pthread_t thread;
    struct crew *crew; /* NULL: none */
    struct portion portion;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards all seats and crews */
static pthread_cond_t called = PTHREAD_COND_INITIALIZER, ended = PTHREAD_COND_INITIALIZER;
static struct seat *seats;

/* ---- threads */

static void run(struct seat *seat)
{
    pthread_mutex_unlock(&mutex);
    CUresult result = launch_run_portion(&seat->portion);
    pthread_mutex_lock(&mutex);
    if (seat->crew->result == CUDA_SUCCESS)
        seat->crew->result = result;
}

static void *serve(void *data)
{
    struct seat *seat = data;

    pthread_mutex_lock(&mutex);
    for (;;) {
        while (seat->crew == NULL)
            pthread_cond_wait(&called, &mutex);
        if (seat->crew->result == CUDA_SUCCESS)
            run(seat);
        seat->crew->pending--;
        seat->crew = NULL;
        guard_forget_stop();
        pthread_cond_broadcast(&ended);
    }
    return NULL;
}

static struct seat *make_seat(void)
{
    struct seat *seat = calloc(1, sizeof(*seat));
    sigset_t before;

    if (seat == NULL)
        return NULL;
    guard_block_signals(&before);
    int error = pthread_create(&seat->thread, NULL, serve, seat);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0) {
        free(seat);
        return NULL;
    }
    pthread_detach(seat->thread);
    seat->next = seats;
    seats      = seat;
    return seat;
}

static struct seat *find_seat(void)
{
    for (struct seat *seat = seats; seat != NULL; seat = seat->next)
        if (seat->crew == NULL)
            return seat;
    return make_seat();
}

/* ---- a launch */

static const struct standin_object *code_of(const struct module *module, uint32_t group)
{
    return group == 0 ? module->code : module->copies[group - 1].code;
}

static bool begin_group(const struct launch *launch, uint32_t group, struct crew *crew)
{
    const struct standin_object *code = code_of(launch->module, group);
    struct seat *seat                 = find_seat();

    if (seat == NULL)
        return false;
    seat->portion =
        (struct portion){.launch = launch,
                         .code   = code,
                         .kernel = code->kernels + (launch->kernel - launch->module->code->kernels),
                         .first  = group,
                         .count  = 1};
    seat->crew = crew;
    crew->pending++;
    return true;
}

/* Groups that wait for one that has failed would do so for ever. */
static void stop(const struct crew *crew)
{
    for (const struct seat *seat = seats; seat != NULL; seat = seat->next)
        if (seat->crew == crew)
            guard_stop(seat->thread);
}

CUresult cooperative_run(const struct launch *launch)
{
    uint32_t count   = (uint32_t)launch_group_count(launch);
    struct crew crew = {.result = CUDA_SUCCESS};

    if (!module_copy(launch->module, count - 1))
        return CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_lock(&mutex);
    for (uint32_t i = 0; i < count && crew.result == CUDA_SUCCESS; i++)
        if (!begin_group(launch, i, &crew))
            crew.result = CUDA_ERROR_OUT_OF_MEMORY;
    pthread_cond_broadcast(&called);
    while (crew.pending != 0 && crew.result == CUDA_SUCCESS)
        pthread_cond_wait(&ended, &mutex);
    stop(&crew);
    while (crew.pending != 0)
        pthread_cond_wait(&ended, &mutex);
    pthread_mutex_unlock(&mutex);
    return crew.result;
}

uint64_t cooperative_groups_most(const struct launch *launch)
{
    return STANDIN_MULTIPROCESSORS *
           (ITEMS_EACH / ((uint64_t)launch->items[0] * launch->items[1] * launch->items[2]));
}
