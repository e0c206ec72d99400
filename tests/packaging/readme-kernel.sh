#!/bin/sh
# The shader in README.md compiles with the installed program, and the C program of README.md runs it by name,
# as the text says.

. "$top_srcdir/tests/packaging/staging"
need_the_cpu_backend
need_the_installation
test -n "$PKG_CONFIG" || { echo "no pkg-config"; exit 77; }

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
readme=$top_srcdir/README.md

sed -n '/^```glsl$/,/^```$/p' "$readme" | grep -v '^```' >"$work/half.comp"
test -s "$work/half.comp" || fail "no shader in README.md"
if ! "$stage$bindir/trireme" kc --target cpu "$work/half.comp" >"$work/signature" 2>"$work/errors"; then
    cat "$work/errors"
    grep -q shaderc "$work/errors" || fail "compiling the shader"
    exit 77
fi
grep -qF "# $(cat "$work/signature")" "$readme" || fail "README.md has another signature than $(cat "$work/signature")"

sed -n '/^```c$/,/^```$/p' "$readme" | grep -v '^```' >"$work/program.c"

# shellcheck disable=SC2046 # flags are several words
$PROGRAM_CC -Wall -Wextra -Werror -o "$work/map" "$work/program.c" $(staged_flags --cflags --libs) || fail "compiling"
TRIREME_KERNEL_PATH="$work" LD_LIBRARY_PATH="$stage$libdir" "$work/map" half >"$work/output" || fail "running"
cat "$work/output"
grep -q '^y\[42\] = 21$' "$work/output" || fail "the program printed something else"
