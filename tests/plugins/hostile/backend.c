/* The hostile backend: its control, its query, devices and memory.
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <string.h>

#include "backends/template/template.h"
#include "hostile.h"

enum {
    DEVICES = 2,
    NOTED   = 256,
    KEYS    = 32
};

/* The template's query, renamed when its sources are compiled for us. */
const struct trm_backend *template_query(const struct trm_host *host, uint32_t min_minor, uint32_t max_minor);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the five below */
static struct hostile_answer answers[HOSTILE_SLOT_COUNT];
static struct noted {
    struct trm_backend_memory *memory; /* NULL: none */
    enum hostile_memory_state state;
} noted[NOTED];
static bool has_refused_stream;
static bool has_property[KEYS];
static uint64_t properties[KEYS];

static struct trm_backend backend_table;
static struct trm_device_ops device_table;
static struct trm_memory_ops memory_table;
static struct trm_stream_ops stream_table;
static struct trm_module_ops module_table;
static struct trm_profile_ops profile_table;
static struct trm_pool_ops pool_table;
static struct trm_peer_ops peer_table;
static struct trm_collective_ops collective_table;
static struct trm_graph_ops graph_table;
static struct trm_interop_ops interop_table;
static struct trm_range_ops range_table;
static struct trm_image_ops image_table;

const struct trm_backend *hostile_template(void)
{
    return template_query(NULL, 0, 0);
}

struct hostile_answer hostile_begin(enum hostile_slot slot)
{
    pthread_mutex_lock(&lock);
    struct hostile_answer answer = answers[slot];
    pthread_mutex_unlock(&lock);
    if (hostile_control.draw != NULL)
        hostile_control.draw(slot, &answer);
    return answer;
}

uint64_t hostile_number(const struct hostile_answer *answer, uint64_t honest)
{
    return answer->lies ? answer->number : honest;
}

bool hostile_property(uint32_t key, uint64_t *value)
{
    pthread_mutex_lock(&lock);
    bool has = key < KEYS && has_property[key];
    if (has)
        *value = properties[key];
    pthread_mutex_unlock(&lock);
    return has;
}

/* ---- the backend ---------------------------------------------------------------------------------- */

static int32_t probe(const struct trm_host *host, int32_t *score, char *reason, uint64_t capacity)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_PROBE);
    if (answer.status != TRM_OK)
        return answer.status;
    int32_t status = hostile_template()->probe(host, score, reason, capacity);
    *score         = (int32_t)hostile_number(&answer, (uint64_t)*score);
    return status;
}

static int32_t open_instance(const struct trm_host *host, struct trm_backend_instance **instance)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_OPEN);
    return answer.status != TRM_OK ? answer.status : hostile_template()->open(host, instance);
}

static void close_instance(struct trm_backend_instance *instance)
{
    hostile_template()->close(instance);
}

static const void *get_extension(const char *name, uint32_t version)
{
    return strcmp(name, TRM_RANGE_EXTENSION) == 0 && version == 1 ? &range_table : NULL;
}

/* ---- devices -------------------------------------------------------------------------------------- */

static int32_t device_count(struct trm_backend_instance *instance, uint32_t *count)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_DEVICE_COUNT);
    (void)instance;
    if (answer.status != TRM_OK)
        return answer.status;
    if (!answer.writes_nothing)
        *count = (uint32_t)hostile_number(&answer, DEVICES);
    return TRM_OK;
}

static int32_t get_property(struct trm_backend_instance *instance, uint32_t index, uint32_t key, void *value,
                            uint64_t capacity, uint64_t *needed)
{
    uint64_t number = 0; /* TRM_DEVICE_SYNCHRONOUS too: the library is to track what is in flight */
    if (hostile_property(key, &number) || key == TRM_DEVICE_SYNCHRONOUS)
        return trm_util_answer(instance->host, &number, sizeof(number), value, capacity, needed);
    return hostile_template()->device->get_info(instance, index, key, value, capacity, needed);
}

static int32_t device_get_info(struct trm_backend_instance *instance, uint32_t index, uint32_t key,
                               void *value, uint64_t capacity, uint64_t *needed)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_DEVICE_GET_INFO);
    if (answer.status != TRM_OK) {
        *needed = hostile_number(&answer, 0);
        return answer.status;
    }
    if (answer.writes_nothing) {
        if (value != NULL)
            memset(value, 'x', capacity);
        *needed = hostile_number(&answer, capacity);
        return TRM_OK;
    }
    int32_t status = get_property(instance, index, key, value, capacity, needed);
    *needed        = hostile_number(&answer, *needed);
    return status;
}

static int32_t device_open(struct trm_backend_instance *instance, uint32_t index,
                           struct trm_backend_device **device)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_DEVICE_OPEN);
    return answer.status != TRM_OK ? answer.status
                                   : hostile_template()->device->open(instance, index, device);
}

void hostile_memory_note(struct trm_backend_memory *memory, enum hostile_memory_state state)
{
    pthread_mutex_lock(&lock);
    int place = 0;
    while (place < NOTED - 1 && noted[place].memory != memory)
        place++;
    if (noted[place].memory != memory)
        for (place = 0; place < NOTED - 1 && noted[place].memory != NULL;)
            place++;
    if (state != HOSTILE_MEMORY_FREED)
        noted[place] = (struct noted){memory, state};
    else if (noted[place].memory == memory)
        noted[place] = (struct noted){.memory = NULL};
    pthread_mutex_unlock(&lock);
}

void hostile_stream_refused(void)
{
    pthread_mutex_lock(&lock);
    has_refused_stream = true;
    pthread_mutex_unlock(&lock);
}

static void device_close(struct trm_backend_device *device)
{
    for (int i = 0; i < NOTED; i++) {
        struct noted note = noted[i];
        if (note.memory == NULL || note.memory->device != device)
            continue;
        noted[i] = (struct noted){.memory = NULL};
        if (note.state == HOSTILE_MEMORY_KEPT || has_refused_stream)
            hostile_template()->memory->free(note.memory);
    }
    hostile_template()->device->close(device);
}

static const struct trm_device_ops device_ops = {
    .struct_size = sizeof(device_ops),
    .count       = device_count,
    .get_info    = device_get_info,
    .open        = device_open,
    .close       = device_close,
};

/* ---- memory --------------------------------------------------------------------------------------- */

static int32_t memory_allocate(struct trm_backend_device *device, const struct trm_memory_desc *desc,
                               struct trm_backend_memory **memory)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_MEMORY_ALLOCATE);
    if (answer.status != TRM_OK || answer.writes_nothing)
        return answer.status;
    return hostile_template()->memory->allocate(device, desc, memory);
}

static void memory_free(struct trm_backend_memory *memory)
{
    hostile_template()->memory->free(memory);
}

static int32_t memory_host_pointer(struct trm_backend_memory *memory, void **pointer)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_MEMORY_HOST_POINTER);
    if (answer.status != TRM_OK || answer.writes_nothing)
        return answer.status;
    return hostile_template()->memory->host_pointer(memory, pointer);
}

static const struct trm_memory_ops memory_ops = {
    .struct_size  = sizeof(memory_ops),
    .allocate     = memory_allocate,
    .free         = memory_free,
    .host_pointer = memory_host_pointer,
};

/* ---- the control ---------------------------------------------------------------------------------- */

static void control_set(enum hostile_slot slot, struct hostile_answer answer)
{
    pthread_mutex_lock(&lock);
    answers[slot] = answer;
    pthread_mutex_unlock(&lock);
}

static void control_set_property(uint32_t key, uint64_t value)
{
    pthread_mutex_lock(&lock);
    has_property[key] = true;
    properties[key]   = value;
    pthread_mutex_unlock(&lock);
}

static void control_reset(void)
{
    pthread_mutex_lock(&lock);
    memset(answers, 0, sizeof(answers));
    memset(has_property, 0, sizeof(has_property));
    has_refused_stream = false;
    pthread_mutex_unlock(&lock);
    hostile_control.draw        = NULL;
    hostile_control.parameters  = NULL;
    hostile_control.kernel_name = NULL;
    hostile_control.launched    = NULL;

    device_table     = device_ops;
    memory_table     = memory_ops;
    stream_table     = hostile_stream_ops;
    module_table     = hostile_module_ops;
    profile_table    = hostile_profile_ops;
    pool_table       = hostile_pool_ops;
    peer_table       = hostile_peer_ops;
    graph_table      = hostile_graph_ops;
    interop_table    = hostile_interop_ops;
    range_table      = hostile_range_ops;
    image_table      = hostile_image_ops;
    collective_table = hostile_collective_ops;
    backend_table    = (struct trm_backend){
           .struct_size   = sizeof(backend_table),
           .abi_minor     = TRM_BACKEND_ABI_MINOR,
           .name          = "hostile",
           .version       = "1.0",
           .description   = "the template backend, which answers what a test says",
           .probe         = probe,
           .open          = open_instance,
           .close         = close_instance,
           .device        = &device_table,
           .memory        = &memory_table,
           .stream        = &stream_table,
           .module        = &module_table,
           .graph         = &graph_table,
           .pool          = &pool_table,
           .peer          = &peer_table,
           .interop       = &interop_table,
           .profile       = &profile_table,
           .get_extension = get_extension,
           .image         = &image_table,
           .collective    = &collective_table,
    };
}

struct hostile_control hostile_control = {
    .set          = control_set,
    .set_property = control_set_property,
    .reset        = control_reset,
    .backend      = &backend_table,
    .device       = &device_table,
    .memory       = &memory_table,
    .stream       = &stream_table,
    .module       = &module_table,
    .profile      = &profile_table,
    .pool         = &pool_table,
    .peer         = &peer_table,
    .graph        = &graph_table,
    .interop      = &interop_table,
    .range        = &range_table,
    .image        = &image_table,
    .collective   = &collective_table,
};

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    (void)host;
    (void)min_minor;
    (void)max_minor;
    if (backend_table.struct_size == 0)
        control_reset();
    return &backend_table;
}
