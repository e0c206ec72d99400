/* What the files that write instructions share: patterns, constants, addresses, and the families of instructions.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_EMIT_OP_H
#define COMPILER_TRANSLATE_EMIT_OP_H

#include "compiler/translate/emit/emit.h"

/* ---- emit_type.c */

/* The scalar type that a scalar, vector or matrix is made of; of anything else the type itself. */
const struct spirv_type *emit_scalar(const struct emit *emit, uint32_t type);

/* That of a value's type. */
const struct spirv_type *emit_scalar_of(const struct emit *emit, uint32_t id);

/* How scalars of the type lie in buffers: "uint16_t" for half, "uint32_t" for bool, else as values. */
const char *emit_memory_type(const struct spirv_type *scalar);

/* "position_2": the C name of a member. */
const char *emit_member(struct emit *emit, const struct spirv_type *type, uint32_t member);

/* Goes one step into a value of a composite type by a number: writes ".position_2", ".e[3]", ".m[1]" or "[2]" and
 * answers the type there. */
uint32_t emit_step(struct emit *emit, uint32_t type, uint32_t index);

/* Begins and ends the text of a whole struct, array or matrix: "(struct array_9){{" … "}}". */
void emit_open(struct emit *emit, uint32_t type);
void emit_close(struct emit *emit, uint32_t type);

/* Whether emit_types() wrote the constant of a composite type as a variable of its own. */
int32_t emit_is_declared(const struct emit *emit, uint32_t constant);

/* ---- emit_constant.c */

/* A scalar constant's text. `fixed`: in the initial value of a static variable, where only constant expressions may
 * stand. */
void emit_literal(struct emit *emit, const struct spirv_type *type, uint64_t bits, int32_t fixed);

/* A component of a constant; the braces of a whole one. */
int32_t emit_constant(struct emit *emit, uint32_t id, uint32_t component);
int32_t emit_constant_braces(struct emit *emit, uint32_t id);

/* A zero of the type: "0", "0.0f", "{0}". */
void emit_zero(struct emit *emit, uint32_t type);

/* ---- emit_pattern.c
 *
 * An expression after a pattern. In it stand, k being the number of an operand after `first`,
 *
 *     $k      the operand: of a vector, the component that is written
 *     $uk     as the unsigned type in which integers are computed: of 32 or 64 bits
 *     $Uk     as the unsigned type of its own width            $sk  the signed one
 *     $qk     as it is when operands 0 and 1 are of one type, else like $U
 *     $r(…)   made the result's type; the expression is of the unsigned type of 32 or 64 bits, or is a float that is to
 *             be rounded when the result is half
 *     $S(…)   the same for an expression of the signed type of 32 or 64 bits
 *     $t      the name of the result's scalar type
 *     $wk     32 or 64: in how many bits the operand is computed with       $bk  how many bits it has
 *     $W $B   the same of the result      $hk  31 or 63: by how much the operand can be shifted
 *     $n $nk  f32 or f64: in which type a float is computed                 $m $mk  "f" or "": of functions of math.h
 *     $v $vk  f32, f64, i32, u32, i64, u64: the type in which a scalar is computed
 *     @name   trm_name, a part of the prelude, which is then needed; may go on with $w, $n, $v
 *     $$      a dollar sign
 */
int32_t emit_pattern(struct emit *emit, const struct spirv_instruction *op, uint32_t first,
                     uint32_t component, const char *pattern);

/* The name of a part of the prelude, "trm_" and so on, which is needed from now on. */
void emit_part(struct emit *emit, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An operand of which a component is wanted, if it is a vector; as it is if it is a scalar. */
int32_t emit_operand(struct emit *emit, uint32_t id, uint32_t component);

/* The name of the type in which a scalar is computed: "f32", "i64"; of bits, width and signedness. */
const char *emit_tag(const struct spirv_type *scalar);

/* "(uint32_t)" before an operand unless it is of that type; the operand. */
int32_t emit_unsigned(struct emit *emit, uint32_t id, uint32_t component, int32_t own_width);
int32_t emit_signed(struct emit *emit, uint32_t id, uint32_t component);

/* A cast to an integer type, or rounding to half, and an opening parenthesis: what $r does. */
void emit_round(struct emit *emit, const struct spirv_type *scalar);

/* ---- emit_value.c */

/* Begins the line of a statement that makes a component of a result: "const float v12_x = ". */
void emit_begin(struct emit *emit, uint32_t id, uint32_t component);

/* Whether anything uses the result of the instruction. */
int32_t emit_is_used(const struct emit *emit, uint32_t id);

/* ---- emit_unit.c */

/* Finds of each buffer the scalar that it is made of, if it is made of one kind alone. */
int32_t emit_units(struct emit *emit);

/* ---- emit_address.c */

#define EMIT_TERMS (SPIRV_DEPTH_MOST + 8)

/* A factor of an address that is known at run time only: a value or, of a loop that was written for an array, the name
 * of its variable. */
struct emit_term {
    uint32_t id;
    const char *text;
    uint64_t scale; /* bytes */
};

/* Memory with an explicit layout: part of a buffer, or of the push constants. */
struct emit_address {
    uint32_t variable;
    const char *base;              /* what is indexed */
    const struct spirv_type *unit; /* the scalar that `base` points to; NULL: bytes */
    const char *size;              /* the buffer's size in bytes; NULL where nothing is to be checked */
    uint32_t type;                 /* what lies there */
    uint64_t offset;               /* bytes */
    struct emit_term terms[EMIT_TERMS];
    uint32_t term_count;
    uint32_t matrix_stride; /* of the member that is, or is made of, matrices */
    uint8_t row_major;
    uint32_t component_stride; /* from a vector's component to the next; 0: its size */
    uint8_t is_volatile;
    uint8_t is_scalar_argument; /* a push constant that is an argument of its own: `base` is the value */
};

/* Whether accesses of the variable are by layout, rather than of a C variable (emit_path()). */
int32_t emit_has_layout(const struct emit *emit, uint32_t variable);

/* Where an access goes. */
int32_t emit_locate(struct emit *emit, const struct access *access, struct emit_address *address);

/* One step further in: a member, column, element or component by number, or by what is known at run time. */
int32_t emit_locate_step(struct emit *emit, struct emit_address *address, uint32_t index,
                         const struct emit_term *term);

/* The scalar there: as an expression that can be assigned (or, `is_read`, only read); its offset in bytes. As it lies in
 * memory, not yet a value. */
int32_t emit_scalar_at(struct emit *emit, const struct emit_address *address, int32_t is_read);

/* "trm_inside(…)": whether the scalar is inside of its buffer. Only where address->size is there. */
int32_t emit_inside(struct emit *emit, const struct emit_address *address);

/* The scalar there as a value; zero outside of the buffer. */
int32_t emit_read(struct emit *emit, const struct emit_address *address);

/* Begins and ends the line that assigns to the scalar there; between them stands the value, in parentheses. */
int32_t emit_begin_write(struct emit *emit, const struct emit_address *address);
void emit_end_write(struct emit *emit, const struct emit_address *address);

/* The text that was written since it had this length: taken back from emit->text. */
const char *emit_take(struct emit *emit, size_t length);

/* An access of a C variable: "sums_12.e[i_4].position_0". The component may be WHOLE. */
int32_t emit_path(struct emit *emit, const struct access *access, uint32_t component);

/* ---- emit_op.c */

/* How an instruction is written: after a pattern or by a function. */
typedef int32_t (*emit_write_fn)(struct emit *emit, const struct spirv_instruction *op, uint32_t component);
typedef int32_t (*emit_statement_fn)(struct emit *emit, const struct spirv_instruction *op);

/* What writes an instruction that is more than an expression; NULL for those that are not. */
emit_statement_fn emit_statement(const struct emit *emit, const struct spirv_instruction *op);

/* ---- emit_memory.c */

int32_t emit_load(struct emit *emit, const struct spirv_instruction *op);
int32_t emit_store(struct emit *emit, const struct spirv_instruction *op);
int32_t emit_array_length(struct emit *emit, const struct spirv_instruction *op, uint32_t component);

/* Assigns a text, followed by the component's letter or index, to what a pointer points to: results that instructions
 * give through pointers. */
int32_t emit_store_names(struct emit *emit, uint32_t pointer, const char *name);

/* ---- the families */

int32_t emit_float_exact(struct emit *emit, const struct spirv_instruction *op, uint32_t component);
int32_t emit_wide(struct emit *emit, const struct spirv_instruction *op, uint32_t component);
int32_t emit_dot(struct emit *emit, const struct spirv_instruction *op, uint32_t component);
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
int32_t emit_fence(struct emit *emit, const struct spirv_instruction *op);
int32_t emit_subgroup_barrier(struct emit *emit, const struct spirv_instruction *op);
int32_t emit_subgroup(struct emit *emit, const struct spirv_instruction *op, uint32_t component);

/* One factor of a sum of products: of a vector's, matrix's or array's parts. */
struct emit_factor {
    uint32_t id;
    uint32_t column; /* of a matrix; WHOLE: it is no matrix */
    uint32_t component;
};

/* a0 b0 + a1 b1 + …, of floats; as the result's type and decorations have it. */
int32_t emit_products(struct emit *emit, const struct spirv_instruction *op, const struct emit_factor *a,
                      const struct emit_factor *b, uint32_t count);

#endif
