# Sourced by the tests that compare the shaders of this folder.

# both_ways OPTION… FILE…: compares the shaders optimized, with the code that users get, and unoptimized, with code for the cpu that gcc
# makes in half the time (quick-cc). So the translator's text of each module runs, and what -O3 makes of it for every shader. With
# TEST_THOROUGH all have that.
both_ways()
{
    differential=$top_builddir/tests/differential/differential
    "$differential" --only optimized "$@"
    optimized=$?
    if test -z "${TEST_THOROUGH-}"; then
        TRIREME_CPU_COMPILER=$top_srcdir/tests/differential/quick-cc "$differential" --only unoptimized "$@"
    else
        "$differential" --only unoptimized "$@"
    fi
    unoptimized=$?
    case $optimized/$unoptimized in
    0/0 | 0/77 | 77/0) return 0 ;;
    77/77) return 77 ;;
    *) return 1 ;;
    esac
}
