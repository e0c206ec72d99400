/* Words that a translation must not use for the shader's identifiers.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/text/names.h"

#include <stddef.h>

/* clang-format off */
const char *const names_reserved[] = {
    /* keywords of C and C++ */
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case",
    "catch", "char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield",
    "compl", "concept", "const", "const_cast", "consteval", "constexpr", "constinit", "continue",
    "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum", "explicit", "export",
    "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int", "long", "mutable",
    "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private",
    "protected", "public", "register", "reinterpret_cast", "requires", "restrict", "return", "short",
    "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this",
    "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "typeof", "union", "unsigned",
    "using", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
    /* types of the C headers and of CUDA */
    "char1", "char2", "char3", "char4", "clock_t", "dim3", "double1", "double2", "double3", "double4",
    "double_t", "float1", "float2", "float3", "float4", "float_t", "half", "half2", "int1", "int16_t",
    "int2", "int3", "int32_t", "int4", "int64_t", "int8_t", "intmax_t", "intptr_t", "long1", "long2",
    "long3", "long4", "longlong1", "longlong2", "longlong3", "longlong4", "max_align_t", "ptrdiff_t",
    "short1", "short2", "short3", "short4", "size_t", "ssize_t", "time_t", "uchar", "uchar1", "uchar2",
    "uchar3", "uchar4", "uint", "uint1", "uint16_t", "uint2", "uint3", "uint32_t", "uint4", "uint64_t",
    "uint8_t", "uintmax_t", "uintptr_t", "ulong", "ulong1", "ulong2", "ulong3", "ulong4", "ulonglong1",
    "ulonglong2", "ulonglong3", "ulonglong4", "ushort", "ushort1", "ushort2", "ushort3", "ushort4",
    /* <math.h> */
    "acos", "acosf", "acosh", "acoshf", "asin", "asinf", "asinh", "asinhf", "atan", "atan2", "atan2f",
    "atanf", "atanh", "atanhf", "cbrt", "cbrtf", "ceil", "ceilf", "copysign", "copysignf", "cos", "cosf",
    "cosh", "coshf", "drem", "dremf", "erf", "erfc", "erfcf", "erff", "exp", "exp10", "exp10f", "exp2",
    "exp2f", "expf", "expm1", "expm1f", "fabs", "fabsf", "fdim", "fdimf", "floor", "floorf", "fma", "fmaf",
    "fmax", "fmaxf", "fmin", "fminf", "fmod", "fmodf", "frexp", "frexpf", "gamma", "gammaf", "hypot",
    "hypotf", "ilogb", "ilogbf", "j0", "j0f", "j1", "j1f", "jn", "jnf", "ldexp", "ldexpf", "lgamma",
    "lgammaf", "llrint", "llrintf", "llround", "llroundf", "log", "log10", "log10f", "log1p", "log1pf",
    "log2", "log2f", "logb", "logbf", "logf", "lrint", "lrintf", "lround", "lroundf", "modf", "modff",
    "nan", "nanf", "nearbyint", "nearbyintf", "nextafter", "nextafterf", "nexttoward", "nexttowardf", "pow",
    "pow10", "pow10f", "powf", "remainder", "remainderf", "remquo", "remquof", "rint", "rintf", "round",
    "roundf", "scalb", "scalbf", "scalbln", "scalblnf", "scalbn", "scalbnf", "significand", "significandf",
    "sin", "sincos", "sincosf", "sinf", "sinh", "sinhf", "sqrt", "sqrtf", "tan", "tanf", "tanh", "tanhf",
    "tgamma", "tgammaf", "trunc", "truncf", "y0", "y0f", "y1", "y1f", "yn", "ynf",
    /* functions and macros of the other headers that nvcc includes, and of CUDA */
    "abort", "abs", "accept", "access", "assert", "atexit", "atof", "atoi", "atol", "atomicAdd",
    "atomicAnd", "atomicCAS", "atomicDec", "atomicExch", "atomicInc", "atomicMax", "atomicMin", "atomicOr",
    "atomicSub", "atomicXor", "basename", "bcmp", "bcopy", "bind", "blockDim", "blockIdx", "bsearch",
    "bzero", "calloc", "clamp", "clock", "close", "connect", "cuda", "defined", "difftime", "div", "dup",
    "exit", "ffs", "finite", "fpclassify", "free", "getenv", "gridDim", "i386", "index", "isfinite",
    "isgreater", "isinf", "isinff", "isless", "isnan", "isnanf", "isnormal", "isunordered", "labs", "ldiv",
    "link", "linux", "listen", "llabs", "lldiv", "llmax", "llmin", "main", "malloc", "max", "memchr",
    "memcmp", "memcpy", "memmove", "mempcpy", "memset", "min", "mul24", "mul64hi", "mulhi", "norm",
    "normcdf", "nvcuda", "offsetof", "open", "pipe", "printf", "puts", "qsort", "raise", "rand", "random",
    "rcbrt", "read", "realloc", "recv", "remove", "rename", "rindex", "rnorm", "rsqrt", "saturate",
    "select", "send", "signal", "signbit", "signgam", "sleep", "srand", "std", "strcat", "strchr", "strcmp",
    "strcpy", "strlen", "strncmp", "strncpy", "strstr", "strtod", "strtok", "strtol", "surface", "system",
    "tex1D", "tex2D", "tex3D", "texture", "threadIdx", "time", "ullmax", "ullmin", "umax", "umin", "umul24",
    "umulhi", "unix", "unlink", "warpSize", "write",
    /* names in the text around a kernel: targets/c_kernel.c, emit/row_index.c */
    "arguments", "begin", "block", "end", "failed", "first", "gone", "group", "group_x", "group_y",
    "group_z", "groups", "groups_x", "groups_y", "groups_z", "item", "item_x", "item_y", "item_z", "kept",
    "last", "local_x", "local_y", "local_z", "row", "run", "scratch", "shared", "trm",
    NULL,
};
/* clang-format on */
