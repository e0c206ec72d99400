# TRM_KERNELS
# -----------
# The compilers of the built-in kernels and those of portable kernels at run time, which the summary lists.
#   CROSS_COMPILING    the tool that was built cannot be run
#   BUILD_KERNELS      .spv files are built, or come with a release
#   BUILD_KERNEL_CODE  their code for the cpu backend is built
#   KERNEL_CC          its compiler, in the form of the setting cpu.compiler
#   BUILD_KERNEL_FATBIN  their code for the cuda backend is built by NVCC
#   KERNEL_CUDA_ARCH   its architectures, in the form of `trireme kc --cuda-arch`
#   KERNEL_NVCCFLAGS   the same for nvcc
#   BUILD_HOPPER_CODE  BUILD_KERNEL_FATBIN, 9.0 is among the architectures, and nvcc knows its instructions
AC_DEFUN([TRM_KERNELS],
[AC_CACHE_CHECK([for shaderc at run time], [trm_cv_shaderc],
  [trm_cv_shaderc=no
   for trm_folder in /bin /usr/bin /usr/local/bin; do
     AS_IF([test -x "$trm_folder/glslc"], [trm_cv_shaderc="$trm_folder/glslc"])
   done
   AC_RUN_IFELSE([AC_LANG_PROGRAM([[#include <dlfcn.h>]],
     [[return !dlopen("libshaderc.so.1", RTLD_NOW) && !dlopen("libshaderc_shared.so.1", RTLD_NOW);]])],
     [trm_cv_shaderc=libshaderc], [], [trm_cv_shaderc="not looked for when cross compiling"])])
AS_CASE([$trm_cv_shaderc],
  [no], [trm_shaderc="no (neither libshaderc nor glslc can be used; Debian package: glslc)"],
  [libshaderc | */glslc], [trm_shaderc="yes ($trm_cv_shaderc)"],
  [trm_shaderc=$trm_cv_shaderc])

# The compiler without options that configure may have added and without a prefix such as ccache.
set dummy $CC
shift
AS_CASE([$[1]], [*ccache | *distcc], [shift])
AC_PATH_PROG([KERNEL_CC], [$[1]], [cc])

trm_kernel_compiler="no (neither /usr/local/bin, /usr/bin nor /bin has cc)"
for trm_folder in /bin /usr/bin /usr/local/bin; do
  AS_IF([test -x "$trm_folder/cc"], [trm_kernel_compiler="yes ($trm_folder/cc)"])
done

AC_PATH_PROG([NVCC], [nvcc])
AS_IF([test -n "$NVCC"], [trm_nvcc="yes ($NVCC)"], [trm_nvcc="no (it is not in PATH)"])

AC_ARG_WITH([cuda-arch],
  [AS_HELP_STRING([--with-cuda-arch=LIST],
    [architectures that the kernels get code for, such as 80,90; all-major; none @<:@those of this machine's GPUs@:>@])],
  [], [with_cuda_arch=`nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
         sed -n 's/^\([[0-9]]*\)\.\([[0-9]]\)$/\1\2/p' | sort -u | paste -sd, -`
       test -n "$with_cuda_arch" || with_cuda_arch=none])
AS_CASE([$with_cuda_arch], [no], [with_cuda_arch=none], [yes], [with_cuda_arch=all-major])
KERNEL_CUDA_ARCH=$with_cuda_arch
KERNEL_NVCCFLAGS=
AS_CASE([$with_cuda_arch],
  [none], [],
  [all-major | all | native], [KERNEL_NVCCFLAGS="-arch=$with_cuda_arch"],
  [for trm_arch in `AS_ECHO(["$with_cuda_arch"]) | tr , ' '`; do
     KERNEL_NVCCFLAGS="$KERNEL_NVCCFLAGS -gencode=arch=compute_$trm_arch,code=sm_$trm_arch"
   done])
AC_SUBST([KERNEL_CUDA_ARCH])
AC_SUBST([KERNEL_NVCCFLAGS])
AS_IF([test "x$with_cuda_arch" = xnone || test "x$cross_compiling" = xyes],
  [trm_kernel_fatbin=no],
  [test -z "$NVCC"],
  [trm_kernel_fatbin=no],
  [AM_COND_IF([BUILD_CUDA], [trm_kernel_fatbin=yes], [trm_kernel_fatbin=no])])

trm_spv=no
AS_IF([test -d "$srcdir/shaders/prebuilt"], [trm_spv=prebuilt],
      [test "x$cross_compiling" != xyes], [trm_spv=compiled])
AS_IF([test "x$trm_spv" = xno],
  [trm_kernels="no (cross compiling needs a release, which has them as .spv)"],
  [test "x$cross_compiling" = xyes],
  [trm_kernels="prebuilt .spv, without code for the cpu (cross compiling)"],
  [trm_kernels="$trm_spv .spv"
   AM_COND_IF([BUILD_CPU], [trm_kernels="$trm_kernels, code for the cpu by $KERNEL_CC"])
   AS_IF([test "x$trm_kernel_fatbin" = xyes],
     [trm_kernels="$trm_kernels, for CUDA ($with_cuda_arch) by $NVCC"])])

AM_CONDITIONAL([CROSS_COMPILING], [test "x$cross_compiling" = xyes])
AM_CONDITIONAL([BUILD_KERNELS], [test "x$trm_spv" != xno])
AM_CONDITIONAL([BUILD_KERNEL_FATBIN], [test "x$trm_kernel_fatbin" = xyes && test "x$trm_spv" != xno])

# Instructions that only compute capability 9.0 has: nvcc assembles them from CUDA 12.3 on.
trm_hopper=no
AS_CASE([,$with_cuda_arch,], [*,90,* | *,90a,* | ,all, | ,all-major, | ,native,],
  [AM_COND_IF([BUILD_KERNEL_FATBIN],
    [AC_CACHE_CHECK([whether nvcc compiles for sm_90a], [trm_cv_nvcc_sm_90a],
      [AS_ECHO(['__global__ void f(const void *p) { asm volatile("fence.proxy.tensormap::generic.acquire.gpu @<:@%0@:>@, 128;" :: "l"(p)); }']) >conftest.cu
       AS_IF([$NVCC -gencode=arch=compute_90a,code=sm_90a -cubin -o conftest.cubin conftest.cu >&AS_MESSAGE_LOG_FD 2>&1],
         [trm_cv_nvcc_sm_90a=yes], [trm_cv_nvcc_sm_90a=no])
       rm -f conftest.cu conftest.cubin])
     trm_hopper=$trm_cv_nvcc_sm_90a])])
AM_CONDITIONAL([BUILD_HOPPER_CODE], [test "x$trm_hopper" = xyes])
AM_CONDITIONAL([BUILD_KERNEL_CODE], [test "x$cross_compiling" != xyes && test -z "$BUILD_CPU_TRUE"])
])
