#!/bin/sh
# Tests compare with .spv files that a certain compiler made with certain flags, so make must not make them again, even when
# the .comp file beside one is younger, as it may be after a checkout.

cd "$top_builddir" || exit 1
fixtures=
younger=
for fixture in $(cd "$top_srcdir" && find tests -name '*.spv' ! -path 'tests/cache*' | sort); do
    test -f "$top_srcdir/${fixture%.spv}.comp" || continue
    fixtures="$fixtures $fixture"
    younger="$younger -W ${fixture%.spv}.comp"
done
test -n "$fixtures" || {
    echo "no fixture was found: the test looks at nothing"
    exit 1
}

# Unquoted: a list of words without blanks.
MAKEFLAGS='' "${MAKE:-make}" --question $younger $fixtures && exit 0
echo "make would make these again:"
MAKEFLAGS='' "${MAKE:-make}" --dry-run $younger $fixtures
exit 1
