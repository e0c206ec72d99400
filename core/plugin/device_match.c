/* Finds a device by number, by UUID or by a pattern of its name, without opening any.
 * SPDX-License-Identifier: MIT
 */
#include "core/plugin/device_match.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "core/plugin/property.h"

#define UUID_BYTES 16
#define NAME_BYTES 1024
#define LIST_BYTES 1600

static int32_t get_uuid(const struct core_backend *backend, uint32_t number, uint8_t uuid[UUID_BYTES])
{
    uint64_t needed;
    return core_property_read(backend, number, TRM_DEVICE_UUID, uuid, UUID_BYTES, &needed);
}

static int32_t get_name(const struct core_backend *backend, uint32_t number, char name[NAME_BYTES])
{
    uint64_t needed;
    return core_property_read(backend, number, TRM_DEVICE_NAME, name, NAME_BYTES, &needed);
}

static int32_t match(const struct core_backend *backend, uint32_t number, const struct core_device_id *wanted,
                     bool *is_match)
{
    char name[NAME_BYTES]    = "";
    uint8_t uuid[UUID_BYTES] = {0};
    int32_t status;
    if (wanted->way == CORE_DEVICE_BY_UUID) {
        status    = get_uuid(backend, number, uuid);
        *is_match = status == TRM_OK && memcmp(uuid, wanted->uuid, sizeof(uuid)) == 0;
    } else {
        status    = get_name(backend, number, name);
        *is_match = status == TRM_OK && fnmatch(wanted->pattern, name, FNM_CASEFOLD) == 0;
    }
    return status == TRM_ERROR_NOT_FOUND ? TRM_OK : status;
}

static void write_uuid(const uint8_t uuid[UUID_BYTES], char *text, size_t capacity)
{
    size_t length = 0;
    for (uint32_t i = 0; i < UUID_BYTES; i++)
        length += (size_t)snprintf(text + length, capacity - length, "%s%02x",
                                   i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

/* Writes "cuda:0 is NVIDIA H200, cuda:1 is …", or the same with UUIDs instead of names. */
static void list_devices(const struct core_backend *backend, enum core_device_way way, char list[LIST_BYTES])
{
    size_t length = 0;
    list[0]       = '\0';
    for (uint32_t i = 0; i < backend->device_count && length < LIST_BYTES; i++) {
        char text[NAME_BYTES] = "";
        uint8_t uuid[UUID_BYTES];
        int32_t status;
        if (way == CORE_DEVICE_BY_UUID) {
            status = get_uuid(backend, i, uuid);
            if (status == TRM_OK)
                write_uuid(uuid, text, sizeof(text));
            else
                snprintf(text, sizeof(text), "without a UUID");
        } else if (get_name(backend, i, text) != TRM_OK) {
            snprintf(text, sizeof(text), "without a name");
        }
        length += (size_t)snprintf(list + length, LIST_BYTES - length, "%s%s:%u is %.200s",
                                   i == 0 ? "" : ", ", backend->name, i, text);
    }
}

static int32_t fail_unmatched(const struct core_backend *backend, const char *id, enum core_device_way way)
{
    char list[LIST_BYTES];
    list_devices(backend, way, list);
    return base_fail(TRM_ERROR_NOT_FOUND, "there is no device %.200s: %s", id, list);
}

int32_t core_device_find_number(const struct core_backend *backend, const char *id,
                                const struct core_device_id *wanted, uint32_t *number)
{
    if (wanted->way == CORE_DEVICE_ANY || wanted->way == CORE_DEVICE_BY_NUMBER) {
        uint32_t index = wanted->way == CORE_DEVICE_ANY ? backend->preferred : wanted->number;
        if (index >= backend->device_count)
            return base_fail(TRM_ERROR_NOT_FOUND, "there is no device %s: the backend %s has %u device%s", id,
                             backend->name, backend->device_count, base_plural(backend->device_count));
        *number = index;
        return TRM_OK;
    }
    for (uint32_t i = 0; i < backend->device_count; i++) {
        bool is_match;
        int32_t status = match(backend, i, wanted, &is_match);
        if (status != TRM_OK)
            return status;
        if (is_match) {
            *number = i;
            return TRM_OK;
        }
    }
    return fail_unmatched(backend, id, wanted->way);
}
