#!/usr/bin/env bash
# Builds one preset of CMakePresets.json in build/PRESET. .venv imports the release build.
#
#   scripts/build.sh release|debug|asan-ubsan|tsan|tsan-free-threaded|coverage [TARGET...]    default: every target
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift

log=build/$preset/configure.log
mkdir -p "build/$preset"
if [ ! -f "build/$preset/build.ninja" ]; then
  echo "build: configuring build/$preset"
  if ! cmake --preset "$preset" >"$log" 2>&1; then
    cat "$log" >&2
    echo "build: cmake --preset $preset failed; scripts/setup.sh installs what it needs" >&2
    exit 1
  fi
fi
NINJA_STATUS='[%f/%t %es] ' cmake --build "build/$preset" ${1:+--target "$@"}

if [ "$preset" = release ]; then
  # The build folder links to the working tree, so .venv only needs its path.
  site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  echo "$PWD/build/release/python" >"$site/heddle.pth"
  cat >.venv/bin/heddle <<SCRIPT
#!$PWD/.venv/bin/python
import sys
from heddle.cli import main
sys.exit(main())
SCRIPT
  chmod +x .venv/bin/heddle
fi
