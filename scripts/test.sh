#!/usr/bin/env bash
# Runs every test on the build of one preset: C++ units (ctest), compiler passes (FileCheck) and Python (pytest).
# Further arguments go to pytest: scripts/test.sh release -k atomics. Pytest runs one process more than there are cores,
# for some tests wait.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
build=$PWD/build/$preset

. scripts/test_environment.sh "$preset"

echo "test: C++ units"
ctest --test-dir "$build" --output-on-failure --progress --no-tests=error -j "$(nproc)"
echo "test: compiler passes and Python"
patience=()
[ "$preset" = release ] || patience=(--timeout 900) # a sanitizer's code takes five times as long
under_sanitizer .venv/bin/python -m pytest tests/ir tests/python "${patience[@]}" -n "$(($(nproc) + 1))" --dist worksteal "$@"
