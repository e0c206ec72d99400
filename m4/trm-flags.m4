# TRM_ADD_CFLAG(VARIABLE, FLAG)
# -----------------------------
# Appends FLAG to VARIABLE if the compiler accepts it without warnings.
AC_DEFUN([TRM_ADD_CFLAG],
[AS_VAR_PUSHDEF([cached], [trm_cv_cflag_$2])dnl
AC_CACHE_CHECK([whether $CC accepts $2], [cached],
  [trm_saved_CFLAGS=$CFLAGS
   CFLAGS="$CFLAGS -Werror $2"
   AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])], [AS_VAR_SET([cached], [yes])], [AS_VAR_SET([cached], [no])])
   CFLAGS=$trm_saved_CFLAGS])
AS_VAR_IF([cached], [yes], [$1="$$1 $2"])
AS_VAR_POPDEF([cached])dnl
])

# TRM_WARNINGS
# ------------
# WARNING_CFLAGS for all of our own sources; --enable-werror makes them errors.
AC_DEFUN([TRM_WARNINGS],
[AC_ARG_ENABLE([werror],
  [AS_HELP_STRING([--enable-werror], [make compiler warnings errors @<:@no@:>@])],
  [], [enable_werror=no])
WARNING_CFLAGS=
m4_foreach_w([trm_flag],
  [-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef -Wwrite-strings
   -Wpointer-arith -Wformat=2],
  [TRM_ADD_CFLAG([WARNING_CFLAGS], trm_flag)])
AS_IF([test "x$enable_werror" = xyes], [WARNING_CFLAGS="$WARNING_CFLAGS -Werror"])
AC_SUBST([WARNING_CFLAGS])
])

# TRM_LIBRARY_FLAGS
# -----------------
# LIBRARY_CFLAGS for the objects of the library: it calls its own exported functions directly, and may inline
# them.
AC_DEFUN([TRM_LIBRARY_FLAGS],
[LIBRARY_CFLAGS=
TRM_ADD_CFLAG([LIBRARY_CFLAGS], [-fno-semantic-interposition])
AC_SUBST([LIBRARY_CFLAGS])
])

# TRM_INSTRUMENTATION
# -------------------
# --enable-sanitizer=LIST and --enable-coverage. Their flags go into CFLAGS and LDFLAGS, because every object
# and every link needs them, also of targets that set their own flags; but the undefined behaviour sanitizer looks at
# the library alone: with it, the tests take twice as long to compile. Also sets INSTRUMENTED for tests: "no",
# "coverage" or the LIST; SANITIZER_CFLAGS, which programs need that tests compile and link with the library; and
# NO_UNDEFINED, the linker's check for undefined symbols in libraries, which clang's sanitizers do not support.
AC_DEFUN([TRM_INSTRUMENTATION],
[AC_ARG_ENABLE([sanitizer],
  [AS_HELP_STRING([--enable-sanitizer=LIST],
    [build with -fsanitize=LIST, such as address,undefined or thread @<:@no@:>@])],
  [], [enable_sanitizer=no])
AC_ARG_ENABLE([coverage],
  [AS_HELP_STRING([--enable-coverage], [count executed lines, for "make coverage" @<:@no@:>@])],
  [], [enable_coverage=no])
trm_instrumentation=none
SANITIZER_CFLAGS=
NO_UNDEFINED='-no-undefined -Wl,--no-undefined'

AS_CASE([$enable_sanitizer],
  [no], [],
  [yes], [AC_MSG_ERROR([--enable-sanitizer needs a list, such as address,undefined])],
  [trm_flags="-fsanitize=$enable_sanitizer -fno-sanitize-recover=all -fno-omit-frame-pointer"
   SANITIZER_CFLAGS=$trm_flags
   CFLAGS="$CFLAGS $trm_flags"
   TEST_CFLAGS="$TEST_CFLAGS $trm_flags -fno-sanitize=undefined"
   LDFLAGS="$LDFLAGS -fsanitize=$enable_sanitizer"
   AC_MSG_CHECKING([whether $CC can link with -fsanitize=$enable_sanitizer])
   AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
     [AC_MSG_RESULT([yes])],
     [AC_MSG_RESULT([no])
      AC_MSG_ERROR([the compiler cannot link with -fsanitize=$enable_sanitizer])])
   trm_instrumentation="sanitizer $enable_sanitizer"
   NO_UNDEFINED=-no-undefined])

AS_IF([test "x$enable_coverage" = xyes],
  [CFLAGS="$CFLAGS --coverage -fprofile-update=atomic"
   LDFLAGS="$LDFLAGS --coverage"
   trm_instrumentation=coverage])

AS_CASE([$trm_instrumentation],
  [none], [INSTRUMENTED=no],
  [coverage], [INSTRUMENTED=coverage],
  [INSTRUMENTED=$enable_sanitizer])
AC_SUBST([INSTRUMENTED])
AC_SUBST([SANITIZER_CFLAGS])
AC_SUBST([NO_UNDEFINED])
])
