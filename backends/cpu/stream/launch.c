/* cpu backend: running kernels.
 *
 * The cost of a group is measured and kept with the kernel, so that small launches run in one piece and large
 * ones in parts of some twenty microseconds. A kernel that has never run is tried on a few groups first.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/stream/launch.h"

#include "backends/cpu/stream/job.h"

#include <string.h>

#define SPLIT_US 25u /* from this cost on, launches run on several threads */
#define PART_US 20u
#define TRIAL_US 3u
#define MEASURE_EVERY 16u /* launches of a single cheap group: measures one in so many */

/* ---- cost */

static uint64_t scaled(uint64_t ticks_per_group, uint64_t groups)
{
    uint64_t ticks;
    return __builtin_mul_overflow(ticks_per_group, groups, &ticks) ? UINT64_MAX >> 8 : ticks >> 8;
}

static uint64_t load_cost(const struct trm_backend_kernel *kernel)
{
    return atomic_load_explicit(&kernel->ticks_per_group, memory_order_relaxed);
}

uint32_t cpu_launch_cost(const struct trm_backend_kernel *kernel, const struct cpu_op *op)
{
    uint64_t per_group = load_cost(kernel);
    if (per_group == 0)
        return CPU_COST_UNKNOWN;
    uint64_t ticks = scaled(per_group, cpu_launch_groups(op));
    uint64_t rate  = cpu_clock_rate(&kernel->module->instance->clock);
    uint64_t us    = ticks / rate;
    return us >= 4000000 ? CPU_COST_UNKNOWN - 1 : (uint32_t)(ticks * 1000 / rate);
}

/* A moving mean. A single bad measurement, of a thread that was preempted, weighs little. */
static void record(struct trm_backend_kernel *kernel, uint64_t ticks, uint64_t groups)
{
    if (groups == 0)
        return;
    uint64_t sample = (ticks < UINT64_MAX >> 8 ? ticks << 8 : UINT64_MAX >> 8) / groups + 1;
    uint64_t old    = load_cost(kernel);
    if (old != 0) {
        sample = sample < old * 4 ? sample : old * 4;
        sample = old - old / 4 + sample / 4 + 1;
    }
    atomic_store_explicit(&kernel->ticks_per_group, sample, memory_order_relaxed);
}

/* ---- running groups */

static bool find_scratch(struct cpu_session *session, uint64_t bytes, struct cpu_scratch **found)
{
    struct cpu_scratch *scratch = &session->scheduler->scratch[session->token];
    *found                      = scratch;
    if (scratch->size >= bytes)
        return true;
    trm_util_release(session->scheduler->instance->host, scratch->data, scratch->size);
    scratch->data = cpu_allocate(session->scheduler->instance, bytes);
    scratch->size = scratch->data ? bytes : 0;
    return scratch->data != NULL;
}

/* The order is: the kernel's own shared memory, its scratch memory, then the shared memory that the launch
 * adds. */
static uint64_t scratch_bytes(const struct trm_cpu_kernel *kernel, uint32_t more)
{
    uint64_t bytes = kernel->shared_bytes;
    if (kernel->scratch_bytes != 0)
        bytes = ((bytes + CPU_LINE - 1) & ~(uint64_t)(CPU_LINE - 1)) + kernel->scratch_bytes;
    return bytes + more;
}

/* The words of the sentence that follow the place of a fault. */
static const char *line_hint(const struct trm_cpu_fault *fault)
{
    if (fault->where[0] != '\0')
        return ").";
    return ". The shader has no line numbers: compile it with debug information (glslc -g) to see the line.";
}

/* What only some work-items of a group do, of a kernel with checks of barriers; NULL for other faults. */
static const char *barrier_words(const struct trm_cpu_fault *fault)
{
    static const char *const words[][2] = {
        {"barrier", "come to a barrier, since the others have left before it"},
        {"round", "are left in a loop at its barrier, since the others have left it"},
        {"branch", "take a branch that has a barrier"},
        {"case", "take a case of a switch that has a barrier"},
        {"loop", "take a branch that leaves a loop with a barrier"},
    };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(fault->what, words[i][0]) == 0)
            return words[i][1];
    return NULL;
}

static struct cpu_failure *describe_barrier(const struct trm_backend_module *module, const char *name,
                                            const struct trm_cpu_fault *fault)
{
    return cpu_failure_create(
        module->instance, TRM_ERROR_KERNEL, 1,
        "Kernel '%.80s' failed: only %lld of the %llu work-items of a group %s%s%.120s%s", name,
        (long long)fault->index, (unsigned long long)fault->size, barrier_words(fault),
        fault->where[0] != '\0' ? " (" : "", fault->where, line_hint(fault));
}

/* The failure of a kernel that returned `code`. Kernels of the translator return 1 after an access outside of
 * a variable, and 2 for a grid that is too large. */
static struct cpu_failure *describe(const struct trm_backend_module *module, const char *name, int32_t code)
{
    const struct trm_cpu_fault *fault = code == 1 && module->fault != NULL ? module->fault() : NULL;
    if (fault != NULL && fault->what != NULL && fault->where != NULL && barrier_words(fault) != NULL)
        return describe_barrier(module, name, fault);
    if (fault != NULL && fault->what != NULL && fault->where != NULL)
        return cpu_failure_create(module->instance, TRM_ERROR_KERNEL, code,
                                  "Kernel '%.80s' failed: it used index %lld of %.160s, whose size is %llu"
                                  "%s%.120s%s",
                                  name, (long long)fault->index, fault->what, (unsigned long long)fault->size,
                                  fault->where[0] != '\0' ? " (" : "", fault->where, line_hint(fault));
    const char *meaning = !module->is_translated ? ""
                          : code == 1            ? ": it reached outside of a variable"
                          : code == 2            ? ": it has more work-items in x than 32 bits count"
                                                 : "";
    return cpu_failure_create(module->instance, TRM_ERROR_KERNEL, code, "Kernel '%s' failed with code %d%s.",
                              name, code, meaning);
}

/* A kernel with checks of addresses gets the table of buffers. False without memory for that. */
static bool call_with_live(struct cpu_session *session, const struct cpu_op *op,
                           const struct trm_cpu_groups *groups, int32_t *code)
{
    const struct trm_cpu_kernel *kernel   = &op->launch.kernel->source;
    struct trm_backend_instance *instance = session->scheduler->instance;
    struct cpu_live_table *table          = NULL;
    if (op->launch.kernel->module->live != NULL) {
        table = cpu_live_acquire(instance->host, &instance->live);
        if (table == NULL)
            return false;
        op->launch.kernel->module->live(table->buffers, table->count);
    }
    *code = kernel->function(groups, op->launch.block);
    if (table != NULL)
        cpu_live_release(instance->host, &instance->live, table);
    return true;
}

static struct cpu_failure *call_kernel(struct cpu_session *session, const struct cpu_op *op, uint64_t begin,
                                       uint64_t end)
{
    const struct trm_cpu_kernel *kernel = &op->launch.kernel->source;
    uint64_t bytes                      = scratch_bytes(kernel, op->launch.shared_bytes);
    struct cpu_scratch *scratch;
    if (!find_scratch(session, bytes, &scratch))
        return cpu_failure_create(session->scheduler->instance, TRM_ERROR_OUT_OF_HOST_MEMORY, 0,
                                  "There is no host memory for the %llu shared bytes of kernel '%s'.",
                                  (unsigned long long)bytes, kernel->name);
    struct trm_cpu_groups groups = {
        .struct_size   = sizeof(groups),
        .worker        = session->token,
        .begin         = begin,
        .end           = end,
        .groups        = {op->launch.groups[0], op->launch.groups[1], op->launch.groups[2]},
        .group_size    = {op->launch.group_size[0], op->launch.group_size[1], op->launch.group_size[2]},
        .scratch       = scratch->data,
        .scratch_bytes = bytes,
    };
    int32_t code = 0;
    if (!call_with_live(session, op, &groups, &code))
        return cpu_failure_create(session->scheduler->instance, TRM_ERROR_OUT_OF_HOST_MEMORY, 0,
                                  "There is no host memory for the table of buffers that kernel '%s' checks.",
                                  kernel->name);
    if (code == 0)
        return NULL;
    return describe(op->launch.kernel->module, kernel->name, code);
}

struct cpu_failure *cpu_launch_part(struct cpu_session *session, const struct cpu_op *op, uint64_t begin,
                                    uint64_t end)
{
    uint64_t start              = cpu_ticks();
    struct cpu_failure *failure = call_kernel(session, op, begin, end);
    record(op->launch.kernel, cpu_ticks() - start, end - begin);
    return failure;
}

/* ---- splitting */

/* Run one group, two, four, …, until their cost is known. Returns how many were run. */
static uint64_t try_out(struct cpu_session *session, const struct cpu_op *op, uint64_t groups,
                        struct cpu_failure **failure)
{
    uint64_t limit = TRIAL_US * cpu_clock_rate(&session->scheduler->instance->clock);
    uint64_t start = cpu_ticks(), spent = 0, done = 0;
    while (done < groups && spent < limit && *failure == NULL) {
        uint64_t count = done == 0 ? 1 : done < groups - done ? done : groups - done;
        *failure       = call_kernel(session, op, done, done + count);
        done += count;
        spent = cpu_ticks() - start;
    }
    record(op->launch.kernel, spent, done);
    return done;
}

/* How many groups make a part; `groups` or more where parts do not pay. */
static uint64_t part_of(const struct cpu_session *session, const struct trm_backend_kernel *kernel,
                        uint64_t groups)
{
    uint64_t workers = session->scheduler->size, share = groups / (workers * 8) + 1;
    uint64_t grain = kernel->source.grain;
    if (grain != 0)
        return groups < 2 * grain ? groups : share > grain ? share : grain;
    uint64_t per_group = load_cost(kernel), rate = cpu_clock_rate(&session->scheduler->instance->clock);
    if (scaled(per_group, groups) < SPLIT_US * rate)
        return groups;
    uint64_t part = (PART_US * rate << 8) / per_group + 1;
    return part < share ? part : share;
}

static bool should_measure(struct trm_backend_kernel *kernel, const struct cpu_op *op)
{
    if (op->cost > CPU_COSTLY_NS)
        return true;
    uint32_t launches = atomic_load_explicit(&kernel->launches, memory_order_relaxed);
    atomic_store_explicit(&kernel->launches, launches + 1, memory_order_relaxed);
    return launches % MEASURE_EVERY == 0;
}

/* Counts a launch on a device that the setting cpu.lose names: that of the stream, which a thread of another
 * device may run. The failure is NULL until its launch comes. */
static struct cpu_failure *count_losing_launch(struct cpu_scheduler *scheduler)
{
    struct trm_backend_instance *instance = scheduler->instance;
    struct cpu_loss *loss                 = scheduler->loss;
    if (atomic_fetch_add(&loss->launches, 1) + 1 < loss->launch)
        return NULL;
    return cpu_failure_create(instance, TRM_ERROR_DEVICE_LOST, 0, CPU_LOSS_SENTENCE,
                              (unsigned)(loss - instance->losses), (unsigned long long)loss->launch);
}

bool cpu_launch_run(struct cpu_session *session, struct trm_backend_stream *stream, const struct cpu_op *op,
                    struct cpu_failure **failure)
{
    struct trm_backend_kernel *kernel = op->launch.kernel;
    uint64_t groups = cpu_launch_groups(op), begin = 0;
    if (stream->scheduler->loss != NULL && (*failure = count_losing_launch(stream->scheduler)) != NULL)
        return true;
    if (groups == 1) {
        *failure =
            should_measure(kernel, op) ? cpu_launch_part(session, op, 0, 1) : call_kernel(session, op, 0, 1);
        return true;
    }
    if (session->scheduler->size > 1) {
        if (kernel->source.grain == 0 && load_cost(kernel) == 0)
            begin = try_out(session, op, groups, failure);
        if (begin == groups || *failure != NULL)
            return true;
        uint64_t part = part_of(session, kernel, groups - begin);
        if (part < groups - begin)
            return cpu_job_run(session, stream, op, begin, groups, part, failure);
    }
    *failure = cpu_launch_part(session, op, begin, groups);
    return true;
}
