/* Trireme: `trireme kc`, the compiler of portable kernels.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_KC_KC_H
#define TRIREME_TOOLS_KC_KC_H

#include "tools/output/output.h"

#include <trireme/trireme.h>

#include <limits.h>

enum kc_target {
    KC_SPV  = 1u << 0,
    KC_CPU  = 1u << 1,
    KC_CUDA = 1u << 2,
};

/* One requested specialisation of a kernel: constants by name or number, values as text. */
struct kc_variant {
    char *stem; /* of the files that it applies to; NULL: all */
    char **names;
    char **values;
    uint32_t count; /* 0: the defaults */
};

struct kc_options {
    char **files;
    uint32_t file_count;
    uint32_t targets;   /* enum kc_target */
    int32_t language;   /* of --emit (enum trm_language); 0: no --emit, files are made */
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

/* One input file and its results. */
struct kc_job {
    const char *file;
    char *stem;
    struct trm_shader *shader; /* NULL until it is created */
    char **outputs;            /* paths of the files that were written */
    uint32_t output_count;
    char *failure; /* the first failure; NULL: none */
};

/* State that all files of a call share. */
struct kc {
    const struct kc_options *options;
    struct trm_context *context;
    struct trm_device *cpu; /* opened on first use */
    uint32_t begun;         /* number of files begun */
};

/* ---- kc_options.c: the command line. Prints what is wrong with it and returns an exit status. */

int kc_parse(int argc, char **argv, struct kc_options *options);
void kc_options_fini(struct kc_options *options);

/* ---- kc_constants.c: specialisation */

/* Limits of the part of a file name between stem and extension that names a variant: "" or ".op=1,width=4",
 * as the library looks for it. */
enum {
    KC_VARIANT_NAME = 160,
    KC_CONSTANTS    = 64
};

/* The constants of a variant in the types that the shader declares. Returns NULL, or a sentence that says
 * what is wrong, which the caller frees. */
char *kc_constants(struct trm_shader *shader, const struct kc_variant *variant,
                   struct trm_constant *constants, char name[KC_VARIANT_NAME]);

/* ---- kc_compile.c: one file */

/* Make all outputs that were requested for job->file. False: it failed, job->failure says why. */
bool kc_compile(struct kc *kc, struct kc_job *job);
void kc_job_fini(struct kc_job *job);

/* Keep the first failure: a printf() sentence, or the library's last error. */
void kc_fail(struct kc_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));
void kc_fail_library(struct kc_job *job);

/* Remember a file that was written. */
void kc_add_output(struct kc_job *job, const char *path);

/* ---- kc_write.c: files are written atomically */

struct kc_file {
    char path[PATH_MAX];
    char temporary[PATH_MAX]; /* in the same folder, with the same extension */
    int descriptor;
};

/* Open a temporary file for `path`. kc_file_commit() closes it and renames it to `path`; kc_file_discard()
 * closes and removes it. */
bool kc_file_begin(struct kc_job *job, const char *path, struct kc_file *file);
bool kc_file_write(struct kc_job *job, struct kc_file *file, const void *bytes, uint64_t size);
bool kc_file_commit(struct kc_job *job, struct kc_file *file);
void kc_file_discard(struct kc_file *file);

/* Begin, write and commit. */
bool kc_write(struct kc_job *job, const char *path, const void *bytes, uint64_t size);

/* ---- kc_nvcc.c: CUDA's compiler */

bool kc_cuda_arch_is_valid(const char *list);

/* Compile CUDA C to `path`, and append the last line of the text, which names the origin of the code
 * (backends/cuda/module/trailer.h). */
bool kc_nvcc(const struct kc *kc, struct kc_job *job, const char *text, uint64_t length, const char *path);

/* ---- kc_print.c */

void kc_print_text(const struct kc_job *job);
void kc_print_json(const struct kc_job *job, struct json *json);
void kc_print_failure(const struct kc_job *job);

/* Show the current step on a terminal; kc_progress_end() clears it. */
void kc_progress(const struct kc *kc, const struct kc_job *job, const char *what);
void kc_progress_end(const struct kc *kc);

#endif
