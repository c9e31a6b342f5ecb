#!/usr/bin/env bash
# Formats C++ and Python. Tables (*.def) are formatted by hand and left unchanged.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files -z --cached --others --exclude-standard -- '*.cpp' '*.h' | xargs -0 -r .venv/bin/clang-format -i
.venv/bin/ruff check --quiet --fix-only .
.venv/bin/ruff format --quiet .
