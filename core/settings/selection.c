/* Parses the setting `backend` and the ids of devices:
 *
 *     selection = entry {"," entry} | "^" name {"," name}
 *     entry     = (name | path) [":" number]
 *     device    = name [":" (number | "uuid=" digits | "name=" pattern)]
 *
 * A text with a '/' is a path; the loader refuses a relative one.
 * SPDX-License-Identifier: MIT
 */
#include "core/settings/selection.h"

#include <stdio.h>
#include <string.h>

#define NAME_MAX_LENGTH 47

#define ALLOWED                                                                                       \
    "a backend such as cuda or cuda:1, a list such as cuda,cpu, all but some such as ^vulkan, or an " \
    "absolute path"

bool core_backend_name_is_valid(const char *name, size_t length)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
    if (length == 0 || length > NAME_MAX_LENGTH)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (memchr(letters, name[i], sizeof(letters) - 1) == NULL)
            return false;
    }
    return true;
}

/* Splits a number such as ":12" off the end of an entry. Other text stays in the name. */
static void split_device(struct core_selection_entry *entry)
{
    size_t digits = 0;
    while (digits < entry->length && digits < 9) {
        char letter = entry->text[entry->length - digits - 1];
        if (letter < '0' || letter > '9')
            break;
        digits++;
    }
    if (digits == 0 || digits == entry->length || entry->text[entry->length - digits - 1] != ':')
        return;
    uint32_t device = 0;
    for (size_t i = entry->length - digits; i < entry->length; i++)
        device = device * 10 + (uint32_t)(entry->text[i] - '0');
    entry->device = device;
    entry->length -= digits + 1;
}

static bool parse_entry(struct core_selection_entry *entry)
{
    entry->is_path = memchr(entry->text, '/', entry->length) != NULL;
    entry->device  = CORE_NO_DEVICE;
    split_device(entry);
    return entry->is_path || core_backend_name_is_valid(entry->text, entry->length);
}

static int32_t digit_value(char letter)
{
    if (letter >= '0' && letter <= '9')
        return letter - '0';
    if (letter >= 'a' && letter <= 'f')
        return letter - 'a' + 10;
    return letter >= 'A' && letter <= 'F' ? letter - 'A' + 10 : -1;
}

static bool parse_uuid(const char *text, uint8_t uuid[16])
{
    uint32_t digits = 0;
    for (; *text != '\0'; text++) {
        int32_t value = digit_value(*text);
        if (*text == '-')
            continue;
        if (value < 0 || digits == 32)
            return false;
        uuid[digits / 2] = (uint8_t)(digits % 2 == 0 ? value << 4 : uuid[digits / 2] | value);
        digits++;
    }
    return digits == 32;
}

bool core_device_id_parse(const char *id, struct core_device_id *parsed)
{
    static const char by_uuid[] = "uuid=", by_name[] = "name=";
    struct core_selection_entry entry = {.text = id, .length = strlen(id)};
    memset(parsed, 0, sizeof(*parsed));
    parsed->backend   = id;
    parsed->length    = strcspn(id, ":");
    const char *which = id[parsed->length] == ':' ? id + parsed->length + 1 : "";
    if (strncmp(which, by_uuid, strlen(by_uuid)) == 0) {
        parsed->way = CORE_DEVICE_BY_UUID;
        return core_backend_name_is_valid(id, parsed->length) &&
               parse_uuid(which + strlen(by_uuid), parsed->uuid);
    }
    if (strncmp(which, by_name, strlen(by_name)) == 0) {
        parsed->way     = CORE_DEVICE_BY_NAME;
        parsed->pattern = which + strlen(by_name);
        return core_backend_name_is_valid(id, parsed->length) && parsed->pattern[0] != '\0';
    }
    if (!parse_entry(&entry) || entry.is_path)
        return false;
    parsed->length = entry.length;
    parsed->number = entry.device;
    parsed->way    = entry.device == CORE_NO_DEVICE ? CORE_DEVICE_ANY : CORE_DEVICE_BY_NUMBER;
    return true;
}

bool core_selection_parse(const char *text, struct core_selection *selection, char *allowed, size_t capacity)
{
    snprintf(allowed, capacity, "%s", ALLOWED);
    memset(selection, 0, sizeof(*selection));
    if (*text == '\0')
        return true;
    selection->mode = *text == '^' ? CORE_SELECT_OTHERS : CORE_SELECT_LISTED;
    if (*text == '^')
        text++;
    for (;;) {
        if (selection->count == CORE_SELECTION_MAX) {
            snprintf(allowed, capacity, "a list of at most %d backends", CORE_SELECTION_MAX);
            return false;
        }
        struct core_selection_entry *entry = &selection->entries[selection->count++];
        entry->text                        = text;
        entry->length                      = strcspn(text, ",");
        text += entry->length;
        if (!parse_entry(entry))
            return false;
        if (selection->mode == CORE_SELECT_OTHERS && (entry->is_path || entry->device != CORE_NO_DEVICE)) {
            snprintf(allowed, capacity, "names of backends after ^, without paths and device numbers");
            return false;
        }
        if (*text == '\0')
            return true;
        text++;
    }
}

const struct core_selection_entry *core_selection_find(const struct core_selection *selection,
                                                       const char *name)
{
    for (uint32_t i = 0; i < selection->count; i++) {
        const struct core_selection_entry *entry = &selection->entries[i];
        if (!entry->is_path && strlen(name) == entry->length && memcmp(name, entry->text, entry->length) == 0)
            return entry;
    }
    return NULL;
}

bool core_selection_check(const char *value, char *allowed, size_t capacity)
{
    struct core_selection selection;
    return core_selection_parse(value, &selection, allowed, capacity);
}

bool core_device_id_check(const char *value, char *allowed, size_t capacity)
{
    struct core_device_id parsed;
    snprintf(allowed, capacity, "a device such as cpu, cuda:1, cuda:uuid=DIGITS or cuda:name=PATTERN");
    return core_device_id_parse(value, &parsed);
}
