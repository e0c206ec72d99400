/* cpu backend: the exported query, the probe, opening and closing instances.
 *
 * The rooms, each of which includes only those before it:
 *
 *     machine/  what the machine is: facts, a cheap clock, copies and fills
 *     device/   instances, the device, memory
 *     module/   modules and kernels: tables of C functions, shared objects, the C compiler
 *     stream/   streams, the operations on them, and the worker threads that run them
 *
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/device/device.h"
#include "backends/cpu/module/module.h"
#include "backends/cpu/stream/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCORE 100
#define SPIN_US 12u /* as long as waking a sleeping thread takes */
#define MOST_SPIN_US 1000u

static int32_t backend_probe(const struct trm_host *host, int32_t *score, char *reason, uint64_t capacity)
{
    (void)host;
    if (capacity > 0)
        reason[0] = '\0';
    *score = SCORE;
    return TRM_OK;
}

/* The value of a setting that is a whole number, at most `most`; `otherwise` where the host does not know
 * it. */
static uint32_t number_setting(const struct trm_host *host, const char *name, uint32_t most,
                               uint32_t otherwise)
{
    char text[32];
    uint64_t needed = 0;
    if (host->get_setting(host->context, name, text, sizeof(text), &needed) != TRM_OK)
        return otherwise;
    unsigned long long number = strtoull(text, NULL, 10);
    return number < most ? (uint32_t)number : most;
}

/* The launch at which cpu.lose ("1@20", "0@40,1@20") has a device lost, or 0. The text has been checked. */
static uint64_t lost_at(const struct trm_host *host, uint32_t device)
{
    char text[256];
    uint64_t needed = 0, launch = 0;
    if (host->get_setting(host->context, "cpu.lose", text, sizeof(text), &needed) != TRM_OK)
        return 0;
    for (char *at = text; *at != '\0' && launch == 0; at += *at == ',') {
        bool is_it                = strtoull(at, &at, 10) == device;
        unsigned long long number = *at == '@' ? strtoull(at + 1, &at, 10) : 0;
        launch                    = is_it ? number : 0;
        if (*at != ',')
            break;
    }
    return launch;
}

/* A device that does not exist is never lost. The text has been checked. */
static void warn_of_losses(const struct trm_backend_instance *instance)
{
    const struct trm_host *host = instance->host;
    char text[256], line[192];
    uint64_t needed = 0;
    if (host->get_setting(host->context, "cpu.lose", text, sizeof(text), &needed) != TRM_OK)
        return;
    for (const char *at = text; at != NULL && *at != '\0';) {
        unsigned long device = strtoul(at, NULL, 10);
        if (device >= instance->device_count) {
            snprintf(line, sizeof(line),
                     "cpu.lose names cpu:%lu, which does not exist, so it is never lost: the cpu backend has "
                     "%u device%s (the setting cpu.devices)",
                     device, instance->device_count, instance->device_count == 1 ? "" : "s");
            host->log(host->context, TRM_LOG_WARNING, line);
        }
        at = strchr(at, ',');
        at = at == NULL ? NULL : at + 1;
    }
}

static void close_schedulers(struct trm_backend_instance *instance)
{
    for (uint32_t i = 0; i < instance->device_count; i++)
        cpu_scheduler_destroy(instance->schedulers[i]);
    pthread_mutex_destroy(&instance->lock);
}

/* Divides the workers among the devices, which have at least one each. */
static int32_t open_schedulers(struct trm_backend_instance *instance)
{
    const struct trm_host *host = instance->host;
    uint32_t devices            = number_setting(host, "cpu.devices", CPU_MAX_DEVICES, 1);
    uint32_t workers            = number_setting(host, "cpu.workers", CPU_MAX_WORKERS, 0);
    uint32_t spin_us            = number_setting(host, "cpu.spin", MOST_SPIN_US, SPIN_US);
    uint32_t processors         = cpu_processor_count();
    int32_t status              = TRM_OK;

    if (workers == 0)
        workers = processors < CPU_MAX_WORKERS ? processors : CPU_MAX_WORKERS;
    if (devices == 0)
        devices = 1;
    cpu_scheduler_lock_init(&instance->lock);
    for (uint32_t i = 0; status == TRM_OK && i < devices; i++) {
        uint32_t share             = workers / devices + (i < workers % devices ? 1 : 0);
        instance->worker_counts[i] = share > 0 ? share : 1;
        status =
            cpu_scheduler_create(instance, instance->worker_counts[i], spin_us, &instance->schedulers[i]);
        if (status == TRM_OK) {
            struct cpu_loss *loss = &instance->losses[i];
            loss->launch          = lost_at(host, i);
            atomic_init(&loss->launches, 0);
            instance->schedulers[i]->loss = loss->launch != 0 ? loss : NULL;
            instance->device_count++;
        }
    }
    if (status != TRM_OK)
        close_schedulers(instance);
    else
        warn_of_losses(instance);
    return status;
}

static int32_t backend_open(const struct trm_host *host, struct trm_backend_instance **result)
{
    struct trm_backend_instance *instance = trm_util_allocate(host, sizeof(*instance));
    if (instance == NULL)
        return trm_util_fail_host_memory(host, "the cpu backend");
    instance->host           = host;
    instance->physical_bytes = cpu_physical_bytes();
    instance->device_count   = 0;
    cpu_clock_init(&instance->clock);
    if (!cpu_live_init(&instance->live)) {
        trm_util_release(host, instance, sizeof(*instance));
        return trm_util_fail_host_memory(host, "the cpu backend");
    }
    int32_t status = open_schedulers(instance);
    if (status != TRM_OK) {
        cpu_live_fini(host, &instance->live);
        trm_util_release(host, instance, sizeof(*instance));
        return status;
    }
    *result = instance;
    return TRM_OK;
}

static void backend_close(struct trm_backend_instance *instance)
{
    close_schedulers(instance);
    cpu_live_fini(instance->host, &instance->live);
    trm_util_release(instance->host, instance, sizeof(*instance));
}

/* The workers are threads that stay and poll a queue in memory for a while before they sleep (cpu.spin): a
 * graph on any stream is a resident one. */
static const struct trm_resident_ops cpu_resident_ops = {
    .struct_size = sizeof(cpu_resident_ops),
    .stream      = &cpu_stream_ops,
    .graph       = &cpu_graph_ops,
};

static const struct trm_backend cpu_backend = {
    .struct_size = sizeof(cpu_backend),
    .abi_minor   = TRM_BACKEND_ABI_MINOR,
    .name        = "cpu",
    .version     = "0.1.0",
    .description = "The processors of this machine, through a pool of threads.",
    .probe       = backend_probe,
    .open        = backend_open,
    .close       = backend_close,
    .device      = &cpu_device_ops,
    .memory      = &cpu_memory_ops,
    .stream      = &cpu_stream_ops,
    .module      = &cpu_module_ops,
    .graph       = &cpu_graph_ops,
    .profile     = &cpu_profile_ops,
    .resident    = &cpu_resident_ops,
};

/* A newer core works with this backend. Only a core that requires a later minor is refused. */
const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    (void)host;
    (void)max_minor;
    return min_minor > TRM_BACKEND_ABI_MINOR ? NULL : &cpu_backend;
}
