/* See collectives.h.
 * SPDX-License-Identifier: MIT
 */
#include "collectives.h"

const char *const ways[WAYS] = {"auto", "one-shot", "two-shot", "root", "copies", "host", "nccl"};

/* ---- the devices ---------------------------------------------------------------------------- */

/* The devices of the team: those of CONFORMANCE_TEAM, of several backends, else all of the backend under
 * test. */
static void group_open(struct team *team, const char *way)
{
    const struct trm_setting settings[] = {
        {"collective.way", way}, {"log.level", "info"}, {"backend", "vulkan,cpu"}};
    struct trm_device_summary summary = {.struct_size = sizeof(summary)};
    const char *mixed                 = getenv("CONFORMANCE_TEAM");
    char devices[80];
    ck_ok(context_with(settings, mixed != NULL ? 3 : 2, &team->context));
    ck_ok(trm_device_describe(team->context, 0, &summary));
    snprintf(devices, sizeof(devices), "%s:*", summary.backend);
    ck_ok(trm_group_create(team->context, mixed != NULL ? mixed : devices, &team->group));
    ck_ok(trm_group_size(team->group, &team->count));
}

void team_open(struct team *team, const char *way, uint32_t flags)
{
    *team = (struct team){.count = 0};
    group_open(team, way);
    for (uint32_t d = 0; d < team->count; d++) {
        ck_ok(trm_group_device(team->group, d, &team->devices[d]));
        ck_ok(
            trm_stream_create(team->devices[d], TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL, &team->streams[d]));
    }
    ck_ok(trm_collective_create(team->group, flags, &team->collective));
}

void team_close(struct team *team)
{
    for (uint32_t d = 0; d < team->count; d++)
        trm_stream_destroy(team->streams[d]);
    trm_collective_destroy(team->collective);
    trm_group_destroy(team->group);
    for (uint32_t d = 0; d < team->count; d++)
        trm_device_destroy(team->devices[d]);
    trm_context_destroy(team->context);
}

bool team_reaches(const struct team *team)
{
    for (uint32_t i = 0; i < team->count; i++)
        for (uint32_t k = 0; k < team->count; k++)
            if (trm_device_can_access(team->devices[i], team->devices[k]) != TRM_OK)
                return false;
    return true;
}

bool way_is_direct(const char *way)
{
    return strstr(way, "-shot") != NULL || strcmp(way, "root") == 0;
}

bool way_may_refuse(const struct team *team, const char *way)
{
    if (strcmp(way, "nccl") == 0)
        return team->count > 1 && getenv("CONFORMANCE_NCCL") == NULL;
    return way_is_direct(way) && !team_reaches(team);
}

void team_sync(const struct team *team)
{
    for (uint32_t d = 0; d < team->count; d++)
        ck_ok(trm_stream_sync(team->streams[d]));
}

void team_buffers(const struct team *team, uint64_t size, struct trm_buffer *buffers[TRM_GROUP_DEVICES])
{
    for (uint32_t d = 0; d < team->count; d++)
        ck_ok(trm_buffer_create(team->devices[d], TRM_MEMORY_DEVICE, size, &buffers[d]));
}

void team_free(const struct team *team, struct trm_buffer *buffers[TRM_GROUP_DEVICES])
{
    for (uint32_t d = 0; d < team->count; d++)
        trm_buffer_destroy(buffers[d]);
}

/* ---- elements ------------------------------------------------------------------------------- */

static uint32_t float_bits(double value)
{
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof(bits));
    return bits;
}

static double bits_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Of a value that is 0 or normal as a half. */
static uint16_t half_bits(double value)
{
    uint32_t bits = float_bits(value);
    if ((bits & 0x7fffffffu) == 0)
        return (uint16_t)(bits >> 16);
    return (uint16_t)((bits >> 16 & 0x8000u) | ((bits >> 23 & 0xffu) - 112u) << 10 | (bits >> 13 & 0x3ffu));
}

static double half_value(uint16_t bits)
{
    if ((bits & 0x7fffu) == 0)
        return 0;
    return bits_float((uint32_t)(bits & 0x8000u) << 16 | ((bits >> 10 & 0x1fu) + 112u) << 23 |
                      (uint32_t)(bits & 0x3ffu) << 13);
}

void element_write(int32_t type, void *memory, uint64_t index, double value)
{
    switch (type) {
    case TRM_TYPE_F16:
        ((uint16_t *)memory)[index] = half_bits(value);
        break;
    case TRM_TYPE_BF16:
        ((uint16_t *)memory)[index] = (uint16_t)(float_bits(value) >> 16);
        break;
    case TRM_TYPE_F32:
        ((float *)memory)[index] = (float)value;
        break;
    case TRM_TYPE_F64:
        ((double *)memory)[index] = value;
        break;
    case TRM_TYPE_I32:
        ((int32_t *)memory)[index] = (int32_t)value;
        break;
    default:
        ((int64_t *)memory)[index] = (int64_t)value;
        break;
    }
}

double element_read(int32_t type, const void *memory, uint64_t index)
{
    switch (type) {
    case TRM_TYPE_F16:
        return half_value(((const uint16_t *)memory)[index]);
    case TRM_TYPE_BF16:
        return bits_float((uint32_t)((const uint16_t *)memory)[index] << 16);
    case TRM_TYPE_F32:
        return ((const float *)memory)[index];
    case TRM_TYPE_F64:
        return ((const double *)memory)[index];
    case TRM_TYPE_I32:
        return ((const int32_t *)memory)[index];
    default:
        return (double)((const int64_t *)memory)[index];
    }
}
