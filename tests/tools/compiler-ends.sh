#!/bin/sh
# A slow compiler ends with `trireme`, with the process that it has started, and leaves no folder, whichever signal ends
# `trireme`. The compiler and its child hold a FIFO: its reader comes to the end when both are gone.

. "$top_srcdir/tests/tools/common.sh"

test -f "$top_builddir/backends/.libs/cpu.so" || exit 77
env --default-signal=INT true 2>/dev/null || exit 77

chmod 755 "$work"
mkdir "$work/temporary" "$work/kernels"
cat >"$work/kernels/half.comp" <<'END'
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer X { float x[]; };
void main() { x[gl_GlobalInvocationID.x] *= 0.5; }
END
"$trireme" kc --quiet "$work/kernels/half.comp" 2>/dev/null || exit 77 # no compiler of GLSL
cat >"$work/cc" <<END
#!/bin/sh
exec 9>'$work/alive'
(trap '' HUP INT TERM; echo child >&9; while :; do sleep 1000; done) &
wait
END
chmod 755 "$work/cc"

for signal in HUP INT TERM KILL; do
    rm -f "$work/alive"
    mkfifo "$work/alive"
    TMPDIR="$work/temporary" TRIREME_CPU_COMPILER="$work/cc" env --default-signal=INT \
        "$trireme" kc --quiet --target cpu "$work/kernels/half.spv" >/dev/null 2>&1 &
    program=$!
    exec 8<"$work/alive"
    read -r line <&8
    test "$line" = child || failed "the compiler did not run"
    test "$(ls -A "$work/temporary" | wc -l)" -eq 1 || failed "the compiler has no folder in TMPDIR"
    kill -s "$signal" "$program"
    timeout 100 cat <&8 >/dev/null || failed "SIG$signal: the compiler still runs"
    exec 8<&-
    wait "$program"
    # The supervisor removes the folder after the last process has ended.
    timeout 100 sh -c 'while test -n "$(ls -A "$1")"; do sleep 0.05; done' sh "$work/temporary" ||
        failed "SIG$signal: a folder is left in TMPDIR"
    test "$(ls -A "$work/kernels" | wc -l)" -eq 2 || failed "SIG$signal: a file is left beside the kernel"
done

finish
