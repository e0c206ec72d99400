/* Trireme: `trireme kc`, the compiler of portable kernels.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_KC_H
#define TRIREME_TOOLS_KC_H

#include "json.h"

#include <trireme/trireme.h>

#include <limits.h>

enum kc_target {
    KC_SPV  = 1u << 0,
    KC_CPU  = 1u << 1,
    KC_CUDA = 1u << 2,
};

/* One specialisation of a kernel, as it was asked for: constants by name or number, values as text. */
struct kc_variant {
    char *stem; /* of the files it is for; NULL: of all */
    char **names;
    char **values;
    uint32_t count; /* 0: the defaults */
};

struct kc_options {
    char **files;
    uint32_t file_count;
    uint32_t targets;   /* enum kc_target */
    int32_t language;   /* what --emit shows (enum trm_language); 0: nothing is shown, but files are made */
    const char *folder; /* NULL: beside the input */
    const char *nvcc;
    const char *cuda_arch;
    uint32_t glsl_flags; /* enum trm_glsl_flag */
    const char **defines;
    const char **includes;
    uint32_t define_count;
    uint32_t include_count;
    struct kc_variant *variants;
    uint32_t variant_count;
    bool portable;
    bool json;
    bool quiet;
    bool verbose;
};

/* One input on its way. */
struct kc_job {
    const char *file;
    char *stem;
    struct trm_shader *shader; /* NULL until it is made */
    char **outputs;            /* paths of what was written */
    uint32_t output_count;
    char *failure; /* what went wrong first; NULL when nothing did */
};

/* What all files of a call share. */
struct kc {
    const struct kc_options *options;
    struct trm_context *context;
    struct trm_device *cpu; /* opened when it is needed first */
    uint32_t begun;         /* files */
};

/* ---- kc_options.c: the command line. Returns an exit status, after having said what is wrong. */

int kc_parse(int argc, char **argv, struct kc_options *options);
void kc_options_fini(struct kc_options *options);

/* ---- kc_constants.c: specialisation */

/* What comes between stem and extension of the files of one variant: "" or ".op=1,width=4", as the library looks for
 * them. Longer ones are the names of no file. */
enum {
    KC_VARIANT_NAME = 160,
    KC_CONSTANTS    = 64
};

/* The constants of a variant in the types that the shader gives them. Returns NULL, or the sentence that says what is
 * wrong, for free(). */
char *kc_constants(struct trm_shader *shader, const struct kc_variant *variant,
                   struct trm_constant *constants, char name[KC_VARIANT_NAME]);

/* A value of a type as it stands on a command line, as bits. False: it is none. */
bool kc_value(int32_t type, const char *text, uint64_t *bits);

/* ---- kc_compile.c: one file */

/* Make all that was asked for of job->file. Returns whether that went well; else job->failure says why not. */
bool kc_compile(struct kc *kc, struct kc_job *job);
void kc_job_fini(struct kc_job *job);

/* Keep what went wrong first: the words of printf(), or of the library's last error. */
void kc_fail(struct kc_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));
void kc_fail_library(struct kc_job *job);

/* Remember a file that was written. */
void kc_add_output(struct kc_job *job, const char *path);

/* ---- kc_write.c: files appear whole or not at all */

struct kc_file {
    char path[PATH_MAX];
    char temporary[PATH_MAX]; /* beside it, ending like it */
    int descriptor;
};

/* Open a file that becomes `path` at the end. It is closed, and removed or given its name, by one of the two. */
bool kc_file_begin(struct kc_job *job, const char *path, struct kc_file *file);
bool kc_file_write(struct kc_job *job, struct kc_file *file, const void *bytes, uint64_t size);
bool kc_file_commit(struct kc_job *job, struct kc_file *file);
void kc_file_discard(struct kc_file *file);

/* The three in one. */
bool kc_write(struct kc_job *job, const char *path, const void *bytes, uint64_t size);

/* ---- kc_nvcc.c: CUDA's compiler as a child process. The text's last line, which says whose code it is, comes behind the code
 * as well (backends/cuda/module/trailer.h). */

bool kc_cuda_arch_is_valid(const char *list);
bool kc_nvcc(const struct kc_options *options, struct kc_job *job, const char *text, uint64_t length,
             const char *path);

/* ---- kc_print.c */

void kc_print_text(const struct kc_job *job);
void kc_print_json(const struct kc_job *job, struct json *json);
void kc_print_failure(const struct kc_job *job);

/* On a terminal, what is being done; cleared by kc_progress_end(). */
void kc_progress(const struct kc *kc, const struct kc_job *job, const char *what);
void kc_progress_end(const struct kc *kc);

#endif
