#!/usr/bin/env bash
# Builds Heddle for AArch64 and tests it on this x86-64 machine, in an emulator (qemu-user):
#
#   scripts/test_aarch64.sh [units] [passes] [python] [fuzz]      default: all four
#
# python installs dist's wheel for AArch64, after building it if it is not there. The emulator is about 20 times slower
# than the processor, so TEST_EVERY=8 runs the first test of each file and each 8th after it: more than 3,000 tests.
# FUZZ_COUNT=2000 is the number of kernels for each of two fuzzers. QEMU_CPU=neoverse-n1 is the processor: one without
# SVE. QEMU_CPU=max has SVE of 512 bits.
set -euo pipefail
cd "$(dirname "$0")/.."
steps=("$@")
[ $# -gt 0 ] || steps=(units passes python fuzz)
build=$PWD/build/aarch64
root=$PWD/build/roots/aarch64
packages=$root/usr/local/lib/python3.11/dist-packages
export QEMU_CPU=${QEMU_CPU:-neoverse-n1} HEDDLE_DEVICE=cpu TEST_PATIENCE=10

# Tests of compiler passes that compile kernels with the Python module.
mapfile -t passes_in_python < <(grep -l '^from heddle' tests/ir/test_*.py)

run_inside() {
  scripts/aarch64/run.sh --inside env PYTHONPATH= PYTHONDONTWRITEBYTECODE=1 HEDDLE_CACHE_DIR=/tmp/cache "$@"
}

# The Python packages of the tests, for the root's Python.
install_packages() {
  local stamp=$packages/installed-requirements-dev.txt
  cmp -s requirements-dev.txt "$stamp" && return
  echo "test_aarch64: installing the Python packages of requirements-dev.txt in build/roots/aarch64"
  install_for_root -r requirements-dev.txt
  cp requirements-dev.txt "$stamp"
}

install_for_root() {
  local version platforms=()
  for version in 2_17 2_26 2_27 2_28; do
    platforms+=(--platform "manylinux_${version}_aarch64")
  done
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --upgrade --target "$packages" \
    --only-binary=:all: --python-version 3.11 --platform manylinux2014_aarch64 "${platforms[@]}" "$@"
}

install_wheel() {
  local wheels=(dist/heddle_jit-*-cp311-cp311-manylinux_2_28_aarch64.whl)
  [ -f "${wheels[0]}" ] || scripts/wheel/build.sh --aarch64
  wheels=(dist/heddle_jit-*-cp311-cp311-manylinux_2_28_aarch64.whl)
  install_for_root --no-deps "${wheels[0]}"
}

test_units() {
  echo "test_aarch64: C++ unit tests"
  scripts/build.sh aarch64 heddle-unit heddle-older-glibc heddle-api-test
  run_inside "$build/tests/heddle-unit" --gtest_brief=1
  run_inside "$build/tests/heddle-older-glibc" --gtest_brief=1
  run_inside "$build/tests/cpp/heddle-api-test" --gtest_brief=1
}

# FileCheck and pytest are this machine's, heddle-opt is for AArch64.
test_passes() {
  echo "test_aarch64: compiler passes"
  scripts/build.sh aarch64 heddle-opt
  PATH=$PATH:/usr/lib/llvm-22/bin HEDDLE_VERIFY=1 HEDDLE_OPT_TOOL=$build/src/heddle-opt QEMU_LD_PREFIX=$root \
    scripts/aarch64/run.sh .venv/bin/python -m pytest tests/ir "${passes_in_python[@]/#/--ignore=}" -n "$(nproc)" \
    -o timeout=900
}

test_python() {
  echo "test_aarch64: Python tests"
  install_packages
  install_wheel
  scripts/build.sh aarch64 heddle-opt interpret-simt fakecuda
  HEDDLE_OPT_TOOL=$build/src/heddle-opt HEDDLE_INTERPRETER=$build/src/interpret-simt \
    HEDDLE_FAKE_CUDA=$build/tests/libfakecuda.so \
    run_inside python3 -m pytest tests/python "${passes_in_python[@]}" --every "${TEST_EVERY:-8}" \
    -n "$(($(nproc) + 1))" --dist worksteal -p no:cacheprovider -o timeout=900
}

test_fuzz() {
  echo "test_aarch64: fuzzers"
  install_packages
  install_wheel
  scripts/build.sh aarch64 interpret-simt
  local options=(--count "${FUZZ_COUNT:-2000}" --seed 1 --jobs "$(nproc)")
  run_inside python3 tests/fuzz/barriers.py --one-width "${options[@]}"
  run_inside python3 tests/fuzz/run.py --divergence --interpreter "$build/src/interpret-simt" "${options[@]}"
}

scripts/setup.sh aarch64
for step in "${steps[@]}"; do
  case $step in
  units | passes | python | fuzz) "test_$step" ;;
  *) echo "test_aarch64: no step is called $step; there are units, passes, python and fuzz" >&2; exit 1 ;;
  esac
done
