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

flags="-std=gnu11 -Wall -Wextra -Werror -fsyntax-only"
failed=0

# is_there COMPILER
is_there()
{
    command -v "$1" >/dev/null || {
        echo "$1 was not found: it does not see the texts"
        return 1
    }
}

# by_clang TEXT…: the driver starts a process for each text, which takes four times as long as to compile it, but says the command,
# with the name of the text in two places; so that runs with many texts at once. (Fifty at a time, since it frees no memory.)
by_clang()
{
    # shellcheck disable=SC2086 # a list of words
    command=$(clang $flags '-###' "$1" 2>&1 | grep '"-cc1"' | sed 's|"-main-file-name" "[^"]*"||; s|"[^"]*\.c" *$||')
    case $command in
    *-Werror*) printf '%s\n' "$@" | eval "xargs -n 50 $command" ;;
    *)
        # shellcheck disable=SC2086 # a list of words
        clang $flags "$@"
        ;;
    esac
}

# Checks of bounds are the same for both compilers of C: one of them sees those texts.
cd "$work" || exit 1
# shellcheck disable=SC2086 # a list of words
! is_there gcc || gcc $flags ./*.c || failed=1
! is_there clang || by_clang ./plain-*.c || failed=1
"$texts" --nvrtc ./*.cu || test $? = 77 || failed=1
exit $failed
