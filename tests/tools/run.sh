#!/bin/sh
# `trireme run`: the kernel `copy` leaves frames of every format unchanged, through files and pipes; and the
# options work.

. "$top_srcdir/tests/tools/common.sh"

test -f "$top_builddir/backends/.libs/cpu.so" || { echo "no cpu backend was built"; exit 77; }
export TRIREME_BACKEND=cpu
video=$top_builddir/tests/tools/video
cd "$work" || exit 1

make_video()
{
    "$video" make "$@" || failed "no video of $*"
}

same()
{
    cmp "$1" "$2" || failed "$1 and $2 differ"
}

# ---- y4m, bit by bit

for colours in 420jpeg 420paldv 420mpeg2 420 422 444 411 mono 444alpha 420p10 422p10 444p10 mono10 420p12 444p16; do
    make_video $colours 50 38 5 >in.y4m
    run 0 "$trireme" run -k copy in.y4m out.y4m
    same in.y4m out.y4m
    run 0 "$trireme" run -k convert_f32_f32 --depth 2 in.y4m out.y4m # to floats and back
    same in.y4m out.y4m
done
err_is_empty
out_is_empty

# Odd sizes, one pixel, parameters of frames, one slot and many, no workers and many.
make_video 420jpeg 33 17 7 "Ipp XA=1" >in.y4m
for depth in 0 1 2 8; do
    for workers in 0 1 4; do
        run 0 "$trireme" run -k copy --depth $depth --workers $workers in.y4m out.y4m
        same in.y4m out.y4m
    done
done
for writers in 0 1 2 5 64; do
    for workers in 0 2; do
        run 0 "$trireme" run -k copy --depth 6 --workers $workers --sink-workers $writers in.y4m out.y4m
        same in.y4m out.y4m
    done
done
for strategy in auto role-streams slot-streams slot-graphs zero-copy resident; do
    run 0 "$trireme" run -k convert_f32_f32 --strategy $strategy in.y4m out.y4m
    same in.y4m out.y4m
done
make_video 420 1 1 2 >in.y4m
run 0 "$trireme" run -k copy in.y4m out.y4m
same in.y4m out.y4m
make_video 420 8 8 0 >in.y4m
run 0 "$trireme" run -k copy in.y4m out.y4m
same in.y4m out.y4m

# Pipes, and the order of what goes through them; some frames only.
make_video 420 64 48 40 >in.y4m
cat in.y4m | timeout --kill-after=10 300 "$trireme" run -k copy --workers 3 - - >out.y4m || failed "through pipes"
same in.y4m out.y4m
timeout --kill-after=10 300 "$trireme" run -k copy - out.y4m <in.y4m || failed "from standard input"
same in.y4m out.y4m
run 0 "$trireme" run -k copy --frames 3 in.y4m three.y4m
make_video 420 64 48 3 >wanted.y4m
same wanted.y4m three.y4m

# ---- images

make_video mono 20 10 3 >in.y4m
run 0 "$trireme" run -k copy in.y4m 'f%03d.pgm'
test -f f001.pgm && test -f f003.pgm && ! test -f f004.pgm || failed "images are not numbered from 1"
cat f001.pgm f002.pgm f003.pgm >all.pgm
run 0 "$trireme" run -k copy 'f%03d.pgm' out.pgm
same all.pgm out.pgm
run 1 "$trireme" run -k copy 'f%03d.pgm' 'f%03d.pgm'
err_has "is the input too"
mv f001.pgm f000.pgm && mv f002.pgm f001.pgm && mv f003.pgm f002.pgm
run 0 "$trireme" run -k copy 'f%03d.pgm' 'g%03d.pgm'
same f000.pgm g000.pgm
same f002.pgm g002.pgm
mkdir images && cp f00?.pgm images
for writers in 1 3; do
    run 0 "$trireme" run -k copy --workers 3 --sink-workers $writers images copies$writers/
    for image in images/*; do
        same "$image" "copies$writers/${image#images/}"
    done
done
run 0 "$trireme" run -k copy out.pgm out.y4m
same in.y4m out.y4m
run 0 "$trireme" run -k copy --rate 30000:1001 out.pgm out.y4m
head -n 1 out.y4m >"$work/out"
out_has "F30000:1001"
make_video mono10 20 10 3 >in.y4m
run 0 "$trireme" run -k convert_f32_f32 in.y4m wide.pgm
run 0 "$trireme" run -k copy wide.pgm out.y4m
same in.y4m out.y4m
printf 'P6\n2 2\n255\n\377\0\0\0\377\0\0\0\377\377\377\377' >rgb.ppm
run 0 "$trireme" run -k gray rgb.ppm gray.pgm
printf 'P5\n2 2\n255\n\114\226\035\377' >wanted.pgm
same wanted.pgm gray.pgm
run 0 "$trireme" run -k rgb_to_yuv:planar=1,range=limited rgb.ppm yuv.y4m
head -n 1 yuv.y4m >"$work/out"
out_has "C444"

# ---- numbers

make_video 444 61 47 5 >numbers
for type in f32 f16 u8 u16 i32 u32; do
    head -c 40000 numbers >in.raw
    run 0 "$trireme" run -k copy --raw $type --batch 1K in.raw out.raw
    same in.raw out.raw
done
# The last batch is shorter; bytes are numbers as they are.
head -c 10001 numbers >in.raw
run 0 "$trireme" run -k convert_f32_f32 --raw u8 --batch 1K in.raw out.raw
same in.raw out.raw
printf '\001\002\003\004\005' >in.raw
run 2 "$trireme" run -k binary:operation=squirt,b=10 --raw u8 --batch 2 in.raw out.raw
err_has "operation=squirt is not one of its values"
err_has "operation (add|subtract|"
run 0 "$trireme" run -k binary:operation=multiply,b=10 -k convert_f32_f32:bias=1 --raw u8 --batch 2 in.raw out.raw
printf '\013\025\037\051\063' >wanted.raw
same wanted.raw out.raw
# A filter sees the elements of its batch alone, also where those are fewer.
printf '\000\003\006\011\014\017\022' >in.raw
run 0 "$trireme" run -k box_blur:radius=1 --raw u8 --batch 4 in.raw out.raw
printf '\001\003\006\010\015\017\021' >wanted.raw
same wanted.raw out.raw
run 1 "$trireme" run -k transpose --raw u8 in.raw out.raw
err_has "numbers have a --size"
run 0 "$trireme" run -k transpose --raw u8 --size 2x2 - out.raw </dev/null
printf '\001\002\003\004' >in.raw
run 0 "$trireme" run -k transpose --raw u8 --size 2x2 in.raw out.raw
printf '\001\003\002\004' >wanted.raw
same wanted.raw out.raw

# ---- kernels that change the size, a kernel of the user, and one that works in place

make_video 420 50 38 2 >in.y4m
run 0 "$trireme" run -k resize_bilinear:width=24,height=20 in.y4m out.y4m
make_video 420 24 20 2 >wanted.y4m
test "$(wc -c <out.y4m)" -eq "$(wc -c <wanted.y4m)" || failed "frames of 24x20 have another size"
run 0 "$trireme" run -k transpose -k transpose in.y4m out.y4m
same in.y4m out.y4m
cat >invert.comp <<'GLSL'
#version 450
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer Data { float data[]; };
layout(push_constant) uniform Parameters { uint count; float top; };
void main()
{
    if (gl_GlobalInvocationID.x < count)
        data[gl_GlobalInvocationID.x] = top - data[gl_GlobalInvocationID.x];
}
GLSL
if "$trireme" kc -q invert.comp 2>/dev/null; then
    run 0 "$trireme" run -k ./invert.comp:top=1,planes=y -k invert.spv:top=1,planes=y in.y4m out.y4m
    same in.y4m out.y4m
    run 0 "$trireme" run -k invert.spv:top=1,planes=y in.y4m out.y4m
    ! cmp -s in.y4m out.y4m || failed "inverting changed nothing"
    run 2 "$trireme" run -k invert.spv in.y4m out.y4m
    err_has "top (f32) is missing"
    # The result of this kernel depends on the previous contents of its buffer, so frames must not share one.
    cat >remember.comp <<'GLSL'
#version 450
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) readonly buffer Source { float source[]; };
layout(std430, set = 0, binding = 1) buffer Target { float target[]; };
layout(push_constant) uniform Parameters { uint count; };
void main()
{
    if (gl_GlobalInvocationID.x < count)
        target[gl_GlobalInvocationID.x] = 0.5 * source[gl_GlobalInvocationID.x] + min(target[gl_GlobalInvocationID.x], 0.5);
}
GLSL
    "$video" make mono 50 38 9 >many.y4m
    run 1 "$trireme" run -k ./remember.comp --verify --depth 3 --strategy role-streams many.y4m out.y4m
    err_has "beyond the tolerance of 1"
    err_has "the output differs from that of the cpu backend"

    # A kernel is found without its extension: in the folder that is given, and by its name in those of kernel.path.
    mkdir mine
    sed 's/top - data/0.5 * top - data/' invert.comp >mine/other.comp
    cp invert.spv mine/first.spv
    cp mine/other.comp mine/first.comp
    run 0 "$trireme" run -k ./invert:top=1,planes=y in.y4m wanted.y4m
    run 0 "$trireme" run -k mine/first:top=1,planes=y in.y4m out.y4m
    same wanted.y4m out.y4m
    run 0 "$trireme" run -k mine/other.comp:top=2,planes=y in.y4m out.y4m
    same wanted.y4m out.y4m
    run 0 "$trireme" run -k mine/other:top=2,planes=y in.y4m out.y4m
    same wanted.y4m out.y4m
    run 0 env TRIREME_KERNEL_PATH="$PWD/none:$PWD/mine" "$trireme" run -k other:top=2,planes=y in.y4m out.y4m
    same wanted.y4m out.y4m
    run 0 env TRIREME_KERNEL_PATH="$PWD/mine" "$trireme" run -k first:top=1,planes=y in.y4m out.y4m
    same wanted.y4m out.y4m
    run 1 "$trireme" run -k other:top=2 in.y4m out.y4m
    err_has "kernel other: "
    run 1 "$trireme" run -k mine/none in.y4m out.y4m
    err_has "kernel mine/none: cannot be opened"

    # The tolerance of --verify.
    run 1 "$trireme" run -k ./remember.comp --verify=0 --depth 3 --strategy role-streams many.y4m out.y4m
    err_has "beyond the tolerance of 0"
    run 0 "$trireme" run -k ./remember.comp --verify=255 --depth 3 --strategy role-streams many.y4m out.y4m
    err_has "0 samples beyond the tolerance of 255"
else
    echo "no compiler for GLSL: kernels of one's own are not tried"
fi

# ---- against the cpu

run 0 "$trireme" run -k gaussian_blur:sigma=1.5 -k sobel --verify in.y4m out.y4m
err_has "verify: 2 frames"
err_has "against the cpu: no difference"

# ---- what is refused

run 1 "$trireme" run -k no_such_kernel in.y4m out.y4m
err_has "no_such_kernel"
grep -q "did you mean" err && failed "an unrelated kernel is suggested"
err_has "trireme info --kernels"
run 1 "$trireme" run -k gausian_blur:sigma=1 in.y4m out.y4m
err_has '; did you mean "gaussian_blur"? (trireme info --kernels lists what there is)'
test "$(grep -o 'did you mean' err | wc -l)" -eq 1 || failed "a kernel is suggested twice"
run 2 "$trireme" run -k sobel:quantity=99 in.y4m out.y4m
err_has "quantity=99 is none: quantity is a word, or its place from 0 to 3"
err_has "quantity (length|sum|across|down)"
run 0 "$trireme" run -k sobel:quantity=3 in.y4m out.y4m
run 2 "$trireme" run -k sobel:sigma=1 in.y4m out.y4m
err_has 'it has no option "sigma"'
err_has "quantity"
run 2 "$trireme" run -k threshold:levle=0.5 in.y4m out.y4m
err_has 'it has no option "levle" (did you mean level?)'
run 2 "$trireme" run -k gaussian_blur:simga=1.5 in.y4m out.y4m
err_has 'it has no option "simga" (did you mean sigma?)'
run 2 "$trireme" run -k sobel:plane=y in.y4m out.y4m
err_has 'it has no option "plane" (did you mean planes?)'
run 2 "$trireme" run -k sobel:width=1 in.y4m out.y4m
err_has "follows from the frames"
run 2 "$trireme" run -k gaussian_blur in.y4m out.y4m
err_has "sigma is missing"
run 2 "$trireme" run -k gaussian_blur:sigma=0 in.y4m out.y4m
err_has "above 0"
run 2 "$trireme" run -k threshold in.y4m out.y4m
err_has "level (f32) is missing"
run 2 "$trireme" run -k threshold:level=high in.y4m out.y4m
err_has "level=high"
run 2 "$trireme" run -k threshold:level=1,mode=sideways in.y4m out.y4m
err_has "mode (binary|truncate"
run 2 "$trireme" run -k convolve3x3:weights=1,2 in.y4m out.y4m
err_has "it needs 9"
run 1 "$trireme" run -k reduce in.y4m out.y4m
run 1 "$trireme" run -k gray in.y4m out.y4m
run 2 "$trireme" run -k sobel:planes=z in.y4m out.y4m
run 1 "$trireme" run -k copy in.y4m out.ppm
err_has "cannot be written as pnm"
printf 'P6 2 1 255 abcdef' >colour.ppm
run 1 "$trireme" run -k copy colour.ppm colour.pgm
err_has "add -k gray"
test ! -e colour.pgm || failed "colour.pgm was made"
run 0 "$trireme" run -k gray colour.ppm colour.pgm
test "$(head -c 2 colour.pgm)" = P5 || failed "no gray image"
for ending in mp4 mkv webm avi mov png jpg gif MP4; do
    run 2 "$trireme" run -k copy in.y4m "out.$ending"
    err_has "ffmpeg -i - out.$ending"
    test ! -e "out.$ending" || failed "out.$ending was made"
done
run 0 "$trireme" run -k copy --output-format y4m in.y4m out.mov
run 1 "$trireme" run -k copy in.y4m in.y4m
err_has "is the input too"
run 1 "$trireme" run -k copy nowhere.y4m out.y4m
err_has "nowhere.y4m: cannot be opened"
run 1 "$trireme" run -k copy in.y4m nowhere/out.y4m
err_has "nowhere/out.y4m: cannot be written"
run 1 "$trireme" run -k copy --backend no-such-backend in.y4m out.y4m
err_has "no-such-backend"
run 1 "$trireme" run -k copy --device cpu:99 in.y4m out.y4m
echo "not a video" >text
run 1 "$trireme" run -k copy text out.y4m
err_has "neither YUV4MPEG2 nor PNM"
printf '\211PNG\r\n\032\n' >picture.png
run 1 "$trireme" run -k copy picture.png out.y4m
err_has "picture.png: is a PNG file"
err_has "-pix_fmt yuv444p -f yuv4mpegpipe"

for arguments in "in.y4m out.y4m" "-k copy in.y4m" "-k copy a b c" "-k copy --depth 65 in.y4m out.y4m" \
    "-k copy --depth x in.y4m out.y4m" "-k copy --frames 0 in.y4m out.y4m" "-k copy --strategy best in.y4m out.y4m" "-k copy --raw f80 in.y4m out.y4m" \
    "-k copy --batch 1M in.y4m out.y4m" "-k copy --raw f32 --batch 3 in.y4m out.y4m" "-k copy --raw f32 --batch 2G in.y4m out.y4m" \
    "-k copy --raw f32 --size 2 in.y4m out.y4m" "-k copy --report xml in.y4m out.y4m" \
    "-k copy --verify=x in.y4m out.y4m" "-k copy --verify=-1 in.y4m out.y4m" "-k copy --verify= in.y4m out.y4m" \
    "-k copy --verify=inf in.y4m out.y4m" "-k copy --sink-workers 65 in.y4m out.y4m" "-k copy --sink-workers x in.y4m out.y4m" "-k copy --nonsense in.y4m out.y4m"; do
    # shellcheck disable=SC2086 # arguments
    run 2 "$trireme" run $arguments
    err_has "trireme help run"
done

finish
