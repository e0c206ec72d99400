#!/bin/sh
# `trireme bench` runs every case and prints a line for each. The measured values are not checked.

. "$top_srcdir/tests/tools/common.sh"

test -f "$top_builddir/backends/.libs/cpu.so" || { echo "no cpu backend was built"; exit 77; }
export TRIREME_BACKEND=cpu

run 0 "$trireme" bench --list
cases=$(grep -c . "$work/out")
out_has "launch_worker"
run 0 "$trireme" bench --list alloc
out_has "alloc_1MiB"
out_lacks "launch_worker"

# Under a sanitizer or a coverage build only the smallest suite runs.
# Sums across devices want several.
suites=
test "$INSTRUMENTED" = no || suites=alloc
TRIREME_CPU_DEVICES=2
TRIREME_DEVICES=cpu:0,cpu:1
export TRIREME_CPU_DEVICES TRIREME_DEVICES
run 0 "$trireme" bench $suites --quick --repeat 1 --json
json --lines suite:string case:string backend:string unit:string median:number min:number max:number
err_is_empty
if test -z "$suites"; then
    lines=$(grep -c . "$work/out")
    test "$lines" -eq "$cases" || failed "$lines lines of $cases cases"
fi
out_has '"case": "alloc_1MiB", "backend": "cpu"'
out_has '"case": "alloc_1MiB", "backend": "malloc"'
unset TRIREME_CPU_DEVICES TRIREME_DEVICES

run 0 "$trireme" bench alloc --backend cpu:0 --quick --repeat 1
out_has "alloc_write_1MiB"
run 0 "$trireme" bench alloc alloc --backend cpu --quick --repeat 2 --json
test "$(grep -c '"case": "alloc_1MiB", "backend": "cpu"' "$work/out")" -eq 1 || failed "a suite named twice runs once"

# A bar for each of 60 tasks, three times over.
run 0 "$trireme" bench --picture "$work/picture.svg" --backend cpu
err_is_empty
bars=$(grep -c "<title>" "$work/picture.svg")
test "$bars" -eq 180 || failed "$bars bars of 180"
for chart in "one stream" "round-robin" "auto"; do
    grep -q "class=\"title\".*$chart" "$work/picture.svg" || failed "no chart of $chart"
done
test "$(tail -n 1 "$work/picture.svg")" = "</svg>" || failed "the picture is not complete"
run 1 "$trireme" bench --picture "$work/no-such-folder/picture.svg" --backend cpu
err_has "no-such-folder"
run 1 env TRIREME_CPU_COMPILER=/no/compiler TRIREME_KERNEL_CACHE=none "$trireme" bench --picture "$work/none.svg" --backend cpu
err_has "cannot be drawn"
err_has "/no/compiler"

run 1 "$trireme" bench alloc --backend no-such-backend
err_has "no-such-backend"
out_is_empty

finish
