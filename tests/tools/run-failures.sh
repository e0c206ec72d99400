#!/bin/sh
# `trireme run` with failures during the run: it says where it failed, the finished frames are written, and it
# exits with 1.

. "$top_srcdir/tests/tools/common.sh"

test -f "$top_builddir/backends/.libs/cpu.so" || { echo "no cpu backend was built"; exit 77; }
export TRIREME_BACKEND=cpu
video=$top_builddir/tests/tools/video
cd "$work" || exit 1

"$video" make 420 64 48 30 >in.y4m
frame=$((64 * 48 * 3 / 2 + 6))
header=$(head -n 1 in.y4m | wc -c)

# ---- an input that is cut short: the frames before are there, from a file and from a pipe

for workers in 0 1 3; do
    head -c $((header + 7 * frame + 100)) in.y4m >cut.y4m
    head -c $((header + 7 * frame)) in.y4m >wanted.y4m
    run 1 "$trireme" run -k copy --workers $workers cut.y4m out.y4m
    err_has "cut.y4m: cut short: frame 7"
    err_has "7 frames before were written"
    cmp wanted.y4m out.y4m || failed "the frames before the end are not there"
    timeout --kill-after=10 300 "$trireme" run -k copy --workers $workers - - <cut.y4m >out.y4m 2>err && failed "a cut pipe was taken"
    grep -q "standard input: cut short: frame 7" err || failed "not told: $(cat err)"
    cmp wanted.y4m out.y4m || failed "the frames before the end did not come through the pipe"
done
cat cut.y4m | timeout --kill-after=10 300 "$trireme" run -k sobel - out.y4m 2>err && failed "a cut pipe was taken"
test "$(wc -c <out.y4m)" -eq $((header + 7 * frame)) || failed "seven frames were not written"

# Other bytes between two frames.
{ head -c $((header + 4 * frame)) in.y4m; echo "FRAIM"; tail -c $frame in.y4m; } >broken.y4m
run 1 "$trireme" run -k copy broken.y4m out.y4m
err_has "broken.y4m: byte $((header + 4 * frame)): frame 4 does not begin"
err_has "4 frames before were written"

# An extension that is not known: the format of the input, which is told.
run 0 "$trireme" run -k copy in.y4m out.txt
err_has "out.txt is written as y4m, like the input, since its extension is not known"
cmp in.y4m out.txt || failed "the file with another extension differs"

# An image that is missing bytes, in the middle of a folder.
"$video" make mono 20 10 6 >mono.y4m
run 0 "$trireme" run -k copy mono.y4m 'f%d.pgm'
head -c 50 f4.pgm >short && mv short f4.pgm
run 1 "$trireme" run -k copy --workers 2 'f%d.pgm' 'g%d.pgm'
err_has "f4.pgm: cut short"
test -f g3.pgm && ! test -f g5.pgm || failed "images behind the one that is missing"
cmp f3.pgm g3.pgm || failed "the images before it are not there"

# A file of a folder or of a sequence holds one image; a second one, or anything else behind it, is not dropped.
mkdir several
for what in image garbage; do
    cp f1.pgm several/f1.pgm
    { cat f2.pgm; test $what = image && cat f3.pgm || echo "something else"; } >several/f2.pgm
    place=$(wc -c <f2.pgm)
    test $what = image && words="byte $place: a second image begins here" || words="byte $place: no image begins here"
    for input in several 'several/f%d.pgm'; do
        rm -rf taken
        run 1 "$trireme" run -k copy --workers 2 "$input" taken/
        err_has "several/f2.pgm: $words"
        err_has "(1 frame before was written)"
        cmp f1.pgm taken/f1.pgm || failed "the image before it is not there"
        test ! -e taken/f2.pgm || failed "a part of a file was taken"
    done
    run 1 "$trireme" run -k copy --frames 2 several taken/
done
{ cat f2.pgm; printf '\n# the end\n'; } >several/f2.pgm
rm -rf taken
run 0 "$trireme" run -k copy several taken/
cmp f2.pgm taken/f2.pgm || failed "an image with a comment behind it"

# ---- an output that ends

run 1 "$trireme" run -k copy in.y4m nowhere/out.y4m
err_has "nowhere/out.y4m"
if test -c /dev/full; then
    run 1 "$trireme" run -k copy --output-format y4m in.y4m /dev/full
    err_has "/dev/full: cannot be written at byte 0: No space left on device"
    timeout --kill-after=10 300 "$trireme" run -k copy in.y4m - >/dev/full 2>err && failed "a full standard output was taken"
    grep -q "standard output: cannot be written" err || failed "not told: $(cat err)"
    run 1 "$trireme" run -k copy --report-file /dev/full in.y4m out.y4m
    err_has "/dev/full"
    run 1 "$trireme" run -k copy --timeline nowhere/t.html in.y4m out.y4m
    err_has "nowhere/t.html"
fi

# A full file system: the file keeps the finished frames and ends behind the last whole one. (A limit on the
# file size simulates it; its signal must be ignored, so that write() fails.)
(
    trap '' XFSZ
    ulimit -f 40 2>/dev/null || exit 77 # of 512 or 1024 bytes
    timeout --kill-after=10 300 "$trireme" run -k copy in.y4m limited.y4m 2>err
    test $? -eq 1
)
case $? in
0)
    grep -q "limited.y4m: cannot be written at byte" err || failed "not told: $(cat err)"
    size=$(wc -c <limited.y4m)
    test $(((size - header) % frame)) -eq 0 && test "$size" -gt $frame || failed "no whole frames: $size bytes"
    ;;
77) echo "no limit on the size of files here" ;;
*) failed "a full file system was taken" ;;
esac

# The reader closes the pipe.
{
    timeout --kill-after=10 300 "$trireme" run -k copy in.y4m - 2>err
    echo $? >status
} | head -c 1000 >/dev/null
test "$(cat status)" -eq 1 || failed "status $(cat status) after a closed pipe"
grep -q "standard output: its reader closed it at byte" err || failed "not told: $(cat err)"

# Whether a process has a handler for SIGINT (1), SIGTERM (2), both (3), none (0), or has ended (ended).
handlers_of()
{
    awk '/^State:/ { state = $2 }
         /^SigCgt:/ { low = substr($2, length($2) - 3)
                      interrupt = index("0123456789abcdef", substr(low, 4, 1)) - 1
                      terminate = index("0123456789abcdef", substr(low, 1, 1)) - 1 }
         END { if (state == "" || state == "Z") print "ended"
               else print int(interrupt / 2) % 2 + int(terminate / 4) % 2 * 2 }' "/proc/$1/status" 2>/dev/null ||
        echo ended
}

# ---- an interrupt: frames that have begun are finished. A frame of which the loader has read a part is not, so
# all of them are out before. The shell starts background processes with SIGINT ignored, and it stays ignored: if
# the SIGINT here counted, the SIGTERM behind it would end the program at once.

rm -f out.y4m
mkfifo pipe
{ cat in.y4m; exec sleep 600; } >pipe &
feeder=$!
"$trireme" run -k copy --workers 1 pipe out.y4m 2>err &
runner=$!
while test "$(wc -c <out.y4m 2>/dev/null || echo 0)" -lt $((header + 30 * frame)); do
    kill -0 $runner || break
    sleep 0.05
done
test "$(handlers_of $runner)" = 2 || failed "a handler for SIGINT, which was ignored, or none for SIGTERM"
kill -INT $runner
kill -TERM $runner
wait $runner
test $? -eq 143 || failed "SIGTERM does not end with 143"
kill $feeder 2>/dev/null
grep -q "interrupted; 30 frames were written" err || failed "not told: $(cat err)"
cmp in.y4m out.y4m || failed "frames were lost by the interrupt"

# ---- the second interrupt ends the program at once, also one of the other kind, while the first one waits for
# a reader of the output that does not read on: a frame is longer than what a pipe takes, and the first byte behind
# the header comes when the frame is being written.

rm -f unread
mkfifo unread
"$video" make 420 1024 768 2 >large.y4m
header=$(head -n 1 large.y4m | wc -c)
# With both signals at their defaults where `env` can set them; else without SIGINT, which the shell ignores.
if env --default-signal=INT true 2>/dev/null; then
    cases='INT,TERM,143 TERM,INT,130 TERM,TERM,143'
    default="env --default-signal=INT,TERM"
    armed=3
else
    cases='TERM,TERM,143'
    default=
    armed=2
fi
for signals in $cases; do
    set -- $(echo $signals | tr , ' ')
    $default "$trireme" run -k copy large.y4m - >unread 2>err &
    runner=$!
    exec 9<unread
    head -c $((header + 1)) <&9 | cmp -n $((header + 1)) - large.y4m || failed "no frame was written: $(cat err)"
    kill -s $1 $runner
    while state=$(handlers_of $runner); test "$state" = $armed; do sleep 0.02; done
    test "$state" != ended || failed "$1 alone ended the program: $(cat err)"
    # One handler is removed before the other.
    while state=$(handlers_of $runner); test "$state" != 0 && test "$state" != ended; do sleep 0.02; done
    kill -s $2 $runner
    wait $runner
    test $? -eq $3 || failed "$2 after $1 does not end the program at once"
    exec 9<&-
done

# A SIGINT that is not ignored ends the input, too.
if test -n "$default"; then
    rm -f pipe out.y4m
    mkfifo pipe
    $default "$trireme" run -k copy pipe out.y4m 2>err &
    runner=$!
    exec 9>pipe
    cat in.y4m >&9 # more than a pipe takes, so the header has been read
    while state=$(handlers_of $runner); test "$state" != 3 && test "$state" != ended; do sleep 0.02; done
    kill -INT $runner
    wait $runner
    test $? -eq 130 || failed "SIGINT does not end with 130: $(cat err)"
    exec 9>&-
fi

finish
