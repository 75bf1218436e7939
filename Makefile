# Copyright (c) 2026 the claudecoded authors. MIT license.

SHELL := bash
.DEFAULT_GOAL := help
.PHONY: help run try test check lint fmt compare bench docs build deps clean

# Nothing changes go.mod, and a build needs no git.
export GOFLAGS := -mod=readonly -buildvcs=false

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)

# What make check runs after the fuzzers. SOAKS: packages whose tests have the
# build tag soak. SUITES: packages that run public programs, with the build tag suite.
# Each bounds itself.
SOAKS  := ./test/rfc6455 ./test/daemon ./test/lifecycle ./test/soak ./test/gopls ./test/diff
SUITES := ./test/conformance ./test/sdk

# Seconds for each fuzzer, and for all of them together.
export FUZZTIME  ?= 20
export FUZZTOTAL ?= 480

## help: list the targets
help:
	@sed -n 's/^## \([a-z]*\): /\1\t/p' Makefile | expand -t 8

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
	CLAUDECODED_NVIM="$$(scripts/nvim.sh)" GOPROXY=off go test -race -count=1 -timeout 5m ./...
	CLAUDECODED_NVIM="$$(scripts/nvim.sh)" GOPROXY=off scripts/norace.sh

## check: the fuzzers for FUZZTIME seconds each, soak programs, public suites
check:
	@scripts/deps.sh go nvim race gopls tsserver tmux suites
	scripts/fuzz.sh
	@for p in $(SOAKS); do CLAUDECODED_NVIM="$$(scripts/nvim.sh)" go test -race -tags soak -count=1 -timeout 30m "$$p" || exit; done
	@for p in $(SUITES); do CLAUDECODED_NVIM="$$(scripts/nvim.sh)" go test -tags suite -count=1 -timeout 30m "$$p" || exit; done

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

## compare: the program beside servers on other libraries, into bench/README.md; takes half an hour
compare:
	@scripts/deps.sh go
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
