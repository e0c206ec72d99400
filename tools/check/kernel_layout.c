/* Trireme: what the structs in a kernel's buffers and push constants consist of, as runs of scalars.
 *
 * The parameters of a kernel say only that such a buffer has elements of several types; the members are in
 * the reflection of its shader.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/kernel.h"

#include <stdio.h>
#include <string.h>

enum {
    STEPS = 65536, /* parts that are looked at: nested arrays may have a thousand million */
};

struct walk {
    struct kernel_layout *layout;
    struct trm_shader *shader;
    uint32_t steps;
    bool is_cut; /* more runs or parts than are kept */
};

/* Adds scalars at a distance of `stride` bytes, to the run before them if they go on with it. */
static void add_run(struct walk *walk, const struct kernel_field *field)
{
    struct kernel_layout *layout = walk->layout;
    struct kernel_field *last    = layout->count > 0 ? &layout->fields[layout->count - 1] : NULL;

    if (last && layout->count > layout->head_count && last->type == field->type &&
        strcmp(last->name, field->name) == 0 && field->offset - last->offset == last->count * last->stride &&
        (field->count == 1 || field->stride == last->stride)) {
        last->count += field->count;
        return;
    }
    if (layout->count < KERNEL_FIELDS)
        layout->fields[layout->count++] = *field;
    else
        walk->is_cut = true;
}

static void add_scalars(struct walk *walk, const struct trm_member_info *part, uint32_t offset,
                        const char *name)
{
    struct kernel_field field = {.type = part->type, .stride = trm_type_size(part->type)};
    uint32_t vectors          = 1;

    field.count = part->components;
    if (part->columns > 0) {
        vectors     = part->is_row_major ? part->components / part->columns : part->columns;
        field.count = part->components / vectors;
    } else if (part->array_stride == part->components * field.stride && part->count > 1) {
        field.count = part->count * part->components;
    }
    snprintf(field.name, sizeof(field.name), "%.*s", (int)sizeof(field.name) - 1, name);
    for (uint32_t i = 0; i < vectors; i++) {
        field.offset = offset + i * part->matrix_stride;
        add_run(walk, &field);
    }
}

/* Adds a part that lies in another, which begins at an offset. Of an array of open length, which is the last
 * part of a buffer, one element. */
static void add_part(struct walk *walk, uint32_t index, uint32_t offset, const char *name)
{
    struct trm_member_info part = {.struct_size = sizeof(part)};
    uint32_t count;

    if (trm_shader_member(walk->shader, index, &part) != TRM_OK)
        return;
    offset += part.offset;
    name  = *part.name ? part.name : name;
    count = part.count;
    if (count == 0) {
        walk->layout->tail        = offset;
        walk->layout->tail_stride = part.array_stride;
        walk->layout->head_count  = walk->layout->count;
        offset                    = 0;
        count                     = 1;
    } else if (part.type != TRM_TYPE_NONE && part.columns == 0 &&
               part.array_stride == part.components * trm_type_size(part.type)) {
        count = 1; /* one run has them all */
    }
    for (uint32_t i = 0; i < count && !walk->is_cut; i++, offset += part.array_stride) {
        if (walk->steps++ == STEPS) {
            walk->is_cut = true;
            return;
        }
        if (part.type != TRM_TYPE_NONE)
            add_scalars(walk, &part, offset, name);
        for (uint32_t k = 0; k < part.member_count; k++)
            add_part(walk, part.first_member + k, offset, name);
    }
}

void kernel_layout_make(struct kernel_layout *layout, struct trm_shader *shader, uint32_t parameter)
{
    struct walk walk = {.layout = layout, .shader = shader};

    add_part(&walk, parameter, 0, "");
    if (layout->tail_stride == 0)
        layout->head_count = layout->count;
    /* A layout without its end would leave the end neither filled nor compared. */
    if (walk.is_cut)
        layout->count = layout->head_count = layout->tail = layout->tail_stride = 0;
}

/* Visits runs of scalars that lie `base` bytes further on, as far as they are in the buffer. */
static void visit_fields(const struct kernel_field *fields, uint32_t count, const struct kernel_place *place,
                         kernel_layout_visit_fn visit, void *user)
{
    for (uint32_t i = 0; i < count; i++) {
        struct kernel_place own = *place;
        uint32_t size           = trm_type_size(fields[i].type);

        own.field = &fields[i];
        own.offset += fields[i].offset;
        for (own.count = 0; own.count < fields[i].count; own.count++)
            if (own.offset + (uint64_t)own.count * fields[i].stride + size > place->bytes)
                break;
        if (own.count > 0)
            visit(user, &own);
    }
}

void kernel_layout_each(const struct kernel_layout *layout, uint64_t bytes, kernel_layout_visit_fn visit,
                        void *user)
{
    struct kernel_place place = {.bytes = bytes};

    visit_fields(layout->fields, layout->head_count, &place, visit, user);
    for (place.offset = layout->tail; layout->tail_stride > 0 && place.offset < bytes;
         place.offset += layout->tail_stride, place.element++)
        visit_fields(layout->fields + layout->head_count, layout->count - layout->head_count, &place, visit,
                     user);
}
