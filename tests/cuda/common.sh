# Sourced by tests that run on the cuda backend. Where it was not built they are skipped. They run on the
# stand-in for CUDA's driver (tests/standin), or, with CUDA_TEST_DRIVER=real, on the machine's own.

case " $BACKENDS " in
*" backends/cuda.la "*) ;;
*)
    echo "the cuda backend was not built"
    exit 77
    ;;
esac

standin=$(cd "$top_builddir" && pwd)/tests/standin/.libs
if test "${CUDA_TEST_DRIVER-}" != real; then
    TRIREME_CUDA_DRIVER=$standin/libcuda.so.1
    TRIREME_CUDA_NVRTC=$standin/libnvrtc.so
    TRIREME_CUDA_NCCL=none
    export TRIREME_CUDA_DRIVER TRIREME_CUDA_NVRTC TRIREME_CUDA_NCCL
fi

TRIREME_BACKEND=cuda
export TRIREME_BACKEND
if ! "$top_builddir/tools/trireme" info >/dev/null 2>&1; then
    "$top_builddir/tools/trireme" info
    test "${CUDA_TEST_DRIVER-}" = real || exit 1
    echo "there is no CUDA device here"
    exit 77
fi

# standin_shaped NAME TEXT: configures the stand-in with TEXT from now on (tests/standin/control.h): makes a
# folder with a link to the stand-in and the text beside it. The folder is in the build tree, because only the
# user may write to folders that code is loaded from.
standin_shaped()
{
    shaped=$(cd "$top_builddir" && pwd)/tests/cuda/shaped/$1
    mkdir -p "$shaped" && chmod 755 "$shaped" "$shaped/.." || exit 1
    ln -sf "$standin/libcuda.so.1" "$shaped/libcuda.so.1"
    echo "$2" >"$shaped/libcuda.so.1.conf"
    TRIREME_CUDA_DRIVER=$shaped/libcuda.so.1
    export TRIREME_CUDA_DRIVER
}
