#!/usr/bin/env bash
# Builds and tests with the thread sanitizer on a free-threaded Python, which is instrumented, too:
#
#   scripts/free_threaded/test.sh PYTHON [PYTEST OPTION...]
#
# scripts/free_threaded/build_python.sh builds such a Python.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${1:?usage: scripts/free_threaded/test.sh PYTHON [PYTEST OPTION...]}
shift
environment=build/tsan-free-threaded/venv

# For pip and CMake. The tests have options of their own (scripts/test_environment.sh).
export TSAN_OPTIONS=report_bugs=0
if ! "$python" -c 'import sysconfig as s, sys
sys.exit(not s.get_config_var("Py_GIL_DISABLED") or "--with-thread-sanitizer" not in s.get_config_var("CONFIG_ARGS"))'; then
  echo "test: $python is not a free-threaded Python with the thread sanitizer; see scripts/free_threaded/build_python.sh" >&2
  exit 2
fi
# Starts again where an earlier run was interrupted.
if ! "$environment/bin/python" -c 'import pip' 2>/dev/null; then
  rm -rf "$environment"
  "$python" -m venv "$environment"
fi
packages=$(grep -hE '^(numpy|nanobind|nvidia-cuda-nvcc|pytest|cloudpickle|joblib|mpmath)\b' requirements-build.txt requirements-dev.txt)
installed=$environment/installed-packages
if [ ! -f "$installed" ] || [ "$packages" != "$(cat "$installed")" ]; then
  "$environment/bin/pip" install --quiet --disable-pip-version-check --no-compile --only-binary numpy -r /dev/stdin <<<"$packages"
  echo "$packages" >"$installed"
fi
scripts/build.sh tsan-free-threaded
scripts/test.sh tsan-free-threaded "$@"
