#!/bin/sh
# A sixteenth of backend.sh, for `make check` without the long tests.

exec "${SHELL-/bin/sh}" "$top_srcdir/tests/differential/backend.sh" 0/16
