// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package review tests the life of a diff in real Neovims with a user interface: how it
// opens, every way to decide, what is answered and to whom, and what is left afterwards.
package review

import (
	"testing"

	"claudecoded/test/stage"
)

func TestMain(m *testing.M) { stage.Main(m) }
