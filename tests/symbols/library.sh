#!/bin/sh
# libtrireme.so exports exactly the symbols that core/symbols.txt lists.

. "$top_srcdir/tests/symbols/compare"

# A symbol of type A is the version; the others are like trm_foo@@TRIREME_0. Symbols of sanitizers begin with
# "__".
exported=$($NM -D --defined-only "$top_builddir/.libs/libtrireme.so" |
    awk '$2 != "A" && $3 !~ /^__/ {sub(/@.*/, "", $3); print $3}' | LC_ALL=C sort)
compare_with_list exported "$exported"
