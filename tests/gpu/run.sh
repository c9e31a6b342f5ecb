#!/usr/bin/env bash
# Everything that needs a GPU, from a wheel: tests, examples, fuzzer, benchmarks, the CUDA tools' checks.
#
#   tests/gpu/run.sh dist/heddle_jit-*.whl                     everything, about eight minutes
#   tests/gpu/run.sh WHEEL --only tests,gpu,scripts,tour       some stages; `--list` names them
#   tests/gpu/run.sh WHEEL --out DIR                           logs and results there (default: a new folder in /tmp)
#
# HEDDLE_API_TEST=build/release/tests/cpp/heddle-api-test adds the tests of the C++ interface; libheddle.so.1 must be where
# that program looks for it (LD_LIBRARY_PATH).
#
# Needs python3 with NumPy and pytest. What it does not find (numba, CuPy, torch, compute-sanitizer) it leaves out and
# says so. A failing stage does not stop the others; the last lines are a table; it exits with 1 when one failed.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

wheel="${1:-}"
if [ ! -f "$wheel" ]; then
  echo "usage: tests/gpu/run.sh WHEEL [--only STAGES] [--out DIR]: '$wheel' is not a file" >&2
  exit 2
fi
shift

target="$(mktemp -d "${TMPDIR:-/tmp}/heddle-wheel-XXXXXX")"
trap 'rm -rf "$target"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --no-deps --no-index --target "$target" "$wheel"
python3 "$here/stages.py" --package "$target" "$@"
