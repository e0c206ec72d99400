/* Kernels that do what a GPU cannot survive.
 * SPDX-License-Identifier: MIT
 */
#include "tests/cuda/illegal.h"

#include <string.h>

/* stray(data): `deed` is its code, with `address` of data, `value` 1 and the declarations in `before`. */
#define PTX(before, deed)                                                   \
    ".version 7.0\n"                                                        \
    ".target sm_70\n"                                                       \
    ".address_size 64\n" before ".visible .entry stray(.param .u64 data)\n" \
    "{\n"                                                                   \
    "    .reg .u64 address;\n"                                              \
    "    .reg .u32 value;\n"                                                \
    "    ld.param.u64 address, [data];\n"                                   \
    "    cvta.to.global.u64 address, address;\n"                            \
    "    mov.u32 value, 1;\n" deed "    ret;\n"                             \
    "}\n"

static const char *const texts[] = {
    [ILLEGAL_NOTHING] = PTX("", ""),
    /* 64 TiB further on */
    [ILLEGAL_ADDRESS] =
        PTX("", "    add.u64 address, address, 70368744177664;\n    st.global.u32 [address], value;\n"),
    [ILLEGAL_ALIGNMENT] = PTX("", "    add.u64 address, address, 1;\n    st.global.u32 [address], value;\n"),
    [ILLEGAL_TRAP]      = PTX("", "    trap;\n"),
    /* What assert() of CUDA C++ does. */
    [ILLEGAL_ASSERT] =
        PTX(".extern .func __assertfail(.param .b64 message, .param .b64 file, .param .b32 line,\n"
            "    .param .b64 function, .param .b64 char_size);\n"
            ".global .align 1 .b8 word[6] = {115, 116, 114, 97, 121, 0};\n",
            "    {\n"
            "    .param .b64 message, file, function, char_size;\n"
            "    .param .b32 line;\n"
            "    mov.u64 address, word;\n"
            "    cvta.global.u64 address, address;\n"
            "    st.param.b64 [message], address;\n"
            "    st.param.b64 [file], address;\n"
            "    st.param.b32 [line], value;\n"
            "    st.param.b64 [function], address;\n"
            "    mov.u64 address, 1;\n"
            "    st.param.b64 [char_size], address;\n"
            "    call.uni __assertfail, (message, file, line, function, char_size);\n"
            "    }\n"),
    [ILLEGAL_JUMP] = PTX("", "    shape: .callprototype _ ();\n"
                             "    mov.u64 address, 6148914691236517205;\n"
                             "    call address, (), shape;\n"),
};

int32_t illegal_load(struct trm_device *device, enum illegal_deed deed, struct trm_kernel **kernel)
{
    const struct trm_parameter data    = {.name = "data", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_U32};
    const struct trm_kernel_info stray = {.struct_size     = sizeof(stray),
                                          .parameter_count = 1,
                                          .parameters      = &data,
                                          .name            = ILLEGAL_KERNEL,
                                          .group_size      = {1, 1, 1}};
    const struct trm_native_options native = {
        .struct_size = sizeof(native), .kernel_count = 1, .kernels = &stray};
    struct trm_module_desc desc = {.struct_size = sizeof(desc),
                                   .format      = TRM_MODULE_PTX,
                                   .data        = texts[deed],
                                   .size        = strlen(texts[deed]) + 1,
                                   .name        = ILLEGAL_KERNEL,
                                   .native      = &native};
    struct trm_module *module   = NULL;
    int32_t status              = trm_module_load(device, &desc, &module);
    if (status == TRM_OK)
        status = trm_kernel_get(module, ILLEGAL_KERNEL, kernel);
    trm_module_destroy(module);
    return status;
}

int32_t illegal_launch(struct trm_stream *stream, struct trm_kernel *kernel, struct trm_buffer *buffer)
{
    struct trm_argument argument = trm_arg_buffer(buffer);
    struct trm_grid grid         = trm_grid_1d(1, 0);
    return trm_launch(stream, kernel, &grid, &argument, 1);
}
