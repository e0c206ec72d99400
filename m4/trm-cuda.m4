# TRM_CUDA_HEADERS
# ----------------
# Searches for the headers of CUDA's driver API and of NVRTC: in the folder of --with-cuda, else in the
# compiler's include path, beside nvcc, and in /usr/local/cuda. CUDA is not linked; its libraries are opened
# at run time.
#   CUDA_CPPFLAGS   include options, as system headers because they cause warnings
#   CUDA_HOME       the toolkit's folder; empty if the compiler finds the headers without options
#   CUDA_why_not    empty if they were found, else the reason
AC_DEFUN([TRM_CUDA_HEADERS],
[AC_REQUIRE([AC_PROG_CC])
AC_ARG_WITH([cuda],
  [AS_HELP_STRING([--with-cuda=DIR], [folder of the CUDA toolkit @<:@beside nvcc, /usr/local/cuda@:>@])],
  [], [with_cuda=yes])
CUDA_HOME=
CUDA_CPPFLAGS=
CUDA_why_not=
AC_CACHE_CHECK([for the headers of CUDA 12.4 or newer], [trm_cv_cuda],
  [trm_cuda_nvcc=
   trm_cuda_links=`command -v nvcc 2>/dev/null`
   AS_IF([test -n "$trm_cuda_links"],
     [trm_cuda_nvcc=`readlink -f "$trm_cuda_links" 2>/dev/null | $SED 's,/bin/[[^/]]*$,,'`])
   trm_cv_cuda=no
   trm_cuda_saved=$CPPFLAGS
   AS_CASE([$with_cuda],
     [yes], [set dummy "" $trm_cuda_nvcc /usr/local/cuda],
     [no], [set dummy],
     [set dummy "$with_cuda"])
   shift
   for trm_folder in "$[@]"; do
     CPPFLAGS="$trm_cuda_saved${trm_folder:+ -I$trm_folder/include}"
     AS_IF([test "x$trm_cv_cuda" = xno],
       [AC_PREPROC_IFELSE([AC_LANG_SOURCE([[
          #include <cuda.h>
          #include <cudaTypedefs.h>
          #include <nvrtc.h>
          #if CUDA_VERSION < 12040
          #error too old
          #endif
        ]])], [trm_cv_cuda=${trm_folder:-yes}])])
   done
   CPPFLAGS=$trm_cuda_saved])
AS_CASE([$trm_cv_cuda],
  [no], [AS_CASE([$with_cuda],
    [yes], [CUDA_why_not="no cuda.h, cudaTypedefs.h and nvrtc.h of CUDA 12.4 or newer; install NVIDIA's toolkit, or say --with-cuda=DIR"],
    [no], [CUDA_why_not="switched off by --without-cuda"],
    [CUDA_why_not="$with_cuda/include has no cuda.h, cudaTypedefs.h and nvrtc.h of CUDA 12.4 or newer"])],
  [yes], [],
  [CUDA_HOME=$trm_cv_cuda
   CUDA_CPPFLAGS="-isystem $trm_cv_cuda/include"])
AC_SUBST([CUDA_HOME])
AC_SUBST([CUDA_CPPFLAGS])
])
