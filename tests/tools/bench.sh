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

# Cases by name, with those that are measured together with them: what a case has in its name is no match, a
# pattern is one.
run 0 "$trireme" bench --list --case launch_worker
test "$(grep -c . "$work/out")" -eq 1 || failed "more cases than the one that was named"
run 0 "$trireme" bench --list auto --case 4KiB_fma1
test "$(grep -c . "$work/out")" -eq 3 || failed "not the three lines of the work"
out_has "4 KiB, one multiply-add for each float"
out_has "4KiB_fma1_of_best"
out_lacks "64KiB_fma1"
run 0 "$trireme" bench --list auto --case "*_x[38]_of_best"
out_has "48MiB_x8_of_best"
out_lacks "128KiB_x10"
test "$(grep -c . "$work/out")" -eq 6 || failed "not the six lines of two works"
run 0 "$trireme" bench --list serve --case 4KiB_zero-copy_90_p99.9
out_has "4KiB_zero-copy_full"
out_lacks "_alone"
run 2 "$trireme" bench --list alloc --case launch_worker
err_has "no such case: launch_worker (the suite stream has it)"
run 2 "$trireme" bench --list --case launch_wrker
err_has "no such case: launch_wrker (did you mean launch_worker?)"
run 2 "$trireme" bench --case alloc
err_has "no such case: alloc; --list names them"
out_is_empty

# Under a sanitizer or a coverage build only the smallest suite runs.
# Sums across devices want several.
suites=
test "$INSTRUMENTED" = no || suites=alloc
TRIREME_CPU_DEVICES=2
TRIREME_DEVICES=cpu:0,cpu:1
export TRIREME_CPU_DEVICES TRIREME_DEVICES
# All suites take minutes on a machine that has much else to do.
test -n "$suites" || RUN_LIMIT=480
run 0 "$trireme" bench $suites --quick --repeat 1 --json
unset RUN_LIMIT
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

# The three figures of a work are of one round, and agree. Two pipelines have names.
run 0 "$trireme" bench auto --case 4KiB_fma1 --backend cpu --quick --repeat 4 --json
json --lines suite:string backend:string median:number pipeline:string
awk -F '"median": ' '
    { figure[NR] = $2 + 0 }
    END { exit !(NR == 3 && figure[1] > 0 && figure[1] / figure[2] / figure[3] > 0.999 && figure[1] / figure[2] / figure[3] < 1.001) }
' "$work/out" || { failed "three figures that disagree"; cat "$work/out"; }
grep -q '"backend": "cpu".*"pipeline": "auto: [a-z -]*, [1-9].* slot' "$work/out" || failed "not what auto chose"
grep -q '"backend": "best fixed".*"pipeline": "best: [a-z -]*, [1-4] slot' "$work/out" || failed "not what was best"

# The lines of a work are there before the next one is measured, in a pipe too: between them the log has the pipelines
# of as many rounds as before.
run 0 sh -c '"$@" 2>&1' sh "$trireme" bench auto --case "[46]*KiB_fma1" --backend cpu --quick --repeat 2 -v
awk '
    /debug: pipeline [^ ]* on cpu:0: created$/ { made[int(lines / 3)]++ }
    /^auto / { lines++ }
    END { exit !(lines == 6 && made[0] > 0 && made[0] == made[1] && made[2] == 0) }
' "$work/out" || { failed "the lines of a work do not come when it ends"; grep "^auto \|pipeline .* created$" "$work/out"; }
! grep -q "^auto .* $" "$work/out" || failed "blanks at the end of a line"

# Of other suites every case has its lines in the last round.
run 0 sh -c '"$@" 2>&1' sh "$trireme" bench pipeline --case "64KiB_fma1_[an]*[oe]" --backend cpu --quick --repeat 2 -v
awk '
    /debug: pipeline [^ ]* on cpu:0: created$/ { made[lines + 0]++ }
    /^pipeline / { lines++ }
    END { exit !(lines == 6 && made[0] == 4 && made[2] == 1 && made[4] == 1 && made[6] == 0) }
' "$work/out" || { failed "the lines of a case do not come in its last round"; grep "^pipeline \|pipeline .* created$" "$work/out"; }

# Columns are in line, though each case is printed by itself.
run 0 "$trireme" bench alloc --backend cpu --quick --repeat 1
awk '
    $1 == "suite" { end = index($0, "median") + 6; next }
    $1 == "alloc" { lines++; crooked += substr($0, end - 1, 1) !~ /[0-9]/ || substr($0, end, 1) != " " }
    END { exit lines == 0 || !end || crooked }
' "$work/out" || { failed "a table with crooked columns"; cat "$work/out"; }

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
