# TRM_SUMMARY_LINE(WHAT, VERDICT)
# -------------------------------
# Adds one line to the summary of `configure`. Shell variables in the arguments are expanded here.
AC_DEFUN([TRM_SUMMARY_LINE],
[trm_what="$1"
trm_verdict="$2"
trm_line=`printf '  %-16s %s' "$trm_what" "$trm_verdict"`
trm_summary="$trm_summary
$trm_line"])

# TRM_SUMMARY_PKG(WHAT, PREFIX, PEER)
# -----------------------------------
# The line of a module that TRM_PKG searched for.
AC_DEFUN([TRM_SUMMARY_PKG],
[AS_IF([test -z "$$2_why_not"],
  [TRM_SUMMARY_LINE([$1], [$3yes])],
  [TRM_SUMMARY_LINE([$1], [$3no ($$2_why_not)])])])

# TRM_SUMMARY
# -----------
# The summary at the end of `configure`: the folders, and for each part yes, or no and the reason.
AC_DEFUN([TRM_SUMMARY],
[TRM_SUMMARY_LINE([tools], [yes (trireme)])
TRM_SUMMARY_LINE([man pages], [yes])
TRM_SUMMARY_LINE([kernels], [$trm_kernels])
TRM_SUMMARY_LINE([], [GLSL: $trm_shaderc])
TRM_SUMMARY_LINE([], [C compiler at run time: $trm_kernel_compiler])
TRM_SUMMARY_LINE([], [nvcc for --target cuda: $trm_nvcc])
TRM_SUMMARY_PKG([tests], [CHECK], [])
AS_IF([test -z "$CXX"], [TRM_SUMMARY_LINE([], [without that of the headers as C++ (no C++ compiler)])])
AS_IF([test "x$ac_cv_header_vulkan_vulkan_h" != xyes],
      [TRM_SUMMARY_LINE([], [without the comparison with Vulkan (no vulkan/vulkan.h; Debian package: libvulkan-dev)])])
TRM_SUMMARY_PKG([bench peers], [OPENCL], [OpenCL ])
TRM_SUMMARY_PKG([], [STARPU], [StarPU ])
TRM_SUMMARY_PKG([], [TBB], [TBB ])
TRM_SUMMARY_PKG([], [OPENBLAS], [OpenBLAS ])
AS_IF([test -n "$OPENMP_CFLAGS"],
  [TRM_SUMMARY_LINE([], [OpenMP yes])],
  [TRM_SUMMARY_LINE([], [OpenMP no (the compiler has none)])])
AS_ECHO(["
$PACKAGE_STRING

  prefix           $prefix
  compiler         $CC
  CFLAGS           $CFLAGS
  instrumentation  $trm_instrumentation
$trm_summary
"])
])
