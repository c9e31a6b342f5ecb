#!/usr/bin/env bash
# Tests a wheel on a machine that need not have a compiler or this checkout's build:
#
#   scripts/wheel/test_installed.sh WHEEL [PYTHON [PIP OPTION...]]
#
# Installs it in a new environment of PYTHON (python3), runs the tour, the commands, and the tests that depend on the C
# library: exceptions, signals, threads, memory, files, mathematical functions.
set -euo pipefail
cd "$(dirname "$0")/../.."
wheel=$1
python=${2:-python3}
shift "$(($# < 2 ? $# : 2))"

tests=(
  arithmetic arguments_of_exceptions barriers_at_different_places cached_code_of_others check_cases child_processes
  classes_of_errors cli cmath cuda_programs debug_mode failing_memory faults_in_functions faults_in_kernels
  free_threading host_exceptions host_interrupts host_parallel_loops host_random interrupted_kernels many_processes math
  never_internal print process_in_trouble raw_kernels statements streams_and_events threads_that_compile
  tracebacks unusable_files vectorize warps
)

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HEDDLE_DEVICE=cpu HEDDLE_CACHE_DIR=$folder/cache PYTHONPATH=

"$python" -c 'import os, sys; print(os.confstr("CS_GNU_LIBC_VERSION"), "Python", sys.version)'
"$python" -m venv "$folder/venv"
PATH=$folder/venv/bin:$PATH
pip install --quiet --disable-pip-version-check "$@" "$wheel" pytest pytest-timeout pytest-xdist \
  cffi cloudpickle coverage joblib ml_dtypes mpmath scipy

heddle info
python examples/tour.py
heddle check examples/histogram.py >/dev/null
files=("${tests[@]/#/tests/python/test_}")
python -m pytest -n 2 -p no:cacheprovider "${files[@]/%/.py}"
