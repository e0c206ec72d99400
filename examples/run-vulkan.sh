#!/bin/sh
# All examples succeed on Vulkan without a message of the validation layer. Only the one whose kernel is a C
# function and the one that needs CUDA may be skipped.

. "$top_srcdir/tests/vulkan/common.sh"
validation_printed

out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
failures=0

failed()
{
    echo "FAILED: $*"
    cat "$out"
    failures=$((failures + 1))
}

for program in "$top_builddir"/examples/[0-9][0-9]-*; do
    name=$(basename "$program")
    case $name in
    *.*) continue ;;
    esac
    timeout 300 "$program" >"$out" 2>&1
    status=$?
    case $status-$name in
    0-* | 77-14-c-function | 77-18-two-interfaces) ;;
    *) failed "$name ended with $status" ;;
    esac
    ! printed_in "$out" >/dev/null || failed "$name: the validation layer has something to say"
done
test "$failures" -eq 0
