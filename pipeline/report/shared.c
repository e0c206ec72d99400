/* Limits that the devices of a group share.
 *
 * A copy is alone if the copies of other devices in its direction overlap an eighth of its time at most, and
 * together if they overlap seven eighths of it, all of them. Copies in between say nothing. What a copy
 * overlaps is known only where the tokens around it were measured too.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/report/shared.h"

#include <stdbool.h>
#include <stdio.h>

#include "pipeline/report/writer.h"

/* Fewer copies are no measurement. */
#define COPIES_LEAST 4

/* What a smaller copy takes is latency. */
#define BYTES_LEAST (32u << 10)

/* Devices that together reach this part of the sum of their speeds share no limit. */
#define FREE_PART 0.9

/* ---- learning ------------------------------------------------------------------------------- */

static struct pipeline_shared_copy *copy_at(struct pipeline_shared_link *link, uint64_t number)
{
    return &link->last[number % (2 * PIPELINE_SHARED_NEAR)];
}

static uint64_t overlap_of(const struct pipeline_shared_copy *one, const struct pipeline_shared_copy *other)
{
    uint64_t begin = one->begin > other->begin ? one->begin : other->begin;
    uint64_t end   = one->end < other->end ? one->end : other->end;

    return end > begin ? end - begin : 0;
}

/* What the copies of other devices overlap of a copy, all together. devices: receives the number of devices
 * that copied at about the same time. */
static uint64_t overlap_of_others(const struct pipeline_shared_link *link,
                                  const struct pipeline_shared_copy *copy, uint32_t *devices)
{
    uint32_t seen    = 0;
    uint64_t overlap = 0;

    for (uint32_t i = 0; i < 2 * PIPELINE_SHARED_NEAR; i++) {
        const struct pipeline_shared_copy *other = &link->last[i];

        seen |= 1u << other->device;
        if (other->device != copy->device)
            overlap += overlap_of(copy, other);
    }
    *devices = (uint32_t)__builtin_popcount(seen);
    return overlap;
}

/* Whether the tokens on both sides of a copy were measured too: their indices are close to each other. */
static bool has_neighbours(struct pipeline_shared_link *link, uint64_t number)
{
    const struct pipeline_shared_copy *first = copy_at(link, number - 2), *last = copy_at(link, number + 2);
    uint64_t apart = last->token > first->token ? last->token - first->token : first->token - last->token;

    return apart < PIPELINE_SHARED_NEAR;
}

static void count(struct pipeline_shared_speed *speed, const struct pipeline_shared_copy *copy)
{
    speed->bytes += copy->bytes;
    speed->time += copy->end - copy->begin;
    speed->copies++;
}

/* Judges a copy around which all others are known. */
static void judge(struct pipeline_shared_link *link, uint64_t number)
{
    const struct pipeline_shared_copy *copy = copy_at(link, number);
    uint64_t length                         = copy->end - copy->begin;
    uint32_t devices;
    uint64_t overlap = overlap_of_others(link, copy, &devices);

    if (!has_neighbours(link, number))
        return;
    if (overlap <= length / 8)
        count(&link->alone[copy->device], copy);
    else if (overlap >= length / 8 * 7 * (devices - 1))
        count(&link->together[copy->device], copy);
}

static void add(struct pipeline_shared_link *link, const struct pipeline_token_times *times, uint32_t stage,
                uint64_t bytes)
{
    if (times->begin[stage] == 0 || times->end[stage] <= times->begin[stage] || bytes < BYTES_LEAST ||
        times->device >= TRM_REPORT_DEVICES)
        return;
    *copy_at(link, link->count++) = (struct pipeline_shared_copy){.token  = times->index,
                                                                  .begin  = times->begin[stage],
                                                                  .end    = times->end[stage],
                                                                  .bytes  = bytes,
                                                                  .device = times->device};
    if (link->count >= 2 * PIPELINE_SHARED_NEAR)
        judge(link, link->count - PIPELINE_SHARED_NEAR);
}

void pipeline_shared_add(struct pipeline_shared *shared, const struct pipeline_token_times *times)
{
    if (times->status != TRM_OK)
        return;
    add(&shared->links[PIPELINE_COPIES_UP], times, TRM_STAGE_UPLOAD, times->bytes_up);
    add(&shared->links[PIPELINE_COPIES_DOWN], times, TRM_STAGE_DOWNLOAD, times->bytes_down);
}

/* ---- saying it ------------------------------------------------------------------------------ */

/* Bytes a nanosecond: GB/s. */
static double speed_of(const struct pipeline_shared_speed *speed)
{
    return (double)speed->bytes / (double)speed->time;
}

struct speeds {
    uint32_t devices; /* of which both speeds are known */
    double alone;     /* of the fastest */
    double alone_sum, together;
};

static struct speeds speeds_of(const struct pipeline_shared_link *link)
{
    struct speeds speeds = {.devices = 0};

    for (uint32_t i = 0; i < TRM_REPORT_DEVICES; i++) {
        if (link->alone[i].copies < COPIES_LEAST || link->together[i].copies < COPIES_LEAST)
            continue;
        double alone = speed_of(&link->alone[i]);
        speeds.devices++;
        speeds.alone = alone > speeds.alone ? alone : speeds.alone;
        speeds.alone_sum += alone;
        speeds.together += speed_of(&link->together[i]);
    }
    return speeds;
}

void pipeline_shared_say(const struct pipeline_shared *shared, char *text, size_t capacity)
{
    static const char *const names[PIPELINE_COPIES] = {"uploads", "downloads"};
    size_t length                                   = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < PIPELINE_COPIES; i++) {
        struct speeds speeds = speeds_of(&shared->links[i]);
        char who[32], together[32], alone[32];

        if (speeds.devices < 2 || speeds.together >= FREE_PART * speeds.alone_sum || length >= capacity)
            continue;
        if (speeds.devices == 2)
            snprintf(who, sizeof(who), "both %s", names[i]);
        else
            snprintf(who, sizeof(who), "the %s of %u devices", names[i], speeds.devices);
        length += (size_t)snprintf(
            text + length, capacity - length,
            "%s%s together reach %s GB/s, one alone %s: the host's memory is the limit",
            length > 0 ? "; " : "", who, pipeline_number_text(together, sizeof(together), speeds.together, 2),
            pipeline_number_text(alone, sizeof(alone), speeds.alone, 2));
    }
}
