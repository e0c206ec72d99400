/* Element and scalar types.
 * SPDX-License-Identifier: MIT
 */
#include "base/type.h"

#include <string.h>

struct type_words {
    uint32_t size;
    const char *name;
};

static const struct type_words types[] = {
    [TRM_TYPE_NONE] = {0, "none"}, [TRM_TYPE_U8] = {1, "u8"},   [TRM_TYPE_I8] = {1, "i8"},
    [TRM_TYPE_U16] = {2, "u16"},   [TRM_TYPE_I16] = {2, "i16"}, [TRM_TYPE_F16] = {2, "f16"},
    [TRM_TYPE_U32] = {4, "u32"},   [TRM_TYPE_I32] = {4, "i32"}, [TRM_TYPE_F32] = {4, "f32"},
    [TRM_TYPE_U64] = {8, "u64"},   [TRM_TYPE_I64] = {8, "i64"}, [TRM_TYPE_F64] = {8, "f64"},
    [TRM_TYPE_BF16] = {2, "bf16"},
};

static const struct type_words *words_of(int32_t type)
{
    if (type < 0 || (size_t)type >= sizeof(types) / sizeof(types[0]))
        return &types[TRM_TYPE_NONE];
    return &types[type];
}

uint32_t trm_type_size(int32_t type)
{
    return words_of(type)->size;
}

const char *trm_type_name(int32_t type)
{
    return words_of(type)->name;
}

int32_t base_type_parse(const char *name)
{
    int32_t type = (int32_t)(sizeof(types) / sizeof(types[0])) - 1;
    while (type != TRM_TYPE_NONE && strcmp(types[type].name, name) != 0)
        type--;
    return type;
}
