/* Trireme: the properties of a device, read key by key and written as text or JSON.
 * SPDX-License-Identifier: MIT
 */
#include "tools/info/info.h"

#include "tools/output/output.h"

#include <inttypes.h>
#include <string.h>

enum property_type {
    PROPERTY_TEXT,
    PROPERTY_COUNT,
    PROPERTY_BYTES,
    PROPERTY_HERTZ,
    PROPERTY_BOOL,
    PROPERTY_KIND,
    PROPERTY_UUID,
    PROPERTY_TRIPLE, /* x, y, z */
};

struct property {
    uint32_t key;
    enum property_type type;
    const char *name;  /* in JSON */
    const char *label; /* in text */
};

union property_value {
    char text[512];
    uint64_t number;
    uint64_t triple[3];
    uint8_t uuid[16];
};

static const struct property properties[] = {
    {TRM_DEVICE_NAME, PROPERTY_TEXT, "name", "name"},
    {TRM_DEVICE_KIND, PROPERTY_KIND, "kind", "kind"},
    {TRM_DEVICE_MEMORY_TOTAL, PROPERTY_BYTES, "memory_total", "memory"},
    {TRM_DEVICE_MEMORY_FREE, PROPERTY_BYTES, "memory_free", "memory free"},
    {TRM_DEVICE_UNIFIED, PROPERTY_BOOL, "unified", "shares the host's memory"},
    {TRM_DEVICE_UNITS, PROPERTY_COUNT, "units", "compute units"},
    {TRM_DEVICE_CLOCK_HZ, PROPERTY_HERTZ, "clock_hz", "clock"},
    {TRM_DEVICE_UUID, PROPERTY_UUID, "uuid", "UUID"},
    {TRM_DEVICE_PCI, PROPERTY_TEXT, "pci", "PCI address"},
    {TRM_DEVICE_DRIVER, PROPERTY_TEXT, "driver", "driver"},
    {TRM_DEVICE_COPY_ENGINES, PROPERTY_COUNT, "copy_engines", "copies at once with kernels"},
    {TRM_DEVICE_MAX_KERNELS, PROPERTY_COUNT, "max_kernels", "kernels at once"},
    {TRM_DEVICE_PRIORITIES, PROPERTY_COUNT, "priorities", "priorities of streams"},
    {TRM_DEVICE_QUEUES, PROPERTY_COUNT, "queues", "queues for streams"},
    {TRM_DEVICE_MAX_GROUPS, PROPERTY_TRIPLE, "max_groups", "largest grid (groups)"},
    {TRM_DEVICE_MAX_GROUP_SIZE, PROPERTY_TRIPLE, "max_group_size", "largest group"},
    {TRM_DEVICE_MAX_GROUP_ITEMS, PROPERTY_COUNT, "max_group_items", "most items of a group"},
    {TRM_DEVICE_MAX_SHARED_BYTES, PROPERTY_BYTES, "max_shared_bytes", "shared memory of a group"},
    {TRM_DEVICE_MAX_BUFFER_BYTES, PROPERTY_BYTES, "max_buffer_bytes", "largest buffer"},
    {TRM_DEVICE_MAX_ARGUMENTS, PROPERTY_COUNT, "max_arguments", "most kernel arguments"},
    {TRM_DEVICE_BUFFER_ALIGNMENT, PROPERTY_BYTES, "buffer_alignment", "alignment of spans"},
    {TRM_DEVICE_SUBGROUP_SIZE, PROPERTY_COUNT, "subgroup_size", "subgroup size"},
    {TRM_DEVICE_CACHE_BYTES, PROPERTY_BYTES, "cache_bytes", "last-level cache"},
    {TRM_DEVICE_TIMESTAMP_HZ, PROPERTY_HERTZ, "timestamp_hz", "timestamps"},
    {TRM_DEVICE_MAPPED, PROPERTY_BOOL, "mapped", "kernels reach pinned memory"},
    {TRM_DEVICE_ADDRESSES, PROPERTY_BOOL, "addresses", "kernels take addresses"},
    {TRM_DEVICE_PEER_KERNELS, PROPERTY_BOOL, "peer_kernels", "kernels reach other devices"},
    {TRM_DEVICE_COLLECTIVES, PROPERTY_TEXT, "collectives", "library of collectives"},
    {TRM_DEVICE_SYNCHRONOUS, PROPERTY_BOOL, "synchronous", "calls wait for the work"},
};

enum {
    PROPERTY_COUNT_ALL = sizeof(properties) / sizeof(properties[0])
};

static size_t value_size(enum property_type type)
{
    switch (type) {
    case PROPERTY_TEXT:
        return 0; /* any */
    case PROPERTY_UUID:
        return sizeof(((union property_value *)0)->uuid);
    case PROPERTY_TRIPLE:
        return sizeof(((union property_value *)0)->triple);
    default:
        return sizeof(uint64_t);
    }
}

/* Reads the value of a key. False if the device does not report it or answers with another size. */
static bool read_property(struct trm_device *device, const struct property *property,
                          union property_value *value)
{
    size_t needed = 0, expected = value_size(property->type);

    memset(value, 0, sizeof(*value));
    if (trm_device_get_info(device, property->key, value, sizeof(*value), &needed) != TRM_OK)
        return false;
    value->text[sizeof(value->text) - 1] = '\0';
    return expected == 0 || needed == expected;
}

static void format_hertz(char *text, size_t capacity, uint64_t hertz)
{
    if (hertz >= 1000000000)
        snprintf(text, capacity, "%.4g GHz", (double)hertz / 1e9);
    else if (hertz >= 1000000)
        snprintf(text, capacity, "%.4g MHz", (double)hertz / 1e6);
    else
        snprintf(text, capacity, "%" PRIu64 " Hz", hertz);
}

static void format_uuid(char *text, size_t capacity, const uint8_t uuid[16])
{
    size_t length = 0;

    for (int i = 0; i < 16; i++) {
        const char *dash = i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";

        length += (size_t)snprintf(text + length, capacity - length, "%s%02x", dash, uuid[i]);
    }
}

static void format_property(char *text, size_t capacity, enum property_type type,
                            const union property_value *value)
{
    switch (type) {
    case PROPERTY_TEXT:
        snprintf(text, capacity, "%s", value->text);
        break;
    case PROPERTY_COUNT:
        snprintf(text, capacity, "%" PRIu64, value->number);
        break;
    case PROPERTY_BYTES:
        output_bytes(text, capacity, value->number);
        break;
    case PROPERTY_HERTZ:
        format_hertz(text, capacity, value->number);
        break;
    case PROPERTY_BOOL:
        snprintf(text, capacity, "%s", value->number ? "yes" : "no");
        break;
    case PROPERTY_KIND:
        snprintf(text, capacity, "%s", info_kind_name((int32_t)value->number));
        break;
    case PROPERTY_UUID:
        format_uuid(text, capacity, value->uuid);
        break;
    case PROPERTY_TRIPLE:
        snprintf(text, capacity, "%" PRIu64 " x %" PRIu64 " x %" PRIu64, value->triple[0], value->triple[1],
                 value->triple[2]);
        break;
    }
}

void info_properties_text(struct trm_device *device, int indent)
{
    struct table table;

    table_init(&table, 2, 0);
    for (int i = 0; i < PROPERTY_COUNT_ALL; i++) {
        union property_value value;
        char text[sizeof(value)];

        /* The heading already has the name. */
        if (properties[i].key == TRM_DEVICE_NAME)
            continue;
        if (!read_property(device, &properties[i], &value))
            continue;
        format_property(text, sizeof(text), properties[i].type, &value);
        table_add(&table, properties[i].label);
        table_add(&table, text);
    }
    table_print(&table, stdout, indent, 0);
    table_fini(&table);
}

static void write_property(struct json *json, const struct property *property,
                           const union property_value *value)
{
    char text[sizeof(*value)];

    switch (property->type) {
    case PROPERTY_TEXT:
    case PROPERTY_KIND:
    case PROPERTY_UUID:
        format_property(text, sizeof(text), property->type, value);
        json_text(json, property->name, text);
        break;
    case PROPERTY_BOOL:
        json_bool(json, property->name, value->number != 0);
        break;
    case PROPERTY_TRIPLE:
        json_array_begin(json, property->name);
        for (int i = 0; i < 3; i++)
            json_count(json, NULL, value->triple[i]);
        json_array_end(json);
        break;
    default:
        json_count(json, property->name, value->number);
        break;
    }
}

void info_properties_json(struct trm_device *device, struct json *json)
{
    json_object_begin(json, "properties");
    for (int i = 0; i < PROPERTY_COUNT_ALL; i++) {
        union property_value value;

        if (read_property(device, &properties[i], &value))
            write_property(json, &properties[i], &value);
    }
    json_object_end(json);
}
