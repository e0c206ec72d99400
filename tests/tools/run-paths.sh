#!/bin/sh
# The files of a `trireme run` do not destroy each other: whatever is read or written twice is refused before the
# first frame, and every file is left as it was.

. "$top_srcdir/tests/tools/common.sh"

test -f "$top_builddir/backends/.libs/cpu.so" || { echo "no cpu backend was built"; exit 77; }
export TRIREME_BACKEND=cpu
video=$top_builddir/tests/tools/video
cd "$work" || exit 1

"$video" make 420 64 48 6 >original.y4m
cp original.y4m in.y4m
echo "an older result" >old

# refused WORDS ARGUMENT…: `trireme run -k copy` with these arguments fails with these words, and leaves the input alone
# and no new file.
refused()
{
    words=$1
    shift
    ls -A >before
    run 1 "$trireme" run -k copy "$@"
    err_has "$words"
    ls -A >after
    cmp -s before after || { failed "files were left: $*"; diff before after; }
    cmp -s original.y4m in.y4m || { failed "the input was destroyed: $*"; cp original.y4m in.y4m; }
}
: >out && : >err && : >before && : >after

# ---- an output that is the input, by any name

ln in.y4m hard.y4m
ln -s in.y4m soft.y4m
for name in in.y4m ./in.y4m "$PWD/in.y4m" hard.y4m soft.y4m; do
    refused "$name: is the input too" in.y4m "$name"
    refused "which the timeline would destroy" --timeline "$name" in.y4m new.y4m
    refused "which the trace would destroy" --trace "$name" in.y4m new.y4m
    refused "which the report (--report-file) would destroy" --report-file "$name" in.y4m new.y4m
    refused "is the input too" - "$name" <in.y4m
    refused "is the input too" /dev/stdin "$name" <in.y4m
done
refused "the same file as in.y4m" in.y4m hard.y4m
for output in - /dev/stdout; do
    timeout --kill-after=10 300 "$trireme" run -k copy --output-format y4m in.y4m $output 1<>in.y4m 2>err && failed "the input is written: $output"
    err_has "is the input too"
    cmp original.y4m in.y4m || { failed "the input was destroyed: $output"; cp original.y4m in.y4m; }
done

# ---- outputs that are each other

refused "is the output too" --report-file new.y4m in.y4m new.y4m
refused "is the output too" --timeline ./new.y4m in.y4m new.y4m
refused "is the report (--report-file) too" --report-file new --trace new in.y4m new.y4m
refused "is the trace too" --trace "$PWD/new" --timeline new in.y4m new.y4m
cp old old.y4m
ln old.y4m older.y4m
refused "is the output too" --timeline older.y4m in.y4m old.y4m
cmp -s old old.y4m || failed "the older output was destroyed"
ln -s new.y4m dangling
run 1 "$trireme" run -k copy --trace dangling in.y4m new.y4m
err_has "too"
rm -f dangling new.y4m

# What may be shared: devices without contents.
run 0 "$trireme" run -k copy --output-format y4m --trace /dev/null --timeline /dev/null --report-file /dev/null in.y4m /dev/null
run 0 "$trireme" run -k copy --report text in.y4m new.y4m
timeout --kill-after=10 300 "$trireme" run -k copy --report text in.y4m - >both 2>&1 && failed "the report is among the frames"
grep -q "standard error: is the output too" both || failed "not told: $(head -c 300 both)"
rm -f new.y4m both

# ---- kernels

cat >half.comp <<'GLSL'
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Arguments { uint count; };
void main()
{
    if (gl_GlobalInvocationID.x < count)
        y[gl_GlobalInvocationID.x] = 0.5 * x[gl_GlobalInvocationID.x];
}
GLSL
if "$trireme" kc -q half.comp 2>/dev/null; then
    cp half.spv kept.spv
    run 1 "$trireme" run -k ./half.spv --trace half.spv in.y4m new.y4m
    err_has "half.spv: is a kernel too (the same file as ./half.spv)"
    cmp kept.spv half.spv || failed "the kernel was destroyed"
    test ! -e new.y4m || failed "an output was made"
fi

# ---- a pipe that is both

mkfifo pipe
cat in.y4m >pipe &
refused "pipe: is the input too" --output-format y4m pipe pipe
wait
rm pipe

# ---- images

"$video" make mono 20 10 3 >mono.y4m
mkdir images
run 0 "$trireme" run -k copy mono.y4m 'images/f%d.pgm'
cp -r images kept
ln -s images link
mkdir other
ln images/f2.pgm other/f3.pgm
for arguments in "images images" "images images/" "images ./images/" "images link" "link images" "images images/f%d.pgm" \
    "images images/out.pgm" "images images/f2.pgm" "images other" "images/f%d.pgm images" "images/f%d.pgm link/f%d.pgm" \
    "--timeline images/f1.pgm images new/" "--report-file images/new.pgm images new/"; do
    # shellcheck disable=SC2086 # arguments
    run 1 "$trireme" run -k copy $arguments
    grep -q "is the input too\|lies in the folder that is the input" err || failed "$arguments: $(cat err)"
    diff -r kept images || { failed "images were changed: $arguments"; rm -rf images; cp -r kept images; }
    test ! -e new || { failed "a folder was made: $arguments"; rm -rf new; }
done
run 0 "$trireme" run -k copy --timeline images/t.html images new/
rm -r new images/t.html
# An image and a report, and two images that would get one name.
run 1 "$trireme" run -k copy --report-file new/f2.pgm images new/
err_has "new/f2.pgm: is the report (--report-file) too"
test ! -e new || failed "a folder was left"
mkdir new
run 1 "$trireme" run -k copy --report-file new/f2.pgm images new/
err_has "new/f2.pgm: is the report (--report-file) too"
test -z "$(ls new)" || failed "files were left in the folder: $(ls new)"
mkdir twins
cp images/f1.pgm twins/a.pgm
cp images/f2.pgm twins/a-b.pgm
cp images/f3.pgm twins/a.pnm
run 1 "$trireme" run -k copy twins new
err_has "new/a.pgm: two images of the input would be written to it"
test -z "$(ls new)" || failed "images were written: $(ls new)"

# ---- every output is opened before the first frame

for option in --timeline --trace --report-file; do
    cp old old.y4m
    refused "nowhere/x: cannot be written" $option nowhere/x in.y4m new.y4m
    refused "nowhere/x: cannot be written" $option nowhere/x in.y4m old.y4m
    cmp -s old old.y4m || failed "the output was begun although $option failed"
done
refused "images: cannot be written: Is a directory" --timeline images in.y4m new.y4m

# ---- what the output held stays until the first frame is there, and its end is told

cp old old.y4m
run 1 "$trireme" run -k copy --device cpu:99 in.y4m old.y4m
err_has "the output is as it was"
cmp -s old old.y4m || failed "an output was destroyed without a device"
run 1 "$trireme" run -k copy --device cpu:99 --timeline new.html in.y4m new.y4m
test ! -e new.y4m && test ! -e new.html || failed "empty files were left"
head -c 100 in.y4m >cut.y4m
run 1 "$trireme" run -k copy cut.y4m old.y4m
err_has "the output is as it was"
cmp -s old old.y4m || failed "an output was destroyed by an input without a frame"
run 1 "$trireme" run -k copy cut.y4m new.y4m
test ! -e new.y4m || failed "an output without a frame was left"
head -c 10000 in.y4m >cut.y4m
run 1 "$trireme" run -k copy cut.y4m old.y4m
err_has "2 frames before were written, in place of what the output held"
run 1 "$trireme" run -k copy cut.y4m new.y4m
err_has "(2 frames before were written)"
cmp old.y4m new.y4m || failed "the older contents are still there"
run 0 "$trireme" run -k copy --frames 1 in.y4m old.y4m
"$video" make 420 64 48 1 >wanted.y4m
cmp wanted.y4m old.y4m || failed "the longer contents are still there"

finish
