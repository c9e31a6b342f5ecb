#!/usr/bin/env bash
# Checks style (clang-format, ruff), layers, folder sizes, imports, the English of pages, comments and commit subjects, and
# common mistakes (ruff, bash -n). Changes nothing.
#
#   scripts/lint.sh          the fast checks, which take seconds
#   scripts/lint.sh tidy     also clang-tidy, which takes three minutes on 2 cores
set -uo pipefail
cd "$(dirname "$0")/.."
failed=0
list_sources() { git ls-files -z --cached --others --exclude-standard -- "$@"; }

list_sources '*.cpp' '*.h' | xargs -0 -r .venv/bin/clang-format --dry-run -Werror || failed=1
.venv/bin/ruff check --quiet . || failed=1
.venv/bin/ruff format --quiet --check . || failed=1
.venv/bin/python scripts/check_layers.py || failed=1
.venv/bin/python scripts/check_python_imports.py || failed=1
.venv/bin/python scripts/check_prose.py || failed=1
.venv/bin/python scripts/check_commits.py || failed=1
for script in scripts/*.sh .ci/run .ci/nightly; do
  bash -n "$script" || failed=1
done

if [ "${1:-}" = tidy ]; then
  # Checks several sources at a time, as they are built, because LLVM's headers take most of the time. clang-tidy cannot
  # read precompiled headers from another compiler.
  cmake --preset release -B build/lint -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null || exit 1
  find build/lint/src -path '*/Unity/*.cxx' -print0 | xargs -0 -r -n 1 -P "$(nproc)" \
    .venv/bin/clang-tidy --quiet -p build/lint --extra-arg=-Wno-unknown-warning-option || failed=1
fi
[ $failed -eq 0 ] && echo "lint: clean" || echo "lint: see above; make format fixes the style" >&2
exit $failed
