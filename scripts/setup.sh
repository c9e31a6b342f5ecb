#!/usr/bin/env bash
# Installs only what this machine lacks for building and testing Heddle: Debian packages (with sudo if not root), and
# Python packages in .venv. A second run has nothing to do: it is fast and needs no network.
#
#   scripts/setup.sh build    what `make demo` needs (requirements-build.txt)
#   scripts/setup.sh          what `make test` needs (also requirements-dev.txt)
#   scripts/setup.sh bench    also what `make bench` compares with (requirements-bench.txt)
#   scripts/setup.sh lint     also what `make format` and `make lint` run (requirements-lint.txt)
#   scripts/setup.sh docs     also what `make docs` runs (requirements-docs.txt)
#   scripts/setup.sh tidy     also what `make tidy` runs (requirements-tidy.txt)
#   scripts/setup.sh aarch64  also what builds and tests for AArch64 need: the emulator, and a Debian in build/roots/aarch64
#   scripts/setup.sh sanitizers   also the sanitizers' runtimes, for `make asan` and `make tsan`
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
llvm=/usr/lib/llvm-22
missing=()

# require_package PACKAGE COMMAND...: PACKAGE is missing if COMMAND fails.
require_package() {
  local package=$1
  shift
  "$@" >/dev/null 2>&1 || missing+=("$package")
}

# Succeeds if the C++ compiler finds the header.
has_header() { echo "#include <$1>" | c++ -E -x c++ - ; }
has_library() { [ -f "$(c++ -print-file-name="$1")" ]; }
has_clang_library() { [ -f "$("$llvm/bin/clang++" -print-file-name="$1")" ]; }
has_tool() { command -v "$1" || command -v "$llvm/bin/$1"; }
is_python_supported() { "$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 16))'; }
has_python_headers() {
  "$python" -c 'import os, sysconfig; open(os.path.join(sysconfig.get_path("include"), "Python.h"))'
}

extras=" $* "

find_missing() {
  missing=()
  require_package g++ command -v g++
  require_package clang-22 test -x $llvm/bin/clang++
  require_package cmake command -v cmake
  require_package ninja-build command -v ninja
  require_package ccache command -v ccache
  require_package llvm-22-dev test -f $llvm/lib/cmake/llvm/LLVMConfig.cmake
  require_package libclang-22-dev test -f $llvm/lib/libclangFrontend.a
  require_package llvm-22-tools has_tool FileCheck
  require_package lld-22 test -x $llvm/bin/ld.lld
  require_package libgtest-dev has_library libgtest.a
  require_package libsleef3 has_library libsleef.so.3
  require_package zlib1g-dev has_header zlib.h
  require_package libzstd-dev has_header zstd.h
  [[ $extras == *" build "* ]] || require_package strace command -v strace
  [[ $extras != *" sanitizers "* ]] || require_package libclang-rt-22-dev has_clang_library "libclang_rt.asan-$(uname -m).so"
  [[ $extras != *" aarch64 "* ]] || require_package qemu-user-static has_tool qemu-aarch64-static
  require_package python3 command -v "$python"
  require_package python3-dev has_python_headers
  [ -x .venv/bin/python ] || require_package python3-venv "$python" -c 'import ensurepip, venv'
}

install_missing() {
  [ ${#missing[@]} -eq 0 ] && return
  if ! command -v apt-get >/dev/null; then
    cat >&2 <<TEXT
setup: this machine has no apt-get. Please install, by whatever means it has (names are Debian's):
  ${missing[*]}
  LLVM must be version 22.1 with its static libraries, in $llvm.
TEXT
    exit 1
  fi
  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "setup: run this as root: apt-get install ${missing[*]}" >&2; exit 1; }
    sudo=(sudo)
  fi
  echo "setup: installing ${missing[*]}"
  local log
  log=$(mktemp)
  if ! { "${sudo[@]}" apt-get -q update &&
         "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
           apt-get -qy install --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    echo "setup: apt-get could not install ${missing[*]} (log: $log)." >&2
    echo "setup: if your distribution has no LLVM 22, https://apt.llvm.org has it." >&2
    exit 1
  fi
  rm -f "$log"
}

# Installs the requirements file $1, unless this exact file was installed before.
install_python_packages() {
  local stamp=.venv/installed-$1
  cmp -s "$1" "$stamp" && return
  echo "setup: installing the Python packages of $1 in .venv"
  # --no-compile: Python compiles a module on its first import, and most modules are never imported.
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-compile -r "$1"
  cp "$1" "$stamp"
}

find_missing
install_missing
find_missing
if [ ${#missing[@]} -ne 0 ]; then
  echo "setup: still missing after installation: ${missing[*]} (Python: $python)" >&2
  exit 1
fi
if ! is_python_supported; then
  echo "setup: $("$python" --version) is too old or too new; set PYTHON to a Python 3.11 to 3.15" >&2
  exit 1
fi

# Recreates a .venv whose Python is gone (moved checkout, removed interpreter).
if ! .venv/bin/python -c 'import pip' >/dev/null 2>&1; then
  echo "setup: creating .venv with $("$python" --version)"
  rm -rf .venv
  "$python" -m venv .venv
fi
install_python_packages requirements-build.txt
[ "$*" != build ] || exit 0
install_python_packages requirements-dev.txt
for extra in "$@"; do
  case $extra in
  sanitizers) ;;
  aarch64) scripts/aarch64/make_root.sh ;;
  *) install_python_packages "requirements-$extra.txt" ;;
  esac
done
