/* Which way a call takes: root for small sums; else the fastest in the first calls of its kind, size and
 * number of spans.
 *
 * A measured call lies between two time stamps on the first device's stream. They are read by a later call,
 * when they have passed, so that nothing waits for them.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "pipeline/collective/collective.h"

/* How often a way is tried, of which the shortest time counts. */
#define TRIES 3
/* Up to this size one-shot comes first, before anything is measured. */
#define SMALL_BYTES (UINT64_C(256) << 10)
/* Up to this size sums take the way root. The time of a sum is then that of the host's calls of the driver,
 * of which root has the fewest, and of a wait for another device; time stamps on one stream see neither. */
#define ROOT_BYTES (UINT64_C(128) << 10)
/* Below this size a kernel that reads the peers' memory is faster than what NCCL launches, and NCCL takes
 * memory for itself. */
#define NATIVE_BYTES (UINT64_C(64) << 10)

static const char *const way_names[PIPELINE_WAYS] = {
    [PIPELINE_WAY_ONE_SHOT] = "one-shot", [PIPELINE_WAY_TWO_SHOT] = "two-shot",
    [PIPELINE_WAY_ROOT] = "root",         [PIPELINE_WAY_COPIES] = "copies",
    [PIPELINE_WAY_HOST] = "host",         [PIPELINE_WAY_NATIVE] = "nccl",
};

int32_t pipeline_way_parse(const char *text)
{
    for (int32_t way = 0; way < PIPELINE_WAYS; way++)
        if (strcmp(text, way_names[way]) == 0)
            return way;
    return -1;
}

/* ---- what is possible ----------------------------------------------------------------------- */

/* NULL: it may. */
static const char *why_not_native(const struct pipeline_collective *collective,
                                  const struct pipeline_call *call)
{
    bool is_deterministic = (collective->flags & TRM_COLLECTIVE_DETERMINISTIC) != 0;

    if (!collective->has_native)
        return "the devices are not different ones of a backend that has it";
    if (!call->is_device)
        return "a span is not in device memory";
    if (is_deterministic && pipeline_kind_reduces(call->kind))
        return "it does not combine elements in a fixed order, which TRM_COLLECTIVE_DETERMINISTIC asks for";
    return NULL;
}

static bool is_legal(const struct pipeline_collective *collective, const struct pipeline_call *call,
                     enum pipeline_way way)
{
    bool is_aligned = call->is_aligned || call->has_table || !pipeline_kind_reduces(call->kind);

    switch (way) {
    case PIPELINE_WAY_ONE_SHOT:
        return collective->can_reach && is_aligned &&
               !(call->is_in_place && call->kind == PIPELINE_ALL_REDUCE);
    case PIPELINE_WAY_TWO_SHOT:
    case PIPELINE_WAY_ROOT:
        return collective->can_reach && is_aligned;
    case PIPELINE_WAY_NATIVE:
        return why_not_native(collective, call) == NULL;
    default:
        return true;
    }
}

/* Do the driver's calls take longer than the work? A cpu has no driver, but there, too, operations and waits
 * cost more than the work: in two halves of two processors root took 0.5 to 0.8 of the time of the way that
 * was measured to be the fastest at 4 and 16 KiB, and 0.87 to 0.97 at 64 and 128 KiB. */
static bool is_bound_by_host(const struct pipeline_collective *collective, const struct pipeline_call *call)
{
    return call->kind == PIPELINE_ALL_REDUCE && call->devices <= PIPELINE_KERNEL_SPANS &&
           call->bytes <= ROOT_BYTES && is_legal(collective, call, PIPELINE_WAY_ROOT);
}

/* Is the way worth a try? */
static bool is_candidate(const struct pipeline_collective *collective, const struct pipeline_call *call,
                         enum pipeline_way way)
{
    if (way == PIPELINE_WAY_ONE_SHOT && call->kind >= PIPELINE_REDUCE_SCATTER)
        return false; /* the same as two-shot */
    if (way == PIPELINE_WAY_ROOT)
        return false; /* taken by size */
    if (way == PIPELINE_WAY_NATIVE &&
        (!pipeline_native_is_exact(call) || (collective->can_reach && call->bytes < NATIVE_BYTES)))
        return false;
    if (way == PIPELINE_WAY_COPIES && !collective->can_copy)
        return false; /* would go through the host in small pieces */
    if (way == PIPELINE_WAY_HOST && collective->can_copy)
        return false; /* takes longer than copies in any case */
    return is_legal(collective, call, way);
}

static enum pipeline_way first_candidate(const struct pipeline_collective *collective,
                                         const struct pipeline_call *call)
{
    bool is_small = call->bytes <= SMALL_BYTES;

    if (is_small && is_candidate(collective, call, PIPELINE_WAY_ONE_SHOT))
        return PIPELINE_WAY_ONE_SHOT;
    for (enum pipeline_way way = PIPELINE_WAY_TWO_SHOT; way < PIPELINE_WAY_NATIVE; way++)
        if (is_candidate(collective, call, way))
            return way;
    return PIPELINE_WAY_HOST;
}

/* What a way takes depends on the bytes of all spans together, and on how many there are: one, a few, which
 * a table holds with room to spare, or so many that the rows themselves take their time. */
static uint32_t count_class(const struct pipeline_call *call)
{
    return call->count == 1 ? 0 : call->count < 16 ? 1 : call->count < 128 ? 2 : 3;
}

static struct pipeline_choice *choice_of(struct pipeline_collective *collective,
                                         const struct pipeline_call *call)
{
    uint32_t class = 0;

    while (class + 1 < PIPELINE_SIZES && call->bytes >> class > 1)
        class ++;
    struct pipeline_choice *choice = &collective->choices[call->kind][count_class(call)][class];
    if (choice->begin == NULL)
        for (uint32_t way = 0; way < PIPELINE_WAYS; way++)
            choice->best_ns[way] = UINT64_MAX;
    return choice;
}

static void explain(struct pipeline_decision *decision, const char *why)
{
    snprintf(decision->why, sizeof(decision->why), "%s", why);
}

void pipeline_way_log(struct pipeline_collective *collective, const struct pipeline_call *call,
                      const struct pipeline_decision *decision)
{
    struct pipeline_choice *choice = choice_of(collective, call);

    if (decision->why[0] == '\0' || (choice->logged >> decision->way & 1) != 0)
        return;
    choice->logged |= 1u << decision->way;
    core_log(collective->object.context, TRM_LOG_INFO,
             "%s of %llu bytes in %u span%s on %u device%s takes the way %s, %s", call->name,
             (unsigned long long)call->bytes, call->count, call->count == 1 ? "" : "s", call->devices,
             call->devices == 1 ? "" : "s", way_names[decision->way], decision->why);
}

static int32_t choose_forced(const struct pipeline_collective *collective, const struct pipeline_call *call,
                             struct pipeline_decision *decision)
{
    enum pipeline_way forced = (enum pipeline_way)collective->forced;
    const char *why          = !collective->can_reach ? "the devices cannot access each other's memory"
                               : !call->is_aligned && !call->has_table ? "kernels do not take the offsets of all spans"
                                                                       : "an output is an input";

    if (forced == PIPELINE_WAY_NATIVE)
        why = why_not_native(collective, call);

    if (!is_legal(collective, call, forced))
        return base_fail(TRM_ERROR_UNSUPPORTED, "%s: the setting collective.way is %s, but %s", call->name,
                         way_names[forced], why);
    decision->way = forced;
    explain(decision, "as the setting collective.way says");
    return TRM_OK;
}

/* ---- what is fastest ------------------------------------------------------------------------ */

/* Reads the times of the measured call, if they have passed. */
static void read_times(struct pipeline_choice *choice)
{
    struct base_saved_error saved;
    int64_t elapsed = 0;

    base_error_save(&saved);
    int32_t status = trm_event_elapsed(choice->begin, choice->end, &elapsed);
    base_error_restore(&saved);
    if (status == TRM_ERROR_TIMEOUT)
        return;
    choice->is_pending = false;
    choice->tries[choice->pending]++;
    if (status == TRM_OK && (uint64_t)elapsed < choice->best_ns[choice->pending])
        choice->best_ns[choice->pending] = (uint64_t)elapsed;
}

static void explain_measured(const struct pipeline_choice *choice, struct pipeline_decision *decision)
{
    if ((choice->logged >> decision->way & 1) == 0)
        snprintf(decision->why, sizeof(decision->why), "measured %.1f us",
                 (double)choice->best_ns[decision->way] / 1e3);
}

static void choose_measured(struct pipeline_collective *collective, const struct pipeline_call *call,
                            struct pipeline_decision *decision)
{
    struct pipeline_choice *choice = choice_of(collective, call);
    enum pipeline_way fastest      = first_candidate(collective, call);
    enum pipeline_way tried        = PIPELINE_WAYS;
    uint32_t candidates            = 0;

    if (choice->is_pending)
        read_times(choice);
    for (enum pipeline_way way = 0; way < PIPELINE_WAYS; way++) {
        if (!is_candidate(collective, call, way))
            continue;
        candidates++;
        if (choice->best_ns[way] < choice->best_ns[fastest])
            fastest = way;
        if (choice->tries[way] < TRIES && tried == PIPELINE_WAYS)
            tried = way;
    }
    decision->way = fastest;
    if (candidates < 2) {
        explain(decision, "the only one that is worth a try here");
    } else if (tried == PIPELINE_WAYS) {
        explain_measured(choice, decision);
    } else if (!choice->is_pending) {
        decision->way      = tried;
        decision->measured = choice;
    }
}

int32_t pipeline_way_choose(struct pipeline_collective *collective, const struct pipeline_call *call,
                            struct pipeline_decision *decision)
{
    *decision = (struct pipeline_decision){.way = PIPELINE_WAY_TWO_SHOT};
    bool is_native =
        collective->forced == PIPELINE_WAY_NATIVE && is_legal(collective, call, PIPELINE_WAY_NATIVE);
    if (call->devices == 1 && is_native)
        decision->way = PIPELINE_WAY_NATIVE;
    if (call->devices == 1)
        return TRM_OK;
    if (collective->forced >= 0)
        return choose_forced(collective, call, decision);
    if (is_bound_by_host(collective, call)) {
        decision->way = PIPELINE_WAY_ROOT;
        explain(decision, "since it has the fewest calls of the driver");
        return TRM_OK;
    }
    if ((collective->flags & TRM_COLLECTIVE_DETERMINISTIC) == 0) {
        choose_measured(collective, call, decision);
        return TRM_OK;
    }
    decision->way = first_candidate(collective, call);
    explain(decision, "since the collective is deterministic");
    return TRM_OK;
}

/* ---- measuring ------------------------------------------------------------------------------ */

int32_t pipeline_choice_begin(struct pipeline_collective *collective, struct pipeline_choice *choice,
                              enum pipeline_way way, struct trm_stream *stream)
{
    struct trm_device *device = collective->group->held[0];
    int32_t status            = TRM_OK;

    if (choice->begin == NULL)
        status = trm_event_create(device, TRM_EVENT_TIMING, &choice->begin);
    if (status == TRM_OK && choice->end == NULL)
        status = trm_event_create(device, TRM_EVENT_TIMING, &choice->end);
    choice->pending = way;
    return status == TRM_OK ? trm_event_record(choice->begin, stream) : status;
}

int32_t pipeline_choice_end(struct pipeline_choice *choice, struct trm_stream *stream)
{
    int32_t status = trm_event_record(choice->end, stream);

    choice->is_pending = status == TRM_OK;
    return status;
}
