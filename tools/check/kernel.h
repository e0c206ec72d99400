/* Trireme: the user's kernel on every device, with inputs that are made up from its parameters.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_CHECK_KERNEL_H
#define TRIREME_TOOLS_CHECK_KERNEL_H

#include "tools/check/check.h"
#include "tools/kernel/kernel.h"

enum {
    KERNEL_SIZES      = 5,
    KERNEL_PARAMETERS = 32,
    KERNEL_CONSTANTS  = 16,
    KERNEL_NAME       = 64,
    KERNEL_FIELDS     = 512,
};

#define KERNEL_SIZE_BYTES ((uint64_t)48 << 20)    /* the most for the buffers of one size */
#define KERNEL_SHARED_BYTES ((uint64_t)384 << 20) /* code and results of all sizes; touched as needed */

/* One size at which the kernel runs. */
struct kernel_size {
    uint64_t items[3];
    uint64_t elements; /* of buffers without a length from the user; the search for bounds may raise it */
    uint64_t place;    /* of the results in kernel_shared.data */
    bool has_reference;
};

/* Scalars of one type at equal distances. */
struct kernel_field {
    /* of the first: from the start of the buffer, or of an element of the array at its end */
    uint32_t offset;
    uint32_t count;
    uint32_t stride; /* bytes from one to the next */
    int32_t type;    /* enum trm_type */
    char name[32];   /* of the member */
};

/* What a buffer or push constant consists of. The first `head_count` fields are there once, the others in
 * each element of the array of open length that it ends with. */
struct kernel_layout {
    struct kernel_field fields[KERNEL_FIELDS];
    uint32_t head_count, count;
    uint32_t tail;        /* where that array begins */
    uint32_t tail_stride; /* bytes from one of its elements to the next; 0: there is none */
};

/* A specialization constant that is a side of the size of a group. */
struct kernel_group_constant {
    uint32_t id;
    int32_t type;   /* enum trm_type */
    uint32_t side;  /* 0 to 2 */
    uint32_t value; /* 0: there is none */
    uint32_t other; /* the value that is tried besides */
};

/* What the jobs about a kernel share. */
struct kernel_shared {
    bool is_found;
    bool is_named;  /* built in: there may be precompiled code */
    bool is_native; /* a shared object: of the cpu alone */
    bool has_subgroups;
    bool is_misuse; /* the command line is wrong, and why */
    char misuse[FAULT_TEXT];
    char obstacle[256];                 /* why inputs cannot be made up; "": they can */
    bool is_random;                     /* results differ from run to run */
    struct kernel_group_constant group; /* the side of a group that another size is tried of */
    char skipped[128];                  /* why it is not run on further devices; "": it is */
    char name[KERNEL_NAME];
    char path[4096];                                 /* of a shared object */
    struct trm_constant constants[KERNEL_CONSTANTS]; /* by their ids */
    uint32_t constant_count;
    struct kernel_size sizes[KERNEL_SIZES];
    uint32_t size_count;
    struct kernel_layout layouts[KERNEL_PARAMETERS]; /* of parameters without a type */
    char reference[64];                              /* the device whose results are those in `data` */
    uint64_t word_bytes;
    unsigned char data[]; /* SPIR-V, then results */
};

struct kernel_check {
    const struct check *check;
    const char *section; /* of the findings */
    struct spec *spec;
    struct kernel_shared *shared;
    const struct trm_device_summary *summary; /* of the device of this job */
    bool has_one_worker;                      /* this job runs on the cpu with one worker thread */
};

/* ---- kernel_inputs.c: arguments that are made up */

struct kernel_argument {
    const struct trm_parameter *parameter;
    uint64_t bytes;       /* of a buffer */
    unsigned char *start; /* what the buffer has before a launch; of a block, its bytes */
    bool is_written;
    uint64_t bits;                      /* of a scalar */
    const struct kernel_layout *layout; /* of structs; NULL: the parameter has a type, or nothing is known */
};

struct kernel_inputs {
    struct kernel_argument arguments[KERNEL_PARAMETERS];
    uint32_t count;
    uint64_t items[3];
    uint64_t elements;     /* of buffers without a length from the user */
    uint64_t result_bytes; /* of all written buffers */
    uint64_t total_bytes;
};

/* Why inputs for a kernel cannot be made up; "": they can. */
void kernel_inputs_obstacle(const struct trm_kernel_info *info, const void *words, uint64_t size, char *text,
                            size_t capacity);

/* Does a module use operations of subgroups, whose sizes differ from device to device? */
bool kernel_inputs_has_subgroups(const void *words, uint64_t size);

/* The sizes at which a kernel is worth running: one work-item, one more than a group, and odd numbers of
 * them; one size alone if the user gives the count. */
void kernel_inputs_sizes(const struct trm_kernel_info *info, struct spec *spec, bool is_quick,
                         struct kernel_shared *shared);

/* Read "100", "100x20" or "100x20x3". False: it is none of them, or a side is 0. */
bool kernel_inputs_items(const char *text, uint64_t items[3]);

/* Does a parameter look like a number of elements, which the kernel can compare its index with? */
bool kernel_inputs_has_count(const struct trm_kernel_info *info);

/* Make up the arguments of a size. The same for every device. */
void kernel_inputs_make(struct kernel_inputs *inputs, const struct trm_kernel_info *info,
                        const struct kernel_check *it, const struct kernel_size *size);
void kernel_inputs_release(struct kernel_inputs *inputs);

/* "1000 work-items, n = 1000, a = 0.5, buffers of 1000 elements"; capacity: 256 at least */
void kernel_inputs_text(const struct kernel_inputs *inputs, char *text, size_t capacity);

/* Whether the user's options say how many work-items there are. */
bool kernel_inputs_has_sides(const struct trm_kernel_info *info, struct spec *spec);

/* Work-items of the groups that cover the items. */
uint64_t kernel_inputs_launched(const struct trm_kernel_info *info, const struct kernel_size *size);

/* ---- kernel_layout.c */

/* Find out what a parameter of a shader consists of; `layout` is zero, and stays so where that is too much:
 * its words then have no known type. */
void kernel_layout_make(struct kernel_layout *layout, struct trm_shader *shader, uint32_t parameter);

/* Where the scalars of a field are in a buffer. */
struct kernel_place {
    const struct kernel_field *field;
    uint64_t bytes; /* of the buffer */
    uint64_t offset;
    uint64_t element; /* of the array at the buffer's end; 0 for what is before that */
    uint32_t count;   /* scalars that are in the buffer */
};

typedef void (*kernel_layout_visit_fn)(void *user, const struct kernel_place *place);

/* Visit everything in a buffer. */
void kernel_layout_each(const struct kernel_layout *layout, uint64_t bytes, kernel_layout_visit_fn visit,
                        void *user);

/* ---- kernel_words.c: what only the SPIR-V says */

/* The constant that is a side of the group, of the last side that has one. False: all sides are fixed. */
bool kernel_words_group(const uint32_t *words, uint64_t size, uint32_t *id, uint32_t *side);

/* Does the module have barriers? */
bool kernel_words_has_barriers(const uint32_t *words, uint64_t size);

/* Does it have cooperative matrices? */
bool kernel_words_has_matrices(const uint32_t *words, uint64_t size);

/* A shared variable that begins with no value. */
struct kernel_variable {
    uint32_t id;
    uint32_t type; /* of its values */
    char name[64];
};

/* Those of a module, at most `most`. Returns their number. */
uint32_t kernel_words_variables(const uint32_t *words, uint64_t size, struct kernel_variable *variables,
                                uint32_t most);

/* The lines on which a variable is read, such as "sum.comp:12, 17", as many as fit; "" without debug
 * information. */
void kernel_words_reads(const uint32_t *words, uint64_t size, uint32_t variable, char *text, size_t capacity);

/* The module with these variables beginning with zeros, in memory that the caller frees. */
uint32_t *kernel_words_zeroed(const uint32_t *words, uint64_t size, const struct kernel_variable *variables,
                              uint32_t count, uint64_t *zeroed_size);

/* ---- kernel_run.c: one device */

struct kernel_run {
    const struct kernel_check *check;
    struct report *report;
    struct trm_context *context;
    struct trm_device *device;
    struct trm_module *module;
    struct trm_kernel *kernel;
    struct trm_kernel_info info;
    struct trm_constant constants[KERNEL_CONSTANTS + 1];
    const struct trm_constant *more; /* a constant besides those of the user; NULL: none */
    const uint32_t *words;           /* other SPIR-V than that of the user; NULL: the same */
    uint64_t word_bytes;
    bool is_trial; /* of something else than the user's kernel: that it is refused is no finding */
};

/* Open the device and load the kernel. False after a finding. */
bool kernel_run_open(struct kernel_run *run, const struct trm_setting *more, uint32_t count);
void kernel_run_close(struct kernel_run *run);

/* Launch the kernel once and write what it has written to `results`, of inputs->result_bytes. */
int32_t kernel_run_once(struct kernel_run *run, const struct kernel_inputs *inputs, unsigned char *results);

/* ---- kernel_compare.c */

struct kernel_difference {
    uint64_t count; /* of elements that differ by more than the tolerance */
    bool is_exact;  /* no bit differs */
    const struct trm_parameter *parameter;
    uint64_t element;
    char member[32]; /* of the element; "": it is no struct */
    char value[VALUE_TEXT];
    char reference[VALUE_TEXT];
};

/* Compare two results of the same inputs. tolerance below 0: by the types. */
void kernel_compare(const struct kernel_inputs *inputs, const unsigned char *results,
                    const unsigned char *reference, double tolerance, struct kernel_difference *difference);

/* ---- jobs (apart_job_fn); user: struct kernel_check * */

void kernel_survey_job(struct report *report, void *user);
void kernel_bounds_job(struct report *report, void *user);
void kernel_barriers_job(struct report *report, void *user);
void kernel_memory_job(struct report *report, void *user);
void kernel_device_job(struct report *report, void *user);
void kernel_groups_job(struct report *report, void *user);

#endif
