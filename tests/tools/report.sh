#!/bin/sh
# The report of `make bench` takes ratios within a round, the median over rounds, and says which targets are
# met and which are missed.

. "$top_srcdir/tests/tools/common.sh"

# line ROUND SUITE CASE BACKEND FIGURE
line()
{
    printf '%s {"suite": "%s", "case": "%s", "backend": "%s", "unit": "ns", "median": %s, "min": 0, "max": 0}\n' "$@"
}

{
    # Ours takes half of the ring's time in each round, although the machine slows down between them.
    line 1 stream launch_worker cpu 50
    line 1 stream launch_worker ring 100
    line 2 stream launch_worker cpu 200
    line 2 stream launch_worker ring 400
    line 3 stream launch_worker cpu 100
    line 3 stream launch_worker ring 200
    # 1,000 against 26,000 is better than a 25th; against 20,000 it is not.
    line 1 stream launch_worker opencl 1300
    line 1 stream launch_worker starpu 1000
    # An absolute limit that is missed.
    line 1 stream launch_inline cpu 75
    line 1 start idle trireme 0.001
    # Three digits of a ratio count.
    line 1 stream roundtrip_p50 cpu 1104.9
    line 1 stream roundtrip_p50 ring 1000
    line 1 kernel saxpy cpu 999.6
    line 1 kernel saxpy openmp 1000
    line 1 kernel blur cpu 998
    line 1 kernel blur openmp 1000
} >"$work/lines"

report()
{
    run 0 env OURS=cpu sh "$top_srcdir/tests/bench/run-bench" "$@" --report "$work/lines"
}

# has_row WORD…: a line of the output has these words in this order.
has_row()
{
    pattern=$(echo "$*" | sed 's/[.*]/\\&/g; s/ / .*/g')
    grep -q -- "$pattern" "$work/out" || { failed "no such row: $*"; cat "$work/out"; }
}

report
has_row stream/launch_worker 1.0 x ring 100 200 0.500 met
has_row stream/launch_worker 0.04 x opencl 0.038 met
has_row stream/launch_worker 0.04 x starpu 0.050 missed
has_row stream/launch_inline 60 75.0 missed
has_row stream/hop not measured
has_row start/idle 0.001 met
has_row stream/roundtrip_p50 1.1 x ring 1105 1000 1.10 met
has_row kernel/saxpy 1.0 x openmp 1000 1000 1.00 met
has_row kernel/blur 1.0 x openmp 998 1000 0.998 missed
has_row stream/launch_worker ring 200 100..400 0.500 ns

report --markdown
has_row '| stream/launch_worker' '| at most 1.0 x ring' '| met'
report --json
json --lines suite:string case:string backend:string unit:string median:number min:number max:number
out_has '"against": "ring", "target": "<= 1.0", "met": true'
out_has '"against": "starpu", "target": "<= 0.04", "met": false'

run 2 sh "$top_srcdir/tests/bench/run-bench" --no-such-option
run 2 sh "$top_srcdir/tests/bench/run-bench" --rounds 0

finish
