#!/bin/sh
# The shader in README.md compiles with the installed program, and the C program there runs it when it takes its kernel by name,
# as the text says.

. "$top_srcdir/tests/packaging/staging"
need_the_cpu_backend
test -n "$PKG_CONFIG" || { echo "no pkg-config"; exit 77; }

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
readme=$top_srcdir/README.md

sed -n '/^```glsl$/,/^```$/p' "$readme" | grep -v '^```' >"$work/add.comp"
test -s "$work/add.comp" || fail "no shader in README.md"
if ! "$stage$bindir/trireme" kc --target cpu "$work/add.comp" >"$work/signature" 2>"$work/errors"; then
    cat "$work/errors"
    grep -q shaderc "$work/errors" || fail "compiling the shader"
    exit 77
fi
grep -qF "# $(cat "$work/signature")" "$readme" || fail "README.md has another signature than $(cat "$work/signature")"

# The lines of the new description replace those from the arguments of the C function to the old one.
sed -n '/^    static const struct trm_module_desc code/,/};$/p' "$readme" >"$work/code"
test "$(grep -c . "$work/code")" -eq 2 || fail "the new description was not found"
sed -n '/^```c$/,/^```$/p' "$readme" | grep -v '^```' |
    sed -e "/^static const struct trm_module_desc code/,/};\$/{/};\$/r $work/code
            d}" -e '/^struct add_arguments/,/^};/d' -e '/^static int32_t add(/,/^}/d' \
        -e '/^static const struct trm_parameter/,/^};/d' -e '/^static const struct trm_cpu_kernel/,/^};/d' >"$work/program.c"

# shellcheck disable=SC2046 # flags are several words
$CC -Wall -Wextra -Werror -o "$work/program" "$work/program.c" $(staged_flags --cflags --libs) || fail "compiling"
TRIREME_KERNEL_PATH="$work" LD_LIBRARY_PATH="$stage$libdir" "$work/program" >"$work/output" || fail "running"
cat "$work/output"
grep -q '^41 + 1 = 42$' "$work/output" || fail "the program printed something else"
