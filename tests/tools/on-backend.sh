# Sourced: `trireme run` gives the same pictures on $backend as on the cpu, with every strategy. Calls
# look_at_output WHAT after each run, whose output is in the files out and err.

video=$top_builddir/tests/tools/video
cd "$work" || exit 1

# on BACKEND ARGUMENT…: runs `trireme run` on that backend
on()
{
    TRIREME_BACKEND=$1
    shift
    run 0 "$trireme" run "$@"
    look_at_output "$*"
    TRIREME_BACKEND=$backend
}

# compare LARGEST ARGUMENT…: no sample of the two backends differs by more than LARGEST
compare()
{
    largest=$1
    shift
    on cpu "$@" in.y4m cpu.y4m
    on "$backend" "$@" in.y4m device.y4m
    apart=$("$video" compare cpu.y4m device.y4m) || failed "$* on $backend: no video that can be compared"
    # shellcheck disable=SC2086
    set -- "$*" $apart
    test "${2:-999999}" -le "$largest" && test "${4:-999999}" -le "$largest" ||
        failed "$1: samples are ${2:-?} and ${4:-?} apart"
}

"$video" make 420jpeg 161 91 9 >in.y4m || failed "no video"

compare 0 -k copy
compare 0 -k convert_f32_f32
compare 1 -k gaussian_blur:sigma=1.5
compare 1 -k box_blur:radius=2 -k box_blur3x3
compare 1 -k sobel --depth 1
compare 1 -k threshold:level=0.5 -k transpose -k transpose
compare 1 -k resize_bilinear:width=64,height=48
for strategy in role-streams slot-streams slot-graphs zero-copy resident; do
    compare 1 -k gaussian_blur:sigma=1 -k sobel --strategy $strategy --depth 3
done

"$video" make 444p16 50 38 4 >in.y4m || failed "no video"
compare 256 -k gaussian_blur:sigma=1

# A kernel of the user, as GLSL where it can be compiled.
cat >lighter.comp <<'END'
#version 450
layout(local_size_x = 64) in;
layout(set = 1, binding = 3) readonly buffer Source { float source[]; };
layout(set = 0, binding = 8) writeonly buffer Target { float target[]; };
layout(push_constant) uniform Constants { float by; uint count; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < count)
        target[i] = min(source[i] + by, 1.0);
}
END
"$video" make mono 40 30 3 >in.y4m || failed "no video"
if "$trireme" kc -q lighter.comp >out 2>err; then
    compare 0 -k ./lighter.comp:by=0.25
    compare 0 -k lighter.spv:by=0.25
fi

on "$backend" -k gaussian_blur:sigma=1 --verify in.y4m device.y4m
on "$backend" -k copy --timeline timeline.html in.y4m device.y4m
test -s timeline.html || failed "there is no timeline"
