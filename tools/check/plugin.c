/* Trireme: `trireme check --plugin` looks at the tables of a plugin.
 *
 * The core has loaded the plugin before, in another process, and found its tables complete. Here its query is
 * called again, which opens no driver, to see which optional slots it leaves to the core.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/check.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <trireme/backend.h>

/* An optional slot or table, and what the core does without it. */
struct slot {
    size_t offset;
    const char *name;
    const char *without;
};

#define SLOT(table, member, text)                                 \
    {                                                             \
        offsetof(struct trm_##table##_ops, member), #member, text \
    }

static const struct slot device_slots[] = {
    SLOT(device, check_loss, "a stream that fails with another device's loss loses its own device, too"),
};

static const struct slot memory_slots[] = {
    SLOT(memory, host_pointer, "no memory is shared with the host: mapping copies, only device memory"),
    SLOT(memory, address, "kernels take no addresses"),
};

static const struct slot stream_slots[] = {
    SLOT(stream, copy_2d, "rows are copied one by one"),
    SLOT(stream, fill, "fills are copies from a pattern on the host"),
    SLOT(stream, mark, "every operation is waited for precisely"),
    SLOT(stream, wait_stream, "streams wait for each other through gates, or on the host"),
    SLOT(stream, gate, "callbacks and waits for other devices block the calling thread"),
    SLOT(stream, prefetch, "prefetching does nothing"),
    SLOT(stream, flush, "enqueueing submits"),
    SLOT(stream, wait_any, "waiting for any of several streams uses notifications"),
    SLOT(stream, notify, "a thread blocks for every notification"),
    SLOT(stream, abandon, "streams whose callbacks cannot be served are waited for"),
};

static const struct slot module_slots[] = {
    SLOT(module, kernel_name, "messages do not list the kernels of a module"),
    SLOT(module, build, "trireme kc writes no code for it"),
};

#define TABLE(member, text)                                 \
    {                                                       \
        offsetof(struct trm_backend, member), #member, text \
    }

static const struct slot tables[] = {
    TABLE(graph, "graphs are enqueued operation by operation"),
    TABLE(pool, "the core allocates in stream order"),
    TABLE(peer, "copies between its devices go through the host"),
    TABLE(interop, "nothing is shared with the driver's own interface, or with other processes"),
    TABLE(profile, "times are those of the host's clock"),
    TABLE(get_extension, "no extensions"),
    TABLE(image, "images are plain memory"),
    TABLE(resident, "no kernels stay on the device"),
    TABLE(collective, "collectives use kernels and copies"),
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* True if the slot is in the table as the plugin knows it, and set. */
static bool has_slot(const void *table, const struct slot *slot)
{
    uint32_t size;
    void *value;

    memcpy(&size, table, sizeof(size)); /* every table begins with struct_size */
    if (slot->offset + sizeof(value) > size)
        return false;
    memcpy(&value, (const char *)table + slot->offset, sizeof(value));
    return value != NULL;
}

static void report_slots(struct report *report, const char *topic, const void *table,
                         const struct slot *slots, size_t count)
{
    size_t missing = 0;

    for (size_t i = 0; i < count; i++) {
        if (has_slot(table, &slots[i]))
            continue;
        missing++;
        report_add(report, FINDING_ABSENT, topic, NULL, "%s is not there: %s", slots[i].name,
                   slots[i].without);
    }
    if (missing < count)
        report_add(report, FINDING_OK, topic, NULL, "%zu of %zu optional %s are there", count - missing,
                   count, strcmp(topic, "tables") == 0 ? "tables" : "functions");
}

static void no_log(void *context, int32_t level, const char *message)
{
    (void)context;
    (void)level;
    (void)message;
}

static void report_backend(struct report *report, const struct trm_backend *backend)
{
    report_add(report, FINDING_OK, "ABI", NULL,
               "%s %s was compiled for version %d.%u, this library has %d.%d", backend->name,
               backend->version, TRM_BACKEND_ABI_MAJOR, backend->abi_minor, TRM_BACKEND_ABI_MAJOR,
               TRM_BACKEND_ABI_MINOR);
    report_slots(report, "tables", backend, tables, COUNT(tables));
    report_slots(report, "device", backend->device, device_slots, COUNT(device_slots));
    report_slots(report, "memory", backend->memory, memory_slots, COUNT(memory_slots));
    report_slots(report, "stream", backend->stream, stream_slots, COUNT(stream_slots));
    report_slots(report, "module", backend->module, module_slots, COUNT(module_slots));
}

void check_tables_job(struct report *report, void *user)
{
    const struct check *check = user;
    /* A query may use log() alone. */
    static const struct trm_host host = {
        .struct_size = sizeof(host), .abi_minor = TRM_BACKEND_ABI_MINOR, .log = no_log};
    const struct trm_backend *backend = NULL;
    void *library                     = dlopen(check->options.plugin, RTLD_NOW | RTLD_LOCAL);
    union {
        void *address;
        trm_backend_query_fn function;
    } query = {.address = library ? dlsym(library, TRM_BACKEND_QUERY_SYMBOL) : NULL};

    report_begin(report, "reading its tables");
    if (query.address)
        backend = query.function(&host, 0, TRM_BACKEND_ABI_MINOR);
    if (backend)
        report_backend(report, backend);
    else
        report_add(report, FINDING_FAILED, "ABI", "The query must answer every time that it is called.",
                   "%s gives no table when it is called again", TRM_BACKEND_QUERY_SYMBOL);
}

void check_plugin(struct check *check)
{
    bool is_complete = check_survey(check);

    if (check->survey->is_plugin_readable)
        apart_run(&check->apart, "Tables", "plugin", check_tables_job, check);
    if (is_complete)
        check_devices(check);
}
