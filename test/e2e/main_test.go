// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package e2e tests the program as its users meet it: the real binary, real Neovims,
// real sockets, the client's messages as the real client sends them.
package e2e

import (
	"testing"

	"claudecoded/test/stage"
)

func TestMain(m *testing.M) { stage.Main(m) }
