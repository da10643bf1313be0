# Everything a person or CI does with a checkout. `make` alone lists it. CMake does the building; this file only names the
# jobs. Needs make and git; scripts/setup brings the rest.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
PYTHON ?= python3
EXAMPLE := examples/resnet50_inputbound.pt.trace.json.gz
# What `make tsan` runs: the programs and the tests in which threads meet.
THREADED_PROGRAMS := io_test read_test link_test serve_test schema_check
THREADED ?= ReadChromeJson|EveryMode|ReadXPlane|ByteSource|LinkTrace|schema\.|same_story|HttpServer|ApiTest|Session

# $(call configure,PRESET) once; $(call build,PRESET) that, then everything in it.
configure = @mkdir -p build; test -f build/$(1)/build.ninja || cmake --preset $(1) -Wno-dev >build/$(1).log 2>&1 || \
	{ cat build/$(1).log; exit 1; }
build = $(configure); cmake --build --preset $(1) -j $(JOBS)
ctest = ctest --test-dir build/$(1) --output-on-failure -j $(JOBS) $(2)

# $(call install_wheel,ENVIRONMENT): the wheel that was built last for its Python.
install_wheel = $(1)/bin/pip install --quiet --force-reinstall --no-deps build/wheels/stepscope-*-$$($(1)/bin/python \
	-c 'import sys; print("cp%d%d" % sys.version_info[:2])')-*.whl

# Every target with a line of help is a job, not a file.
.PHONY: $(shell sed -n 's/^\([a-z0-9-]*\):.*\#\# .*/\1/p' $(firstword $(MAKEFILE_LIST)))

help: ## This list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## Install what building and testing need (apt, says what first)
	@scripts/setup

setup-dev: ## The same for lint, fuzz, bench and the second compiler
	@scripts/setup --dev

demo: release ## Build and show a report of a real profile
	build/release/stepscope report $(EXAMPLE)

release: setup setup-web ## build/release/stepscope
	$(call build,release) --target stepscope

setup-web: ## What the page is built with: node and its packages
	@scripts/setup-web

test: setup setup-web ## Build and run every test
	$(call build,release)
	$(call ctest,release)

test-bare: ## README's two commands in a bare Debian 12, in a clone with nothing beside it (root, debootstrap)
	@tests/run-bare

install: release ## Install into PREFIX (default /usr/local)
	cmake --install build/release --prefix "$(PREFIX)" --strip

clean: ## Remove everything that was built
	rm -rf build out

generate: setup ## Write the files that are made from the lists of columns
	$(call build,release) --target generate_tables
	build/release/generate_tables .
	python3 python/build/answer_types.py

format: setup-dev ## Put all C++ in the house format
	@scripts/sources | xargs clang-format-19 -i

lint: setup-dev ## Format, rooms, file sizes, type names, paths
	@scripts/check-format
	@scripts/check-rooms
	@scripts/check-sizes
	@scripts/check-names
	@scripts/check-paths
	@scripts/check-words

tidy: setup-dev ## clang-tidy over every source (10 minutes on two cores; clean files are remembered)
	$(call configure,clang); cmake --build --preset clang --target build.ninja >build/clang.log 2>&1
	@scripts/check-tidy build/clang

asan: setup-dev ## The test suite, built by clang, under address and undefined-behaviour sanitizers
	$(call build,asan)
	$(call ctest,asan)

tsan: setup-dev ## The threaded tests under the thread sanitizer
	$(call build,tsan) --target $(THREADED_PROGRAMS) stepscope
	$(call ctest,tsan,-R '$(THREADED)')

clang: setup-dev ## Everything with the second compiler, tests included
	$(call build,clang)

fuzz: setup-dev ## Every fuzzer for FUZZ_SECONDS (60) under sanitizers
	$(call build,asan) --target fuzzers
	fuzz/run.sh build/asan

torture: release ## Cut, mutated and rewritten input, kills, full disks, memory limits, hostile requests (10 minutes; docs/reliability.md)
	@tests/unpack-data build/release/data
	python3 tests/reliability/torture.py build/release/stepscope build/release/data $(TORTURE)

sbom: release ## build/stepscope.cdx.json: what is linked and bundled, as CycloneDX
	@scripts/sbom build/release build/stepscope.cdx.json

bench: setup-dev ## Speed and memory against the other tools, in one run
	$(call build,bench)
	bench/run.sh build/bench

bench-diagnosis: release ## How well advise names known causes, on recordings in DATA (bench/diagnosis/README.md)
	python3 bench/diagnosis/score.py build/release/stepscope $(or $(DATA),tests/data/diagnosis) -v

peers: setup-dev release wheel ## A virtual environment with the tools that bench compares with
	@scripts/environment .venv tests/peers/environments/tools.txt
	@scripts/environment build/tensorflow tests/peers/environments/tensorflow.txt
	build/tensorflow/bin/python bench/peers/tfprof_differential.py build/release/stepscope
	python/tests/link-torch build/tensorflow
	@$(call install_wheel,build/tensorflow)
	build/tensorflow/bin/python -m pytest python/tests
	build/tensorflow/bin/python bench/peers/eval_metrics.py
	build/tensorflow/bin/python bench/peers/jax_steps.py build/release/stepscope
	build/tensorflow/bin/python bench/peers/capture_frameworks.py build/release/stepscope
	build/tensorflow/bin/python bench/peers/record_frameworks.py build/release/stepscope
	@scripts/environment build/torch tests/peers/environments/torch.txt
	build/torch/bin/python bench/peers/capture_frameworks.py build/release/stepscope
	build/torch/bin/python bench/peers/memory_viz.py build/release/stepscope
	@$(call install_wheel,build/torch)
	build/torch/bin/python -m pytest python/tests/test_torch.py python/tests/test_callbacks.py python/tests/test_recording.py
	@scripts/environment build/today tests/peers/environments/today.txt
	@$(call install_wheel,build/today)
	build/today/bin/python -m pytest python/tests/test_tables.py python/tests/test_answers.py python/tests/test_query.py \
		python/tests/test_fleet_once.py python/tests/test_fleet_questions.py python/tests/test_fleet_batches.py
	python3 bench/peers/check_pftrace.py build/release/stepscope
	tests/peers/run-diff build/release/stepscope
	tests/peers/run-pack build/release/stepscope
	tests/peers/run-export build/release/stepscope
	tests/peers/run-fleet build/release/stepscope --all

test-web: release setup-dev ## The page: lint, unit tests, and a real browser on real profiles
	@scripts/in-web biome check .
	@scripts/in-web tsc --noEmit
	@scripts/in-web vitest run
	@scripts/in-web browser

test-web-all: test-web ## The same, and the numbers of every profile of tests/data, and of DATA=dir
	@STEPSCOPE_SWEEP=1 STEPSCOPE_DATA="$(DATA)" scripts/in-web browser overview

screenshots: release setup-dev ## A picture of every page, light and dark, into build/screenshots
	@scripts/in-web screenshots

bench-web: release setup-dev ## The page's speed and memory, and the same trace in Perfetto's engine
	$(call build,bench)
	@scripts/in-web bench

soak-web: release setup-dev ## The page in use for SOAK_SECONDS (600) at ten million events: nothing may grow or slow down
	$(call build,bench) --target make_trace
	@scripts/in-web soak $(SOAK_SECONDS)

setup-python: ## What the Python package is built and tested with
	@scripts/setup --python

wheel: release setup-python ## The Python package as one wheel, in build/wheels (PYTHON=python3.12 for another interpreter)
	@python/build/run wheel $(PYTHON)

wheels: release setup-python ## A wheel for each Python from 3.9 to 3.13 that is found, pyenv's included; for aarch64 where its compiler is
	@python/build/run-all

wheel-aarch64: release setup-python ## The wheel for aarch64, by Debian's cross compiler, tried under qemu (25 minutes of CPU at first)
	@python/build/run-aarch64

sdist: setup-web ## The source distribution, with the built page, in build/wheels
	@python/build/run sdist $(PYTHON)

test-python: wheel ## The Python package, installed from its wheel into an environment of its own
	@python/tests/run $(PYTHON)

test-spark: wheel ## Profiles of a fleet on a real Spark (needs Java; pyspark comes by pip), against the program and DuckDB
	@tests/peers/run-fleet build/release/stepscope

test-wheel: wheel sdist ## The wheel and the sdist in fresh environments, the wheel in a bare Debian 12 too: report, page, one-file report
	@python/tests/run-bare $(PYTHON)

tsan-python: test-python setup-dev ## Threads that use one profile at once, with the extension under the thread sanitizer
	@python/tests/run-tsan $(PYTHON)

acceptance: setup setup-web ## The tests on profiles of other projects, in a folder of yours: DATA=dir
	@test -n "$(DATA)" || { echo "make acceptance DATA=dir: the folder with those profiles" >&2; exit 2; }
	$(call build,release)
	@tests/run-acceptance build/release "$(DATA)"

golden-update: release ## Write what the program prints now into tests/golden/*.out
	@tests/update-golden build/release/stepscope
