#!/bin/sh
# Every text that the translator makes of the shaders of the tests and of the library is C that gcc and clang take without
# a warning, and CUDA C that NVRTC takes. Compilers that are not installed are named and left out.

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
spirv=$XDG_CACHE_HOME/differential
mkdir -p "$spirv" || exit 1
texts=$(cd "$top_builddir" && pwd)/tests/differential/texts
shaders=$top_srcdir/tests/unit/shaders

"$texts" --to "$work" --cache "$spirv" "$top_srcdir"/tests/differential/shaders/*.comp \
    "$top_srcdir"/tests/differential/shaders/large/*.comp "$shaders"/*.spv "$shaders"/*/*.spv \
    "$top_srcdir"/tests/differential/shaders/*.spv \
    "$top_builddir"/shaders/*.spv || exit

# Checks of bounds are the same for both compilers of C: one of them sees those texts.
failed=0
compile()
{
    if ! command -v "$1" >/dev/null; then
        echo "$1 was not found: it does not see the texts"
        return
    fi
    "$@" -std=gnu11 -Wall -Wextra -Werror -fsyntax-only || failed=1
}
cd "$work" || exit 1
compile gcc ./*.c
compile clang ./plain-*.c
"$texts" --nvrtc ./*.cu || test $? = 77 || failed=1
exit $failed
