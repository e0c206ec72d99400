#!/bin/sh
# Every public header compiles alone as C++17.

if test -z "$CXX"; then
    echo "no C++ compiler was found when configure ran"
    exit 77
fi
sh "$top_srcdir/tests/headers/compile-alone" c++ c++17 "$CXX"
