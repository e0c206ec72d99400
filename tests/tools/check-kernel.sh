#!/bin/sh
# `trireme check KERNEL`: each fault of a kernel is found on the cpu and said in a sentence, and kernels without
# faults pass.

. "$top_srcdir/tests/tools/common.sh"
. "$top_srcdir/tests/tools/check-common.sh"

test -f "$top_builddir/backends/.libs/cpu.so" || { echo "no cpu backend was built"; exit 77; }
TRIREME_BACKEND=cpu
XDG_CACHE_HOME=$work/cache
export TRIREME_BACKEND XDG_CACHE_HOME
chmod 755 "$work"
mkdir "$work/cache"

# Kernels of a few lines are compiled without optimization, which takes half of the time. Those of a source with the text that is in
# $work/refused are not compiled.
cat >"$work/cc" <<END
#!/bin/sh
test ! -e "$work/refused" || ! grep -qf "$work/refused" kernel.c || exit 1
exec cc "\$@" -O0
END
chmod 755 "$work/cc"
TRIREME_CPU_COMPILER=$work/cc
export TRIREME_CPU_COMPILER

# ---- built-in kernels

check 0 --quick axpy sobel histogram transpose sgemm
for kernel in axpy sobel histogram transpose sgemm; do
    of $kernel
    has ok cpu:0 bounds "no access outside"
    has ok cpu:0 results "ran at 1 size, every run with the same bits"
    has ok cpu:0 order "one worker thread"
    lacks warning cpu:0 bounds ""
done
of ""
run 0 "$trireme" check axpy
out_has "axpy(x: readonly f32[]"
check 1 axpi
has failed kernel source axpi
check 0 axpy:count=1000,a=3,items=1000
has ok cpu:0 bounds "at 1 size"
check 1 axpy:count=1000,y=999
has failed cpu:0 bounds "it used index 999 of buffer 'y', whose size is 999"
run 2 "$trireme" check axpy:cuont=3
err_has "no constant of the name cuont (did you mean count?)"
run 2 "$trireme" check axpy:z=1001
err_has "no parameter and no constant of the name z: it has "
for name in x y a count items; do
    grep -q "it has .*\<$name\>" "$work/err" || failed "$name is not listed"
done
run 2 "$trireme" check axpy:count=many
err_has "no value of the parameter count: many"
run 2 "$trireme" check axpy:count
err_has "name=value"
check 1 axpy:count=4294967295
has failed cpu:0 bounds "more than 48 MiB"
check 1 axpy:items=99999999999999x9999999999999x99999999
has failed cpu:0 bounds "Give fewer items"
# Small buffers, and more groups than a launch may have.
check 1 --quick axpy:x=10,y=10,count=10,items=99999999999x99999999
has failed cpu:0 bounds "the kernel cannot be run: 99999999 groups in y; the device has at most"
has ok cpu:0 loaded "it cannot be run with its indices checked"
check 0 --quick axpy:count=0
for items in 0 abc 5x 5x0 -5 +5 1x1x1x1 ' 5'; do
    check 2 "axpy:items=$items"
    has failed kernel "command line" "items takes sides above 0"
    err_has "items takes sides above 0"
done
check 2 axpy:count=5,count=6 # the JSON is complete also where the command line is wrong
has failed kernel "command line" "count is given twice"
check 2 :
has failed kernel "command line" "the name of the kernel is missing"
check 0 --quick mip_down_2d # images cannot be made up
has "not here" kernel inputs "is neither a buffer nor a value"
has ok cpu:0 loaded "compiled; it is not run"

# ---- kernels in C

native=$top_builddir/tests/tools/.libs/native_kernels.so
check 0 --quick "$native:kernel=right"
has ok cpu:0 results "every run with the same bits"
has "not here" cpu bounds "not checked"
check 0 --quick "$native:kernel=right,n=10"
TRIREME_CPU_WORKERS=1 check 1 --quick "$native:kernel=counting"
has failed cpu:0 repeated "not deterministic: element 0 of y is"
has failed cpu:0 repeated "Look for a race"
has failed cpu:0 repeated "Or for a variable that is read before it is set"
TRIREME_CPU_WORKERS=1 check 1 --quick "$native:kernel=pairs" # integers, which are near each other as floats
has failed cpu:0 repeated "not deterministic: element 1 of y is"
TRIREME_CPU_WORKERS=1 check 1 --quick "$native:kernel=huge" # which does not hide what the others are
has failed cpu:0 repeated "not deterministic: element 1 of y is"
check 0 --quick "$native:kernel=printing" # whose text is no part of the JSON
out_lacks "printed by a kernel"
err_has "printed by a kernel"
check 1 --quick "$native:kernel=refusing"
has failed cpu:0 results 42
check 1 --quick "$native"
has failed kernel loaded crashing
run 2 "$trireme" check "$native:kernel=right,m=1"
err_has "of the name m"

# One that crashes or hangs takes its own process along.
check 1 --quick "$native:kernel=crashing"
test "${INSTRUMENTED-no}" != no || has failed cpu:0 process "ended by signal 11" # sanitizers catch it
has failed cpu:0 process "running it"
check 1 --quick "$native:kernel=exiting"
has failed cpu:0 process "exited before the end of its work: running it"
"$trireme" check --json --quick --timeout 10 "$native:kernel=endless" >"$work/endless" 2>/dev/null & # its end is seen at the end
endless=$!

# ---- kernels in GLSL

end_the_endless()
{
    wait $endless
    test $? -eq 1 || failed "a kernel without an end passes"
    cp "$work/endless" "$work/out"
    json version:string ok:number failed:number
    has failed cpu:0 process "did not end within 10 s: running it"
    has failed cpu:0 process "--timeout"
}

can_compile || { echo "no compiler of GLSL: its kernels are left out"; end_the_endless; finish; }

kernel_file good 'if (i < n) y[i] += a * sin(x[i]);'
check 0 --quick "$work/good.comp"
has ok kernel found "good(x: readonly f32[], y: f32[], n: u32, a: f32)"
has ok cpu:0 bounds "no access outside, at 1 size"
check 0 "$work/good.comp"
has ok cpu:0 results "ran at" # a slow machine leaves the last sizes out
"$trireme" kc --quiet "$work/good.comp"
check 0 --quick "$work/good.spv"
has ok cpu:0 results ""

# Out of bounds: without a guard; just past the end; everywhere. Each names its line, and the kernel is not run
# without checks.
kernel_file unguarded 'y[i] += a * x[i];'
check 1 "$work/unguarded.comp"
has failed cpu:0 bounds "whose size is 1000"
has failed cpu:0 bounds "unguarded.comp:9"
has failed cpu:0 bounds "Compare the index with the count"
has ok cpu:0 loaded "not run, since it reaches outside"
kernel_file past 'if (i < n) y[i + 1] += a * x[i];'
check 1 "$work/past.comp"
has failed cpu:0 bounds "index 1000 of buffer 'y', whose size is 1000"
has failed cpu:0 bounds "just past the end"
has failed cpu:0 bounds "give its elements: trireme check '$work/past.comp:y=1001,items=1000'."
check 0 "$work/past.comp:y=1001,items=1000"
check 1 --quick "$work/past.comp:n=300"
has failed cpu:0 bounds "trireme check '$work/past.comp:y=301,n=300'."
check 0 --quick "$work/past.comp:n=300,y=301"
kernel_file wild 'if (i < n) y[i * 100000000 - 7] += a * x[i];'
check 1 --quick "$work/wild.comp"
has failed cpu:0 bounds "Correct the index"

# Longer buffers than one element for each item may be right.
kernel_file longer 'if (i < n) y[i] += a * x[3 * i];'
check 0 --quick "$work/longer.comp"
has warning cpu:0 bounds "of buffer 'x', whose size is 1000"
has warning cpu:0 bounds "give the length: trireme check '$work/longer.comp:x="
has ok cpu:0 results ""
given=$(finding warning cpu:0 bounds "give the length" | sed "s/.*trireme check '\([^']*\)'.*/\1/")
check 0 "$given"
lacks warning cpu:0 bounds ""
check 0 --quick "$work/longer.comp:n=100,x=300"
lacks warning cpu:0 bounds ""
check 1 --quick "$work/longer.comp:n=100,x=200"
has failed cpu:0 bounds "whose size is 200"

# Members of structs get values of their types: integers that are indices, and floats that are not next to 0.
cat >"$work/structs.comp" <<'END'
#version 450
layout(local_size_x = 64) in;
struct Part { vec2 at; uint id; float mass[2]; };
layout(std430, binding = 0) readonly buffer P { Part p[]; };
layout(std430, set = 1, binding = 0) writeonly buffer Y { float y[]; };
layout(push_constant) uniform C { uint n; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= n)
        return;
    bool is_tiny = max(p[i].at.x, p[i].at.y) < 1e-6 || max(p[i].mass[0], p[i].mass[1]) < 1e-6;
    y[is_tiny || p[i].id >= n ? 0xfffffff : i] = p[i].mass[1];
}
END
check 0 "$work/structs.comp:n=1000"
has ok cpu:0 bounds "no access outside"
has ok cpu:0 results "every run with the same bits"

# So do floats of 16 and 64 bits, those of an array behind other members, and structs of the push constants.
# Integers that are also written begin with 0.
cat >"$work/widths.comp" <<'END'
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 64) in;
struct Body { double mass; f16vec2 speed; uint16_t id; mat2 turn; };
struct Scale { uint steps; float factor; };
layout(std430, binding = 0) readonly buffer B { uint first; float unit; Body body[]; };
layout(std430, binding = 1) buffer Y { uint used; Body made[]; };
layout(push_constant) uniform C { uint n; Scale scale; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= n)
        return;
    bool is_float = all(lessThan(vec2(body[i].speed), vec2(1))) && body[i].mass < 1 && body[i].turn[1][1] < 1;
    bool is_large = all(greaterThan(vec2(body[i].speed), vec2(0.4))) && unit < 1 && scale.factor == 0.5;
    uint at = is_float && is_large && scale.steps == 1 && first < n && used == 0 ? i : 0xfffffff;
    made[at].mass = body[i].mass * 2;
    made[at].speed = body[i].speed;
}
END
check 0 "$work/widths.comp:n=1000"
has ok cpu:0 bounds "no access outside"
has ok cpu:0 results "every run with the same bits"

# So do structs of more members than are listed, up to their end.
cat >"$work/members.comp" <<'END'
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer B { uint first; uvec3 a[1000]; };
layout(std430, binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform C { uint n; };
void main()
{
    uint i = gl_GlobalInvocationID.x, sum = 0;
    if (i >= n)
        return;
    for (uint k = 900; k < 1000; k++)
        sum += a[k].y;
    y[sum == 0 ? 0xfffffff : i] = float(sum);
}
END
check 0 --quick "$work/members.comp:n=1000"
has ok cpu:0 bounds "no access outside"
has ok cpu:0 results ""

kernel_file bad 'if (i < n) z[i] = 1;'
check 1 "$work/bad.comp"
has failed kernel source "kernel $work/bad.comp does not compile"
has failed kernel source "'z' : undeclared identifier"
mkfifo "$work/pipe.comp" # that has no writer
check 1 --timeout 3 "$work/pipe.comp"
has failed kernel process "did not end within 3 s: finding the kernel"
echo '__global__ void scale(float *x) { x[threadIdx.x] *= 2; }' >"$work/scale.cu"
check 1 "$work/scale.cu"
has failed kernel source "scale.cu: this is CUDA C, which programs load with TRM_MODULE_CUDA"
has failed kernel source "Write it in GLSL"
run 1 sh -c 'cd "$1" && shift && exec "$@"' sh "$work" "$(cd "$(dirname "$trireme")" && pwd)/trireme" check scale.cu
out_has "CUDA C"
check 1 /dev/zero
has failed kernel source "it is too large"
: >"$work/nothing.spv"
check 1 "$work/nothing.spv"
has failed kernel source "the file is empty"
check 1 "$work/missing.comp"
has failed kernel source "No such file"
has failed kernel source "Give the path of"

# A group of one item, whose size is a constant without a name: no more groups than devices have.
cat >"$work/ones.comp" <<'END'
#version 450
layout(local_size_x_id = 7) in;
layout(binding = 0) buffer Y { float y[]; };
layout(push_constant) uniform C { uint n; };
void main()
{
    if (gl_GlobalInvocationID.x < n)
        y[gl_GlobalInvocationID.x] += 1;
}
END
check 0 "$work/ones.comp"
check 0 --quick "$work/ones.comp:7=32"
run 2 "$trireme" check "$work/ones.comp:8=32"
err_has "no constant of the name 8"

# ---- shared memory that is read before it is written

# shared_file NAME BODY: two shared variables, of 64 floats and of 64 indices
shared_file()
{
    cat >"$work/$1.comp" <<END
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform P { uint n; };
shared float part[64];
shared uint place[64];
void main()
{
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;
    place[l] = 63u - l;
    $2
}
END
}
shared_file written 'part[l] = i < n ? x[i] : 0; barrier(); if (i < n) y[i] = part[place[l]];'
shared_file unwritten 'barrier(); if (i < n) y[i] = part[l] + float(place[63u - l]);'
# A part of it, in the last group alone; and in a way that hides large values.
shared_file rest 'if (i < n) part[l] = x[i]; barrier(); if (i < n) y[i] = part[place[l]];'
shared_file least 'barrier(); if (i < n) y[i] = min(part[place[l]], 1.0) + max(x[i], 2.0);'
# An index out of it.
sed 's/place\[l\] = 63u - l;//' "$work/written.comp" >"$work/index.comp"
# What is read, but changes nothing, is none.
shared_file nothing 'barrier(); if (i < n) y[i] = part[place[l]] != part[place[l]] ? 1.0 : 1.0;'
# The last of many variables, and the end of a large one.
shared_file many 'barrier(); if (i < n) y[i] = last[l] + float(place[l]);'
for k in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do
    sed "s/^shared float part.*/&\nshared float s$k[64];/; s/barrier();/s$k[l] = 1.0; barrier();/; s/last\[l\]/s$k[63u - l] + &/" \
        "$work/many.comp" >"$work/more.comp" && mv "$work/more.comp" "$work/many.comp"
done
sed -i 's/^shared uint place.*/&\nshared float last[64];/' "$work/many.comp"
shared_file large 'if (l == 0) large[0] = 1.0; barrier(); if (i < n) y[i] = large[299999u - l] + large[0] + float(place[l]);'
sed -i 's/^shared uint place.*/&\nshared float large[300000];/' "$work/large.comp"

check 1 --quick "$work/unwritten.comp" "$work/rest.comp" "$work/least.comp" "$work/index.comp" "$work/many.comp" "$work/large.comp"
for kernel in unwritten:part rest:part least:part many:last large:large; do
    of "$work/${kernel%:*}.comp"
    has failed cpu:0 "shared memory" "shared variable ${kernel#*:} is read before it is written"
    lacks failed cpu:0 order ""
done
of "$work/unwritten.comp"
has failed cpu:0 "shared memory" "shared variable part is read before it is written (it is read at $work/unwritten.comp:12)"
# What an index begins with that was never written may be beyond the variable, which ends the kernel before.
of "$work/index.comp"
test -n "$(finding failed cpu:0 "shared memory" "shared variable place is read before it is written")" ||
    has failed cpu:0 bounds "of shared variable 'part'"
of ""
# Where one of the two runs gives no results, nothing is known.
echo 'memset(&shared->' >"$work/refused"
shared_file unknown 'part[l] = i < n ? x[i] : 1; barrier(); if (i < n) y[i] = part[place[l]];'
check 0 --quick "$work/unknown.comp"
has "not here" cpu:0 "shared memory" "whether it is written before it is read is not known"
lacks ok cpu:0 "shared memory" ""
rm "$work/refused"

# ---- barriers to which not all work-items come

# A condition that only the data make the same for a group; a loop that runs equally often for all.
shared_file data 'part[l] = i < n ? x[i] : 0; if (x[gl_WorkGroupID.x] >= 0) barrier(); if (i < n) y[i] = part[l];'
shared_file turns 'part[l] = 0; for (uint k = 0; k < 3 + uint(x[0]); k++) { part[l] += float(k); barrier(); } if (i < n) y[i] = part[l];'
check 0 --quick "$work/written.comp" "$work/nothing.comp" "$work/data.comp" "$work/turns.comp"
for kernel in written data turns; do
    of "$work/$kernel.comp"
    has ok cpu:0 barriers "all work-items of each group come to them, at 1 size"
    lacks warning cpu:0 barriers ""
done
of "$work/written.comp"
has ok cpu:0 "shared memory" "written before it is read"
has ok cpu:0 "shared memory" "where a barrier is missing between what work-items of a group read and write is not checked"
of ""
shared_file early 'if (i >= n) return; part[l] = x[i]; barrier(); y[i] = part[min(place[l], 63u)] * 0 + part[l];'
check 0 --quick "$work/early.comp:items=1024,n=1000,x=1024,y=1024"
has warning cpu:0 barriers "only 40 of the 64 work-items of a group come to a barrier, since the others have left before it ($work/early.comp:12)"
shared_file branch 'part[l] = i < n ? x[i] : 0; barrier(); if (i < n) { float a = part[place[l]]; barrier(); y[i] = a; }'
# A loop that does not run equally often.
shared_file uneven 'part[l] = 0; for (uint k = 0; k <= l; k++) { part[l] += float(k); barrier(); } if (i < n) y[i] = part[l];'
check 1 --quick "$work/branch.comp" "$work/uneven.comp"
of "$work/branch.comp"
has failed cpu:0 barriers "only 40 of the 64 work-items of a group take a branch that has a barrier ($work/branch.comp:12)"
has failed cpu:0 barriers "put the condition around what is before and behind it"
has ok cpu:0 loaded "not run, since not all work-items come to its barriers"
of "$work/uneven.comp"
has failed cpu:0 barriers "only 1 of the 64 work-items of a group take a branch that leaves a loop with a barrier ($work/uneven.comp:12)"
of ""
# The other side of a condition, a switch, and a loop that some leave.
shared_file behind 'part[l] = 0; if (l < 10) part[l] = 1; else { barrier(); part[l] = 2; } if (i < n) y[i] = part[l];'
shared_file chosen 'part[l] = 0; switch (l & 1u) { case 0u: barrier(); part[l] = 2; break; case 1u: part[l] = 3; break; } if (i < n) y[i] = part[l];'
shared_file leaving 'part[l] = 0; for (uint k = 0; k < 4; k++) { if (l + k > 63u) break; part[l] += 1; barrier(); } if (i < n) y[i] = part[l];'
# Ways out of a loop with a barrier that only some take at once, or that all take together.
shared_file ways 'part[l] = 0; for (uint k = 0; k < 4; k++) { if (l < 20) { if (k == 2) break; } else if (k == 3) break; part[l] += 1; barrier(); } if (i < n) y[i] = part[l];'
shared_file together 'part[l] = 0; for (uint k = 0; k < 4; k++) { if (l < 20) { if (x[0] + k > 9) break; } else if (x[0] + k > 9) break; part[l] += 1; barrier(); } if (i < n) y[i] = part[l];'
# A name that is like the words of a fault; and a condition that is the same for all that are left.
cp "$work/early.comp" "$work/branch_early.comp"
shared_file late 'part[l] = 0; if (i >= n) return; if (x[0] >= 0) barrier(); y[i] = part[l] + x[i];'
shared_file same 'part[l] = x[0]; switch (uint(x[0]) + (l & 1u)) { case 0u: case 1u: barrier(); } if (i < n) y[i] = part[l];'
check 1 --quick "$work/behind.comp" "$work/chosen.comp" "$work/leaving.comp" "$work/ways.comp" "$work/together.comp" "$work/branch_early.comp" "$work/late.comp" "$work/same.comp"
of "$work/behind.comp"
has failed cpu:0 barriers "only 54 of the 64 work-items of a group take a branch that has a barrier ($work/behind.comp:12)"
of "$work/chosen.comp"
has failed cpu:0 barriers "only 32 of the 64 work-items of a group take a case of a switch that has a barrier ($work/chosen.comp:12)"
lacks ok cpu:0 barriers ""
of "$work/leaving.comp"
has failed cpu:0 barriers "only 1 of the 64 work-items of a group take a branch that leaves a loop with a barrier ($work/leaving.comp:12)"
of "$work/ways.comp"
has failed cpu:0 barriers "only 44 of the 64 work-items of a group are left in a loop at its barrier, since the others have left it ($work/ways.comp:12)"
of "$work/together.comp"
has ok cpu:0 barriers "all work-items of each group come to them, at 1 size"
for kernel in branch_early late; do
    of "$work/$kernel.comp"
    has warning cpu:0 barriers "only 40 of the 64 work-items of a group come to a barrier, since the others have left before it ($work/$kernel.comp:12)"
    lacks failed cpu:0 barriers ""
done
of "$work/same.comp"
has ok cpu:0 barriers "all work-items of each group come to them, at 1 size"
of ""
# What was not examined is not said to be right.
echo 'trm_came_' >"$work/refused"
shared_file counted 'part[l] = i < n ? x[i] : 2; barrier(); if (i < n) y[i] = part[place[l]];'
check 0 --quick "$work/counted.comp"
has "not here" cpu:0 barriers "whether all work-items come to them is not known"
lacks ok cpu:0 barriers ""
rm "$work/refused"
matrices=$top_builddir/shaders/gemm_f16.matrix.spv # whose barriers are not counted
if test -f "$matrices"; then
    check 0 --quick "$matrices:m=64,n=64,k=64,a=4096,b=4096,c=4096"
    has "not here" cpu:0 barriers "they are not counted in kernels with cooperative matrices"
    lacks ok cpu:0 barriers ""
fi
# With three dimensions all work-items of the group are counted.
sed 's/local_size_x = 64/local_size_x = 4, local_size_y = 4, local_size_z = 4/; s/gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x/gl_WorkGroupID.x * 64 + gl_LocalInvocationIndex, l = gl_LocalInvocationIndex/' \
    "$work/branch.comp" >"$work/cube.comp"
check 1 --quick "$work/cube.comp:n=40,items=4x4x4,x=64,y=64"
has failed cpu:0 barriers "only 40 of the 64 work-items of a group take a branch"

# ---- the size of the group as a constant

# group_file NAME VALUE: writes VALUE into y
group_file()
{
    cat >"$work/$1.comp" <<END
#version 450
layout(local_size_x = 64, local_size_x_id = 7) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform P { uint n; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < n)
        y[i] = $2;
}
END
}
group_file global 'x[i] + float(i)'
group_file local 'x[i] + float(gl_LocalInvocationID.x)'
# A number that repeats the size: in another size it is out of bounds.
group_file repeated 'x[gl_WorkGroupID.x * 64 + gl_LocalInvocationID.x]'
# Without a count, buffers have whole groups of both sizes.
sed 's/if (i < n)//' "$work/global.comp" | sed '/push_constant/d' >"$work/whole.comp"
check 0 --quick "$work/global.comp" "$work/local.comp" "$work/repeated.comp" "$work/whole.comp"
of "$work/global.comp"
has ok cpu:0 "group size" "the same with constant 7 = 32 instead of 64"
of "$work/local.comp"
has warning cpu:0 "group size" "with constant 7 = 32 instead of 64, the size of the group in x, element 32 of y is"
of "$work/repeated.comp"
has warning cpu:0 "group size" "with constant 7 = 32 instead of 64 it fails: "
of "$work/whole.comp"
has ok cpu:0 "group size" "the same with"
of ""
# Who gives the constant a value has chosen it.
check 0 --quick "$work/local.comp:7=16"
lacks warning cpu:0 "group size" ""

# ---- several kernels

mkdir "$work/many" "$work/none"
cp "$work/good.comp" "$work/past.comp" "$work/many"
echo "no kernel" >"$work/many/notes.txt"
check 1 --quick "$work/many" axpy
for kernel in "$work/many/good.comp" "$work/many/past.comp" axpy; do
    out_has "\"section\": \"Kernel $kernel\""
done
out_lacks notes.txt
has failed cpu:0 bounds "'$work/many/past.comp:y=1001,items=1000'"
check 0 --quick "$work/many:y=2000"
run 2 "$trireme" check axpy "$work/none"
err_has "none has no .comp, .glsl or .spv file"
# A folder without kernels does not hide a built-in kernel of its name.
mkdir "$work/here" "$work/here/gray"
program=$(cd "$(dirname "$trireme")" && pwd)/${trireme##*/}
(cd "$work/here" && "$program" check --json --quick gray) >"$work/out" 2>"$work/err" || failed "gray was not found"
has ok kernel found "gray("
run 2 "$trireme" check "$work/many" axpy:n
err_has "name=value"
out_lacks cpu:0

end_the_endless
finish
