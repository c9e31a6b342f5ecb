#!/usr/bin/env bash
# Builds a wheel in dist for each PYTHON, default that of .venv. Python 3.12 and later share one. Each version of
# free-threaded Python, such as python3.14t, has a separate one:
#
#   scripts/wheel/build.sh [--aarch64] [PYTHON...]
#
# --aarch64 cross-compiles for AArch64 Linux (cmake/Aarch64.cmake); scripts/setup.sh aarch64 installs what that needs,
# with the headers of Python 3.11 and 3.13.
# Fails if a wheel needs a newer glibc than the one that pyproject.toml names (HEDDLE_GLIBC).
set -euo pipefail
cd "$(dirname "$0")/../.."

# Prints a Python that has what the build needs, in a new environment in build/: not NumPy, for which there may be no wheel.
prepare_python() {
  local environment
  environment=build/wheel-python-$("$1" -c 'import sys; print("%d.%d%s" % (*sys.version_info[:2], sys.abiflags))')
  [ -x "$environment/bin/pip" ] || "$1" -m venv "$environment"
  grep -hE '^(build|deflate|nanobind|nvidia-cuda-nvcc-cu12|scikit-build-core)\b' requirements-build.txt requirements-dev.txt \
    >"$environment/packages.txt"
  "$environment/bin/pip" install --quiet --disable-pip-version-check -r "$environment/packages.txt"
  echo "$environment/bin/python"
}

options=() variables=()
if [ "${1:-}" = --aarch64 ]; then
  shift
  options=(-C "cmake.toolchain-file=$PWD/cmake/Aarch64.cmake")
  # The wheel's tag would name this machine.
  variables=(_PYTHON_HOST_PLATFORM=linux-aarch64)
fi

build_wheel() {
  local folder
  folder=$(mktemp -d)
  env "${variables[@]}" "$1" -m build "${options[@]}" --wheel --no-isolation --outdir "$folder"
  local wheel=("$folder"/*.whl)
  mkdir -p dist
  mv "${wheel[0]}" dist
  rmdir "$folder"
  if [[ ${wheel[0]} != *-manylinux_* ]]; then
    echo "build: this wheel does not run with the glibc that pyproject.toml names; see the list above" >&2
    return 1
  fi
}

if [ $# -eq 0 ]; then
  build_wheel .venv/bin/python
fi
for python in "$@"; do
  prepared=$(prepare_python "$python")
  build_wheel "$prepared"
done
