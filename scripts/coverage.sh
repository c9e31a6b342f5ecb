#!/usr/bin/env bash
# Runs all tests on the coverage build, prints the line coverage of the C++ code, of its front ends and of the Python
# code, and writes coverage/*.html. Fails if a front end is below 90 % or one of the others below 85 %.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$PWD/build/coverage

find "$build" -name '*.gcda' -delete
rm -rf coverage
mkdir coverage
export COVERAGE_FILE=$PWD/coverage/data

. scripts/test_environment.sh coverage
ctest --test-dir "$build" --output-on-failure --progress --no-tests=error -j "$(nproc)"
.venv/bin/python -m coverage run -m pytest tests/ir tests/python "$@"

.venv/bin/python -m coverage combine --quiet coverage
.venv/bin/python -m coverage html --quiet -d coverage/python
.venv/bin/python -m gcovr --root . --filter 'src/' "$build" --exclude-throw-branches \
  --gcov-ignore-parse-errors=negative_hits.warn_once_per_file \
  --json-summary coverage/cxx.json --html-details coverage/cxx.html >/dev/null

.venv/bin/python - <<'PYTHON'
import json
import subprocess
import sys

files = json.load(open("coverage/cxx.json"))["files"]


def lines_of(folder):
    inside = [f for f in files if f["filename"].startswith(folder)]
    return 100 * sum(f["line_covered"] for f in inside) / sum(f["line_total"] for f in inside)


total = subprocess.run(
    [sys.executable, "-m", "coverage", "report", "--format=total", "--precision=1"],
    capture_output=True, text=True, check=True,
)
covered = {
    "C++": (lines_of("src/"), 85),
    "src/frontend/python": (lines_of("src/frontend/python/"), 90),
    "src/frontend/cuda": (lines_of("src/frontend/cuda/"), 90),
    "Python": (float(total.stdout), 85),
}
for what, (percent, minimum) in covered.items():
    print(f"coverage: {what} {percent:.1f} % of lines (at least {minimum} %)")
print("coverage: line by line in coverage/cxx.html and coverage/python/index.html")
sys.exit(any(percent < minimum for percent, minimum in covered.values()))
PYTHON
