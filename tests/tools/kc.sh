#!/bin/sh
# `trireme kc` compiles GLSL and SPIR-V to the files that were asked for, prints signatures, shows
# translations, and says file and line of what is wrong.

. "$top_srcdir/tests/tools/common.sh"

# kc STATUS ARGUMENT…
kc()
{
    wanted=$1
    shift
    run "$wanted" "$trireme" kc "$@"
}

export TRIREME_KERNEL_CACHE=none

cat >"$work/saxpy.comp" <<'END'
#version 450
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint op = 0;
layout(constant_id = 1) const float bias = 0.5;
layout(constant_id = 2) const int shift = -3;
layout(constant_id = 3) const bool twice = false;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform P { uint n; float a; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < n)
        y[i] += a * x[i] + (op == 0 ? 0.0 : bias) + float(shift) * (twice ? 2.0 : 0.0);
}
END

# Without a GLSL compiler this tests only that the program says so.
if ! "$trireme" kc -q "$work/saxpy.comp" 2>"$work/err"; then
    cat "$work/err"
    grep -q "shaderc" "$work/err" || failed "no reason"
    test "$failures" -eq 0 || finish
    exit 77
fi

# ---- what is no kernel

echo '__global__ void scale(float *x) { x[threadIdx.x] *= 2; }' >"$work/scale.cu"
cp "$work/scale.cu" "$work/scale.txt"
for file in scale.cu scale.txt; do
    kc 1 "$work/$file"
    err_has "$file: this is CUDA C, which programs load with TRM_MODULE_CUDA on the cuda backend; here kernels are GLSL"
done
echo 'int version = 1;' >"$work/other.c"
kc 1 "$work/other.c"
err_has "its first line has to be a #version, such as #version 450"
test "$(wc -l <"$work/err")" -eq 1 || failed "words of the compiler behind the sentence"

# ---- the output files

kc 0 "$work/saxpy.comp"
out_has "saxpy(x: readonly f32[], y: f32[], n: u32, a: f32)  group 64x1x1  shared 0"
out_has "constants op: u32 = 0, bias: f32 = 0.5, shift: i32 = -3, twice: u32 = 0"
err_is_empty
test -s "$work/saxpy.spv" || failed "no saxpy.spv beside the input"
test "$(head -c 4 "$work/saxpy.spv" | od -An -tx1 | tr -d ' ')" = 03022307 || failed "saxpy.spv is no SPIR-V"

mkdir "$work/out.d"
kc 0 -q -o "$work/out.d" "$work/saxpy.comp"
out_is_empty
cmp -s "$work/saxpy.spv" "$work/out.d/saxpy.spv" || failed "-o changes what is written"
kc 1 -o "$work/no-such-folder" "$work/saxpy.comp"
err_has "no-such-folder/saxpy.spv"
test -z "$(find "$work" -name '.*.spv')" || failed "temporary files are left"

# SPIR-V is copied unchanged; the contents, not the name, identify it.
cp "$work/saxpy.spv" "$work/by-content"
rm "$work/out.d/saxpy.spv"
kc 0 -o "$work/out.d" "$work/saxpy.spv"
out_has "saxpy(x: readonly f32[]"
cmp -s "$work/saxpy.spv" "$work/out.d/saxpy.spv" || failed "a .spv was not copied"
before=$(ls -i "$work/saxpy.spv")
kc 0 "$work/saxpy.spv"
test "$before" = "$(ls -i "$work/saxpy.spv")" || failed "the input was replaced by itself"
kc 0 -o "$work/out.d" "$work/by-content"
out_has "by-content(x: readonly f32[]"
head -c 40 "$work/saxpy.spv" >"$work/cut.spv"
kc 1 "$work/cut.spv"
err_has "cut.spv"
# Bytes of a name that are no text, or controls of a terminal, in a sentence; text stays.
for bytes in '\303d' '\302\233' '\377\376' '\340\201'; do
    LC_ALL=C sed "s/GLSL\.std/GLSL.$(printf "$bytes")t/" "$work/saxpy.spv" >"$work/bytes.spv"
    kc 1 "$work/bytes.spv"
    err_has "GLSL.?"
    ! LC_ALL=C grep -q "$(printf "$bytes")" "$work/err" || failed "bytes that are no text"
done
echo "void main() {}" >"$work/µ.spv"
kc 1 "$work/µ.spv"
err_has "µ.spv"
echo "void main() {}" >"$work/text.spv"
kc 1 "$work/text.spv"
err_has "text.spv"
# An image that is not supported is named as the shader names it.
cat >"$work/samples.comp" <<'END'
#version 450
layout(local_size_x = 1) in;
layout(set = 1, binding = 3) uniform sampler2DMSArray sky[2];
layout(set = 0, binding = 0) buffer Out { vec4 colour[]; };
void main() { colour[0] = texelFetch(sky[0], ivec3(1), 0); }
END
kc 1 "$work/samples.comp"
err_has 'arrays of multisampled images are not supported: the variable "sky" (set 1, binding 3) is one'
sed 's/Array//; s/ivec3/ivec2/' "$work/samples.comp" >"$work/layers.comp"
kc 0 "$work/layers.comp"
out_has 'layers(colour: f32x4[], sky[2]: sampler2DArray f32)'

cat >"$work/sky.comp" <<'END'
#version 450
layout(local_size_x = 1) in;
layout(binding = 0) uniform samplerCube sky;
layout(binding = 1) uniform sampler2DShadow shadow;
layout(binding = 2) buffer Out { vec4 colour[]; };
void main() { colour[0] = textureLod(sky, vec3(1), 0.0) * textureLod(shadow, vec3(0.5), 0.0); }
END
kc 0 "$work/sky.comp"
out_has 'sky(sky: samplerCube f32, shadow: sampler2DShadow f32, colour: '
kc 1 "$work/no-such-file.comp"
err_has "no-such-file.comp: No such file"

# ---- the options of the front end

cat >"$work/macro.comp" <<'END'
#version 450
#include "size.glsl"
layout(local_size_x = SIZE) in;
layout(std430, binding = 0) buffer X { TYPE x[]; };
void main() { x[gl_GlobalInvocationID.x] = TYPE(VALUE + 0); }
END
mkdir "$work/include"
echo "#define SIZE 32" >"$work/include/size.glsl"
kc 0 -I "$work/include" -DTYPE=uint -D VALUE "$work/macro.comp"
out_has "macro(x: u32[])  group 32x1x1"
kc 0 -I"$work/include" -DTYPE=vec4 -DVALUE=3 "$work/macro.comp"
out_has "macro(x: f32x4[])"
kc 1 -DTYPE=uint -DVALUE=3 "$work/macro.comp"
err_has "macro.comp:2:"
err_has "size.glsl"

kc 0 -q -O0 -o "$work/out.d" "$work/saxpy.comp"
! cmp -s "$work/saxpy.spv" "$work/out.d/saxpy.spv" || failed "-O0 is no different"
kc 0 -q -O0 -O -o "$work/out.d" "$work/saxpy.comp"
cmp -s "$work/saxpy.spv" "$work/out.d/saxpy.spv" || failed "-O is not the default"
kc 0 -q -g -o "$work/out.d" "$work/saxpy.comp"
cmp -s "$work/saxpy.spv" "$work/out.d/saxpy.spv" || failed "-g is not the default"
kc 0 -q -g0 -o "$work/out.d" "$work/saxpy.comp"
test "$(wc -c <"$work/out.d/saxpy.spv")" -lt "$(wc -c <"$work/saxpy.spv")" || failed "-g0 does not make it smaller"

# ---- errors have a file and a line; the other files are compiled nevertheless

cat >"$work/broken.comp" <<'END'
#version 450
layout(local_size_x = 1) in;
void main()
{
    undeclared = 1;
}
END
kc 1 -o "$work/out.d" "$work/broken.comp" "$work/by-content" "$work/no-such-file.comp"
err_has "$work/broken.comp:5:"
err_has "undeclared"
err_has "no-such-file.comp"
err_has "2 of 3 files failed"
out_has "by-content("
test ! -e "$work/out.d/broken.spv" || failed "a broken shader was written"

# ---- JSON

kc 0 --json -o "$work/out.d" "$work/saxpy.comp" "$work/by-content"
json version:string failed:number 'files[].file:string' 'files[].failure:null' 'files[].outputs:array' \
    'files[].kernels[].name:string' 'files[].kernels[].group_size:array' 'files[].kernels[].shared_bytes:number' \
    'files[].kernels[].parameters[].name:string' 'files[].kernels[].parameters[].kind:string' \
    'files[].kernels[].parameters[].type:string' 'files[].kernels[].parameters[].size:number' \
    'files[].constants[].name:string' 'files[].constants[].id:number' 'files[].constants[].default:number'
out_has "\"$work/out.d/saxpy.spv\""
kc 1 --json "$work/broken.comp"
json 'files[].failure:string' failed:number
err_has "$work/broken.comp:5:"

# ---- translations

kc 0 --emit=c "$work/saxpy.comp"
cp "$work/out" "$work/shown.c"
err_is_empty
test ! -e "$work/saxpy.c" || failed "--emit without -o writes a file"
# shellcheck disable=SC2086 # CC may be several words, such as "ccache gcc"
run 0 $CC -std=c11 -O1 -Wall -Werror -fPIC -shared -o "$work/shown.so" "$work/shown.c" -lm
kc 0 --emit=c -o "$work/out.d" "$work/saxpy.comp" "$work/by-content"
out_is_empty
cmp -s "$work/out.d/saxpy.c" "$work/shown.c" || failed "--emit=c -o writes something else"
test -s "$work/out.d/by-content.c" || failed "--emit=c -o leaves out the second file"
kc 0 --emit=cuda "$work/saxpy.comp"
out_has "__global__"
kc 0 --emit=cuda -o "$work/out.d" "$work/saxpy.comp"
cmp -s "$work/out.d/saxpy.cu" "$work/out" || test -s "$work/out.d/saxpy.cu" || failed "no saxpy.cu"
kc 1 --emit=c "$work/broken.comp"
out_is_empty

# ---- CUDA

kc 1 --target cuda --nvcc="$work/no-such-compiler" -o "$work/out.d" "$work/saxpy.comp"
err_has "no-such-compiler was not found"
printf '#!/bin/sh\nexit 3\n' >"$work/failing-compiler"
chmod +x "$work/failing-compiler"
kc 1 --target cuda --nvcc="$work/failing-compiler" -o "$work/out.d" "$work/saxpy.comp"
err_has "failing-compiler failed"
test ! -e "$work/out.d/saxpy.fatbin" || failed "a failed compilation leaves a file"
printf '#!/bin/sh\necho >"%s"\nexec sleep 300\n' "$work/compiling" >"$work/slow-compiler"
chmod +x "$work/slow-compiler"
mkdir "$work/ended"
"$trireme" kc --target cuda --nvcc="$work/slow-compiler" -o "$work/ended" "$work/saxpy.comp" >/dev/null 2>&1 &
compiling=$!
while test ! -e "$work/compiling"; do
    kill -0 "$compiling" || break
    sleep 0.05
done
kill -TERM "$compiling"
wait "$compiling"
ended=$?
test "$ended" -eq 143 || failed "ended with $ended by a signal while its compiler runs"
left=$(ls -A "$work/ended")
test "$left" = saxpy.spv || failed "left behind by a signal: $left"
for list in 0 90, 90x0 sm_ major 90,,80; do
    kc 2 --target cuda --cuda-arch=$list "$work/saxpy.comp"
    err_has "--cuda-arch takes"
done
cat >"$work/compiler" <<'END'
#!/bin/sh
while test $# -gt 0; do
    case $1 in
    -o) shift; echo code >"$1" ;;
    -gencode=* | -arch=*) echo "$1" >>"${0%/*}/architectures"; ulimit -v >"${0%/*}/memory" ;;
    esac
    shift
done
END
chmod +x "$work/compiler"
kc 0 --target cuda --cuda-arch=80,sm_90,75 --nvcc="$work/compiler" -o "$work/out.d" "$work/saxpy.comp"
test "$(head -n 1 "$work/out.d/saxpy.fatbin")" = code || failed "what the compiler made is not there"
tail -n 1 "$work/out.d/saxpy.fatbin" | grep -q '^// trireme [0-9a-f]\{64\} saxpy_kernel\(\*[0-9]*\)\{0,1\}$' ||
    failed "the code does not say whose it is"
printf '%s\n' -gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 \
    -gencode=arch=compute_75,code=sm_75 -gencode=arch=compute_90,code=compute_90 |
    cmp -s - "$work/architectures" || failed "other architectures"
rm "$work/architectures"
kc 0 --target cuda --nvcc="$work/compiler" -o "$work/out.d" "$work/saxpy.comp"
test "$(cat "$work/architectures")" = -arch=all-major || failed "other architectures by default"
test "$(cat "$work/memory")" = 4194304 || failed "another limit of memory"
kc 0 --target cuda --cuda-arch=native --nvcc="$work/compiler" -o "$work/out.d" "$work/saxpy.comp"
test "$(cat "$work/memory")" = unlimited || failed "native with a limit of memory, under which the driver cannot be asked"
rm "$work/out.d/saxpy.fatbin"
is_fat()
{
    test "$(head -c 4 "$1" | od -An -tx1 | tr -d ' ')" = 50ed55ba || failed "$1 is no fat binary"
    tail -n 1 "$1" | grep -q '^// trireme [0-9a-f]\{64\} saxpy_kernel\(\*[0-9]*\)\{0,1\}$' || failed "$1 does not say whose it is"
}
if command -v nvcc >/dev/null 2>&1; then
    kc 0 --target cuda --constant op=1 -o "$work/out.d" "$work/saxpy.comp"
    test ! -e "$work/out.d/saxpy.fatbin" || failed "a variant took the plain name"
    is_fat "$work/out.d/saxpy.op=1.fatbin"
    kc 0 --target cuda --cuda-arch=90 -o "$work/out.d" "$work/saxpy.comp"
    is_fat "$work/out.d/saxpy.fatbin"
else
    echo "nvcc was not found: its code is not tested"
fi
test -z "$(find "$work/out.d" -name '.*' -type f)" || failed "temporary files are left"

# ---- code for the cpu, and variants

if test -f "$top_builddir/backends/.libs/cpu.so"; then
    rm -f "$work"/out.d/*
    kc 0 --target cpu -o "$work/out.d" "$work/saxpy.comp"
    test -s "$work/out.d/saxpy.spv" || failed "--target cpu leaves out the .spv"
    test -s "$work/out.d/saxpy.so" || failed "no saxpy.so"
    kc 0 --target spv,cpu --portable -o "$work/out.d" "$work/saxpy.spv"
    # The user's choice of a backend does not matter: this is code for the cpu.
    run 0 env TRIREME_BACKEND=no-such-backend "$trireme" kc --target cpu -o "$work/out.d" "$work/saxpy.spv"

    rm -f "$work"/out.d/*
    kc 0 --target cpu --constant op=7 -o "$work/out.d" "$work/saxpy.spv"
    test -s "$work/out.d/saxpy.op=7.so" || failed "no saxpy.op=7.so"
    test ! -e "$work/out.d/saxpy.so" || failed "--constant makes the plain one too"
    kc 0 --target cpu --constant bias=0.25 --constant 0=7 --constant twice=true --constant shift=-3 \
        -o "$work/out.d" "$work/saxpy.spv"
    test -s "$work/out.d/saxpy.op=7,bias=0.25,twice=1.so" || failed "a variant's constants are not by id without defaults"

    # Several variants of several files.
    rm -f "$work"/out.d/*
    printf '# a comment\nsaxpy op=1\n\nsaxpy  op=2\tbias=1 # two\nother op=3\n' >"$work/variants"
    kc 0 --json --target cpu --variants "$work/variants" -o "$work/out.d" "$work/saxpy.spv" "$work/by-content"
    json 'files[].failure:null' 'files[].outputs:array'
    made=$(cd "$work/out.d" && echo *)
    test "$made" = "by-content.so by-content.spv saxpy.op=1.so saxpy.op=2,bias=1.so saxpy.so saxpy.spv" ||
        failed "--variants made $made"
    printf 'saxpy op=1\nsaxpy op\n' >"$work/wrong-variants"
    kc 2 --variants "$work/wrong-variants" "$work/saxpy.spv"
    err_has "wrong-variants:2: a constant is written NAME=VALUE"
    printf 'saxpy\n' >"$work/wrong-variants"
    kc 2 --variants "$work/wrong-variants" "$work/saxpy.spv"
    err_has "wrong-variants:1:"
    kc 2 --variants "$work/no-such-list" "$work/saxpy.spv"
    err_has "no-such-list"
fi

for wrong in nothing=1 4=1; do
    kc 1 --emit=c --constant $wrong "$work/saxpy.spv"
    err_has "the shader has op, bias, shift, twice"
done
for wrong in op=-1 op=x op=1.5 op=4294967296 bias=x shift=2147483648 shift=1x twice=maybe; do
    kc 1 --emit=c --constant $wrong "$work/saxpy.spv"
    err_has "is no such value"
done
for right in op=4294967295 op=0x10 bias=-1e3 shift=-2147483648 twice=false twice=1; do
    kc 0 --emit=c --constant $right "$work/saxpy.spv"
done
kc 1 --emit=c --constant op=1 --constant op=2 "$work/saxpy.spv"
err_has "given twice"
# A length that is 0 with the default of its constant needs another value.
cat >"$work/empty.comp" <<'EOF'
#version 450
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint width = 2;
layout(binding = 0) buffer X { float x[]; };
void main()
{
    float part[width / 4];
    for (uint i = 0; i < width / 4; i++)
        part[i] = x[i];
    for (uint i = 0; i < width / 4; i++)
        x[gl_GlobalInvocationID.x] += part[i];
}
EOF
kc 1 --emit=c "$work/empty.comp"
err_has "the length of an array is 0"
err_has "width"
kc 0 --emit=c --constant width=16 "$work/empty.comp"
kc 0 "$work/empty.comp"

# A limit is named with its setting, and the setting moves it.
run 1 env TRIREME_KERNEL_INSTRUCTIONS=5 "$trireme" kc --emit=c "$work/saxpy.spv"
err_has "more than 5 instructions"
err_has "kernel.instructions"
run 1 env TRIREME_KERNEL_TEXT=1K "$trireme" kc --emit=c "$work/saxpy.spv"
err_has "1024 bytes of C"
err_has "kernel.text"

# The value of a constant changes the output.
kc 0 --emit=c --constant bias=0.1875 --constant op=1 "$work/saxpy.spv"
! cmp -s "$work/out" "$work/shown.c" || failed "constants change nothing"

# ---- progress is for terminals, where there are several files

if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    run 0 script -qec "'$trireme' kc -q -o '$work/out.d' '$work/saxpy.spv' '$work/by-content'" /dev/null
    out_has "[2/2] $work/by-content"
    run 0 script -qec "'$trireme' kc -q -o '$work/out.d' '$work/saxpy.spv'" /dev/null
    out_lacks "[1/1]"
fi
kc 0 -q -o "$work/out.d" "$work/saxpy.spv" "$work/by-content"
err_is_empty

# ---- wrong command lines

kc 2
err_has "a file is missing"
for wrong in "--target" "--target nothing" "--target spv," "--emit=fortran" "--emit=c --json" "--constant op" "--constant =1" \
    "-O3" "-g2" "--no-such-option" "--variants $work/variants --constant op=1" "--emit=c --variants $work/variants"; do
    # shellcheck disable=SC2086 # words
    kc 2 $wrong "$work/saxpy.spv"
    out_is_empty
done
kc 2 --emit=c "$work/saxpy.spv" "$work/by-content"
err_has "--emit shows one file"

finish
