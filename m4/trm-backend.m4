# TRM_BACKEND(NAME, TEST)
# -----------------------
# Adds --enable-NAME=yes|no|auto. TEST is shell code that sets `why_not` to a short reason if the backend
# cannot be built. "auto" then leaves it out and the summary has the reason; "yes" makes it an error. Sets the
# conditional BUILD_<NAME> and adds a line to the summary.
AC_DEFUN([TRM_BACKEND],
[AC_ARG_ENABLE([$1],
  [AS_HELP_STRING([--enable-$1=yes|no|auto], [build the $1 backend @<:@auto@:>@])],
  [], [enable_$1=auto])
why_not=
AS_CASE([$enable_$1],
  [no], [why_not="switched off by --disable-$1"],
  [yes|auto], [$2],
  [AC_MSG_ERROR([--enable-$1 takes yes, no or auto, not "$enable_$1"])])
AS_IF([test "x$enable_$1" = xyes && test -n "$why_not"],
  [AC_MSG_ERROR([the $1 backend was asked for but cannot be built: $why_not])])
AM_CONDITIONAL(m4_toupper([BUILD_$1]), [test -z "$why_not"])
AS_IF([test -z "$why_not"],
  [TRM_SUMMARY_LINE([backend $1], [yes])],
  [TRM_SUMMARY_LINE([backend $1], [no ($why_not)])])
])

# TRM_PKG(PREFIX, PKG-CONFIG MODULE, DEBIAN PACKAGE)
# --------------------------------------------------
# PKG_CHECK_MODULES that never fails: PREFIX_why_not is empty if the module exists, else names the package to
# install.
AC_DEFUN([TRM_PKG],
[PKG_CHECK_MODULES([$1], [$2], [$1_why_not=],
  [AS_IF([test -z "$PKG_CONFIG"],
    [$1_why_not="pkg-config was not found"],
    [$1_why_not="pkg-config knows no $2; Debian package: $3"])])
])
