// Copyright (c) 2026 the claudecoded authors. MIT license.

package memory

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
