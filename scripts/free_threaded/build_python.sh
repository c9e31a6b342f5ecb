#!/usr/bin/env bash
# Builds a free-threaded Python with the thread sanitizer, from an unpacked source of CPython 3.13 or later:
#
#   scripts/free_threaded/build_python.sh SOURCE FOLDER     installs it in FOLDER
#
# Its sanitizer is Clang 22's, as a shared library, which the extension module uses, too.
set -euo pipefail
source=${1:?usage: scripts/free_threaded/build_python.sh SOURCE FOLDER}
folder=$(realpath -m "${2:?the folder of the new Python is missing}")
bin=/usr/lib/llvm-22/bin
runtime=$(dirname "$("$bin/clang" -print-file-name="libclang_rt.tsan-$(uname -m).so")")

# The build runs Python: that its races do not fail the build.
export TSAN_OPTIONS=report_bugs=0
cd "$source"
./configure -q --prefix="$folder" --disable-gil --with-thread-sanitizer --disable-test-modules \
  CC="$bin/clang" CXX="$bin/clang++" OPT="-DNDEBUG -O1 -g1" LDFLAGS="-shared-libsan -Wl,-rpath,$runtime"
make -s -j"$(nproc)"
make -s install
