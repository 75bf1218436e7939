// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package tools tests the tools of the IDE socket in real Neovims, through both ways in:
// a client's WebSocket and the facade in Lua.
package tools

import (
	"testing"

	"claudecoded/test/stage"
)

func TestMain(m *testing.M) { stage.Main(m) }
