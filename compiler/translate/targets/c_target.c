/* C for the cpu: the text before and behind the kernels. The text needs four C headers and none of Trireme's:
 * it repeats the declarations of <trireme/cpu_kernel.h>, and a unit test compares them.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/targets/c_target.h"

static const char head[] =
    "/* Made by Trireme from a SPIR-V module. <trireme/cpu_kernel.h> documents the interface. */\n"
    "#include <math.h>\n"
    "#include <stddef.h>\n"
    "#include <stdint.h>\n"
    "#include <string.h>\n"
    "\n"
    "/* Shaders compute values that nothing reads. */\n"
    "#pragma GCC diagnostic ignored \"-Wunused-variable\"\n"
    "#pragma GCC diagnostic ignored \"-Wunused-but-set-variable\"\n"
    "#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n"
    "#pragma GCC diagnostic ignored \"-Wunused-function\"\n"
    "\n"
    "/* Before a loop over work-items, which are independent. */\n"
    "#if defined(__clang__)\n"
    "#pragma clang diagnostic ignored \"-Wpass-failed\"\n"
    "#pragma clang diagnostic ignored \"-Wunused-label\"\n"
    "#pragma clang diagnostic ignored \"-Wtautological-compare\"\n"
    /* assume_safety would share local variables */
    "#define TRM_ITEMS _Pragma(\"clang loop vectorize(enable)\")\n"
    "#define TRM_UNROLL _Pragma(\"unroll\")\n"
    "#define TRM_ROLLED _Pragma(\"nounroll\")\n"
    "#else\n"
    "#pragma GCC diagnostic ignored \"-Wmaybe-uninitialized\"\n"
    "#define TRM_ITEMS _Pragma(\"GCC ivdep\")\n"
    "#define TRM_UNROLL _Pragma(\"GCC unroll 64\")\n"
    "#define TRM_ROLLED _Pragma(\"GCC unroll 1\")\n"
    "#endif\n"
    "\n"
    "/* Portable code is compiled for several levels of the architecture; the best one runs. */\n"
    "#if defined(TRM_PORTABLE) && defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && "
    "__GNUC__ >= "
    "12\n"
    "#define TRM_KERNEL \\\n"
    "    __attribute__((target_clones(\"default\", \"arch=x86-64-v3\", \"arch=x86-64-v4\"))) static\n"
    "#else\n"
    "#define TRM_KERNEL static\n"
    "#endif\n"
    "\n"
    "struct trm_cpu_buffer {\n"
    "    void *data;\n"
    "    uint64_t size;\n"
    "};\n"
    "\n"
    "struct trm_cpu_groups {\n"
    "    uint32_t struct_size;\n"
    "    uint32_t worker;\n"
    "    uint64_t begin;\n"
    "    uint64_t end;\n"
    "    uint32_t groups[3];\n"
    "    uint32_t group_size[3];\n"
    "    void *scratch;\n"
    "    uint64_t scratch_bytes;\n"
    "};\n"
    "\n"
    "struct trm_parameter {\n"
    "    const char *name;\n"
    "    int32_t kind;\n"
    "    int32_t type;\n"
    "    uint32_t access;\n"
    "    uint32_t components;\n"
    "    uint32_t size;\n"
    "    uint32_t stride;\n"
    "    uint32_t set;\n"
    "    uint32_t place;\n"
    "};\n"
    "\n"
    "struct trm_cpu_kernel {\n"
    "    const char *name;\n"
    "    int32_t (*function)(const struct trm_cpu_groups *groups, const void *arguments);\n"
    "    const struct trm_parameter *parameters;\n"
    "    uint32_t parameter_count;\n"
    "    uint32_t group_size[3];\n"
    "    uint32_t shared_bytes;\n"
    "    uint32_t grain;\n"
    "    uint32_t scratch_bytes;\n"
    "    uint32_t reserved;\n"
    "};\n"
    "\n"
    "struct trm_cpu_kernel_table {\n"
    "    uint32_t struct_size;\n"
    "    uint32_t kernel_size;\n"
    "    uint32_t count;\n"
    "    uint32_t reserved;\n"
    "    const struct trm_cpu_kernel *kernels;\n"
    "    const uint8_t *digest;\n"
    "};\n"
    "\n"
    "/* An index that is `at` for the first work-item of a row and grows by `step`, without the counter's "
    "share. */\n"
    "static inline int64_t trm_row(uint32_t at, int64_t step, int64_t first, int64_t last)\n"
    "{\n"
    "    int64_t index = at;\n"
    "\n"
    "    if (index + step * (last - first - 1) > INT64_C(4294967295))\n"
    "        index -= INT64_C(4294967296);\n"
    "    return index - step * first;\n"
    "}\n"
    "\n"
    "static inline int64_t trm_row_signed(uint32_t at, int64_t step, int64_t first, int64_t last)\n"
    "{\n"
    "    return (int32_t)at - step * first;\n"
    "}\n"
    "\n"
    "/* The end of a row whose work-items have `at` + item < `bound`, if that does not wrap around. */\n"
    "static inline int64_t trm_row_end(int64_t last, uint32_t at, int64_t bound)\n"
    "{\n"
    "    if (at + last - 1 > INT64_C(4294967295) || bound - at > last)\n"
    "        return last;\n"
    "    return bound - at;\n"
    "}\n"
    "\n"
    "static inline int64_t trm_lesser(int64_t a, int64_t b)\n"
    "{\n"
    "    return a < b ? a : b;\n"
    "}\n"
    "\n"
    "static inline int64_t trm_greater(int64_t a, int64_t b)\n"
    "{\n"
    "    return a > b ? a : b;\n"
    "}\n"
    "\n";

/* With bounds: the first access of the last call that was outside. */
static const char fault[] =
    "struct trm_cpu_fault {\n"
    "    uint32_t struct_size;\n"
    "    uint32_t reserved;\n"
    "    const char *what;\n"
    "    const char *where;\n"
    "    int64_t index;\n"
    "    uint64_t size;\n"
    "};\n"
    "\n"
    "static __thread struct trm_cpu_fault trm_last_fault;\n"
    "\n"
    "extern const struct trm_cpu_fault *trm_cpu_fault_v1(void);\n"
    "__attribute__((visibility(\"default\"))) const struct trm_cpu_fault *trm_cpu_fault_v1(void)\n"
    "{\n"
    "    return &trm_last_fault;\n"
    "}\n"
    "\n";

/* With bounds, and addresses: the buffers that they may point into. */
static const char live[] = "static __thread const struct trm_cpu_buffer *trm_live;\n"
                           "static __thread uint64_t trm_live_count;\n"
                           "\n"
                           "extern void trm_cpu_live_v1(const struct trm_cpu_buffer *live, uint64_t count);\n"
                           "__attribute__((visibility(\"default\"))) void trm_cpu_live_v1(const struct "
                           "trm_cpu_buffer *live, uint64_t "
                           "count)\n"
                           "{\n"
                           "    trm_live       = live;\n"
                           "    trm_live_count = count;\n"
                           "}\n"
                           "\n";

void target_c_begin(struct emit *emit)
{
    text_add_bytes(&emit->head, head, sizeof(head) - 1);
    if (!(emit->flags & TRM_TRANSLATE_BOUNDS))
        return;
    text_add_bytes(&emit->head, fault, sizeof(fault) - 1);
    if (emit->module->address_type != 0)
        text_add_bytes(&emit->head, live, sizeof(live) - 1);
    target_write_sites(emit, "static const");
}

/* As backends get them. Returns how many there are. */
static uint32_t write_parameters(struct emit *emit)
{
    struct trm_kernel_info flat          = *target_kernel_info(emit);
    const struct trm_kernel_info *kernel = &flat;

    if (spirv_flatten(emit->arena, &flat) != TRM_OK)
        return 0;

    if (kernel->parameter_count == 0)
        return 0;
    text_line(&emit->text, "static const struct trm_parameter trm_parameters[] = {");
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const struct trm_parameter *p = &kernel->parameters[i];
        text_begin_line(&emit->text);
        text_add(&emit->text, "{");
        target_string(&emit->text, p->name == NULL ? "" : p->name);
        text_add(&emit->text, ", %d, %d, %u, %u, %u, %u, %u, %u},\n", p->kind, p->type, p->access,
                 p->components, p->size, p->stride, p->set, p->place);
    }
    text_close(&emit->text, "};");
    text_add_bytes(&emit->text, "\n", 1);
    return kernel->parameter_count;
}

static void write_digest(struct emit *emit)
{
    if (emit->digest == NULL)
        return;
    text_line(&emit->text, "static const uint8_t trm_digest[32] = {");
    for (uint32_t i = 0; i < 32; i++) {
        if (i % 16 == 0)
            text_begin_line(&emit->text);
        text_add(&emit->text, "%s%u,", i % 16 == 0 ? "" : " ", emit->digest[i]);
    }
    text_close(&emit->text, "};");
    text_add_bytes(&emit->text, "\n", 1);
}

static void write_row(struct emit *emit, uint32_t index, uint32_t parameter_count)
{
    const struct trm_kernel_info *kernel = &emit->reflection.kernels[index];
    const char *symbol                   = emit->symbols[index];
    const uint32_t *size                 = emit->module->entries[index].local_size;

    text_line(&emit->text, "{");
    text_begin_line(&emit->text);
    text_add(&emit->text, ".name = ");
    target_string(&emit->text, kernel->name);
    text_add(&emit->text, ",\n");
    text_line(&emit->text, ".function = %s,", symbol);
    if (parameter_count != 0)
        text_line(&emit->text, ".parameters = trm_parameters,");
    text_line(&emit->text, ".parameter_count = %u,", parameter_count);
    text_line(&emit->text, ".group_size = {%u, %u, %u},", size[0], size[1], size[2]);
    text_line(&emit->text, ".shared_bytes = %s_SHARED_BYTES,", symbol);
    text_line(&emit->text, ".scratch_bytes = %s_KEPT_BYTES,", symbol);
    text_close(&emit->text, "},");
}

void target_c_end(struct emit *emit)
{
    emit->kernel   = 0;
    uint32_t count = write_parameters(emit);
    write_digest(emit);
    text_line(&emit->text, "static const struct trm_cpu_kernel trm_kernels[] = {");
    for (uint32_t i = 0; i < emit->reflection.kernel_count; i++)
        write_row(emit, i, count);
    text_close(&emit->text, "};");
    text_add_bytes(&emit->text, "\n", 1);
    text_line(&emit->text, "extern const struct trm_cpu_kernel_table trm_cpu_kernels_v1;");
    text_line(
        &emit->text,
        "__attribute__((visibility(\"default\"))) const struct trm_cpu_kernel_table trm_cpu_kernels_v1 = {");
    text_line(&emit->text, ".struct_size = sizeof(struct trm_cpu_kernel_table),");
    text_line(&emit->text, ".kernel_size = sizeof(struct trm_cpu_kernel),");
    text_line(&emit->text, ".count = %u,", emit->reflection.kernel_count);
    text_line(&emit->text, ".kernels = trm_kernels,");
    text_line(&emit->text, ".digest = %s,", emit->digest == NULL ? "NULL" : "trm_digest");
    text_close(&emit->text, "};");
}

const struct emit_target target_c = {
    .language  = TRM_LANGUAGE_C,
    .begin     = target_c_begin,
    .kernel    = target_c_kernel,
    .end       = target_c_end,
    .builtin   = target_c_builtin,
    .items     = target_c_items,
    .leave     = target_c_leave,
    .arguments = "arguments.",
};
