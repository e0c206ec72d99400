/* SPDX-License-Identifier: MIT */
#include "tests/differential/trial_layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/trireme.h>

struct field {
    uint32_t offset;
    int32_t type;
};

struct fields {
    struct trm_shader *module;
    struct field field[CASE_FIELDS];
    uint32_t count;
};

static int describe(struct trm_shader *module, uint32_t index, struct trm_member_info *part)
{
    *part = (struct trm_member_info){.struct_size = sizeof(*part)};
    return trm_shader_member(module, index, part) == TRM_OK;
}

/* Adds the scalars of a number, vector or matrix. */
static int add_scalars(struct fields *fields, const struct trm_member_info *part, uint32_t offset)
{
    uint32_t size    = trm_type_size(part->type);
    uint32_t columns = part->columns != 0 ? part->columns : 1, rows = part->components / columns;

    for (uint32_t i = 0; i < part->components; i++) {
        uint32_t column = i / rows, row = i % rows;
        uint32_t at = part->is_row_major ? row * part->matrix_stride + column * size
                                         : column * part->matrix_stride + row * size;
        if (fields->count == CASE_FIELDS)
            return 0;
        fields->field[fields->count++] = (struct field){.offset = offset + at, .type = part->type};
    }
    return 1;
}

/* Adds what an element of a part consists of. Types nest as deeply as the library lets them. */
static int flatten(struct fields *fields, const struct trm_member_info *part, uint32_t offset)
{
    struct trm_member_info member;
    int worked = part->type == TRM_TYPE_NONE || add_scalars(fields, part, offset);

    for (uint32_t i = 0; i < part->member_count && worked; i++) {
        if (!describe(fields->module, part->first_member + i, &member) || member.count == 0 ||
            member.count > CASE_FIELDS)
            return 0;
        for (uint32_t k = 0; k < member.count && worked; k++)
            worked = flatten(fields, &member, offset + member.offset + k * member.array_stride);
    }
    return worked;
}

static int by_offset(const void *one, const void *other)
{
    const struct field *a = one, *b = other;

    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Adds so many fields of a type. */
static void add_fields(struct trial_layout *layout, uint32_t times, const char *name)
{
    size_t used = strlen(layout->record);

    if (times > 1)
        snprintf(layout->record + used, sizeof(layout->record) - used, ",%u%s", times, name);
    else
        snprintf(layout->record + used, sizeof(layout->record) - used, ",%s", name);
}

/* Writes what lies between two fields: words are cheaper than bytes, of which each is a field. */
static int write_gap(struct trial_layout *layout, uint32_t bytes)
{
    if (bytes % 4 == 0 && bytes != 0)
        add_fields(layout, bytes / 4, "u32");
    else if (bytes != 0)
        add_fields(layout, bytes, "pad");
    return bytes / 4 < CASE_FIELDS;
}

/* Is one field of the type of another, and `times` further? */
static int is_next(const struct field *field, const struct field *other, uint32_t times)
{
    return other->type == field->type && other->offset == field->offset + times * trm_type_size(field->type);
}

static int write_record(struct trial_layout *layout, struct fields *fields, uint32_t stride)
{
    uint32_t end = 0;

    qsort(fields->field, fields->count, sizeof(fields->field[0]), by_offset);
    for (uint32_t i = 0; i < fields->count; i++) {
        const struct field *field = &fields->field[i];
        const char *name          = trm_type_name(field->type);
        uint32_t times            = 1;
        if (field->offset < end || !write_gap(layout, field->offset - end))
            return 0;
        while (i + 1 < fields->count && is_next(field, &fields->field[i + 1], times))
            i++, times++;
        add_fields(layout, times, name);
        layout->has_integers |= name[0] != 'f';
        layout->has_halves |= field->type == TRM_TYPE_F16;
        end = field->offset + times * trm_type_size(field->type);
    }
    layout->size = stride != 0 ? stride : (end + 3) / 4 * 4;
    int worked   = layout->size >= end && write_gap(layout, layout->size - end);
    memmove(layout->record, layout->record + 1, strlen(layout->record + 1) + 1); /* the first comma */
    return worked && strlen(layout->record) + 2 < sizeof(layout->record);
}

int trial_layout_read(struct trial_layout *layout, struct trm_shader *module, uint32_t parameter)
{
    struct fields fields = {.module = module};
    struct trm_member_info block, first;

    memset(layout, 0, sizeof(*layout));
    if (!describe(module, parameter, &block) || block.member_count == 0 ||
        !describe(module, block.first_member, &first))
        return 0;
    if (block.member_count == 1 && first.count == 0)
        return flatten(&fields, &first, 0) && fields.count > 0 &&
               write_record(layout, &fields, first.array_stride);
    return flatten(&fields, &block, 0) && fields.count > 0 && write_record(layout, &fields, 0);
}
