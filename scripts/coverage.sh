#!/usr/bin/env bash
# Runs every test on the coverage build, prints the line coverage of the C++ and of the Python, writes coverage/*.html
# reports, and fails when either is under 85 %.
set -euo pipefail
cd "$(dirname "$0")/.."
minimum=85
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

.venv/bin/python - "$minimum" <<'PYTHON'
import json
import subprocess
import sys

minimum = float(sys.argv[1])
cxx = json.load(open("coverage/cxx.json"))["line_percent"]
total = subprocess.run(
    [sys.executable, "-m", "coverage", "report", "--format=total", "--precision=1"],
    capture_output=True, text=True, check=True,
)
python = float(total.stdout)
print(f"coverage: C++ {cxx:.1f} % of lines, Python {python:.1f} % (at least {minimum:.0f} % each)")
print("coverage: line by line in coverage/cxx.html and coverage/python/index.html")
sys.exit(cxx < minimum or python < minimum)
PYTHON
