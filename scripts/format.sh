#!/usr/bin/env bash
# Rewrites C++ and Python in the house style. Tables (*.def) are laid out by hand and left alone.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files -z --cached --others --exclude-standard -- '*.cpp' '*.h' | xargs -0 -r .venv/bin/clang-format -i
.venv/bin/ruff check --quiet --fix-only .
.venv/bin/ruff format --quiet .
