#!/bin/sh
# Every public header compiles alone as C11.

sh "$top_srcdir/tests/headers/compile-alone" c c11 "$CC"
