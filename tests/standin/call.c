/* How calls begin and end.
 * SPDX-License-Identifier: MIT
 */
#include "tests/standin/standin.h"

static pthread_mutex_t mutex    = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t something = PTHREAD_COND_INITIALIZER;

void standin_lock(void)
{
    pthread_mutex_lock(&mutex);
}

void standin_unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

void standin_wait(void)
{
    pthread_cond_wait(&something, &mutex);
}

void standin_wait_for(pthread_cond_t *condition, const struct timespec *until)
{
    if (until == NULL)
        pthread_cond_wait(condition, &mutex);
    else
        pthread_cond_timedwait(condition, &mutex, until);
}

void standin_changed(void)
{
    pthread_cond_broadcast(&something);
}

/* An error that was made up sticks as a real one does. */
static CUresult made_up(CUresult result)
{
    struct context *current;

    if (result == CUDA_SUCCESS || !standin_is_sticky(result))
        return result;
    standin_lock();
    if (context_current(&current) == CUDA_SUCCESS && current != NULL)
        context_fail(current, result);
    standin_unlock();
    return result;
}

CUresult enter_uninitialized(enum standin_function function)
{
    /* A forked child cannot use CUDA if its parent has: threads that held locks do not exist in it. */
    if (device_is_forked())
        return CUDA_ERROR_NOT_INITIALIZED;
    CUresult result = made_up(standin_count_call(function));
    if (result != CUDA_SUCCESS)
        return result;
    standin_lock();
    return CUDA_SUCCESS;
}

CUresult enter(enum standin_function function)
{
    CUresult result = enter_uninitialized(function);

    if (result != CUDA_SUCCESS)
        return result;
    result = device_initialized();
    return result == CUDA_SUCCESS ? CUDA_SUCCESS : leave(result);
}

CUresult enter_current(enum standin_function function, struct context **current)
{
    CUresult result = enter(function);

    if (result != CUDA_SUCCESS)
        return result;
    result = context_current(current);
    if (result == CUDA_SUCCESS && *current == NULL)
        result = CUDA_ERROR_INVALID_CONTEXT;
    return result == CUDA_SUCCESS ? CUDA_SUCCESS : leave(result);
}

CUresult enter_working(enum standin_function function, struct context **current)
{
    CUresult result = enter_current(function, current);

    if (result != CUDA_SUCCESS || (*current)->sticky == CUDA_SUCCESS)
        return result;
    return leave((*current)->sticky);
}

CUresult enter_stream(enum standin_function function, CUstream handle, struct context **current,
                      struct stream **stream)
{
    bool is_own = handle == NULL || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD;
    CUresult result =
        is_own || standin_config.needs_context ? enter_current(function, current) : enter(function);

    if (result != CUDA_SUCCESS)
        return result;
    *stream = is_own ? (*current)->legacy : object_find(OBJECT_STREAM, handle);
    if (*stream == NULL)
        return leave(CUDA_ERROR_INVALID_HANDLE);
    *current = (*stream)->object.context;
    return (*current)->sticky == CUDA_SUCCESS ? CUDA_SUCCESS : leave((*current)->sticky);
}

CUresult leave(CUresult result)
{
    standin_unlock();
    return result;
}
