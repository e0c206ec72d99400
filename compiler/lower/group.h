/* Matrices of a work-group (SPV_NV_cooperative_matrix2, SPV_NV_tensor_addressing) as arrays: what the files
 * group_*.c share.
 *
 * A matrix of M by N elements is an array of each work-item, of ceil(M * N / items) elements. Element i of
 * work-item t is the element number i * items + t of the matrix, counted by rows. Behind the last element of
 * the matrix come copies, of its first elements: they are loaded and computed as those are, and neither
 * stored nor shared. Sizes may be constants that a program sets: what is computed with them is computed by
 * OpSpecConstantOp.
 *
 * A tensor layout of D dimensions is a struct of 5 * D + 1 unsigned integers, a tensor view of V dimensions
 * one of 2 * V + 4.
 *
 * Each instruction that needs a loop becomes a call of a function that is made here. Elements that other
 * work-items have go through shared memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_LOWER_GROUP_H
#define COMPILER_LOWER_GROUP_H

#include "compiler/lower/module.h"

/* Of the extensions, which older headers lack. */
enum group_opcode {
    GROUP_OP_CONVERT         = 5293,
    GROUP_OP_REDUCE          = 5366,
    GROUP_OP_LOAD_TENSOR     = 5367,
    GROUP_OP_STORE_TENSOR    = 5368,
    GROUP_OP_PER_ELEMENT     = 5369,
    GROUP_OP_TYPE_LAYOUT     = 5370,
    GROUP_OP_TYPE_VIEW       = 5371,
    GROUP_OP_CREATE_LAYOUT   = 5372,
    GROUP_OP_SET_DIMENSION   = 5373,
    GROUP_OP_SET_STRIDE      = 5374,
    GROUP_OP_SLICE           = 5375,
    GROUP_OP_SET_CLAMP_VALUE = 5376,
    GROUP_OP_CREATE_VIEW     = 5377,
    GROUP_OP_VIEW_DIMENSION  = 5378,
    GROUP_OP_VIEW_STRIDE     = 5379,
    GROUP_OP_VIEW_CLIP       = 5382,
    GROUP_OP_SET_BLOCK_SIZE  = 5384,
    GROUP_OP_TRANSPOSE       = 5390,
};

#define GROUP_DIMENSIONS_MOST 5u
#define GROUP_KEY_WORDS 24u
#define GROUP_OPERANDS_MOST 24u
#define GROUP_INDICES_MOST 6u
#define GROUP_SPLATS_MOST 256u      /* constant matrices that one function uses */
#define GROUP_STEPS_MOST (1u << 27) /* things that are looked at to find others */

/* Words that grow. */
struct group_words {
    uint32_t *at;
    uint32_t count, capacity;
};

enum group_kind {
    GROUP_MATRIX,
    GROUP_LAYOUT,
    GROUP_VIEW,
};

/* A type that is replaced. */
struct group_type {
    enum group_kind kind;
    uint32_t id;
    /* of a matrix; ids of unsigned constants, and of the component's type */
    uint32_t component, rows, columns, elements, length;
    uint32_t component_kind; /* SpvOpTypeInt, SpvOpTypeFloat */
    uint32_t width;          /* in bits */
    bool is_bfloat, is_signed;
    /* of a layout or view */
    uint32_t dimensions;
    uint32_t clamp_mode; /* an id of a constant */
    uint32_t permutation[GROUP_DIMENSIONS_MOST];
    bool has_dimensions;
    bool has_clip; /* there is an instruction that sets the clip region of such a view */
};

/* A function that is made, or a type, a constant or a variable: what it is, and its id. */
struct group_known {
    uint32_t key[GROUP_KEY_WORDS], length;
    uint32_t id;
};

struct group_list {
    struct group_known *at;
    uint32_t count, capacity;
};

/* Shared memory of the functions that are made, for one type of elements. */
struct group_scratch {
    uint32_t component, which;
    uint32_t variable;
    uint32_t length; /* the id of the largest length */
};

#define GROUP_SCRATCHES_MOST 32u

struct group {
    struct lower_words module;
    struct base_arena *arena;
    bool failed; /* the module cannot be followed, or has no matrices of work-groups */
    uint32_t bound;
    struct group_type **types; /* by id; NULL: it stays */
    uint32_t *functions;       /* by id: the word of an OpFunction; 0: none */
    uint32_t *splats;          /* by id: the value of a constant matrix of equal elements; 0: none */
    uint32_t *here;            /* by id: the matrix of that constant in this function; 0: none */
    uint8_t *is_hoisted;       /* by id: it was written before the other types */
    uint32_t type_count;
    uint32_t uint_type, bool_type, int_type, float_type, long_type; /* 0: not yet there */
    uint32_t threads;                                               /* in the work-group, an id */
    uint32_t extended;       /* GLSL.std.450, where the module does not have it */
    uint32_t index_variable; /* LocalInvocationIndex */
    uint32_t here_ids[GROUP_SPLATS_MOST], here_count;
    uint32_t steps;        /* things that were looked at to find others */
    uint32_t loop_control; /* of loops that begin */
    bool has_splats, has_subgroups, needs_addresses, takes_addresses;
    bool is_vulkan; /* the memory model, in which shared memory is private unless accesses say otherwise */
    bool has_decoration_groups;
    bool has_narrow_view[2]; /* variables with elements of 8 bits, and of 16 */

    struct group_words names, annotations, globals, code, made;
    struct group_words interface; /* variables that entry points name */
    struct group_words body, locals;
    struct group_list known, made_known;
    struct group_words constants; /* the new ones by their ids, which rise: id, value */
    struct group_scratch scratches[GROUP_SCRATCHES_MOST];
    uint32_t scratch_count;
};

/* ---- group_words.c: words, types, constants */

/* Counts things that are looked at; false when the group has failed, by them or before. */
bool group_step(struct group *group, uint32_t count);

uint32_t group_id(struct group *group);
void group_put(struct group *group, struct group_words *words, uint32_t opcode, const uint32_t *operands,
               uint32_t count);
void group_copy(struct group *group, struct group_words *words, const uint32_t *at, uint32_t count);

#define GROUP_PUT(group, words, opcode, ...)                               \
    group_put((group), (words), (opcode), (const uint32_t[]){__VA_ARGS__}, \
              sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* The id that the list has for the key; 0: none. Adding fails the group when the list is too long. */
uint32_t group_find(struct group *group, const struct group_list *list, const uint32_t *key, uint32_t length);
void group_add(struct group *group, struct group_list *list, const uint32_t *key, uint32_t length,
               uint32_t id);

/* A type of the module or a new one: opcode and operands without the result. */
uint32_t group_type_id(struct group *group, uint32_t opcode, const uint32_t *operands, uint32_t count);
uint32_t group_pointer(struct group *group, uint32_t storage, uint32_t pointee);
uint32_t group_int(struct group *group);
uint32_t group_float(struct group *group);
uint32_t group_long(struct group *group);
uint32_t group_constant(struct group *group, uint32_t value);

/* The instruction set GLSL.std.450. */
uint32_t group_extended(struct group *group);

/* Is the id an OpConstant of 32 bits or fewer, an OpConstantTrue, OpConstantFalse or null? */
bool group_plain(const struct group *group, uint32_t id, uint32_t *value);

/* An operation on unsigned constants; a plain constant where both are. */
uint32_t group_fold(struct group *group, uint32_t opcode, uint32_t a, uint32_t b);
uint32_t group_larger(struct group *group, uint32_t a, uint32_t b);
uint32_t group_smaller(struct group *group, uint32_t a, uint32_t b);

/* The type that replaces, or NULL; of a type and of a value. */
const struct group_type *group_type(const struct group *group, uint32_t id);
const struct group_type *group_type_of(const struct group *group, uint32_t id);
const struct group_type *group_matrix_of(const struct group *group, uint32_t id);

/* ---- group_code.c: functions that are made */

/* An operation in the body of the function; operands that are 0 are left out. */
uint32_t group_op(struct group *group, uint32_t opcode, uint32_t type, uint32_t a, uint32_t b, uint32_t c);
uint32_t group_uint(struct group *group, uint32_t opcode, uint32_t a, uint32_t b);
uint32_t group_test(struct group *group, uint32_t opcode, uint32_t a, uint32_t b);

uint32_t group_local(struct group *group, uint32_t type);
void group_store(struct group *group, uint32_t pointer, uint32_t value);
uint32_t group_load(struct group *group, uint32_t type, uint32_t pointer);
uint32_t group_at(struct group *group, uint32_t storage, uint32_t array, uint32_t type, uint32_t index);

struct group_loop {
    uint32_t counter, index, step, header, merge, next;
};

/* for (index = first; index < end; index += step) */
void group_begin_loop(struct group *group, struct group_loop *loop, uint32_t first, uint32_t end,
                      uint32_t step);
void group_end_loop(struct group *group, const struct group_loop *loop);
uint32_t group_begin_if(struct group *group, uint32_t condition);
void group_end_if(struct group *group, uint32_t merge);
void group_barrier(struct group *group);

/* Begins a function; its parameters are words of type and id. */
struct group_function {
    uint32_t id, type, count;
    uint32_t types[GROUP_OPERANDS_MOST], parameters[GROUP_OPERANDS_MOST];
};

void group_begin(struct group *group, struct group_function *function, uint32_t type);
uint32_t group_parameter(struct group *group, struct group_function *function, uint32_t type);
void group_end(struct group *group, struct group_function *function, uint32_t value);

/* The number of the element at `index` of this work-item's array, row and column. */
struct group_element {
    uint32_t number, row, column;
};

uint32_t group_thread(struct group *group);
uint32_t group_number(struct group *group, uint32_t index);
struct group_element group_element(struct group *group, const struct group_type *matrix, uint32_t index);

/* Have all arrays no copies, as far as plain constants tell? */
bool group_is_even(const struct group *group, const struct group_type *matrix);

/* A parameter that is a matrix, in a variable; and elements of such arrays. */
uint32_t group_array_parameter(struct group *group, struct group_function *function,
                               const struct group_type *matrix);
uint32_t group_read_element(struct group *group, const struct group_type *matrix, uint32_t array,
                            uint32_t index);
void group_write_element(struct group *group, const struct group_type *matrix, uint32_t array, uint32_t index,
                         uint32_t value);

/* for (index = 0; index < end; index++) */
void group_begin_each(struct group *group, struct group_loop *loop, uint32_t end);

/* Ends a function that is kept under the key; its id. */
uint32_t group_finish(struct group *group, struct group_function *function, uint32_t value,
                      const uint32_t *key, uint32_t length);

/* The types of the parameters of a function of the module; NULL: there is none. */
const uint32_t *group_parameters(const struct group *group, uint32_t function, uint32_t *count);

/* Pieces of shared memory. */
enum {
    GROUP_SHARED_A,
    GROUP_SHARED_B,
    GROUP_SHARED_LINES,
};

/* Shared memory for at least `length` (an id) elements. Fails the group beside shared blocks. */
uint32_t group_scratch(struct group *group, uint32_t component, uint32_t which, uint32_t length);
uint32_t group_read_scratch(struct group *group, uint32_t variable, uint32_t component, uint32_t index);
void group_write_scratch(struct group *group, uint32_t variable, uint32_t component, uint32_t index,
                         uint32_t value);

/* ---- group_types.c */

/* Writes the types and constants. Fails the group without matrices of work-groups. */
void group_write_types(struct group *group);

/* ---- group_layout.c: layouts and views */

bool group_is_layout_opcode(uint32_t opcode);
void group_write_layout(struct group *group, const uint32_t *at);

/* ---- group_tensor.c, group_memory.c: loads and stores */

void group_write_tensor(struct group *group, const uint32_t *at);
void group_write_access(struct group *group, const uint32_t *at);

/* Where a pointer points to. */
struct group_place {
    uint32_t storage;
    uint32_t component;                   /* the type of the elements that are accessed */
    uint32_t variable;                    /* 0: the address is a parameter */
    uint32_t indices[GROUP_INDICES_MOST]; /* constants before the last index */
    uint32_t count;
    uint32_t first;        /* the argument: the first element, or the address */
    uint32_t mask, scope;  /* of memory */
    uint32_t bytes;        /* of an element */
    uint32_t stride_bytes; /* of an element of the pointer's array; 0: unknown */
};

/* Fails the group when the pointer cannot be followed. `is_decoded`: the address is wanted. */
void group_find_place(struct group *group, const uint32_t *memory, uint32_t count, uint32_t pointer,
                      const struct group_type *matrix, bool is_decoded, struct group_place *place);
uint32_t group_place_key(const struct group_place *place, uint32_t *key);
/* An address of 64 bits, moved by the elements at `index`; `bytes` is the id of a constant. */
uint32_t group_offset_address(struct group *group, uint32_t first, uint32_t index, uint32_t bytes);
uint32_t group_read_place(struct group *group, const struct group_place *place, uint32_t first,
                          uint32_t index);
void group_write_place(struct group *group, const struct group_place *place, uint32_t first, uint32_t index,
                       uint32_t value);

/* The bytes of a type in a buffer, as an id of a constant; 0: unknown. */
uint32_t group_size(struct group *group, uint32_t type);

/* ---- group_pass.c: reductions and transpositions */

void group_write_pass(struct group *group, const uint32_t *at);

/* ---- group_math.c: products, element by element */

bool group_write_math(struct group *group, const uint32_t *at);

/* The matrix of equal elements. */
uint32_t group_splat(struct group *group, const struct group_type *matrix);

/* The id that stands for an operand: constant matrices become values of the function. */
uint32_t group_value(const struct group *group, uint32_t id);

/* Writes a call to the code: `id` is the result. */
void group_call(struct group *group, uint32_t type, uint32_t id, uint32_t function, const uint32_t *arguments,
                uint32_t count);

#endif
