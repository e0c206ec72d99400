#!/bin/sh
# The reports of `trireme run`: as JSON and as text, the trace and the timeline.

. "$top_srcdir/tests/tools/common.sh"

test -f "$top_builddir/backends/.libs/cpu.so" || { echo "no cpu backend was built"; exit 77; }
export TRIREME_BACKEND=cpu
video=$top_builddir/tests/tools/video
cd "$work" || exit 1

members="backend:string=cpu strategy:string depth:number tokens:number seconds:number bytes_up:number bytes_down:number
stages[].name:string stages[].busy_seconds:number stages[].starved_seconds:number stages[].blocked_seconds:number
critical:string bound_seconds:number efficiency:number"

"$video" make 420 320 240 60 >in.y4m
# shellcheck disable=SC2086 # members
{
    run 0 "$trireme" run -k gaussian_blur:sigma=2 -k sobel --report json in.y4m out.y4m
    json $members
    err_is_empty
    grep -q '"tokens": *60\b' "$work/out" || failed "not 60 tokens"
    grep -q '"depth": *3\b' "$work/out" || failed "not a depth of 3"
    run 0 "$trireme" run -k sobel --json --depth 2 in.y4m out.y4m
    json $members
    grep -q '"depth": *2\b' "$work/out" || failed "not a depth of 2"

    # Frames on standard output: the report goes to standard error.
    timeout 300 "$trireme" run -k copy --report json in.y4m - >copy.y4m 2>"$work/out" || failed "to standard output"
    json $members
    cmp in.y4m copy.y4m || failed "the report is among the frames"
    run 0 "$trireme" run -k copy --report json --report-file report.json in.y4m -
    err_is_empty
    cp report.json "$work/out"
    json $members
}

run 0 "$trireme" run -k sobel --report text --trace trace.json --timeline timeline.html in.y4m out.y4m
for word in load compute sink; do
    out_has $word
done
cp trace.json "$work/out"
json 'traceEvents[].ph:string'
grep -q "sobel" trace.json || failed "the trace does not name the kernel"
grep -qi "<!doctype html>" timeline.html || failed "the timeline is no page"
! grep -q 'src="http' timeline.html || failed "the timeline needs the network"

# Without a terminal there is no progress line.
run 0 "$trireme" run -k copy in.y4m out.y4m
out_is_empty
err_is_empty
if command -v script >/dev/null 2>&1; then
    TERM=xterm script -qec "'$trireme' run -k copy in.y4m out.y4m" typescript >/dev/null 2>&1 </dev/null
    grep -q "60 frames in" typescript || failed "nothing is said on a terminal"
    TERM=xterm script -qec "'$trireme' run -q -k copy in.y4m out.y4m" typescript >/dev/null 2>&1 </dev/null
    ! grep -q "frames in" typescript || failed "--quiet is not quiet"
    TERM=xterm script -qec "'$trireme' run -k copy in.y4m -" typescript >/dev/null 2>&1 </dev/null
    grep -q "standard output is a terminal" typescript || failed "frames are written to a terminal"
else
    echo "script is not installed: progress on a terminal is not tried (Debian: bsdutils)"
fi

finish
