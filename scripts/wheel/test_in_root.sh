#!/usr/bin/env bash
# Tests a wheel for Python 3.11 in an old Debian (scripts/wheel/test_installed.sh), as root:
#
#   scripts/wheel/test_in_root.sh bullseye dist/heddle_jit-*-cp311-*.whl     Debian 11, glibc 2.31
#
# The first run takes about ten minutes: debootstrap installs the system in build/roots/SUITE, and Python is built there
# from Debian 12's sources, because the system's own Python is too old.
set -euo pipefail
cd "$(dirname "$0")/../.."
suite=${1:?usage: scripts/wheel/test_in_root.sh SUITE WHEEL}
wheel=$(realpath "$2")
root=$PWD/build/roots/$suite
python=/opt/python/bin/python3.11
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}

command -v debootstrap >/dev/null || { echo "test_in_root: debootstrap is not here: apt-get install debootstrap" >&2; exit 1; }

# Runs a command in the system, in a mount namespace, so that no mount stays.
run_inside() {
  unshare --mount bash -euc '
    root=$1
    shift
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    exec env -u PIP_FIND_LINKS chroot "$root" "$@"' bash "$root" "$@"
}

install_system() {
  debootstrap --variant=minbase \
    --include=build-essential,ca-certificates,dpkg-dev,libffi-dev,libssl-dev,zlib1g-dev "$suite" "$root" "$mirror"
  echo "deb-src $mirror bookworm main" >"$root/etc/apt/sources.list.d/python.list"
}

build_python() {
  run_inside bash -euc "
    cd /tmp
    apt-get -q update
    apt-get -q source --download-only python3.11
    tar xf python3.11_*.orig.tar.*
    cd Python-3.11.*
    ./configure -q --prefix=/opt/python --disable-test-modules
    make -s -j\$(nproc)
    make -s install
    rm -r /tmp/Python-3.11.*"
}

# Copies what the tests read. The package itself stays behind: the tests import the wheel's.
copy_tests() {
  rm -rf "$root/heddle"
  mkdir "$root/heddle"
  git ls-files pyproject.toml docs examples benchmarks tests scripts | tar c -T - | tar x -C "$root/heddle"
  cp "$wheel" "$root/heddle"
}

# The Python packages of the tests, downloaded here for glibc 2.28.
download_packages() {
  python3 -m pip download --quiet --disable-pip-version-check --dest "$root/heddle/packages" --only-binary :all: \
    --python-version 3.11 --platform manylinux2014_x86_64 --platform manylinux_2_27_x86_64 \
    --platform manylinux_2_28_x86_64 \
    numpy cffi cloudpickle coverage joblib ml_dtypes mpmath pytest pytest-timeout pytest-xdist scipy
}

[ -x "$root/usr/bin/gcc" ] || install_system
[ -x "$root$python" ] || build_python
copy_tests
download_packages
run_inside "/heddle/scripts/wheel/test_installed.sh" "/heddle/$(basename "$wheel")" "$python" \
  --no-index --find-links /heddle/packages
