/* Devices by number, by UUID, and by a pattern of their name. None is opened for it.
 * SPDX-License-Identifier: MIT
 */
#include "core/plugin/device_match.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"

#define UUID_BYTES 16
#define NAME_BYTES 1024
#define LIST_BYTES 1600

/* A fact of a device in `capacity` bytes: TRM_OK, NOT_FOUND where it has none, or another failure,
 * explained. */
static int32_t ask(const struct core_backend *backend, uint32_t number, uint32_t key, void *value,
                   uint64_t capacity)
{
    uint64_t needed = 0;
    base_error_clear();
    int32_t status = backend->device.get_info(backend->instance, number, key, value, capacity, &needed);
    return status == TRM_OK || status == TRM_ERROR_NOT_FOUND ? status : base_fail_backend(status);
}

static int32_t ask_name(const struct core_backend *backend, uint32_t number, char name[NAME_BYTES])
{
    int32_t status       = ask(backend, number, TRM_DEVICE_NAME, name, NAME_BYTES);
    name[NAME_BYTES - 1] = '\0';
    return status;
}

static int32_t is_meant(const struct core_backend *backend, uint32_t number,
                        const struct core_device_id *wanted, int32_t *yes)
{
    char name[NAME_BYTES]    = "";
    uint8_t uuid[UUID_BYTES] = {0};
    int32_t status;
    *yes = 0;
    if (wanted->way == CORE_DEVICE_BY_UUID) {
        status = ask(backend, number, TRM_DEVICE_UUID, uuid, sizeof(uuid));
        *yes   = status == TRM_OK && memcmp(uuid, wanted->uuid, sizeof(uuid)) == 0;
    } else {
        status = ask_name(backend, number, name);
        *yes   = status == TRM_OK && fnmatch(wanted->pattern, name, FNM_CASEFOLD) == 0;
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

/* "cuda:0 is "NVIDIA H200", cuda:1 is …", or with UUIDs instead of names. */
static void list_devices(const struct core_backend *backend, enum core_device_way way, char list[LIST_BYTES])
{
    size_t length = 0;
    list[0]       = '\0';
    for (uint32_t i = 0; i < backend->device_count && length < LIST_BYTES; i++) {
        char text[NAME_BYTES] = "";
        uint8_t uuid[UUID_BYTES];
        int32_t status;
        if (way == CORE_DEVICE_BY_UUID) {
            status = ask(backend, i, TRM_DEVICE_UUID, uuid, sizeof(uuid));
            if (status == TRM_OK)
                write_uuid(uuid, text, sizeof(text));
            else
                snprintf(text, sizeof(text), "without a UUID");
        } else if (ask_name(backend, i, text) != TRM_OK) {
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
        uint32_t asked = wanted->way == CORE_DEVICE_ANY ? backend->preferred : wanted->number;
        if (asked >= backend->device_count)
            return base_fail(TRM_ERROR_NOT_FOUND, "there is no device %s: the backend %s has %u", id,
                             backend->name, backend->device_count);
        *number = asked;
        return TRM_OK;
    }
    for (uint32_t i = 0; i < backend->device_count; i++) {
        int32_t yes;
        int32_t status = is_meant(backend, i, wanted, &yes);
        if (status != TRM_OK)
            return status;
        if (yes) {
            *number = i;
            return TRM_OK;
        }
    }
    return fail_unmatched(backend, id, wanted->way);
}
