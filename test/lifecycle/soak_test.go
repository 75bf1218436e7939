// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build soak

package lifecycle

import "testing"

func TestParallel_TwentyEditorsOfOneUserHaveTwentyPorts(t *testing.T) { checkParallel(t, 20) }
