#!/bin/sh
# core/symbols.txt lists exactly the functions that the public headers mark with TRM_API.

. "$top_srcdir/tests/symbols/compare"

declared=$(cd "$top_srcdir" &&
    sed -n 's/^TRM_API .*[ *]\(trm_[a-z0-9_]*\)(.*/\1/p' $PUBLIC_HEADERS | grep -v '^trm_backend_query_' | LC_ALL=C sort)
compare_with_list "declared in a header" "$declared"
