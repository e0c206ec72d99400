# TRM_LIBDIR_FROM_BINDIR
# ----------------------
# The relative path from the folder of the programs to that of the library, such as ../lib. The `trireme`
# program finds the library by it, so that an installed tree may be moved and works before ldconfig has run.
AC_DEFUN([TRM_LIBDIR_FROM_BINDIR],
[libdir_from_bindir=`
  test "x$prefix" != xNONE || prefix=$ac_default_prefix
  test "x$exec_prefix" != xNONE || exec_prefix=$prefix
  eval "realpath -m --relative-to=\\"$bindir\\" \\"$libdir\\""`
AS_IF([test -z "$libdir_from_bindir"], [libdir_from_bindir=../lib])
AC_SUBST([libdir_from_bindir])
])
