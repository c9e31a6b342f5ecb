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

# Fails if the thread sanitizer has reported something, also in a process whose exit status no test reads.
print_reports() {
  local status=$?
  if compgen -G "$build/reports/*" >/dev/null; then
    cat "$build"/reports/* >&2
    echo "test: the thread sanitizer reported these in $build/reports" >&2
    status=1
  fi
  exit "$status"
}
rm -rf "$build/reports"
mkdir "$build/reports"
trap print_reports EXIT

echo "test: C++ unit tests"
ctest --test-dir "$build" --output-on-failure --progress --no-tests=error -j "$(nproc)"
echo "test: compiler passes and Python"
patience=()
[ -z "$preload" ] || patience=(--timeout 900) # sanitized code runs 5x slower
run_with_sanitizer "$python" -m pytest tests/ir tests/python "${patience[@]}" -n "$(($(nproc) + 1))" --dist worksteal "$@"
