# shadeonce. `make run` and `make test` are each enough on a bare Debian or
# Ubuntu that has Go and make: they begin with scripts/setup.sh.
#
#   make run MESH=path/to/mesh.ply

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# Go may be installed and yet not on root's PATH.
GO ?= $(or $(shell command -v go),$(wildcard /usr/local/go/bin/go),go)
export GO
# The commit is stamped into the programs, except where git is missing or does
# not trust the folder: go build would stop there. With -trimpath, packages compiled in
# one clone are valid in another: go vet and the tests of a fresh clone only link.
BUILDVCS := $(shell git status --porcelain >/dev/null 2>&1 && echo auto || echo false)
export GOFLAGS := $(strip $(shell cd / && $(GO) env GOFLAGS 2>/dev/null) -buildvcs=$(BUILDVCS) -trimpath)


FUZZTIME ?= 20s
# The device of test-gpu: a number or part of a name, as `shadeonce devices`
# lists them; empty is the default choice.
DEVICE ?=

# What `make test-all` adds to the whole suite, in one run: rooms that start goroutines, hold C
# memory or hand Go memory to C, under the race detector and cgocheck2.
RACE_PACKAGES := ./geometry/... ./apps/... ./assets/... ./renderer/... ./internal/renderer/... ./internal/spirv/... ./internal/simt/... ./internal/model/... ./internal/viewer/... ./cmd/... ./oracle/...
GPU_PACKAGES := ./renderer/... ./internal/renderer/... ./cmd/shadeonce/... ./oracle/...

# Tests draw with Mesa's CPU driver where it is installed, so that they mean the
# same everywhere; SHADEONCE_DEVICE (set, if only to nothing) or a driver
# chosen by the user goes first. Programs themselves are never told a driver.
define cpu_driver
if [ -z "$${SHADEONCE_DEVICE+set}$${VK_ICD_FILENAMES:-}$${VK_DRIVER_FILES:-}" ]; then \
  for icd in {/usr/share,/usr/local/share,/etc}/vulkan/icd.d/lvp_icd{.$$(uname -m),}.json; do \
    if [ -e "$$icd" ]; then export VK_ICD_FILENAMES="$$icd"; break; fi; \
  done; \
fi; $(test_environment)
endef

# Mesa's buffers are malloc's blocks: without this it returns their pages to the system and takes them
# again. Together with fewer garbage collections (GOGC) it saves a third of the processor time of the viewer's
# tests, and a twentieth of oracle's. Tests of garbage collection call it; near 4 GiB Go collects always.
# Mesa's compiler does not optimize (nopt), since shaders run briefly here. While its cache is empty, that
# saves .3 to .4 of the time of renderer/gpu and oracle. Mesa 25 optimizes in the same comparisons.
define test_environment
export SHADEONCE_VALIDATION=1 SHADEONCE_CALIBRATION=off GALLIVM_PERF=$${GALLIVM_PERF-nopt} GOGC=400 GOMEMLIMIT=4GiB \
  GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=1073741824:glibc.malloc.trim_threshold=4294967296:glibc.malloc.top_pad=16777216
endef

.PHONY: run
run: setup-run build ## open the viewer; without a display write heatmap.png and print the reuse table
	@if [ -n "$${DISPLAY:-}" ]; then \
	  exec bin/shadeonce-viewer $${MESH:+"$$MESH"}; \
	fi; \
	echo "no display: writing heatmap.png instead of opening the viewer"; \
	bin/shadeonce render "$${MESH:-asset:knot}" -o heatmap.png; \
	bin/shadeonce analyze "$${MESH:-asset:knot}"

# Tests wait for conditions: -timeout only guards against hangs, however slow or busy
# the machine is. go vet runs once, before them; without symbols they link in two thirds
# of the time.
TEST_FLAGS := -vet=off -ldflags='-s -w' -timeout 60m
GO_TEST := $(GO) test $(TEST_FLAGS)
SOAK_FRAMES := 60

.PHONY: test
test: setup-test ## vet, then the suite under validation: every mode, asset and size, chosen so that each pair meets
	$(GO) vet ./...
	@$(cpu_driver); set -x; $(GO_TEST) -short ./...

.PHONY: test-cost test-stress
test-cost: setup-test ## the processor time of make test, by package and for the twenty dearest tests
	@$(cpu_driver); set -x; scripts/testcost.sh $(TEST_FLAGS) -short ./...

ROUNDS ?= 20
test-stress: setup-test ## make test again and again, shuffled, beside 0 to 8 busy loops; prints failures by test (hours; ROUNDS=n, BESIDE=n at a time)
	@$(cpu_driver); set -x; scripts/stress.sh $(ROUNDS) ./...

.PHONY: test-all test-full test-race test-swiftshader test-mesa25 test-cgal test-embedding test-web test-windows test-hostile
test-all: test-full test-race test-swiftshader test-mesa25 test-cgal test-embedding test-web test-windows test-hostile ## the suite with full products and short soaks, then -race with cgocheck2, SwiftShader, Mesa 25, CGAL, the renderers of examples/, the page in a browser, the programs for Windows by wine and hostile files

# First the short tests, whose results go test keeps from make test. Then the packages whose tests do
# less with -short.
test-full: setup-test
	@$(cpu_driver); set -x; $(GO_TEST) -short ./...; \
	$(GO_TEST) $$(grep -rl --include='*_test.go' 'testing[.]Short()' . | xargs -n 1 dirname | sort -u)

# The panels' C++ is compiled anew for it; not optimized that takes half the time.
test-race: setup-test
	@$(cpu_driver); set -x; SHADEONCE_SOAK=$(SOAK_FRAMES) CGO_CXXFLAGS=-O0 GOEXPERIMENT=cgocheck2 $(GO_TEST) -race -short $(RACE_PACKAGES)

# $(call other_driver,NAME,TESTS,FLAGS,PACKAGE): comparisons on the driver that scripts/NAME.sh fetches,
# whose own libraries lie beside its ICD file.
define other_driver
@icd=$$(scripts/$(1).sh); [ -n "$$icd" ] || exit 0; \
export VK_ICD_FILENAMES="$$icd" VK_DRIVER_FILES="$$icd" LD_LIBRARY_PATH="$${icd%/*}$${LD_LIBRARY_PATH:+:$$LD_LIBRARY_PATH}"; \
$(test_environment) SHADEONCE_DEVICE= SHADEONCE_EMBEDDING=1 GALLIVM_PERF=; set -x; \
$(GO_TEST) -count=1 $(3) -run '^Test($(2))$$' $(or $(4),./oracle)
endef

# Another driver, with subgroups of 4 and without 64-bit integers: no compute
# rasterizer and no culling.
SWIFTSHADER_TESTS := CountsOfEveryAsset|Queues|OverflowIsPlannedAgain|HardwareAgainstSoft|NearPlaneClipping|Goldens|Raw.*
test-swiftshader: setup-test
	$(call other_driver,swiftshader,$(SWIFTSHADER_TESTS))

# Mesa 25, whose CPU driver has mesh shaders and everything that the tests use. Two minutes
# of processor time.
MESA25_TESTS := $(SWIFTSHADER_TESTS)|ModulesEqual|ComputeGoldens|ComputeAgainstSoft|FusedDraws|Feedback|Mesh.*
test-mesa25: setup-test
	$(call other_driver,mesa25,$(MESA25_TESTS),-short)

# The applications against CGAL, an independent library. -v, so that a skip is seen.
test-cgal: setup-all
	@set -x; SHADEONCE_CGAL=1 $(GO_TEST) -count=1 -v ./oracle/cgal | { grep -v '^ *===' || true; }

# The renderers of examples/, built by their own build files; the one with a mesh shader runs on Mesa 25. -v,
# so that a skip is seen.
test-embedding: setup-all
	@$(cpu_driver); set -x; SHADEONCE_EMBEDDING=1 $(GO_TEST) -count=1 -v ./oracle/embedding
	$(call other_driver,mesa25,MeshC,-v,./oracle/embedding)

# The page in a browser, and Khronos's validator on what convert writes. -v, so that a skip is seen.
test-web: setup-web-test web
	@set -x; SHADEONCE_WEB=1 $(GO_TEST) -count=1 -v ./oracle/web ./oracle/gltf ./web/session

test-hostile: setup-test
	$(GO) run ./tools/hostile -n 1000

.PHONY: hostile
HOSTILE ?= 6000
SEED ?= 1
hostile: setup-test ## run thousands of broken and hostile files within limits of time and memory, and print a table (HOSTILE=N, SEED=N)
	$(GO) run ./tools/hostile -n $(HOSTILE) -seed $(SEED)

# Not in test-all: it checks the tests, not the machine.
.PHONY: mutants
mutants: setup-test ## put known faults into copies of the tree, one at a time; a test must fail for each (minutes)
	@$(cpu_driver); set -x; $(GO) run ./tools/mutants

.PHONY: build
build: setup-run ## build bin/shadeonce and bin/shadeonce-viewer
	@[ -d bin ] || echo "building: the first build compiles C++, for minutes"
	@mkdir -p bin
	$(GO) build -o bin/ ./cmd/viewer ./cmd/shadeonce
	@ln -sf viewer bin/shadeonce-viewer

.PHONY: web serve-web
web: setup-web ## build the page that opens meshes in a browser: web/dist/index.html
	cd web && npm ci --ignore-scripts --no-audit --no-fund --silent && node build.mjs

# Any free port will do.
PORT ?= 8080
serve-web: web ## serve it at http://localhost:8080 (PORT=n)
	web/node_modules/.bin/esbuild --servedir=web/dist --serve=localhost:$(PORT)

# Where install puts things; DESTDIR goes before it, for packages.
PREFIX ?= /usr/local
DESTDIR ?=
BIN ?= bin

.PHONY: install uninstall
install: ## put what `make build` built, its manual pages, completion and desktop entry under PREFIX
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" BIN="$(BIN)" scripts/install.sh $@

uninstall: ## remove them
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install.sh $@

# Packages for other machines: docs/install.md. Each is also a part of dist.
.PHONY: static deb dist dist-windows test-deb test-dist
static: ## build bin/static/shadeonce: one file without Vulkan, for any container (needs Go alone)
	CGO_ENABLED=0 $(GO) build -ldflags='-s -w' -o bin/static/ ./cmd/shadeonce

dist: setup-dist ## build all archives, packages, checksums and lists of modules into bin/dist
	scripts/package/dist.sh bin/dist

deb: setup-dist ## build Debian packages of both programs into bin/dist
	scripts/package/dist.sh bin/dist deb

dist-windows: setup-dist ## build both programs for Windows into a zip in bin/dist, by mingw-w64
	scripts/package/dist.sh bin/dist windows

test-deb: setup-dist ## install the packages of bin/dist into a fresh Debian and run the README's tour there (root)
	scripts/package/test-deb.sh bin/dist

test-dist: setup-dist ## build everything of dist twice, in two folders, and compare the bytes (many minutes)
	scripts/package/test-dist.sh

test-windows: setup-dist ## build for Windows, and compare what wine prints and draws with this machine
	@$(cpu_driver); set -x; scripts/package/test-windows.sh

.PHONY: shaders
shaders: setup-test ## compile, validate, reflect and embed the shaders
	$(GO) run ./tools/spirv

.PHONY: check
check: setup-test ## format, vet, static analysis, import and house rules, stale generation
	@unformatted=$$("$$($(GO) env GOROOT)/bin/gofmt" -l .); \
	[ -z "$$unformatted" ] || { printf 'not formatted with gofmt:\n%s\n' "$$unformatted" >&2; exit 1; }
	$(GO) vet ./...
	$(GO) tool -modfile=tools/lint.mod staticcheck ./...
	$(GO) test ./internal/rules
	$(GO) run ./tools/spirv -check

.PHONY: test-gpu
test-gpu: setup-test ## the renderer's tests and comparisons on a real device (DEVICE=name or number)
	SHADEONCE_VALIDATION=1 SHADEONCE_CALIBRATION=off SHADEONCE_DEVICE="$(DEVICE)" $(GO_TEST) -count=1 $(GPU_PACKAGES)

.PHONY: test-device-bundle
test-device-bundle: setup-test ## pack tests, their data and run.sh into bin/test-device-bundle.tar.gz, for a machine with a GPU and without Go
	scripts/device-bundle.sh

# Without validation, since the layer's memory grows with the objects that it has seen.
.PHONY: soak
soak: setup-test ## 10,000 frames that change in everything, and what memory they leave (minutes; FRAMES=n)
	@$(cpu_driver); set -x; SHADEONCE_VALIDATION= SHADEONCE_NO_VALIDATION=1 SHADEONCE_SOAK=$${FRAMES:-10000} \
	$(GO_TEST) -count=1 -run '^TestSoak$$' -v ./oracle

.PHONY: soak-viewer
soak-viewer: setup-test ## what memory the viewer has after 1,000 switches and 100 openings of captured frames (half an hour; SWITCHES=n)
	@$(cpu_driver); set -x; SHADEONCE_VIEWER_SOAK=$${SWITCHES:-1000} $(GO) test -count=1 -timeout 180m -run '^TestViewerSoak$$' -v ./internal/viewer/app

.PHONY: golden
golden: setup-test ## draw the golden pictures again; look at them before you commit
	@packages=$$(grep -rl --include='*_test.go' 'flag.Bool("update"' . | xargs -r -n 1 dirname | sort -u); \
	[ -n "$$packages" ] || { echo "no package has goldens" >&2; exit 1; }; \
	$(cpu_driver); set -x; $(GO) test -count=1 $$packages -update

.PHONY: bench
bench: build ## repeat figures of docs/figures.md (MESH=path for your own)
	$(GO) test -count=1 -run 'TestBunnyFigures|TestHardwareAgainstSoft' -v ./oracle | grep -E '^(---|ok|FAIL)|SKIP|skip|at least|Figures'
	GOMAXPROCS=1 $(GO) test -run '^$$' -bench . -benchtime 3x ./geometry/format
	$(GO) test -run '^$$' -bench . ./oracle
	bin/shadeonce analyze "$${MESH:-asset:sphere6}" --order original,forsyth,random
	bin/shadeonce bench "$${MESH:-asset:sphere6}" --order forsyth --load simple,1024

.PHONY: fuzz
fuzz: setup-run ## run every fuzz target for FUZZTIME
	@grep -rHo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | \
	sed -E 's|^(.*)/[^/]*:func (.*)$$|\1 \2|' | sort | \
	while read -r package target; do \
	  (set -x; $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x "$$package" </dev/null); \
	done

.PHONY: clean
clean: ## remove what make built or wrote
	rm -rf bin heatmap.png web/build web/dist web/node_modules

.PHONY: setup-run setup-test setup-all setup-dist setup-web setup-web-test
setup-run setup-test setup-all setup-dist setup-web setup-web-test: setup-%:
	@scripts/setup.sh $*

.PHONY: help
help: ## this list
	@awk -F ':[^#]*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
