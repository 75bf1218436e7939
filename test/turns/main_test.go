// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package turns tests the review of what Claude did already: in real Neovims with a user
// interface, the real daemon, and a client that speaks as Claude does when it edits files
// without asking.
package turns

import (
	"testing"

	"claudecoded/test/stage"
)

func TestMain(m *testing.M) { stage.Main(m) }
