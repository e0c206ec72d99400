/* Shared by the files that write instructions: patterns, constants, addresses, and the families of
 * instructions.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_EMIT_OP_H
#define COMPILER_TRANSLATE_EMIT_OP_H

#include "compiler/translate/emit/emitter.h"

/* ---- type.c */

/* The scalar type that a scalar, vector or matrix is made of; for any other type the type itself. */
const struct spirv_type *emit_scalar(const struct emit *emit, uint32_t type);

/* The scalar type of a value. */
const struct spirv_type *emit_scalar_of(const struct emit *emit, uint32_t id);

/* The type of such scalars in buffers: "uint16_t" for half, "uint32_t" for bool, else the type of values. */
const char *emit_memory_type(const struct spirv_type *scalar);

/* "position_2": the C name of a member. */
const char *emit_member(struct emit *emit, const struct spirv_type *type, uint32_t member);

/* Writes the selection of part `index` of a composite type: ".position_2", ".e[3]", ".m[1]" or "[2]". Returns
 * the part's type. */
uint32_t emit_step(struct emit *emit, uint32_t type, uint32_t index);

/* Write the beginning and the end of a whole struct, array or matrix: "(struct array_9){{" … "}}". */
void emit_open(struct emit *emit, uint32_t type);
void emit_close(struct emit *emit, uint32_t type);

/* Did emit_types() write the composite constant as a variable of its own? */
bool emit_is_declared(const struct emit *emit, uint32_t constant);

/* ---- constant.c */

/* Writes a scalar constant. `fixed`: in the initial value of a static variable, where only constant
 * expressions are allowed. */
void emit_literal(struct emit *emit, const struct spirv_type *type, uint64_t bits, bool fixed);

/* Write a component of a constant, or the braces of a whole one. */
int32_t emit_constant(struct emit *emit, uint32_t id, uint32_t component);
int32_t emit_constant_braces(struct emit *emit, uint32_t id);

/* Writes a zero of the type: "0", "0.0f", "{0}". */
void emit_zero(struct emit *emit, uint32_t type);

/* ---- pattern.c
 *
 * Writes an expression from a pattern. In a pattern, with k the number of an operand after `first`,
 *
 *     $k      the operand; for a vector the component that is written
 *     $uk     converted to the unsigned type in which integers are computed: 32 or 64 bits
 *     $Uk     converted to the unsigned type of its own width  $sk  to the signed one
 *     $qk     unchanged when operands 0 and 1 have one type, else like $U
 *     $r(…)   converted to the result's type, from the unsigned type of 32 or 64 bits or from a float, which
 *             is rounded when the result is half
 *     $S(…)   the same from the signed type of 32 or 64 bits
 *     $t      the name of the result's scalar type
 *     $wk     32 or 64: the width in which the operand is computed          $bk  its own width
 *     $W $B   the same for the result     $hk  31 or 63: the largest shift of the operand
 *     $n $nk  f32 or f64: the type in which a float is computed        $m $mk  "f" or "": suffix in math.h
 *     $v $vk  f32, f64, i32, u32, i64, u64: the type in which a scalar is computed
 *     @name   trm_name, a part of the prelude, which is noted as needed; may continue with $w, $n, $v
 *     $$      a dollar sign
 */
int32_t emit_pattern(struct emit *emit, const struct spirv_instruction *op, uint32_t first,
                     uint32_t component, const char *pattern);

/* Writes the name of a part of the prelude ("trm_…") and notes that it is needed. */
void emit_part(struct emit *emit, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Notes that a part is needed, without writing its name. */
void emit_need(struct emit *emit, const char *name);

/* Writes a component of a vector operand, or a scalar operand. */
int32_t emit_operand(struct emit *emit, uint32_t id, uint32_t component);

/* The name of the type in which a scalar is computed: "f32", "i64". */
const char *emit_tag(const struct spirv_type *scalar);

/* Write an operand, cast to an unsigned or signed type unless it has that type. */
int32_t emit_unsigned(struct emit *emit, uint32_t id, uint32_t component, bool own_width);
int32_t emit_signed(struct emit *emit, uint32_t id, uint32_t component);

/* Writes the conversion to the result's type that $r stands for; a parenthesis follows. */
void emit_round(struct emit *emit, const struct spirv_type *scalar);

/* ---- value.c */

/* Begins the statement that assigns a component of a result: "const float v12_x = ". */
void emit_begin(struct emit *emit, uint32_t id, uint32_t component);

/* Is the result used? */
bool emit_is_used(const struct emit *emit, uint32_t id);

/* ---- unit.c */

/* Finds the scalar type of each buffer that consists of one scalar type only. */
int32_t emit_units(struct emit *emit);

/* ---- address.c */

/* The address of the memory that a pointer points to. */
int32_t emit_pointer(struct emit *emit, const struct spirv_instruction *op, uint32_t component);

#define EMIT_TERMS (SPIRV_DEPTH_MOST + 8)

/* A term of an address that is known at run time only: a value, or the variable of a loop that copies an
 * array. */
struct emit_term {
    uint32_t id;
    const char *text;
    uint64_t scale; /* bytes */
};

/* The step into the array without a length at the end of a buffer. */
struct emit_elements {
    uint64_t stride; /* bytes; 0: there is no such step */
    uint64_t offset; /* bytes before the array */
    uint64_t number; /* of the element, when it is constant */
    uint32_t term;   /* otherwise 1 + the index of its term */
};

/* Memory with an explicit layout: part of a buffer, or of the push constants. */
struct emit_address {
    uint32_t variable;
    const char *base;              /* the pointer that is indexed */
    const struct spirv_type *unit; /* the scalar that `base` points to; NULL: bytes */
    const char *size;              /* the buffer's size in bytes; NULL: it is not checked */
    bool is_physical;              /* checked: it must be in a buffer that lives */
    const char *check;             /* of indices into arrays of known length; NULL: they are not checked */
    uint32_t site;                 /* of the check against `size` */
    uint32_t type;                 /* the type at the address */
    uint64_t offset;               /* bytes */
    struct emit_term terms[EMIT_TERMS];
    uint32_t term_count;
    struct emit_elements elements;
    uint32_t matrix_stride; /* of the member that is, or consists of, matrices */
    bool row_major;
    uint32_t component_stride; /* distance of a vector's components; 0: their size */
    bool is_volatile;
    bool is_scalar_argument; /* a push constant: `base` is the value itself */
};

/* Is the variable accessed by layout, not as a C variable (emit_path())? */
bool emit_has_layout(const struct emit *emit, uint32_t variable);

/* Finds the address of an access. */
int32_t emit_locate(struct emit *emit, const struct access *access, struct emit_address *address);

/* Steps into a member, column, element or component: by number, or by a term known at run time. */
int32_t emit_locate_step(struct emit *emit, struct emit_address *address, uint32_t index,
                         const struct emit_term *term);

/* Writes the scalar at the address as an expression that can be assigned (with `is_read`, only read). It has
 * the type of memory, not yet that of a value. */
int32_t emit_scalar_at(struct emit *emit, const struct emit_address *address, bool is_read);

/* Is an access of the address checked? */
static inline bool emit_is_checked(const struct emit_address *address)
{
    return address->size != NULL || address->check != NULL || address->is_physical;
}

/* Writes the checks of an access: is the scalar inside of its buffer, and are the indices inside of their
 * arrays? Requires emit_is_checked(). */
int32_t emit_inside(struct emit *emit, const struct emit_address *address);

/* Writes the scalar at the address as a value; zero outside of the buffer. */
int32_t emit_read(struct emit *emit, const struct emit_address *address);

/* Write the beginning and the end of an assignment to the scalar; the value goes between them, in
 * parentheses. */
int32_t emit_begin_write(struct emit *emit, const struct emit_address *address);
void emit_end_write(struct emit *emit, const struct emit_address *address);

/* ---- bounds.c: with TRM_TRANSLATE_BOUNDS, checks of indices */

/* Where the first access that is outside is noted: in C a struct trm_cpu_fault, in CUDA C a struct
 * trm_fault. */
#define EMIT_FAULT "&trm_fault"
/* CUDA C: two arguments, the memory that a variable pointer may point into, and how many pieces that are. */
#define EMIT_BUFFER_SPANS "trm_buffers, trm_buffer_count"
#define EMIT_SHARED_SPANS "trm_shared_spans, trm_shared_span_count"

/* The name of what level `level` of an access indexes: "shared variable 'tile[].x'". In the arena. */
const char *emit_what(struct emit *emit, const struct access *access, uint32_t level);

/* The buffers among the arguments of the kernel, with those of arrays. */
uint32_t emit_argument_buffers(const struct emit *emit);

/* Writes the beginning of a call of a check, "trm_within(&trm_fault, 3, ". */
void emit_begin_check(struct emit *emit, const char *function, uint32_t site);

/* Makes the expression that all indices of an access into arrays of known length, vectors and matrices are
 * inside; NULL when none has to be checked. */
int32_t emit_check_path(struct emit *emit, const struct access *access, const char **check);

/* The same for an index into a vector that is a value. */
int32_t emit_check_vector(struct emit *emit, uint32_t vector, uint32_t index, const char **check);

/* Write what stands around a value of this type that is zero unless the check holds. The check may be
 * NULL. */
void emit_begin_checked(struct emit *emit, const char *check);
void emit_end_checked(struct emit *emit, const char *check, uint32_t type);

/* ---- memory.c */

/* Removes the end of emit->text from this length on, and returns it. */
const char *emit_detach(struct emit *emit, size_t length);

/* Writes an access of a C variable: "s_sums.e[s_i].s_position_0". The component may be WHOLE. */
int32_t emit_path(struct emit *emit, const struct access *access, uint32_t component);

/* ---- op.c */

/* Functions that write instructions: a component as an expression, or a statement. */
typedef int32_t (*emit_write_fn)(struct emit *emit, const struct spirv_instruction *op, uint32_t component);
typedef int32_t (*emit_statement_fn)(struct emit *emit, const struct spirv_instruction *op);

/* The function for an instruction that is a statement; NULL for expressions. */
emit_statement_fn emit_statement(const struct emit *emit, const struct spirv_instruction *op);

/* ---- memory.c */

int32_t emit_load(struct emit *emit, const struct spirv_instruction *op);
int32_t emit_store(struct emit *emit, const struct spirv_instruction *op);
int32_t emit_array_length(struct emit *emit, const struct spirv_instruction *op, uint32_t component);

/* Assigns variables called `name`, with the suffix of each component, through a pointer: for instructions
 * that return results through pointers. */
int32_t emit_store_names(struct emit *emit, uint32_t pointer, const char *name);

/* ---- the families, op_*.c */

int32_t emit_float_exact(struct emit *emit, const struct spirv_instruction *op, uint32_t component);
int32_t emit_wide(struct emit *emit, const struct spirv_instruction *op, uint32_t component);
int32_t emit_dot(struct emit *emit, const struct spirv_instruction *op, uint32_t component);
int32_t emit_mixed_dot(struct emit *emit, const struct spirv_instruction *op, uint32_t component);
int32_t emit_integer_dot(struct emit *emit, const struct spirv_instruction *op, uint32_t component);
int32_t emit_any_all(struct emit *emit, const struct spirv_instruction *op, uint32_t component);
int32_t emit_convert(struct emit *emit, const struct spirv_instruction *op, uint32_t component);
int32_t emit_bitcast(struct emit *emit, const struct spirv_instruction *op, uint32_t component);
int32_t emit_composite(struct emit *emit, const struct spirv_instruction *op, uint32_t component);
int32_t emit_insert(struct emit *emit, const struct spirv_instruction *op);
int32_t emit_matrix(struct emit *emit, const struct spirv_instruction *op, uint32_t component);
int32_t emit_glsl(struct emit *emit, const struct spirv_instruction *op, uint32_t component);
int32_t emit_glsl_statement(struct emit *emit, const struct spirv_instruction *op);
int32_t emit_atomic(struct emit *emit, const struct spirv_instruction *op);
int32_t emit_image(struct emit *emit, const struct spirv_instruction *op);
int32_t emit_fence(struct emit *emit, const struct spirv_instruction *op);
int32_t emit_subgroup_barrier(struct emit *emit, const struct spirv_instruction *op);
int32_t emit_subgroup(struct emit *emit, const struct spirv_instruction *op, uint32_t component);
int32_t emit_publish(struct emit *emit, const struct spirv_instruction *op);
int32_t emit_exchange(struct emit *emit, const struct spirv_instruction *op);
int32_t emit_any_left(struct emit *emit, const struct spirv_instruction *op);
int32_t emit_retract(struct emit *emit, const struct spirv_instruction *op);

/* The place of a texel, a struct trm_place, as an expression. *check: the condition under which the image is
 * an element of its array; NULL: it is. */
int32_t emit_texel_place(struct emit *emit, const struct access *access, const char **place,
                         const char **check);

/* One factor of a sum of products: a component of a vector or matrix. */
struct emit_factor {
    uint32_t id;
    uint32_t column; /* of a matrix; WHOLE: no matrix */
    uint32_t component;
};

/* Writes a0 b0 + a1 b1 + …, of floats, rounded as the result's type and decorations require. */
int32_t emit_products(struct emit *emit, const struct spirv_instruction *op, const struct emit_factor *a,
                      const struct emit_factor *b, uint32_t count);

/* ---- op_image.c, op_sample.c: images */

/* The operands of an instruction. */
struct emit_image {
    const struct access *access;
    const struct spirv_image *type;
    const char *name;   /* of the image's variable, or of the constant that is the element of an array */
    const char *check;  /* the condition under which there is such an element; NULL: there is */
    const char *tag;    /* "f32": what a texel is read as */
    const char *state;  /* the sampler's */
    const char *format; /* "4, 9": the bytes of a texel and its format */
    const char *any;    /* "any_" when the format is known at run time only */
    struct spirv_image_operands operands;
    uint32_t coordinate;
};

static inline uint32_t emit_coordinates(const struct emit_image *image)
{
    return image->type->dimensions + image->type->is_array;
}

/* The component of a value that may be a scalar. */
static inline uint32_t emit_component(const struct emit *emit, uint32_t id, uint32_t component)
{
    return spirv_type_of(emit->module, id)->kind == SPIRV_VECTOR ? component : WHOLE;
}

/* Begins the declaration of the texel: "const struct trm_texel_f32 trm_t12 = ". */
void emit_begin_texel(struct emit *emit, const struct spirv_instruction *op, const struct emit_image *image);
/* Writes the assignments of the result's components from the texel "trm_t12". */
void emit_take_texel(struct emit *emit, const struct spirv_instruction *op);

/* Instructions that read an image through a sampler. */
int32_t emit_sample(struct emit *emit, const struct spirv_instruction *op, const struct emit_image *image);

/* ---- op_subgroup.c, op_exchange.c: reductions of subgroups */

/* A reduction: the prelude's functor and the neutral element. */
struct emit_reduction {
    uint16_t opcode;
    const char *name;
    enum {
        EMIT_ZERO,
        EMIT_ONE,
        EMIT_LEAST,
        EMIT_GREATEST,
        EMIT_ALL
    } neutral;
};

/* NULL when the instruction is no reduction. */
const struct emit_reduction *emit_reduction_of(uint16_t opcode);

/* Writes the neutral element as a number of the operation's own signedness: signed for SMin even if the type
 * is unsigned. */
void emit_neutral(struct emit *emit, const struct spirv_instruction *op,
                  const struct emit_reduction *reduction);

#endif
