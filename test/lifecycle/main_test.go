// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package lifecycle tests that whatever an editor and its daemon go through (leaving,
// blocked, stopped, many at once, without their lock file), the link behaves, the user
// is told at most once, and nothing is left behind.
package lifecycle

import (
	"testing"

	"claudecoded/test/stage"
)

func TestMain(m *testing.M) { stage.Main(m) }
