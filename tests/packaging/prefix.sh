#!/bin/sh
# A build tree that is configured again with another prefix compiles and links again what knows the prefix.

cd "$top_builddir" || exit 1
failed=0
planned=$(MAKEFLAGS='' $MAKE --dry-run --what-if=installed_folders.h libtrireme.la backends/cpu.la 2>&1)
for what in core/plugin/folders.c core/program/program.c core/settings/settings.c 'libtrireme\.la ' 'backends/cpu\.la '; do
    echo "$planned" | grep -q -e "$what" || {
        echo "another prefix does not make $what again"
        failed=1
    }
done
grep -q "TRM_BACKENDDIR \"$backendsdir\"" installed_folders.h || {
    echo "installed_folders.h has other folders than the makefile:"
    cat installed_folders.h
    failed=1
}
exit $failed
