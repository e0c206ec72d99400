#!/bin/sh
# A program that the archive of the library is linked into opens a device and compiles GLSL, or says that there is no glslc. One
# that is linked with -static gets a sentence from each backend instead of a crash in a driver.

test "${INSTRUMENTED-no}" = no || exit 77
archive=$top_builddir/.libs/libtrireme-internal.a
test -f "$archive" || { echo "$archive is not there"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# The library, which is a part of the program, looks for this beside itself.
supervisor=$(cd "$top_builddir" && pwd)/base/program/supervise
mkdir "$work/trireme" && ln -s "$supervisor" "$work/trireme/supervise" || exit 1

cat >"$work/program.c" <<'END'
#include <stdio.h>
#include <string.h>
#include <trireme/trireme.h>

int main(void)
{
    static const char text[]     = "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}\n";
    struct trm_shader_desc desc  = {
         .struct_size = sizeof(desc), .format = TRM_MODULE_GLSL, .data = text, .size = strlen(text)};
    struct trm_context *context = NULL;
    struct trm_device *device   = NULL;
    struct trm_shader *shader   = NULL;

    if (trm_context_create(NULL, &context) != TRM_OK)
        return 1;
    printf("device: %s: ", trm_status_name(trm_device_open(context, NULL, &device)));
    printf("%s\n", trm_last_error().sentence);
    if (trm_shader_create(context, &desc, &shader) == TRM_OK)
        printf("shader: TRM_OK\n");
    else
        printf("shader: %s\n", trm_last_error().sentence);
    trm_shader_destroy(shader);
    trm_context_destroy(context);
    return 0;
}
END

# link FLAG: links the program with the archive in place of libtrireme.so.
link()
{
    # shellcheck disable=SC2086 # a command and its arguments
    $CC $1 -I"$top_srcdir/include" "$work/program.c" "$archive" -lpthread -ldl -lm -o "$work/program" >"$work/log" 2>&1
}

# runs_as WAY: the program ends well; what it prints is in out.
runs_as()
{
    TRIREME_BACKEND_PATH=$top_builddir/backends/.libs:$top_builddir/backends/template/.libs "$work/program" >"$work/out" 2>&1
    status=$?
    cat "$work/out"
    test $status -eq 0 || { echo "a $1 program ended with status $status"; exit 1; }
}

# With the C library as usual, all backends are there.
link -g || { cat "$work/log"; exit 1; }
runs_as usual
case " $BACKENDS " in
*" backends/cpu.la "*) grep -q '^device: TRM_OK' "$work/out" || exit 1 ;;
esac
grep -Eq '^shader: (TRM_OK|.*glslc)' "$work/out" || exit 1

# A system may have no static C library, and every C library warns of dlopen(). Such a program knows of no folder but the installation's,
# which may lack the supervisor.
for way in -static -static-pie; do
    link $way || { tail -n 3 "$work/log"; exit 77; }
    runs_as $way
    grep -q '^device: TRM_ERROR_NOT_FOUND: .*template: .*linked with -static' "$work/out" || exit 1
    grep -Eq '^shader: (TRM_OK|.*glslc|.*supervise, which comes with Trireme, is missing)' "$work/out" || exit 1
done
