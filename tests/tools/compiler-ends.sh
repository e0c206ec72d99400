#!/bin/sh
# A slow compiler (cc, nvcc) ends with `trireme`, with the process that it has started, and leaves no folder, whichever signal
# ends `trireme`; one that takes too long, writes or needs too much is ended. The compiler and its child hold a FIFO: its reader
# comes to the end when both are gone.

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
cat >"$work/slow" <<END
#!/bin/sh
exec 9>'$work/alive'
(trap '' HUP INT TERM; echo child >&9; while :; do sleep 1000; done) &
wait
END
chmod 755 "$work/slow"

# compile TARGET COMPILER ARGUMENT…: compiles the kernel for the target with this compiler.
compile()
{
    target=$1 compiler=$2
    shift 2
    set -- env --default-signal=INT TMPDIR="$work/temporary" TRIREME_KERNEL_CACHE=none "$@" "$trireme" kc --quiet --target "$target"
    case $target in
    cpu) export TRIREME_CPU_COMPILER="$compiler" ;;
    cuda) set -- "$@" "--nvcc=$compiler" ;;
    esac
    exec "$@" "$work/kernels/half.spv"
}

# Nothing is left of a compilation: no folder, and no file beside the kernel. The supervisor removes the folder after
# the last process has ended.
is_clean()
{
    timeout 100 sh -c 'while test -n "$(ls -A "$1")"; do sleep 0.05; done' sh "$work/temporary" ||
        failed "$1: a folder is left in TMPDIR"
    test "$(ls -A "$work/kernels" | wc -l)" -eq 2 || failed "$1: a file is left beside the kernel"
}

for target in cpu cuda; do
    for signal in HUP INT TERM KILL; do
        rm -f "$work/alive"
        mkfifo "$work/alive"
        (compile $target "$work/slow") >/dev/null 2>&1 &
        program=$!
        exec 8<"$work/alive"
        read -r line <&8
        test "$line" = child || failed "$target: the compiler did not run"
        test "$(ls -A "$work/temporary" | wc -l)" -eq 1 || failed "$target: the compiler has no folder in TMPDIR"
        kill -s "$signal" "$program"
        timeout 100 cat <&8 >/dev/null || failed "$target, SIG$signal: the compiler still runs"
        exec 8<&-
        wait "$program"
        is_clean "$target, SIG$signal"
    done

    # Limits: each names its setting.
    rm -f "$work/alive"
    mkfifo "$work/alive"
    cat "$work/alive" >/dev/null &
    reader=$!
    (compile $target "$work/slow" TRIREME_COMPILER_TIME=1) 2>"$work/err" && failed "$target: no limit of time"
    err_has "$work/slow did not finish"
    err_has "compiler.time"
    wait "$reader" # the child of the compiler has ended too
    printf '#!/bin/sh\nexec cat /dev/zero\n' >"$work/talking"
    chmod 755 "$work/talking"
    (compile $target "$work/talking" TRIREME_COMPILER_OUTPUT=100000) 2>"$work/err" && failed "$target: no limit of output"
    err_has "$work/talking wrote more than 100000 bytes"
    err_has "compiler.output"
    printf '#!/bin/sh\nexec dd if=/dev/zero of=/dev/null bs=512M count=1\n' >"$work/greedy"
    chmod 755 "$work/greedy"
    (compile $target "$work/greedy" TRIREME_COMPILER_MEMORY=128M) 2>"$work/err" && failed "$target: no limit of memory"
    err_has "compiler.memory"
    is_clean "$target, limits"
done

finish
