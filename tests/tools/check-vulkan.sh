#!/bin/sh
# `trireme check` on the vulkan backend, without a message of the validation layer, and beside the cpu.

. "$top_srcdir/tests/tools/common.sh"
. "$top_srcdir/tests/tools/check-common.sh"
test -f "$top_builddir/backends/.libs/cpu.so" || { echo "no cpu backend was built"; exit 77; }
. "$top_srcdir/tests/vulkan/common.sh"
validation_printed
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME

check 0 --quick --devices vulkan:0
! printed_in "$work/err" || failed "the validation layer reports something"
for topic in opened copies events kernel pipeline compiler; do
    has ok vulkan:0 $topic ""
done

TRIREME_BACKEND=cpu,vulkan
export TRIREME_BACKEND
check 0 --quick --devices cpu:0,vulkan:0 transpose
has ok vulkan:0 results "the same as on cpu:0 at 1 size"
! printed_in "$work/err" || failed "the validation layer reports something"

can_compile || finish
kernel_file good 'if (i < n) y[i] += a * x[i];'
check 0 --quick --devices cpu:0,vulkan:0 "$work/good.comp"
has ok vulkan:0 results ""

# The subgroup is the device's own, so a kernel that writes its size differs, at least on lavapipe, whose size is not
# that of the cpu; a tolerance allows for it.
cat >"$work/differs.comp" <<'END'
#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) writeonly buffer Y { float y[]; };
layout(push_constant) uniform P { uint n; };
void main()
{
    if (gl_GlobalInvocationID.x < n)
        y[gl_GlobalInvocationID.x] = float(gl_SubgroupSize);
}
END
if "$trireme" info | grep -q 'vulkan:0 .*llvmpipe'; then
    check 1 --quick --devices cpu:0,vulkan:0 "$work/differs.comp"
    has failed vulkan:0 results "differs from cpu:0 in 1000 elements, the first: element 0 of y is"
fi
check 0 --quick --devices cpu:0,vulkan:0 --tolerance 1000 "$work/differs.comp"
has ok vulkan:0 results "the same as on cpu:0"

# Beside large results, which sums of such are, a small one may be as far off as they.
sed 's/= float(gl_SubgroupSize)/= gl_GlobalInvocationID.x % 2 == 0 ? 1000.0 : float(gl_SubgroupSize) * 0.0001/' \
    "$work/differs.comp" >"$work/large.comp"
check 0 --quick --devices cpu:0,vulkan:0 "$work/large.comp"
has ok vulkan:0 results "the same as on cpu:0"
sed 's/1000\.0 :/1.0 :/' "$work/large.comp" >"$work/small.comp"
if "$trireme" info | grep -q 'vulkan:0 .*llvmpipe'; then
    check 1 --quick --devices cpu:0,vulkan:0 "$work/small.comp"
    has failed vulkan:0 results "differs from cpu:0 in 500 elements"
fi

# Work-items that add to one element without an atomic.
cat >"$work/race.comp" <<'END'
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer X { uint x[]; };
layout(push_constant) uniform P { uint n; };
void main()
{
    if (gl_GlobalInvocationID.x < n)
        x[0] = x[0] + 1;
}
END
TRIREME_CPU_WORKERS=1 check 1 --quick --devices cpu:0,vulkan:0 "$work/race.comp"
case $(finding failed vulkan:0 results "instead of 1000")$(finding failed vulkan:0 repeated "not deterministic") in
'') failed "no finding of the race" ;;
esac

# Without the cpu nothing reports an access outside.
check 0 --quick --backend vulkan --devices vulkan:0 "$work/good.comp"
has "not here" kernel bounds "the cpu would"

finish
