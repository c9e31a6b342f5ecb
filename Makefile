# Everything a visitor or a developer types. Each target installs what it misses first (scripts/setup.sh).

.PHONY: help setup build demo test fuzz reference tutorials docs bench wheel wheel-aarch64 test-aarch64 coverage format lint tidy asan tsan tsan-free-threaded clean
.DEFAULT_GOAL := help

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:
	@scripts/setup.sh

build: setup ## compile into build/release and link it into .venv
	@scripts/build.sh release

demo: ## a tour of the examples, with times
	@scripts/setup.sh build
	@scripts/build.sh release _heddle
	@.venv/bin/python examples/tour.py

test: build ## every test: C++ units, compiler passes, Python
	@scripts/test.sh release

N ?= 2000
fuzz: build ## N generated kernels (2000) against interpreters, N of C++ against Clang, on every core; DEVICES=cpu,cuda
	@.venv/bin/python tests/fuzz/run.py --count $(N) --devices $(or $(DEVICES),cpu)
	@.venv/bin/python tests/fuzz/run.py --control-flow --count $(N) --devices $(or $(DEVICES),cpu)
	@.venv/bin/python tests/fuzz/run.py --divergence --count $(N) --devices $(or $(DEVICES),cpu)

reference: build ## docs/reference and docs/api from tables and docstrings, and the messages of wrong programs
	@.venv/bin/python scripts/make_reference.py
	@.venv/bin/python scripts/make_host_reference.py
	@.venv/bin/python scripts/make_names_of_numba.py
	@.venv/bin/python scripts/show_messages.py

tutorials: setup ## examples/notebooks of docs/tutorials, and the tutorials' pictures
	@.venv/bin/python scripts/make_notebooks.py
	@.venv/bin/python scripts/draw_tutorial_pictures.py

docs: setup ## build/site: the documentation as pages with search
	@scripts/setup.sh docs
	@NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict --quiet --config-file scripts/site/mkdocs.yml
	@echo "docs: open build/site/index.html"

bench: build ## launch, compile and run times beside their bars and numba's
	@scripts/setup.sh bench
	@.venv/bin/python benchmarks/launch_and_compile.py

wheel: setup ## dist/*.whl for this Python or each of PYTHONS (3.12 and later share one); runs on glibc 2.28 and later
	@scripts/wheel/build.sh $(PYTHONS)

wheel-aarch64: ## dist/*aarch64.whl for this Python or each of PYTHONS (3.11, 3.13), cross-compiled with Debian's packages
	@scripts/setup.sh aarch64
	@scripts/wheel/build.sh --aarch64 $(PYTHONS)

test-aarch64: ## builds for AArch64 and tests in an emulator, for hours; TEST_EVERY and FUZZ_COUNT set how much
	@scripts/test_aarch64.sh

coverage: setup ## line coverage of the C++ and the Python, at least 85 % each, of the front ends 90 %
	@scripts/build.sh coverage
	@scripts/coverage.sh

asan: ## every test under the address and undefined-behaviour sanitizers
	@scripts/setup.sh sanitizers
	@scripts/build.sh asan-ubsan
	@scripts/test.sh asan-ubsan

tsan: ## every test under the thread sanitizer
	@scripts/setup.sh sanitizers
	@scripts/build.sh tsan
	@scripts/test.sh tsan

tsan-free-threaded: ## the same with FREE_THREADED_PYTHON, which scripts/free_threaded/build_python.sh builds
	@scripts/setup.sh sanitizers
	@scripts/free_threaded/test.sh "$(FREE_THREADED_PYTHON)"

format: ## rewrite the sources in the house style
	@scripts/setup.sh lint
	@scripts/format.sh

lint: ## check style, layers and imports; changes nothing
	@scripts/setup.sh lint
	@scripts/lint.sh

tidy: ## lint, and clang-tidy over every source
	@scripts/setup.sh lint tidy
	@scripts/lint.sh tidy

clean: ## remove what builds made; .venv stays
	rm -rf build dist coverage
