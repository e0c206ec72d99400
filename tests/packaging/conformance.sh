#!/bin/sh
# The conformance suite that is installed as sources is complete: it needs its own files, the installed headers and those of Check, and
# nothing of a source tree. Its program is compiled with TEST_THOROUGH=1 only; it is the one that the build tree has.

. "$top_srcdir/tests/packaging/staging"
need_the_installation
test -n "$PKG_CONFIG" || { echo "no pkg-config"; exit 77; }

suite=$stage$conformancedir
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Make's own variables of the folder lead to it, wherever it is. Preprocessing names each file that a source includes.
# plan COMPILER: prints the commands that make would run
plan()
{
    (cd "$work" && PKG_CONFIG_PATH="$stage$libdir/pkgconfig" env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL \
        "$MAKE" -n -f "$suite/conformance.mk" PKG_CONFIG="$PKG_CONFIG --define-prefix" CC="$1")
}
planned=$(plan "$PROGRAM_CC") || fail "make -n: $planned"
echo "$planned" | grep -q " -c -o conformance-objects/conformance/main\.o " || fail "main.c is not compiled: $planned"
compiled=$(echo "$planned" | grep -c ' -c -o ')
listed=$(find "$suite/tests" -name '*.c' ! -name '*vulkan*' | wc -l)
test "$compiled" -ge "$listed" || fail "$compiled of $listed files are compiled"

# Without headers of Vulkan, or with old ones, the cases that use Vulkan are left out, and all others are compiled.
mkdir -p "$work/none/vulkan" "$work/old/vulkan" "$work/new/vulkan"
echo '#error no Vulkan' >"$work/none/vulkan/vulkan.h"
: >"$work/old/vulkan/vulkan.h"
echo '#define VK_API_VERSION_1_3 1' >"$work/new/vulkan/vulkan.h"
for headers in none old; do
    without=$(plan "$PROGRAM_CC -I$work/$headers") || fail "make -n with $headers: $without"
    echo "$without" | grep -i vulkan | grep -v "^$work" && fail "cases of Vulkan are compiled with $headers headers of it"
    test "$(echo "$without" | grep -c ' -c -o ')" -eq "$listed" || fail "not all other cases are compiled with $headers headers"
done
plan "$PROGRAM_CC -I$work/new" | grep -q vulkan || fail "no case of Vulkan is compiled with headers of 1.3"

echo "$planned" | grep ' -c -o ' | sed 's/ -c -o [^ ]*/ -M/' >"$work/commands"
sh -e "$work/commands" >"$work/included" || fail "a source includes what is not installed"
foreign=$(tr -s ' \\' '\n\n' <"$work/included" | grep '^[^ ]*\.[ch]$' | grep -e "^$(cd "$top_srcdir" && pwd)/" | grep -v -e "^$stage/" | sort -u)
test -z "$foreign" || fail "the suite includes files of the source tree: $foreign"

test "${TEST_THOROUGH-}" = 1 || exit 0
need_the_cpu_backend
(cd "$work" && PKG_CONFIG_PATH="$stage$libdir/pkgconfig" env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL \
    "$MAKE" -s -f "$suite/conformance.mk" PKG_CONFIG="$PKG_CONFIG --define-prefix" CC="$PROGRAM_CC") || fail "make"
LD_LIBRARY_PATH=$stage$libdir CK_RUN_CASE=context "$work/conformance" || fail "running"
