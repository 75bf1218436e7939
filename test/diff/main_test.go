// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package diff tests the review of proposals in real Neovims with a user interface: a
// client asks, keys are typed, and what is left of it in the editor is nothing.
package diff

import (
	"testing"

	"claudecoded/test/stage"
)

func TestMain(m *testing.M) { stage.Main(m) }
