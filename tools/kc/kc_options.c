/* Trireme: the command line of `trireme kc`.
 * SPDX-License-Identifier: MIT
 */
#include "tools/kc/kc.h"

#include "tools/command/command.h"
#include "tools/output/output.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_TARGET = 256,
    OPTION_PORTABLE,
    OPTION_EMIT,
    OPTION_CONSTANT,
    OPTION_VARIANTS,
    OPTION_NVCC,
    OPTION_CUDA_ARCH,
    OPTION_JSON
};

static int complain(const char *complaint)
{
    return command_usage_error(&kc_command, complaint);
}

static int parse_targets(const char *list, uint32_t *targets)
{
    static const char *const names[] = {"spv", "cpu", "cuda"};

    *targets = 0;
    for (;;) {
        size_t length  = strcspn(list, ",");
        uint32_t found = 0;

        for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
            if (strlen(names[i]) == length && strncmp(names[i], list, length) == 0)
                found = 1u << i;
        if (found == 0)
            return complain("--target takes spv, cpu and cuda, with commas between them");
        *targets |= found;
        if (list[length] == '\0')
            return COMMAND_OK;
        list += length + 1;
    }
}

static int parse_language(const char *name, int32_t *language)
{
    if (strcmp(name, "c") == 0)
        *language = TRM_LANGUAGE_C;
    else if (strcmp(name, "cuda") == 0)
        *language = TRM_LANGUAGE_CUDA;
    else
        return complain("--emit takes c or cuda");
    return COMMAND_OK;
}

/* -O and -g: without a value they keep the default, with 0 they set `flag`. */
static int parse_switch(const char *value, uint32_t flag, uint32_t *flags)
{
    if (!value)
        *flags &= ~flag;
    else if (strcmp(value, "0") == 0)
        *flags |= flag;
    else
        return complain("-O and -g take no value, or 0");
    return COMMAND_OK;
}

/* ---- variants ---- */

static struct kc_variant *add_variant(struct kc_options *options, const char *stem)
{
    struct kc_variant *variants = output_allocate(options->variant_count + 1, sizeof(*variants));

    if (options->variant_count > 0)
        memcpy(variants, options->variants, options->variant_count * sizeof(*variants));
    free(options->variants);
    options->variants = variants;
    variants += options->variant_count++;
    variants->stem   = stem ? output_copy(stem) : NULL;
    variants->names  = output_allocate(KC_CONSTANTS, sizeof(*variants->names));
    variants->values = output_allocate(KC_CONSTANTS, sizeof(*variants->values));
    return variants;
}

/* Parse NAME=VALUE. Returns NULL, or what is wrong with it. */
static const char *add_constant(struct kc_variant *variant, const char *text)
{
    size_t length = strcspn(text, "=");

    if (length == 0 || text[length] == '\0' || text[length + 1] == '\0')
        return "a constant is written NAME=VALUE";
    if (variant->count == KC_CONSTANTS)
        return "too many constants";
    variant->names[variant->count]         = output_copy(text);
    variant->names[variant->count][length] = '\0';
    variant->values[variant->count]        = output_copy(text + length + 1);
    variant->count++;
    return NULL;
}

/* Parse a line of the list of variants: FILE NAME=VALUE …; '#' begins a comment. */
static const char *parse_line(struct kc_options *options, char *line)
{
    static const char blanks[] = " \t\r\n";
    struct kc_variant *variant;
    const char *complaint = NULL;
    char *rest, *word;

    line[strcspn(line, "#")] = '\0';
    word                     = strtok_r(line, blanks, &rest);
    if (!word)
        return NULL;
    variant = add_variant(options, word);
    while (!complaint && (word = strtok_r(NULL, blanks, &rest)) != NULL)
        complaint = add_constant(variant, word);
    if (!complaint && variant->count == 0)
        complaint = "a variant has at least one NAME=VALUE";
    return complaint;
}

static int read_variants(struct kc_options *options, const char *path)
{
    FILE *file      = fopen(path, "re");
    char *line      = NULL;
    size_t capacity = 0;
    int status      = COMMAND_OK;

    if (!file) {
        fprintf(stderr, "trireme kc: %s: %s\n", path, strerror(errno));
        return complain(NULL);
    }
    for (unsigned number = 1; status == COMMAND_OK && getline(&line, &capacity, file) >= 0; number++) {
        const char *complaint = parse_line(options, line);

        if (complaint) {
            fprintf(stderr, "trireme kc: %s:%u: %s\n", path, number, complaint);
            status = complain(NULL);
        }
    }
    free(line);
    fclose(file);
    return status;
}

/* ---- the whole ---- */

struct parser {
    struct kc_options *options;
    struct kc_variant *given; /* by --constant */
    const char *list;         /* of --variants */
};

static int parse_constant(struct parser *parser, const char *text)
{
    const char *complaint;

    if (!parser->given)
        parser->given = add_variant(parser->options, NULL);
    complaint = add_constant(parser->given, text);
    return complaint ? complain(complaint) : COMMAND_OK;
}

static int parse_option(struct parser *parser, int option, const char *value)
{
    struct kc_options *options = parser->options;

    switch (option) {
    case 'o':
        options->folder = value;
        return COMMAND_OK;
    case 'D':
        options->defines[options->define_count++] = value;
        return COMMAND_OK;
    case 'I':
        options->includes[options->include_count++] = value;
        return COMMAND_OK;
    case 'O':
        return parse_switch(value, TRM_GLSL_UNOPTIMIZED, &options->glsl_flags);
    case 'g':
        return parse_switch(value, TRM_GLSL_NO_DEBUG, &options->glsl_flags);
    case 'q':
        options->quiet = true;
        return COMMAND_OK;
    case 'v':
        options->verbose = true;
        return COMMAND_OK;
    case OPTION_TARGET:
        return parse_targets(value, &options->targets);
    case OPTION_PORTABLE:
        options->portable = true;
        return COMMAND_OK;
    case OPTION_EMIT:
        return parse_language(value, &options->language);
    case OPTION_CONSTANT:
        return parse_constant(parser, value);
    case OPTION_VARIANTS:
        parser->list = value;
        return COMMAND_OK;
    case OPTION_NVCC:
        options->nvcc = value;
        return COMMAND_OK;
    case OPTION_CUDA_ARCH:
        options->cuda_arch = value;
        return kc_cuda_arch_is_valid(value) ? COMMAND_OK
                                            : complain("--cuda-arch takes all-major, all, native, or numbers "
                                                       "like 90 with commas between them");
    case OPTION_JSON:
        options->json = true;
        return COMMAND_OK;
    default:
        return complain(NULL);
    }
}

static int check(const struct parser *parser)
{
    const struct kc_options *options = parser->options;

    if (options->file_count == 0)
        return complain("a file is missing");
    if (options->language != 0 && options->json)
        return complain("--emit and --json do not go together");
    if (options->language != 0 && !options->folder && options->file_count > 1)
        return complain("--emit shows one file; with -o it writes many");
    if (parser->list && (parser->given || (options->language != 0 && !options->folder)))
        return complain("--variants goes neither with --constant nor with --emit without -o");
    return COMMAND_OK;
}

int kc_parse(int argc, char **argv, struct kc_options *options)
{
    static const struct option known[] = {
        {"target", required_argument, NULL, OPTION_TARGET},
        {"portable", no_argument, NULL, OPTION_PORTABLE},
        {"emit", required_argument, NULL, OPTION_EMIT},
        {"constant", required_argument, NULL, OPTION_CONSTANT},
        {"variants", required_argument, NULL, OPTION_VARIANTS},
        {"nvcc", required_argument, NULL, OPTION_NVCC},
        {"cuda-arch", required_argument, NULL, OPTION_CUDA_ARCH},
        {"json", no_argument, NULL, OPTION_JSON},
        {"quiet", no_argument, NULL, 'q'},
        {"verbose", no_argument, NULL, 'v'},
        {NULL, 0, NULL, 0},
    };
    struct parser parser = {.options = options};
    int status           = COMMAND_OK, option;

    options->targets   = KC_SPV;
    options->nvcc      = "nvcc";
    options->cuda_arch = "all-major";
    options->defines   = output_allocate((size_t)argc, sizeof(*options->defines));
    options->includes  = output_allocate((size_t)argc, sizeof(*options->includes));
    while (status == COMMAND_OK && (option = getopt_long(argc, argv, "o:D:I:O::g::qv", known, NULL)) != -1)
        status = parse_option(&parser, option, optarg);
    if (status != COMMAND_OK)
        return status;
    options->files      = argv + optind;
    options->file_count = (uint32_t)(argc - optind);
    status              = check(&parser);
    if (status == COMMAND_OK && !parser.given)
        add_variant(options, NULL);
    if (status == COMMAND_OK && parser.list)
        status = read_variants(options, parser.list);
    return status;
}

void kc_options_fini(struct kc_options *options)
{
    for (uint32_t i = 0; i < options->variant_count; i++) {
        struct kc_variant *variant = &options->variants[i];

        for (uint32_t c = 0; c < variant->count; c++) {
            free(variant->names[c]);
            free(variant->values[c]);
        }
        free(variant->names);
        free(variant->values);
        free(variant->stem);
    }
    free(options->variants);
    free(options->defines);
    free(options->includes);
}
