#!/bin/sh
# Runs all examples on Vulkan: each exits with 0, and the validation layer reports nothing. An example that
# exits with 77 is skipped: the device cannot run it, or something that it needs is not installed.

. "$top_srcdir/tests/vulkan/common.sh"
validation_printed

# Lavapipe computes in the thread of its queue: each launch of the small grids of two examples would wake others, a quarter of the time.
LP_NUM_THREADS=0
export LP_NUM_THREADS

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
    case $status in
    0) ;;
    77) echo "SKIP $name: $(tail -n 1 "$out")" ;;
    *) failed "$name ended with $status" ;;
    esac
    ! printed_in "$out" >/dev/null || failed "$name: the validation layer reports an error or a warning"
done
test "$failures" -eq 0
