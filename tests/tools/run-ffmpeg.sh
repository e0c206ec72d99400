#!/bin/sh
# `trireme run` beside ffmpeg: its videos pass through unchanged, and three of its filters come out the same.

. "$top_srcdir/tests/tools/common.sh"

test -f "$top_builddir/backends/.libs/cpu.so" || { echo "no cpu backend was built"; exit 77; }
command -v ffmpeg >/dev/null 2>&1 || { echo "ffmpeg is not installed (Debian: ffmpeg)"; exit 77; }
export TRIREME_BACKEND=cpu
video=$top_builddir/tests/tools/video
cd "$work" || exit 1

footage()
{
    ffmpeg -nostdin -loglevel error -y -f lavfi -i "testsrc2=size=$2:rate=25:duration=0.4" -pix_fmt "$1" -strict -1 in.y4m ||
        failed "ffmpeg makes no $1"
}

filter()
{
    ffmpeg -nostdin -loglevel error -y -i in.y4m -vf "$1" -strict -1 theirs.y4m || failed "ffmpeg does no $1"
}

# near LUMA CHROMA MARGIN: the two videos differ by at most LUMA and CHROMA, without MARGIN pixels at the
# border.
near()
{
    "$video" compare theirs.y4m out.y4m "$3" >difference || failed "theirs and ours cannot be compared"
    read -r luma _ chroma _ <difference
    test "$luma" -le "$1" && test "$chroma" -le "$2" || failed "luma differs by $luma, chroma by $chroma"
}

for format in yuv420p yuvj420p yuv422p yuv444p gray yuv420p10le yuv422p10le yuv444p10le gray10le; do
    footage $format 322x182
    run 0 "$trireme" run -k copy in.y4m out.y4m
    cmp in.y4m out.y4m || failed "$format is not the same"
    run 0 "$trireme" run -k convert_f32_f32 in.y4m out.y4m
    cmp in.y4m out.y4m || failed "$format is not the same after it was floats"
done
ffmpeg -nostdin -loglevel error -i in.y4m -f yuv4mpegpipe -strict -1 - | timeout --kill-after=10 300 "$trireme" run -k copy - - |
    ffmpeg -nostdin -loglevel error -y -f yuv4mpegpipe -i - -strict -1 out.y4m
cmp in.y4m out.y4m || failed "through pipes from and to ffmpeg"

# The way that is told for pictures leads to frames.
ffmpeg -nostdin -loglevel error -y -f lavfi -i "testsrc2=size=64x48:rate=1:duration=1" picture.png
run 1 "$trireme" run -k copy picture.png out.y4m
way=$(sed -n 's/.*frames of: \(ffmpeg .*\) | trireme run.*/\1/p' err | sed 's/FILE/picture.png/')
test -n "$way" || failed "no way is told for a picture"
# shellcheck disable=SC2086 # the words of the command
$way 2>/dev/null | timeout --kill-after=10 300 "$trireme" run -k copy - out.y4m || failed "the way that is told does not work: $way"

# A photograph, with noise and grain: the picture of `make demo`, where it is installed.
photo=$(sed -n 's/^photo=.*:-\(.*\)}$/\1/p' "$top_srcdir/demo/run-demo")
if test -f "$photo"; then
    ffmpeg -nostdin -loglevel error -y -loop 1 -i "$photo" -vf "crop=640:360:x=8*n:y=4*n" -frames:v 8 -pix_fmt yuv420p in.y4m ||
        failed "ffmpeg makes no video of $photo"
    run 0 "$trireme" run -k copy in.y4m out.y4m
    cmp in.y4m out.y4m || failed "the photograph is not the same"
fi

# Sobel's filter: ffmpeg cuts the fraction off where we round, so results are one apart at most; at the left
# and upper border it mirrors the image about the outermost pixel, where we repeat that pixel, so the border
# is left out.
for format in yuv420p yuv444p10le; do
    footage $format 322x182
    filter sobel=planes=1
    run 0 "$trireme" run -k sobel:planes=y in.y4m out.y4m
    near 1 0 1
done

# The mean of a square: the same borders; ffmpeg rounds between the two directions.
footage yuv420p 322x182
filter avgblur=sizeX=3
run 0 "$trireme" run -k box_blur:radius=3 in.y4m out.y4m
near 1 1 0

# Rows and columns change places: every bit.
filter transpose=dir=cclock_flip
run 0 "$trireme" run -k transpose in.y4m out.y4m
near 0 0 0

finish
