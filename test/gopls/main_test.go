// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build soak

// Package gopls tests diagnostics with a real language server, the gopls that make deps
// brings.
package gopls

import (
	"testing"

	"claudecoded/test/stage"
)

func TestMain(m *testing.M) { stage.Main(m) }
