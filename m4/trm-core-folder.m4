# TRM_CORE_IS_A_FOLDER
# --------------------
# Autoconf takes anything called "core" for the memory dump of a crashed test program: each check and the trap
# at the exit of `configure` begin with `rm -f core …`. With a source folder of that name the command fails,
# prints an error at each check, and the trap then leaves confdefs.h behind, which `make distcheck` rightly
# refuses. So inside `configure`, `rm` ignores that name. No other file works around this.
AC_DEFUN([TRM_CORE_IS_A_FOLDER],
[rm ()
{
  for trm_rm_argument
  do
    shift
    test "x$trm_rm_argument" = xcore || set -- "$[]@" "$trm_rm_argument"
  done
  command rm "$[]@"
}
])
