#!/bin/sh
# `trireme run` on several devices: two cpu devices share the frames, which come out as from one device.

. "$top_srcdir/tests/tools/common.sh"

test -f "$top_builddir/backends/.libs/cpu.so" || { echo "no cpu backend was built"; exit 77; }
export TRIREME_BACKEND=cpu TRIREME_CPU_DEVICES=2
video=$top_builddir/tests/tools/video
cd "$work" || exit 1

same()
{
    cmp "$1" "$2" || failed "$1 and $2 differ"
}

"$video" make 420 320 240 60 "Ixyz XA=1" >in.y4m
run 0 "$trireme" run -k gaussian_blur:sigma=2 -k sobel --device cpu:0 in.y4m one.y4m

# ---- the frames of two devices, in order, from files and pipes, with every number of threads

for workers in 0 1 4; do
    for writers in 1 3; do
        run 0 "$trireme" run -k gaussian_blur:sigma=2 -k sobel --devices cpu:0,cpu:1 --workers $workers \
            --sink-workers $writers in.y4m out.y4m
        same one.y4m out.y4m
    done
done
run 0 "$trireme" run -k gaussian_blur:sigma=2 -k sobel --devices 'cpu:*' - - <in.y4m
same one.y4m "$work/out"
for depth in 0 1 32; do
    run 0 "$trireme" run -k copy --devices cpu:1,cpu:0 --depth $depth in.y4m out.y4m
    same in.y4m out.y4m
done
# Kernels with constant buffers have one on each device.
run 0 "$trireme" run -k convolve3x3:weights=0,1,0,1,-4,1,0,1,0 --device cpu in.y4m one.y4m
run 0 "$trireme" run -k convolve3x3:weights=0,1,0,1,-4,1,0,1,0 --devices 'cpu:*' in.y4m out.y4m
same one.y4m out.y4m
# Flat data, whose last batch is shorter.
head -c 100005 in.y4m >in.raw
run 0 "$trireme" run -k box_blur:radius=1 --raw u8 --batch 4K --device cpu in.raw one.raw
run 0 "$trireme" run -k box_blur:radius=1 --raw u8 --batch 4K --devices 'cpu:*' in.raw out.raw
same one.raw out.raw
run 0 "$trireme" run -k sobel --devices 'cpu:*' --verify in.y4m out.y4m
err_has "verify: 60 frames"
err_has "no difference"

# ---- the report, the trace and the timeline name each device

run 0 "$trireme" run -k sobel --devices cpu:0,cpu:1 --json --trace trace.json --timeline timeline.html in.y4m out.y4m
json device:string=cpu:0,cpu:1 devices[].device:string devices[].tokens:number \
    devices[].latency_seconds:number devices[].loss:string repeated:number
grep -Eq '"depth": (6|8),' "$work/out" || failed "not three slots on each device, or four where the caches are large"
grep -q '"tokens": 60,' "$work/out" || failed "not 60 tokens"
for device in cpu:0 cpu:1; do
    grep -q "\"args\": {\"name\": \"$device compute\"" trace.json || failed "the trace has no track for $device"
    for stage in upload compute download; do
        grep -q "{\"name\": \"$device $stage\"" timeline.html || failed "no lane for $stage on $device"
    done
done
run 0 "$trireme" run -k sobel --devices cpu:0,cpu:1 --report text in.y4m out.y4m
out_has "cpu:0,cpu:1"
grep -Eq '^  cpu:1 +[0-9]+ +[0-9]+ %' "$work/out" || failed "no line for the second device"

# ---- the setting, and what overrides it

run 0 env TRIREME_DEVICES=cpu:0,cpu:1 "$trireme" run -k sobel --json in.y4m out.y4m
json device:string=cpu:0,cpu:1
run 0 env TRIREME_DEVICES=cpu:0,cpu:1 "$trireme" run -k sobel --json --device cpu:1 in.y4m out.y4m
json device:string=cpu:1 devices:array
run 0 env TRIREME_DEVICES=cpu:0,cpu:1 "$trireme" run -k sobel --json --backend cpu --verify in.y4m out.y4m
json device:string=cpu:0

# ---- what is wrong

run 2 "$trireme" run -k copy --devices cpu:0 --device cpu:1 in.y4m out.y4m
err_has "--device and --devices do not go together"
run 2 "$trireme" run -k copy --devices cpu:0 --backend cpu in.y4m out.y4m
err_has "--backend and --devices do not go together"
run 2 "$trireme" run -k copy --device cpu:0,cpu:1 in.y4m out.y4m
err_has "--devices takes a list"
run 2 "$trireme" run -k copy --devices '' in.y4m out.y4m
err_has "--devices takes a list"
run 1 "$trireme" run -k copy --devices cpu:0,cpu:0 in.y4m out.y4m
err_has "cpu:0 is in the list twice"
run 1 "$trireme" run -k copy --devices cpu:0,cpu:7 in.y4m out.y4m
err_has "cpu:7"
run 1 "$trireme" run -k copy --devices 'cpu:*' --depth 64 in.y4m out.y4m
err_has "64 slots"

finish
