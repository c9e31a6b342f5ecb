#!/usr/bin/env bash
# Runs all tests on the build of one preset: C++ unit tests (ctest), compiler passes (FileCheck) and Python (pytest).
# Passes further arguments to pytest: scripts/test.sh release -k atomics. Pytest uses one more process than there are
# cores, because some tests wait.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
build=$PWD/build/$preset

. scripts/test_environment.sh "$preset"

echo "test: C++ unit tests"
ctest --test-dir "$build" --output-on-failure --progress --no-tests=error -j "$(nproc)"
echo "test: compiler passes and Python"
patience=()
[ -z "$preload" ] || patience=(--timeout 900) # sanitized code runs 5x slower
run_with_sanitizer .venv/bin/python -m pytest tests/ir tests/python "${patience[@]}" -n "$(($(nproc) + 1))" --dist worksteal "$@"
