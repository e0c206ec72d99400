#!/bin/sh
# Each backend exports its query and nothing else, and needs no symbol of the core.

failures=0

check_plugin()
{
    exported=$($NM -D --defined-only "$1" | awk '$2 != "A" {sub(/@.*/, "", $3); print $3}')
    if test "$exported" != trm_backend_query_v1; then
        echo "FAILED: $1 exports:" $exported
        failures=$((failures + 1))
    fi
    needed=$($NM -D --undefined-only "$1" | awk '$2 ~ /^trm_/ {print $2}')
    if test -n "$needed"; then
        echo "FAILED: $1 has undefined symbols of the core:" $needed
        failures=$((failures + 1))
    fi
}

for backend in $BACKENDS backends/template/template.la; do
    plugin=$top_builddir/$(dirname "$backend")/.libs/$(basename "$backend" .la).so
    echo "$plugin"
    check_plugin "$plugin"
done

test "$failures" -eq 0
