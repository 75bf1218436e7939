# Copyright (c) 2026 the claudecoded authors. MIT license.

SHELL := bash
.DEFAULT_GOAL := help
.PHONY: help run try test check check-dap lint fmt compare bench docs build deps clean

# Nothing changes go.mod, and a build needs no git.
export GOFLAGS := -mod=readonly -buildvcs=false

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)

# Most tests wait most of the time, for an editor or for a clock. So more of them run than
# there are processors, and the packages that take longest begin first. The first four watch
# the clock and need little of the processors: beside each other they are not held up.
SIDE_BY_SIDE := -p 4 -parallel 4
LONGEST      := $(addprefix ./test/,lifecycle health moment daemon review options lua diff families terminal explorers hunks selection)

# Packages that run public programs, with the build tag suite.
SUITES := ./test/conformance ./test/sdk

# Seconds for each fuzzer, and for all of them together.
export FUZZTIME  ?= 20
export FUZZTOTAL ?= 300

## help: list the targets
help:
	@sed -n 's/^## \([a-z-]*\): /\1\t/p' Makefile | expand -t 12

## run: show the main job on a real Neovim: a client connects, opens a file, reads diagnostics
run: build
	@scripts/deps.sh nvim
	bin/claudecoded demo --nvim-bin "$$(scripts/nvim.sh newest)"

## try: a real Neovim with a small configuration, by hand: make try NAME=oil, without NAME which there are
try: build
	@scripts/deps.sh nvim
	@fixtures/bin/vv "$(NAME)"

## test: every test, with the race detector and real Neovims, without network
test:
	@scripts/deps.sh go nvim race
	CLAUDECODED_NVIM="$$(scripts/nvim.sh)" GOPROXY=off GORACE=atexit_sleep_ms=0 \
		go test -race -count=1 -vet=off -timeout 10m $(SIDE_BY_SIDE) $(LONGEST) ./...
	CLAUDECODED_NVIM="$$(scripts/nvim.sh)" GOPROXY=off scripts/norace.sh

## check: the fuzzers for FUZZTIME seconds each, soak programs, public suites
check:
	@scripts/deps.sh go nvim race gopls tsserver tmux suites
	scripts/fuzz.sh
	CLAUDECODED_NVIM="$$(scripts/nvim.sh)" GORACE=atexit_sleep_ms=0 scripts/soak.sh
	CLAUDECODED_NVIM="$$(scripts/nvim.sh)" go test -tags suite -count=1 -timeout 10m -p 2 $(SUITES)

## check-dap: the debugger's tools with delve and the nvim-dap in the folder CLAUDECODED_NVIM_DAP
check-dap:
	@[ -f "$$CLAUDECODED_NVIM_DAP/lua/dap.lua" ] || { echo 'CLAUDECODED_NVIM_DAP must be a folder with nvim-dap' >&2; exit 1; }
	@scripts/deps.sh go nvim dlv
	CLAUDECODED_NVIM="$$(scripts/nvim.sh)" go test -tags dap -count=1 -timeout 10m -v -run TestDelve ./test/dap
	CLAUDECODED_NVIM="$$(scripts/nvim.sh)" go test -count=1 -timeout 10m ./test/dap

## lint: format and static checks of Go, Lua and shell, and of the structure
lint:
	@scripts/deps.sh go lint nvim
	scripts/lint.sh

## fmt: format Go and Lua in place, and write the options into the documents
fmt:
	@scripts/deps.sh go lint nvim
	gofmt -w .
	node scripts/stylua.mjs
	"$$(scripts/nvim.sh newest)" --clean -l scripts/options.lua

## compare: the program beside other libraries, and Neovim's part, into bench/README.md; takes 12 minutes
compare:
	@scripts/deps.sh go nvim
	scripts/compare.sh

## bench: round trips over real sockets, then each layer alone
bench:
	@scripts/deps.sh go nvim
	CLAUDECODED_NVIM="$$(scripts/nvim.sh)" go test -run '^$$' -bench . -benchmem \
		./bench ./codec ./reactor ./session ./mcp ./nvimbridge

## docs: draw the pictures of the documents, from real runs
docs:
	@scripts/deps.sh go nvim tmux
	scripts/pictures.sh

## build: bin/claudecoded, all that a plugin manager needs to run
build:
	@command -v go >/dev/null || { echo 'Go 1.26 or newer is needed: install it and put go on PATH' >&2; exit 1; }
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o bin/claudecoded ./cmd/claudecoded

## deps: bring what is missing: Neovim 0.10 and 0.12 and the checkers into .cache, Go's modules
deps:
	@scripts/deps.sh

## clean: remove what build and deps made
clean:
	rm -rf bin .cache
