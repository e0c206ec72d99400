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
    grep -q '"depth": *[34]\b' "$work/out" || failed "not a depth of 3, or of 4 where the caches are large"
    run 0 "$trireme" run -k sobel --json --depth 2 in.y4m out.y4m
    json $members
    grep -q '"depth": *2\b' "$work/out" || failed "not a depth of 2"

    # Frames on standard output: the report goes to standard error.
    timeout --kill-after=10 300 "$trireme" run -k copy --report json in.y4m - >copy.y4m 2>"$work/out" || failed "to standard output"
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

# Advice names options of this command, and only what they can change. Programs at the other ends of pipes that
# take their time: nothing helps, however many workers are asked for.
frame=115206
feed()
{
    for _ in $(seq 30); do
        dd bs=$frame count=1 status=none
        sleep 0.03
    done <in.y4m
}
for workers in 0 1 15; do
    feed | "$trireme" run -k sobel --workers $workers --frames 24 --json - out.y4m >"$work/out" 2>"$work/err"
    json advised.kind:string=bound advised.stage:string=load advised.gain:number
    grep -q '"advice": "standard input delivers [0-9.]* frames/s and is slower' "$work/out" ||
        failed "the pace of standard input: $(grep '"advice"' "$work/out")"
    ! grep -q '"workers": 15,$' "$work/out" || failed "a pipe was read by 15 workers"
done
"$trireme" run -k sobel --frames 24 --json --report-file pace.json in.y4m - | for _ in $(seq 30); do
    dd bs=$frame count=1 iflag=fullblock of=/dev/null status=none
    sleep 0.03
done
grep -q '"advice": "the reader of standard output takes [0-9.]* frames/s and is slower' pace.json ||
    failed "the pace of the reader: $(grep '"advice"' pace.json)"

# One frame cannot be cut.
run 0 "$trireme" run -k sobel --frames 1 --report text in.y4m out.y4m
! grep -q "cut the data" "$work/out" || failed "a frame is to be cut"
# Every thread and slot at its least: what is advised is an option.
run 0 "$trireme" run -k sobel --workers 0 --sink-workers 1 --depth 1 --report text in.y4m out.y4m
tr '\n' ' ' <"$work/out" >one-line
! grep -Eq "loader worker|raise the depth|TRM_" one-line || failed "advice for programmers: $(cat one-line)"

# The tool's tokens are frames, in the report and in the timeline, whose keys are for programs.
run 0 "$trireme" run -k sobel --report text --timeline frames.html in.y4m out.y4m
out_has "a frame  > the critical stage"
out_has "frames/s"
! grep -q token "$work/out" || failed "a token in the report: $(grep token "$work/out")"
grep -q "When each frame was in which stage" frames.html || failed "the timeline does not say frame"
grep -q '"token": "frame"' frames.html || failed "the hints of the timeline do not say frame"
! sed '/<script/,$d' frames.html | grep -q token || failed "a token in the text of the timeline"

finish
