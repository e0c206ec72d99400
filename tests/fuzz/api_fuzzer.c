/* The public functions, called at random by four threads on one device. Each thread has objects of its own
 * and a model of them, which predicts the answer of every call and every byte of every buffer. Besides, it
 * looks at the handles of the other threads, which may be destroyed at any moment, and at numbers that are no
 * handles.
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/trireme.h>
#include <unistd.h>

#include "tests/fuzz/api_images.h"
#include "tests/fuzz/fuzz.h"

enum {
    THREADS = 4,
    BUFFERS = 6,
    STREAMS = 2,
    LARGEST = 4096, /* bytes of a buffer */
    CALLS   = 256   /* of a thread */
};

struct buffer {
    struct trm_buffer *handle; /* the last one; stale while there are no users */
    uint32_t users;
    int32_t kind;
    uint64_t size;
    int last; /* the stream that used it last; -1: none that is alive */
    uint8_t bytes[LARGEST];
};

struct thread {
    pthread_t id;
    struct fuzz_input input;
    struct buffer buffers[BUFFERS];
    struct api_images images;
    struct trm_stream *streams[STREAMS]; /* stale where it is not alive */
    bool is_alive[STREAMS];
    uint64_t callbacks[STREAMS];
    _Atomic uint64_t ran[STREAMS];
};

static struct trm_context *context;
static struct trm_device *device;
static struct thread threads[THREADS];
static _Atomic(struct trm_buffer *) shown[THREADS][BUFFERS]; /* handles for the other threads */
static uint8_t noise[2 * LARGEST];                           /* what is uploaded; constant */
static pthread_barrier_t barrier;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *build = getenv("top_builddir");
    char path[4096];
    (void)argc;
    (void)argv;
    snprintf(path, sizeof(path), "%s/backends/.libs/cpu.so", build != NULL ? build : ".");
    if (access(path, R_OK) != 0)
        snprintf(path, sizeof(path), "%s/backends/template/.libs/template.so", build != NULL ? build : ".");
    setenv("TRIREME_BACKEND", path, 1);
    setenv("TRIREME_CPU_WORKERS", "2", 1);
    for (size_t i = 0; i < sizeof(noise); i++)
        noise[i] = (uint8_t)(i * 167 + i / 251);
    pthread_barrier_init(&barrier, NULL, THREADS);
    return 0;
}

void api_expect(const char *what, int32_t status, int32_t wanted)
{
    if (status != wanted)
        fuzz_fail("%s gave %s instead of %s: %s", what, trm_status_name(status), trm_status_name(wanted),
                  trm_last_error().sentence);
    if (status != TRM_OK && (trm_last_error().status != status || trm_last_error().sentence[0] == '\0'))
        fuzz_fail("%s gave %s, which is not explained", what, trm_status_name(status));
}

static void expect(const char *what, int32_t status, int32_t wanted)
{
    api_expect(what, status, wanted);
}

/* A handle of another thread's is there or gone. */
static bool is_there(const char *what, int32_t status)
{
    if (status != TRM_OK && status != TRM_ERROR_INVALID_HANDLE)
        fuzz_fail("%s gave %s: %s", what, trm_status_name(status), trm_last_error().sentence);
    return status == TRM_OK;
}

/* ---- streams -------------------------------------------------------------------------------------- */

static int32_t alive(bool is_alive)
{
    return is_alive ? TRM_OK : TRM_ERROR_INVALID_HANDLE;
}

static void stream_create(struct thread *thread, uint32_t index)
{
    if (thread->is_alive[index])
        return;
    expect("trm_stream_create()",
           trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &thread->streams[index]), TRM_OK);
    thread->is_alive[index]  = true;
    thread->callbacks[index] = 0;
    atomic_store(&thread->ran[index], 0);
}

static void check_callbacks(const struct thread *thread, uint32_t index)
{
    if (atomic_load(&thread->ran[index]) != thread->callbacks[index])
        fuzz_fail("%llu callbacks of %llu ran", (unsigned long long)atomic_load(&thread->ran[index]),
                  (unsigned long long)thread->callbacks[index]);
}

static void stream_destroy(struct thread *thread, uint32_t index)
{
    trm_stream_destroy(thread->streams[index]);
    if (thread->is_alive[index])
        check_callbacks(thread, index);
    thread->is_alive[index] = false;
    for (int i = 0; i < BUFFERS; i++)
        if (thread->buffers[i].last == (int)index)
            thread->buffers[i].last = -1;
}

static void stream_sync(struct thread *thread, uint32_t index)
{
    expect("trm_stream_sync()", trm_stream_sync(thread->streams[index]), alive(thread->is_alive[index]));
    if (!thread->is_alive[index])
        return;
    check_callbacks(thread, index);
    expect("trm_stream_query()", trm_stream_query(thread->streams[index]), TRM_OK);
}

static void note_run(void *user, int32_t status)
{
    if (status != TRM_OK)
        fuzz_fail("a callback was told %s", trm_status_name(status));
    atomic_fetch_add((_Atomic uint64_t *)user, 1);
}

static void stream_callback(struct thread *thread, uint32_t index)
{
    expect("trm_stream_callback()",
           trm_stream_callback(thread->streams[index], note_run, &thread->ran[index]),
           alive(thread->is_alive[index]));
    thread->callbacks[index] += thread->is_alive[index];
}

static void use_event(struct thread *thread, uint32_t index)
{
    struct trm_event *event = NULL;
    expect("trm_event_create()", trm_event_create(device, 0, &event), TRM_OK);
    expect("trm_event_record()", trm_event_record(event, thread->streams[index]),
           alive(thread->is_alive[index]));
    expect("trm_event_wait()", trm_event_wait(event, TRM_FOREVER), TRM_OK);
    expect("trm_event_done()", trm_event_done(event), TRM_OK);
    trm_event_destroy(event);
    expect("trm_event_done() of a stale handle", trm_event_done(event), TRM_ERROR_INVALID_HANDLE);
}

static void wait_any(struct thread *thread)
{
    struct trm_point points[STREAMS];
    uint32_t count = 0, which = STREAMS;
    for (int i = 0; i < STREAMS; i++)
        if (thread->is_alive[i])
            expect("trm_stream_mark()", trm_stream_mark(thread->streams[i], &points[count++]), TRM_OK);
    expect("trm_wait_any()", trm_wait_any(points, count, TRM_FOREVER, &which),
           count > 0 ? TRM_OK : TRM_ERROR_INVALID_ARGUMENT);
    if (count > 0 && which >= count)
        fuzz_fail("trm_wait_any() found point %u of %u", which, count);
    if (count > 0)
        expect("trm_point_done()", trm_point_done(points[which]), TRM_OK);
}

/* ---- buffers -------------------------------------------------------------------------------------- */

static void buffer_create(struct thread *thread, uint32_t index)
{
    static const int32_t kinds[] = {TRM_MEMORY_DEVICE, TRM_MEMORY_PINNED, TRM_MEMORY_UNIFIED, 99};
    struct buffer *buffer        = &thread->buffers[index];
    struct trm_buffer_desc desc  = {.struct_size = sizeof(desc), .flags = TRM_BUFFER_ZEROED};
    desc.kind                    = kinds[fuzz_take_below(&thread->input, 4)];
    desc.size                    = fuzz_take_below(&thread->input, LARGEST + 1);
    if (buffer->users != 0)
        return;
    struct trm_buffer *made = NULL;
    expect("trm_buffer_create_from()", trm_buffer_create_from(device, &desc, &made),
           desc.kind == 99 ? TRM_ERROR_INVALID_ARGUMENT : TRM_OK);
    if (desc.kind == 99)
        return;
    *buffer = (struct buffer){.handle = made, .users = 1, .kind = desc.kind, .size = desc.size, .last = -1};
    atomic_store(&shown[thread - threads][index], made);
}

static void buffer_destroy(struct buffer *buffer)
{
    trm_buffer_destroy(buffer->handle);
    buffer->users -= buffer->users != 0;
}

static void buffer_look(const struct buffer *buffer)
{
    uint64_t size = 0;
    int32_t kind  = 0;
    expect("trm_buffer_size()", trm_buffer_size(buffer->handle, &size), alive(buffer->users != 0));
    expect("trm_buffer_kind()", trm_buffer_kind(buffer->handle, &kind), alive(buffer->users != 0));
    if (buffer->users != 0 && (size != buffer->size || kind != buffer->kind))
        fuzz_fail("a buffer of %llu bytes has %llu", (unsigned long long)buffer->size,
                  (unsigned long long)size);
}

static void buffer_retain(struct buffer *buffer)
{
    expect("trm_buffer_retain()", trm_buffer_retain(buffer->handle), alive(buffer->users != 0));
    buffer->users += buffer->users != 0;
}

/* The stream comes after what another one does with the buffer. False: one of them is not alive. */
static bool order(struct thread *thread, struct buffer *buffer, uint32_t index)
{
    if (!thread->is_alive[index] || buffer->users == 0)
        return false;
    if (buffer->last >= 0 && buffer->last != (int)index) {
        struct trm_point point;
        expect("trm_stream_mark()", trm_stream_mark(thread->streams[buffer->last], &point), TRM_OK);
        expect("trm_stream_wait()", trm_stream_wait(thread->streams[index], point), TRM_OK);
    }
    buffer->last = (int)index;
    return true;
}

struct range {
    uint64_t offset, length;
    bool is_inside;
};

/* Mostly inside the buffer. */
static struct range take_range(struct thread *thread, const struct buffer *buffer)
{
    struct range range;
    range.offset = fuzz_take_below(&thread->input, (uint32_t)buffer->size + 1);
    range.length = fuzz_take_below(&thread->input, (uint32_t)(buffer->size - range.offset) + 1);
    if (fuzz_take_byte(&thread->input) % 16 == 15)
        range.length = buffer->size - range.offset + 1 + fuzz_take_below(&thread->input, LARGEST);
    range.is_inside = range.length <= buffer->size - range.offset;
    return range;
}

static int32_t predict(bool is_alive, const struct range *range)
{
    return !is_alive ? TRM_ERROR_INVALID_HANDLE : range->is_inside ? TRM_OK : TRM_ERROR_OUT_OF_RANGE;
}

static void upload(struct thread *thread, struct buffer *buffer, uint32_t index)
{
    struct range range   = take_range(thread, buffer);
    const uint8_t *bytes = noise + fuzz_take_below(&thread->input, LARGEST);
    bool is_alive        = order(thread, buffer, index);
    if (!range.is_inside)
        bytes = noise;
    expect("trm_upload()",
           trm_upload(thread->streams[index], trm_span_of(buffer->handle, range.offset, range.length), bytes),
           predict(is_alive, &range));
    if (is_alive && range.is_inside)
        memcpy(buffer->bytes + range.offset, bytes, range.length);
}

static void fill(struct thread *thread, struct buffer *buffer, uint32_t index)
{
    uint32_t size      = 1u << fuzz_take_below(&thread->input, 4);
    uint64_t pattern   = fuzz_take_u64(&thread->input);
    struct range range = take_range(thread, buffer);
    bool is_alive      = order(thread, buffer, index);
    range.offset -= range.offset % size;
    range.length -= range.length % size;
    range.is_inside = range.length <= buffer->size - range.offset;
    expect("trm_fill()",
           trm_fill(thread->streams[index], trm_span_of(buffer->handle, range.offset, range.length), pattern,
                    size),
           predict(is_alive, &range));
    for (uint64_t at = 0; is_alive && range.is_inside && at < range.length; at += size)
        memcpy(buffer->bytes + range.offset + at, &pattern, size);
}

static void copy(struct thread *thread, struct buffer *to, struct buffer *from, uint32_t index)
{
    struct range range = take_range(thread, from);
    if (to == from)
        return;
    bool is_alive = order(thread, from, index);
    is_alive      = order(thread, to, index) && is_alive;
    if (range.length > to->size)
        range.length = to->size;
    range.is_inside = range.length <= from->size - range.offset;
    expect("trm_copy()",
           trm_copy(thread->streams[index], trm_span_of(to->handle, 0, range.length),
                    trm_span_of(from->handle, range.offset, range.length)),
           predict(is_alive, &range));
    if (is_alive && range.is_inside)
        memcpy(to->bytes, from->bytes + range.offset, range.length);
}

static void compare(const char *what, const struct buffer *buffer, const uint8_t *bytes)
{
    for (uint64_t i = 0; i < buffer->size; i++)
        if (bytes[i] != buffer->bytes[i])
            fuzz_fail("%s: byte %llu of %llu is %u instead of %u", what, (unsigned long long)i,
                      (unsigned long long)buffer->size, bytes[i], buffer->bytes[i]);
}

static void download(struct thread *thread, struct buffer *buffer, uint32_t index)
{
    uint8_t bytes[LARGEST];
    bool is_alive = order(thread, buffer, index);
    expect("trm_download()", trm_download(thread->streams[index], bytes, trm_span_whole(buffer->handle)),
           alive(is_alive));
    if (thread->is_alive[index])
        stream_sync(thread, index);
    if (is_alive)
        compare("a download", buffer, bytes);
}

static void map(struct thread *thread, struct buffer *buffer)
{
    void *address = NULL, *other = NULL;
    expect("trm_buffer_map()", trm_buffer_map(buffer->handle, TRM_MAP_READ | TRM_MAP_WRITE, &address),
           alive(buffer->users != 0));
    if (buffer->users == 0)
        return;
    compare("a mapping", buffer, address);
    expect("a second trm_buffer_map()", trm_buffer_map(buffer->handle, TRM_MAP_READ, &other), TRM_ERROR_BUSY);
    for (uint64_t i = fuzz_take_below(&thread->input, 64); i < buffer->size; i += 1 + i / 2) {
        buffer->bytes[i]        = (uint8_t)(i + buffer->bytes[i] + 1);
        ((uint8_t *)address)[i] = buffer->bytes[i];
    }
    expect("trm_buffer_unmap()", trm_buffer_unmap(buffer->handle), TRM_OK);
    expect("a second trm_buffer_unmap()", trm_buffer_unmap(buffer->handle), TRM_ERROR_INVALID_ARGUMENT);
}

/* A graph of a fill and an upload, launched twice. */
static void use_graph(struct thread *thread, struct buffer *buffer, uint32_t index)
{
    struct trm_graph *graph      = NULL;
    struct trm_graph_exec *exec  = NULL;
    struct trm_stream *recording = NULL;
    if (!order(thread, buffer, index) || buffer->size < 16)
        return;
    expect("trm_graph_create()", trm_graph_create(device, &graph), TRM_OK);
    expect("trm_graph_record()", trm_graph_record(graph, &recording), TRM_OK);
    expect("recording a fill", trm_fill(recording, trm_span_whole(buffer->handle), 0x5a, 1), TRM_OK);
    expect("recording an upload", trm_upload(recording, trm_span_of(buffer->handle, 3, 9), noise), TRM_OK);
    expect("trm_graph_instantiate()", trm_graph_instantiate(graph, &exec), TRM_OK);
    trm_graph_destroy(graph);
    for (int i = 0; i < 2; i++)
        expect("trm_graph_launch()", trm_graph_launch(exec, thread->streams[index]), TRM_OK);
    trm_graph_exec_destroy(exec);
    expect("trm_graph_launch() of a stale handle", trm_graph_launch(exec, thread->streams[index]),
           TRM_ERROR_INVALID_HANDLE);
    memset(buffer->bytes, 0x5a, buffer->size);
    memcpy(buffer->bytes + 3, noise, 9);
}

static void free_in_order(struct thread *thread, struct buffer *buffer, uint32_t index)
{
    if (!order(thread, buffer, index))
        return;
    expect("trm_stream_free()", trm_stream_free(thread->streams[index], buffer->handle),
           buffer->users > 1 ? TRM_ERROR_BUSY : TRM_OK);
    buffer->users -= buffer->users == 1;
}

/* ---- handles of others, and none ------------------------------------------------------------------ */

static void look_at_others(struct thread *thread)
{
    uint32_t other            = fuzz_take_below(&thread->input, THREADS);
    struct trm_buffer *buffer = atomic_load(&shown[other][fuzz_take_below(&thread->input, BUFFERS)]);
    uint64_t size             = 0;
    int32_t kind              = 0;
    if (is_there("trm_buffer_size() of another thread's buffer", trm_buffer_size(buffer, &size)) &&
        size > LARGEST)
        fuzz_fail("another thread's buffer has %llu bytes", (unsigned long long)size);
    if (is_there("trm_buffer_kind() of another thread's buffer", trm_buffer_kind(buffer, &kind)) &&
        kind == 99)
        fuzz_fail("another thread's buffer has the kind %d", (int)kind);
}

/* A changed handle may be that of another object. The calls only look. */
static void invent(struct thread *thread, const struct buffer *buffer)
{
    uint64_t number = fuzz_take_u64(&thread->input);
    uint64_t handle = (uint64_t)(uintptr_t)buffer->handle ^ number >> fuzz_take_below(&thread->input, 64);
    uint64_t value;
    is_there("an invented buffer", trm_buffer_size((struct trm_buffer *)(uintptr_t)handle, &value));
    is_there("an invented device",
             trm_device_get_u64((struct trm_device *)(uintptr_t)handle, TRM_DEVICE_KIND, &value));
    expect("a device as a buffer", trm_buffer_size((struct trm_buffer *)(void *)device, &value),
           TRM_ERROR_INVALID_HANDLE);
    expect("no buffer", trm_buffer_size(NULL, &value), TRM_ERROR_INVALID_HANDLE);
}

/* ---- the threads ---------------------------------------------------------------------------------- */

static void call(struct thread *thread)
{
    uint32_t what         = fuzz_take_byte(&thread->input);
    uint32_t stream       = fuzz_take_below(&thread->input, STREAMS);
    uint32_t index        = fuzz_take_below(&thread->input, BUFFERS);
    struct buffer *buffer = &thread->buffers[index];
    switch (what % 24) {
    case 0:
        stream_destroy(thread, stream);
        break;
    case 1:
        stream_create(thread, stream);
        break;
    case 2:
        stream_sync(thread, stream);
        break;
    case 3:
        stream_callback(thread, stream);
        break;
    case 4:
        use_event(thread, stream);
        break;
    case 5:
        wait_any(thread);
        break;
    case 6:
        buffer_destroy(buffer);
        break;
    case 7:
        buffer_retain(buffer);
        break;
    case 8:
        buffer_look(buffer);
        break;
    case 9:
        upload(thread, buffer, stream);
        break;
    case 10:
        fill(thread, buffer, stream);
        break;
    case 11:
        copy(thread, buffer, &thread->buffers[fuzz_take_below(&thread->input, BUFFERS)], stream);
        break;
    case 12:
        download(thread, buffer, stream);
        break;
    case 13:
        map(thread, buffer);
        break;
    case 14:
        use_graph(thread, buffer, stream);
        break;
    case 15:
        free_in_order(thread, buffer, stream);
        break;
    case 16:
        look_at_others(thread);
        break;
    case 17:
        invent(thread, buffer);
        break;
    case 18:
    case 19:
    case 20:
        api_images_call(&thread->images, device, thread->streams[stream], thread->is_alive[stream],
                        &thread->input);
        break;
    case 21:
        if (fuzz_take_byte(&thread->input) % 16 == 15) /* it takes milliseconds */
            api_run_program(context, &thread->input);
        break;
    default:
        buffer_create(thread, index);
        break;
    }
}

static void *run(void *user)
{
    struct thread *thread = user;
    for (uint32_t i = 0; i < STREAMS; i++)
        stream_create(thread, i);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < CALLS && !fuzz_is_empty(&thread->input); i++)
        call(thread);
    for (int i = 0; i < BUFFERS; i++)
        while (thread->buffers[i].users != 0)
            buffer_destroy(&thread->buffers[i]);
    api_images_end(&thread->images);
    for (uint32_t i = 0; i < STREAMS; i++)
        stream_destroy(thread, i);
    for (int i = 0; i < BUFFERS; i++)
        buffer_look(&thread->buffers[i]);
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct trm_device_usage usage = {.struct_size = sizeof(usage)};
    uint64_t value;
    expect("trm_context_create()", trm_context_create(NULL, &context), TRM_OK);
    expect("trm_device_open()", trm_device_open(context, NULL, &device), TRM_OK);
    memset(threads, 0, sizeof(threads));
    for (int i = 0; i < THREADS; i++) {
        threads[i].input = (struct fuzz_input){bytes + size / THREADS * (size_t)i, size / THREADS};
        for (int k = 0; k < BUFFERS; k++)
            atomic_store(&shown[i][k], NULL);
    }
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i].id, NULL, run, &threads[i]) != 0)
            fuzz_fail("a thread cannot be started");
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i].id, NULL);
    expect("trm_device_get_usage()", trm_device_get_usage(device, &usage), TRM_OK);
    if (usage.streams + usage.events + usage.buffers != 0)
        fuzz_fail("%u streams, %u events and %u buffers are left", usage.streams, usage.events,
                  usage.buffers);
    trm_device_destroy(device);
    expect("a stale device", trm_device_get_u64(device, TRM_DEVICE_KIND, &value), TRM_ERROR_INVALID_HANDLE);
    trm_context_destroy(context);
    expect("a device of a stale context", trm_device_get_u64(device, TRM_DEVICE_KIND, &value),
           TRM_ERROR_INVALID_HANDLE);
    return 0;
}
