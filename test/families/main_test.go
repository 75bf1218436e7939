// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package families tests the tools that come along, family by family: a real client calls
// them over HTTP in a real Neovim whose user types at the same time.
package families

import (
	"testing"

	"claudecoded/test/stage"
)

func TestMain(m *testing.M) { stage.Main(m) }
